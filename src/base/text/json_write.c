#include "base/text/json_write.h"

#include <assert.h>

#include "base/number/number.h"
#include "base/text/utf.h"

static bool is_line(enum flm_json_shape shape)
{
    return shape == FLM_JSON_OBJECT_LINE || shape == FLM_JSON_ARRAY_LINE;
}

static bool is_array(enum flm_json_shape shape)
{
    return shape == FLM_JSON_ARRAY || shape == FLM_JSON_ARRAY_LINE;
}

static void new_line(struct flm_json_writer *json)
{
    flm_text_putc(json->out, '\n');
    flm_text_repeat(json->out, ' ', (size_t)json->depth * 2);
}

static void add_unit(struct flm_text *out, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    flm_text_puts(out, "\\u");
    for (int shift = 12; shift >= 0; shift -= 4)
        flm_text_putc(out, hex[unit >> shift & 15]);
}

/* As one or two units of UTF-16. */
static void add_escaped(struct flm_text *out, struct flm_bytes character)
{
    uint16_t units[2];
    int count = flm_utf16_take(&character, units);
    for (int i = 0; i < count; i++)
        add_unit(out, units[i]);
}

static void add_string(struct flm_text *out, struct flm_bytes text)
{
    flm_text_putc(out, '"');
    size_t plain = 0, at = 0; /* [plain, at) needs no change */
    while (at < text.size) {
        uint32_t code = 0;
        size_t size = flm_utf8_sequence((struct flm_bytes){text.at + at, text.size - at}, &code);
        if (size > 0 && code != '"' && code != '\\' && !flm_is_hidden(code)) {
            at += size;
            continue;
        }
        flm_text_add(out, (struct flm_bytes){text.at + plain, at - plain});
        if (size == 0) {
            flm_text_puts(out, "\xEF\xBF\xBD");
        } else if (code == '"' || code == '\\') {
            flm_text_putc(out, '\\');
            flm_text_putc(out, (char)code);
        } else {
            add_escaped(out, (struct flm_bytes){text.at + at, size});
        }
        at += size ? size : 1;
        plain = at;
    }
    flm_text_add(out, (struct flm_bytes){text.at + plain, at - plain});
    flm_text_putc(out, '"');
}

/* Writes what precedes a value: comma, line break and key. */
static void start_value(struct flm_json_writer *json, const char *key)
{
    if (json->depth == 0)
        return;
    enum flm_json_shape shape = json->open[json->depth - 1];
    assert(is_array(shape) == !key);
    if (json->has_members)
        flm_text_puts(json->out, is_line(shape) ? ", " : ",");
    if (!is_line(shape))
        new_line(json);
    json->has_members = true;
    if (key) {
        add_string(json->out, flm_bytes_of(key));
        flm_text_puts(json->out, ": ");
    }
}

void flm_json_begin(struct flm_json_writer *json, const char *key, enum flm_json_shape shape)
{
    assert(json->depth < FLM_JSON_DEPTH);
    start_value(json, key);
    flm_text_putc(json->out, is_array(shape) ? '[' : '{');
    json->open[json->depth++] = shape;
    json->has_members = false;
}

void flm_json_end(struct flm_json_writer *json)
{
    assert(json->depth > 0);
    enum flm_json_shape shape = json->open[--json->depth];
    if (json->has_members && !is_line(shape))
        new_line(json);
    flm_text_putc(json->out, is_array(shape) ? ']' : '}');
    json->has_members = true;
    if (json->depth == 0)
        flm_text_putc(json->out, '\n');
}

void flm_json_add_text(struct flm_json_writer *json, const char *key, struct flm_bytes value)
{
    start_value(json, key);
    add_string(json->out, value);
}

void flm_json_add_number(struct flm_json_writer *json, const char *key, double value)
{
    if (value - value != 0) { /* JSON has no infinities */
        flm_json_add_null(json, key);
        return;
    }
    start_value(json, key);
    char *to = flm_text_reserve(json->out, FLM_NUMBER_SIZE);
    if (to)
        json->out->size += flm_number_print(value, to);
}

void flm_json_add_integer(struct flm_json_writer *json, const char *key, int64_t value)
{
    start_value(json, key);
    flm_text_format(json->out, "%lld", (long long)value);
}

void flm_json_add_address(struct flm_json_writer *json, const char *key, uint64_t value)
{
    start_value(json, key);
    flm_text_format(json->out, "\"0x%llx\"", (unsigned long long)value);
}

void flm_json_add_bool(struct flm_json_writer *json, const char *key, bool value)
{
    start_value(json, key);
    flm_text_puts(json->out, value ? "true" : "false");
}

void flm_json_add_null(struct flm_json_writer *json, const char *key)
{
    start_value(json, key);
    flm_text_puts(json->out, "null");
}

void flm_json_add_written(struct flm_json_writer *json, const char *key, struct flm_bytes value)
{
    start_value(json, key);
    flm_text_add(json->out, value);
}
