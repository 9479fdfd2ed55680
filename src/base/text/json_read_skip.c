/* json_read_skip.c - values of JSON that nobody reads are skipped, with everything inside them. */
#include "base/core/scan.h"
#include "base/text/internal.h"

/* The end of the string whose first quote is before `at`; NULL if it is beyond `end`. */
static const char *string_end(const char *at, const char *end)
{
    for (;;) {
        at = flm_find_either(at, end, '"', '\\');
        if (end - at < 2)
            return NULL;
        if (*at == '"')
            return at + 1;
        at += 2;
    }
}

/* Skips items of an array, of which one begins at `at`, as long as they are whole numbers or nulls
 * with a comma, or a line end and a comma, after each: columns of tables. Returns where an item
 * begins. 64 bytes at once, because where a number ends decides where the next one begins: one
 * after the other, each waits for the one before it, which took six times as long. */
static const char *skip_numbers(const char *at, const char *end)
{
    static const char nulls[] = "null,null,null,null,";
    while (end - at >= (ptrdiff_t)sizeof nulls && memcmp(at, nulls, sizeof nulls - 1) == 0)
        at += sizeof nulls - 1;
#ifdef FLM_SCAN_64
    /* Of the byte before the block: an item begins after a comma. */
    uint64_t digit_before = 0, comma_before = 1, line_before = 0, sign_before = 0;
    for (const char *block = at; end - block >= FLM_SCAN_64; block += FLM_SCAN_64) {
        uint64_t digits = flm_scan64_digits(block), commas = flm_scan64_equal(block, ','),
                 lines = flm_scan64_equal(block, '\n'), signs = flm_scan64_equal(block, '-');
        uint64_t after_digit = digits << 1 | digit_before, after_comma = commas << 1 | comma_before,
                 after_line = lines << 1 | line_before, after_sign = signs << 1 | sign_before;
        uint64_t good = (digits & ~after_line) | (commas & (after_digit | after_line)) |
                        (lines & after_digit) | (signs & after_comma);
        uint64_t bad = ~(good & (digits | ~after_sign));
        commas &= (bad & (0 - bad)) - 1;
        if (commas)
            at = block + FLM_SCAN_64 - __builtin_clzll(commas);
        if (bad)
            break;
        digit_before = digits >> 63;
        comma_before = commas >> 63;
        line_before = lines >> 63;
        sign_before = signs >> 63;
    }
#endif
    return at;
}

/* The end of the value at `at`, which is neither an object nor an array; NULL: the slow path reads
 * it. At least FLM_QUICK_BYTES are there. */
static const char *scalar_end(const char *at, const char *end)
{
    struct flm_quick_number number;
    if (*at == '"')
        return string_end(at + 1, end);
    if (flm_json_is_quick(at, end, &number))
        return number.end;
    if (memcmp(at, "null", 4) == 0 || memcmp(at, "true", 4) == 0)
        return flm_json_is_word_byte(at[4]) ? NULL : at + 4;
    return memcmp(at, "false", 5) == 0 && !flm_json_is_word_byte(at[5]) ? at + 5 : NULL;
}

/* The end of the key at `at` and of its colon; NULL: the slow path reads it. */
static const char *key_end(const char *at, const char *end)
{
    if (at == end || *at != '"')
        return NULL;
    at = string_end(at + 1, end);
    if (!at)
        return NULL;
    at = flm_json_skip_blanks(at, end);
    return at < end && *at == ':' ? at + 1 : NULL;
}

/* Skips values until `bottom` levels are open and none is next. Stops before a value that the slow
 * path must read. */
static void skip_quickly(struct flm_json *json, size_t bottom)
{
    const char *start = json->source->at, *at = start, *end = json->source->end;
    bool has_numbers = true; /* the innermost array, as far as is known */
    if (end - start > FLM_JSON_REPORT_EVERY)
        end = start + FLM_JSON_REPORT_EVERY;
    while (!json->failed && (json->is_pending || json->depth > bottom)) {
        const char *next = flm_json_skip_blanks(at, end);
        if (end - next <= FLM_QUICK_BYTES)
            break;
        bool is_object = json->is_pending ? *next == '{' : flm_json_innermost_is_object(json);
        if (json->is_pending && (is_object || *next == '[')) {
            if (json->depth == FLM_JSON_MOST_DEPTH || json->depth / 8 >= json->is_object.capacity)
                break;
            flm_json_push(json, is_object);
            json->is_pending = false;
            json->is_first = true;
            has_numbers = true;
            at = next + 1;
        } else if (json->is_pending) {
            next = scalar_end(next, end);
            if (!next)
                break;
            json->is_pending = json->is_first = false;
            at = next;
        } else if (*next == (is_object ? '}' : ']')) {
            json->depth--;
            json->is_first = false;
            at = next + 1;
        } else {
            if (!json->is_first) {
                if (*next != ',')
                    break;
                next = flm_json_skip_blanks(next + 1, end);
            }
            if (is_object && !(next = key_end(next, end)))
                break;
            json->is_first = false;
            json->is_pending = true;
            at = is_object || !has_numbers ? next : skip_numbers(next, end);
            has_numbers = at != next;
        }
    }
    flm_json_advance(json, (size_t)(at - start));
}

/* Skips the next value, of an object or array only the first bracket. */
static void skip_one(struct flm_json *json)
{
    enum flm_json_type type = flm_json_type(json);
    if (type == FLM_JSON_TYPE_OBJECT)
        flm_json_enter_object(json);
    else if (type == FLM_JSON_TYPE_ARRAY)
        flm_json_enter_array(json);
    else
        flm_json_skip_scalar(json);
}

void flm_json_skip(struct flm_json *json)
{
    size_t bottom = json->depth;
    while (!json->failed && (json->is_pending || json->depth > bottom)) {
        skip_quickly(json, bottom);
        if (json->is_pending)
            skip_one(json);
        else if (json->depth > bottom)
            flm_json_step(json);
    }
}

void flm_json_leave(struct flm_json *json)
{
    for (size_t inside = json->depth; inside > 0 && json->depth >= inside && !json->failed;) {
        skip_quickly(json, inside - 1);
        if (json->is_pending)
            skip_one(json);
        else if (json->depth >= inside)
            flm_json_step(json);
    }
}
