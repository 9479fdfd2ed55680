/* internal.h - the columns of a layout, drawn in layout.h, and the jump to the next slot that is
 * wide enough. Private to src/layout. */
#ifndef FLAMEL_LAYOUT_INTERNAL_H
#define FLAMEL_LAYOUT_INTERNAL_H

#include "layout/layout.h"

/* An entry of the pyramid is the widest of a block of 64. Six tiers are enough for 2^32 slots. */
#define FLM_BLOCK_BITS 6
#define FLM_BLOCK (1u << FLM_BLOCK_BITS)
#define FLM_TIERS 6

/* An array of structs: a picture reads all members of slots that are far from each other. As four
 * columns it took half as long again. */
struct flm_slot {
    double offset, total;
    uint32_t node;        /* of the tree */
    uint32_t first_child; /* the children end at that of the next slot */
};

struct flm_slots {
    uint32_t count;
    struct flm_slot *at;       /* with one more, whose first child is `count` */
    double *widest[FLM_TIERS]; /* widest[1][b] is the largest total of block b, widest[k + 1][b]
                                    the maximum of block b of widest[k]; [0] is not used */
    uint32_t tier_count;       /* the highest has at most one block */
};

struct flm_layout {
    struct flm_tree tree;
    uint32_t *slot_of;     /* one per node; FLM_NONE: it has no width */
    uint32_t *level_start; /* the slots of level l are [level_start[l], level_start[l + 1]) */
    uint32_t level_count;
    struct flm_slots slots;
    uint32_t *gaps_before;     /* by slot, and one more: how many slots before it are gaps; NULL if
                              there are none */
    double *gap_widths_before; /* likewise: the sum of their widths */
};

/* The number of gaps among the slots in [from, to). */
static inline uint32_t flm_layout_gap_count(const struct flm_layout *layout, uint32_t from,
                                            uint32_t to)
{
    return layout->gaps_before ? layout->gaps_before[to] - layout->gaps_before[from] : 0;
}

/* The sum of their widths. */
static inline double flm_layout_gap_width(const struct flm_layout *layout, uint32_t from,
                                          uint32_t to)
{
    return layout->gaps_before ? layout->gap_widths_before[to] - layout->gap_widths_before[from]
                               : 0;
}

/* Makes room for `count` slots; the caller fills in node, first child and total, flm_slots_place
 * the rest. */
bool flm_slots_init(struct flm_slots *slots, uint32_t count, struct flm_error *why);
void flm_slots_clear(struct flm_slots *slots);

/* Sets the offsets and builds the pyramid. */
void flm_slots_place(struct flm_slots *slots);

/* The first slot in [from, to) whose total is at least `width`; `to` when there is none. Adds the
 * number of entries that it read to `visited`: at most 128 per tier. */
uint32_t flm_slots_next(const struct flm_slots *slots, uint32_t from, uint32_t to, double width,
                        uint64_t *visited);

/* The parent of `slot`, which is not 0. */
uint32_t flm_slots_parent(const struct flm_slots *slots, uint32_t slot);

/* Puts siblings into another order, in a layout that has its totals but no offsets yet. */
bool flm_layout_arrange(struct flm_layout *layout, enum flm_sibling_order order,
                        struct flm_error *why);

/* The level of a slot. */
uint32_t flm_layout_slot_level(const struct flm_layout *layout, uint32_t slot);

#endif
