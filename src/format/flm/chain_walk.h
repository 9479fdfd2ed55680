/* chain_walk.h - the chains of a packed profile (profile/chains.h): what can be foreseen is not
 * written.
 *
 * Chains are a second tree, in which the first one shows. Who knows the tree, its samples and
 * the chains so far can tell most of the next ones:
 *
 *     which callers   a call has one callee. The chains of the parent that a node is called from
 *                     are those whose location called its function before
 *     how many        one, where one sample is left for the node
 *     which location  the one from which this function called the same child before, first of all
 *                     after the same caller; of a leaf, the last one
 *
 * Code that was inlined is at the address that it was called from: at the location where it was
 * when it was called from there before.
 *
 * Both sides walk the same way and keep the same memory, so that one function serves both: at
 * each step it foresees something, and passes on in which place of the list of guesses the
 * answer is, mostly 0. Locations have numbers in the order of their first use, so a new one is a
 * guess too. How sure a guess is depends on the situation: its number is passed on too, for a
 * coder that learns what to expect of each (bit_coder.h).
 *
 * Of gcc, 33,415 chains of 22,841 nodes take 8.6 KB so, where their columns took 30 under zstd
 * (bench/RESULTS.md).
 *
 * Every constant and rule of chain_walk.c is part of the format: a change needs another version
 * of the packed profile. */
#ifndef FLAMEL_FORMAT_FLM_CHAIN_WALK_H
#define FLAMEL_FORMAT_FLM_CHAIN_WALK_H

#include "profile/columns.h"

/* The kinds of symbols, each of which is written to a place of its own. */
enum flm_chain_symbol {
    FLM_CHAIN_IS_CALLER,    /* 1 where a chain of the parent is not the caller it seemed to be */
    FLM_CHAIN_CALLER_GAP,   /* where the parent has very many: how far to the next one, from 1 */
    FLM_CHAIN_COUNT_SINGLE, /* chains of a node under one caller, less one: one sample is left */
    FLM_CHAIN_COUNT_INNER,  /* of other nodes with children */
    FLM_CHAIN_COUNT_LEAF,
    FLM_CHAIN_PLACE_INNER, /* which guess at its location is right */
    FLM_CHAIN_PLACE_LEAF,
    FLM_CHAIN_PLACE_AGO, /* where none is: how many locations ago that one was used first */
    FLM_CHAIN_UNUSED,    /* frames of locations without a chain, from 1; 0 at their end */
    FLM_CHAIN_SYMBOLS
};

/* How many situations there are: of IS_CALLER; of COUNT_INNER and COUNT_LEAF; of PLACE_INNER and
 * PLACE_LEAF. The other kinds have one. */
enum {
    FLM_CHAIN_CALLER_SITUATIONS = 128,
    FLM_CHAIN_COUNT_SITUATIONS = 8,
    FLM_CHAIN_PLACE_SITUATIONS = 48
};

struct flm_chain_walk {
    const struct flm_profile *profile;
    bool writing;
    bool without_inlined; /* of version 5: inlined code is guessed as other code is */

    /* Writing takes a symbol; reading ignores it and returns the one that was written. */
    uint32_t (*code)(void *context, enum flm_chain_symbol kind, uint32_t situation,
                     uint32_t symbol);
    void *context;

    /* Locations by first use: the frame of each, and when writing its number in the profile. */
    uint32_t *location_frame, *location_number;
    uint32_t
        *location_caller;    /* the location that called it then, an earlier one; FLM_NONE: none */
    uint32_t location_count; /* so far */

    /* When writing: by frame, the number of its first location; by number, the first use. */
    uint32_t *location_start, *first_use;

    /* By chain: its location by first use, FLM_NONE: unknown. */
    uint32_t *chain_location;
};

/* Room for the walk; false when memory ran out. Cleared in any case. */
bool flm_chain_walk_init(struct flm_chain_walk *walk, const struct flm_profile *profile,
                         bool writing);
void flm_chain_walk_clear(struct flm_chain_walk *walk);

enum flm_chain_walk_result { FLM_CHAIN_WALKED, FLM_CHAIN_DAMAGED, FLM_CHAIN_NO_MEMORY };

/* From the root to the last chain, then locations without a chain. Reading fills node_chains,
 * chain_caller and the arrays above, and trusts no symbol: the work is bounded by a multiple of the
 * chains and nodes. */
enum flm_chain_walk_result flm_chain_walk(struct flm_chain_walk *walk);

#endif
