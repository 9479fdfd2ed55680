/* stack.h - puts functions of CPython into the stacks of samples, while they are recorded.
 *
 *     native      main  Py_RunMain  _PyEval_EvalFrameDefault       ...  _PyEval_EvalFrameDefault
 *     python                        <module>  run  parse                callback
 *     together    main  Py_RunMain  <module>  run  parse           ...  callback
 *
 * The interpreter's frames can only be read as they are now, a moment after the sample. To be
 * certain, a sample keeps its native frames, and is counted, unless
 *
 *     it is recent         the recorder wakes up for each sample of such a process: usually within
 *                          0.1 ms. The sample of a thread that is blocked may be a second old
 *     it was not torn      python.h
 *     the numbers agree    as many entries into the interpreter as native frames of its loop
 *     it did not move on   the stack dump, or a register, has an address in the instructions of the
 *                          innermost function: the loop's own, at the time of the sample. Or the
 *                          thread has not run since: its stack is that of the dump, byte for byte
 *
 * A function has no address; it gets a number instead (FLM_EVENT_CODE), defined once. This is the
 * entry "CPython" in the table of runtimes (runtime.h). */
#ifndef FLAMEL_RECORD_PYTHON_STACK_H
#define FLAMEL_RECORD_PYTHON_STACK_H

#include "base/text/text.h"
#include "record/process/process_map.h"
#include "record/runtime/runtime.h"

struct flm_pythons;

struct flm_pythons *flm_pythons_new(const struct flm_runtime_options *options,
                                    struct flm_error *why);

/* As flm_runtime.close and .mix: of a `struct flm_pythons`. */
void flm_pythons_free(void *pythons);
bool flm_pythons_mix(void *pythons, struct flm_runtime_sample *sample, int64_t now_ns,
                     flm_event_sink define, void *context, struct flm_error *why);

struct flm_python_counts {
    uint64_t samples; /* in the evaluation loop */
    uint64_t mixed;   /* got their Python frames; the others, by reason: */
    uint64_t stale, torn, without, disagreeing, moved_on, unreadable;
    uint64_t denied; /* of the unreadable */
    uint64_t calls;  /* system calls */
    int64_t read_ns; /* spent on reading */
};
struct flm_python_counts flm_pythons_counts(const struct flm_pythons *pythons);

/* An interpreter that is not supported, for users: one line. Empty: none. */
struct flm_bytes flm_pythons_refused(const struct flm_pythons *pythons);

#endif
