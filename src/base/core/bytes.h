/* bytes.h - a borrowed run of bytes, and a growing one.
 *
 * Names and texts are bytes with a length, never terminated strings: a symbol may hold any byte,
 * a NUL included. A `struct flm_bytes` borrows; whoever made the bytes says how long they last. */
#ifndef FLAMEL_BASE_CORE_BYTES_H
#define FLAMEL_BASE_CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct flm_bytes {
    const char *at;
    size_t size;
};

static inline struct flm_bytes flm_bytes_of(const char *text)
{
    return (struct flm_bytes){text, strlen(text)};
}

static inline bool flm_bytes_equal(struct flm_bytes a, struct flm_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static inline bool flm_bytes_are(struct flm_bytes a, const char *text)
{
    return flm_bytes_equal(a, flm_bytes_of(text));
}

/* Byte order, shorter first: the canonical order of names. Less than, equal to, greater than 0. */
static inline int flm_bytes_compare(struct flm_bytes a, struct flm_bytes b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared ? memcmp(a.at, b.at, shared) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static inline bool flm_bytes_start_with(struct flm_bytes a, const char *text)
{
    size_t size = strlen(text);
    return a.size >= size && memcmp(a.at, text, size) == 0;
}

/* Whether `text`, of one byte or more, is somewhere in it. Files are recognized by that, by dozens
 * of texts in their first 64 KiB: it looks at 16 places at once. */
bool flm_bytes_contain(struct flm_bytes a, const char *text);

static inline bool flm_bytes_end_with(struct flm_bytes a, const char *text)
{
    size_t size = strlen(text);
    return a.size >= size && memcmp(a.at + a.size - size, text, size) == 0;
}

/* The bytes from `start` to the end. */
static inline struct flm_bytes flm_bytes_from(struct flm_bytes a, size_t start)
{
    return (struct flm_bytes){a.at + start, a.size - start};
}

static inline bool flm_is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n';
}

/* Without the blanks at both ends. */
static inline struct flm_bytes flm_bytes_trimmed(struct flm_bytes a)
{
    while (a.size > 0 && flm_is_space(a.at[0]))
        a = flm_bytes_from(a, 1);
    while (a.size > 0 && flm_is_space(a.at[a.size - 1]))
        a.size--;
    return a;
}

/* Whether `byte` is one of those in `set`; a NUL never is. */
static inline bool flm_is_one_of(char byte, const char *set)
{
    while (*set && *set != byte)
        set++;
    return *set != 0;
}

/* Reallocates the array at `*items` so that it holds at least `needed` items of `item_size` bytes;
 * `*capacity` counts items. It grows by half, so adding n items is linear in n. False when memory
 * ran out: the array is then unchanged. */
bool flm_grow(void **items, size_t *capacity, size_t needed, size_t item_size);

/* `count` items of zeros, written rather than mapped: for arrays that are read at random before
 * they are written to, like hash tables. Fresh pages from calloc are the kernel's one page of zeros
 * until they are written to; the write is then a second fault, and with threads it stops the other
 * threads to flush their TLBs. That took a third of the time of reading sorted text with two
 * threads. NULL when memory ran out; free it with free. */
void *flm_new_zeroed(size_t count, size_t item_size);

#endif
