/* script_threads.h - what a reader of an interpreter (script_stack.h) remembers of the threads of a
 * process: the pages that their last read needed, which the next one begins with. */
#ifndef FLAMEL_RECORD_SCRIPT_SCRIPT_THREADS_H
#define FLAMEL_RECORD_SCRIPT_SCRIPT_THREADS_H

#include "base/core/array.h"
#include "base/core/ids.h"
#include "record/runtime/process_memory.h"
#include "record/script/script_stack.h"

enum { FLM_SCRIPT_DEEPEST = 2048, FLM_SCRIPT_PAGES = FLM_PROCESS_PAGES / 2 };

struct flm_script_thread {
    uint64_t context; /* for the reader: where the interpreter has its state; 0: unknown */
    size_t page_count;
    uint64_t pages[FLM_SCRIPT_PAGES];
};

struct flm_script_threads {
    struct FLM_ARRAY(struct flm_script_thread) items;
    struct flm_ids ids;
};

void flm_script_threads_clear(struct flm_script_threads *threads);

/* Reads the frames of a thread once, and once more if they changed meanwhile. `read` puts them
 * where the reader has them, at most FLM_SCRIPT_DEEPEST, and counts them. Without frames *count is
 * 0. Sets place->is_whole. */
typedef enum flm_script_result (*flm_script_read)(void *opened,
                                                  const struct flm_script_place *place,
                                                  struct flm_script_thread *thread, size_t *count);
enum flm_script_result flm_script_threads_read(struct flm_script_threads *threads,
                                               struct flm_process_memory *memory,
                                               struct flm_script_place *place, flm_script_read read,
                                               void *opened, size_t *count);

#endif
