/* array.h - arrays that grow, with the type of their items.
 *
 *     struct lines FLM_ARRAY(struct line);               a type of its own: struct lines
 *     struct {
 *         struct FLM_ARRAY(uint32_t) offsets;            or a member without one
 *     } table = {0};
 *
 *     if (!FLM_ARRAY_ADD(&table.offsets, 7))             at, count and capacity are members
 *         return flm_error_memory(why);
 *     for (size_t i = 0; i < table.offsets.count; i++)
 *         sum += table.offsets.at[i];
 *     FLM_ARRAY_CLEAR(&table.offsets);
 *
 * All zero is an empty array. It grows by half, so adding n items is linear in n; adding an item
 * for which there is room calls no function. When memory runs out, the array stays as it was.
 * `array` and `more` are evaluated more than once: they must have no side effects.
 *
 * This is the one place where a function will not do: C has no other way to give an array the type
 * of its items. */
#ifndef FLAMEL_BASE_CORE_ARRAY_H
#define FLAMEL_BASE_CORE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* clang-format off */
#define FLM_ARRAY(type) { type *at; size_t count, capacity; }
/* clang-format on */

/* Makes room for `more` items after the last one. False when memory ran out. */
#define FLM_ARRAY_RESERVE(array, more)                                                             \
    ((more) <= (array)->capacity - (array)->count ||                                               \
     flm_array_reserve((array), (more), sizeof *(array)->at))

/* Copies the item to the end of the array. False when memory ran out. */
#define FLM_ARRAY_ADD(array, ...)                                                                  \
    (FLM_ARRAY_RESERVE(array, 1) && ((array)->at[(array)->count++] = (__VA_ARGS__), true))

/* Frees the items; the array is empty, and may be used again. */
#define FLM_ARRAY_CLEAR(array)                                                                     \
    (free((array)->at), (array)->at = NULL, (array)->count = (array)->capacity = 0)

/* What the macros share: `array` points to a struct of FLM_ARRAY. */
bool flm_array_reserve(void *array, size_t more, size_t item_size);

#endif
