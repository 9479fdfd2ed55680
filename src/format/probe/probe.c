/* probe.c - the files of programs that measure themselves: flamel/probe.h, flamel/probe_format.h.
 *
 * Sites become frames. "wall" is the time between entering and leaving, without that of the scopes
 * inside, and without what measuring costs (the header has it); "calls" is how often a scope was
 * left. Where one of many calls was timed its time is taken for all. What happened in a scope
 * itself (bytes allocated, CPU time) are metrics too, those that the file has. A scope that is open
 * has the time until the last moment that the file knows of. */
#include <math.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "format/core/date.h"
#include "format/core/format.h"
#include "format/core/reading.h"
#include "format/core/thread_names.h"
#include "format/probe/allocation_stacks.h"
#include "format/probe/decode.h"
#include "format/probe/probe_profile.h"
#include "profile/internal.h"

/* An amount is bytes of files, transfers and mappings; what else is counted has another metric. */
enum { ITEMS = FLM_PROBE_VALUES, METRICS };

struct reading {
    const struct flm_read_options *options;
    struct flm_builder *builder;
    struct flm_error *why;
    struct flm_probe_decoded d;
    struct flm_metric wall, calls, metric[METRICS];
    bool is_timed, has_value[METRICS];
    struct flm_frame *sites;      /* by number */
    struct flm_node *nodes;       /* by step */
    struct flm_label_set *labels; /* by thread */
    struct flm_text pid;
    struct flm_probe_mappings mappings; /* where addresses are to be named by them */
};

static const struct {
    const char *name, *unit;
} values[METRICS] = {
    [FLM_PROBE_ALLOCATED] = {"allocated", "bytes"},
    [FLM_PROBE_ALLOCATIONS] = {"allocations", "count"},
    [FLM_PROBE_FREED] = {"freed", "bytes"},
    [FLM_PROBE_FREES] = {"frees", "count"},
    [FLM_PROBE_CPU] = {"cpu", "ns"},
    [FLM_PROBE_LIVE] = {"live", "bytes"},
    [FLM_PROBE_AMOUNT] = {"amount", "bytes"},
    [ITEMS] = {"items", "count"},
    [FLM_PROBE_ERRORS] = {"errors", "count"},
};

/* ---- Sites ----------------------------------------------------------------------------------- */

/* "parse", "read /etc/passwd", "mutex cache". */
static uint32_t name_of(struct reading *r, uint32_t number)
{
    struct flm_text text = {0};
    struct flm_bytes name = flm_probe_site_name(&r->d, number);
    const char *operation =
        flm_probe_operation_name((enum flm_probe_operation)r->d.sites[number].operation);
    if (r->d.sites[number].kind == FLM_PROBE_HOLDER)
        operation = "held by";
    if (*operation)
        flm_text_format(&text, "%s ", operation);
    flm_text_add(&text, name);
    if (name.size == 0) /* nobody could say more: the program was killed */
        flm_text_format(&text, "0x%llx", (unsigned long long)r->d.sites[number].address);
    uint32_t index = flm_builder_string(r->builder, text.at, text.size).index;
    flm_text_clear(&text);
    return index;
}

/* A function that the program could not name any more: it was killed, or runs still. */
static bool is_nameless(const struct reading *r, uint32_t number)
{
    const struct flm_probe_site *site = &r->d.sites[number];
    return site->kind == FLM_PROBE_SCOPE && site->address > 0 &&
           flm_probe_site_name(&r->d, number).size == 0;
}

static bool read_mappings(struct reading *r)
{
    bool are_needed = r->d.header.first_stack > 0;
    for (uint32_t i = 1; i <= r->d.site_count && !are_needed; i++)
        are_needed = is_nameless(r, i);
    return !are_needed || flm_probe_mappings_read(&r->mappings, &r->d, r->builder, r->why);
}

static bool make_frames(struct reading *r)
{
    struct flm_builder *b = r->builder;
    r->sites = calloc((size_t)r->d.site_count + 1, sizeof *r->sites);
    if (!r->sites)
        return flm_error_memory(r->why);
    for (uint32_t i = 1; i <= r->d.site_count; i++) {
        if (is_nameless(r, i)) {
            r->sites[i] = flm_probe_mapped_frame(&r->mappings, r->d.sites[i].address);
            continue;
        }
        struct flm_bytes file = r->d.texts[i].file;
        r->sites[i] =
            flm_builder_frame(b, &(struct flm_frame_record){
                                     .function = name_of(r, i),
                                     .file = flm_builder_string(b, file.at, file.size).index,
                                     .line = r->options->lines ? r->d.sites[i].line : 0,
                                     .kind = FLM_KIND_NATIVE,
                                 });
    }
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static uint32_t metric_of(const struct reading *r, const struct flm_probe_step *step,
                          uint32_t value)
{
    uint32_t kind = r->d.sites[step->site].kind;
    bool is_bytes =
        kind == FLM_PROBE_FILE || kind == FLM_PROBE_TRANSFER || kind == FLM_PROBE_MAPPED;
    return value == FLM_PROBE_AMOUNT && !is_bytes ? ITEMS : value;
}

/* The metrics that the file has: one whose calls were only counted has no time, one whose memory
 * was not measured none of that. */
static void make_metrics(struct reading *r)
{
    r->is_timed = r->d.header.timed_of > 0;
    if (r->is_timed)
        r->wall = flm_builder_metric(r->builder, "wall", "ns");
    r->calls = flm_builder_metric(r->builder, "calls", "count");
    for (size_t i = 0; i < r->d.steps.count; i++)
        for (uint32_t v = 0; v < FLM_PROBE_VALUES; v++)
            r->has_value[metric_of(r, &r->d.steps.at[i], v)] |= r->d.steps.at[i].value[v] > 0;
    for (uint32_t v = 0; v < METRICS; v++)
        if (r->has_value[v])
            r->metric[v] = flm_builder_metric(r->builder, values[v].name, values[v].unit);
}

static void add(struct reading *r, struct flm_node node, struct flm_metric metric, double value)
{
    if (r->options->keep_times)
        flm_builder_sample_add(r->builder, metric, value);
    else
        flm_builder_add(r->builder, node, metric, value);
}

static void add_values(struct reading *r, const struct flm_probe_step *step, struct flm_node node)
{
    double wall = floor(flm_probe_ns(&r->d, step->self) + 0.5);
    bool any = step->calls > 0 || wall > 0;
    for (uint32_t v = 0; v < FLM_PROBE_VALUES; v++)
        any |= step->value[v] > 0;
    if (!any)
        return;
    if (r->options->keep_times)
        flm_builder_sample(r->builder, FLM_NO_TIME, node, r->labels[step->thread], r->calls,
                           (double)step->calls);
    else
        flm_builder_add(r->builder, node, r->calls, (double)step->calls);
    if (r->is_timed)
        add(r, node, r->wall, wall);
    for (uint32_t v = 0; v < FLM_PROBE_VALUES; v++)
        if (step->value[v] > 0)
            add(r, node, r->metric[metric_of(r, step, v)], (double)step->value[v]);
}

/* Several that had the same name, one after the other, have no number. */
static struct flm_thread_names name_thread(struct reading *r, const struct flm_probe_thread *thread)
{
    char number[24];
    struct flm_text text;
    const struct flm_text *pid = &r->pid;
    struct flm_bytes program = flm_probe_program(&r->d);
    flm_text_init_fixed(&text, number, sizeof number);
    flm_text_format(&text, "%u", thread->tid);
    size_t size = 0;
    while (size < sizeof thread->name && thread->name[size])
        size++;
    return (struct flm_thread_names){
        .process = flm_builder_string(r->builder, pid->at, pid->size).index,
        .process_name = flm_builder_string(r->builder, program.at, program.size).index,
        .thread =
            thread->threads > 1 ? 0 : flm_builder_string(r->builder, text.at, text.size).index,
        .thread_name = flm_builder_string(r->builder, thread->name, size).index};
}

static bool make_tree(struct reading *r)
{
    struct flm_probe_decoded *d = &r->d;
    r->labels = calloc(d->threads.count + 1, sizeof *r->labels);
    r->nodes = calloc(d->steps.count + 1, sizeof *r->nodes);
    struct flm_node *roots = calloc(d->threads.count + 1, sizeof *roots);
    if (!r->labels || !r->nodes || !roots) {
        free(roots);
        return flm_error_memory(r->why);
    }
    for (size_t i = 0; i < d->threads.count; i++) {
        struct flm_thread_names names = name_thread(r, &d->threads.at[i]);
        r->labels[i] = flm_thread_labels(r->builder, &names);
        roots[i] = r->options->by_thread ? flm_thread_root(r->builder, &names)
                                         : flm_builder_root(r->builder);
    }
    for (size_t i = 0; i < d->steps.count; i++) {
        const struct flm_probe_step *step = &d->steps.at[i];
        r->nodes[i] =
            step->parent == FLM_PROBE_NO_STEP
                ? roots[step->thread]
                : flm_builder_child(r->builder, r->nodes[step->parent], r->sites[step->site]);
        add_values(r, step, r->nodes[i]);
    }
    flm_probe_stacks_read(d, r->builder, r->options, roots, r->labels, &r->mappings);
    free(roots);
    return true;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

static void note(struct reading *r, const char *key, struct flm_bytes value)
{
    if (value.size > 0)
        flm_builder_note(r->builder, key, value.at, value.size);
}

/* It says when it ended, and did not go on: a handler of SIGABRT may jump. */
static bool has_last_moment(const struct flm_probe_decoded *d)
{
    return d->header.is_final && d->last_ticks <= d->header.now_ticks;
}

static void add_losses(struct reading *r)
{
    const struct flm_probe_decoded *d = &r->d;
    const struct {
        const char *what;
        uint64_t count;
    } losses[] = {
        {"times of open scopes, after the last moment that the file has",
         d->header.state == FLM_PROBE_RUNNING && !d->header.is_copy && !has_last_moment(d) ? d->open
                                                                                           : 0},
        {"scopes that were left without an end, by a jump or with their thread", d->left},
        {"scopes in more than 256 others", d->lost_depth},
        {"scopes for which the file had no room", d->lost_room},
        {"values that are no numbers or too large, or for which the file had no room",
         d->lost_values},
        {"scopes of signal handlers that interrupted the measuring", d->lost_busy},
        {"scopes that began while the file was read", d->added},
        {"threads for which the file had no room", d->header.lost_threads},
        {"calls of locks and files before a child process was measured", d->header.lost_calls},
        {"child processes whose file could not be made", d->header.lost_processes},
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count > 0)
            flm_builder_lost(r->builder, losses[i].what, "", 0, (double)losses[i].count);
}

/* How calls are timed, where not each is, and as it came. */
static void add_way(const struct reading *r, struct flm_text *text)
{
    const struct flm_probe_header *header = &r->d.header;
    uint64_t calls = 0, timed = 0;
    for (size_t i = 0; i < r->d.steps.count; i++) {
        if (flm_probe_is_counted(&r->d, r->d.steps.at[i].site))
            continue;
        calls += r->d.steps.at[i].calls;
        timed += r->d.steps.at[i].timed;
    }
    if (header->timed_of == 0)
        flm_text_format(text, "no call: they are counted");
    else if (timed < calls)
        flm_text_format(text, "%llu of %llu calls, taken for all", (unsigned long long)timed,
                        (unsigned long long)calls);
    if (header->is_ordered)
        flm_text_format(text, "%swhen what was before is done", text->size > 0 ? "; " : "");
}

/* How many samples there are, and of how many seconds of CPU time: the rate that was really got. */
static void add_rate(const struct reading *r, struct flm_text *text)
{
    const double second = 1e9;
    const struct flm_probe_activity *cpu = &r->d.header.activity[FLM_PROBE_CPU_TIME];
    double ns = 0;
    for (size_t i = 0; i < r->d.steps.count; i++)
        ns += (double)r->d.steps.at[i].value[FLM_PROBE_CPU];
    if (cpu->state != FLM_PROBE_ACTIVE)
        return;
    flm_text_format(text, "%llu", (unsigned long long)cpu->samples);
    if (ns > 0)
        flm_text_format(text, ", %llu a second",
                        (unsigned long long)fmin((double)cpu->samples / ns * second + 0.5, 1e9));
    flm_text_format(text, " where %llu were asked for", (unsigned long long)cpu->rate);
    struct flm_bytes reason = flm_probe_text_at(&r->d, cpu->reason, cpu->reason_size);
    if (reason.size > 0)
        flm_text_add(text, flm_bytes_of(", "));
    flm_text_add(text, reason);
}

static bool add_notes(struct reading *r)
{
    struct flm_text text = {0};
    const struct flm_probe_header *header = &r->d.header;
    note(r, "producer", flm_bytes_of("flamel-probe"));
    note(r, "command", flm_probe_text_at(&r->d, header->command, header->command_size));
    if (header->start_ns <= INT64_MAX)
        flm_date_add(&text, (int64_t)header->start_ns);
    note(r, "recorded", (struct flm_bytes){text.at, text.size});
    text.size = 0;
    double whole = ((double)header->inside_cost + header->outside_cost) / 256;
    double cost = fmin(flm_probe_ns(&r->d, whole), 1e9);
    flm_text_format(&text, "%u ns, taken out", (unsigned)(cost + 0.5));
    note(r, "cost of a scope", (struct flm_bytes){text.at, text.size});
    text.size = 0;
    add_way(r, &text);
    note(r, "timed", (struct flm_bytes){text.at, text.size});
    text.size = 0;
    add_rate(r, &text);
    note(r, "cpu samples", (struct flm_bytes){text.at, text.size});
    text.size = 0;
    flm_text_format(&text, "%llu", (unsigned long long)r->d.open);
    if (r->d.open > 0)
        note(r, "scopes that were open", (struct flm_bytes){text.at, text.size});
    bool good = !text.failed || flm_error_memory(r->why);
    flm_text_clear(&text);
    add_losses(r);
    return good;
}

static bool make_all(struct reading *r)
{
    make_metrics(r);
    flm_text_format(&r->pid, "%u", r->d.header.pid);
    return (!r->pid.failed || flm_error_memory(r->why)) && read_mappings(r) && make_frames(r) &&
           make_tree(r) && add_notes(r);
}

static bool read_probe(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.options = options, .builder = builder, .why = why};
    if (!flm_source_all(source, why))
        return false;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    source->at = source->end;
    bool good = flm_probe_decode(&r.d, all, why) && make_all(&r);
    free(r.sites);
    free(r.nodes);
    free(r.labels);
    flm_text_clear(&r.pid);
    flm_probe_mappings_clear(&r.mappings);
    flm_probe_decoded_clear(&r.d);
    return good;
}

static int sniff_probe(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, FLM_PROBE_MAGIC) ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

const struct flm_format flm_format_probe = {
    .name = "probe",
    .title = "flamel-probe",
    .extensions = ".probe",
    .description = "programs that measure themselves with flamel/probe.h: scopes, calls, times",
    .keeps_labels = true,
    .needs_symbols = true,
    .sniff = sniff_probe,
    .read = read_probe,
};

struct flm_profile *flm_probe_profile(struct flm_bytes bytes, struct flm_error *why)
{
    static const struct flm_format *const list[] = {&flm_format_probe};
    const struct flm_formats formats = {.at = list, .count = 1};
    struct flm_source source = flm_source_of(bytes);
    struct flm_reading reading;
    struct flm_profile *profile = NULL;
    if (flm_reading_begin(&reading, &formats, &source, NULL,
                          &(struct flm_read_options){.keep_times = true}, why))
        profile = flm_reading_finish(&reading, why);
    flm_reading_clear(&reading);
    return profile;
}
