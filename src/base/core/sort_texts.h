/* sort_texts.h - texts in the order of their bytes.
 *
 * Names of one program begin alike ("github.com/acme/..."), so comparing whole texts reads the same
 * bytes again and again, from all over memory. Here texts are sorted by eight bytes of each, as
 * numbers that lie next to each other; only those for which these are the same are looked at again,
 * by their next eight. */
#ifndef FLAMEL_BASE_CORE_SORT_TEXTS_H
#define FLAMEL_BASE_CORE_SORT_TEXTS_H

#include "base/core/bytes.h"

typedef struct flm_bytes (*flm_text_of)(const void *context, uint32_t item);

/* Sorts `count` items by their texts, which are distinct. False: memory ran out. */
bool flm_sort_texts(uint32_t *items, size_t count, flm_text_of text, const void *context);

#endif
