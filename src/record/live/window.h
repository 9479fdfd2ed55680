/* window.h - the last seconds of a recording, as one profile.
 *
 *     older | p  p  p  p  p  p  p  p  p  p        chunks, oldest first
 *           | window: `most` intervals            their sum is what is shown
 *
 * A chunk is an interval, or several where the window has many: then it moves on by whole chunks,
 * and shows up to one more than it should. What leaves the window is added to `older`, some chunks
 * at a time, because each time all of `older` is gone through. Each of them is bounded
 * (bound.h), so memory is that of FLM_LIVE_CHUNKS chunks and of one that is older, however long
 * it runs, and however long the window is. */
#ifndef FLAMEL_RECORD_LIVE_WINDOW_H
#define FLAMEL_RECORD_LIVE_WINDOW_H

#include "flamel/live.h"

enum {
    FLM_LIVE_WHOLE = 16,  /* windows of so many intervals have a chunk for each */
    FLM_LIVE_LEAVING = 4, /* chunks that leave the window together */
    FLM_LIVE_CHUNKS = FLM_LIVE_WHOLE + 1 + FLM_LIVE_LEAVING,
    FLM_LIVE_CHUNK_STACKS = 125000,
    FLM_LIVE_OLDER_STACKS = 500000
};

struct flm_live_chunk {
    struct flm_profile *profile;
    struct flm_live_info info;
    size_t intervals;
};

struct flm_live_window {
    size_t most; /* intervals in the window; at least 1 */
    struct flm_live_chunk chunks[FLM_LIVE_CHUNKS];
    size_t count;
    struct flm_live_chunk older; /* its profile may be NULL: none yet */
};

/* {.most = n} is empty. */
void flm_live_window_clear(struct flm_live_window *window);

/* A newer interval; keeps the profile, and frees it when it fails. */
bool flm_live_window_take(struct flm_live_window *window, struct flm_profile *profile,
                          const struct flm_live_info *info, struct flm_error *why);

/* The sum of the window, or of everything since the start; there must be a chunk. The caller owns
 * it. NULL, and `why`, when it fails. */
struct flm_profile *flm_live_window_sum(const struct flm_live_window *window, bool all,
                                        struct flm_live_info *info, struct flm_error *why);

/* How many processors were busy: by the time that samples stand for, or at `hz` samples a second
 * each (0: not known); negative where it cannot be known. */
double flm_live_processors_busy(const struct flm_profile *sum, const struct flm_live_info *info,
                                double hz);

#endif
