#include "support/core/windows.h"

#include <stdlib.h>

#include "support/core/random.h"

static bool more(struct flm_source *source, struct flm_error *why)
{
    struct windows *w = (struct windows *)source;
    size_t kept = (size_t)(source->end - source->at);
    size_t step = w->step ? w->step : 1 + random_below(&w->random, 100);
    step = step < w->left.size ? step : w->left.size;
    if (step == 0)
        source->last = true;
    char *block = malloc(kept + step + (kept + step == 0));
    if (!block)
        return flm_error_memory(why);
    if (kept)
        memcpy(block, source->at, kept);
    if (step) {
        memcpy(block + kept, w->left.at, step);
        w->left = (struct flm_bytes){w->left.at + step, w->left.size - step};
    }
    if (w->left.size == 0 && !w->last_comes_alone)
        source->last = true;
    free(w->block);
    w->block = block;
    source->at = block;
    source->end = block + kept + step;
    return true;
}

void windows_init(struct windows *w, struct flm_bytes all, size_t step)
{
    *w = (struct windows){.source = {.at = "", .more = more},
                          .left = all,
                          .step = step,
                          .random = 88172645463325252u,
                          .last_comes_alone = step % 2 == 1};
    w->source.end = w->source.at;
}

void windows_clear(struct windows *w)
{
    free(w->block);
}
