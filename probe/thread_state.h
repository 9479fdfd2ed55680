/* thread_state.h - what the kernel says of threads: times, waiting for a processor, switches,
 * faults. */
#ifndef FLAMEL_PROBE_THREAD_STATE_H
#define FLAMEL_PROBE_THREAD_STATE_H

#include "internal.h"

FLM_HIDDEN void flm_threads_start(void);

/* Of this thread. */
FLM_HIDDEN struct flm_probe_kernel flm_thread_state_now(void);

/* It ends: added to what those before it in the same block had. The caller holds the lock until its
 * state says so: who writes what all threads have done adds what has ended to what runs. */
FLM_HIDDEN void flm_thread_state_end(struct flm_probe_thread *thread,
                                     const struct flm_probe_kernel *now);

/* Of all that run, those without scopes too: before the file is read. */
FLM_HIDDEN void flm_threads_write(void);

#endif
