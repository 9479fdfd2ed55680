#include "viewer/model/name_list.h"

#include <string.h>

/* The next line from *at on; false behind the last one. */
static bool next_line(const struct flm_text *text, size_t *at, struct flm_bytes *line)
{
    if (*at >= text->size)
        return false;
    const char *begin = text->at + *at, *end = memchr(begin, '\n', text->size - *at);
    line->at = begin;
    line->size = end ? (size_t)(end - begin) : text->size - *at;
    *at += line->size + 1;
    return true;
}

static char letter_of(char c)
{
    return c == '\n' ? ' ' : c;
}

static bool is_line_of(struct flm_bytes line, struct flm_bytes name)
{
    bool same = line.size == name.size;
    for (size_t i = 0; same && i < name.size; i++)
        same = line.at[i] == letter_of(name.at[i]);
    return same;
}

bool flm_name_list_has(const struct flm_text *list, struct flm_bytes name)
{
    struct flm_bytes line;
    for (size_t at = 0; next_line(list, &at, &line);)
        if (is_line_of(line, name))
            return true;
    return false;
}

static void add_line(struct flm_text *out, struct flm_bytes line)
{
    flm_text_puts(out, out->size ? "\n" : "");
    for (size_t i = 0; i < line.size; i++)
        flm_text_putc(out, letter_of(line.at[i]));
}

bool flm_name_list_toggle(struct flm_text *list, struct flm_bytes name)
{
    struct flm_text made = {0};
    struct flm_bytes line;
    for (size_t at = 0; next_line(list, &at, &line);)
        if (!is_line_of(line, name))
            add_line(&made, line);
    if (!flm_name_list_has(list, name))
        add_line(&made, name);
    if (made.failed) {
        flm_text_clear(&made);
        return false;
    }
    flm_text_clear(list);
    *list = made;
    return true;
}
