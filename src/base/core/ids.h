/* ids.h - numbers for ids (of processes, threads), in the order in which they come: the owner
 * has an array with what belongs to each.
 *
 *     uint32_t number = FLM_ARRAY_RESERVE(&items, 1) ? flm_ids_number(&ids, id) : FLM_IDS_NONE;
 *     if (number == items.count)
 *         items.at[items.count++] = (struct item){.id = id}; */
#ifndef FLAMEL_BASE_CORE_IDS_H
#define FLAMEL_BASE_CORE_IDS_H

#include "base/core/array.h"
#include "base/core/index.h"

#define FLM_IDS_NONE UINT32_MAX

struct flm_ids {
    struct FLM_ARRAY(uint64_t) ids; /* the nth has number n */
    struct flm_index index;
};

void flm_ids_clear(struct flm_ids *ids); /* {0} is empty */

/* The number of an id; FLM_IDS_NONE: it has none. */
uint32_t flm_ids_find(const struct flm_ids *ids, uint64_t id);

/* The same, and an id without a number gets the next one. FLM_IDS_NONE: memory ran out. */
uint32_t flm_ids_number(struct flm_ids *ids, uint64_t id);

#endif
