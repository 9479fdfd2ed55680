/* json_read_numbers.c - arrays of numbers, many items at a call. */
#include "base/text/internal.h"

/* Where numbers are stored: in `integers`, or in `doubles` where that is NULL. */
struct numbers {
    double *doubles, if_null;
    int64_t *integers, integer_if_null;
};

/* Reads the item at `at`; returns its end, or NULL: the slow path reads it. */
static inline const char *quick_item(const char *at, const char *end, const struct numbers *out,
                                     size_t i)
{
    struct flm_quick_number quick;
    if (*at == 'n') {
        if (memcmp(at, "null", 4) != 0 || flm_json_is_word_byte(at[4]))
            return NULL;
        if (out->integers)
            out->integers[i] = out->integer_if_null;
        else
            out->doubles[i] = out->if_null;
        return at + 4;
    }
    if (out->integers)
        return flm_json_is_quick_integer(at, end, &out->integers[i], &at) ? at : NULL;
    return flm_json_is_quick(at, end, &quick) && flm_quick_value(&quick, &out->doubles[i])
               ? quick.end
               : NULL;
}

/* Reads the items from `first` to `room` of the open array, none of which is pending; stops before
 * one that the slow path must read. Returns the index after the last one. */
static inline size_t quick_items(struct flm_json *json, const struct numbers *out, size_t first,
                                 size_t room)
{
    const char *start = json->source->at, *at = start, *end = json->source->end;
    size_t i = first;
    while (i < room && end - at > FLM_QUICK_BYTES + 1) {
        const char *next = at;
        if (!json->is_first && *next++ != ',')
            break;
        if (*next <= ' ')
            next = flm_json_skip_blanks(next, end);
        if (end - next <= FLM_QUICK_BYTES || !(next = quick_item(next, end, out, i)))
            break;
        at = next;
        json->is_first = false;
        i++;
    }
    flm_json_advance(json, (size_t)(at - start));
    return i;
}

static bool slow_item(struct flm_json *json, const struct numbers *out, size_t i)
{
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
