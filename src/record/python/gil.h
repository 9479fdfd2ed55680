/* gil.h - the global interpreter lock: which thread may run Python code.
 *
 * The lock is a structure with the state of the thread that has it, or had it last, whether it is
 * taken, and the condition that the others wait for. So whoever waits in the kernel for a word of
 * that structure waits for the lock, whatever its stack looks like, and also where the interpreter
 * has no symbols. */
#ifndef FLAMEL_RECORD_PYTHON_GIL_H
#define FLAMEL_RECORD_PYTHON_GIL_H

#include "record/perf/event.h"
#include "record/python/python.h"

enum flm_python_gil {
    FLM_PYTHON_GIL_UNKNOWN, /* cannot be read; the interpreter does without; no thread of Python */
    FLM_PYTHON_GIL_HELD,    /* by this thread */
    FLM_PYTHON_GIL_RELEASED /* it has let go of it: others may run */
};

/* Of a thread whose frames were read before. */
enum flm_python_gil flm_python_gil_of(struct flm_python *python, int32_t thread);

/* Whether a thread that is in the kernel, as its registers show, waits for the lock. */
bool flm_python_waits_for_gil(struct flm_python *python, int32_t thread,
                              const struct flm_event_sample *sample);

#endif
