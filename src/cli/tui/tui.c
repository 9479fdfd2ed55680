#include "cli/tui/tui.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/encode/base64.h"
#include "cli/common/memory_limit.h"
#include "cli/common/terminal.h"
#include "cli/tui/internal.h"
#include "cli/tui/raw_terminal.h"
#include "os/clock.h"

/* How long an ESC may stand alone before it is the key; a slow line tears sequences apart. */
enum {
    ESCAPE_MS = 50,
    NEXT_PICTURE_MS = 16,
    REPORT_MS = 300,
    NOTICE_MS = 4000,
    WRONG_MS = 12000,
    NEXT_PROFILE_MS = 200
};
enum { INPUT_SIZE = 1 << 16, WHEEL_PX = 100, WHEEL_ROWS = 3 };

struct input {
    char at[INPUT_SIZE];
    size_t size;
};

static double now_ms(void)
{
    return (double)flm_now_ns() * 1e-6;
}

/* ---- Actions --------------------------------------------------------------------------------- */

void flm_tui_notify(struct flm_tui *tui, bool is_wrong, const char *format, ...)
{
    struct flm_text text;
    flm_text_init_fixed(&text, tui->notice, sizeof tui->notice - 1);
    va_list arguments;
    va_start(arguments, format);
    flm_text_vformat(&text, format, arguments);
    va_end(arguments);
    tui->notice[text.size] = 0;
    tui->notice_is_wrong = is_wrong;
    tui->notice_until_ms = tui->now_ms + (is_wrong ? WRONG_MS : NOTICE_MS);
}

bool flm_tui_do(struct flm_tui *tui, struct flm_bytes action)
{
    struct flm_error why = {0};
    if (flm_viewer_do(tui->viewer, action, &why))
        return true;
    flm_tui_notify(tui, true, "%s", why.text);
    return false;
}

bool flm_tui_do_format(struct flm_tui *tui, const char *format, ...)
{
    struct flm_text action = {0};
    va_list arguments;
    va_start(arguments, format);
    flm_text_vformat(&action, format, arguments);
    va_end(arguments);
    bool good = !action.failed && flm_tui_do(tui, (struct flm_bytes){action.at, action.size});
    flm_text_clear(&action);
    return good;
}

static void set_theme(struct flm_tui *tui, bool is_dark)
{
    /* Nothing glides: cells are too coarse for it, and a slow line would lag behind. */
    tui->theme = (struct flm_theme){.dark = is_dark, .still = true};
    flm_viewer_theme(tui->viewer, &tui->theme);
}

/* ---- What leaves the viewer ------------------------------------------------------------------ */

/* By OSC 52, which goes through ssh and tmux to the clipboard of the user's own machine. */
static void copy(struct flm_tui *tui, struct flm_bytes text)
{
    enum { MOST = 74994 }; /* xterm and tmux take no more */
    struct flm_text out = {0};
    size_t size = text.size < MOST ? text.size : MOST;
    flm_text_puts(&out, "\033]52;c;");
    flm_base64_add(&out, (struct flm_bytes){text.at, size});
    flm_text_putc(&out, '\a');
    if (!out.failed && flm_tui_terminal_write((struct flm_bytes){out.at, out.size}))
        flm_tui_notify(tui, false, "copied: %.*s", (int)text.size, text.at);
    flm_text_clear(&out);
}

static void copy_text(struct flm_tui *tui, const char *query)
{
    struct flm_text text = {0};
    if (flm_viewer_query_text(tui->viewer, flm_bytes_of(query), &text, NULL) && !text.failed)
        copy(tui, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
}

/* What the user has chosen, and the arguments behind it, as git and crontab do: the value is a line
 * for the shell, with options and quotes. The arguments are not part of that line, so the shell
 * never reads the name of a file as anything else. */
static bool add_editor(struct flm_text *command)
{
    const char *editor = getenv("VISUAL");
    editor = editor && editor[0] ? editor : getenv("EDITOR");
    flm_text_puts(command, editor && editor[0] ? editor : "vi");
    flm_text_puts(command, " \"$@\"");
    flm_text_putc(command, 0);
    return !command->failed;
}

/* The editor at the line; the terminal is its own meanwhile. */
static void edit(struct flm_tui *tui, const char *file, unsigned line)
{
    char place[32];
    struct flm_text command = {0};
    snprintf(place, sizeof place, "+%u", line > 0 ? line : 1);
    if (!add_editor(&command)) {
        flm_text_clear(&command);
        return;
    }
    flm_tui_terminal_close();
    pid_t child = fork();
    if (child == 0) {
        flm_memory_limit_end();
        execlp("sh", "sh", "-c", command.at, "sh", place, file, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    if (child > 0)
        waitpid(child, &status, 0);
    flm_text_clear(&command);
    struct flm_error why;
    tui->is_done = !flm_tui_terminal_open(&why);
    flm_screen_forget(&tui->screen);
    if (status != 0)
        flm_tui_notify(tui, true, "the editor failed: VISUAL or EDITOR says which it is");
}

/* A profile of somebody else says what the file is called. An editor takes "-c!reboot" for an
 * option and "+!reboot" for a command, where it does not begin with a folder; a pipe would never
 * come to its end. */
static bool add_path(struct flm_text *file, struct flm_bytes name)
{
    flm_text_puts(file, name.size > 0 && name.at[0] != '/' ? "./" : "");
    flm_text_add(file, name);
    flm_text_putc(file, 0);
    return !file->failed;
}

static bool is_readable_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

void flm_tui_edit(struct flm_tui *tui, struct flm_bytes name, unsigned line)
{
    struct flm_text file = {0};
    if (name.size == 0)
        flm_tui_notify(tui, true, "the profile does not say in which file this function is");
    else if (add_path(&file, name) && !is_readable_file(file.at))
        flm_tui_notify(tui, true, "there is no file %.*s here", (int)name.size, name.at);
    else if (!file.failed)
        edit(tui, file.at, line);
    flm_text_clear(&file);
}

static void open_source(struct flm_tui *tui)
{
    const struct flm_response_detail *detail = tui->detail.detail;
    flm_tui_edit(tui, detail && detail->file.at ? detail->file : (struct flm_bytes){"", 0},
                 detail && detail->line > 0 ? (unsigned)detail->line : 0);
}

static void asked(struct flm_tui *tui)
{
    struct flm_text what = {0};
    if (flm_viewer_query_text(tui->viewer, flm_bytes_of("prompt"), &what, NULL) && !what.failed) {
        struct flm_bytes text = {what.at, what.size};
        if (flm_bytes_are(text, "source"))
            open_source(tui);
        else if (flm_bytes_are(text, "copy-link"))
            copy_text(tui, "state");
        else if (flm_bytes_start_with(text, "theme "))
            set_theme(tui, flm_bytes_are(text, "theme dark") ||
                               (flm_bytes_are(text, "theme system") && tui->terminal_is_dark));
        else
            flm_tui_prompt(tui, text);
    }
    flm_text_clear(&what);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static const struct flm_tui_target *target_at(const struct flm_tui *tui, int column, int row)
{
    for (size_t i = tui->target_count; i-- > 0;) {
        const struct flm_tui_target *t = &tui->target[i];
        if (t->row == row && column >= t->left && column < t->right)
            return t;
    }
    return NULL;
}

static bool is_in(const struct flm_cell_area *area, int column, int row)
{
    return column >= area->left && column < area->left + area->columns && row >= area->top &&
           row < area->top + area->rows;
}

static bool is_in_picture(const struct flm_tui *tui, const struct flm_tui_event *event)
{
    return tui->has_picture && is_in(&tui->pane, event->column, event->row);
}

static bool is_in_table(const struct flm_tui *tui, const struct flm_tui_event *event)
{
    return is_in(&tui->rows, event->column, event->row);
}

/* The middle of the cell, in the viewer's pixels. */
static double x_of(const struct flm_tui *tui, int column)
{
    return (column - tui->pane.left + 0.5) * FLM_CELL_PX;
}

static double y_of(const struct flm_tui *tui, int row)
{
    return (row - tui->pane.top + 0.5) * FLM_CELL_HEIGHT_PX;
}

static void press(struct flm_tui *tui, const struct flm_tui_event *event)
{
    const struct flm_tui_target *target = target_at(tui, event->column, event->row);
    if (tui->mode == FLM_TUI_READING) {
        tui->mode = FLM_TUI_LOOKING;
        return;
    }
    if (is_in_picture(tui, event) || is_in_table(tui, event))
        tui->picture_has_keys = is_in_picture(tui, event);
    if (target)
        flm_tui_do(tui, flm_bytes_of(target->action));
    else if (is_in_table(tui, event) && flm_tui_has_code(tui))
        flm_tui_code_click(tui, event->column, event->row);
    else if (is_in_table(tui, event))
        flm_tui_table_click(tui, event->row);
    else if (is_in_picture(tui, event))
        flm_viewer_pointer(tui->viewer, FLM_POINTER_DOWN, x_of(tui, event->column),
                           y_of(tui, event->row), event->held, false, tui->now_ms);
}

/* The menu of what is there. */
static void press_right(struct flm_tui *tui, const struct flm_tui_event *event)
{
    if (tui->mode == FLM_TUI_READING || !(is_in_picture(tui, event) || is_in_table(tui, event)))
        return;
    tui->mode = FLM_TUI_LOOKING;
    tui->picture_has_keys = is_in_picture(tui, event);
    if (is_in_picture(tui, event))
        flm_viewer_pointer(tui->viewer, FLM_POINTER_MENU, x_of(tui, event->column),
                           y_of(tui, event->row), event->held, false, tui->now_ms);
    else if (flm_tui_table_click(tui, event->row))
        flm_tui_do_format(tui, "menu");
}

static void point(struct flm_tui *tui, const struct flm_tui_event *event)
{
    enum { LEFT_BUTTON = 0, RIGHT_BUTTON = 2, NO_BUTTON = 3 };
    if (event->kind == FLM_TUI_POINTER_DOWN && event->button == RIGHT_BUTTON) {
        press_right(tui, event);
    } else if (event->kind == FLM_TUI_POINTER_DOWN && event->button == LEFT_BUTTON) {
        press(tui, event);
    } else if (tui->has_picture && tui->mode != FLM_TUI_READING) {
        double x = x_of(tui, event->column), y = y_of(tui, event->row);
        if (event->kind == FLM_TUI_POINTER_UP && event->button == LEFT_BUTTON)
            flm_viewer_pointer(tui->viewer, FLM_POINTER_UP, x, y, event->held, false, tui->now_ms);
        else if (event->kind == FLM_TUI_POINTER_MOVE &&
                 (event->button == NO_BUTTON || event->button == LEFT_BUTTON))
            flm_viewer_pointer(tui->viewer, FLM_POINTER_MOVE, x, y, event->held, false,
                               tui->now_ms);
    }
}

static void wheel(struct flm_tui *tui, const struct flm_tui_event *event)
{
    if (tui->mode == FLM_TUI_READING)
        return;
    if (!tui->has_picture || is_in_table(tui, event))
        flm_tui_table_wheel(tui, WHEEL_ROWS * event->wheel_y);
    else if (is_in_picture(tui, event))
        flm_viewer_wheel(
            tui->viewer, x_of(tui, event->column), y_of(tui, event->row), WHEEL_PX * event->wheel_x,
            event->held & FLM_HELD_ALT ? WHEEL_ROWS * FLM_CELL_HEIGHT_PX * event->wheel_y
                                       : WHEEL_PX * event->wheel_y,
            event->held, tui->now_ms);
}

static bool is_control(const struct flm_tui_event *event, const char *letter)
{
    return event->held == FLM_HELD_CONTROL && strcmp(event->key, letter) == 0;
}

static void press_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    tui->notice[0] = 0;
    /* Keys are meant for the selection: what the pointer was left on is not in the way. */
    flm_viewer_pointer(tui->viewer, FLM_POINTER_LEAVE, 0, 0, 0, false, tui->now_ms);
    if (is_control(event, "c")) {
        tui->is_done = true;
    } else if (is_control(event, "z")) {
        flm_tui_terminal_stop();
    } else if (is_control(event, "l")) {
        flm_screen_forget(&tui->screen);
    } else if (tui->mode != FLM_TUI_LOOKING) {
        flm_tui_typing_key(tui, event);
    } else if (strcmp(event->key, "q") == 0 && event->held == 0) {
        tui->is_done = true;
    } else if (tui->live && flm_tui_live_key(tui, event)) {
        return;
    } else if (!flm_tui_table_key(tui, event)) {
        flm_viewer_key(tui->viewer, flm_bytes_of(event->key), event->held, tui->now_ms);
    }
}

static void handle(struct flm_tui *tui, const struct flm_tui_event *event)
{
    switch (event->kind) {
    case FLM_TUI_KEY:
        press_key(tui, event);
        break;
    case FLM_TUI_POINTER_MOVE:
    case FLM_TUI_POINTER_DOWN:
    case FLM_TUI_POINTER_UP:
        point(tui, event);
        break;
    case FLM_TUI_WHEEL:
        wheel(tui, event);
        break;
    case FLM_TUI_PASTE:
        flm_tui_typing_paste(tui, event->text);
        break;
    case FLM_TUI_BLUR:
        flm_viewer_pointer(tui->viewer, FLM_POINTER_LEAVE, 0, 0, 0, false, tui->now_ms);
        break;
    case FLM_TUI_BACKGROUND: {
        /* As bright as eyes find it: green counts most, blue hardly. */
        unsigned red = event->rgb >> 16, green = event->rgb >> 8 & 0xFF, blue = event->rgb & 0xFF;
        tui->terminal_is_dark = 299 * red + 587 * green + 114 * blue < 128 * 1000;
        set_theme(tui, tui->terminal_is_dark);
        break;
    }
    default:
        break;
    }
}

/* Serves the requests of the viewer after each event, because the next event may depend on them. */
static void serve(struct flm_tui *tui)
{
    unsigned changed = flm_viewer_changes(tui->viewer, &tui->seen) | tui->changed;
    tui->changed = changed & ~(FLM_CHANGED(COPY) | FLM_CHANGED(PROMPT));
    if (changed & FLM_CHANGED(COPY))
        copy_text(tui, "copy");
    if (changed & FLM_CHANGED(PROMPT))
        asked(tui);
}

/* Handles all whole events; returns whether some bytes are left that are not. */
static bool handle_input(struct flm_tui *tui, struct input *input, bool is_all)
{
    size_t at = 0, size;
    struct flm_tui_event event;
    while (!tui->is_done &&
           (size = flm_tui_decode((struct flm_bytes){input->at + at, input->size - at},
                                  is_all || input->size == INPUT_SIZE, &event)) > 0) {
        handle(tui, &event);
        serve(tui);
        if (event.kind == FLM_TUI_KEY || event.kind == FLM_TUI_POINTER_DOWN ||
            event.kind == FLM_TUI_WHEEL)
            flm_tui_update(tui); /* the next key may depend on what this one has changed */
        at += size;
    }
    memmove(input->at, input->at + at, input->size - at);
    input->size -= at;
    return input->size > 0;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static bool show(struct flm_tui *tui)
{
    static const char begin[] = "\033[?2026h", end[] = "\033[?2026l";
    tui->out.size = 0;
    flm_text_puts(&tui->out, begin); /* terminals that know it show all of it at once */
    flm_tui_draw(tui);
    flm_screen_update(&tui->screen, &tui->out);
    if (tui->out.size == sizeof begin - 1)
        return true;
    flm_text_puts(&tui->out, end);
    if (tui->out.failed) {
        flm_text_clear(&tui->out);
        flm_screen_forget(&tui->screen);
        return true;
    }
    return flm_tui_terminal_write((struct flm_bytes){tui->out.at, tui->out.size});
}

static bool resize(struct flm_tui *tui, struct flm_error *why)
{
    int columns, rows;
    flm_tui_terminal_size(&columns, &rows);
    if (columns == tui->screen.columns && rows == tui->screen.rows)
        return true;
    return flm_screen_resize(&tui->screen, columns, rows, why);
}

static int time_to_wait(const struct flm_tui *tui, bool is_torn)
{
    int most_ms = tui->live ? NEXT_PROFILE_MS : -1;
    if (tui->more)
        return NEXT_PICTURE_MS;
    if (is_torn)
        return ESCAPE_MS;
    if (tui->notice[0]) {
        double left_ms = tui->notice_until_ms - tui->now_ms + 1;
        left_ms = left_ms > 0 ? left_ms : 0;
        return most_ms < 0 || left_ms < most_ms ? (int)left_ms : most_ms;
    }
    return most_ms;
}

/* Requests the background color, and then the device attributes, which every terminal reports: if
 * these come first, the color never will. */
static void request_background(struct flm_tui *tui, struct input *input)
{
    double until = now_ms() + REPORT_MS;
    bool has_report = false;
    flm_tui_terminal_write(flm_bytes_of("\033]11;?\033\\\033[c"));
    while (!has_report && now_ms() < until) {
        size_t before = input->size;
        unsigned found =
            flm_tui_terminal_wait((int)(until - now_ms()) + 1, input->at, INPUT_SIZE, &input->size);
        if (found & (FLM_TUI_GONE | FLM_TUI_STOP) || input->size == before)
            break;
        /* Other input stays for later. */
        struct flm_tui_event event;
        size_t size;
        for (size_t at = 0; at < input->size; at += size) {
            size =
                flm_tui_decode((struct flm_bytes){input->at + at, input->size - at}, false, &event);
            if (size == 0)
                break;
            if (event.kind != FLM_TUI_BACKGROUND && event.kind != FLM_TUI_DEVICE)
                continue;
            has_report = has_report || event.kind == FLM_TUI_DEVICE;
            handle(tui, &event);
            memmove(input->at + at, input->at + at + size, input->size - at - size);
            input->size -= size;
            size = 0;
        }
    }
}

static bool run(struct flm_tui *tui, struct input *input, struct flm_error *why)
{
    request_background(tui, input);
    bool is_torn = handle_input(tui, input, false);
    while (!tui->is_done) {
        tui->now_ms = now_ms();
        if (tui->notice[0] && tui->now_ms >= tui->notice_until_ms)
            tui->notice[0] = 0;
        if (!resize(tui, why) || (tui->live && !flm_tui_live_turn(tui, why)))
            return false;
        if (!show(tui))
            return true;
        int most_ms = time_to_wait(tui, is_torn);
        unsigned found = flm_tui_terminal_wait(most_ms, input->at, INPUT_SIZE, &input->size);
        tui->now_ms = now_ms();
        if (found & FLM_TUI_GONE)
            return true;
        if (found & FLM_TUI_STOP)
            flm_tui_terminal_stop();
        if (found & FLM_TUI_RESUMED)
            flm_screen_forget(&tui->screen);
        is_torn = handle_input(tui, input, !(found & FLM_TUI_INPUT) && is_torn && !found);
    }
    return true;
}

bool flm_tui_is_possible(struct flm_error *why)
{
    return flm_tui_terminal_is_there(why);
}

static bool run_with(struct flm_viewer *viewer, const struct flm_tui_live *live,
                     const struct flm_tui_code_source *code, struct flm_error *why);

bool flm_tui_run(struct flm_viewer *viewer, struct flm_error *why)
{
    return run_with(viewer, NULL, NULL, why);
}

bool flm_tui_run_with_code(struct flm_viewer *viewer, const struct flm_tui_code_source *code,
                           struct flm_error *why)
{
    return run_with(viewer, NULL, code, why);
}

bool flm_tui_run_live(struct flm_viewer *viewer, const struct flm_tui_live *live,
                      struct flm_error *why)
{
    return run_with(viewer, live, NULL, why);
}

static bool run_with(struct flm_viewer *viewer, const struct flm_tui_live *live,
                     const struct flm_tui_code_source *code, struct flm_error *why)
{
    assert(viewer);
    struct flm_tui *tui = calloc(1, sizeof *tui);
    struct input *input = calloc(1, sizeof *input);
    if (!tui || !input || !flm_tui_terminal_open(why)) {
        bool is_memory = !tui || !input;
        free(tui);
        free(input);
        return is_memory ? flm_error_memory(why) : false;
    }
    tui->viewer = viewer;
    tui->live = live;
    tui->code_source = code;
    flm_viewer_changes(viewer, &tui->seen);
    tui->changed = ~(FLM_CHANGED(COPY) | FLM_CHANGED(PROMPT));
    tui->screen.depth = flm_terminal_depth();
    tui->screen.charset = flm_terminal_charset();
    tui->terminal_is_dark = flm_terminal_is_dark();
    set_theme(tui, tui->terminal_is_dark);
    bool good = run(tui, input, why);
    flm_tui_terminal_close();
    struct flm_response *responses[] = {&tui->tools,   &tui->chips,  &tui->searches,  &tui->hover,
                                        &tui->detail,  &tui->status, &tui->completed, &tui->overlay,
                                        &tui->entries, &tui->legend};
    for (size_t i = 0; i < sizeof responses / sizeof responses[0]; i++)
        flm_response_clear(responses[i]);
    for (size_t i = 0; i < FLM_TUI_TABLES; i++)
        flm_response_clear(&tui->tables[i].response);
    flm_tui_code_clear(tui);
    flm_screen_clear(&tui->screen);
    flm_text_clear(&tui->out);
    flm_text_clear(&tui->page);
    flm_text_clear(&tui->line.text);
    free(tui);
    free(input);
    return good;
}
