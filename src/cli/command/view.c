/* view.c - `flamel view`: profiles in the browser, or in the terminal.
 *
 * The files are read here, by all processors and in any format, and served to the page as .flm
 * files, which it uses as they lie. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/browser.h"
#include "cli/common/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/tui/tui.h"
#include "load/page.h"
#include "load/page_assets.h"
#include "os/page_server.h"
#include "profile/flm_file.h"

struct fields {
    struct flm_load_fields load;
    int port;
    bool no_open, tui;
};

static const struct flm_option options[] = {
    {"port", 'p', "N", "listen on this port (default: any that is free)", FLM_OPTION_COUNT,
     offsetof(struct fields, port)},
    {"no-open", 0, NULL, "print the address, and open no browser", FLM_OPTION_FLAG,
     offsetof(struct fields, no_open)},
    {"tui", 0, NULL, "in this terminal instead of the browser", FLM_OPTION_FLAG,
     offsetof(struct fields, tui)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* Everything that is served, and whom it belongs to. */
struct viewing {
    struct flm_page page;
    struct flm_profile *profile[FLM_PAGE_SLOTS];
    struct flm_text html, policy;
    struct flm_served files[2 + FLM_PAGE_SLOTS];
    size_t count;
};

static const char *const slots[FLM_PAGE_SLOTS] = {"after.flm", "before.flm"};

static void serve(struct viewing *v, const char *name, const char *type, struct flm_bytes bytes)
{
    v->files[v->count++] = (struct flm_served){name, type, bytes};
}

static bool prepare(struct viewing *v, struct flm_error *why)
{
    v->page.module_from = "flamel.wasm";
    for (int i = 0; i < FLM_PAGE_SLOTS; i++) {
        if (!v->profile[i])
            continue;
        v->page.from[i] = slots[i];
        serve(v, slots[i], "application/octet-stream", flm_profile_seal(v->profile[i]));
    }
    if (!flm_page_write(&v->page, &v->html, why))
        return false;
    flm_page_policy(true, &v->policy);
    flm_text_puts(&v->policy, "; frame-ancestors 'none'");
    flm_text_putc(&v->policy, 0);
    if (v->html.failed || v->policy.failed)
        return flm_error_memory(why);
    serve(v, "", "text/html; charset=utf-8", (struct flm_bytes){v->html.at, v->html.size});
    serve(v, v->page.module_from, "application/wasm", flm_page_asset(FLM_PAGE_SERVED_MODULE));
    return true;
}

static void clear(struct viewing *v)
{
    for (int i = 0; i < FLM_PAGE_SLOTS; i++)
        flm_profile_free(v->profile[i]);
    flm_text_clear(&v->html);
    flm_text_clear(&v->policy);
}

static void say_no_browser(void)
{
    flm_message("no browser could be started: open the address above");
}

/* The signals that end it, but those that were ignored from the start, as nohup does. */
static void add_ending_signals(sigset_t *set)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(set, signals[i]);
    }
}

/* Serves until a signal ends it. The signals are blocked before the server's threads are made, so
 * that this one receives them. */
static int serve_until_stopped(const struct fields *f, struct viewing *v)
{
    sigset_t waited, before;
    sigemptyset(&waited);
    add_ending_signals(&waited);
    sigaddset(&waited, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &waited, &before);
    struct flm_error why;
    struct flm_page_server *server =
        flm_page_server_start(f->port, v->files, v->count, v->policy.at, &why);
    if (!server) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return flm_message_error(&why);
    }
    const char *address = flm_page_server_url(server);
    printf("%s\n", address);
    if (!flm_stdout_flush()) {
        flm_page_server_stop(server);
        return FLM_EXIT_WRONG;
    }
    if (!f->load.quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "Serving on this machine only. Ctrl-C ends it.\n");
    struct flm_browser browser = {0};
    if (!f->no_open && !flm_browser_open(&browser, getenv("BROWSER"), address))
        say_no_browser();
    for (int signal = SIGCHLD; signal == SIGCHLD;)
        if (sigwait(&waited, &signal) == 0 && signal == SIGCHLD && !flm_browser_reap(&browser))
            say_no_browser();
    flm_page_server_stop(server);
    return FLM_EXIT_DONE;
}

/* ---- In the terminal ------------------------------------------------------------------------- */

static bool take(struct flm_viewer *viewer, enum flm_viewer_side side,
                 const struct flm_load_fields *load, const char *path, struct flm_error *why)
{
    struct flm_profile *profile = flm_load_with(load, path);
    if (profile)
        return flm_viewer_take(viewer, side, profile, flm_load_name(path), why);
    why->kind = FLM_ERROR_NONE; /* has been printed */
    return false;
}

static int show_in_terminal(const struct fields *f, int count, char **paths)
{
    struct flm_error why;
    if (!flm_tui_is_possible(&why))
        return flm_message_error(&why);
    struct flm_viewer *viewer = flm_viewer_new(&why);
    bool good = viewer;
    for (int i = 0; i < count && good; i++)
        good = take(viewer, i == count - 1 ? FLM_VIEWER_AFTER : FLM_VIEWER_BEFORE, &f->load,
                    paths[i], &why);
    if (good && count == 2)
        good = flm_viewer_do(viewer, flm_bytes_of("view compare"), &why);
    good = good && flm_tui_run(viewer, &why);
    flm_viewer_free(viewer);
    if (good)
        return FLM_EXIT_DONE;
    return why.kind == FLM_ERROR_NONE ? FLM_EXIT_WRONG : flm_message_error(&why);
}

/* One file, or two: the one before comes first. */
static int show_in_browser(const struct fields *f, int count, const char *const *paths)
{
    struct flm_error why;
    struct viewing v = {0};
    int status = FLM_EXIT_DONE;
    for (int i = 0; i < count && status == FLM_EXIT_DONE; i++) {
        int slot = i == count - 1 ? FLM_PAGE_AFTER : FLM_PAGE_BEFORE;
        v.page.name[slot] = flm_load_name(paths[i]);
        v.profile[slot] = flm_load_with(&f->load, paths[i]);
        if (!v.profile[slot])
            status = FLM_EXIT_WRONG;
    }
    if (status == FLM_EXIT_DONE)
        status = prepare(&v, &why) ? serve_until_stopped(f, &v) : flm_message_error(&why);
    clear(&v);
    return status;
}

int flm_view_file(const char *path)
{
    const struct fields f = {0};
    struct flm_error why;
    return flm_page_is_built(&why) ? show_in_browser(&f, 1, &path) : flm_message_error(&why);
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {0};
    struct flm_error why;
    int operands = flm_options_parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    bool good = operands >= 0 && (f.tui || flm_page_is_built(&why));
    if (good && operands != 1 && operands != 2)
        good = flm_error_set(&why, FLM_ERROR_USAGE,
                             "view takes one file, or two to compare: the one before, and then the "
                             "one that it became");
    else if (good && f.port > UINT16_MAX)
        good = flm_error_set(&why, FLM_ERROR_USAGE, "--port: there is no port %d", f.port);
    if (!good)
        return flm_message_error(&why);
    if (f.tui)
        return show_in_terminal(&f, operands, words);
    const char *const paths[] = {words[0], operands == 2 ? words[1] : NULL};
    return show_in_browser(&f, operands, paths);
}

const struct flm_command flm_command_view = {
    .name = "view",
    .synopsis = "[OPTION]... [BEFORE] FILE",
    .summary = "profiles in the browser, or in the terminal",
    .description = "Shows a profile in the browser, and with two files how one differs from the "
                   "other.\nIt is served on this machine only, at an address that nobody can "
                   "guess, until Ctrl-C;\nwith --tui it is shown in the terminal.\nTo hand a "
                   "profile on, or to keep it: "
                   "flamel convert app.flm -o app.html.",
    .examples = "  flamel view app.folded              any format that flamel reads\n"
                "  flamel view before.flm after.flm    what has changed\n"
                "  perf script | flamel view -         from a pipe\n"
                "  flamel view --tui app.flm           in this terminal: ? lists the keys\n"
                "  flamel view --no-open app.flm       the address only\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
