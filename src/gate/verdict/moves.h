/* moves.h - costs that were moved, and whether that was free.
 *
 * A function is split, or a cache is filled elsewhere: one frame grows by as much as another one
 * shrinks, and the frame above both costs the same. That is not a regression, but the most common
 * false positive of tests of every frame (Meta's FBDetect, SOSP 2024, filters it). The attribution
 * finds the moved items and the frame above them (attribution.h). This module tests whether the
 * move as a whole costs something:
 *
 *     lex    +100      in each run the values of what moved are added up, and the sums of base and
 *     scan    -96      new compared: it is not free where they grew by as much as would fail, and
 *                      by 2 standard errors or more
 *
 * Below a large part of the program unrelated changes cancel by chance: a move is local, and only
 * then free, where the frames that grew and shrank add up to 5 % of the frame above at least. (Of
 * simulated programs in which a stack of 3 % gave some of its cost to another one and others grew
 * and shrank, it was 6 to 13 % for the former, and 1 to 4 % where others were taken for moves.)
 *
 * The sum is of these frames alone, so that it does not have the noise of all else below the frame
 * above. A single frame is tested, and it was not chosen by that sum, so t needs no correction. 2
 * is strict on purpose: a move that is not free fails. */
#ifndef FLAMEL_GATE_VERDICT_MOVES_H
#define FLAMEL_GATE_VERDICT_MOVES_H

#include "gate/verdict/attribution.h"

struct flm_move {
    uint32_t below; /* node: as the items have it */
    double change;  /* of all its items together */
    double t;       /* of that; infinite where the runs do not vary */
    bool is_local, is_free;
};

struct flm_moves {
    struct flm_move *move; /* in the order of nodes */
    uint32_t count;
};

struct flm_moves_options {
    double unit;  /* of a sample; 0: not known */
    double least; /* a change that would fail */
};

bool flm_moves_init(struct flm_moves *moves, const struct flm_runs *runs,
                    const struct flm_columns *columns, const struct flm_attribution *found,
                    const struct flm_moves_options *options, struct flm_error *why);
void flm_moves_clear(struct flm_moves *moves);

/* Whether the node is part of a free move. */
bool flm_moves_has_free(const struct flm_moves *moves, const struct flm_profile *tree,
                        uint32_t node);

#endif
