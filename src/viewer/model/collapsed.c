#include "viewer/model/collapsed.h"

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

bool flm_collapsed_has(const struct flm_text *collapsed, struct flm_bytes process)
{
    struct flm_bytes line;
    for (size_t at = 0; next_line(collapsed, &at, &line);)
        if (flm_bytes_equal(line, process))
            return true;
    return false;
}

static void add_line(struct flm_text *out, struct flm_bytes line)
{
    flm_text_puts(out, out->size ? "\n" : "");
    flm_text_add(out, line);
}

bool flm_collapsed_toggle(struct flm_text *collapsed, struct flm_bytes process)
{
    struct flm_text made = {0};
    struct flm_bytes line;
    for (size_t at = 0; next_line(collapsed, &at, &line);)
        if (!flm_bytes_equal(line, process))
            add_line(&made, line);
    if (!flm_collapsed_has(collapsed, process))
        add_line(&made, process);
    if (made.failed) {
        flm_text_clear(&made);
        return false;
    }
    flm_text_clear(collapsed);
    *collapsed = made;
    return true;
}
