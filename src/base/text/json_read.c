#include "base/text/json_read.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/scan.h"
#include "base/number/number.h"

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

static bool fail_memory(struct flm_json *json)
{
    json->failed = true;
    return flm_error_memory(json->why);
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

/* The byte at `ahead` from here; -1 at the end of the input and after an error. */
static int peek(struct flm_json *json, size_t ahead)
{
    struct flm_source *source = json->source;
    while (!json->failed && (size_t)(source->end - source->at) <= ahead)
        if (source->last || !more(json))
            return -1;
    return json->failed ? -1 : (unsigned char)source->at[ahead];
}

static void advance(struct flm_json *json, size_t size)
{
    enum { REPORT_EVERY = 4 << 20 };
    json->source->at += size;
    json->offset += size;
    if (json->offset - json->reported > REPORT_EVERY) {
        if (!flm_source_progress(json->source, json->offset - json->reported, json->why))
            json->failed = true;
        json->reported = json->offset;
    }
}

static bool is_blank(int byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* Skips blanks; returns the byte after them, or -1. */
static int peek_solid(struct flm_json *json)
{
    for (;;) {
        int byte = peek(json, 0);
        if (!is_blank(byte))
            return byte;
        const char *at = json->source->at, *end = json->source->end;
        while (at < end && is_blank(*at))
            at++;
        advance(json, (size_t)(at - json->source->at));
    }
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
            return fail_memory(json);
        *text = (struct flm_bytes){json->text.at, json->text.size};
    }
    advance(json, string->size);
    return !json->failed;
}

/* ---- The type of the next value -------------------------------------------------------------- */

enum flm_json_type flm_json_type(struct flm_json *json)
{
    static const char mark[3] = {'\xEF', '\xBB', '\xBF'};
    if (json->failed || !json->is_pending)
        return FLM_JSON_TYPE_NONE;
    if (json->offset == 0 && peek(json, 2) >= 0 && memcmp(json->source->at, mark, 3) == 0)
        advance(json, 3);
    int byte = peek_solid(json);
    switch (byte) {
    case -1:
        fail_cut(json);
        return FLM_JSON_TYPE_NONE;
    case '{':
        return FLM_JSON_TYPE_OBJECT;
    case '[':
        return FLM_JSON_TYPE_ARRAY;
    case '"':
        return FLM_JSON_TYPE_STRING;
    case 't':
    case 'f':
        return FLM_JSON_TYPE_BOOL;
    case 'n':
        return FLM_JSON_TYPE_NULL;
    default:
        if ((byte >= '0' && byte <= '9') || byte == '-' || byte == 'N' || byte == 'I')
            return FLM_JSON_TYPE_NUMBER;
        fail(json, "a JSON value is expected here");
        return FLM_JSON_TYPE_NONE;
    }
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

static bool enter(struct flm_json *json, bool is_object)
{
    if (!expect(json, is_object ? FLM_JSON_TYPE_OBJECT : FLM_JSON_TYPE_ARRAY))
        return false;
    if (json->depth == FLM_JSON_MOST_DEPTH)
        return fail(json, "more than 2^20 objects and arrays inside each other");
    if (!FLM_ARRAY_RESERVE(&json->is_object, json->depth / 8 + 1))
        return fail_memory(json);
    unsigned char *byte = &json->is_object.at[json->depth / 8],
                  bit = (unsigned char)(1 << json->depth % 8);
    *byte = (unsigned char)(is_object ? *byte | bit : *byte & ~bit);
    json->depth++;
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

static bool in_object(const struct flm_json *json)
{
    size_t level = json->depth - 1;
    return json->is_object.at[level / 8] >> level % 8 & 1;
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

static bool step_to_item(struct flm_json *json)
{
    if (!step(json, false))
        return false;
    json->is_pending = true;
    return flm_json_type(json) != FLM_JSON_TYPE_NONE;
}

/* The key is copied: unlike a text, it is still needed when its value has been read. It is searched
 * together with its ':', because the window may move until that is in it. */
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
        json->key.size = 0;
        flm_text_add(&json->key, found);
        if (json->key.failed)
            return fail_memory(json);
        *key = (struct flm_bytes){json->key.at, json->key.size};
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
    return step_to_key(json, key);
}

void flm_json_leave(struct flm_json *json)
{
    for (size_t inside = json->depth; inside > 0 && json->depth >= inside && !json->failed;) {
        if (json->is_pending)
            flm_json_skip(json);
        else if (in_object(json))
            step_to_key(json, NULL);
        else
            step_to_item(json);
    }
}

/* ---- Values ---------------------------------------------------------------------------------- */

bool flm_json_string(struct flm_json *json, struct flm_bytes *text)
{
    struct string string;
    *text = (struct flm_bytes){"", 0};
    if (!expect(json, FLM_JSON_TYPE_STRING) || !find_string(json, &string))
        return false;
    json->is_pending = false;
    return take_string(json, &string, text);
}

/* The size of the number or word at the current position. */
static size_t word_size(struct flm_json *json)
{
    size_t size = 0;
    for (;; size++) {
        int byte = peek(json, size);
        bool part = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                    (byte >= 'A' && byte <= 'Z') || byte == '+' || byte == '-' || byte == '.';
        if (!part)
            return size;
    }
}

bool flm_json_number(struct flm_json *json, struct flm_json_number *number)
{
    *number = (struct flm_json_number){{"", 0}, 0};
    if (!expect(json, FLM_JSON_TYPE_NUMBER))
        return false;
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

bool flm_json_integer(struct flm_json *json, int64_t *value)
{
    struct flm_json_number number;
    uint64_t offset = json->offset, magnitude;
    *value = 0;
    if (!flm_json_number(json, &number))
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

void flm_json_skip(struct flm_json *json)
{
    size_t bottom = json->depth;
    do {
        enum flm_json_type type = flm_json_type(json);
        if (type == FLM_JSON_TYPE_OBJECT || type == FLM_JSON_TYPE_ARRAY)
            enter(json, type == FLM_JSON_TYPE_OBJECT);
        else
            skip_scalar(json);
        while (json->depth > bottom && !json->failed)
            if (in_object(json) ? step_to_key(json, NULL) : step_to_item(json))
                break;
    } while (json->depth > bottom && !json->failed);
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
