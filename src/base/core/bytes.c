#include "base/core/bytes.h"

#include <stdlib.h>

bool flm_grow(void **items, size_t *capacity, size_t needed, size_t item_size)
{
    if (needed <= *capacity)
        return true;
    size_t larger = *capacity + *capacity / 2;
    if (larger < needed)
        larger = needed;
    if (larger < 16)
        larger = 16;
    if (larger > SIZE_MAX / item_size)
        return false;
    void *moved = realloc(*items, larger * item_size);
    if (!moved)
        return false;
    *items = moved;
    *capacity = larger;
    return true;
}

void *flm_new_zeroed(size_t count, size_t item_size)
{
    if (item_size > 0 && count > SIZE_MAX / item_size)
        return NULL;
    /* realloc, because compilers make calloc of malloc and memset. */
    void *items = realloc(NULL, count * item_size + 1);
    if (items)
        memset(items, 0, count * item_size);
    return items;
}
