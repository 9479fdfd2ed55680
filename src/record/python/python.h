/* python.h - the functions of a running CPython process, read from outside.
 *
 * The interpreter keeps its frames in lists on its own heap: from _PyRuntime to the state of the
 * thread, to its current frame, and on to its callers, each with a code object that has name, file
 * and a line table. The offsets of the fields differ between versions: struct_layout.h.
 *
 *     find.h            the symbols of the interpreter in a process
 *     code.h            code objects: names, files, lines
 *     stack.h           puts Python frames between the native ones of a sample
 *
 * Reading takes some microseconds while the process continues, so the result may be torn. It is
 * only used if the thread's frame is the same before and after, and every pointer led to an object
 * of the expected type. Nothing that is read is trusted: lengths and depths are bounded, and memory
 * is only read through the kernel. */
#ifndef FLAMEL_RECORD_PYTHON_PYTHON_H
#define FLAMEL_RECORD_PYTHON_PYTHON_H

#include "record/process/process_map.h"
#include "record/runtime/stack_dump.h"

struct flm_python;

/* The interpreter in a process, found by the symbols of its program or library. NULL when there is
 * none; NULL and `why`, with its version, when it is not supported. */
struct flm_python *flm_python_open(const struct flm_process *process, struct flm_error *why);
void flm_python_close(struct flm_python *python);

/* 3.11: 11 */
int flm_python_minor(const struct flm_python *python);

/* Whether an address is in the evaluation loop, whose native frames Python frames replace. */
bool flm_python_is_loop(const struct flm_python *python, uint64_t address);

/* The address of the evaluation loop; 0: unknown. */
uint64_t flm_python_loop(const struct flm_python *python);

/* Whether each instruction is a function, which the loop calls and which ends with a jump to the
 * next one (3.14 built with tail calls): each native frame of the loop has one as its callee. */
bool flm_python_has_instructions(const struct flm_python *python);

struct flm_python_frame {
    struct flm_bytes function; /* qualified from 3.11 on */
    struct flm_bytes file;
    uint32_t line; /* 0: unknown */
    uint32_t first_line;
    uint64_t code;                            /* unique among the functions of the process */
    uint64_t instructions, instructions_size; /* where they are, and how many bytes */
    bool is_entry; /* it entered the evaluation loop: it has a native frame */
};

enum flm_python_result {
    FLM_PYTHON_FRAMES,
    FLM_PYTHON_NO_FRAMES, /* the thread runs no Python code, or is unknown to the interpreter */
    FLM_PYTHON_TORN,      /* it changed while being read */
    FLM_PYTHON_GONE       /* the process cannot be read */
};

/* The frames of a thread, innermost first, at most FLM_PYTHON_DEEPEST; texts are valid until the
 * next call. 3.11 and 3.12 keep the current frame of the thread on the native stack: with a
 * dump, it is that of the sample. */
enum { FLM_PYTHON_DEEPEST = 1024 };
enum flm_python_result flm_python_read(struct flm_python *python, int32_t thread, int64_t now_ns,
                                       struct flm_stack_dump dump,
                                       const struct flm_python_frame **frames, size_t *count);

/* Whether a thread has not run since its sample: its stack has the bytes that it had. */
bool flm_python_stands_still(struct flm_python *python, struct flm_stack_dump dump);

/* Whether the last read failed because we may not read the process. */
bool flm_python_is_denied(const struct flm_python *python);

/* The number of system calls so far. */
uint64_t flm_python_calls(const struct flm_python *python);

#endif
