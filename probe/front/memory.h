/* memory.h - what the parts that measure memory share.
 *
 *     memory.c         in front of malloc and its kin: bytes and counts go to the open node
 *     memory_new.c     in front of C++'s new and delete, for allocators that have their own
 *     memory_maps.c    in front of mmap and munmap
 *     memory_stacks.c  which allocations are looked at closely: their stacks, and whether they live
 *     memory_live.c    blocks that are not freed yet
 *     unwind.c         the stack of the caller
 *
 * The first three are in the shared library only. All of it runs inside malloc. */
#ifndef FLAMEL_PROBE_MEMORY_H
#define FLAMEL_PROBE_MEMORY_H

#include "internal.h"

#define FLM_EXPORT __attribute__((visibility("default")))

/* Bytes until the next allocation that is looked at closely; -1 before the first one. */
FLM_OF_THREAD int64_t flm_memory_left;

/* The node that is open, where flm_top does not say it. NULL: nothing is counted, since the thread
 * has ended, or the library itself allocates. In a child that has not begun to measure, one that
 * is not in the file yet. */
FLM_HIDDEN struct flm_probe_node *flm_memory_node(void);

static inline struct flm_probe_node *flm_memory_node_now(void)
{
    struct flm_probe_open *top = flm_top;
    return FLM_RARELY(!top) ? flm_memory_node() : (struct flm_probe_node *)(uintptr_t)top->at;
}

/* The library works in this thread: what comes now is a signal handler's, or its own. */
static inline bool flm_memory_is_busy(void)
{
    return !flm_top && flm_local;
}

/* Counts a block that was allocated, or that will be freed now. For other files than memory.c. */
FLM_HIDDEN void flm_memory_allocated(void *block, size_t size);
FLM_HIDDEN void flm_memory_freed(void *block);

/* ---- memory_new.c ---------------------------------------------------------------------------- */

/* new and delete of the allocator that has this malloc are counted; others call malloc. */
FLM_HIDDEN void flm_new_start(void *malloc_address);

/* ---- memory_stacks.c ------------------------------------------------------------------------- */

/* Samples the allocation that took flm_memory_left below 0. Returns the block. */
FLM_HIDDEN void *flm_memory_sample(void *block, size_t size);

/* `interval`: bytes between two on average; 0: none. With `all`, every one, exactly. */
FLM_HIDDEN void flm_stacks_start(uint64_t interval, bool all);
FLM_HIDDEN void flm_stacks_in_child(void);

/* A block of a stack lives now, or does no more. */
FLM_HIDDEN void flm_stack_live(uint32_t stack, size_t size, bool is_end);

/* ---- memory_live.c --------------------------------------------------------------------------- */

enum { FLM_LIVE_BITS = 16 };
extern FLM_HIDDEN uint64_t flm_live_bits[1 << (FLM_LIVE_BITS - 6)];

/* The bit of a block, from its address, as blocks are at least 16 bytes apart. A hash would be four
 * more instructions in each free, and few blocks of thousands are followed, so few bits are set.
 * Large blocks that begin at the same offset in a page share 256 bits. */
static inline uint32_t flm_live_bit(const void *block)
{
    return (uint32_t)((uintptr_t)block >> 4) % (1 << FLM_LIVE_BITS);
}

/* False: the block is none that is looked at. */
static inline bool flm_live_may_have(const void *block)
{
    uint32_t bit = flm_live_bit(block);
    return (flm_live_bits[bit / 64] >> (bit % 64)) & 1;
}

/* A block that is looked at. */
struct flm_live {
    uintptr_t block;
    size_t size; /* that was asked for */
    uint32_t stack, reserved;
};

/* Only while the library works, or in a thread that has ended. */
FLM_HIDDEN bool flm_live_put(const struct flm_live *live); /* false: there is no memory */
FLM_HIDDEN bool flm_live_take(const void *block, struct flm_live *live);
FLM_HIDDEN void flm_live_in_child(void);

/* ---- unwind.c ------------------------------------------------------------------------------ */

/* Return addresses, the innermost first, beginning with that of the function that calls what is
 * outside of the library. */
FLM_HIDDEN uint32_t flm_unwind(struct flm_local *local, uint64_t *frame, uint32_t most);

/* Something was unloaded: what is known of code may be wrong. */
FLM_HIDDEN void flm_unwind_forget(void);

#endif
