/* page.c - pages of text: the keys of all actions, data quality, and notes. */
#include <stddef.h>
#include <string.h>

#include "cli/tui/internal.h"

enum { PAGE_COLUMN = 46, PAGE_LEFT = 18 };

void flm_tui_add_keys(struct flm_text *out, const char *keys, bool is_utf8)
{
    static const struct {
        const char *name, *sign, *plain;
    } signs[] = {{"ArrowLeft", "\xE2\x86\x90", "Left"},
                 {"ArrowRight", "\xE2\x86\x92", "Right"},
                 {"ArrowUp", "\xE2\x86\x91", "Up"},
                 {"ArrowDown", "\xE2\x86\x93", "Down"},
                 {"Escape", "Esc", "Esc"},
                 {" ", "Space", "Space"}};
    for (const char *key = keys; *key;) {
        size_t size = strcspn(key, " ");
        struct flm_bytes one = {key, size};
        key += size + (key[size] == ' ');
        /* Those two are the terminal's own. */
        if (flm_bytes_are(one, "C-z") || flm_bytes_are(one, "C-c"))
            continue;
        if (out->size > 0 && out->at[out->size - 1] != '\t')
            flm_text_puts(out, "  ");
        while (one.size > 2 && one.at[1] == '-' && flm_is_one_of(one.at[0], "CAS")) {
            flm_text_puts(out, one.at[0] == 'C' ? "Ctrl " : one.at[0] == 'A' ? "Alt " : "Shift ");
            one = (struct flm_bytes){one.at + 2, one.size - 2};
        }
        const char *equals = one.size > 1 ? memchr(one.at + 1, '=', one.size - 1) : NULL;
        if (equals)
            one.size = (size_t)(equals - one.at);
        size_t i = 0;
        while (i < sizeof signs / sizeof signs[0] && !flm_bytes_are(one, signs[i].name))
            i++;
        if (i < sizeof signs / sizeof signs[0])
            flm_text_puts(out, is_utf8 ? signs[i].sign : signs[i].plain);
        else
            flm_text_add(out, one);
    }
}

/* The width of a column of lines: as many are side by side as have room. */
static int column_width(const struct flm_tui *tui)
{
    int columns = tui->screen.columns / PAGE_COLUMN;
    return columns > 1 ? tui->screen.columns / columns : tui->screen.columns;
}

/* How much of a text goes into so many cells: up to the last blank, where it has one. */
static size_t part_that_fits(struct flm_bytes text, size_t room)
{
    size_t fits = flm_cells_head(text, (struct flm_width){room}), at = fits;
    if (fits == text.size)
        return fits;
    while (at > 0 && text.at[at] != ' ')
        at--;
    return at > 0 ? at : fits;
}

/* A line of a page: what stands left of the tab, and right of it; a title has no tab. What has no
 * room to the right goes on in the next line. */
static void add_page_line(struct flm_tui *tui, const char *left, struct flm_bytes right)
{
    size_t keys = flm_cells(flm_bytes_of(left)).cells + 2, width = (size_t)column_width(tui);
    keys = keys > PAGE_LEFT ? keys : PAGE_LEFT;
    do {
        size_t fits = width > keys + 12 ? part_that_fits(right, width - keys - 2) : right.size;
        flm_text_puts(&tui->page, left);
        flm_text_putc(&tui->page, '\t');
        flm_text_add(&tui->page, (struct flm_bytes){right.at, fits});
        flm_text_putc(&tui->page, '\n');
        fits += fits < right.size && right.at[fits] == ' ';
        right = flm_bytes_from(right, fits > 0 ? fits : right.size);
        left = "";
        keys = PAGE_LEFT;
    } while (right.size > 0);
}

static void open_page(struct flm_tui *tui)
{
    tui->mode = FLM_TUI_READING;
    tui->page_first = 0;
    flm_text_clear(&tui->page);
}

static void add_key_line(struct flm_tui *tui, const struct flm_action *action)
{
    struct flm_text own = {0}, keys = {0};
    for (const char *key = action->keys; *key; key += *key == ' ') {
        struct flm_bytes one = {key, strcspn(key, " ")};
        key += one.size;
        if (flm_tui_live_has_key(tui, one))
            continue;
        flm_text_puts(&own, own.size ? " " : "");
        flm_text_add(&own, one);
    }
    flm_text_putc(&own, 0);
    if (!own.failed)
        flm_tui_add_keys(&keys, own.at, tui->screen.charset == FLM_CHARSET_UTF8);
    flm_text_clear(&own);
    flm_text_putc(&keys, 0);
    if (keys.size > 1 && !keys.failed)
        add_page_line(tui, keys.at, flm_bytes_of(action->title));
    flm_text_clear(&keys);
}

/* Keys that choose from a list: a line for each. */
static void add_choices(struct flm_tui *tui, const struct flm_action *action)
{
    flm_choices choices = flm_action_choices(action);
    struct flm_choice choice;
    for (size_t i = 0; choices && (choice = choices(i)).name; i++) {
        struct flm_text line = {0};
        flm_text_format(&line, "%s: %s", action->title, choice.title);
        if (choice.key)
            add_page_line(tui, choice.key, (struct flm_bytes){line.at, line.size});
        flm_text_clear(&line);
    }
}

void flm_tui_open_help(struct flm_tui *tui)
{
    static const char *const own[][2] = {
        {"q  Ctrl c", "Quit"},
        {"Ctrl z", "Suspend; resume with the shell's fg"},
        {"Ctrl l", "Redraw"},
        {"click", "Select; a second click zooms"},
        {"right click", "Menu of a frame"},
        {"wheel", "Zoom at the pointer; Alt: up and down"},
        {"drag", "Move"},
        {"Tab", "While searching: text, regex, fuzzy; of a sandwich: table, picture"},
    };
    open_page(tui);
    size_t count;
    const struct flm_action_group *const *groups = flm_action_groups(&count);
    flm_text_puts(&tui->page, "Terminal\n");
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        add_page_line(tui, own[i][0], flm_bytes_of(own[i][1]));
    const char *key, *title;
    if (tui->live)
        flm_text_puts(&tui->page, "\nLive\n");
    for (size_t i = 0; tui->live && (key = flm_tui_live_help(i, &title)); i++)
        add_page_line(tui, key, flm_bytes_of(title));
    for (size_t g = 0; g < count; g++) {
        flm_text_format(&tui->page, "\n%s\n", groups[g]->title);
        for (size_t i = 0; i < groups[g]->count; i++) {
            const struct flm_action *action = &groups[g]->at[i];
            add_choices(tui, action);
            if (action->keys)
                add_key_line(tui, action);
        }
    }
}

/* The texts of "status" that have a line of their own. */
#define STATUS(member) offsetof(struct flm_response_status, member)
static const struct {
    const char *title;
    size_t member;
} status_lines[] = {
    {"stacks", STATUS(stacks)},
    {"samples", STATUS(samples)},
    {"total", STATUS(total)},
    {"drawn boxes", STATUS(drawn)},
    {"merged into gray", STATUS(merged)},
    {"of total", STATUS(merged_share)},
    {"trimmed", STATUS(trimmed)},
    {"filtered", STATUS(filtered)},
    {"too narrow to hatch", STATUS(unhatched)},
    {"lost", STATUS(lost_count)},
    {"not shown", STATUS(not_shown)},
    {"unsymbolized", STATUS(unsymbolized_share)},
};

static void add_status_lines(struct flm_tui *tui, const struct flm_response_status *status)
{
    for (size_t i = 0; i < sizeof status_lines / sizeof status_lines[0]; i++) {
        struct flm_bytes text;
        memcpy(&text, (const char *)status + status_lines[i].member, sizeof text);
        if (text.size > 0)
            add_page_line(tui, status_lines[i].title, text);
    }
}

void flm_tui_open_data_quality(struct flm_tui *tui)
{
    const struct flm_response_status *s = tui->status.status;
    open_page(tui);
    flm_text_puts(&tui->page, "Data quality\n");
    if (!s)
        return;
    flm_text_add(&tui->page, s->sentence);
    flm_text_puts(&tui->page, "\n\n");
    add_status_lines(tui, s);
    for (size_t i = 0; i < s->lost.count; i++) {
        flm_text_puts(&tui->page, "lost\t");
        flm_text_add(&tui->page, s->lost.at[i].count);
        flm_text_puts(&tui->page, " ");
        flm_text_add(&tui->page, s->lost.at[i].what);
        flm_text_puts(&tui->page, s->lost.at[i].where.size > 0 ? ": " : "");
        flm_text_add(&tui->page, s->lost.at[i].where);
        flm_text_putc(&tui->page, '\n');
    }
    if (s->notes.count > 0)
        flm_text_puts(&tui->page, "\nAbout this profile\n");
    for (size_t i = 0; i < s->notes.count; i++) {
        flm_text_add(&tui->page, s->notes.at[i].key);
        flm_text_putc(&tui->page, '\t');
        flm_text_add(&tui->page, s->notes.at[i].value);
        flm_text_putc(&tui->page, '\n');
    }
}

void flm_tui_open_notes(struct flm_tui *tui)
{
    struct flm_response response = {0};
    open_page(tui);
    flm_text_puts(&tui->page, "Notes\n");
    if (!flm_viewer_query(tui->viewer, flm_bytes_of("notes"), &response, NULL))
        return;
    const struct flm_response_notes *notes = response.notes;
    for (size_t i = 0; i < notes->notes.count; i++) {
        const struct flm_response_written *note = &notes->notes.at[i];
        struct flm_text subject = {0};
        flm_text_add(&subject, note->subject);
        flm_text_putc(&subject, 0);
        if (!subject.failed)
            add_page_line(tui, subject.at, note->text);
        flm_text_clear(&subject);
    }
    if (notes->notes.count == 0)
        add_page_line(tui, "none", flm_bytes_of("W writes one on the selected function"));
    flm_text_puts(&tui->page, "\n");
    add_page_line(tui, "go to one", flm_bytes_of(": and words of it"));
    if (notes->changed)
        add_page_line(tui, "not saved yet", flm_bytes_of(": Save as flm writes them"));
    flm_response_clear(&response);
}

static size_t line_count(const struct flm_tui *tui)
{
    size_t count = 0;
    for (size_t i = 0; i < tui->page.size; i++)
        count += tui->page.at[i] == '\n';
    return count;
}

/* How many lines a window shows at once: in columns side by side. */
static size_t lines_seen(const struct flm_tui *tui)
{
    int columns = tui->screen.columns / PAGE_COLUMN, rows = tui->screen.rows - 1;
    return (size_t)(columns > 1 ? columns : 1) * (size_t)(rows > 0 ? rows : 1);
}

void flm_tui_page_draw(struct flm_tui *tui)
{
    int rows = tui->screen.rows - 1, width = column_width(tui);
    flm_screen_fill(&tui->screen, 0, 0, tui->screen.columns, tui->screen.rows,
                    flm_tui_style(tui, FLM_TUI_TEXT));
    tui->target_count = 0;
    size_t at = 0, index = 0;
    while (at < tui->page.size) {
        const char *start = tui->page.at + at;
        const char *end = memchr(start, '\n', tui->page.size - at);
        size_t size = (size_t)(end - start);
        at += size + 1;
        if (index++ < tui->page_first)
            continue;
        size_t place = index - 1 - tui->page_first;
        int column = (int)(place / (size_t)rows) * width, y = (int)(place % (size_t)rows);
        if (column + width > tui->screen.columns)
            break;
        const char *tab = memchr(start, '\t', size);
        struct flm_bytes left = {start, tab ? (size_t)(tab - start) : size};
        int stop = column + width - 1, next = column + 1 + PAGE_LEFT;
        if (!tab) {
            flm_tui_put(tui, column + 1, y, stop, left, FLM_TUI_STRONG);
            continue;
        }
        int behind_left = flm_tui_put(tui, column + 1, y, stop, left, FLM_TUI_MUTED) + 2;
        next = behind_left > next ? behind_left : next;
        flm_tui_put(tui, next, y, stop, (struct flm_bytes){tab + 1, size - left.size - 1},
                    FLM_TUI_TEXT);
    }
    bool is_more = line_count(tui) > tui->page_first + lines_seen(tui);
    flm_tui_puts(tui, 1, tui->screen.rows - 1, tui->screen.columns,
                 is_more ? "PageDown: more   Esc: back" : "Esc: back", FLM_TUI_ACCENT);
}

void flm_tui_page_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    size_t seen = lines_seen(tui), count = line_count(tui);
    const char *key = event->key;
    bool is_down = strcmp(key, "PageDown") == 0 || strcmp(key, " ") == 0;
    if (is_down || strcmp(key, "ArrowDown") == 0) {
        tui->page_first += is_down ? seen : 1;
        size_t last = count > seen ? count - seen : 0;
        tui->page_first = tui->page_first < last ? tui->page_first : last;
    } else if (strcmp(key, "PageUp") == 0 || strcmp(key, "ArrowUp") == 0) {
        size_t by = strcmp(key, "PageUp") == 0 ? seen : 1;
        tui->page_first -= tui->page_first < by ? tui->page_first : by;
    } else {
        tui->mode = FLM_TUI_LOOKING;
    }
}
