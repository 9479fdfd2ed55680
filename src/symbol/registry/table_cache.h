/* table_cache.h - tables on disk, by build id: made once, mapped from then on.
 *
 *     DIR/ab/cdef0123...{.code,.unwind}      DIR: $XDG_CACHE_HOME/flamel, or ~/.cache/flamel
 *
 * A file is written under a temporary name and renamed, so that no process sees half of one. It
 * starts with a magic number, the version of the tables, its size and a checksum; if these do not
 * match, the table is made again, silently: a damaged cache costs time, never correctness. Modules
 * without a build id are not cached, and files that another user could have written are not
 * used. */
#ifndef FLAMEL_SYMBOL_REGISTRY_TABLE_CACHE_H
#define FLAMEL_SYMBOL_REGISTRY_TABLE_CACHE_H

#include "symbol/identity/build_id.h"

/* Must be increased whenever the layout or the meaning of a table changes; also when a table
 * becomes more complete, so that old ones are not used any more. */
enum { FLM_CACHE_VERSION = 4 };

struct flm_cached {
    struct flm_bytes bytes; /* mapped; aligned to 64 */
    void *mapping;
    size_t mapping_size;
};

/* The cached table of a `kind` ("code", "unwind", "functions"); bytes.at is NULL when there is none,
 * it cannot be used, or `dir` is NULL. */
struct flm_cached flm_cache_open(const char *dir, const struct flm_build_id *id, const char *kind);
void flm_cache_close(struct flm_cached *cached);

/* Returns the memory of its pages to the system: opening checks, and so reads, all of them, lookups
 * read few. They are mapped again when they are accessed. */
void flm_cache_release_pages(const struct flm_cached *cached);

/* False when it could not be written (no space, no permission): the next process makes it again. */
bool flm_cache_store(const char *dir, const struct flm_build_id *id, const char *kind,
                     struct flm_bytes bytes);

#endif
