#include "base/core/bytes.h"

#include <stdlib.h>

#include "base/core/large_block.h"

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
    size_t size = larger * item_size;
    void *moved = flm_large_block(realloc(*items, size), size);
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
    size_t size = count * item_size + 1;
    /* realloc, because compilers make calloc of malloc and memset. */
    void *items = flm_large_block(realloc(NULL, size), size);
    if (items)
        memset(items, 0, count * item_size);
    return items;
}
