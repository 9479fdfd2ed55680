/* internal.h - shared by the files of this folder. */
#ifndef FLAMEL_CLI_TUI_INTERNAL_H
#define FLAMEL_CLI_TUI_INTERNAL_H

#include "cli/tui/input_bytes.h"
#include "cli/tui/tui.h"
#include "draw/color/theme.h"
#include "viewer/input/actions.h"
#include "viewer/query/query.h"
#include "viewer/viewer.h"

/* The mode that decides what keys do. */
enum flm_tui_mode {
    FLM_TUI_LOOKING,   /* the viewer's own */
    FLM_TUI_SEARCHING, /* the search is typed */
    FLM_TUI_TYPING,    /* the argument of an action is typed */
    FLM_TUI_CHOOSING,  /* an action is chosen from the list of all */
    FLM_TUI_READING    /* a page of text is read: keys, or what is shown and what not */
};

/* A line that is typed. */
struct flm_tui_line {
    struct flm_text text;
    size_t cursor; /* a byte offset in it */
};

/* Where a click means an action: cells of a row. */
struct flm_tui_target {
    int row, left, right;
    char action[64];
};
enum { FLM_TUI_MOST_TARGETS = 256 };

/* A table of which some rows are seen. */
struct flm_tui_table {
    uint32_t first, current, count;
    struct flm_response response;
    int name_cells; /* the width of its names; 0: not known yet */
    bool is_stale;
};
enum { FLM_TUI_TABLES = 2 }; /* table.c: of functions, and the call tree */

/* The view of code: code.c. By side: source, machine code. */
struct flm_tui_code {
    struct flm_response head, rows[2];
    uint32_t first[2], current[2];
    int side;               /* that has the keys */
    bool had_assembly;      /* it was shown */
    int left[2];            /* where it begins */
    uint64_t shown, wanted; /* what was shown, and looked for, as a hash */
};

struct flm_tui {
    struct flm_viewer *viewer;
    const struct flm_tui_code_source *code_source; /* NULL: there is none */
    struct flm_tui_code code;
    const struct flm_tui_live *live; /* NULL: the profile stays as it is */
    struct flm_screen screen;
    struct flm_theme theme;
    bool terminal_is_dark; /* what the theme "system" is */
    struct flm_text out;
    double now_ms;
    struct flm_seen_versions seen;
    unsigned changed; /* FLM_CHANGED: groups that are not queried again yet */

    struct flm_response tools, chips, searches, hover, detail, status, legend;
    int detail_cells; /* the width of names that `detail` was made for; 0: of any width */
    struct flm_tui_table tables[FLM_TUI_TABLES];
    struct flm_response overlay;
    struct flm_cell_area pane;  /* the picture, or a table in its place */
    struct flm_cell_area panel; /* to its right; 0 columns: there is none */
    struct flm_cell_area
        rows;              /* the table: all of the pane, or left of it, or above; 0 rows: none */
    bool has_picture;      /* false: a table has the pane */
    bool picture_has_keys; /* where there are both: keys move the picture, not the table */
    bool had_both;         /* a table and a picture, when the window was drawn last */

    enum flm_tui_mode mode;
    struct flm_tui_line line;
    char asked[64];                /* TYPING: the action, with a blank behind it */
    uint32_t chosen;               /* CHOOSING, TYPING: of the entries that fit */
    struct flm_response entries;   /* CHOOSING: the actions that fit the text, or of the menu */
    bool is_menu;                  /* which of both */
    struct flm_response completed; /* TYPING: what the text may become */
    struct flm_text page;          /* READING: its lines */
    size_t page_first;

    struct flm_tui_target target[FLM_TUI_MOST_TARGETS];
    size_t target_count;

    char notice[400]; /* what just happened, or could not be done */
    bool notice_is_wrong;
    double notice_until_ms;

    bool is_done;
    bool more; /* another picture is wanted soon */
};

/* The style of a text. */
enum flm_tui_tone {
    FLM_TUI_TEXT,
    FLM_TUI_STRONG,
    FLM_TUI_MUTED,
    FLM_TUI_ACCENT,
    FLM_TUI_CHIP,     /* something to be clicked */
    FLM_TUI_CHIP_ON,  /* and it is on */
    FLM_TUI_CHIP_OFF, /* and it cannot be, or is off */
    FLM_TUI_ROW_ON,   /* a row of a table */
    FLM_TUI_WRONG
};
struct flm_style flm_tui_style(const struct flm_tui *tui, enum flm_tui_tone tone);

/* Writes a text; returns the column behind it. Nothing goes beyond `end`. */
int flm_tui_put(struct flm_tui *tui, int column, int row, int end, struct flm_bytes text,
                enum flm_tui_tone tone);
int flm_tui_puts(struct flm_tui *tui, int column, int row, int end, const char *text,
                 enum flm_tui_tone tone);

/* A click from `left` to `right` of a row is the action. */
void flm_tui_add_target(struct flm_tui *tui, int row, int left, int right, const char *format, ...)
    FLM_FORMAT(5, 6);

/* Runs an action; an error becomes the notice. */
bool flm_tui_do(struct flm_tui *tui, struct flm_bytes action);
bool flm_tui_do_format(struct flm_tui *tui, const char *format, ...) FLM_FORMAT(2, 3);
void flm_tui_notify(struct flm_tui *tui, bool is_wrong, const char *format, ...) FLM_FORMAT(3, 4);

/* ---- window.c: the lines around the picture -------------------------------------------------- */

/* Queries the viewer again where responses changed. */
void flm_tui_update(struct flm_tui *tui);

/* The search that is being typed; NULL: there is none. */
const struct flm_response_search *flm_tui_current_search(const struct flm_tui *tui);

/* Arranges and draws everything. */
void flm_tui_draw(struct flm_tui *tui);

/* ---- detail.c: in so many rows --------------------------------------------------------------- */

void flm_tui_hover_draw(struct flm_tui *tui, int row, int rows);
void flm_tui_detail_draw(struct flm_tui *tui, int row, int rows);
void flm_tui_panel_draw(struct flm_tui *tui);

/* ---- legend.c: the meaning of the colors, in a row ------------------------------------------- */

/* Whether there are colors, or characters in place of them, that mean something. */
bool flm_tui_has_legend(const struct flm_tui *tui);
void flm_tui_legend_draw(struct flm_tui *tui, int row);

/* ---- table.c --------------------------------------------------------------------------------- */

void flm_tui_table_draw(struct flm_tui *tui);
bool flm_tui_table_key(struct flm_tui *tui, const struct flm_tui_event *event);
void flm_tui_table_wheel(struct flm_tui *tui, int rows);
bool flm_tui_table_click(struct flm_tui *tui, int row); /* false: there is no such row */

/* The current row becomes that of the selected function, if that is among the first ones. */
void flm_tui_table_go_to_selected(struct flm_tui *tui);

/* Queries `detail` again, with names as wide as the panel. False if memory ran out. */
bool flm_tui_detail_load(struct flm_tui *tui);

/* The table that is shown; NULL: only a picture. And whether there are both. */
struct flm_tui_table *flm_tui_table_shown(const struct flm_tui *tui);
bool flm_tui_has_both(const struct flm_tui *tui);

/* The current row stays on the same function when another profile is shown: remember before, return
 * after. The first row stays the first. */
void flm_tui_table_remember(struct flm_tui *tui, struct flm_text *function);
void flm_tui_table_return(struct flm_tui *tui, const struct flm_text *function);

/* ---- code.c ---------------------------------------------------------------------------------- */

bool flm_tui_has_code(const struct flm_tui *tui);
void flm_tui_code_draw(struct flm_tui *tui);
bool flm_tui_code_key(struct flm_tui *tui, const struct flm_tui_event *event);
void flm_tui_code_wheel(struct flm_tui *tui, int rows);
bool flm_tui_code_click(struct flm_tui *tui, int column, int row);
void flm_tui_code_clear(struct flm_tui *tui);

/* The user's editor, at a line of a file that a profile names; or a notice. */
void flm_tui_edit(struct flm_tui *tui, struct flm_bytes file, unsigned line);

/* ---- line_editor.c --------------------------------------------------------------------------- */

struct flm_bytes flm_tui_line_text(const struct flm_tui *tui);
void flm_tui_line_set(struct flm_tui *tui, struct flm_bytes text);
void flm_tui_line_insert(struct flm_tui_line *line, struct flm_bytes text);

/* Returns whether the key edits a line; *changed: whether the text changed. */
bool flm_tui_line_key(struct flm_tui_line *line, const struct flm_tui_event *event, bool *changed);

/* The line and its cursor; of a long one the part around that. Returns the column behind it. */
int flm_tui_line_draw(struct flm_tui *tui, int column, int row, int end);

/* ---- live.c: only where a profile is live ---------------------------------------------------- */

/* Gives the viewer a newer profile, if there is one. */
bool flm_tui_live_turn(struct flm_tui *tui, struct flm_error *why);

/* Whether the key is one of these. */
bool flm_tui_live_key(struct flm_tui *tui, const struct flm_tui_event *event);

/* Its keys and what they do, one after the other; NULL behind the last one. */
const char *flm_tui_live_help(size_t index, const char **title);
bool flm_tui_live_has_key(const struct flm_tui *tui, struct flm_bytes key);

/* Saves under the name that was typed. */
void flm_tui_live_save(struct flm_tui *tui);

/* The state of the recording, in a row; returns the column after it. The keys, while nothing is
 * selected. And the message in an empty pane. */
int flm_tui_live_draw(struct flm_tui *tui, int row);
void flm_tui_live_draw_hint(struct flm_tui *tui, int row);
void flm_tui_live_draw_empty(struct flm_tui *tui);

/* ---- page.c ---------------------------------------------------------------------------------- */

/* "C-ArrowLeft S-n" as "Ctrl <- Shift n", without those that are the terminal's own. */
void flm_tui_add_keys(struct flm_text *out, const char *keys, bool is_utf8);

void flm_tui_open_help(struct flm_tui *tui);
void flm_tui_open_data_quality(struct flm_tui *tui);
void flm_tui_open_notes(struct flm_tui *tui);
void flm_tui_page_draw(struct flm_tui *tui);
void flm_tui_page_key(struct flm_tui *tui, const struct flm_tui_event *event);

/* ---- typing.c: lines that are typed, lists to choose from ------------------------------------ */

/* Opens a prompt of the viewer: "search", "help", "palette", "transform" ... */
void flm_tui_prompt(struct flm_tui *tui, struct flm_bytes what);

/* The argument of an action is typed, beginning with `text`. */
void flm_tui_type(struct flm_tui *tui, const char *action, struct flm_bytes text);
void flm_tui_typing_key(struct flm_tui *tui, const struct flm_tui_event *event);
void flm_tui_typing_paste(struct flm_tui *tui, struct flm_bytes text);

/* The line that is typed, in place of the status; and what stands above it. */
void flm_tui_typing_draw(struct flm_tui *tui);

#endif
