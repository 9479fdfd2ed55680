#include "record/session/stacks.h"

#include <stdlib.h>

#include "base/core/bytes.h"
#include "base/core/hash.h"

bool flm_stacks_init(struct flm_stacks *s, struct flm_error *why)
{
    *s = (struct flm_stacks){0};
    return FLM_ARRAY_ADD(&s->nodes, (struct flm_stack_node){0, UINT32_MAX}) ||
           flm_error_memory(why);
}

void flm_stacks_clear(struct flm_stacks *s)
{
    flm_index_clear(&s->index);
    free(s->nodes.at);
    *s = (struct flm_stacks){0};
}

uint32_t flm_stacks_child(struct flm_stacks *s, uint32_t caller, uint32_t location)
{
    uint32_t hash = flm_hash_numbers((uint64_t)caller << 32 | location, 0);
    for (struct flm_probe at = flm_index_probe(&s->index, hash); flm_index_next(&s->index, &at);)
        if (s->nodes.at[at.found].caller == caller && s->nodes.at[at.found].location == location)
            return at.found;
    if (s->nodes.count >= UINT32_MAX || !FLM_ARRAY_RESERVE(&s->nodes, 1))
        return UINT32_MAX;
    if (!flm_index_add(&s->index, hash, (uint32_t)s->nodes.count))
        return UINT32_MAX;
    s->nodes.at[s->nodes.count] = (struct flm_stack_node){caller, location};
    return (uint32_t)s->nodes.count++;
}
