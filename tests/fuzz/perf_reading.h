/* perf_reading.h - reads an input whole and through a window that moves: the same profile. */
#ifndef FLAMEL_TESTS_FUZZ_PERF_READING_H
#define FLAMEL_TESTS_FUZZ_PERF_READING_H

#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "profile/columns.h"

static inline void promise(bool kept)
{
    if (!kept)
        abort();
}

/* Shows `step` more bytes each time, in a new block of exactly its size. */
struct windows {
    struct flm_bytes all;
    size_t shown, step;
    char *block;
};

static inline bool windows_more(struct flm_source *source, struct flm_error *why)
{
    (void)why;
    struct windows *w = source->progress_context;
    size_t left = w->all.size - w->shown, step = w->step < left ? w->step : left;
    if (step == 0) {
        source->last = true;
        return true;
    }
    size_t kept = (size_t)(source->end - source->at);
    char *block = malloc(kept + step);
    promise(block != NULL);
    if (kept > 0)
        memcpy(block, source->at, kept);
    memcpy(block + kept, w->all.at + w->shown, step);
    free(w->block);
    w->block = block;
    w->shown += step;
    source->at = block;
    source->end = block + kept + step;
    return true;
}

static inline struct flm_source windows_source(struct windows *w)
{
    return (struct flm_source){.at = "", .end = "", .more = windows_more, .progress_context = w};
}

static inline struct flm_profile *profile_from(const struct flm_format *format,
                                               struct flm_source *source,
                                               const struct flm_read_options *options,
                                               struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    promise(b != NULL);
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
    source.end = source.at;
    struct flm_profile *p = profile_from(format, &source, options, &why);
    free(w.block);
    promise(!p == !whole);
    if (p) {
        promise(p->image_size == whole->image_size);
        promise(memcmp(p->image, whole->image, p->image_size) == 0);
    }
    flm_profile_free(p);
}

#endif
