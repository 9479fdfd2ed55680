#include "base/text/source.h"

bool flm_source_fill(struct flm_source *source, size_t size, struct flm_error *why)
{
    while ((size_t)(source->end - source->at) < size && !source->last)
        if (!flm_source_more(source, why))
            return false;
    return true;
}

bool flm_source_all(struct flm_source *source, struct flm_error *why)
{
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
