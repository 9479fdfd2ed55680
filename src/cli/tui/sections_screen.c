#include "cli/tui/sections_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "cli/tui/input_bytes.h"
#include "cli/tui/raw_terminal.h"
#include "draw/color/theme.h"
#include "draw/terminal/screen.h"
#include "os/clock.h"
#include "viewer/viewer.h"

enum {
    MOST_TABS = 16,
    MOST_CAPTION = 40,
    INPUT_SIZE = 4096,
    SEARCH_SIZE = 64,
    LOOK_MS = 100,
    ESCAPE_MS = 30
};
enum { STATUS_ROW, TAB_ROW, FIRST_ROW = 3, LAST_ROWS = 1 };

struct screen {
    const struct flm_tui_sections *what;
    struct flm_screen cells;
    bool is_dark, is_done, is_searching, is_wrong, is_help;
    struct flm_section_view views[MOST_TABS]; /* one for each tab, as it was left */
    size_t tab;
    bool is_chosen; /* the tab, or it was found */
    int tab_left[MOST_TABS], tab_right[MOST_TABS];
    char search[SEARCH_SIZE], notice[400];
    struct flm_text text, out; /* scratch */
    char input[INPUT_SIZE];
    size_t input_size;
};

/* ---- Drawing --------------------------------------------------------------------------------- */

enum tone { TEXT, STRONG, MUTED, ACCENT, CHIP, CHIP_ON };

static struct flm_style style_of(const struct screen *s, enum tone tone)
{
    static const struct {
        enum flm_token ink, fill;
        uint32_t attributes, plain; /* where there are no colors */
    } tones[] = {
        [TEXT] = {FLM_TOKEN_TEXT, FLM_TOKEN_PAGE, FLM_CELL_PLAIN, FLM_CELL_PLAIN},
        [STRONG] = {FLM_TOKEN_TEXT, FLM_TOKEN_PAGE, FLM_CELL_BOLD, FLM_CELL_BOLD},
        [MUTED] = {FLM_TOKEN_MUTED, FLM_TOKEN_PAGE, FLM_CELL_PLAIN, FLM_CELL_FAINT},
        [ACCENT] = {FLM_TOKEN_ACCENT, FLM_TOKEN_PAGE, FLM_CELL_BOLD, FLM_CELL_BOLD},
        [CHIP] = {FLM_TOKEN_TEXT, FLM_TOKEN_CHIP, FLM_CELL_PLAIN, FLM_CELL_PLAIN},
        [CHIP_ON] = {FLM_TOKEN_PAGE, FLM_TOKEN_ACCENT, FLM_CELL_BOLD, FLM_CELL_INVERSE},
    };
    if (s->cells.depth == FLM_DEPTH_NONE)
        return (struct flm_style){FLM_COLOR_DEFAULT, FLM_COLOR_DEFAULT, tones[tone].plain};
    return (struct flm_style){flm_token_color(tones[tone].ink, s->is_dark),
                              flm_token_color(tones[tone].fill, s->is_dark),
                              tones[tone].attributes};
}

static int put(struct screen *s, int column, int row, struct flm_bytes text, enum tone tone)
{
    int room = s->cells.columns - column;
    return room <= 0
               ? column
               : column + flm_screen_text(&s->cells, column, row, room, text, style_of(s, tone));
}

static int puts_at(struct screen *s, int column, int row, const char *text, enum tone tone)
{
    return put(s, column, row, flm_bytes_of(text), tone);
}

static void draw_status(struct screen *s)
{
    s->text.size = 0;
    s->what->describe(s->what->context, &s->text);
    int column = put(s, 1, STATUS_ROW, (struct flm_bytes){s->text.at, s->text.size}, ACCENT);
    column = puts_at(s, column + 2, STATUS_ROW, s->what->name, STRONG);
    s->text.size = 0;
    flm_sections_write_status(s->what->sections, &s->text);
    put(s, column + 2, STATUS_ROW, (struct flm_bytes){s->text.at, s->text.size}, TEXT);
}

/* " 1 Time ", or without blanks around it; those up to 9, and 0 for the tenth, have a key. */
static void write_caption(char *caption, size_t size, const char *title, int number, bool is_narrow)
{
    const char *blank = is_narrow ? "" : " ";
    if (number <= 10)
        snprintf(caption, size, "%s%d %s%s", blank, number % 10, title, blank);
    else
        snprintf(caption, size, "%s%s%s", blank, title, blank);
}

/* The captions of the sections that there are, and their widths: 0 of the others. How many columns
 * they take together. */
static int write_captions(const struct screen *s, char (*captions)[MOST_CAPTION], int *width,
                          bool is_narrow)
{
    const struct flm_section_tab *tab;
    int number = 1, all = 0;
    for (size_t i = 0; i < MOST_TABS; i++) {
        tab = flm_sections_tab(i);
        width[i] = 0;
        if (!tab)
            break;
        if (!flm_sections_has(s->what->sections, tab))
            continue;
        write_caption(captions[i], MOST_CAPTION, tab->title, number++, is_narrow);
        width[i] = (int)strlen(captions[i]);
        all += width[i] + 1;
    }
    return all;
}

/* The first tab to show, so that the chosen one is seen whole. */
static size_t first_tab(const struct screen *s, const int *width)
{
    enum { MARKS = 4 };
    int used = MARKS;
    size_t first = s->tab + 1;
    while (first > 0 && used + width[first - 1] + 1 <= s->cells.columns) {
        first--;
        used += width[first] + (width[first] > 0);
    }
    return first < s->tab ? first : s->tab;
}

/* Where there is no room for all, "<" and ">" say on which side there are more. */
static void draw_tabs(struct screen *s)
{
    char captions[MOST_TABS][MOST_CAPTION];
    int width[MOST_TABS] = {0}, column = 1;
    bool has_room = write_captions(s, captions, width, false) < s->cells.columns ||
                    write_captions(s, captions, width, true) < s->cells.columns;
    size_t first = has_room ? 0 : first_tab(s, width);
    for (size_t i = 0; i < MOST_TABS; i++)
        s->tab_left[i] = s->tab_right[i] = -1;
    if (first > 0)
        column = puts_at(s, column, TAB_ROW, "<", MUTED) + 1;
    for (size_t i = first; i < MOST_TABS; i++) {
        if (width[i] == 0)
            continue;
        if (!has_room && column + width[i] > s->cells.columns - 2) {
            puts_at(s, s->cells.columns - 1, TAB_ROW, ">", MUTED);
            break;
        }
        s->tab_left[i] = column;
        column = puts_at(s, column, TAB_ROW, captions[i], i == s->tab ? CHIP_ON : CHIP);
        s->tab_right[i] = column++;
    }
}

static void draw_help(struct screen *s)
{
    static const char *const keys[][2] = {
        {"Tab, Right", "the next section; Shift-Tab, Left: the one before"},
        {"1 to 9, 0", "the first nine sections, and the tenth"},
        {"< >", "sort by another column"},
        {"r", "reverse the order"},
        {"/", "only rows with a text in their name; Esc: all"},
        {"Up, Down", "scroll; PageUp, PageDown, Home, End"},
        {"Space", "freeze, and go on"},
        {"s", "save what is measured as a file, which flamel view and report open"},
        {"q", "quit"},
        {"", ""},
        {"/s", "how many came in a second, since the last look"},
        {"now", "of a time: its share of the time since then, of one processor"},
    };
    enum { KEYS = 12 };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        puts_at(s, 1, FIRST_ROW + (int)i, keys[i][0], STRONG);
        puts_at(s, 1 + KEYS, FIRST_ROW + (int)i, keys[i][1], TEXT);
    }
}

static void draw_table(struct screen *s)
{
    struct flm_section_view *view = &s->views[s->tab];
    const struct flm_table_style style = {.width = (size_t)(s->cells.columns - 2),
                                          .charset = s->cells.charset};
    int room = s->cells.rows - FIRST_ROW - LAST_ROWS - 1;
    view->search = s->search;
    view->rows = room > 0 ? (size_t)room : 1;
    s->text.size = 0;
    flm_sections_write(s->what->sections, view, &style, &s->text);
    int row = FIRST_ROW;
    for (size_t at = 0; at < s->text.size && row < s->cells.rows - LAST_ROWS; row++) {
        const char *line = s->text.at + at, *end = memchr(line, '\n', s->text.size - at);
        size_t size = end ? (size_t)(end - line) : s->text.size - at;
        put(s, 1, row, (struct flm_bytes){line, size}, row == FIRST_ROW ? STRONG : TEXT);
        at += size + 1;
    }
}

static void draw_hints(struct screen *s)
{
    static const char *const hints[][2] = {{"Tab", "next"}, {"< >", "sort"},     {"r", "reverse"},
                                           {"/", "search"}, {"Space", "freeze"}, {"s", "save"},
                                           {"?", "help"},   {"q", "quit"}};
    const struct flm_section_view *view = &s->views[s->tab];
    int row = s->cells.rows - 1, column = 1;
    char text[80];
    if (s->is_searching) {
        column = puts_at(s, column, row, "search: ", ACCENT);
        column = puts_at(s, column, row, s->search, STRONG);
        s->cells.cursor_column = column;
        s->cells.cursor_row = row;
        return;
    }
    if (s->notice[0]) {
        puts_at(s, column, row, s->notice, s->is_wrong ? STRONG : ACCENT);
        return;
    }
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        column = puts_at(s, column, row, hints[i][0], STRONG) + 1;
        column = puts_at(s, column, row, hints[i][1], MUTED) + 2;
    }
    if (s->search[0]) {
        snprintf(text, sizeof text, "%zu with '%.40s'", view->found, s->search);
        puts_at(s, column, row, text, ACCENT);
    } else if (view->hidden > 0) {
        snprintf(text, sizeof text, "%zu more below", view->hidden);
        puts_at(s, column, row, text, MUTED);
    }
}

/* Until one is chosen it is the first with rows: a program without scopes has none in the first. */
static void find_tab(struct screen *s)
{
    const struct flm_section_tab *tab;
    for (size_t i = 0; !s->is_chosen && i < MOST_TABS && (tab = flm_sections_tab(i)) != NULL; i++)
        if (flm_sections_has_rows(s->what->sections, tab)) {
            s->tab = i;
            s->is_chosen = true;
        }
}

static bool draw(struct screen *s)
{
    find_tab(s);
    flm_screen_fill(&s->cells, 0, 0, s->cells.columns, s->cells.rows, style_of(s, TEXT));
    s->cells.cursor_row = -1;
    draw_status(s);
    draw_tabs(s);
    if (s->is_help)
        draw_help(s);
    else
        draw_table(s);
    draw_hints(s);
    s->out.size = 0;
    flm_screen_update(&s->cells, &s->out);
    return s->out.size == 0 || flm_tui_terminal_write((struct flm_bytes){s->out.at, s->out.size});
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static void move_tab(struct screen *s, int by)
{
    s->is_chosen = true;
    for (size_t step = 0; step < MOST_TABS; step++) {
        s->tab = (s->tab + (size_t)(by + MOST_TABS)) % MOST_TABS;
        const struct flm_section_tab *tab = flm_sections_tab(s->tab);
        if (tab && flm_sections_has(s->what->sections, tab))
            return;
    }
}

static void choose_tab(struct screen *s, int number)
{
    s->is_chosen = true;
    const struct flm_section_tab *tab;
    for (size_t i = 0; (tab = flm_sections_tab(i)) != NULL && i < MOST_TABS; i++)
        if (flm_sections_has(s->what->sections, tab) && --number == 0)
            s->tab = i;
}

static void scroll(struct screen *s, int by)
{
    struct flm_section_view *view = &s->views[s->tab];
    size_t last = view->found > view->rows ? view->found - view->rows : 0;
    if (by < 0)
        view->first = view->first > (size_t)-by ? view->first - (size_t)-by : 0;
    else
        view->first = view->first + (size_t)by < last ? view->first + (size_t)by : last;
}

static void save(struct screen *s)
{
    struct flm_text name = {0};
    struct flm_error why;
    s->is_wrong = !s->what->save(s->what->context, &name, &why);
    if (s->is_wrong)
        snprintf(s->notice, sizeof s->notice, "%s", why.text);
    else
        snprintf(s->notice, sizeof s->notice, "written: %.*s", (int)name.size, name.at);
    flm_text_clear(&name);
}

static void type(struct screen *s, const struct flm_tui_event *event)
{
    size_t size = strlen(s->search), more = strlen(event->key);
    if (strcmp(event->key, "Escape") == 0)
        s->search[0] = 0;
    if (strcmp(event->key, "Escape") == 0 || strcmp(event->key, "Enter") == 0)
        s->is_searching = false;
    else if (strcmp(event->key, "Backspace") == 0 && size > 0)
        s->search[size - 1] = 0;
    else if (more == 1 && event->held == 0 && size + more < SEARCH_SIZE)
        memcpy(s->search + size, event->key, more + 1);
    s->views[s->tab].first = 0;
}

static void press(struct screen *s, const struct flm_tui_event *event)
{
    const char *key = event->key;
    struct flm_section_view *view = &s->views[s->tab];
    int page = view->rows > 1 ? (int)view->rows - 1 : 1;
    const struct {
        const char *key;
        int by;
    } scrolls[] = {
        {"ArrowUp", -1},    {"ArrowDown", 1},     {"k", -1},       {"j", 1}, {"PageUp", -page},
        {"PageDown", page}, {"Home", -(1 << 30)}, {"End", 1 << 30}};
    bool was_help = s->is_help;
    s->notice[0] = 0;
    s->is_help = !was_help && strcmp(key, "?") == 0;
    if (was_help && (strcmp(key, "Escape") == 0 || strcmp(key, "?") == 0))
        return;
    for (size_t i = 0; i < sizeof scrolls / sizeof *scrolls; i++)
        if (strcmp(key, scrolls[i].key) == 0)
            scroll(s, scrolls[i].by);
    if (strcmp(key, "q") == 0 || (strcmp(key, "c") == 0 && (event->held & FLM_HELD_CONTROL)))
        s->is_done = true;
    else if (strcmp(key, "Tab") == 0)
        move_tab(s, event->held & FLM_HELD_SHIFT ? -1 : 1);
    else if (strcmp(key, "ArrowRight") == 0 || strcmp(key, "ArrowLeft") == 0)
        move_tab(s, key[5] == 'R' ? 1 : -1);
    else if (key[0] >= '0' && key[0] <= '9' && !key[1])
        choose_tab(s, key[0] == '0' ? 10 : key[0] - '0');
    else if (strcmp(key, ">") == 0 || strcmp(key, "<") == 0)
        flm_sections_sort(s->what->sections, view, key[0] == '>' ? 1 : -1);
    else if (strcmp(key, "r") == 0)
        view->is_reversed = !view->is_reversed;
    else if (strcmp(key, "/") == 0)
        s->is_searching = true;
    else if (strcmp(key, "Escape") == 0)
        s->search[0] = 0;
    else if (strcmp(key, " ") == 0 || strcmp(key, "p") == 0)
        s->what->freeze(s->what->context);
    else if (strcmp(key, "s") == 0)
        save(s);
}

static void handle(struct screen *s, const struct flm_tui_event *event)
{
    if (event->kind == FLM_TUI_KEY && s->is_searching)
        type(s, event);
    else if (event->kind == FLM_TUI_KEY)
        press(s, event);
    else if (event->kind == FLM_TUI_WHEEL)
        scroll(s, 3 * event->wheel_y);
    else if (event->kind == FLM_TUI_POINTER_DOWN && event->row == TAB_ROW)
        for (size_t i = 0; i < MOST_TABS; i++)
            if (event->column >= s->tab_left[i] && event->column < s->tab_right[i]) {
                s->tab = i;
                s->is_chosen = true;
            }
}

static void handle_input(struct screen *s, bool is_all)
{
    struct flm_tui_event event;
    size_t at = 0, size;
    while (!s->is_done &&
           (size = flm_tui_decode((struct flm_bytes){s->input + at, s->input_size - at},
                                  is_all || s->input_size == INPUT_SIZE, &event)) > 0) {
        handle(s, &event);
        at += size;
    }
    memmove(s->input, s->input + at, s->input_size - at);
    s->input_size -= at;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static bool run(struct screen *s, struct flm_error *why)
{
    while (!s->is_done) {
        int columns, rows;
        flm_tui_terminal_size(&columns, &rows);
        bool is_other = columns != s->cells.columns || rows != s->cells.rows;
        if ((is_other && !flm_screen_resize(&s->cells, columns, rows, why)) ||
            !s->what->look(s->what->context, why))
            return false;
        if (!draw(s))
            return true;
        size_t before = s->input_size;
        unsigned found = flm_tui_terminal_wait(before > 0 ? ESCAPE_MS : LOOK_MS, s->input,
                                               INPUT_SIZE, &s->input_size);
        if (found & FLM_TUI_GONE)
            return true;
        if (found & FLM_TUI_STOP)
            flm_tui_terminal_stop();
        if (found & FLM_TUI_RESUMED)
            flm_screen_forget(&s->cells);
        handle_input(s, before > 0 && s->input_size == before);
    }
    return true;
}

bool flm_tui_run_sections(const struct flm_tui_sections *what, struct flm_error *why)
{
    struct screen *s = calloc(1, sizeof *s);
    if (!s || !flm_tui_terminal_open(why)) {
        bool is_memory = !s;
        free(s);
        return is_memory ? flm_error_memory(why) : false;
    }
    s->what = what;
    s->cells.depth = flm_terminal_depth();
    s->cells.charset = flm_terminal_charset();
    s->is_dark = flm_terminal_is_dark();
    for (size_t i = 0; i < MOST_TABS; i++)
        s->views[i].tab = flm_sections_tab(i);
    bool good = run(s, why);
    flm_tui_terminal_close();
    flm_screen_clear(&s->cells);
    flm_text_clear(&s->text);
    flm_text_clear(&s->out);
    free(s);
    return good;
}
