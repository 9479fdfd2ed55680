/* flatbuffer.h - FlatBuffers, read in place: tables by the numbers of their fields.
 *
 *     root        u32: where the table is
 *     table       i32: how far before it its vtable is; then its fields
 *     vtable      u16 its size, u16 the table's, u16 for each field: where it is in the table, or 0
 *     vector      u32 its count, then its items; a field has u32: how far behind the field it is
 *
 * A position is an offset in the bytes, 0 for what is not there: no table begins there. What is
 * beyond the bytes is not there either, and makes `failed`. */
#ifndef FLAMEL_FORMAT_ARROW_FLATBUFFER_H
#define FLAMEL_FORMAT_ARROW_FLATBUFFER_H

#include "base/core/bytes.h"

struct flm_flatbuffer {
    struct flm_bytes bytes;
    bool failed;
};

/* Whether `size` bytes at the position are within. */
static inline bool flm_flat_has(struct flm_flatbuffer *f, size_t at, uint64_t size)
{
    bool has = at <= f->bytes.size && size <= f->bytes.size - at;
    f->failed |= !has;
    return has;
}

/* A little-endian number of 1 to 8 bytes; 0 where it is not there. */
static inline uint64_t flm_flat_number(struct flm_flatbuffer *f, size_t at, unsigned size)
{
    uint64_t value = 0;
    if (flm_flat_has(f, at, size))
        for (unsigned i = size; i-- > 0;)
            value = value << 8 | (unsigned char)f->bytes.at[at + i];
    return value;
}

/* Where a field of a table is; 0: it has its default. */
static inline size_t flm_flat_field(struct flm_flatbuffer *f, size_t table, unsigned field)
{
    if (table == 0 || !flm_flat_has(f, table, 4))
        return 0;
    int64_t back = (int32_t)flm_flat_number(f, table, 4);
    int64_t vtable = (int64_t)table - back;
    if (vtable < 0 || !flm_flat_has(f, (size_t)vtable, 4)) {
        f->failed = true;
        return 0;
    }
    uint64_t size = flm_flat_number(f, (size_t)vtable, 2), entry = 4 + 2 * (uint64_t)field;
    uint64_t offset = entry + 2 <= size ? flm_flat_number(f, (size_t)vtable + entry, 2) : 0;
    return offset ? table + (size_t)offset : 0;
}

static inline uint64_t flm_flat_value(struct flm_flatbuffer *f, size_t table, unsigned field,
                                      unsigned size, uint64_t otherwise)
{
    size_t at = flm_flat_field(f, table, field);
    return at ? flm_flat_number(f, at, size) : otherwise;
}

/* What a field refers to: a table, or a vector. */
static inline size_t flm_flat_at(struct flm_flatbuffer *f, size_t position)
{
    if (position == 0)
        return 0;
    uint64_t forward = flm_flat_number(f, position, 4);
    return !f->failed && flm_flat_has(f, position, forward) ? position + (size_t)forward : 0;
}

static inline size_t flm_flat_table(struct flm_flatbuffer *f, size_t table, unsigned field)
{
    return flm_flat_at(f, flm_flat_field(f, table, field));
}

static inline size_t flm_flat_root(struct flm_flatbuffer *f)
{
    uint64_t at = flm_flat_number(f, 0, 4);
    return !f->failed && flm_flat_has(f, (size_t)at, 4) ? (size_t)at : 0;
}

/* The first item of a vector whose items have `size` bytes; 0 and no count where there is none. */
static inline size_t flm_flat_vector(struct flm_flatbuffer *f, size_t table, unsigned field,
                                     unsigned size, uint64_t *count)
{
    size_t at = flm_flat_table(f, table, field);
    *count = at ? flm_flat_number(f, at, 4) : 0;
    if (*count == 0 || f->failed || !flm_flat_has(f, at + 4, *count * size)) {
        *count = 0;
        return 0;
    }
    return at + 4;
}

static inline struct flm_bytes flm_flat_text(struct flm_flatbuffer *f, size_t table, unsigned field)
{
    uint64_t size;
    size_t at = flm_flat_vector(f, table, field, 1, &size);
    return at ? (struct flm_bytes){f->bytes.at + at, (size_t)size} : (struct flm_bytes){"", 0};
}

#endif
