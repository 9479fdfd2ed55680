/* gil.h - the global interpreter lock (GIL): which thread may run Python code.
 *
 * The lock is a structure: the thread that holds it or held it last, whether it is held, and the
 * condition variable on which other threads wait. So a thread that waits in the kernel on an
 * address in that structure waits for the lock. Neither its stack nor symbols are needed. */
#ifndef FLAMEL_RECORD_PYTHON_GIL_H
#define FLAMEL_RECORD_PYTHON_GIL_H

#include "record/perf/event.h"
#include "record/python/python.h"

enum flm_python_gil {
    FLM_PYTHON_GIL_UNKNOWN, /* it cannot be read, it is disabled, or this is no Python thread */
    FLM_PYTHON_GIL_HELD,    /* by this thread */
    FLM_PYTHON_GIL_RELEASED /* not by this thread */
};

/* Of a thread whose frames were read before. */
enum flm_python_gil flm_python_gil_of(struct flm_python *python, int32_t thread);

/* Whether a thread waits in the kernel for the lock, by the registers of its sample. */
bool flm_python_waits_for_gil(struct flm_python *python, int32_t thread,
                              const struct flm_event_sample *sample);

#endif
