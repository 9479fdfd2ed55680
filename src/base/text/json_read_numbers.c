/* json_read_numbers.c - arrays of numbers, many items at a call. */
#include "base/core/scan.h"
#include "base/text/internal.h"

/* Where numbers are stored: in the one that is not NULL. */
struct numbers {
    double *doubles;
    int64_t *integers;
    uint32_t *indices;
    double if_null;
    int64_t integer_if_null;
    uint32_t limit;     /* of indices: they are less */
    const char *beyond; /* likewise: the error */
};

/* Stores item `i`, a whole number of 0 or more; false: it is no index. */
static inline bool store(const struct numbers *out, size_t i, uint64_t value)
{
    if (out->doubles)
        out->doubles[i] = (double)value;
    else if (out->integers)
        out->integers[i] = (int64_t)value;
    else
        out->indices[i] = (uint32_t)value;
    return !out->indices || value < out->limit;
}

/* Stores what item `i` - 1 is another `count` times. */
static inline void store_again(const struct numbers *out, size_t i, size_t count)
{
    for (size_t end = i + count; i < end; i++) {
        if (out->doubles)
            out->doubles[i] = out->doubles[i - 1];
        else if (out->integers)
            out->integers[i] = out->integers[i - 1];
        else
            out->indices[i] = out->indices[i - 1];
    }
}

/* Columns often have one value many times: the nulls of what is not known, weights of 1. The item
 * before `index` is `size` bytes at `item`, with its comma; those that follow it and are the same
 * are recognized as text, 16 bytes at once, and none of them is read. Returns where the next one
 * begins. */
static inline const char *same_items(const char *item, size_t size, const char *end,
                                     const struct numbers *out, size_t *index, size_t room)
{
#ifdef FLM_SCAN_BITS
    if ((size_t)(end - item) >= size + 16 && !flm_scan_different(item, item + size)) {
        size_t most = (size_t)(end - item) - size, wanted = (room - *index) * size;
        size_t same = flm_common_prefix(item, item + size, most < wanted ? most : wanted) / size;
        store_again(out, *index, same);
        *index += same;
        return item + size * (1 + same);
    }
#else
    (void)end, (void)out, (void)index, (void)room;
#endif
    return item + size;
}

/* Reads items of up to 8 digits, of which the first begins at `at`, up to `room`, and stops before
 * any other one. The ends of those in 64 bytes are found at once, as in skip_numbers of
 * json_read_skip.c. Returns where the next item begins, and its index. */
static inline const char *small_items(const char *at, const char *end, const struct numbers *out,
                                      size_t *index, size_t room)
{
#ifdef FLM_SCAN_64
    size_t i = *index;
    while (end - at >= FLM_SCAN_64 + 8) {
        const char *block = at;
        uint64_t commas = flm_scan64_equal(block, ','),
                 other = ~(flm_scan64_digits(block) | commas);
        commas &= (other & (0 - other)) - 1;
        if (commas && i < room && at[__builtin_ctzll(commas) + 1] == *at) {
            size_t size = (size_t)__builtin_ctzll(commas);
            if (size - 1 < 8 && store(out, i, flm_quick_value8(at, (unsigned)size))) {
                i++;
                at = same_items(at, size + 1, end, out, &i, room);
                if (at - block > (ptrdiff_t)size + 1)
                    continue;
                commas &= commas - 1;
            }
        }
        for (; commas && i < room; commas &= commas - 1) {
            const char *comma = block + __builtin_ctzll(commas);
            size_t size = (size_t)(comma - at);
            if (size - 1 >= 8 || !store(out, i, flm_quick_value8(at, (unsigned)size)))
                break;
            at = comma + 1;
            i++;
        }
        if (commas || at == block)
            break;
    }
    *index = i;
#else
    (void)end, (void)out, (void)index, (void)room;
#endif
    return at;
}

/* Reads the item at `at`; returns its end, or NULL: the slow path reads it. */
static inline const char *quick_item(const char *at, const char *end, const struct numbers *out,
                                     size_t i)
{
    struct flm_quick_number quick;
    int64_t integer;
    if (*at == 'n' && !out->indices) {
        if (memcmp(at, "null", 4) != 0 || flm_json_is_word_byte(at[4]))
            return NULL;
        if (out->integers)
            out->integers[i] = out->integer_if_null;
        else
            out->doubles[i] = out->if_null;
        return at + 4;
    }
    if (out->doubles)
        return flm_json_is_quick(at, end, &quick) && flm_quick_value(&quick, &out->doubles[i])
                   ? quick.end
                   : NULL;
    if (!flm_json_is_quick_integer(at, end, &integer, &at))
        return NULL;
    if (!out->integers)
        return integer >= 0 && store(out, i, (uint64_t)integer) ? at : NULL;
    out->integers[i] = integer;
    return at;
}

/* Reads the items from `first` to `room` of the open array, none of which is pending; stops before
 * one that the slow path must read. Returns the index after the last one. */
static inline size_t quick_items(struct flm_json *json, const struct numbers *out, size_t first,
                                 size_t room)
{
    const char *start = json->source->at, *at = start, *end = json->source->end;
    enum { PAUSE = 16 };
    size_t i = first, try_at = i; /* where small items are tried again */
    while (i < room && end - at > FLM_QUICK_BYTES + 1) {
        const char *next = at;
        if (!json->is_first && *next++ != ',')
            break;
        if (*next <= ' ')
            next = flm_json_skip_blanks(next, end);
        const char *item = next;
        size_t before = i;
        if (i >= try_at)
            next = small_items(item, end, out, &i, room);
        if (i > before) {
            at = next - 1; /* the comma */
            json->is_first = false;
            continue;
        }
        try_at = i >= try_at ? i + PAUSE : try_at;
        if (end - next <= FLM_QUICK_BYTES || !(next = quick_item(next, end, out, i)))
            break;
        at = next;
        json->is_first = false;
        i++;
        if (*at == ',')
            at = same_items(item, (size_t)(at - item) + 1, end, out, &i, room) - 1;
    }
    flm_json_advance(json, (size_t)(at - start));
    return i;
}

static bool slow_item(struct flm_json *json, const struct numbers *out, size_t i)
{
    int64_t integer;
    if (out->indices) {
        if (!flm_json_integer(json, &integer))
            return false;
        out->indices[i] = (uint32_t)integer;
        return (integer >= 0 && integer < out->limit) || flm_json_fail(json, out->beyond);
    }
    bool is_null = flm_json_type(json) == FLM_JSON_TYPE_NULL;
    if (is_null)
        flm_json_skip(json);
    if (out->integers) {
        out->integers[i] = out->integer_if_null;
        return is_null ? !json->failed : flm_json_integer(json, &out->integers[i]);
    }
    out->doubles[i] = out->if_null;
    return is_null ? !json->failed : flm_json_double(json, &out->doubles[i]);
}

static inline size_t next_numbers(struct flm_json *json, const struct numbers *out, size_t room)
{
    size_t count = 0;
    if (json->is_pending)
        flm_json_skip(json);
    while (count < room && !json->failed) {
        if (json->depth > 0 && !flm_json_innermost_is_object(json))
            count = quick_items(json, out, count, room);
        /* The next call, which reads nothing more, leaves the array. */
        if (count == room || (count > 0 && flm_json_peek_solid(json) == ']'))
            break;
        if (!flm_json_next_item(json))
            return 0;
        count += slow_item(json, out, count);
    }
    return json->failed ? 0 : count;
}

size_t flm_json_next_doubles(struct flm_json *json, double *values, size_t room, double if_null)
{
    const struct numbers out = {.doubles = values, .if_null = if_null};
    return next_numbers(json, &out, room);
}

size_t flm_json_next_integers(struct flm_json *json, int64_t *values, size_t room, int64_t if_null)
{
    const struct numbers out = {.integers = values, .integer_if_null = if_null};
    return next_numbers(json, &out, room);
}

size_t flm_json_next_indices(struct flm_json *json, uint32_t *values, size_t room, uint32_t limit,
                             const char *beyond)
{
    const struct numbers out = {.indices = values, .limit = limit, .beyond = beyond};
    return next_numbers(json, &out, room);
}

/* ---- Arrays that begin alike ----------------------------------------------------------------- */

static size_t count_commas(const char *at, const char *end)
{
    size_t count = 0;
    for (; at < end; at++)
        count += *at == ',';
    return count;
}

size_t flm_json_skip_repeated(struct flm_json *json, struct flm_json_row *row)
{
    const char *at = json->source->at, *end = json->source->end;
    const char *close = json->failed ? end : flm_find(at, end, ']');
    if (close == end || !json->is_first) {
        row->count = 0;
        return 0;
    }
    size_t size = (size_t)(close - at) + 1, most = size < row->count ? size : row->count;
    size_t same = flm_common_prefix(at, row->at, most);
    if (!FLM_ARRAY_RESERVE(row, size > row->count ? size - row->count : 0)) {
        flm_json_fail_memory(json);
        return 0;
    }
    memcpy(row->at + same, at + same, size - same);
    row->count = size;
    /* Back to where an item has ended: all is the same, or the last comma. */
    if (same == size)
        same--;
    else
        while (same > 0 && at[--same] != ',')
            ;
    if (same == 0)
        return 0;
    json->is_first = false;
    flm_json_advance(json, same);
    return count_commas(at, at + same) + 1;
}
