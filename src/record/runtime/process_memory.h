/* process_memory.h - reads the memory of another process, in pages: for interpreters whose
 * structures are read from outside.
 *
 * Each read of a chain of pointers depends on the one before, and each is a system call of a
 * microsecond and more. But the frames of a thread stay on the same pages. So a read begins with
 * the pages that the previous one needed, all in one call, and only other pages cost further calls.
 *
 * The pages of one read are of about one time; what must be current is read separately. */
#ifndef FLAMEL_RECORD_RUNTIME_PROCESS_MEMORY_H
#define FLAMEL_RECORD_RUNTIME_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLM_PROCESS_PAGE = 4096, FLM_PROCESS_PAGES = 48 };

struct flm_process_memory {
    int32_t process;
    int error;      /* errno of the last failed call */
    uint64_t calls; /* system calls so far */
    size_t count;
    uint64_t used; /* bit i: page i was used in this read */
    uint64_t at[FLM_PROCESS_PAGES];
    char page[FLM_PROCESS_PAGES][FLM_PROCESS_PAGE];
};

/* Begins a read with these pages. */
void flm_process_memory_begin(struct flm_process_memory *memory, const uint64_t *pages,
                              size_t count);

/* Bytes from the pages of this read; false when they cannot be read. */
bool flm_process_memory_read(struct flm_process_memory *memory, uint64_t address, void *bytes,
                             size_t size);

/* The current bytes. */
bool flm_process_memory_read_now(struct flm_process_memory *memory, uint64_t address, void *bytes,
                                 size_t size);

/* The pages that this read needed; returns how many, at most `capacity`. */
size_t flm_process_memory_needed(const struct flm_process_memory *memory, uint64_t *pages,
                                 size_t capacity);

/* Whether the process is gone, or may not be read. */
bool flm_process_memory_is_gone(const struct flm_process_memory *memory);

#endif
