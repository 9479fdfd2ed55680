#include "base/core/large_block.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* All pages of the block, the first and the last too: those of a block that has a mapping of its
 * own must stay one mapping, or realloc could not move it without copying. */
void flm_large_block_advise(void *block)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)block & ~(page - 1),
              end = ((uintptr_t)block + malloc_usable_size(block) + page - 1) & ~(page - 1);
    madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
    (void)block;
#endif
}
