/* format_laws.h - what must hold of every reader of a format, whatever it reads, and of every
 * writer. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_FORMAT_LAWS_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_FORMAT_LAWS_H

#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_read_options reader_options[] = {
    {0},
    {.keep_times = true},
    {.keep_times = true, .by_thread = true, .locations = true, .lines = true},
    {.keep_times = true, .locations = true}};

struct reader_work {
    const struct flm_format *format;
    struct flm_bytes bytes;
    const struct flm_read_options *options;
};

static inline bool reader_reads(void *context, struct flm_error *why)
{
    const struct reader_work *w = context;
    struct flm_profile *p = try_bytes(w->format, w->bytes, w->options, why);
    flm_profile_free(p);
    return p != NULL;
}

/* With samples the values of stacks are those of their samples. */
static inline void assert_reads(const struct flm_format *format, struct flm_bytes bytes)
{
    double total = 0;
    for (size_t i = 0; i < sizeof reader_options / sizeof *reader_options; i++) {
        struct flm_profile *p = read_bytes(format, bytes, &reader_options[i]);
        assert_sound(p);
        assert_true(unsampled(p) == 0 || !reader_options[i].keep_times);
        double sum = flm_profile_total(p, (struct flm_metric){0});
        assert_true(i != 1 || sum == total);
        total = sum;
        flm_profile_free(p);
    }
}

/* A window that moves shows the same profile, whatever the options are. */
static inline void assert_same_through_windows(const struct flm_format *format,
                                               struct flm_bytes bytes)
{
    for (size_t i = 0; i < sizeof reader_options / sizeof *reader_options; i++) {
        const struct flm_read_options *options = &reader_options[i];
        struct flm_profile *whole = read_bytes(format, bytes, options);
        for (size_t step = 1; step < bytes.size + 6; step = step * 7 + 1) {
            struct flm_profile *p = read_windows(format, bytes, step, options);
            assert_profiles_equal(p, whole);
            flm_profile_free(p);
        }
        flm_profile_free(whole);
    }
}

/* Every shortened copy is refused with a sentence, or is read, whatever the options are. Of large
 * files only some of the copies are tried. */
static inline void assert_survives_cuts(const struct flm_format *format, struct flm_bytes bytes)
{
    size_t step = bytes.size < 20000 ? 13 : 61;
    for (size_t size = 0; size < bytes.size; size += size < 2000 ? 1 : step) {
        const struct flm_read_options *options = &reader_options[size % 3];
        struct flm_error why = {0};
        char *block = malloc(size ? size : 1);
        assert_non_null(block);
        memcpy(block, bytes.at, size);
        format->sniff((struct flm_bytes){block, size}, true);
        struct flm_profile *p = try_bytes(format, (struct flm_bytes){block, size}, options, &why);
        if (p)
            assert_sound(p);
        else
            assert_true(why.kind == FLM_ERROR_FORMAT || why.kind == FLM_ERROR_RANGE);
        flm_profile_free(p);
        free(block);
    }
}

/* All of these: the file is recognized, too. */
static inline void assert_reader_laws(const struct flm_format *format, struct flm_bytes bytes)
{
    struct flm_error why = {0};
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), format);
    assert_reads(format, bytes);
    assert_same_through_windows(format, bytes);
    assert_survives_cuts(format, bytes);
}

static inline void assert_reader_laws_of_file(const struct flm_format *format, const char *name)
{
    struct flm_bytes bytes = file_bytes(name);
    assert_reader_laws(format, bytes);
    free((void *)bytes.at);
}

/* Every allocation may fail once: of a short text, because it is slow. */
static inline void assert_survives_little_memory(const struct flm_format *format,
                                                 struct flm_bytes bytes)
{
    struct reader_work work = {format, bytes, &reader_options[2]};
    assert_true(assert_survives_failures(reader_reads, &work) > 5);
}

/* A real file, and what is in it: the first metric. */
struct real_file {
    const struct flm_format *format;
    const char *file, *metric, *unit;
    double total;
    uint32_t stacks;
};

/* Its format is recognized, and obeys the laws. Where stacks have sums alone, they are not those of
 * samples. */
static inline void assert_real_files(const struct real_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct flm_bytes bytes = file_bytes(files[i].file);
        struct flm_error why = {0};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why),
                         files[i].format);
        assert_same_through_windows(files[i].format, bytes);
        assert_survives_cuts(files[i].format, bytes);
        free((void *)bytes.at);
        struct flm_profile *p = profile_of_file(files[i].format, files[i].file);
        assert_sound(p);
        assert_metric(p, 0, files[i].metric, files[i].unit, files[i].total, files[i].stacks);
        flm_profile_free(p);
    }
}

/* A short text of a format, whose every allocation may fail. */
struct short_text {
    const struct flm_format *format;
    const char *text;
};

static inline void assert_texts_survive(const struct short_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_survives_little_memory(texts[i].format, flm_bytes_of(texts[i].text));
}

/* ---- Writers --------------------------------------------------------------------------------- */

struct writer_work {
    const struct flm_format *format;
    const struct flm_profile *profile;
};

static inline bool writer_writes(void *context, struct flm_error *why)
{
    const struct writer_work *w = context;
    struct flm_text out = {0};
    bool good = w->format->write(w->profile, &(struct flm_write_options){0}, &out, why);
    if (good && out.failed)
        good = flm_error_memory(why);
    flm_text_clear(&out);
    return good;
}

/* Returns how many allocations writing takes, each of which failed once. */
static inline size_t assert_writing_survives_failures(const struct flm_format *format,
                                                      const struct flm_profile *profile)
{
    struct writer_work work = {format, profile};
    return assert_survives_failures(writer_writes, &work);
}

#endif
