/* process_memory.h - memory of another process, read in pages.
 *
 * What is wanted is a chain: each read tells where the next one is, and each is a system call of a
 * microsecond and more. But a thread's frames stay where they were. So a read begins with the pages
 * that the last one needed, all by one call, and only what is not among them costs another.
 *
 * All pages of one read are of about one time; what must be of now is read by itself. */
#ifndef FLAMEL_RECORD_PYTHON_PROCESS_MEMORY_H
#define FLAMEL_RECORD_PYTHON_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLM_PYTHON_PAGE = 4096, FLM_PYTHON_PAGES = 48 };

struct flm_python_memory {
    int32_t process;
    int error;      /* of the last call that failed */
    uint64_t calls; /* of the system */
    size_t count;
    uint64_t used; /* bit i: page i was looked at in this read */
    uint64_t at[FLM_PYTHON_PAGES];
    char page[FLM_PYTHON_PAGES][FLM_PYTHON_PAGE];
};

/* Forgets what was read, and reads these pages. */
void flm_python_memory_begin(struct flm_python_memory *memory, const uint64_t *pages, size_t count);

/* Bytes from a page of this read; false where they cannot be read. */
bool flm_python_memory_read(struct flm_python_memory *memory, uint64_t address, void *bytes,
                            size_t size);

/* Bytes as they are now. */
bool flm_python_memory_read_now(struct flm_python_memory *memory, uint64_t address, void *bytes,
                                size_t size);

/* The pages that this read needed; returns how many, at most `capacity`. */
size_t flm_python_memory_needed(const struct flm_python_memory *memory, uint64_t *pages,
                                size_t capacity);

/* Whether the process is gone, or may not be read. */
bool flm_python_memory_is_gone(const struct flm_python_memory *memory);

#endif
