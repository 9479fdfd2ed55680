#include "base/text/text.h"

#include <stdlib.h>

void flm_text_init(struct flm_text *text, flm_sink sink, void *sink_context)
{
    *text = (struct flm_text){.sink = sink, .sink_context = sink_context};
}

void flm_text_init_fixed(struct flm_text *text, char *buffer, size_t size)
{
    *text = (struct flm_text){.at = buffer, .capacity = size, .fixed = true};
}

void flm_text_clear(struct flm_text *text)
{
    if (!text->fixed)
        free(text->at);
    *text = (struct flm_text){0};
}

bool flm_text_flush(struct flm_text *text)
{
    if (text->sink && text->size > 0 && !text->failed) {
        if (!text->sink(text->sink_context, text->at, text->size))
            text->failed = true;
        text->handed_on += text->size;
        text->size = 0;
    }
    return !text->failed;
}

void flm_text_cut(struct flm_text *text)
{
    if (text->wants_cuts && flm_text_flush(text))
        text->failed = !text->sink(text->sink_context, NULL, 0);
}

/* Buffers in front of a sink stay at this size: large enough that the sink's own cost (a system
 * call) does not show, small enough to stay in the cache. */
enum { SINK_BUFFER = 1 << 16 };

char *flm_text_reserve(struct flm_text *text, size_t size)
{
    if (text->failed)
        return NULL;
    if (text->at && text->capacity - text->size >= size)
        return text->at + text->size;
    if (text->fixed || (text->sink && !flm_text_flush(text)))
        return NULL;
    if (text->at && text->capacity - text->size >= size)
        return text->at + text->size;
    size_t needed = text->size + size + !text->at; /* even room for 0 bytes has an address */
    if (text->sink && needed < SINK_BUFFER)
        needed = SINK_BUFFER;
    void *at = text->at;
    if (needed < size || !flm_grow(&at, &text->capacity, needed, 1)) {
        text->failed = true;
        return NULL;
    }
    text->at = at;
    return text->at + text->size;
}

void flm_text_add(struct flm_text *text, struct flm_bytes bytes)
{
    if (text->fixed && bytes.size > text->capacity - text->size)
        bytes.size = text->capacity - text->size;
    char *to = bytes.size ? flm_text_reserve(text, bytes.size) : NULL;
    if (to) {
        memcpy(to, bytes.at, bytes.size);
        text->size += bytes.size;
    }
}

bool flm_text_sink(void *text, const void *bytes, size_t size)
{
    enum { LARGE = 1 << 12 };
    struct flm_text *to = text;
    if (!to->sink || size < LARGE) {
        flm_text_add(to, (struct flm_bytes){bytes, size});
        return !to->failed;
    }
    if (!flm_text_flush(to))
        return false;
    to->failed = !to->sink(to->sink_context, bytes, size);
    to->handed_on += to->failed ? 0 : size;
    return !to->failed;
}

void flm_text_puts(struct flm_text *text, const char *terminated)
{
    flm_text_add(text, flm_bytes_of(terminated));
}

void flm_text_putc(struct flm_text *text, char byte)
{
    char *to = flm_text_reserve(text, 1);
    if (to) {
        *to = byte;
        text->size++;
    }
}

void flm_text_repeat(struct flm_text *text, char byte, size_t count)
{
    if (text->fixed && count > text->capacity - text->size)
        count = text->capacity - text->size;
    char *to = count ? flm_text_reserve(text, count) : NULL;
    if (to) {
        memset(to, byte, count);
        text->size += count;
    }
}

void flm_text_uint(struct flm_text *text, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    flm_text_add(text, (struct flm_bytes){digits + at, sizeof digits - at});
}

static void add_hex(struct flm_text *text, uint64_t value)
{
    char digits[16];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value & 15];
    while ((value >>= 4) > 0);
    flm_text_add(text, (struct flm_bytes){digits + at, sizeof digits - at});
}

static bool continues_utf8(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Shortened between characters. */
void flm_text_add_name(struct flm_text *text, struct flm_bytes string)
{
    if (!text->fixed || string.size <= FLM_FIXED_STRING) {
        flm_text_add(text, string);
        return;
    }
    size_t head = FLM_FIXED_STRING * 2 / 3, tail = string.size - (FLM_FIXED_STRING - head - 3);
    while (head > 0 && continues_utf8(string.at[head]))
        head--;
    while (tail < string.size && continues_utf8(string.at[tail]))
        tail++;
    flm_text_add(text, (struct flm_bytes){string.at, head});
    flm_text_puts(text, "...");
    flm_text_add(text, (struct flm_bytes){string.at + tail, string.size - tail});
}

/* The size of the next integer argument, from the letters before d, u, x. */
enum width { WIDTH_INT, WIDTH_LONG, WIDTH_LONG_LONG, WIDTH_SIZE };

void flm_text_vformat(struct flm_text *text, const char *format, va_list arguments)
{
    for (const char *f = format; *f; f++) {
        if (*f != '%') {
            const char *end = f;
            while (*end && *end != '%')
                end++;
            flm_text_add(text, (struct flm_bytes){f, (size_t)(end - f)});
            f = end - 1;
            continue;
        }
        f++;
        size_t precision = SIZE_MAX;
        if (f[0] == '.' && f[1] == '*') {
            precision = (size_t)va_arg(arguments, int);
            f += 2;
        }
        enum width width = WIDTH_INT;
        for (; *f == 'l' || *f == 'z'; f++)
            width = *f == 'z' ? WIDTH_SIZE : width == WIDTH_LONG ? WIDTH_LONG_LONG : WIDTH_LONG;
        switch (*f) {
        case 's': {
            const char *string = va_arg(arguments, const char *);
            size_t size = 0;
            while (size < precision && string[size])
                size++;
            flm_text_add_name(text, (struct flm_bytes){string, size});
            break;
        }
        case 'c':
            flm_text_putc(text, (char)va_arg(arguments, int));
            break;
        case 'i':
        case 'd': {
            long long value = width == WIDTH_INT         ? va_arg(arguments, int)
                              : width == WIDTH_LONG      ? va_arg(arguments, long)
                              : width == WIDTH_LONG_LONG ? va_arg(arguments, long long)
                                                         : va_arg(arguments, ptrdiff_t);
            if (value < 0)
                flm_text_putc(text, '-');
            flm_text_uint(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
            break;
        }
        case 'u':
        case 'x': {
            uint64_t value = width == WIDTH_INT         ? va_arg(arguments, unsigned)
                             : width == WIDTH_LONG      ? va_arg(arguments, unsigned long)
                             : width == WIDTH_LONG_LONG ? va_arg(arguments, unsigned long long)
                                                        : va_arg(arguments, size_t);
            if (*f == 'x')
                add_hex(text, value);
            else
                flm_text_uint(text, value);
            break;
        }
        default: /* '%', and what the header does not list */
            flm_text_putc(text, *f);
        }
    }
}

void flm_text_format(struct flm_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    flm_text_vformat(text, format, arguments);
    va_end(arguments);
}
