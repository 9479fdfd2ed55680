/* interner.h - the string and frame tables of a profile while it is being made.
 *
 * Everything that makes a profile (the builder, merging, renaming frames) collects its strings and
 * frames here in any order, and computes the canonical order at the end: strings by bytes, frames
 * by (function, module, file, line, address, kind, flags, location), only those in use, each once.
 * Flags that do not make a frame another one (FLM_FRAME_CLONES) are joined.
 *
 * Strings lie end to end in one buffer. */
#ifndef FLAMEL_PROFILE_INTERNER_H
#define FLAMEL_PROFILE_INTERNER_H

#include "base/core/bytes.h"
#include "base/core/index.h"
#include "profile/columns.h"

struct flm_interner {
    char *bytes;
    size_t bytes_size, bytes_capacity;
    uint32_t *string_ends;
    size_t string_count, string_capacity;
    struct flm_index string_index;

    struct flm_frame_record *frames;
    size_t frame_count, frame_capacity;
    struct flm_index frame_index;

    struct flm_location *locations; /* of frames: flm_frame_location - 1; their frame is 0 */
    size_t location_count, location_capacity;
    struct flm_index location_index;

    uint32_t *frame_of; /* by string: the frame last made with only that function; or FLM_NONE */
    size_t frame_of_capacity;

    bool unordered; /* those in use are numbered as they came: load/unordered.h */
    bool sealed;
    bool is_full; /* a string was refused because all together would have 4 GiB, or be 2^32 */
};

/* Holds string 0 (empty) and frame 0 (the root's). */
bool flm_interner_init(struct flm_interner *v, struct flm_error *why);
void flm_interner_clear(struct flm_interner *v);

/* Index of the string or frame, added when it is new; FLM_NONE when memory (or 4 GiB of names) ran
 * out. The records' strings are indices of this interner. */
uint32_t flm_interner_string(struct flm_interner *v, struct flm_bytes text);
/* FLM_NONE where the string is not there. */
uint32_t flm_interner_find(const struct flm_interner *v, struct flm_bytes text);
uint32_t flm_interner_frame(struct flm_interner *v, const struct flm_frame_record *record);

/* By frame: the one without its location, itself where it has none; FLM_NONE where there is no such
 * frame. Freed by the caller; NULL: memory ran out. */
uint32_t *flm_interner_bases(const struct flm_interner *v);

/* Finds frames by what their records are now, after some were changed in place. */
bool flm_interner_index_frames(struct flm_interner *v);

/* The number of a location for flm_frame_located, added when it is new; its file is a string of
 * this interner. 0: there are as many as a record can name; FLM_NONE: memory ran out. */
uint32_t flm_interner_location(struct flm_interner *v, const struct flm_location *where);

/* The frame that has only a function and a kind: the quick way for text formats. */
uint32_t flm_interner_function(struct flm_interner *v, struct flm_bytes name, uint32_t kind);

static inline struct flm_bytes flm_interner_text(const struct flm_interner *v, uint32_t string)
{
    uint32_t start = string ? v->string_ends[string - 1] : 0;
    return (struct flm_bytes){v->bytes + start, v->string_ends[string] - start};
}

/* Adds all strings and frames of `p`; string_map and frame_map (as long as p's tables) receive the
 * new indices. */
bool flm_interner_add_profile(struct flm_interner *v, const struct flm_profile *p,
                              uint32_t *string_map, uint32_t *frame_map);

/* Nothing is looked up or added any more. Frees what only that needs, before memory for the
 * profile is allocated: about 600 MB of the 1.2 GB that 10 million distinct frames with names of
 * 24 bytes take. */
void flm_interner_seal(struct flm_interner *v);

/* Bytes that are allocated for it. */
uint64_t flm_interner_size(const struct flm_interner *v);

/* The canonical numbering of the strings and frames in use. */
struct flm_ranking {
    uint32_t *string_rank; /* by string of the interner: its index in the profile, or FLM_NONE */
    uint32_t *frame_rank;  /* by frame, likewise */
    uint32_t *strings;     /* the other way round: rank to string */
    uint32_t *frames;
    uint32_t string_count, frame_count;
    uint32_t location_count; /* frames in use that have one */
    bool has_columns;
    uint64_t string_bytes;
};

/* Marks strings and frames in use: one byte per string and per frame; frame marks are followed to
 * their strings. Entry 0 of each is always in use. */
bool flm_interner_rank(const struct flm_interner *v, unsigned char *string_used,
                       const unsigned char *frame_used, struct flm_ranking *ranking,
                       struct flm_error *why);
void flm_ranking_clear(struct flm_ranking *ranking);

/* By address, file (its rank), line and column. */
int flm_location_order(const struct flm_location *a, const struct flm_location *b,
                       const uint32_t *string_rank);

/* Writes the ranked strings and frames, and the locations of these, to the columns of `p`, which
 * was allocated with the ranking's sizes. */
void flm_interner_write(const struct flm_interner *v, const struct flm_ranking *ranking,
                        struct flm_profile *p);

#endif
