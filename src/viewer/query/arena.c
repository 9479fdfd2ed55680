#include "viewer/query/arena.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 4096, ALIGNMENT = 16 };

struct flm_arena_chunk {
    struct flm_arena_chunk *before;
    size_t size, used; /* of `at` */
    _Alignas(ALIGNMENT) unsigned char at[];
};

static bool add_chunk(struct flm_arena *arena, size_t least)
{
    size_t size = arena->chunk ? 2 * arena->chunk->size : FIRST_SIZE;
    if (size < least)
        size = least;
    struct flm_arena_chunk *chunk =
        least <= SIZE_MAX - sizeof *chunk ? malloc(sizeof *chunk + size) : NULL;
    if (!chunk)
        return false;
    chunk->before = arena->chunk;
    chunk->size = size;
    chunk->used = 0;
    arena->chunk = chunk;
    return true;
}

void *flm_arena_take(struct flm_arena *arena, size_t size)
{
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    bool fits =
        arena->chunk && rounded >= size && arena->chunk->size - arena->chunk->used >= rounded;
    if (rounded < size || (!fits && !add_chunk(arena, rounded))) {
        arena->failed = true;
        return NULL;
    }
    void *at = arena->chunk->at + arena->chunk->used;
    arena->chunk->used += rounded;
    memset(at, 0, rounded);
    return at;
}

struct flm_bytes flm_arena_text(struct flm_arena *arena, struct flm_bytes text)
{
    if (text.size == 0)
        return (struct flm_bytes){"", 0};
    char *copy = flm_arena_take(arena, text.size);
    if (!copy)
        return (struct flm_bytes){NULL, 0};
    memcpy(copy, text.at, text.size);
    return (struct flm_bytes){copy, text.size};
}

static void free_before(struct flm_arena_chunk *chunk)
{
    while (chunk->before) {
        struct flm_arena_chunk *before = chunk->before;
        chunk->before = before->before;
        free(before);
    }
}

void flm_arena_reset(struct flm_arena *arena)
{
    if (arena->chunk) {
        free_before(arena->chunk);
        arena->chunk->used = 0;
    }
    arena->failed = false;
}

void flm_arena_clear(struct flm_arena *arena)
{
    if (arena->chunk)
        free_before(arena->chunk);
    free(arena->chunk);
    *arena = (struct flm_arena){0};
}
