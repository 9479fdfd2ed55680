/* format_windows.h - an input that shows `step` more bytes each time, in a new block of exactly the
 * size of its window, so that a sanitizer sees whoever still looks at the old one. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_FORMAT_WINDOWS_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_FORMAT_WINDOWS_H

#include <stdlib.h>
#include <string.h>

#include "base/text/source.h"

struct windows {
    struct flm_bytes all;
    size_t shown, step;
    char *block; /* to be freed */
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
    if (!block)
        abort();
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
    struct flm_source source = {.at = "", .more = windows_more, .progress_context = w};
    source.end = source.at;
    return source;
}

#endif
