/* priority.h - the recorder's turn on a busy machine.
 *
 * Frames of runtimes can only be read as they are now: in eight runs next to some fifteen busy
 * processes, 62 samples of CPython were read too late, with a raised priority 5. And a recording of
 * the whole machine competes with all that it records: of 40,000 samples of two processors with
 * twelve busy processes 2,660 were lost while it waited for its turn, with a raised priority
 * none. */
#ifndef FLAMEL_RECORD_CAPTURE_PRIORITY_H
#define FLAMEL_RECORD_CAPTURE_PRIORITY_H

#include <stdbool.h>
#include <stddef.h>

enum { FLM_PRIORITY_AHEAD = -15 };

/* Whether the kernel allows it; the priority stays. */
bool flm_priority_may_rise(void);

/* Raises the priority of the calling thread, where that is allowed. Commands that were started
 * before do not inherit it. Returns the previous one, for flm_priority_restore. */
int flm_priority_raise(void);
void flm_priority_restore(int priority);

/* Keeps the calling thread on one CPU, where it comes before others as soon as it is woken up: as a
 * thread of real time, where that is allowed (CAP_SYS_NICE), else with the priority that it can
 * have, and turns that are as short as possible. Linux 6.12 and later let such a thread come first,
 * without any right. What it does must be short. */
void flm_priority_take_cpu(int cpu);

/* Gives this thread normal scheduling while it does what takes long, until it steps forward again.
 * False: it does not run in real time. */
bool flm_priority_step_back(void);
void flm_priority_step_forward(void);

/* How many times as long as on an idle machine a thread without priority waits for its turn: 1, 2
 * or 4, by the load of each processor. */
size_t flm_load_factor(void);
size_t flm_load_factor_of(double load, long processors);

#endif
