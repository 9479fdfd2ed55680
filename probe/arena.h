/* arena.h - the file that a measured program maps, and how its blocks are given out:
 * flamel/probe_format.h.
 *
 * Room is reserved in the address space once, and taken from the system by megabytes as it is
 * needed: a file system that is full refuses then, where touching a page of a sparse file would
 * kill the program. Blocks are never given back.
 *
 * Safe inside malloc; flm_arena_at also in signal handlers. */
#ifndef FLAMEL_PROBE_ARENA_H
#define FLAMEL_PROBE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "flamel/probe_format.h"

struct flm_arena {
    unsigned char *base; /* NULL: there is none */
    int file;            /* the program may have closed it: see flm_arena_has_file */
    uint64_t device, inode;
    struct flm_probe_header *header;
    uint64_t ready; /* bytes that the system has given */
    bool is_full;   /* it gives no more: not asked again */
};

/* Zeroed memory of the system, or of a file; NULL, and errno: there is none. */
void *flm_memory_map(size_t size, int flags, int file) __attribute__((visibility("hidden")));

/* A new file at `path`, or one without a name. What is there is replaced, not written over: another
 * program may have it mapped. False: there is no memory, or it cannot be made; errno says why. */
bool flm_arena_open(struct flm_arena *arena, const char *path);

/* Whether its file is still what the number stands for: a program may close all that it did not
 * open, and have another file of this number then, which is not ours to change. errno is kept. */
bool flm_arena_has_file(const struct flm_arena *arena);

/* The same file by a number that is out of the program's way: programs close 0 to 2 and what they
 * open next is to have these, and count what they have. Of no use: the same number again. */
int flm_file_aside(int file);

/* The file gets its final size, and no block is given any more. The mapping stays: threads that
 * still run are in it. */
void flm_arena_end(struct flm_arena *arena);

/* Zeroed room for `size` bytes, as a place; 0: there is none. The caller holds the lock. */
uint32_t flm_arena_take(struct flm_arena *arena, size_t size);

static inline void *flm_arena_at(const struct flm_arena *arena, uint32_t place)
{
    return arena->base + (size_t)place * FLM_PROBE_UNIT;
}

/* Appends a text, and returns at which byte it is; 0: there is no room. */
uint64_t flm_arena_add_text(struct flm_arena *arena, const char *text, size_t size);

#endif
