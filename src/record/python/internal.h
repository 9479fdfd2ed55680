/* internal.h - an interpreter of which python.c reads the frames, gil.c the holder of the lock, and
 * task.c the task of asyncio, thread_name.c the name of the thread. */
#ifndef FLAMEL_RECORD_PYTHON_INTERNAL_H
#define FLAMEL_RECORD_PYTHON_INTERNAL_H

#include "base/core/array.h"
#include "base/core/ids.h"
#include "record/python/code.h"
#include "record/python/python.h"

enum { FLM_PYTHON_PAGES = FLM_PROCESS_PAGES / 2 };

/* A thread of the process, and the address of its state in the interpreter. */
struct flm_python_thread {
    int32_t inner;         /* in its own PID namespace */
    uint64_t state;        /* 0: not found */
    uint64_t gil;          /* the lock of its interpreter; 0: not found yet */
    int64_t missed_ns;     /* when a search for it failed */
    uint64_t object;       /* its Thread of Python, which has the name; 0: not found yet */
    int64_t named_ns;      /* when the name was read */
    struct flm_bytes name; /* borrowed; empty: unknown */
    size_t page_count;     /* needed by its last read */
    uint64_t pages[FLM_PYTHON_PAGES];
};

struct flm_python {
    struct flm_python_symbols symbols;
    struct flm_python_layout layout;
    struct flm_process_memory memory;
    struct flm_python_codes codes;
    struct FLM_ARRAY(struct flm_python_thread) threads;
    struct flm_ids thread_ids;
    uint32_t offset_of_id; /* of the thread id in struct pthread; 0: unknown yet */
    struct flm_python_frame frames[FLM_PYTHON_DEEPEST];
    uint32_t codes_of[FLM_PYTHON_DEEPEST];
    uint64_t instructions[FLM_PYTHON_DEEPEST];
    int64_t offsets[FLM_PYTHON_DEEPEST];    /* of instructions in their code, in bytes */
    uint64_t addresses[FLM_PYTHON_DEEPEST]; /* of the frames */
    uint64_t gil; /* the lock of the newest interpreter; 0: not found yet */

    struct {
        uint64_t searched; /* by which version of the process's mappings; 0: not yet */
        uint32_t running_task, task_name; /* offsets in a thread, in a task; 0: not known */
    } asyncio;
};

/* What is known of a thread; NULL when memory ran out. */
struct flm_python_thread *flm_python_thread(struct flm_python *python, int32_t thread);

/* The object that the first variable has of a frame that was just read. False: it cannot be
 * read. */
bool flm_python_first_variable(struct flm_python *python, const struct flm_python_frame *frame,
                               uint64_t *object);

#endif
