#include "base/text/json_read.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/scan.h"
#include "base/text/internal.h"

void flm_json_init(struct flm_json *json, struct flm_source *source, struct flm_error *why)
{
    assert(source);
    *json = (struct flm_json){.source = source, .why = why, .is_pending = true};
}

void flm_json_clear(struct flm_json *json)
{
    FLM_ARRAY_CLEAR(&json->is_object);
    flm_text_clear(&json->text);
    flm_text_clear(&json->key);
    json->depth = 0;
}

static bool fail(struct flm_json *json, const char *reason)
{
    if (!json->failed)
        flm_error_byte(json->why, FLM_ERROR_FORMAT, json->offset, "%s", reason);
    json->failed = true;
    return false;
}

bool flm_json_fail(struct flm_json *json, const char *reason)
{
    return fail(json, reason);
}

bool flm_json_fail_memory(struct flm_json *json)
{
    if (!json->failed)
        flm_error_memory(json->why);
    json->failed = true;
    return false;
}

bool flm_json_fail_cut(struct flm_json *json)
{
    json->is_cut = !json->failed;
    return fail(json, "the JSON ends too early");
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool more(struct flm_json *json)
{
    json->failed = !flm_source_more(json->source, json->why);
    return !json->failed;
}

int flm_json_peek_more(struct flm_json *json, size_t ahead)
{
    struct flm_source *source = json->source;
    while (!json->failed && (size_t)(source->end - source->at) <= ahead)
        if (source->last || !more(json))
            return -1;
    return json->failed ? -1 : (unsigned char)source->at[ahead];
}

void flm_json_report(struct flm_json *json)
{
    if (!flm_source_progress(json->source, json->offset - json->reported, json->why))
        json->failed = true;
    json->reported = json->offset;
}

int flm_json_skip_to_solid(struct flm_json *json)
{
    for (;;) {
        int byte = flm_json_peek(json, 0);
        if (!flm_json_is_blank(byte))
            return byte;
        const struct flm_source *source = json->source;
        flm_json_advance(json,
                         (size_t)(flm_json_skip_blanks(source->at, source->end) - source->at));
    }
}

static bool take(struct flm_json *json, char wanted, const char *reason)
{
    int byte = flm_json_peek_solid(json);
    if (byte == wanted) {
        flm_json_advance(json, 1);
        return true;
    }
    return byte < 0 ? flm_json_fail_cut(json) : fail(json, reason);
}

/* ---- The type of the next value -------------------------------------------------------------- */

static enum flm_json_type no_type(struct flm_json *json, int byte)
{
    if (byte < 0)
        flm_json_fail_cut(json);
    else
        fail(json, "a JSON value is expected here");
    return FLM_JSON_TYPE_NONE;
}

enum flm_json_type flm_json_type(struct flm_json *json)
{
    static const char mark[3] = {'\xEF', '\xBB', '\xBF'};
    static const unsigned char types[256] = {
        ['{'] = FLM_JSON_TYPE_OBJECT, ['['] = FLM_JSON_TYPE_ARRAY,  ['"'] = FLM_JSON_TYPE_STRING,
        ['t'] = FLM_JSON_TYPE_BOOL,   ['f'] = FLM_JSON_TYPE_BOOL,   ['n'] = FLM_JSON_TYPE_NULL,
        ['0'] = FLM_JSON_TYPE_NUMBER, ['1'] = FLM_JSON_TYPE_NUMBER, ['2'] = FLM_JSON_TYPE_NUMBER,
        ['3'] = FLM_JSON_TYPE_NUMBER, ['4'] = FLM_JSON_TYPE_NUMBER, ['5'] = FLM_JSON_TYPE_NUMBER,
        ['6'] = FLM_JSON_TYPE_NUMBER, ['7'] = FLM_JSON_TYPE_NUMBER, ['8'] = FLM_JSON_TYPE_NUMBER,
        ['9'] = FLM_JSON_TYPE_NUMBER, ['-'] = FLM_JSON_TYPE_NUMBER, ['N'] = FLM_JSON_TYPE_NUMBER,
        ['I'] = FLM_JSON_TYPE_NUMBER,
    };
    if (json->failed || !json->is_pending)
        return FLM_JSON_TYPE_NONE;
    if (json->offset == 0 && flm_json_peek(json, 2) >= 0 && memcmp(json->source->at, mark, 3) == 0)
        flm_json_advance(json, 3);
    int byte = flm_json_peek_solid(json);
    enum flm_json_type type = byte < 0 ? FLM_JSON_TYPE_NONE : (enum flm_json_type)types[byte];
    return type != FLM_JSON_TYPE_NONE ? type : no_type(json, byte);
}

static bool expect(struct flm_json *json, enum flm_json_type wanted)
{
    static const char *const reasons[] = {
        [FLM_JSON_TYPE_OBJECT] = "an object is expected here",
        [FLM_JSON_TYPE_ARRAY] = "an array is expected here",
        [FLM_JSON_TYPE_STRING] = "a string is expected here",
        [FLM_JSON_TYPE_NUMBER] = "a number is expected here",
        [FLM_JSON_TYPE_BOOL] = "true or false is expected here",
        [FLM_JSON_TYPE_NULL] = "null is expected here",
    };
    enum flm_json_type type = flm_json_type(json);
    return type == wanted || fail(json, reasons[wanted]);
}

/* ---- Objects and arrays ---------------------------------------------------------------------- */

/* The usual case of `enter`: the bracket is the next byte, and there is room for a level. */
static inline bool may_enter_quickly(const struct flm_json *json, char bracket)
{
    const struct flm_source *source = json->source;
    return json->is_pending && !json->failed && source->at < source->end &&
           *source->at == bracket && json->depth / 8 < json->is_object.capacity &&
           json->depth < FLM_JSON_MOST_DEPTH;
}

static inline bool enter(struct flm_json *json, bool is_object)
{
    if (may_enter_quickly(json, is_object ? '{' : '[')) {
        flm_json_push(json, is_object);
        json->is_first = true;
        json->is_pending = false;
        flm_json_advance(json, 1);
        return !json->failed;
    }
    if (!expect(json, is_object ? FLM_JSON_TYPE_OBJECT : FLM_JSON_TYPE_ARRAY))
        return false;
    if (json->depth == FLM_JSON_MOST_DEPTH)
        return fail(json, "more than 2^20 objects and arrays inside each other");
    if (!FLM_ARRAY_RESERVE(&json->is_object, json->depth / 8 + 1))
        return flm_json_fail_memory(json);
    flm_json_push(json, is_object);
    json->is_first = true;
    json->is_pending = false;
    flm_json_advance(json, 1);
    return !json->failed;
}

bool flm_json_enter_object(struct flm_json *json)
{
    return enter(json, true);
}

bool flm_json_enter_array(struct flm_json *json)
{
    return enter(json, false);
}

bool flm_json_in_object(const struct flm_json *json)
{
    return json->depth > 0 && flm_json_innermost_is_object(json);
}

/* Moves to the next key or item; false after the last one, when it also leaves the object or
 * array. */
static bool step(struct flm_json *json, bool is_object)
{
    if (json->failed)
        return false;
    if (json->depth == 0 || flm_json_innermost_is_object(json) != is_object)
        return fail(json, is_object ? "an object is expected here" : "an array is expected here");
    if (flm_json_peek_solid(json) == (is_object ? '}' : ']')) {
        flm_json_advance(json, 1);
        json->depth--;
        json->is_first = false;
        return false;
    }
    if (!json->is_first &&
        !take(json, ',', is_object ? "',' or '}' is expected here" : "',' or ']' is expected here"))
        return false;
    json->is_first = false;
    return true;
}

static inline bool step_to_item(struct flm_json *json)
{
    const char *at = json->source->at;
    if (json->source->end - at >= FLM_JSON_QUICK_BYTES && at[0] == ',' &&
        (unsigned char)at[1] > ' ' && !json->is_first && !json->failed && json->depth > 0 &&
        !flm_json_innermost_is_object(json)) {
        flm_json_advance(json, 1);
        json->is_pending = true;
        return flm_json_type(json) != FLM_JSON_TYPE_NONE;
    }
    if (!step(json, false))
        return false;
    json->is_pending = true;
    return flm_json_type(json) != FLM_JSON_TYPE_NONE;
}

/* Copies a key out of the window. */
static bool copy_key(struct flm_json *json, struct flm_bytes *key)
{
    json->key.size = 0;
    flm_text_add(&json->key, *key);
    *key = (struct flm_bytes){json->key.at, json->key.size};
    return !json->key.failed || flm_json_fail_memory(json);
}

/* step_to_key, for a key without escapes that is in the window with its colon. False: nothing
 * happened. */
static inline bool step_to_quick_key(struct flm_json *json, struct flm_bytes *key)
{
    const char *start = json->source->at, *at = start, *end = json->source->end;
    if (json->failed || json->depth == 0 || !flm_json_innermost_is_object(json) ||
        end - start < FLM_JSON_QUICK_BYTES)
        return false;
    if (!json->is_first && *at++ != ',')
        return false;
    if (*at <= ' ')
        at = flm_json_skip_blanks(at, end);
    if (at == end || *at != '"')
        return false;
    const char *quote = flm_find_either(at + 1, end, '"', '\\');
    if (end - quote < 3 || quote[0] != '"' || quote[1] != ':')
        return false;
    *key = (struct flm_bytes){at + 1, (size_t)(quote - at) - 1};
    json->is_first = false;
    json->is_pending = true;
    flm_json_advance(json, (size_t)(quote - start) + (quote[2] == ' ' ? 3 : 2));
    return !json->failed && (json->source->last || copy_key(json, key));
}

/* The key is copied where the window may still move: unlike a text, it is needed after its value is
 * read. Its end and its ':' are found first, as the window may move until both are in it. */
static bool step_to_key(struct flm_json *json, struct flm_bytes *key)
{
    struct flm_json_quoted string;
    struct flm_bytes found;
    if (!step(json, true))
        return false;
    int byte = flm_json_peek_solid(json);
    if (byte != '"')
        return byte < 0 ? flm_json_fail_cut(json) : fail(json, "a key in quotes is expected here");
    if (!flm_json_find_string(json, &string))
        return false;
    size_t colon = string.size;
    while (flm_json_is_blank(byte = flm_json_peek(json, colon)))
        colon++;
    if (byte != ':')
        return byte < 0 ? flm_json_fail_cut(json) : fail(json, "':' is expected after this key");
    if (key) {
        if (!flm_json_take_string(json, &string, &found))
            return false;
        *key = found;
        if ((string.has_escapes || !json->source->last) && !copy_key(json, key))
            return false;
        colon -= string.size;
    }
    flm_json_advance(json, colon + 1);
    json->is_pending = true;
    return !json->failed;
}

bool flm_json_next_item(struct flm_json *json)
{
    if (json->is_pending)
        flm_json_skip(json);
    return step_to_item(json);
}

bool flm_json_next_key(struct flm_json *json, struct flm_bytes *key)
{
    if (json->is_pending)
        flm_json_skip(json);
    return step_to_quick_key(json, key) || step_to_key(json, key);
}

static inline bool follows(const struct flm_json_follower *follower, const char *at)
{
    uint64_t found[2], text[2], mask[2];
    memcpy(found, at, sizeof found);
    memcpy(text, follower->text, sizeof text);
    memcpy(mask, follower->mask, sizeof mask);
    return follower->size > 0 &&
           (((found[0] ^ text[0]) & mask[0]) | ((found[1] ^ text[1]) & mask[1])) == 0;
}

/* Moves to the value of the next key, if that is one of the expected two, or out of the object.
 * False: nothing happened. */
static inline bool step_to_expected_key(struct flm_json *json, struct flm_json_keys *keys,
                                        size_t *key)
{
    const struct flm_json_follower *expected = keys->followers[keys->last];
    const char *start = json->source->at, *at = start, *end = json->source->end;
    if (end - start < FLM_JSON_QUICK_BYTES || json->failed || json->depth == 0 ||
        !flm_json_innermost_is_object(json))
        return false;
    if (*at == '}') {
        json->depth--;
        json->is_first = false;
        flm_json_advance(json, 1);
        *key = FLM_JSON_NO_KEY;
        return true;
    }
    if (!json->is_first && *at++ != ',')
        return false;
    if (*at <= ' ') {
        at = flm_json_skip_blanks(at, end);
        if (end - at < FLM_JSON_KEY_ROOM + 1)
            return false;
    }
    if (!follows(expected, at) && !follows(++expected, at))
        return false;
    at += expected->size;
    json->is_first = false;
    json->is_pending = true;
    flm_json_advance(json, (size_t)(at - start) + (*at == ' '));
    *key = keys->last = expected->key;
    return true;
}

/* The key becomes the first follower, the first becomes the second. */
static void learn(struct flm_json_follower followers[2], size_t key, struct flm_bytes name)
{
    struct flm_json_follower *follower = &followers[0];
    followers[1] = followers[0];
    *follower = (struct flm_json_follower){.key = (unsigned char)key};
    if (name.size == 0 || name.size + 3 > sizeof follower->text) /* `at` is NULL if it is empty */
        return;
    const char *end = name.at + name.size;
    if (flm_find_either(name.at, end, '"', '\\') < end)
        return;
    follower->size = (unsigned char)(name.size + 3);
    follower->text[0] = '"';
    memcpy(follower->text + 1, name.at, name.size);
    memcpy(follower->text + 1 + name.size, "\":", 2);
    memset(follower->mask, 255, follower->size);
}

size_t flm_json_next_known_key(struct flm_json *json, struct flm_json_keys *keys)
{
    struct flm_bytes key;
    size_t expected;
    if (json->is_pending)
        flm_json_skip(json);
    if (step_to_expected_key(json, keys, &expected))
        return expected;
    if (!step_to_quick_key(json, &key) && !step_to_key(json, &key))
        return FLM_JSON_NO_KEY;
    size_t i = 0;
    while (i < keys->count && !flm_bytes_equal(keys->names[i], key))
        i++;
    learn(keys->followers[keys->last], i, key);
    keys->last = (unsigned char)i;
    return i;
}

bool flm_json_step(struct flm_json *json)
{
    return flm_json_innermost_is_object(json) ? step_to_key(json, NULL) : step_to_item(json);
}

/* ---- Values ---------------------------------------------------------------------------------- */

bool flm_json_string(struct flm_json *json, struct flm_bytes *text)
{
    struct flm_json_quoted string;
    const char *at = json->source->at, *end = json->source->end;
    *text = (struct flm_bytes){"", 0};
    if (json->is_pending && !json->failed && end - at >= FLM_JSON_QUICK_BYTES && *at == '"') {
        const char *quote = flm_find_either(at + 1, end, '"', '\\');
        if (quote < end && *quote == '"') {
            *text = (struct flm_bytes){at + 1, (size_t)(quote - at) - 1};
            json->is_pending = false;
            flm_json_advance(json, text->size + 2);
            return !json->failed;
        }
    }
    if (!expect(json, FLM_JSON_TYPE_STRING) || !flm_json_find_string(json, &string))
        return false;
    json->is_pending = false;
    return flm_json_take_string(json, &string, text);
}

/* The size of the number or word at the current position. */
static size_t word_size(struct flm_json *json)
{
    size_t size = 0;
    while (flm_json_is_word_byte(flm_json_peek(json, size)))
        size++;
    return size;
}

static bool read_any_number(struct flm_json *json, struct flm_json_number *number)
{
    size_t size = word_size(json);
    if (json->failed)
        return false;
    struct flm_json_number found = {{json->source->at, size}, 0};
    if (flm_number_parse(found.text, &found.value) == FLM_NUMBER_NONE)
        return fail(json, "a number is expected here");
    *number = found;
    json->is_pending = false;
    flm_json_advance(json, size);
    return !json->failed;
}

/* Whether a number begins at the current position: the usual case of `expect`. */
static inline bool is_quick_number_next(const struct flm_json *json)
{
    const struct flm_source *source = json->source;
    return json->is_pending && !json->failed && source->at < source->end &&
           (unsigned)(*source->at - '0') < 10;
}

bool flm_json_number(struct flm_json *json, struct flm_json_number *number)
{
    struct flm_quick_number quick;
    *number = (struct flm_json_number){{"", 0}, 0};
    if (!is_quick_number_next(json) && !expect(json, FLM_JSON_TYPE_NUMBER))
        return false;
    const char *at = json->source->at;
    if (!flm_json_is_quick(at, json->source->end, &quick) ||
        !flm_quick_value(&quick, &number->value))
        return read_any_number(json, number);
    number->text = (struct flm_bytes){at, (size_t)(quick.end - at)};
    json->is_pending = false;
    flm_json_advance(json, number->text.size);
    return !json->failed;
}

bool flm_json_decimal(struct flm_json *json, int places, int64_t *value)
{
    struct flm_quick_number quick;
    const char *at = json->source->at;
    if (!is_quick_number_next(json) || !flm_json_is_quick(at, json->source->end, &quick) ||
        places + quick.exponent < 0)
        return false;
    uint64_t unit = flm_quick_tens[places + quick.exponent];
    if (quick.digits >= INT64_MAX / unit)
        return false;
    *value = (int64_t)(quick.digits * unit);
    json->is_pending = false;
    flm_json_advance(json, (size_t)(quick.end - at));
    return !json->failed;
}

bool flm_json_double(struct flm_json *json, double *value)
{
    struct flm_json_number number;
    bool good = flm_json_number(json, &number);
    *value = number.value;
    return good;
}

/* A whole number with many digits, a fraction or an exponent. */
static bool read_any_integer(struct flm_json *json, int64_t *value)
{
    struct flm_json_number number;
    uint64_t offset = json->offset, magnitude;
    *value = 0;
    if (!read_any_number(json, &number))
        return false;
    bool negative = *number.text.at == '-';
    struct flm_bytes digits = {number.text.at + negative, number.text.size - negative};
    if (flm_number_parse_uint(digits, &magnitude)) {
        if (magnitude <= INT64_MAX) {
            *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
            return true;
        }
    } else if (number.value >= -FLM_EXACT_LIMIT && number.value <= FLM_EXACT_LIMIT &&
               (double)(int64_t)number.value == number.value) {
        *value = (int64_t)number.value;
        return true;
    }
    json->offset = offset;
    return fail(json, "a whole number of 63 bits is expected here");
}

bool flm_json_integer(struct flm_json *json, int64_t *value)
{
    const char *end;
    *value = 0;
    if (!is_quick_number_next(json) && !expect(json, FLM_JSON_TYPE_NUMBER))
        return false;
    if (!flm_json_is_quick_integer(json->source->at, json->source->end, value, &end))
        return read_any_integer(json, value);
    json->is_pending = false;
    flm_json_advance(json, (size_t)(end - json->source->at));
    return !json->failed;
}

static bool take_word(struct flm_json *json, const char *word)
{
    size_t size = word_size(json);
    if (json->failed || !flm_bytes_are((struct flm_bytes){json->source->at, size}, word))
        return false;
    json->is_pending = false;
    flm_json_advance(json, size);
    return !json->failed;
}

bool flm_json_bool(struct flm_json *json, bool *value)
{
    *value = false;
    if (!expect(json, FLM_JSON_TYPE_BOOL))
        return false;
    *value = flm_json_peek(json, 0) == 't';
    return take_word(json, *value ? "true" : "false") ||
           (!json->failed && fail(json, "true or false is expected here"));
}

/* A value that is neither an object nor an array. */
void flm_json_skip_scalar(struct flm_json *json)
{
    struct flm_json_quoted string;
    struct flm_json_number number;
    bool value;
    switch (flm_json_type(json)) {
    case FLM_JSON_TYPE_STRING:
        if (flm_json_find_string(json, &string)) {
            json->is_pending = false;
            flm_json_advance(json, string.size);
        }
        break;
    case FLM_JSON_TYPE_NUMBER:
        flm_json_number(json, &number);
        break;
    case FLM_JSON_TYPE_BOOL:
        flm_json_bool(json, &value);
        break;
    case FLM_JSON_TYPE_NULL:
        if (!take_word(json, "null") && !json->failed)
            fail(json, "null is expected here");
        break;
    default:
        break;
    }
}

bool flm_json_finish(struct flm_json *json)
{
    if (json->is_pending)
        flm_json_skip(json);
    while (json->depth > 0 && !json->failed)
        flm_json_leave(json);
    if (!json->failed && flm_json_peek_solid(json) >= 0)
        fail(json, "something follows the end of the JSON");
    if (!json->failed)
        json->failed = !flm_source_progress(json->source, json->offset - json->reported, json->why);
    flm_json_clear(json);
    return !json->failed;
}
