#include "store/core/batch.h"

#include "store/core/store_head.h"
#include "store/labels/series_labels.h"

bool flm_batch_check(const struct flm_store_batch *batch, struct flm_error *why)
{
    if (flm_batch_id(batch).size > FLM_STORE_LONGEST_ID)
        return flm_error_set(why, FLM_ERROR_RANGE, "the id of a profile has %d bytes at most",
                             FLM_STORE_LONGEST_ID);
    if (batch->time_ms < 0 || batch->time_ms > FLM_STORE_LAST_MS)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "the time %lld ms is before 1970 or beyond all clocks",
                             (long long)batch->time_ms);
    return true;
}

bool flm_batch_series(const struct flm_store_batch *batch, struct flm_text *out,
                      struct flm_error *why)
{
    struct flm_store_label labels[FLM_STORE_MOST_LABELS];
    if (batch->label_count > FLM_STORE_MOST_LABELS)
        return flm_error_set(why, FLM_ERROR_RANGE, "there are more than %d labels",
                             FLM_STORE_MOST_LABELS);
    for (size_t i = 0; i < batch->label_count; i++)
        labels[i] = (struct flm_store_label){flm_bytes_of(batch->labels[i].key),
                                             flm_bytes_of(batch->labels[i].value)};
    return flm_series_write(flm_batch_tenant(batch), labels, batch->label_count, out, why);
}
