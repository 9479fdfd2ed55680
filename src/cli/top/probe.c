#include "cli/top/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/json_write.h"
#include "cli/common/signals.h"
#include "cli/common/terminal.h"
#include "cli/report/live_sections.h"
#include "cli/report/top_messages.h"
#include "cli/tui/sections_screen.h"
#include "flamel/probe_format.h"
#include "load/probe/probe_names.h"
#include "os/clock.h"
#include "os/file_bytes.h"

struct probe {
    const struct flm_top *top;
    struct flm_attached *attached; /* NULL: a file */
    int64_t interval_ns, next_ns;  /* when it looks again */
    struct flm_sections sections;
    struct flm_bytes shown; /* what they were made of */
    struct flm_text kept;   /* the same, where it is frozen or a file */
    struct flm_probe_names *names;
    enum flm_attached_state state;
    bool is_frozen;
    char time[FLM_TOP_TIME_SIZE];
};

static bool add_look(struct probe *p, struct flm_bytes file, double at_s, struct flm_error *why)
{
    const struct flm_report_options options = {.size = sizeof options,
                                               .source = p->top->name,
                                               .name_address = flm_probe_names_find,
                                               .name_context = p->names};
    struct flm_report *report = flm_report_probe(file.at, file.size, &options, why);
    if (!report)
        return false;
    p->shown = file;
    flm_sections_add(&p->sections, report, at_s);
    return true;
}

/* After its end it is looked at once more, and then never. */
static bool look(void *context, struct flm_error *why)
{
    struct probe *p = context;
    struct flm_bytes file;
    int64_t now_ns = flm_now_ns();
    if (p->is_frozen || !p->attached || now_ns < p->next_ns || p->state != FLM_ATTACHED_MEASURES)
        return true;
    p->state = flm_attached_state(p->attached);
    p->next_ns = now_ns + p->interval_ns;
    if (p->state != FLM_ATTACHED_MEASURES)
        flm_top_time("%H:%M:%S", p->time);
    return flm_attached_read(p->attached, &file, why) &&
           add_look(p, file, (double)now_ns * 1e-9, why);
}

static void describe(void *context, struct flm_text *word)
{
    static const char *const words[] = {[FLM_ATTACHED_MEASURES] = "running",
                                        [FLM_ATTACHED_REPLACED] = "now another program",
                                        [FLM_ATTACHED_ENDED] = "ended",
                                        [FLM_ATTACHED_KILLED] = "killed"};
    const struct probe *p = context;
    if (p->is_frozen)
        flm_text_format(word, "frozen at %s", p->time);
    else if (p->state == FLM_ATTACHED_MEASURES || !p->time[0])
        flm_text_puts(word, words[p->state]);
    else
        flm_text_format(word, "%s at %s", words[p->state], p->time);
}

static void freeze(void *context)
{
    struct probe *p = context;
    if (p->state != FLM_ATTACHED_MEASURES)
        return;
    p->is_frozen = !p->is_frozen;
    flm_top_time("%H:%M:%S", p->time);
    if (!p->is_frozen)
        p->time[0] = 0;
}

/* A name with the time of day, which is free: nothing is overwritten. */
static bool save(void *context, struct flm_text *name, struct flm_error *why)
{
    const struct probe *p = context;
    char time[FLM_TOP_TIME_SIZE];
    struct flm_text path = {0};
    flm_top_time("%H%M%S", time);
    flm_top_write_file_name(p->top->name, time, name);
    if (name->size > 4 && memcmp(name->at + name->size - 4, ".flm", 4) == 0)
        name->size -= 4;
    flm_text_puts(name, ".probe");
    flm_text_add(&path, (struct flm_bytes){name->at, name->size});
    flm_text_putc(&path, 0);
    bool good = !path.failed || flm_error_memory(why);
    if (good && access(path.at, F_OK) == 0)
        good = flm_error_set(why, FLM_ERROR_USAGE, "there is a %s already", path.at);
    good = good && flm_file_write(path.at, p->shown, why);
    flm_text_clear(&path);
    return good;
}

/* ---- Printed --------------------------------------------------------------------------------- */

static volatile sig_atomic_t stopped;

static void remember(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    stopped = number;
}

static void add_json(const struct probe *p, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    char time[FLM_TOP_TIME_SIZE];
    flm_top_time("%H:%M:%S", time);
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "time", flm_bytes_of(time));
    flm_json_add_text(&json, "target", flm_bytes_of(p->top->name));
    flm_json_add_number(&json, "elapsed_ns", flm_report_fact_number(p->sections.now, "elapsed_ns"));
    flm_json_add_number(&json, "interval_s", p->sections.seconds);
    flm_sections_write_json(&p->sections, (size_t)p->top->rows, &json);
    flm_json_end(&json);
}

static void add_tables(const struct probe *p, struct flm_text *out)
{
    struct flm_report_style asked = flm_style_of_output();
    const struct flm_table_style style = {
        .width = asked.width, .charset = (enum flm_charset)asked.charset, .colors = asked.colors};
    const struct flm_section_tab *tab;
    char time[FLM_TOP_TIME_SIZE];
    flm_top_time("%H:%M:%S", time);
    flm_text_format(out, "%s  %s: ", time, p->top->name);
    flm_sections_write_status(&p->sections, out);
    flm_text_puts(out, "\n\n");
    for (size_t i = 0; (tab = flm_sections_tab(i)) != NULL; i++) {
        struct flm_section_view view = {.tab = tab, .rows = (size_t)p->top->rows};
        if (!flm_report_table_named(p->sections.now, tab->name))
            continue;
        flm_text_format(out, "%s\n", tab->title);
        flm_sections_write(&p->sections, &view, &style, out);
        if (view.hidden > 0)
            flm_text_format(out, "and %zu more\n", view.hidden);
        flm_text_puts(out, "\n");
    }
}

static bool print(const struct probe *p, struct flm_error *why)
{
    struct flm_text out = {0};
    if (p->top->json)
        add_json(p, &out);
    else
        add_tables(p, &out);
    bool good = !out.failed || flm_error_memory(why);
    if (good && (fwrite(out.at, 1, out.size, stdout) != out.size || fflush(stdout) != 0))
        good = flm_error_set(why, FLM_ERROR_SYSTEM, "cannot write to standard output");
    flm_text_clear(&out);
    return good;
}

static void wait_until(const struct probe *p)
{
    enum { STEP_NS = 50000000 };
    const struct timespec step = {0, STEP_NS};
    while (!stopped && flm_now_ns() < p->next_ns &&
           flm_attached_state(p->attached) == FLM_ATTACHED_MEASURES)
        nanosleep(&step, NULL);
}

/* Rates need two looks: the first table has those since the one before it. */
static bool print_all(struct probe *p, struct flm_error *why)
{
    struct flm_signals caught = {0};
    flm_signals_catch(&caught, remember);
    bool good = look(p, why);
    for (int printed = 0; good && !stopped && (p->top->tables == 0 || printed < p->top->tables);
         printed++) {
        wait_until(p);
        p->next_ns = 0;
        good = look(p, why) && print(p, why);
        if (p->state != FLM_ATTACHED_MEASURES)
            break;
    }
    flm_signals_restore(&caught);
    return good;
}

static bool show(struct probe *p, struct flm_error *why)
{
    const struct flm_tui_sections what = {.context = p,
                                          .name = p->top->name,
                                          .sections = &p->sections,
                                          .look = look,
                                          .describe = describe,
                                          .freeze = freeze,
                                          .save = save};
    return flm_tui_run_sections(&what, why);
}

bool flm_top_probe(const struct flm_top *top, int32_t process, struct flm_attached *attached,
                   int64_t interval_ns, bool is_screen, struct flm_error *why)
{
    struct probe p = {.top = top,
                      .attached = attached,
                      .interval_ns = interval_ns,
                      .names = flm_probe_names_new(why),
                      .state = FLM_ATTACHED_MEASURES};
    if (p.names)
        flm_probe_names_add_process(p.names, process);
    bool good = p.names && (is_screen ? show(&p, why) : print_all(&p, why));
    flm_probe_names_free(p.names);
    flm_sections_clear(&p.sections);
    flm_attached_close(attached);
    return good;
}

bool flm_top_post_mortem(const struct flm_top *top, const char *path, bool is_screen,
                         struct flm_error *why)
{
    struct probe p = {.top = top, .state = FLM_ATTACHED_ENDED, .names = flm_probe_names_new(why)};
    bool good = p.names && flm_file_read(path, &p.kept, why);
    if (good && !flm_bytes_start_with((struct flm_bytes){p.kept.at, p.kept.size}, FLM_PROBE_MAGIC))
        good =
            flm_error_set(why, FLM_ERROR_USAGE,
                          "%s is no file of a program that measured itself (flamel/probe.h)", path);
    if (good)
        flm_probe_names_add_file(p.names, (struct flm_bytes){p.kept.at, p.kept.size});
    good = good && (add_look(&p, (struct flm_bytes){p.kept.at, p.kept.size}, 0, why) ||
                    flm_error_within(why, path));
    if (good && flm_report_fact_number(p.sections.now, "has_ended") == 0)
        p.state = FLM_ATTACHED_KILLED;
    good = good && (is_screen ? show(&p, why) : print(&p, why));
    flm_probe_names_free(p.names);
    flm_sections_clear(&p.sections);
    flm_text_clear(&p.kept);
    return good;
}
