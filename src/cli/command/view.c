/* view.c - `flamel view`: profiles in the browser, or in the terminal.
 *
 * The files are read here, by all processors and in any format, and served to the page as .flm
 * files, which it uses as they lie. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command/commands.h"
#include "cli/common/browser.h"
#include "cli/common/last_recording.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/report/live_sections.h"
#include "cli/tui/tui.h"
#include "code/find/code_request.h"
#include "flamel/page.h"
#include "load/probe/attached.h"
#include "load/probe/probe_names.h"
#include "net/page_server.h"
#include "os/clock.h"
#include "viewer/query/query.h"

struct fields {
    struct flm_load_fields load;
    int port, live;
    bool no_open, tui;
    struct flm_option_list folders, maps;
};

static const struct flm_option options[] = {
    {"port", 'p', "N", "listen on this port (default: any that is free)", FLM_OPTION_COUNT,
     offsetof(struct fields, port)},
    {"no-open", 0, NULL, "print the address, and open no browser", FLM_OPTION_FLAG,
     offsetof(struct fields, no_open)},
    {"tui", 0, NULL, "in this terminal instead of the browser", FLM_OPTION_FLAG,
     offsetof(struct fields, tui)},
    {"live", 0, "PID",
     "what a running program that measures itself (flamel/probe.h) has measured, renewed every "
     "second",
     FLM_OPTION_COUNT, offsetof(struct fields, live)},
    {"source", 'S', "DIR", "look for source files in DIR too; may be given several times",
     FLM_OPTION_LIST, offsetof(struct fields, folders)},
    {"source-map", 0, "OLD=NEW", "paths that begin with OLD begin with NEW here", FLM_OPTION_LIST,
     offsetof(struct fields, maps)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

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

/* A browser keeps a file of this size too. */
#define MOST_POSTED_BYTES ((uint64_t)1 << 30)
#define READER_PATH "read"
#define CODE_PATH "code"
#define LIVE_PATH "live"

static bool add_bytes(void *text, const void *bytes, size_t size)
{
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return true;
}

/* Files that are dropped on the page are read by the server's thread, until this one stops it. */
struct posted {
    struct fields fields;
    atomic_bool is_stopped, is_reading;
};

static bool goes_on(void *context, uint64_t bytes, uint64_t size)
{
    struct posted *posted = context;
    (void)bytes, (void)size;
    return !atomic_load(&posted->is_stopped);
}

/* As if it were the file of this command. */
static bool read_posted(void *context, struct flm_bytes file, struct flm_text *answer,
                        struct flm_error *why)
{
    struct posted *posted = context;
    atomic_store(&posted->is_reading, true);
    struct flm_profile *profile =
        flm_load_bytes_with(&posted->fields.load, file, goes_on, posted, why);
    bool good = profile && (flm_profile_write(profile, add_bytes, answer) || flm_error_memory(why));
    flm_profile_free(profile);
    atomic_store(&posted->is_reading, false);
    return good;
}

/* Ends at once, also while a file is read: most of reading asks whether to go on. What does not (a
 * table of symbols, sorting) may take seconds; nobody waits for its result, and files that are
 * written meanwhile get their names when they are complete. */
static void stop_reading(struct posted *posted)
{
    enum { STEP_MS = 10, STEPS = 30 };
    const struct timespec step = {0, STEP_MS * 1000 * 1000};
    atomic_store(&posted->is_stopped, true);
    for (int i = 0; i < STEPS && atomic_load(&posted->is_reading); i++)
        nanosleep(&step, NULL);
    if (atomic_load(&posted->is_reading))
        _exit(FLM_EXIT_DONE);
}

/* Source and machine code of functions of the profiles that are served. */
static bool find_code(void *context, struct flm_bytes request, struct flm_text *answer,
                      struct flm_error *why)
{
    return flm_code_answer_message(context, request, answer, why);
}

/* A running program, or NULL; its last profile is served once, and then what became of it. */
struct watched {
    const struct fields *fields;
    struct flm_attached *attached;
    struct flm_probe_names *names;
    struct flm_sections sections;
    bool is_over;
};

static struct flm_profile *read_now(struct watched *watched, struct flm_error *why)
{
    struct flm_bytes file;
    watched->is_over = flm_attached_state(watched->attached) != FLM_ATTACHED_MEASURES;
    return flm_attached_read(watched->attached, &file, why)
               ? flm_load_bytes_with(&watched->fields->load, file, NULL, NULL, why)
               : NULL;
}

static bool say_end(const struct watched *watched, struct flm_error *why)
{
    enum flm_attached_state state = flm_attached_state(watched->attached);
    return flm_error_set(why, FLM_ERROR_SYSTEM, "process %d %s", watched->fields->live,
                         state == FLM_ATTACHED_KILLED     ? "was killed"
                         : state == FLM_ATTACHED_REPLACED ? "runs another program now"
                                                          : "has ended");
}

/* What it says of itself, with what came since it was asked last, by any page. */
static bool read_sections(struct watched *watched, struct flm_text *answer, struct flm_error *why)
{
    enum { MOST_ROWS = 500 };
    const double least_s = 0.5;
    const struct flm_report_options made = {
        .size = sizeof made, .name_address = flm_probe_names_find, .name_context = watched->names};
    struct flm_json_writer json = {.out = answer};
    struct flm_bytes file;
    struct flm_report *report = NULL;
    watched->is_over = flm_attached_state(watched->attached) != FLM_ATTACHED_MEASURES;
    double now_s = (double)flm_now_ns() * 1e-9;
    /* Another page has just asked: rates of a few milliseconds would be chance. */
    bool is_known =
        watched->sections.before && now_s - watched->sections.now_s < least_s && !watched->is_over;
    if (!is_known && flm_attached_read(watched->attached, &file, why))
        report = flm_report_probe(file.at, file.size, &made, why);
    if (!is_known && !report)
        return false;
    if (report)
        flm_sections_add(&watched->sections, report, now_s);
    flm_sections_write_cells(&watched->sections, MOST_ROWS, &json);
    return !answer->failed || flm_error_memory(why);
}

static bool read_live(void *context, struct flm_bytes request, struct flm_text *answer,
                      struct flm_error *why)
{
    struct watched *watched = context;
    if (watched->is_over)
        return say_end(watched, why);
    if (flm_bytes_are(request, "sections"))
        return read_sections(watched, answer, why);
    struct flm_profile *profile = read_now(watched, why);
    bool good = profile && (flm_profile_write(profile, add_bytes, answer) || flm_error_memory(why));
    flm_profile_free(profile);
    return good;
}

/* Serves until a signal ends it. The signals are blocked before the server's threads are made, so
 * that this one receives them. */
static int serve_until_stopped(const struct fields *f, const struct flm_served_page *page,
                               struct flm_code_sides *sides, struct watched *watched)
{
    sigset_t waited, before;
    sigemptyset(&waited);
    add_ending_signals(&waited);
    sigaddset(&waited, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &waited, &before);
    struct flm_error why;
    size_t count;
    struct posted posted = {.fields = *f};
    const struct flm_page_reader readers[] = {
        {READER_PATH, MOST_POSTED_BYTES, "open it with: flamel view FILE", read_posted, &posted},
        {CODE_PATH, FLM_CODE_REQUEST_MOST_BYTES, NULL, find_code, sides},
        {LIVE_PATH, FLM_CODE_REQUEST_MOST_BYTES, NULL, read_live, watched}};
    const struct flm_page_file *files = flm_served_page_files(page, &count);
    struct flm_page_server *server = flm_page_server_start(
        f->port, files, count, flm_served_page_policy(page), readers, watched ? 3 : 2, &why);
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
    /* Not the address itself: everybody reads the command line of the browser. */
    const char *exchange = flm_page_server_exchange_url(server);
    if (!f->no_open && !flm_browser_open(&browser, getenv("BROWSER"), exchange))
        say_no_browser();
    for (int signal = SIGCHLD; signal == SIGCHLD;)
        if (sigwait(&waited, &signal) == 0 && signal == SIGCHLD && !flm_browser_reap(&browser))
            say_no_browser();
    stop_reading(&posted);
    flm_page_server_stop(server);
    return FLM_EXIT_DONE;
}

/* ---- Code of the profiles that are shown --------------------------------------------- */

/* What finds the code of a profile; NULL for none. */
static struct flm_code_finder *finder_of(const struct fields *f, const struct flm_profile *profile,
                                         struct flm_symbol_paths *paths, struct flm_error *why)
{
    struct flm_sources_options places = flm_load_places(&f->load, &f->folders, &f->maps, paths);
    places.only_sources = true;
    places.most_source_bytes = FLM_PAGE_MOST_SOURCE;
    struct flm_code_finder_options how = flm_code_finder_options_of(&places);
    how.no_source = true; /* files are asked for by name */
    return profile ? flm_code_finder_new(profile, &how, why) : NULL;
}

/* ---- In the terminal ------------------------------------------------------------------------- */

/* Finders are made when code is asked for. */
struct terminal_code {
    const struct fields *fields;
    struct flm_symbol_paths paths;
    const struct flm_profile *profile[2]; /* by enum flm_viewer_side: the viewer's */
    struct flm_code_sides sides;
};

/* Only of a side that is asked for: the viewer may have closed the other file. */
static bool has_finder(struct terminal_code *code, enum flm_code_side side, struct flm_error *why)
{
    bool is_before = side == FLM_CODE_OF_BEFORE;
    struct flm_code_finder **finder = is_before ? &code->sides.before : &code->sides.after;
    const struct flm_profile *profile =
        code->profile[is_before ? FLM_VIEWER_BEFORE : FLM_VIEWER_AFTER];
    if (side == FLM_CODE_OF_NONE || *finder)
        return true;
    *finder = finder_of(code->fields, profile, &code->paths, why);
    return *finder != NULL;
}

static bool find_in_terminal(void *context, const struct flm_response_code_wanted *wanted,
                             struct flm_text *store, struct flm_error *why)
{
    struct terminal_code *code = context;
    struct flm_code_request request = {.function = wanted->function,
                                       .module = wanted->module,
                                       .side = flm_code_side_named(wanted->side),
                                       .other = flm_code_side_named(wanted->other),
                                       .assembly = wanted->assembly};
    for (size_t i = 0; i < wanted->files.count && i < FLM_CODE_REQUEST_MOST_FILES; i++)
        request.files[request.file_count++] = wanted->files.at[i];
    return has_finder(code, request.side, why) && has_finder(code, request.other, why) &&
           flm_code_answer(&code->sides, &request, store, why);
}

static bool take(struct flm_viewer *viewer, enum flm_viewer_side side,
                 const struct flm_load_fields *load, const char *path, struct terminal_code *code,
                 struct flm_error *why)
{
    struct flm_profile *profile = flm_load_with(load, path);
    code->profile[side] = profile;
    why->kind = FLM_ERROR_NONE; /* has been printed */
    if (!profile || !flm_viewer_take(viewer, side, profile, flm_load_name(path), why))
        return false;
    flm_viewer_knows_code(viewer, side);
    return true;
}

/* What is only in one of two files is why they are compared; it is in one of them. */
static bool has_matched(const struct fields *f, int count)
{
    return count < 2 || flm_load_matched(&f->load, *f->load.unmatched, 2);
}

static int show_in_terminal(const struct fields *f, int count, const char *const *paths)
{
    struct flm_error why = {0};
    if (!flm_tui_is_possible(&why))
        return flm_message_error(&why);
    struct terminal_code code = {.fields = f};
    const struct flm_tui_code_source source = {&code, find_in_terminal};
    struct flm_viewer *viewer = flm_viewer_new(&why);
    bool good = viewer;
    for (int i = 0; i < count && good; i++)
        good = take(viewer, i == count - 1 ? FLM_VIEWER_AFTER : FLM_VIEWER_BEFORE, &f->load,
                    paths[i], &code, &why);
    good = good && has_matched(f, count);
    if (good && count == 2)
        good = flm_viewer_do(viewer, flm_bytes_of("view compare"), &why);
    good = good && flm_tui_run_with_code(viewer, &source, &why);
    flm_code_finder_free(code.sides.after);
    flm_code_finder_free(code.sides.before);
    flm_symbol_paths_clear(&code.paths);
    flm_viewer_free(viewer);
    if (good)
        return FLM_EXIT_DONE;
    return why.kind == FLM_ERROR_NONE ? FLM_EXIT_WRONG : flm_message_error(&why);
}

/* ---- In the browser -------------------------------------------------------------------------- */

static int serve(const struct fields *f, const struct flm_page_options *shown,
                 struct watched *watched)
{
    struct flm_error why;
    struct flm_symbol_paths paths = {0};
    struct flm_served_page *page = flm_served_page_new(shown, &why);
    struct flm_code_sides sides = {NULL, NULL};
    flm_load_say_maps(&f->load, &f->maps, shown->profile, shown->before);
    sides.after = page ? finder_of(f, shown->profile, &paths, &why) : NULL;
    sides.before = sides.after ? finder_of(f, shown->before, &paths, &why) : NULL;
    bool good = sides.after && (sides.before || !shown->before);
    int status = good ? serve_until_stopped(f, page, &sides, watched) : flm_message_error(&why);
    flm_code_finder_free(sides.after);
    flm_code_finder_free(sides.before);
    flm_served_page_free(page);
    flm_symbol_paths_clear(&paths);
    return status;
}

/* A file, compared with the one before unless that is NULL. */
static int show_in_browser(const struct fields *f, const char *before, const char *path)
{
    struct flm_page_options shown = {.size = sizeof shown,
                                     .name = flm_load_name(path),
                                     .reader = READER_PATH,
                                     .code = CODE_PATH};
    if (before) {
        shown.before_name = flm_load_name(before);
        shown.before = flm_load_with(&f->load, before);
    }
    if (!before || shown.before)
        shown.profile = flm_load_with(&f->load, path);
    int status = FLM_EXIT_WRONG;
    if (shown.profile && has_matched(f, before ? 2 : 1))
        status = serve(f, &shown, NULL);
    flm_profile_free(shown.profile);
    flm_profile_free(shown.before);
    return status;
}

/* "node 4711" */
static void name_process(int process, char *name, size_t room)
{
    char path[64], command[32] = "process";
    snprintf(path, sizeof path, "/proc/%d/comm", process);
    FILE *file = fopen(path, "re");
    if (file && fgets(command, sizeof command, file))
        command[strcspn(command, "\n")] = 0;
    if (file)
        fclose(file);
    snprintf(name, room, "%s %d", command, process);
}

static int show_live(const struct fields *f)
{
    struct flm_error why;
    struct watched watched = {.fields = f, .attached = flm_attached_open(f->live, NULL, &why)};
    if (watched.attached && (watched.names = flm_probe_names_new(&why)) != NULL)
        flm_probe_names_add_process(watched.names, f->live);
    char name[64];
    name_process(f->live, name, sizeof name);
    struct flm_page_options shown = {
        .size = sizeof shown, .name = name, .code = CODE_PATH, .live = LIVE_PATH};
    shown.profile = watched.names ? read_now(&watched, &why) : NULL;
    int status = shown.profile ? serve(f, &shown, &watched) : flm_message_error(&why);
    flm_profile_free(shown.profile);
    flm_sections_clear(&watched.sections);
    flm_probe_names_free(watched.names);
    flm_attached_close(watched.attached);
    return status;
}

/* Before any file is read. */
static bool has_page(struct flm_error *why)
{
    struct flm_format_info info = {.size = sizeof info};
    return flm_format_to_save("html", NULL, &info, why);
}

int flm_view_file(const char *path)
{
    const struct fields f = {0};
    struct flm_error why;
    return has_page(&why) ? show_in_browser(&f, NULL, path) : flm_message_error(&why);
}

/* One file, or two to compare. */
static int show(const struct fields *f, int count, const char *const *paths)
{
    struct fields shown = *f;
    size_t unmatched = 0;
    shown.load.unmatched = count == 2 ? &unmatched : NULL;
    return f->tui ? show_in_terminal(&shown, count, paths)
                  : show_in_browser(&shown, count == 2 ? paths[0] : NULL, paths[count - 1]);
}

enum { NO_PROCESS = -1 };

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.live = NO_PROCESS};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (!f.tui && !has_page(&why))
        return flm_message_error(&why);
    if (operands > 2)
        return flm_message_usage("view takes one file, or two to compare: the one before, and then "
                                 "the one that it became");
    for (size_t i = 0; i < f.maps.count; i++)
        if (!flm_source_map_check(f.maps.items[i], &why))
            return flm_message_error(&why);
    if (f.port > UINT16_MAX)
        return flm_message_usage("--port: there is no port %d", f.port);
    if (f.live != NO_PROCESS && (operands > 0 || f.tui))
        return flm_message_usage(f.tui ? "--live is in the browser: in the terminal it is "
                                         "'flamel top PID'"
                                       : "--live takes no file: the process has it");
    if (f.live != NO_PROCESS)
        return show_live(&f);
    if (operands > 0)
        return show(&f, operands, (const char *const *)words);
    struct flm_text last = {0};
    const char *path = flm_last_recording_taken(&last, f.load.quiet);
    status = path ? show(&f, 1, &path) : FLM_EXIT_WRONG;
    flm_text_clear(&last);
    return status;
}

const struct flm_command flm_command_view = {
    .name = "view",
    .synopsis = "[OPTION]... [[BEFORE] FILE]",
    .summary = "show a profile in the browser or in the terminal",
    .description =
        "Shows a profile in the browser; with two files it compares them, and without one it "
        "takes\n"
        "the last recording in this folder. 'flamel FILE' does the same. The profile is served\n"
        "until Ctrl-C, on this machine only, at an address that nobody can guess. With --tui\n"
        "it is shown in the terminal. For a file to keep or to send to someone:\n"
        "flamel convert app.flm -o app.html",
    .examples = "  flamel view app.folded              any format that flamel reads\n"
                "  flamel view before.flm after.flm    a comparison\n"
                "  perf script | flamel view -         from a pipe\n"
                "  flamel view --tui app.flm           in this terminal: ? lists the keys\n"
                "  flamel view --live 4711             what it has measured, every second\n"
                "  flamel view --no-open app.flm       the address only\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
