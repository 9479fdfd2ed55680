/* top_window.h - the last seconds of a recording, as one profile.
 *
 *     older | i  i  i  i  i  i  i  i  i  i        pieces of an interval each, oldest first
 *           | window: the last `most` of them     their sum is what is shown
 *
 * What leaves the window is added to `older`, a window's worth at a time, so that a piece is merged
 * with the sum of all before it once in `most` intervals, and memory is that of 2 x `most` pieces
 * and of the stacks that there are, however long it runs. */
#ifndef FLAMEL_CLI_TOP_WINDOW_H
#define FLAMEL_CLI_TOP_WINDOW_H

#include "flamel/profile.h"

/* What is known of a piece, and of a sum of them. */
struct flm_top_facts {
    double duration_s, own_cpu_s;
    uint64_t samples, lost;
};

struct flm_top_piece {
    struct flm_profile *profile;
    struct flm_top_facts facts;
};

struct flm_top_window {
    size_t most; /* pieces in the window; at least 1 */
    struct flm_top_piece *pieces;
    size_t count, capacity;
    struct flm_top_piece older; /* its profile may be NULL: none yet */
};

/* {.most = n} is empty. */
void flm_top_window_clear(struct flm_top_window *window);

/* A newer piece; keeps the profile, and frees it when it fails. */
bool flm_top_window_take(struct flm_top_window *window, struct flm_profile *profile,
                         const struct flm_top_facts *facts, struct flm_error *why);

/* The sum of the window, or of everything since the start; there must be a piece. The caller owns
 * it. NULL, and `why`, when it fails. */
struct flm_profile *flm_top_window_sum(const struct flm_top_window *window, bool all,
                                       struct flm_top_facts *facts, struct flm_error *why);

#endif
