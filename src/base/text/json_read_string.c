/* json_read_string.c - strings of JSON: where one ends, and its text without escapes. */
#include "base/core/scan.h"
#include "base/text/internal.h"

bool flm_json_find_string(struct flm_json *json, struct flm_json_quoted *string)
{
    *string = (struct flm_json_quoted){1, false};
    for (;;) {
        const char *start = json->source->at, *end = json->source->end;
        const char *at = flm_find_either(start + string->size, end, '"', '\\');
        string->size = (size_t)(at - start);
        if (at == end) {
            if (flm_json_peek(json, string->size) < 0)
                return !json->failed && flm_json_fail_cut(json);
        } else if (*at == '"') {
            string->size++;
            return true;
        } else {
            if (flm_json_peek(json, string->size + 1) < 0)
                return !json->failed && flm_json_fail_cut(json);
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

bool flm_json_take_string(struct flm_json *json, const struct flm_json_quoted *string,
                          struct flm_bytes *text)
{
    const char *start = json->source->at + 1;
    *text = (struct flm_bytes){start, string->size - 2};
    if (string->has_escapes) {
        json->text.size = 0;
        if (!unescape(&json->text, start, start + text->size))
            return flm_json_fail(json, "this string has an escape that JSON does not know");
        if (json->text.failed)
            return flm_json_fail_memory(json);
        *text = (struct flm_bytes){json->text.at, json->text.size};
    }
    flm_json_advance(json, string->size);
    return !json->failed;
}
