/* room.h - memory for what a query returns: structs, lists and texts that are freed together.
 *
 *     struct flm_room room = {0};
 *     struct flm_response_chip *chips = flm_room_take(&room, count * sizeof *chips);
 *     ...
 *     flm_room_reset(&room);           all of it is invalid, and the room is used again
 *     flm_room_clear(&room);
 *
 * Chunks are taken as they are needed, each twice as large as the one before, and a reset keeps the
 * largest: a query that is repeated allocates nothing. */
#ifndef FLAMEL_VIEWER_QUERY_ROOM_H
#define FLAMEL_VIEWER_QUERY_ROOM_H

#include "base/core/bytes.h"

struct flm_room_chunk;

/* All zero is an empty room. */
struct flm_room {
    struct flm_room_chunk *chunk; /* the newest */
    bool failed;                  /* memory ran out once since the last reset */
};

/* Zeroed, aligned for any type; NULL if memory ran out. */
void *flm_room_take(struct flm_room *room, size_t size);

/* A copy; {NULL} if memory ran out. An empty text is "", never {NULL}. */
struct flm_bytes flm_room_text(struct flm_room *room, struct flm_bytes text);

void flm_room_reset(struct flm_room *room);
void flm_room_clear(struct flm_room *room);

#endif
