/* large_block.h - large blocks of memory, for which the system is asked for large pages.
 *
 * Most of what reading a large profile needs is a few arrays: columns of samples, and the profile
 * itself. The first use of each of their pages is a fault, 0.3 ms a megabyte, a quarter of
 * the time of some formats. Linux has pages of 2 MiB for those who ask; such a page is cleared in a
 * seventh of that. Small blocks are left alone: a program that needs little takes no more of it. */
#ifndef FLAMEL_BASE_CORE_LARGE_BLOCK_H
#define FLAMEL_BASE_CORE_LARGE_BLOCK_H

#include <stddef.h>

enum { FLM_LARGE_BLOCK = 4 << 20 };

/* Asks the system for large pages in a block of malloc's: os/large_block.c. Only a hint: nothing
 * fails. In the page, which has no such system, wasm/libc does nothing. */
void flm_large_block_advise(void *block);

/* The block itself, after that if it is large; NULL stays NULL. */
static inline void *flm_large_block(void *block, size_t size)
{
    if (block && size >= FLM_LARGE_BLOCK)
        flm_large_block_advise(block);
    return block;
}

#endif
