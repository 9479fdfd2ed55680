/* slots.h - the layout from inside: its columns, and the jump to the next slot that is wide enough.
 * Private to src/layout; layout.h draws what the columns hold. */
#ifndef FLAMEL_LAYOUT_SLOTS_H
#define FLAMEL_LAYOUT_SLOTS_H

#include "layout/layout.h"

/* An entry of the pyramid is the widest of a block of 64. Six storeys do for 2^32 slots. */
#define FLM_BLOCK_BITS 6
#define FLM_BLOCK (1u << FLM_BLOCK_BITS)
#define FLM_STOREYS 6

struct flm_slots {
    uint32_t count;
    uint32_t *node; /* of the profile */
    uint32_t
        *first_child; /* count + 1: the children of s are [first_child[s], first_child[s + 1]) */
    double *total;
    double *offset;
    double *widest[FLM_STOREYS]; /* widest[0] is `total`; widest[k + 1][b] is the maximum of block b
                                    of widest[k] */
    uint32_t storey_count;       /* the highest has at most one block */
    void *memory;                /* all the columns */
};

struct flm_layout {
    const struct flm_profile *profile;
    const double *widths;  /* one per node */
    uint32_t *slot_of;     /* one per node; FLM_NONE: it has no width */
    uint32_t *level_start; /* the slots of level l are [level_start[l], level_start[l + 1]) */
    uint32_t level_count;
    struct flm_slots slots;
};

/* Columns for `count` slots, to be filled: node, first_child[0 .. count), total, then the rest by
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
bool flm_layout_arrange(struct flm_layout *layout, const struct flm_layout_options *options,
                        struct flm_error *why);

/* The level on which a slot stands. */
uint32_t flm_layout_slot_level(const struct flm_layout *layout, uint32_t slot);

#endif
