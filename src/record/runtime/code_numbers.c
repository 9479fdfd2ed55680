#include "record/runtime/code_numbers.h"

#include <string.h>

#include "base/core/hash.h"

void flm_code_numbers_clear(struct flm_code_numbers *numbers)
{
    FLM_ARRAY_CLEAR(&numbers->keys);
    flm_index_clear(&numbers->index);
}

uint64_t flm_code_number(struct flm_code_numbers *numbers, struct flm_code_key key, int32_t process,
                         const struct flm_event_code *as, const struct flm_code_sink *sink)
{
    uint32_t hash = (uint32_t)flm_hash(&key, sizeof key);
    for (struct flm_probe at = flm_index_probe(&numbers->index, hash);
         flm_index_next(&numbers->index, &at);)
        if (memcmp(&numbers->keys.at[at.found], &key, sizeof key) == 0)
            return numbers->first + at.found;
    if (!FLM_ARRAY_RESERVE(&numbers->keys, 1) ||
        !flm_index_add(&numbers->index, hash, (uint32_t)numbers->keys.count)) {
        flm_error_memory(sink->why);
        return 0;
    }
    struct flm_event event = {.kind = FLM_EVENT_CODE,
                              .process = process,
                              .thread = -1,
                              .time_ns = FLM_NO_TIME,
                              .cpu = UINT32_MAX,
                              .code = *as};
    event.code.address = numbers->first + numbers->keys.count;
    numbers->keys.at[numbers->keys.count++] = key;
    return sink->define(sink->context, &event, sink->why) ? event.code.address : 0;
}
