/* plain_names.h - names that were asked for once, as people wrote them: demangled, and kept.
 *
 * A name of a table is at one place, so the place stands for it. Several threads may ask. */
#ifndef FLAMEL_SYMBOL_DEMANGLE_PLAIN_NAMES_H
#define FLAMEL_SYMBOL_DEMANGLE_PLAIN_NAMES_H

#include <pthread.h>

#include "base/core/index.h"
#include "base/text/text.h"

struct flm_plain_name {
    const char *mangled;
    struct flm_bytes plain;
};

struct flm_plain_names {
    pthread_mutex_t lock;
    struct flm_index index;
    struct flm_plain_name *known;
    size_t known_count, known_capacity;
    char **blocks; /* of texts, which never move */
    size_t block_count, block_capacity;
    size_t block_size, block_used; /* of the last one */
    struct flm_text scratch;
};

void flm_plain_names_init(struct flm_plain_names *names);
void flm_plain_names_clear(struct flm_plain_names *names);

/* The name; as it is when it is not mangled, or memory ran out. Good as long as the names, and what
 * `mangled` points to, are. */
struct flm_bytes flm_plain_names_get(struct flm_plain_names *names, struct flm_bytes mangled);

#endif
