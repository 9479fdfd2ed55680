/* profiles.c - the tools about one profile, and what all tools read and write with. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/common/load_options.h"
#include "cli/common/memory_limit.h"
#include "cli/mcp/tools.h"
#include "cli/report/live_sections.h"
#include "cli/report/print.h"
#include "flamel/algebra.h"
#include "load/probe/attached.h"
#include "load/probe/probe_names.h"
#include "os/clock.h"

enum { USUAL_ROWS = 20, USUAL_LEVELS = 24 };

/* ---- Reading --------------------------------------------------------------------------------- */

static bool goes_on(void *context, uint64_t bytes, uint64_t size)
{
    const atomic_bool *is_canceled = context;
    (void)bytes, (void)size;
    return !atomic_load(is_canceled);
}

/* Standard input is the client's, and nothing is fetched from elsewhere. */
static bool check_path(const char *path, struct flm_error *why)
{
    if (strcmp(path, "-") == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "standard input has no profile: give a path");
    return !strstr(path, "://") ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "%s: nothing is fetched from the network: give a path on this machine",
                         path);
}

static struct flm_profile *load_process(const struct flm_load_options *options, double process,
                                        struct flm_error *why)
{
    struct flm_bytes file;
    struct flm_attached *attached = flm_attached_open((int32_t)process, NULL, why);
    struct flm_profile *profile = NULL;
    if (attached && flm_attached_read(attached, &file, why))
        profile = flm_load_memory(file.at, file.size, options, why);
    flm_attached_close(attached);
    return profile;
}

/* Takes the profile. An operation that matches nothing is worth knowing. */
static struct flm_profile *apply(const struct flm_mcp_call *call, struct flm_profile *profile,
                                 struct flm_error *why)
{
    char note[200] = "";
    struct flm_profile *result = flm_apply(profile, call->apply, note, why);
    flm_profile_free(profile);
    if (!result) {
        flm_error_within(why, "apply");
    } else if (note[0]) {
        flm_error_set(why, FLM_ERROR_USAGE, "apply: %s", note);
        flm_profile_free(result);
        return NULL;
    }
    return result;
}

/* Of `path`, or of `bytes`, or of the process. */
static struct flm_profile *load(const struct flm_mcp_call *call, const char *path,
                                const struct flm_bytes *bytes, struct flm_error *why)
{
    struct flm_symbol_paths paths = {0};
    union {
        const atomic_bool *given;
        void *passed;
    } is_canceled = {call->is_canceled};
    const struct flm_load_options options = {.size = sizeof options,
                                             .drop_times = !call->apply,
                                             .perf_dir = flm_symbol_perf_dir(&paths),
                                             .cache_dir = flm_symbol_cache(&paths),
                                             .progress = goes_on,
                                             .progress_context = is_canceled.passed};
    struct flm_profile *profile = NULL;
    if (bytes)
        profile = flm_load_memory(bytes->at, bytes->size, &options, why);
    else if (!path)
        profile = load_process(&options, call->pid, why);
    else if (check_path(path, why))
        profile = flm_load(path, &options, why);
    flm_symbol_paths_clear(&paths);
    if (profile)
        flm_memory_limit_read(profile);
    return profile && call->apply ? apply(call, profile, why) : profile;
}

struct flm_profile *flm_mcp_load(const struct flm_mcp_call *call, const char *path,
                                 struct flm_error *why)
{
    return load(call, path, NULL, why);
}

static bool has_one_source(const struct flm_mcp_call *call, struct flm_error *why)
{
    return (call->file != NULL) != !isnan(call->pid) ||
           flm_error_set(why, FLM_ERROR_USAGE, "give a file, or a pid");
}

const char *flm_mcp_source(const struct flm_mcp_call *call)
{
    return call->file ? call->file : "the running program";
}

/* ---- Answering ------------------------------------------------------------------------------- */

bool flm_mcp_add_report(const struct flm_mcp_call *call, struct flm_report *report,
                        struct flm_text *out, struct flm_error *why)
{
    bool is_json = call->form && strcmp(call->form, "json") == 0;
    bool good = report && flm_report_write(report, is_json ? FLM_REPORT_JSON : FLM_REPORT_TEXT,
                                           NULL, flm_report_into_text, out, why);
    flm_report_free(report);
    return good;
}

static struct flm_report_options options_of(const struct flm_mcp_call *call)
{
    const char *sort = call->sort ? call->sort : "self";
    return (struct flm_report_options){
        .size = sizeof(struct flm_report_options),
        .source = flm_mcp_source(call),
        .metric = call->metric,
        .sort = strcmp(sort, "total") == 0  ? FLM_REPORT_BY_TOTAL
                : strcmp(sort, "name") == 0 ? FLM_REPORT_BY_NAME
                                            : FLM_REPORT_BY_SELF,
        .rows = flm_mcp_count(call->rows, USUAL_ROWS),
        .min_percent = isnan(call->min_percent) ? 2 : fmin(call->min_percent, 100),
        .levels = flm_mcp_count(call->levels, USUAL_LEVELS),
        .function = call->function,
    };
}

typedef struct flm_report *(*make_report)(const struct flm_profile *profile,
                                          const struct flm_report_options *options,
                                          struct flm_error *why);

static bool answer(const struct flm_mcp_call *call, make_report make, struct flm_text *out,
                   struct flm_error *why)
{
    const struct flm_report_options options = options_of(call);
    struct flm_profile *profile =
        has_one_source(call, why) ? flm_mcp_load(call, call->file, why) : NULL;
    bool good = profile && flm_mcp_add_report(call, make(profile, &options, why), out, why);
    flm_profile_free(profile);
    return good;
}

static struct flm_report *report_process(const struct flm_mcp_call *call,
                                         const struct flm_report_options *options,
                                         struct flm_error *why)
{
    struct flm_bytes file;
    struct flm_report_options with_names = *options;
    struct flm_report *report = NULL;
    struct flm_attached *attached = flm_attached_open((int32_t)call->pid, NULL, why);
    struct flm_probe_names *names = attached ? flm_probe_names_new(why) : NULL;
    if (names) {
        flm_probe_names_add_process(names, (int32_t)call->pid);
        with_names.name_address = flm_probe_names_find;
        with_names.name_context = names;
        if (flm_attached_read(attached, &file, why))
            report = flm_report_probe(file.at, file.size, &with_names, why);
        if (report && !flm_probe_names_check(names, why)) {
            flm_report_free(report);
            report = NULL;
        }
    }
    flm_probe_names_free(names);
    flm_attached_close(attached);
    return report;
}

/* A program that measured itself says more than its call tree: a section for each signal. Who asks
 * for a metric, an order or operations means the functions. */
static struct flm_report *report_sections(const struct flm_mcp_call *call, struct flm_error *why)
{
    enum { USUAL_SECTION_ROWS = 8 };
    struct flm_report_options options = options_of(call);
    options.rows = flm_mcp_count(call->rows, USUAL_SECTION_ROWS);
    why->kind = FLM_ERROR_NONE;
    if (call->metric || call->sort || call->apply || !has_one_source(call, why))
        return NULL;
    if (!call->file)
        return report_process(call, &options, why);
    return check_path(call->file, why) ? flm_report_probe_file(call->file, &options, why) : NULL;
}

bool flm_mcp_report(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    struct flm_report *sections = report_sections(call, why);
    if (sections || why->kind != FLM_ERROR_NONE)
        return flm_mcp_add_report(call, sections, out, why);
    return answer(call, flm_report_top, out, why);
}

bool flm_mcp_tree(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    return answer(call, flm_report_tree, out, why);
}

bool flm_mcp_callers(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    return answer(call, flm_report_callers, out, why);
}

bool flm_mcp_callees(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    return answer(call, flm_report_callees, out, why);
}

bool flm_mcp_info(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    return answer(call, flm_report_info, out, why);
}

/* ---- Source ---------------------------------------------------------------------------------- */

static bool add_annotated(const struct flm_mcp_call *call, const struct flm_profile *profile,
                          struct flm_sources *sources, struct flm_text *out, struct flm_error *why)
{
    const char *code = call->code ? call->code : "source";
    const struct flm_annotate_options how = {
        .size = sizeof how,
        .source = flm_mcp_source(call),
        .metric = call->metric,
        .function = call->function,
        .sources = sources,
        .rows = flm_mcp_count(call->rows, call->function ? 1 : USUAL_ROWS),
        .code = strcmp(code, "assembly") == 0 ? FLM_ANNOTATE_ASSEMBLY
                : strcmp(code, "both") == 0   ? FLM_ANNOTATE_BOTH
                                              : FLM_ANNOTATE_SOURCE};
    struct flm_report *made = call->function ? flm_report_annotate(profile, &how, why)
                                             : flm_report_lines(profile, &how, why);
    return flm_mcp_add_report(call, made, out, why);
}

bool flm_mcp_annotate(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    struct flm_symbol_paths paths = {0};
    const struct flm_sources_options where = {.size = sizeof where,
                                              .perf_dir = flm_symbol_perf_dir(&paths),
                                              .cache_dir = flm_symbol_cache(&paths)};
    struct flm_profile *profile =
        has_one_source(call, why) ? flm_mcp_load(call, call->file, why) : NULL;
    struct flm_sources *sources = profile ? flm_sources_new(&where, why) : NULL;
    bool good = sources && add_annotated(call, profile, sources, out, why);
    flm_sources_free(sources);
    flm_profile_free(profile);
    flm_symbol_paths_clear(&paths);
    return good;
}

/* ---- A running program ----------------------------------------------------------------------- */

/* False where the client says that it does not want the answer any more. */
static bool wait(const struct flm_mcp_call *call, double seconds)
{
    enum { STEP_NS = 50000000 };
    const struct timespec step = {0, STEP_NS};
    int64_t end = flm_now_ns() + (int64_t)(seconds * 1e9);
    while (flm_now_ns() < end && !atomic_load(call->is_canceled))
        nanosleep(&step, NULL);
    return !atomic_load(call->is_canceled);
}

static bool add_interval(const struct flm_mcp_call *call, struct flm_bytes file, double seconds,
                         struct flm_text *out, struct flm_error *why)
{
    struct flm_report_options options = options_of(call);
    char source[64];
    struct flm_profile *interval = load(call, NULL, &file, why);
    snprintf(source, sizeof source, "process %.0f, %.1f s", call->pid, seconds);
    options.source = source;
    bool good =
        interval && flm_mcp_add_report(call, flm_report_top(interval, &options, why), out, why);
    /* How often is as much worth as how long; it is the other metric of all that measure so. */
    if (good && !call->metric && !(call->form && strcmp(call->form, "json") == 0)) {
        options.metric = "calls";
        flm_text_putc(out, '\n');
        good = flm_mcp_add_report(call, flm_report_top(interval, &options, why), out, why);
    }
    flm_profile_free(interval);
    return good;
}

static bool look(struct flm_attached *attached, struct flm_sections *sections,
                 struct flm_error *why)
{
    struct flm_bytes file;
    struct flm_report *report = NULL;
    if (flm_attached_read(attached, &file, why))
        report = flm_report_probe(file.at, file.size, NULL, why);
    if (report)
        flm_sections_add(sections, report, (double)flm_now_ns() * 1e-9);
    return report != NULL;
}

static void add_section(const struct flm_mcp_call *call, const struct flm_sections *sections,
                        struct flm_text *out)
{
    const struct flm_section_tab *tab;
    const struct flm_table_style style = {0};
    for (size_t i = 0; (tab = flm_sections_tab(i)) != NULL; i++) {
        struct flm_section_view view = {.tab = tab, .rows = flm_mcp_count(call->rows, USUAL_ROWS)};
        if (strcmp(tab->name, call->section) != 0)
            continue;
        flm_text_format(out, "%s: ", tab->title);
        flm_sections_write_status(sections, out);
        flm_text_puts(out, "\n\n");
        flm_sections_write(sections, &view, &style, out);
        if (view.hidden > 0)
            flm_text_format(out, "and %zu more\n", view.hidden);
    }
}

static bool add_live_section(const struct flm_mcp_call *call, double seconds, struct flm_text *out,
                             struct flm_error *why)
{
    struct flm_sections sections = {0};
    struct flm_attached *attached = flm_attached_open((int32_t)call->pid, NULL, why);
    bool good = attached && look(attached, &sections, why);
    if (good && !wait(call, seconds))
        good = flm_error_set(why, FLM_ERROR_CANCELED, "canceled");
    good = good && look(attached, &sections, why);
    if (good)
        add_section(call, &sections, out);
    flm_sections_clear(&sections);
    flm_attached_close(attached);
    return good;
}

bool flm_mcp_live(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    const double most = 60, least = 0.1;
    double seconds = isnan(call->seconds) ? 1 : fmax(least, fmin(call->seconds, most));
    if (call->section)
        return add_live_section(call, seconds, out, why);
    struct flm_bytes file;
    struct flm_attached *attached = flm_attached_open((int32_t)call->pid, NULL, why);
    int64_t began = flm_now_ns();
    bool good = attached && flm_attached_begin_interval(attached, why);
    if (good && !wait(call, seconds))
        good = flm_error_set(why, FLM_ERROR_CANCELED, "canceled");
    good = good && flm_attached_end_interval(attached, &file, why);
    seconds = (double)(flm_now_ns() - began) * 1e-9;
    good = good && add_interval(call, file, seconds, out, why);
    flm_attached_close(attached);
    return good;
}
