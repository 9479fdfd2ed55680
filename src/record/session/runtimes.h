/* runtimes.h - the names of code in memory without a file, found where runtimes leave them.
 *
 *     jitdump    the file that the process had mapped
 *     perf map   perf-PID.map, in the folders that were named, below the root of a process that
 *                still lives, in /tmp */
#ifndef FLAMEL_RECORD_SESSION_RUNTIMES_H
#define FLAMEL_RECORD_SESSION_RUNTIMES_H

#include "record/runtime/jit_sources.h"
#include "record/session/internal.h"

struct flm_runtime {
    struct flm_jit_code *code;
    struct flm_owned_string path; /* where it stands */
};

/* All that is known of one process; the jitdumps in front. */
struct flm_runtimes {
    struct flm_runtime *items;
    size_t count, capacity;
};

/* False only when memory ran out; there may be none. Lines that cannot be read are lost by the
 * session. */
bool flm_runtimes_find(struct flm_runtimes *runtimes, struct flm_session *session, int32_t process);
void flm_runtimes_clear(struct flm_runtimes *runtimes);

#endif
