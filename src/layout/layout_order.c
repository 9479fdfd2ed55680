/* layout_order.c - siblings by something else than their names.
 *
 * The layout is built in the profile's order first, because that needs no sorting and gives the
 * totals. Then its levels are made anew, from the top: the children of each slot, sorted by a key,
 * and with them all their columns, move to where their parent has moved. */
#include "layout/slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "flamel/builder.h"
#include "profile/columns.h"

/* The smallest key stands first; equal ones stay in the profile's order. */
static int by_key(const void *keys, uint32_t a, uint32_t b)
{
    const uint64_t *key = keys;
    return (key[a] > key[b]) - (key[a] < key[b]);
}

/* The bits of doubles that are not negative ascend as they do. */
static void key_by_total(const struct flm_slots *slots, uint64_t *key)
{
    for (uint32_t s = 0; s < slots->count; s++) {
        uint64_t bits;
        memcpy(&bits, &slots->total[s], sizeof bits);
        key[s] = ~bits;
    }
}

/* The rank of the earliest sample in the subtree that has a value in the metric; with widths of the
 * caller's own, of any sample. Samples of the same time have the same rank; those without a time,
 * which stand in front of all others, have none. */
static void key_by_time(const struct flm_layout *layout, const struct flm_layout_options *options,
                        uint64_t *key)
{
    const struct flm_profile *p = layout->profile;
    const struct flm_slots *slots = &layout->slots;
    const double *value = options->widths ? NULL : flm_sample_column(p, options->metric.index);
    memset(key, 0xFF, (size_t)slots->count * sizeof *key);
    for (uint32_t i = 0, rank = 0; i < p->sizes.sample_count; i++) {
        uint32_t slot = layout->slot_of[p->sample_node[i]];
        if (i > 0 && p->sample_time[i] != p->sample_time[i - 1])
            rank = i;
        if (p->sample_time[i] != FLM_NO_TIME && slot != FLM_NONE && rank < key[slot] &&
            (!value || value[i] != 0))
            key[slot] = rank;
    }
    for (uint32_t s = slots->count; s-- > 0;)
        for (uint32_t c = slots->first_child[s]; c < slots->first_child[s + 1]; c++)
            key[s] = key[c] < key[s] ? key[c] : key[s];
}

static void move(struct flm_layout *layout, struct flm_slots *to, const uint64_t *key,
                 uint32_t *from, uint32_t *scratch)
{
    const struct flm_slots *old = &layout->slots;
    uint32_t next = 1;
    from[0] = 0; /* slot s of the new ones is from[s] of the old */
    for (uint32_t s = 0; s < old->count; s++) {
        uint32_t child = old->first_child[from[s]];
        uint32_t count = old->first_child[from[s] + 1] - child;
        to->node[s] = old->node[from[s]];
        to->total[s] = old->total[from[s]];
        to->first_child[s] = next;
        layout->slot_of[to->node[s]] = s;
        for (uint32_t k = 0; k < count; k++)
            from[next + k] = child + k;
        if (count > 1)
            flm_sort(from + next, count, scratch, by_key, key);
        next += count;
    }
}

bool flm_layout_arrange(struct flm_layout *layout, const struct flm_layout_options *options,
                        struct flm_error *why)
{
    struct flm_slots to;
    uint32_t count = layout->slots.count;
    uint64_t *key = malloc(count * sizeof *key);
    uint32_t *from = malloc(2 * count * sizeof *from); /* and as much for the sort */
    if (!key || !from || !flm_slots_init(&to, count, NULL)) {
        free(key);
        free(from);
        return flm_error_memory(why);
    }
    if (options->order == FLM_ORDER_TOTAL)
        key_by_total(&layout->slots, key);
    else
        key_by_time(layout, options, key);
    move(layout, &to, key, from, from + count);
    free(key);
    free(from);
    flm_slots_clear(&layout->slots);
    layout->slots = to;
    return true;
}
