#include "support/record/ruby_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { LONG = 1 << 13, SINGLETON = 1 << 12 };

void ruby_image_init(struct ruby_image *image, int minor)
{
    memset(image, 0, sizeof *image);
    image->minor = minor;
    image->layout = flm_ruby_layout_of(3, minor);
    assert_non_null(image->layout);
}

uint64_t ruby_words(struct ruby_image *image, size_t count)
{
    assert_true(image->used + count < sizeof image->words / sizeof image->words[0]);
    uint64_t at = (uintptr_t)&image->words[image->used];
    image->used += count;
    return at;
}

void ruby_set(uint64_t address, uint64_t word)
{
    memcpy((void *)(uintptr_t)address, &word, sizeof word); // NOLINT
}

static void set_bytes(uint64_t address, const char *text)
{
    memcpy((void *)(uintptr_t)address, text, strlen(text)); // NOLINT
}

uint64_t ruby_string(struct ruby_image *image, const char *text)
{
    uint64_t at = ruby_words(image, 8), size = strlen(text);
    if (size >= 20) {
        uint64_t bytes = ruby_words(image, size / 8 + 1);
        ruby_set(at, FLM_RUBY_STRING | LONG);
        ruby_set(at + 16, size);
        ruby_set(at + 24, bytes);
        set_bytes(bytes, text);
    } else if (image->minor >= 2) {
        ruby_set(at, FLM_RUBY_STRING);
        ruby_set(at + 16, size);
        set_bytes(at + 24, text);
    } else {
        ruby_set(at, FLM_RUBY_STRING | size << 14);
        set_bytes(at + 16, text);
    }
    return at;
}

uint64_t ruby_array(struct ruby_image *image, const uint64_t *elements, size_t count)
{
    uint64_t at = ruby_words(image, 8), data = at + 16;
    if (count <= 3) {
        ruby_set(at, FLM_RUBY_ARRAY | LONG | (uint64_t)count << 15);
    } else {
        data = ruby_words(image, count);
        ruby_set(at, FLM_RUBY_ARRAY);
        ruby_set(at + 16, count);
        ruby_set(at + 32, data);
    }
    for (size_t i = 0; i < count; i++)
        ruby_set(data + 8 * i, elements[i]);
    return at;
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* Up to 3.1: a table of two variables. */
static void set_variables(struct ruby_image *image, uint64_t class, uint64_t key, uint64_t value)
{
    uint64_t extension = ruby_words(image, 4), table = ruby_words(image, 8);
    uint64_t entries = ruby_words(image, 6);
    ruby_set(class + 24, extension);
    ruby_set(extension + 8, table);
    ruby_set(table + 32, 0);
    ruby_set(table + 40, 2);
    ruby_set(table + 48, entries);
    ruby_set(entries + 8, 0x77);
    ruby_set(entries + 16, 0x15); /* a small number */
    ruby_set(entries + 32, key);
    ruby_set(entries + 40, value);
}

uint64_t ruby_class(struct ruby_image *image, const char *name)
{
    uint64_t at = ruby_words(image, 24);
    ruby_set(at, FLM_RUBY_CLASS);
    if (!name)
        return at;
    uint64_t value = ruby_string(image, name);
    if (image->minor <= 1) {
        set_variables(image, at, RUBY_NAME_KEY, value);
    } else if (image->minor == 2) {
        uint64_t array = ruby_words(image, 4);
        ruby_set(at + 32, array);
        ruby_set(array, value);
    } else {
        ruby_set(at + 152, value);
    }
    return at;
}

uint64_t ruby_singleton(struct ruby_image *image, uint64_t class)
{
    uint64_t at = ruby_words(image, 24);
    ruby_set(at, FLM_RUBY_CLASS | (image->minor <= 3 ? SINGLETON : SINGLETON << 1));
    ruby_set(class + 8, at);
    if (image->minor <= 1) {
        set_variables(image, at, 0x99, class);
    } else if (image->minor == 2) {
        uint64_t array = ruby_words(image, 4);
        ruby_set(at + 32, array);
        ruby_set(array, class);
    } else {
        ruby_set(at + 128, class);
    }
    return at;
}

/* ---- Methods and code ------------------------------------------------------------------------ */

uint64_t ruby_method(struct ruby_image *image, uint64_t owner, uint64_t id, uint64_t native)
{
    uint64_t at = ruby_words(image, 6), definition = ruby_words(image, 6);
    ruby_set(at, FLM_RUBY_INTERNAL | (uint64_t)FLM_RUBY_METHOD << 12);
    ruby_set(at + 16, definition);
    ruby_set(at + 24, id);
    ruby_set(at + 32, owner);
    ruby_set(definition, native ? 0x101 : 0x100);
    ruby_set(definition + 8, native);
    return at;
}

/* Two lines, from word 0 and from word 3 on: the table of the first 54 positions has 1, 1,
 * 1, 2 ... */
static uint64_t line_positions(struct ruby_image *image)
{
    uint64_t table = ruby_words(image, 6 + 2 * 10);
    for (unsigned word = 0; word < 6; word++) {
        uint64_t ranks = 0;
        for (unsigned i = 0; i < 9; i++)
            ranks |= (uint64_t)(9 * word + i < 3 ? 1 : 2) << (7 * i);
        ruby_set(table + 8 * word, ranks);
    }
    ruby_set(table + 48, 2); /* the blocks of 512 positions begin with their ranks */
    return table;
}

uint64_t ruby_code(struct ruby_image *image, const char *label, const char *base, const char *file,
                   uint32_t line, size_t count)
{
    const struct flm_ruby_layout *l = image->layout;
    uint64_t at = ruby_words(image, 4), body = ruby_words(image, 32);
    uint64_t lines = ruby_words(image, 4);
    uint64_t path[] = {ruby_string(image, file), ruby_string(image, file)};
    ruby_set(at, FLM_RUBY_INTERNAL | (uint64_t)FLM_RUBY_CODE << 12);
    ruby_set(at + 16, body);
    ruby_set(body, (uint64_t)count << 32 | 1);
    ruby_set(body + 8, ruby_words(image, count));
    ruby_set(body + l->body_path, ruby_array(image, path, 2));
    ruby_set(body + l->body_base_label, ruby_string(image, base));
    ruby_set(body + l->body_label, ruby_string(image, label));
    ruby_set(body + l->body_first_line, l->is_line_object ? 2 * (uint64_t)line + 1 : line);
    ruby_set(body + l->body_lines, lines);
    ruby_set(body + l->body_line_count, 2);
    ruby_set(body + l->body_line_positions, line_positions(image));
    uint32_t next = line + 1;
    memcpy((char *)(uintptr_t)lines, &line, sizeof line);                // NOLINT
    memcpy((char *)(uintptr_t)lines + l->line_size, &next, sizeof next); // NOLINT
    return at;
}

static uint64_t get(uint64_t address)
{
    uint64_t word;
    memcpy(&word, (const void *)(uintptr_t)address, sizeof word); // NOLINT
    return word;
}

uint64_t ruby_body(uint64_t code)
{
    return get(code + 16);
}

uint64_t ruby_instructions(uint64_t code)
{
    return get(ruby_body(code) + 8);
}

uint64_t ruby_variables(struct ruby_image *image, uint64_t flags, uint64_t method, uint64_t around)
{
    uint64_t at = ruby_words(image, 3);
    ruby_set(at, method);
    ruby_set(at + 8, around ? around | 1 : 0);
    ruby_set(at + 16, flags);
    return at + 16;
}

/* ---- Identifiers ----------------------------------------------------------------------------- */

static uint64_t half(struct ruby_image *image)
{
    static const uint64_t none[1024];
    return ruby_array(image, none, 1024);
}

uint64_t ruby_identifiers(struct ruby_image *image)
{
    uint64_t arrays[] = {half(image), half(image), 8, 8};
    uint64_t at = ruby_array(image, arrays, 4);
    ruby_identify(image, at, '+', "+");
    return at;
}

void ruby_identify(struct ruby_image *image, uint64_t identifiers, uint64_t number,
                   const char *name)
{
    uint64_t array = get(get(identifiers + 32) + 8 * (number / 512));
    ruby_set(get(array + 32) + 16 * (number % 512), ruby_string(image, name));
}
