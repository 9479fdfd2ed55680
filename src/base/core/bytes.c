#include "base/core/bytes.h"

#include <stdlib.h>

#include "base/core/large_block.h"
#include "base/core/scan.h"

bool flm_bytes_contain(struct flm_bytes a, const char *text)
{
    size_t size = strlen(text), i = 0;
    if (size == 0 || size > a.size)
        return size == 0;
#ifdef FLM_SCAN_BITS
    /* Where both its first and its last byte are. */
    char first = text[0], last = text[size - 1];
    for (; a.size - i >= size + 15; i += 16) {
        const char *at = a.at + i;
        flm_scan_mask mask =
            flm_scan_either(at, first, first) & flm_scan_either(at + size - 1, last, last);
        for (; mask; mask &= mask - 1)
            if (memcmp(at + __builtin_ctzll(mask) / FLM_SCAN_BITS, text, size) == 0)
                return true;
    }
#endif
    for (; i + size <= a.size; i++)
        if (memcmp(a.at + i, text, size) == 0)
            return true;
    return false;
}

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
