/* perf_reading.h - reading texts and files with a format, whole or through a window that moves. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_PERF_READING_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_PERF_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "format/core/reading.h"
#include "format/formats.h"
#include "profile/columns.h"
#include "support/profile/format_windows.h"

/* A file of tests/data, in a block of exactly its size. The caller frees it. */
static inline struct flm_bytes file_bytes(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "tests/data/%s", name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail_msg("cannot read %s", path);
    size_t size = (size_t)ftell(file);
    char *bytes = malloc(size ? size : 1);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    return (struct flm_bytes){bytes, size};
}

static inline struct flm_profile *finished(const struct flm_format *format,
                                           struct flm_source *source,
                                           const struct flm_read_options *options,
                                           struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    b->locations = flm_reading_locations(options);
    if (!format->read(source, options, b, why)) {
        flm_builder_free(b);
        return NULL;
    }
    return flm_builder_finish(b, why);
}

/* NULL, and `why`, for a text that is refused. */
static inline struct flm_profile *try_bytes(const struct flm_format *format, struct flm_bytes bytes,
                                            const struct flm_read_options *options,
                                            struct flm_error *why)
{
    struct flm_source source = flm_source_of(bytes);
    return finished(format, &source, options, why);
}

static inline struct flm_profile *read_bytes(const struct flm_format *format,
                                             struct flm_bytes bytes,
                                             const struct flm_read_options *options)
{
    struct flm_error why = {0};
    struct flm_profile *p = try_bytes(format, bytes, options, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

static inline struct flm_profile *read_text(const struct flm_format *format, const char *text)
{
    return read_bytes(format, flm_bytes_of(text), &(struct flm_read_options){0});
}

static inline struct flm_profile *profile_of_file(const struct flm_format *format, const char *name)
{
    struct flm_bytes bytes = file_bytes(name);
    struct flm_profile *p = read_bytes(format, bytes, &(struct flm_read_options){0});
    free((void *)bytes.at);
    return p;
}

/* The text is refused, and the error says so: at that line (0: none), with these words. */
static inline void assert_refused(const struct flm_format *format, const char *text, uint64_t line,
                                  const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p =
        try_bytes(format, flm_bytes_of(text), &(struct flm_read_options){0}, &why);
    if (p)
        fail_msg("it is read: '%s'", text);
    if (why.line != line || !strstr(why.text, words))
        fail_msg("the error is '%s', not '%s' at line %d", why.text, words, (int)line);
}

static inline struct flm_profile *read_windows(const struct flm_format *format,
                                               struct flm_bytes bytes, size_t step,
                                               const struct flm_read_options *options)
{
    struct windows w = {.all = bytes, .step = step};
    struct flm_source source = windows_source(&w);
    struct flm_error why = {0};
    struct flm_profile *p = finished(format, &source, options, &why);
    free(w.block);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

/* ---- Contents of a profile ------------------------------------------------------------------- */

static inline bool is_string(const struct flm_profile *p, uint32_t string, const char *text)
{
    return flm_bytes_are(flm_string_bytes(p, string), text);
}

/* The metric number `m` has that name and unit, that total, and so many stacks with a value. */
static inline void assert_metric(const struct flm_profile *p, uint32_t m, const char *name,
                                 const char *unit, double total, uint32_t stacks)
{
    assert_true(m < p->sizes.metric_count);
    if (!is_string(p, p->metrics[m].name, name) || !is_string(p, p->metrics[m].unit, unit))
        fail_msg("metric %u is not %s in %s", m, name, unit);
    uint32_t found = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        found += flm_self_column(p, m)[i] != 0;
    double sum = flm_profile_total(p, (struct flm_metric){m});
    if (sum != total || found != stacks)
        fail_msg("%s: %.0f in %u stacks, not %.0f in %u", name, sum, found, total, stacks);
}

/* How much of `what` was lost, and where first. */
static inline double lost(const struct flm_profile *p, const char *what, const char *where)
{
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        if (!is_string(p, p->losses[i].what, what))
            continue;
        if (!is_string(p, p->losses[i].where, where))
            fail_msg("%s are lost at '%.*s', not at '%s'", what,
                     (int)flm_string_bytes(p, p->losses[i].where).size,
                     flm_string_bytes(p, p->losses[i].where).at, where);
        return p->losses[i].count;
    }
    return 0;
}

static inline void assert_note(const struct flm_profile *p, const char *key, const char *value)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        if (is_string(p, p->notes[i].key, key)) {
            assert_true(is_string(p, p->notes[i].value, value));
            return;
        }
    }
    fail_msg("there is no note '%s'", key);
}

/* The one frame of that name. */
static inline const struct flm_frame_record *frame_named(const struct flm_profile *p,
                                                         const char *name)
{
    const struct flm_frame_record *found = NULL;
    for (uint32_t i = 0; i < p->sizes.frame_count; i++) {
        if (!is_string(p, p->frames[i].function, name) || i == 0)
            continue;
        if (found)
            fail_msg("there are two frames '%s'", name);
        found = &p->frames[i];
    }
    if (!found)
        fail_msg("there is no frame '%s'", name);
    return found;
}

#endif
