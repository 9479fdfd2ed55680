/* plain_names.h - a cache of demangled names.
 *
 * A table has each name once, so the cache identifies a name by its pointer. Several threads may
 * use it at once. */
#ifndef FLAMEL_SYMBOL_DEMANGLE_PLAIN_NAMES_H
#define FLAMEL_SYMBOL_DEMANGLE_PLAIN_NAMES_H

#include <pthread.h>

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/text.h"

struct flm_plain_name {
    const char *mangled;
    struct flm_bytes plain;
};

struct flm_plain_names {
    pthread_mutex_t lock;
    struct flm_index index;
    struct FLM_ARRAY(struct flm_plain_name) known;
    struct FLM_ARRAY(char *) blocks; /* of texts, which never move */
    size_t block_size, block_used;   /* of the last block */
    struct flm_text scratch;
};

void flm_plain_names_init(struct flm_plain_names *names);
void flm_plain_names_clear(struct flm_plain_names *names);

/* The demangled name; `mangled` itself if it is not mangled, or memory ran out. Valid as long as
 * the cache and the bytes of `mangled`. */
struct flm_bytes flm_plain_names_get(struct flm_plain_names *names, struct flm_bytes mangled);

#endif
