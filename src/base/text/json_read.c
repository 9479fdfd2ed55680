#include "base/text/json_read.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/scan.h"
#include "base/number/quick.h"

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

static bool fail_cut(struct flm_json *json)
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

/* peek, beyond the window. */
static int peek_more(struct flm_json *json, size_t ahead)
{
    struct flm_source *source = json->source;
    while (!json->failed && (size_t)(source->end - source->at) <= ahead)
        if (source->last || !more(json))
            return -1;
    return json->failed ? -1 : (unsigned char)source->at[ahead];
}

/* The byte at `ahead` from here; -1 at the end of the input and after an error. */
static inline int peek(struct flm_json *json, size_t ahead)
{
    const struct flm_source *source = json->source;
    if ((size_t)(source->end - source->at) > ahead && !json->failed)
        return (unsigned char)source->at[ahead];
    return peek_more(json, ahead);
}

static void report(struct flm_json *json)
{
    if (!flm_source_progress(json->source, json->offset - json->reported, json->why))
        json->failed = true;
    json->reported = json->offset;
}

enum {
    REPORT_EVERY = 4 << 20,
    QUICK_BYTES = 64 /* what is this far from the end of the window is read the slow way */
};

static inline void advance(struct flm_json *json, size_t size)
{
    json->source->at += size;
    json->offset += size;
    if (json->offset - json->reported > REPORT_EVERY)
        report(json);
}

static bool is_blank(int byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static int skip_to_solid(struct flm_json *json)
{
    for (;;) {
        int byte = peek(json, 0);
        if (!is_blank(byte))
            return byte;
        const struct flm_source *source = json->source;
        advance(json, (size_t)(skip_blanks(source->at, source->end) - source->at));
    }
}

/* Skips blanks; returns the byte after them, or -1. */
static inline int peek_solid(struct flm_json *json)
{
    int byte = peek(json, 0);
    return byte > ' ' ? byte : skip_to_solid(json);
}

static bool take(struct flm_json *json, char wanted, const char *reason)
{
    int byte = peek_solid(json);
    if (byte == wanted) {
        advance(json, 1);
        return true;
    }
    return byte < 0 ? fail_cut(json) : fail(json, reason);
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* The string that begins here. */
struct string {
    size_t size; /* with both quotes */
    bool has_escapes;
};

static bool find_string(struct flm_json *json, struct string *string)
{
    *string = (struct string){1, false};
    for (;;) {
        const char *start = json->source->at, *end = json->source->end;
        const char *at = flm_find_either(start + string->size, end, '"', '\\');
        string->size = (size_t)(at - start);
        if (at == end) {
            if (peek(json, string->size) < 0)
                return !json->failed && fail_cut(json);
        } else if (*at == '"') {
            string->size++;
            return true;
        } else {
            if (peek(json, string->size + 1) < 0)
                return !json->failed && fail_cut(json);
            string->has_escapes = true;
            string->size += 2;
        }
    }
}

/* Four hexadecimal digits. */
static bool read_unit(const char *at, const char *end, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        if (at + i >= end)
            return false;
        int digit = flm_hex_value(at[i]);
        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

static void add_character(struct flm_text *text, uint32_t code)
{
    if (code < 0x80) {
        flm_text_putc(text, (char)code);
        return;
    }
    int following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    flm_text_putc(text, (char)(lead[following] | code >> 6 * following));
    while (following-- > 0)
        flm_text_putc(text, (char)(0x80 | (code >> 6 * following & 0x3F)));
}

/* Reads \uXXXX, from after the u, and the second half of a surrogate pair; returns the end, or
 * NULL. */
static const char *add_unicode(struct flm_text *text, const char *at, const char *end)
{
    const uint32_t replacement = 0xFFFD;
    uint32_t code, low;
    if (!read_unit(at, end, &code))
        return NULL;
    at += 4;
    if (code >= 0xD800 && code < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u' &&
        read_unit(at + 2, end, &low) && low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        at += 6;
    }
    add_character(text, code >= 0xD800 && code < 0xE000 ? replacement : code);
    return at;
}

/* Adds [at, end) to the text, unescaped; false for an unknown escape. */
static bool unescape(struct flm_text *text, const char *at, const char *end)
{
    static const char escapes[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    while (at < end) {
        const char *backslash = flm_find(at, end, '\\');
        flm_text_add(text, (struct flm_bytes){at, (size_t)(backslash - at)});
        if (backslash == end)
            break;
        at = backslash + 2;
        const char *known = memchr(escapes, backslash[1], sizeof escapes - 1);
        if (known)
            flm_text_putc(text, bytes[known - escapes]);
        else if (backslash[1] != 'u' || !(at = add_unicode(text, at, end)))
            return false;
    }
    return true;
}

/* Reads the string that find_string found, and moves past it. */
static bool take_string(struct flm_json *json, const struct string *string, struct flm_bytes *text)
{
    const char *start = json->source->at + 1;
    *text = (struct flm_bytes){start, string->size - 2};
    if (string->has_escapes) {
        json->text.size = 0;
        if (!unescape(&json->text, start, start + text->size))
            return fail(json, "this string has an escape that JSON does not know");
        if (json->text.failed)
            return flm_json_fail_memory(json);
        *text = (struct flm_bytes){json->text.at, json->text.size};
    }
    advance(json, string->size);
    return !json->failed;
}

/* ---- The type of the next value -------------------------------------------------------------- */

static enum flm_json_type no_type(struct flm_json *json, int byte)
{
    if (byte < 0)
        fail_cut(json);
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
    if (json->offset == 0 && peek(json, 2) >= 0 && memcmp(json->source->at, mark, 3) == 0)
        advance(json, 3);
    int byte = peek_solid(json);
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

/* Another level, for which is_object has room. */
static inline void push(struct flm_json *json, bool is_object)
{
    unsigned char *byte = &json->is_object.at[json->depth / 8],
                  bit = (unsigned char)(1 << json->depth % 8);
    *byte = (unsigned char)(is_object ? *byte | bit : *byte & ~bit);
    json->depth++;
}

static bool enter(struct flm_json *json, bool is_object)
{
    if (!expect(json, is_object ? FLM_JSON_TYPE_OBJECT : FLM_JSON_TYPE_ARRAY))
        return false;
    if (json->depth == FLM_JSON_MOST_DEPTH)
        return fail(json, "more than 2^20 objects and arrays inside each other");
    if (!FLM_ARRAY_RESERVE(&json->is_object, json->depth / 8 + 1))
        return flm_json_fail_memory(json);
    push(json, is_object);
    json->is_first = true;
    json->is_pending = false;
    advance(json, 1);
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

static inline bool in_object(const struct flm_json *json)
{
    size_t level = json->depth - 1;
    return json->is_object.at[level / 8] >> level % 8 & 1;
}

bool flm_json_in_object(const struct flm_json *json)
{
    return json->depth > 0 && in_object(json);
}

/* Moves to the next key or item; false after the last one, when it also leaves the object or
 * array. */
static bool step(struct flm_json *json, bool is_object)
{
    if (json->failed)
        return false;
    if (json->depth == 0 || in_object(json) != is_object)
        return fail(json, is_object ? "an object is expected here" : "an array is expected here");
    if (peek_solid(json) == (is_object ? '}' : ']')) {
        advance(json, 1);
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
    if (json->source->end - at >= QUICK_BYTES && at[0] == ',' && (unsigned char)at[1] > ' ' &&
        !json->is_first && !json->failed && json->depth > 0 && !in_object(json)) {
        advance(json, 1);
        json->is_pending = true;
        return flm_json_type(json) != FLM_JSON_TYPE_NONE;
    }
    if (!step(json, false))
        return false;
    json->is_pending = true;
    return flm_json_type(json) != FLM_JSON_TYPE_NONE;
}

/* Into memory that the window's moves do not change. */
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
    if (json->failed || json->depth == 0 || !in_object(json) || end - start < QUICK_BYTES)
        return false;
    if (!json->is_first && *at++ != ',')
        return false;
    if (*at <= ' ')
        at = skip_blanks(at, end);
    if (at == end || *at != '"')
        return false;
    const char *quote = flm_find_either(at + 1, end, '"', '\\');
    if (end - quote < 3 || quote[0] != '"' || quote[1] != ':')
        return false;
    *key = (struct flm_bytes){at + 1, (size_t)(quote - at) - 1};
    json->is_first = false;
    json->is_pending = true;
    advance(json, (size_t)(quote - start) + (quote[2] == ' ' ? 3 : 2));
    return !json->failed && (json->source->last || copy_key(json, key));
}

/* The key is copied where the window may still move: unlike a text, it is needed when its value has
 * been read. It is searched together with its ':', because the window may move until that is in
 * it. */
static bool step_to_key(struct flm_json *json, struct flm_bytes *key)
{
    struct string string;
    struct flm_bytes found;
    if (!step(json, true))
        return false;
    int byte = peek_solid(json);
    if (byte != '"')
        return byte < 0 ? fail_cut(json) : fail(json, "a key in quotes is expected here");
    if (!find_string(json, &string))
        return false;
    size_t colon = string.size;
    while (is_blank(byte = peek(json, colon)))
        colon++;
    if (byte != ':')
        return byte < 0 ? fail_cut(json) : fail(json, "':' is expected after this key");
    if (key) {
        if (!take_string(json, &string, &found))
            return false;
        *key = found;
        if ((string.has_escapes || !json->source->last) && !copy_key(json, key))
            return false;
        colon -= string.size;
    }
    advance(json, colon + 1);
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

/* ---- Values ---------------------------------------------------------------------------------- */

bool flm_json_string(struct flm_json *json, struct flm_bytes *text)
{
    struct string string;
    const char *at = json->source->at, *end = json->source->end;
    *text = (struct flm_bytes){"", 0};
    if (json->is_pending && !json->failed && end - at >= QUICK_BYTES && *at == '"') {
        const char *quote = flm_find_either(at + 1, end, '"', '\\');
        if (quote < end && *quote == '"') {
            *text = (struct flm_bytes){at + 1, (size_t)(quote - at) - 1};
            json->is_pending = false;
            advance(json, text->size + 2);
            return !json->failed;
        }
    }
    if (!expect(json, FLM_JSON_TYPE_STRING) || !find_string(json, &string))
        return false;
    json->is_pending = false;
    return take_string(json, &string, text);
}

static bool is_word_byte(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '+' || byte == '-' || byte == '.';
}

/* The size of the number or word at the current position. */
static size_t word_size(struct flm_json *json)
{
    size_t size = 0;
    while (is_word_byte(peek(json, size)))
        size++;
    return size;
}

/* The number at `at`, read quickly: `end` is that of the window. False: it takes longer. */
static inline bool is_quick(const char *at, const char *end, struct flm_quick_number *number)
{
    return end - at > FLM_QUICK_BYTES && flm_quick_number(at, number) &&
           !is_word_byte(*number->end);
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
    advance(json, size);
    return !json->failed;
}

bool flm_json_number(struct flm_json *json, struct flm_json_number *number)
{
    struct flm_quick_number quick;
    *number = (struct flm_json_number){{"", 0}, 0};
    if (!expect(json, FLM_JSON_TYPE_NUMBER))
        return false;
    const char *at = json->source->at;
    if (!is_quick(at, json->source->end, &quick) || !flm_quick_value(&quick, &number->value))
        return read_any_number(json, number);
    number->text = (struct flm_bytes){at, (size_t)(quick.end - at)};
    json->is_pending = false;
    advance(json, number->text.size);
    return !json->failed;
}

bool flm_json_double(struct flm_json *json, double *value)
{
    struct flm_json_number number;
    bool good = flm_json_number(json, &number);
    *value = number.value;
    return good;
}

/* A whole number that a double or more digits say. */
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

static inline bool is_quick_integer(const char *at, const char *end, int64_t *value,
                                    const char **number_end)
{
    struct flm_quick_number quick;
    if (!is_quick(at, end, &quick) || quick.exponent != 0 || quick.digits > INT64_MAX)
        return false;
    *value = quick.negative ? -(int64_t)quick.digits : (int64_t)quick.digits;
    *number_end = quick.end;
    return true;
}

bool flm_json_integer(struct flm_json *json, int64_t *value)
{
    const char *end;
    *value = 0;
    if (!expect(json, FLM_JSON_TYPE_NUMBER))
        return false;
    if (!is_quick_integer(json->source->at, json->source->end, value, &end))
        return read_any_integer(json, value);
    json->is_pending = false;
    advance(json, (size_t)(end - json->source->at));
    return !json->failed;
}

static bool take_word(struct flm_json *json, const char *word)
{
    size_t size = word_size(json);
    if (json->failed || !flm_bytes_are((struct flm_bytes){json->source->at, size}, word))
        return false;
    json->is_pending = false;
    advance(json, size);
    return !json->failed;
}

bool flm_json_bool(struct flm_json *json, bool *value)
{
    *value = false;
    if (!expect(json, FLM_JSON_TYPE_BOOL))
        return false;
    *value = peek(json, 0) == 't';
    return take_word(json, *value ? "true" : "false") ||
           (!json->failed && fail(json, "true or false is expected here"));
}

/* A value that is neither an object nor an array. */
static void skip_scalar(struct flm_json *json)
{
    struct string string;
    struct flm_json_number number;
    bool value;
    switch (flm_json_type(json)) {
    case FLM_JSON_TYPE_STRING:
        if (find_string(json, &string)) {
            json->is_pending = false;
            advance(json, string.size);
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

/* ---- Skipping -------------------------------------------------------------------------------- */

/* Begins to skip the next value: all of it, or only the bracket that it begins with. */
static void skip_one(struct flm_json *json)
{
    enum flm_json_type type = flm_json_type(json);
    if (type == FLM_JSON_TYPE_OBJECT || type == FLM_JSON_TYPE_ARRAY)
        enter(json, type == FLM_JSON_TYPE_OBJECT);
    else
        skip_scalar(json);
}

/* After the string whose first quote is before `at`; NULL if it goes beyond `end`. */
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

/* After the value at `at`, which is neither an object nor an array; NULL if it takes longer to
 * tell. FLM_QUICK_BYTES follow it. */
static const char *scalar_end(const char *at, const char *end)
{
    struct flm_quick_number number;
    if (*at == '"')
        return string_end(at + 1, end);
    if (is_quick(at, end, &number))
        return number.end;
    if (memcmp(at, "null", 4) == 0 || memcmp(at, "true", 4) == 0)
        return is_word_byte(at[4]) ? NULL : at + 4;
    return memcmp(at, "false", 5) == 0 && !is_word_byte(at[5]) ? at + 5 : NULL;
}

/* After the key at `at` and its colon; NULL if it takes longer. */
static const char *key_end(const char *at, const char *end)
{
    if (at == end || *at != '"')
        return NULL;
    at = string_end(at + 1, end);
    if (!at)
        return NULL;
    at = skip_blanks(at, end);
    return at < end && *at == ':' ? at + 1 : NULL;
}

/* Skips values until `bottom` levels are open and none is next, or before something that needs more
 * than the window, or is unusual, or wrong: the others find out. */
static void skip_quickly(struct flm_json *json, size_t bottom)
{
    const char *start = json->source->at, *at = start, *end = json->source->end;
    if (end - start > REPORT_EVERY)
        end = start + REPORT_EVERY;
    while (!json->failed && (json->is_pending || json->depth > bottom)) {
        const char *next = skip_blanks(at, end);
        if (end - next <= FLM_QUICK_BYTES)
            break;
        bool is_object = json->is_pending ? *next == '{' : in_object(json);
        if (json->is_pending && (is_object || *next == '[')) {
            if (json->depth == FLM_JSON_MOST_DEPTH || json->depth / 8 >= json->is_object.capacity)
                break;
            push(json, is_object);
            json->is_pending = false;
            json->is_first = true;
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
                next = skip_blanks(next + 1, end);
            }
            if (is_object && !(next = key_end(next, end)))
                break;
            json->is_first = false;
            json->is_pending = true;
            at = next;
        }
    }
    advance(json, (size_t)(at - start));
}

static void step_to_any(struct flm_json *json)
{
    if (in_object(json))
        step_to_key(json, NULL);
    else
        step_to_item(json);
}

void flm_json_skip(struct flm_json *json)
{
    size_t bottom = json->depth;
    while (!json->failed && (json->is_pending || json->depth > bottom)) {
        skip_quickly(json, bottom);
        if (json->is_pending)
            skip_one(json);
        else if (json->depth > bottom)
            step_to_any(json);
    }
}

void flm_json_leave(struct flm_json *json)
{
    for (size_t inside = json->depth; inside > 0 && json->depth >= inside && !json->failed;) {
        skip_quickly(json, inside - 1);
        if (json->is_pending)
            skip_one(json);
        else if (json->depth >= inside)
            step_to_any(json);
    }
}

/* ---- Arrays of numbers ----------------------------------------------------------------------- */

/* Where numbers go: to one of both. */
struct numbers {
    double *doubles, if_null;
    int64_t *integers, integer_if_null;
};

/* Reads the item at `at`; returns its end, or NULL if it takes longer to tell. */
static inline const char *quick_item(const char *at, const char *end, const struct numbers *out,
                                     size_t i)
{
    struct flm_quick_number quick;
    if (*at == 'n') {
        if (memcmp(at, "null", 4) != 0 || is_word_byte(at[4]))
            return NULL;
        if (out->integers)
            out->integers[i] = out->integer_if_null;
        else
            out->doubles[i] = out->if_null;
        return at + 4;
    }
    if (out->integers)
        return is_quick_integer(at, end, &out->integers[i], &at) ? at : NULL;
    return is_quick(at, end, &quick) && flm_quick_value(&quick, &out->doubles[i]) ? quick.end
                                                                                  : NULL;
}

/* Reads up to `room` items of the open array, none of which is pending; stops before what needs
 * more than the window, or is unusual. Returns how many. */
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
            next = skip_blanks(next, end);
        if (end - next <= FLM_QUICK_BYTES || !(next = quick_item(next, end, out, i)))
            break;
        at = next;
        json->is_first = false;
        i++;
    }
    advance(json, (size_t)(at - start));
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
        if (json->depth > 0 && !in_object(json))
            count = quick_items(json, out, count, room);
        /* The end of the array is left for the call that finds nothing before it. */
        if (count == room || (count > 0 && peek_solid(json) == ']'))
            break;
        if (!step_to_item(json))
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

bool flm_json_finish(struct flm_json *json)
{
    if (json->is_pending)
        flm_json_skip(json);
    while (json->depth > 0 && !json->failed)
        flm_json_leave(json);
    if (!json->failed && peek_solid(json) >= 0)
        fail(json, "something follows the end of the JSON");
    if (!json->failed)
        json->failed = !flm_source_progress(json->source, json->offset - json->reported, json->why);
    flm_json_clear(json);
    return !json->failed;
}
