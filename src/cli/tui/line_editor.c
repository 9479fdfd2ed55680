/* line_editor.c - a line that is typed, with the keys that shells have. */
#include <string.h>

#include "base/text/utf.h"
#include "cli/tui/internal.h"

struct flm_bytes flm_tui_line_text(const struct flm_tui *tui)
{
    return (struct flm_bytes){tui->line.text.at ? tui->line.text.at : "", tui->line.text.size};
}

void flm_tui_line_set(struct flm_tui *tui, struct flm_bytes text)
{
    tui->line.text.size = 0;
    flm_text_add(&tui->line.text, text);
    tui->line.cursor = tui->line.text.size;
}

void flm_tui_line_insert(struct flm_tui_line *line, struct flm_bytes text)
{
    if (!flm_text_reserve(&line->text, text.size))
        return;
    char *at = line->text.at + line->cursor;
    memmove(at + text.size, at, line->text.size - line->cursor);
    memcpy(at, text.at, text.size);
    line->text.size += text.size;
    line->cursor += text.size;
}

static void erase(struct flm_tui_line *line, size_t from, size_t to)
{
    if (from >= to)
        return;
    memmove(line->text.at + from, line->text.at + to, line->text.size - to);
    line->text.size -= to - from;
    line->cursor = from;
}

static size_t before(const struct flm_tui_line *line)
{
    size_t at = line->cursor;
    while (at > 0 && ((unsigned char)line->text.at[--at] & 0xC0) == 0x80)
        ;
    return at;
}

static size_t behind(const struct flm_tui_line *line)
{
    size_t at = line->cursor + 1;
    while (at < line->text.size && ((unsigned char)line->text.at[at] & 0xC0) == 0x80)
        at++;
    return at < line->text.size ? at : line->text.size;
}

static size_t word_start(const struct flm_tui_line *line)
{
    size_t at = line->cursor;
    while (at > 0 && line->text.at[at - 1] == ' ')
        at--;
    while (at > 0 && line->text.at[at - 1] != ' ')
        at--;
    return at;
}

bool flm_tui_line_key(struct flm_tui_line *line, const struct flm_tui_event *event, bool *changed)
{
    const char *key = event->key;
    size_t size = line->text.size, length = strlen(key);
    bool control = event->held & FLM_HELD_CONTROL, alt = event->held & FLM_HELD_ALT;
    if (strcmp(key, "ArrowLeft") == 0 || (control && strcmp(key, "b") == 0))
        line->cursor = before(line);
    else if (strcmp(key, "ArrowRight") == 0 || (control && strcmp(key, "f") == 0))
        line->cursor = behind(line);
    else if (strcmp(key, "Home") == 0 || (control && strcmp(key, "a") == 0))
        line->cursor = 0;
    else if (strcmp(key, "End") == 0 || (control && strcmp(key, "e") == 0))
        line->cursor = size;
    else if ((strcmp(key, "Backspace") == 0 && (control || alt)) ||
             (control && strcmp(key, "w") == 0))
        erase(line, word_start(line), line->cursor);
    else if (strcmp(key, "Backspace") == 0)
        erase(line, before(line), line->cursor);
    else if (strcmp(key, "Delete") == 0)
        erase(line, line->cursor, behind(line));
    else if (control && strcmp(key, "u") == 0)
        erase(line, 0, line->cursor);
    else if (!control && !alt && (length == 1 || (unsigned char)key[0] >= 0x80))
        flm_tui_line_insert(line, (struct flm_bytes){key, length});
    else
        return false;
    *changed = line->text.size != size;
    return true;
}

int flm_tui_line_draw(struct flm_tui *tui, int column, int row, int end)
{
    const struct flm_tui_line *line = &tui->line;
    struct flm_bytes text = flm_tui_line_text(tui), head = {text.at, line->cursor};
    size_t room = end > column + 1 ? (size_t)(end - column - 1) : 1, skipped = 0;
    while (flm_cells((struct flm_bytes){head.at + skipped, head.size - skipped}).cells >= room) {
        uint32_t code;
        size_t size =
            flm_utf8_sequence((struct flm_bytes){head.at + skipped, head.size - skipped}, &code);
        skipped += size ? size : 1;
    }
    tui->screen.cursor_row = row;
    tui->screen.cursor_column =
        column + (int)flm_cells((struct flm_bytes){head.at + skipped, head.size - skipped}).cells;
    return flm_tui_put(tui, column, row, end,
                       (struct flm_bytes){text.at + skipped, text.size - skipped}, FLM_TUI_TEXT);
}
