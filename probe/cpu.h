/* cpu.h - the CPU time of scopes, by samples. See cpu.c. */
#ifndef FLAMEL_PROBE_CPU_H
#define FLAMEL_PROBE_CPU_H

#include "internal.h"

/* FLM_PROBE_CPU_TIME. In a child the lock is held. */
FLM_HIDDEN void flm_cpu_start(void);

/* This thread is sampled from now on; until now, and no more: what no sample saw goes to the
 * root. */
FLM_HIDDEN void flm_cpu_begin(struct flm_local *local);
FLM_HIDDEN void flm_cpu_end(struct flm_local *local);

/* Of this thread, up to now: before the file is read. */
FLM_HIDDEN void flm_cpu_write(void);

/* How many samples this thread had. One that comes while the system writes to a pipe ends that
 * early, as any signal does: what has changed this was cut short by us, and goes on. */
FLM_OF_THREAD unsigned flm_cpu_samples;

/* The parent's events are not the child's. */
FLM_HIDDEN void flm_cpu_in_child(void);

#endif
