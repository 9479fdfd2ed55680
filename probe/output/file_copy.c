/* file_copy.c - a copy of the file, in the order of places (src/load/probe/attached.c says why that
 * is whole). Read by the kernel: ThreadSanitizer would see a race with the threads that write where
 * they must. */
#include "file_copy.h"

#include <string.h>
#include <unistd.h>

bool flm_file_copy(struct flm_text *copy)
{
    enum { ROUNDS = 16 };
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t used = __atomic_load_n(&flm_run.arena.header->used, __ATOMIC_ACQUIRE);
        size_t before = copy->size;
        while (copy->size < used) {
            size_t size = (size_t)used - copy->size;
            char *to = flm_text_reserve(copy, size);
            if (to && !flm_arena_has_file(&flm_run.arena)) { /* the program has closed it */
                memcpy(to, flm_run.arena.base + copy->size, size);
                copy->size += size;
                continue;
            }
            ssize_t got = to ? pread(flm_run.arena.file, to, size, (off_t)copy->size) : -1;
            if (got <= 0)
                return false;
            copy->size += (size_t)got;
        }
        if (copy->size == before)
            break;
    }
    return copy->size > 0;
}
