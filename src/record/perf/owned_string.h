/* owned_string.h - a copy of a text, terminated, which its owner frees. */
#ifndef FLAMEL_RECORD_PERF_OWNED_STRING_H
#define FLAMEL_RECORD_PERF_OWNED_STRING_H

#include <stdlib.h>

#include "base/core/bytes.h"

struct flm_owned_string {
    char *at; /* to be freed */
    size_t size;
};

/* False when memory ran out. */
static inline bool flm_owned_string_init(struct flm_owned_string *own, struct flm_bytes text)
{
    own->at = malloc(text.size + 1);
    own->size = text.size;
    if (!own->at)
        return false;
    if (text.size)
        memcpy(own->at, text.at, text.size);
    own->at[text.size] = 0;
    return true;
}

static inline struct flm_bytes flm_owned_string_bytes(const struct flm_owned_string *own)
{
    return (struct flm_bytes){own->at, own->size};
}

#endif
