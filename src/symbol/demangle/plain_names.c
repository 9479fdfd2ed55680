#include "symbol/demangle/plain_names.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "symbol/demangle/demangle.h"

void flm_plain_names_init(struct flm_plain_names *names)
{
    *names = (struct flm_plain_names){0};
    pthread_mutex_init(&names->lock, NULL);
}

void flm_plain_names_clear(struct flm_plain_names *names)
{
    for (size_t i = 0; i < names->blocks.count; i++)
        free(names->blocks.at[i]);
    FLM_ARRAY_CLEAR(&names->blocks);
    FLM_ARRAY_CLEAR(&names->known);
    flm_index_clear(&names->index);
    flm_text_clear(&names->scratch);
    pthread_mutex_destroy(&names->lock);
}

static char *keep(struct flm_plain_names *names, struct flm_bytes text)
{
    enum { BLOCK = 1 << 16 };
    if (text.size > names->block_size - names->block_used) {
        size_t size = text.size > BLOCK ? text.size : BLOCK;
        char *block = FLM_ARRAY_RESERVE(&names->blocks, 1) ? malloc(size) : NULL;
        if (!block)
            return NULL;
        names->blocks.at[names->blocks.count++] = block;
        names->block_size = size;
        names->block_used = 0;
    }
    char *at = names->blocks.at[names->blocks.count - 1] + names->block_used;
    memcpy(at, text.at, text.size);
    names->block_used += text.size;
    return at;
}

static struct flm_bytes learn(struct flm_plain_names *names, struct flm_bytes mangled,
                              uint32_t hash)
{
    struct flm_text *scratch = &names->scratch;
    struct flm_bytes plain = mangled;
    scratch->size = 0;
    scratch->failed = false;
    bool is_mangled = flm_demangle(mangled, scratch);
    if (scratch->failed)
        return mangled;
    if (is_mangled) {
        const char *at = keep(names, (struct flm_bytes){scratch->at, scratch->size});
        if (!at)
            return mangled;
        plain = (struct flm_bytes){at, scratch->size};
    }
    if (FLM_ARRAY_RESERVE(&names->known, 1) &&
        flm_index_add(&names->index, hash, (uint32_t)names->known.count))
        names->known.at[names->known.count++] = (struct flm_plain_name){mangled.at, plain};
    return plain;
}

struct flm_bytes flm_plain_names_get(struct flm_plain_names *names, struct flm_bytes mangled)
{
    /* Most C names need no lock. */
    if (mangled.size < 2 || (mangled.at[0] != '_' && !flm_bytes_start_with(mangled, "caml") &&
                             !flm_bytes_end_with(mangled, "_info")))
        return mangled;
    uint32_t hash = (uint32_t)flm_hash(&mangled.at, sizeof mangled.at);
    pthread_mutex_lock(&names->lock);
    struct flm_bytes plain = {0};
    for (struct flm_probe at = flm_index_probe(&names->index, hash);
         !plain.at && flm_index_next(&names->index, &at);)
        if (names->known.at[at.found].mangled == mangled.at)
            plain = names->known.at[at.found].plain;
    if (!plain.at)
        plain = learn(names, mangled, hash);
    pthread_mutex_unlock(&names->lock);
    return plain;
}
