#include "viewer/query/arena.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 4096, ALIGNMENT = 16 };

struct flm_arena_chunk {
    struct flm_arena_chunk *before;
    size_t size, used; /* of `at` */
    _Alignas(ALIGNMENT) unsigned char at[];
};

static bool add_chunk(struct flm_arena *room, size_t least)
{
    size_t size = room->chunk ? 2 * room->chunk->size : FIRST_SIZE;
    if (size < least)
        size = least;
    struct flm_arena_chunk *chunk =
        least <= SIZE_MAX - sizeof *chunk ? malloc(sizeof *chunk + size) : NULL;
    if (!chunk)
        return false;
    chunk->before = room->chunk;
    chunk->size = size;
    chunk->used = 0;
    room->chunk = chunk;
    return true;
}

void *flm_arena_take(struct flm_arena *room, size_t size)
{
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    bool fits = room->chunk && rounded >= size && room->chunk->size - room->chunk->used >= rounded;
    if (rounded < size || (!fits && !add_chunk(room, rounded))) {
        room->failed = true;
        return NULL;
    }
    void *at = room->chunk->at + room->chunk->used;
    room->chunk->used += rounded;
    memset(at, 0, rounded);
    return at;
}

struct flm_bytes flm_arena_text(struct flm_arena *room, struct flm_bytes text)
{
    if (text.size == 0)
        return (struct flm_bytes){"", 0};
    char *copy = flm_arena_take(room, text.size);
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

void flm_arena_reset(struct flm_arena *room)
{
    if (room->chunk) {
        free_before(room->chunk);
        room->chunk->used = 0;
    }
    room->failed = false;
}

void flm_arena_clear(struct flm_arena *room)
{
    if (room->chunk)
        free_before(room->chunk);
    free(room->chunk);
    *room = (struct flm_arena){0};
}
