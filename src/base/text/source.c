#include "base/text/source.h"

#include <assert.h>
#include <stdlib.h>

bool flm_source_fill(struct flm_source *source, size_t size, struct flm_error *why)
{
    while ((size_t)(source->end - source->at) < size && !source->last)
        if (!flm_source_more(source, why))
            return false;
    return true;
}

bool flm_source_all(struct flm_source *source, struct flm_error *why)
{
    source->whole = true;
    while (!source->last)
        if (!flm_source_more(source, why))
            return false;
    return true;
}

bool flm_source_progress(struct flm_source *source, uint64_t bytes, struct flm_error *why)
{
    source->passed += bytes;
    if (source->progress && !source->progress(source->progress_context, source->passed))
        return flm_error_set(why, FLM_ERROR_CANCELED, "stopped");
    return true;
}

bool flm_source_make_room(struct flm_source *source, struct flm_source_window *window,
                          uint64_t expected, struct flm_error *why)
{
    assert(window->first > 0 && window->largest >= window->first);
    size_t left = (size_t)(source->end - source->at);
    size_t largest =
        source->whole && window->largest_whole > 0 ? window->largest_whole : window->largest;
    if (window->at && left <= window->capacity / 2) {
        if (left)
            memmove(window->at, source->at, left);
    } else {
        size_t capacity = window->at ? window->capacity * 2 : window->first;
        if (window->at && expected > 0 && left < largest && expected < largest - left)
            capacity = left + (size_t)expected + 1;
        else if (window->at && expected > 0 && source->whole)
            capacity = SIZE_MAX; /* too large: refused before any of it is read */
        if (capacity > largest)
            return flm_error_set(why, FLM_ERROR_RANGE,
                                 "more than %zu MiB of it would have to be in memory at once: %s",
                                 largest >> 20,
                                 !source->whole ? "a line that long is no line of a profile"
                                 : window->largest_whole > 0
                                     ? "this format is read as a whole, and the file is too large"
                                     : "this format is read as a whole; a file may be larger if it "
                                       "is not compressed, and no pipe");
        char *at = malloc(capacity);
        if (!at)
            return flm_error_memory(why);
        if (left)
            memcpy(at, source->at, left);
        free(window->at);
        window->at = at;
        window->capacity = capacity;
    }
    source->at = window->at;
    source->end = window->at + left;
    return true;
}
