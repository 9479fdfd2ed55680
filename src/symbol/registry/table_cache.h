/* table_cache.h - tables on disk, by build id: what was made once is mapped the next time.
 *
 *     DIR/ab/cdef0123...{.code,.unwind}      DIR: $XDG_CACHE_HOME/flamel, or ~/.cache/flamel
 *
 * A file is written beside its name and renamed, so that nobody sees half of one. It begins with a
 * magic, the version of the tables' shape, its size and a checksum; one that does not fit is made
 * anew, silently: a cache that is wrong costs time, never truth. Nothing is kept of files without a
 * build id, and nothing is taken that another user could have put there. */
#ifndef FLAMEL_SYMBOL_REGISTRY_TABLE_CACHE_H
#define FLAMEL_SYMBOL_REGISTRY_TABLE_CACHE_H

#include "symbol/elf/build_id.h"

/* To be counted up whenever what is kept changes its shape or its meaning: also when a table is
 * made better, so that the old one is not taken for it. */
enum { FLM_CACHE_VERSION = 2 };

struct flm_cached {
    struct flm_bytes bytes; /* mapped; aligned to 64; at NULL: not there */
    void *mapping;
    size_t mapping_size;
};

/* `dir` may be NULL: then nothing is there. `kind`: "code", "unwind". Never fails: what cannot be
 * used is not there. */
struct flm_cached flm_cache_open(const char *dir, const struct flm_build_id *id, const char *kind);
void flm_cache_close(struct flm_cached *cached);

/* Gives the memory that its pages take back to the system: opening and checking it reads all of
 * them, lookups few. They come again as they are asked. */
void flm_cache_rest(const struct flm_cached *cached);

/* False when it could not be kept (no room, no right to); nothing is lost by that. */
bool flm_cache_store(const char *dir, const struct flm_build_id *id, const char *kind,
                     struct flm_bytes bytes);

#endif
