/* sort.h - a stable merge sort of indices, without recursion. */
#ifndef FLAMEL_BASE_CORE_SORT_H
#define FLAMEL_BASE_CORE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Less than, equal to or greater than 0: `a` sorts before, with or after `b`. */
typedef int (*flm_order)(const void *context, uint32_t a, uint32_t b);

/* Sorts `count` items; `scratch` has room for as many. O(n log n) comparisons, n - 1 when the items
 * are in order already. */
void flm_sort(uint32_t *items, size_t count, uint32_t *scratch, flm_order order,
              const void *context);

#endif
