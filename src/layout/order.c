/* order.c - siblings in another order than by name.
 *
 * The layout is built in the profile's order first, because that needs no sorting and gives the
 * totals. Then its levels are rebuilt from the top: the children of each slot are sorted by a key
 * and move, with all their columns, to where their parent has moved. */
#include "layout/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/sort.h"
#include "flamel/builder.h"

/* The smallest key comes first; equal ones keep the profile's order. */
static int by_key(const void *keys, uint32_t a, uint32_t b)
{
    const uint64_t *key = keys;
    return (key[a] > key[b]) - (key[a] < key[b]);
}

/* Doubles that are not negative have the same order as their bits. */
static void key_by_total(const struct flm_slots *slots, uint64_t *key)
{
    for (uint32_t s = 0; s < slots->count; s++) {
        uint64_t bits;
        memcpy(&bits, &slots->at[s].total, sizeof bits);
        key[s] = ~bits;
    }
}

/* Times are in the order of signed numbers, except that FLM_NO_TIME, the least, comes last. */
static void key_by_time(const struct flm_layout *layout, uint64_t *key)
{
    const struct flm_slots *slots = &layout->slots;
    const int64_t *seen = layout->tree.seen;
    for (uint32_t s = 0; s < slots->count; s++)
        key[s] = seen ? (uint64_t)seen[slots->at[s].node] - (uint64_t)FLM_NO_TIME - 1 : 0;
}

static void move(struct flm_layout *layout, struct flm_slots *to, const uint64_t *key,
                 uint32_t *from, uint32_t *scratch)
{
    const struct flm_slots *old = &layout->slots;
    uint32_t next = 1;
    from[0] = 0; /* the new slot s is the old slot from[s] */
    for (uint32_t s = 0; s < old->count; s++) {
        uint32_t child = old->at[from[s]].first_child;
        uint32_t count = old->at[from[s] + 1].first_child - child;
        to->at[s].node = old->at[from[s]].node;
        to->at[s].total = old->at[from[s]].total;
        to->at[s].first_child = next;
        layout->slot_of[to->at[s].node] = s;
        for (uint32_t k = 0; k < count; k++)
            from[next + k] = child + k;
        if (count > 1)
            flm_sort(from + next, count, scratch, by_key, key);
        next += count;
    }
}

bool flm_layout_arrange(struct flm_layout *layout, enum flm_sibling_order order,
                        struct flm_error *why)
{
    struct flm_slots to;
    uint32_t count = layout->slots.count;
    uint64_t *key = malloc(count * sizeof *key);
    uint32_t *from = malloc(2 * count * sizeof *from); /* with as much for the sort */
    if (!key || !from || !flm_slots_init(&to, count, NULL)) {
        free(key);
        free(from);
        return flm_error_memory(why);
    }
    if (order == FLM_ORDER_TOTAL)
        key_by_total(&layout->slots, key);
    else
        key_by_time(layout, key);
    move(layout, &to, key, from, from + count);
    free(key);
    free(from);
    flm_slots_clear(&layout->slots);
    layout->slots = to;
    return true;
}
