/* malloc.c - memory for the wasm module: one heap from the end of the data to the end of memory.
 *
 * Chunks lie side by side and know their size; both neighbors know of a free one, so that
 * freeing joins what touches (boundary tags, after Knuth 1.2.5 and Lea's malloc):
 *
 *           | previous_size | size, flags | payload ...                     |
 *           |               |             |                   next chunk -> | previous_size | size
 *
 * `previous_size` counts only while the chunk before is free; otherwise that chunk's payload runs
 * over it. So a chunk costs 4 bytes, and payloads are aligned to 16.
 *
 * Free chunks stand in bins by size: one per 16 bytes below 512, above that eight per power of two,
 * with a bitmap of those that hold something. Taking and freeing cost a few instructions each.
 * What has never been used, or came back to it, is `top`: the last chunk, in no bin. An array that
 * grows at the end of the heap grows in place. Memory that was asked for is never given back: wasm
 * cannot. Nobody else may ask for memory: a page that wants some calls malloc. */
#include "heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/large_block.h"

enum {
    GRAIN = 16,   /* sizes and payloads are multiples */
    HEADER = 8,   /* from a chunk to its payload */
    OVERHEAD = 4, /* what a chunk takes beyond its payload */
    SMALL_BINS = 32,
    STEPS = 8, /* bins per power of two */
    BIN_COUNT = SMALL_BINS + (28 - 5) * STEPS,
    PAGE = 65536,
    USED = 1, /* flags in `size` */
    PREVIOUS_USED = 2,
    FLAGS = 15
};

#define LARGEST 0x7fffff00u /* one array cannot be larger: differences of pointers are signed */

struct chunk {
    uint32_t previous_size;
    uint32_t size;
    struct chunk *next, *previous; /* in its bin, while it is free */
};

extern char __heap_base; /* from the linker: the first byte after stack and data */

static struct chunk *first, *top;
static struct chunk *bins[BIN_COUNT];
static uint32_t filled[(BIN_COUNT + 31) / 32]; /* a bit per bin that is not empty */

static uint32_t size_of(const struct chunk *chunk)
{
    return chunk->size & ~(uint32_t)FLAGS;
}

static struct chunk *at_offset(const struct chunk *chunk, uint32_t offset)
{
    return (struct chunk *)((uintptr_t)chunk + offset);
}

static struct chunk *after(const struct chunk *chunk)
{
    return at_offset(chunk, size_of(chunk));
}

static struct chunk *chunk_of(const void *memory)
{
    return (struct chunk *)((uintptr_t)memory - HEADER);
}

static void *payload_of(struct chunk *chunk)
{
    return (char *)chunk + HEADER;
}

/* ---- Bins ------------------------------------------------------------------------------------ */

static uint32_t bin_of(uint32_t size)
{
    uint32_t grains = size / GRAIN;
    if (grains < SMALL_BINS)
        return grains;
    uint32_t power = 31 - (uint32_t)__builtin_clz(grains);
    return SMALL_BINS + (power - 5) * STEPS + (grains >> (power - 3)) % STEPS;
}

static void put_in_bin(struct chunk *chunk)
{
    uint32_t bin = bin_of(size_of(chunk));
    chunk->previous = NULL;
    chunk->next = bins[bin];
    if (chunk->next)
        chunk->next->previous = chunk;
    bins[bin] = chunk;
    filled[bin / 32] |= 1u << bin % 32;
}

static void take_from_bin(struct chunk *chunk)
{
    uint32_t bin = bin_of(size_of(chunk));
    if (chunk->next)
        chunk->next->previous = chunk->previous;
    if (chunk->previous)
        chunk->previous->next = chunk->next;
    else
        bins[bin] = chunk->next;
    if (!bins[bin])
        filled[bin / 32] &= ~(1u << bin % 32);
}

/* The first bin from `bin` on that holds something; BIN_COUNT where there is none. */
static uint32_t filled_bin(uint32_t bin)
{
    for (uint32_t word = bin / 32; word < sizeof filled / sizeof *filled; word++) {
        uint32_t bits = filled[word];
        if (word == bin / 32)
            bits &= ~0u << bin % 32;
        if (bits)
            return word * 32 + (uint32_t)__builtin_ctz(bits);
    }
    return BIN_COUNT;
}

/* A free chunk of at least `size`, out of its bin; NULL where there is none. */
static struct chunk *find(uint32_t size)
{
    uint32_t bin = bin_of(size);
    if (bin >= SMALL_BINS) {
        /* Chunks of one bin differ by an eighth: a few may be large enough. */
        int tries = 8;
        for (struct chunk *chunk = bins[bin]; chunk && tries > 0; chunk = chunk->next, tries--) {
            if (size_of(chunk) < size)
                continue;
            take_from_bin(chunk);
            return chunk;
        }
        bin++;
    }
    bin = filled_bin(bin);
    if (bin == BIN_COUNT)
        return NULL;
    struct chunk *chunk = bins[bin];
    take_from_bin(chunk);
    return chunk;
}

/* ---- The end of the heap --------------------------------------------------------------------- */

static void start(void)
{
    /* Payloads are at multiples of 16, so chunks are 8 before one. */
    uintptr_t base = (uintptr_t)&__heap_base;
    first = top = (struct chunk *)((base + HEADER + GRAIN - 1) / GRAIN * GRAIN - HEADER);
    uintptr_t end = __builtin_wasm_memory_size(0) * PAGE - HEADER;
    if (end < (uintptr_t)top + GRAIN) {
        if (__builtin_wasm_memory_grow(0, 1) == (size_t)-1)
            abort();
        end += PAGE;
    }
    top->size = (uint32_t)(end - (uintptr_t)top) | PREVIOUS_USED;
}

/* Makes top hold `size` bytes and remain a chunk. Asks for an eighth of the memory at least, 64 MiB
 * at most: each growth makes the page look at the memory anew. */
static bool extend_top(uint32_t size)
{
    if (size_of(top) >= size + GRAIN)
        return true;
    size_t pages = (size + GRAIN - size_of(top) + PAGE - 1) / PAGE;
    size_t generous = __builtin_wasm_memory_size(0) / 8;
    generous = generous > 1024 ? 1024 : generous;
    if (generous < pages || __builtin_wasm_memory_grow(0, generous) == (size_t)-1) {
        if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1)
            return false;
    } else {
        pages = generous;
    }
    top->size += (uint32_t)(pages * PAGE);
    return true;
}

/* The first `size` bytes of top become part of the chunk before it, or a chunk. */
static void cut_top(uint32_t size)
{
    uint32_t left = size_of(top) - size;
    top = at_offset(top, size);
    top->size = left | PREVIOUS_USED;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Says to both neighbors that the chunk is free: joins it with them, and puts it in a bin. Its
 * flag PREVIOUS_USED is right; the USED flag is off. */
static void release(struct chunk *chunk)
{
    if (!(chunk->size & PREVIOUS_USED)) {
        struct chunk *before = (struct chunk *)((uintptr_t)chunk - chunk->previous_size);
        take_from_bin(before);
        before->size += size_of(chunk);
        chunk = before;
    }
    struct chunk *next = after(chunk);
    if (next == top) {
        chunk->size += size_of(top);
        top = chunk;
        return;
    }
    if (!(next->size & USED)) {
        take_from_bin(next);
        chunk->size += size_of(next);
        next = after(chunk);
    }
    next->previous_size = size_of(chunk);
    next->size &= ~(uint32_t)PREVIOUS_USED;
    put_in_bin(chunk);
}

/* A used chunk keeps its first `size` bytes; the rest is free. */
static void cut(struct chunk *chunk, uint32_t size)
{
    uint32_t left = size_of(chunk) - size;
    if (left == 0)
        return;
    chunk->size -= left;
    struct chunk *rest = after(chunk);
    rest->size = left | PREVIOUS_USED;
    release(rest);
}

/* The size of the chunk for a request; 0 if it is too large. */
static uint32_t chunk_size(size_t size)
{
    if (size > LARGEST)
        return 0;
    return ((uint32_t)size + OVERHEAD + GRAIN - 1) / GRAIN * GRAIN;
}

void *malloc(size_t size)
{
    if (!first)
        start();
    uint32_t needed = chunk_size(size);
    if (needed == 0)
        return NULL;

    struct chunk *chunk = find(needed);
    if (chunk) {
        chunk->size |= USED;
        after(chunk)->size |= PREVIOUS_USED;
        cut(chunk, needed);
        return payload_of(chunk);
    }
    if (!extend_top(needed))
        return NULL;
    chunk = top;
    cut_top(needed);
    chunk->size = needed | USED | PREVIOUS_USED;
    return payload_of(chunk);
}

void free(void *memory)
{
    if (!memory)
        return;
    struct chunk *chunk = chunk_of(memory);
    if (!(chunk->size & USED))
        abort(); /* freed twice */
    chunk->size &= ~(uint32_t)USED;
    release(chunk);
}

void *calloc(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    void *memory = malloc(total);
    return memory ? memset(memory, 0, total) : NULL;
}

/* Grows into the free chunk or the top that follows. */
static bool grow_in_place(struct chunk *chunk, uint32_t needed)
{
    uint32_t missing = needed - size_of(chunk);
    struct chunk *next = after(chunk);
    if (next == top) {
        if (!extend_top(missing))
            return false;
        cut_top(missing);
        chunk->size += missing;
        return true;
    }
    if (next->size & USED || size_of(next) < missing)
        return false;
    take_from_bin(next);
    chunk->size += size_of(next);
    after(chunk)->size |= PREVIOUS_USED;
    cut(chunk, needed);
    return true;
}

void *realloc(void *memory, size_t size)
{
    if (!memory)
        return malloc(size);
    struct chunk *chunk = chunk_of(memory);
    uint32_t needed = chunk_size(size);
    if (needed == 0)
        return NULL;
    if (needed <= size_of(chunk)) {
        cut(chunk, needed);
        return memory;
    }
    if (grow_in_place(chunk, needed))
        return memory;

    void *moved = malloc(size);
    if (!moved)
        return NULL;
    memcpy(moved, memory, size_of(chunk) - OVERHEAD);
    free(memory);
    return moved;
}

/* ---- For tests ------------------------------------------------------------------------------- */

size_t heap_used(void)
{
    size_t used = 0;
    for (struct chunk *chunk = first; chunk != top; chunk = after(chunk))
        used += chunk->size & USED ? size_of(chunk) : 0;
    return used;
}

int heap_check(void)
{
    size_t free_count = 0;
    bool previous_used = true;
    for (struct chunk *chunk = first; chunk != top; chunk = after(chunk)) {
        if (chunk > top || size_of(chunk) < GRAIN)
            return 1; /* chunks lead to top */
        if (((uintptr_t)chunk + HEADER) % GRAIN || size_of(chunk) % GRAIN)
            return 2; /* all is aligned */
        if (!(chunk->size & PREVIOUS_USED) != !previous_used)
            return 3; /* a chunk knows whether the one before is free */
        if (!(chunk->size & USED)) {
            if (!previous_used)
                return 4; /* no two free ones touch */
            if (after(chunk)->previous_size != size_of(chunk))
                return 5; /* and where it begins */
            free_count++;
        }
        previous_used = chunk->size & USED;
    }
    if (first && (!previous_used || !(top->size & PREVIOUS_USED)))
        return 6; /* nor does a free one touch top */

    for (uint32_t bin = 0; bin < BIN_COUNT; bin++) {
        if (!bins[bin] != !(filled[bin / 32] >> bin % 32 & 1))
            return 7; /* the bitmap is right */
        for (struct chunk *chunk = bins[bin]; chunk; chunk = chunk->next) {
            if (bin_of(size_of(chunk)) != bin || chunk->size & USED)
                return 8; /* a bin holds free chunks of its sizes */
            free_count--;
        }
    }
    return free_count == 0 ? 0 : 9; /* every free chunk is in a bin */
}

/* All pages of wasm are of one size, and there from the start. */
void flm_large_block_advise(void *block)
{
    (void)block;
}
