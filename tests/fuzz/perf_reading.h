/* perf_reading.h - reads an input whole and through a window that moves: the same profile. */
#ifndef FLAMEL_TESTS_FUZZ_PERF_READING_H
#define FLAMEL_TESTS_FUZZ_PERF_READING_H

#include "base/text/text.h"
#include "format/core/reading.h"
#include "format/formats.h"
#include "profile/columns.h"
#include "support/profile/format_windows.h"

static inline void promise(bool kept)
{
    if (!kept)
        abort();
}

static inline struct flm_profile *profile_from(const struct flm_format *format,
                                               struct flm_source *source,
                                               const struct flm_read_options *options,
                                               struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    promise(b != NULL);
    b->locations = flm_reading_locations(options);
    if (!format->read(source, options, b, why)) {
        promise(why->kind == FLM_ERROR_FORMAT || why->kind == FLM_ERROR_RANGE);
        flm_builder_free(b);
        return NULL;
    }
    return flm_builder_finish(b, why);
}

static inline struct flm_profile *profile_of_bytes(const struct flm_format *format,
                                                   struct flm_bytes all,
                                                   const struct flm_read_options *options)
{
    struct flm_error why = {0};
    struct flm_source source = flm_source_of(all);
    struct flm_profile *p = profile_from(format, &source, options, &why);
    promise(!p || flm_profile_check(p, &why));
    return p;
}

static inline void promise_same_through_windows(const struct flm_format *format,
                                                struct flm_bytes all, size_t step,
                                                const struct flm_read_options *options,
                                                const struct flm_profile *whole)
{
    struct flm_error why = {0};
    struct windows w = {.all = all, .step = step};
    struct flm_source source = windows_source(&w);
    struct flm_profile *p = profile_from(format, &source, options, &why);
    free(w.block);
    promise(!p == !whole);
    if (p) {
        struct flm_text file = {0}, same = {0};
        promise(flm_profile_write(p, flm_text_sink, &file) &&
                flm_profile_write(whole, flm_text_sink, &same) && file.size == same.size);
        promise(memcmp(file.at, same.at, file.size) == 0);
        flm_text_clear(&file);
        flm_text_clear(&same);
    }
    flm_profile_free(p);
}

#endif
