/* python.h - the functions that a CPython process is in, read from outside.
 *
 * The interpreter keeps its frames in lists on its own heap: from _PyRuntime to the thread's state,
 * to its current frame, to those before it, each with a code object that has name, file and a line
 * table. Where the fields lie differs from version to version: struct_layout.h.
 *
 *     find.h    where the interpreter is in a process
 *     process_memory.h  its memory, by few system calls
 *     code.h    code objects: names, files, lines
 *     stack.h   frames put between the native ones of a sample
 *
 * Reading takes some microseconds while the process goes on, so what is read may be torn. It is
 * only believed when the thread's frame is the same before and after, and every pointer led to what
 * it should be. Everything that is read is hostile: lengths and depths are bounded, and no pointer
 * is followed but by asking the kernel for what is there. */
#ifndef FLAMEL_RECORD_PYTHON_PYTHON_H
#define FLAMEL_RECORD_PYTHON_PYTHON_H

#include "record/session/process_map.h"

struct flm_python;

/* The interpreter in a process: found in the mappings of its program or library, by symbol. NULL
 * when there is none; NULL and `why` when there is one that cannot be read, of which version. */
struct flm_python *flm_python_open(const struct flm_process *process, struct flm_error *why);
void flm_python_close(struct flm_python *python);

/* 3.11: 11 */
int flm_python_minor(const struct flm_python *python);

/* Whether an address is in the evaluation loop: a native frame that stands for Python's. */
bool flm_python_is_loop(const struct flm_python *python, uint64_t address);

struct flm_python_frame {
    struct flm_bytes function; /* qualified where the version knows it: 3.11 and up */
    struct flm_bytes file;
    uint32_t line; /* 0: not known */
    uint32_t first_line;
    uint64_t code; /* a number that no other function of the process has */
    uint64_t instructions, instructions_size; /* where they are, and how many bytes */
    bool is_entry; /* the loop was entered anew for it: it has a native frame */
};

enum flm_python_result {
    FLM_PYTHON_FRAMES,
    FLM_PYTHON_NO_FRAMES, /* the thread runs no Python, or is not one of the interpreter's */
    FLM_PYTHON_TORN,      /* it changed while it was read */
    FLM_PYTHON_GONE       /* the process cannot be read any more */
};

/* The native stack as it was at a moment before now, from an address up; {0}: not known. 3.11 and
 * 3.12 keep the thread's current frame there, so it is the one of that moment. */
struct flm_python_stack_dump {
    struct flm_bytes stack;
    uint64_t address;
};

/* The frames of a thread, innermost first, at most FLM_PYTHON_DEEPEST; texts are good until the
 * next call. */
enum { FLM_PYTHON_DEEPEST = 1024 };
enum flm_python_result flm_python_read(struct flm_python *python, int32_t thread, int64_t now_ns,
                                       struct flm_python_stack_dump dump,
                                       const struct flm_python_frame **frames, size_t *count);

/* System calls that reading has cost. */
uint64_t flm_python_calls(const struct flm_python *python);

#endif
