/* internal.h - the layout from inside: its columns, and the jump to the next slot that is wide
 * enough. Private to src/layout; layout.h draws what the columns hold. */
#ifndef FLAMEL_LAYOUT_INTERNAL_H
#define FLAMEL_LAYOUT_INTERNAL_H

#include "layout/layout.h"

/* An entry of the pyramid is the widest of a block of 64. Six storeys do for 2^32 slots. */
#define FLM_BLOCK_BITS 6
#define FLM_BLOCK (1u << FLM_BLOCK_BITS)
#define FLM_STOREYS 6

/* What is known of a slot stands together: a picture takes slots from everywhere, and all that it
 * wants of each of them. As four columns it took half as long again. */
struct flm_slot {
    double offset, total;
    uint32_t node;        /* of the tree */
    uint32_t first_child; /* up to that of the next slot */
};

struct flm_slots {
    uint32_t count;
    struct flm_slot *at;         /* and one more, whose first child is `count` */
    double *widest[FLM_STOREYS]; /* widest[1][b] is the largest total of block b, widest[k + 1][b]
                                    the maximum of block b of widest[k]; [0] is not used */
    uint32_t storey_count;       /* the highest has at most one block */
};

struct flm_layout {
    struct flm_tree tree;
    uint32_t *slot_of;     /* one per node; FLM_NONE: it has no width */
    uint32_t *level_start; /* the slots of level l are [level_start[l], level_start[l + 1]) */
    uint32_t level_count;
    struct flm_slots slots;
    uint32_t *gaps_before; /* by slot, and one more: how many slots before it are gaps; NULL where
                              there are none at all */
    double *gap_widths_before; /* likewise: how wide those are together */
};

/* Of the slots in [from, to). */
static inline uint32_t flm_layout_gap_count(const struct flm_layout *layout, uint32_t from,
                                            uint32_t to)
{
    return layout->gaps_before ? layout->gaps_before[to] - layout->gaps_before[from] : 0;
}

/* How wide they are together. */
static inline double flm_layout_gap_width(const struct flm_layout *layout, uint32_t from,
                                          uint32_t to)
{
    return layout->gaps_before ? layout->gap_widths_before[to] - layout->gap_widths_before[from]
                               : 0;
}

/* Room for `count` slots, to be filled: node, first child, total, then the rest by
 * flm_slots_place. */
bool flm_slots_init(struct flm_slots *slots, uint32_t count, struct flm_error *why);
void flm_slots_clear(struct flm_slots *slots);

/* Sets the offsets and builds the pyramid. */
void flm_slots_place(struct flm_slots *slots);

/* The first slot in [from, to) whose total is at least `width`; `to` when there is none. Adds the
 * number of entries that it looked at to `visited`: at most 128 a storey. */
uint32_t flm_slots_next(const struct flm_slots *slots, uint32_t from, uint32_t to, double width,
                        uint64_t *visited);

/* The slot whose child `slot` is; not for slot 0. */
uint32_t flm_slots_parent(const struct flm_slots *slots, uint32_t slot);

/* Puts the siblings of a layout whose totals are known, but not its offsets, into another order. */
bool flm_layout_arrange(struct flm_layout *layout, enum flm_sibling_order order,
                        struct flm_error *why);

/* The level on which a slot stands. */
uint32_t flm_layout_slot_level(const struct flm_layout *layout, uint32_t slot);

#endif
