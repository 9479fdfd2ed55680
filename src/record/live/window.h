/* window.h - the last seconds of a recording, as one profile.
 *
 *     older | p  p  p  p  p  p  p  p  p  p        chunks, oldest first
 *           | window: `most` intervals            their sum is shown
 *
 * A chunk is one interval, or several if the window has many: then the window moves on by whole
 * chunks, and may show one too many. Chunks that leave the window are added to `older`, some at a
 * time, because each time all of `older` is read. All of them are bounded (bound.h), so the memory
 * is that of FLM_LIVE_CHUNKS chunks and of `older`, however long the recording and the window. */
#ifndef FLAMEL_RECORD_LIVE_WINDOW_H
#define FLAMEL_RECORD_LIVE_WINDOW_H

#include "flamel/live.h"

enum {
    FLM_LIVE_WHOLE = 16,  /* up to this many intervals have a chunk each */
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
    struct flm_live_chunk older; /* its profile is NULL at first */
};

/* {.most = n} is empty. */
void flm_live_window_clear(struct flm_live_window *window);

/* Adds an interval; takes the profile, also when it fails. */
bool flm_live_window_take(struct flm_live_window *window, struct flm_profile *profile,
                          const struct flm_live_info *info, struct flm_error *why);

/* The sum of the window, or of everything since the start; there must be a chunk. The caller owns
 * it. NULL, and `why`, when it fails. */
struct flm_profile *flm_live_window_sum(const struct flm_live_window *window, bool all,
                                        struct flm_live_info *info, struct flm_error *why);

/* How many CPUs were busy: by the CPU time of the samples, or by `hz` samples per second of each
 * CPU (0: unknown); negative if unknown. */
double flm_live_processors_busy(const struct flm_profile *sum, const struct flm_live_info *info,
                                double hz);

#endif
