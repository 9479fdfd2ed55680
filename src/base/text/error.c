#include "flamel/error.h"

#include <string.h>

#include "base/text/text.h"
#include "base/text/utf.h"

/* A message has names out of files: a terminal that shows it would obey some characters. */
static void finish(struct flm_error *why, size_t size)
{
    why->text[flm_utf8_mask_hidden(why->text, size)] = 0;
}

static void fill(struct flm_error *why, enum flm_error_kind kind, const char *unit, uint64_t number,
                 const char *format, va_list arguments)
{
    struct flm_text text;
    flm_text_init_fixed(&text, why->text, sizeof why->text - 1);
    if (unit)
        flm_text_format(&text, "%s %llu: ", unit, (unsigned long long)number);
    flm_text_vformat(&text, format, arguments);
    why->kind = kind;
    why->line = why->offset = 0;
    finish(why, text.size);
}

bool flm_error_set(struct flm_error *why, enum flm_error_kind kind, const char *format, ...)
{
    if (why) {
        va_list arguments;
        va_start(arguments, format);
        fill(why, kind, NULL, 0, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool flm_error_line(struct flm_error *why, enum flm_error_kind kind, uint64_t line,
                    const char *format, ...)
{
    if (why) {
        va_list arguments;
        va_start(arguments, format);
        fill(why, kind, "line", line, format, arguments);
        va_end(arguments);
        why->line = line;
    }
    return false;
}

bool flm_error_byte(struct flm_error *why, enum flm_error_kind kind, uint64_t offset,
                    const char *format, ...)
{
    if (why) {
        va_list arguments;
        va_start(arguments, format);
        fill(why, kind, "byte", offset, format, arguments);
        va_end(arguments);
        why->offset = offset;
    }
    return false;
}

/* "line 7: ..." begins with letters, a blank and digits; they become `unit` and `number`. */
static void move(struct flm_error *why, const char *unit, uint64_t number)
{
    char inner[sizeof why->text];
    memcpy(inner, why->text, sizeof inner);
    const char *behind = inner;
    while (*behind && *behind != ':')
        behind++;
    struct flm_text text;
    flm_text_init_fixed(&text, why->text, sizeof why->text - 1);
    flm_text_format(&text, "%s %llu", unit, (unsigned long long)number);
    flm_text_puts(&text, behind);
    finish(why, text.size);
}

void flm_error_move_line(struct flm_error *why, uint64_t line)
{
    if (!why || why->line == 0)
        return;
    move(why, "line", line);
    why->line = line;
}

void flm_error_move_byte(struct flm_error *why, uint64_t offset)
{
    if (!why || why->line != 0 || !flm_bytes_start_with(flm_bytes_of(why->text), "byte "))
        return;
    move(why, "byte", offset);
    why->offset = offset;
}

bool flm_error_add(struct flm_error *why, const char *added)
{
    if (why) {
        size_t size = strlen(why->text), room = sizeof why->text - 1 - size, more = strlen(added);
        memcpy(why->text + size, added, more < room ? more : room);
        finish(why, size + (more < room ? more : room));
    }
    return false;
}

bool flm_error_memory(struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_MEMORY, "out of memory");
}

bool flm_error_within(struct flm_error *why, const char *what)
{
    if (why) {
        char inner[sizeof why->text];
        memcpy(inner, why->text, sizeof inner);
        struct flm_text text;
        flm_text_init_fixed(&text, why->text, sizeof why->text - 1);
        flm_text_format(&text, "%s: ", what);
        flm_text_puts(&text, inner);
        finish(why, text.size);
    }
    return false;
}
