/* arena.h - memory for a response: structs, lists and texts that are freed together.
 *
 *     struct flm_arena arena = {0};
 *     struct flm_response_chip *chips = flm_arena_take(&arena, count * sizeof *chips);
 *     ...
 *     flm_arena_reset(&arena);           all of it is invalid, and the memory is used again
 *     flm_arena_clear(&arena);
 *
 * Chunks are allocated as needed, each twice as large as the previous one, and a reset keeps the
 * largest: a repeated query allocates nothing. */
#ifndef FLAMEL_VIEWER_QUERY_ARENA_H
#define FLAMEL_VIEWER_QUERY_ARENA_H

#include "base/core/bytes.h"

struct flm_arena_chunk;

/* All zero is an empty arena. */
struct flm_arena {
    struct flm_arena_chunk *chunk; /* the newest */
    bool failed;                   /* memory ran out once since the last reset */
};

/* Zeroed, aligned for any type; NULL if memory ran out. */
void *flm_arena_take(struct flm_arena *arena, size_t size);

/* A copy; {NULL} if memory ran out. An empty text is "", never {NULL}. */
struct flm_bytes flm_arena_text(struct flm_arena *arena, struct flm_bytes text);

void flm_arena_reset(struct flm_arena *arena);
void flm_arena_clear(struct flm_arena *arena);

#endif
