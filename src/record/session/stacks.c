#include "record/session/stacks.h"

#include <stdlib.h>

#include "base/core/bytes.h"
#include "base/core/hash.h"

bool flm_stacks_init(struct flm_stacks *s, struct flm_error *why)
{
    *s = (struct flm_stacks){0};
    void *nodes = NULL;
    if (!flm_grow(&nodes, &s->capacity, 1, sizeof *s->nodes))
        return flm_error_memory(why);
    s->nodes = nodes;
    s->nodes[0] = (struct flm_stack_node){0, UINT32_MAX};
    s->count = 1;
    return true;
}

void flm_stacks_clear(struct flm_stacks *s)
{
    flm_index_clear(&s->index);
    free(s->nodes);
    *s = (struct flm_stacks){0};
}

uint32_t flm_stacks_child(struct flm_stacks *s, uint32_t caller, uint32_t location)
{
    uint32_t hash = flm_hash_numbers((uint64_t)caller << 32 | location, 0);
    for (struct flm_probe at = flm_index_probe(&s->index, hash); flm_index_next(&s->index, &at);)
        if (s->nodes[at.found].caller == caller && s->nodes[at.found].location == location)
            return at.found;
    void *nodes = s->nodes;
    if (s->count >= UINT32_MAX || !flm_grow(&nodes, &s->capacity, s->count + 1, sizeof *s->nodes))
        return UINT32_MAX;
    s->nodes = nodes;
    if (!flm_index_add(&s->index, hash, (uint32_t)s->count))
        return UINT32_MAX;
    s->nodes[s->count] = (struct flm_stack_node){caller, location};
    return (uint32_t)s->count++;
}
