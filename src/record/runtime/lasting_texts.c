#include "record/runtime/lasting_texts.h"

#include <stdlib.h>

#include "base/core/hash.h"

void flm_lasting_texts_clear(struct flm_lasting_texts *texts)
{
    for (size_t i = 0; i < texts->items.count; i++)
        free(texts->items.at[i].at);
    free(texts->items.at);
    flm_index_clear(&texts->index);
    *texts = (struct flm_lasting_texts){0};
}

struct flm_bytes flm_lasting_text(struct flm_lasting_texts *texts, struct flm_bytes text)
{
    uint32_t hash = (uint32_t)flm_hash(text.at, text.size);
    for (struct flm_probe at = flm_index_probe(&texts->index, hash);
         flm_index_next(&texts->index, &at);)
        if (flm_bytes_equal(flm_owned_string_bytes(&texts->items.at[at.found]), text))
            return flm_owned_string_bytes(&texts->items.at[at.found]);
    struct flm_owned_string copy;
    if (!FLM_ARRAY_RESERVE(&texts->items, 1) || !flm_owned_string_init(&copy, text))
        return (struct flm_bytes){"", 0};
    texts->items.at[texts->items.count++] = copy; /* owned, even if it is not found again */
    if (!flm_index_add(&texts->index, hash, (uint32_t)texts->items.count - 1))
        return (struct flm_bytes){"", 0};
    return flm_owned_string_bytes(&copy);
}
