#include "format/trace/trace_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/sort.h"
#include "base/number/number.h"
#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "flamel/notes.h"
#include "format/core/units.h"
#include "format/trace/spans.h"
#include "profile/label_range.h"

struct writing {
    const struct flm_profile *p;
    struct flm_json_writer json;
    struct flm_thread_labels labels;
    struct flm_label_range process_names;
    uint32_t metric;
    int64_t base_ns; /* what times are counted from */
    uint32_t *parents;
    struct FLM_ARRAY(uint32_t) open, path; /* nodes, outermost first */
    struct flm_trace_spans spans;
    bool failed;
};

/* ---- Parts of events ------------------------------------------------------------------------- */

static struct flm_json_writer *begin_event(struct writing *w, const char *phase)
{
    flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&w->json, "ph", flm_bytes_of(phase));
    return &w->json;
}

/* Viewers want numbers. A label that is none has one of its own, and is the name of its thread. */
static bool number_of(const struct writing *w, uint32_t label, uint64_t *number)
{
    struct flm_bytes text = flm_string_bytes(w->p, w->p->labels[label].value);
    bool is_number = flm_number_parse_uint(text, number) && *number < INT32_MAX;
    if (!is_number)
        *number = 1000000000 + (uint64_t)label;
    return is_number;
}

static void put_id(struct writing *w, struct flm_json_writer *json, const char *key, uint32_t set,
                   struct flm_label_range range)
{
    uint64_t number = 0; /* speedscope takes no event without */
    uint32_t label = flm_label_in(w->p, set, range);
    if (label != FLM_NONE)
        number_of(w, label, &number);
    flm_json_add_integer(json, key, (int64_t)number);
}

static void put_thread(struct writing *w, struct flm_json_writer *json, uint32_t set)
{
    put_id(w, json, "pid", set, w->labels.processes);
    put_id(w, json, "tid", set, w->labels.threads);
}

static void put_time(struct writing *w, struct flm_json_writer *json, int64_t ns)
{
    char digits[40];
    struct flm_text text;
    ns -= w->base_ns;
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    flm_text_init_fixed(&text, digits, sizeof digits);
    flm_text_format(&text, "%s%llu", ns < 0 ? "-" : "", (unsigned long long)(size / 1000));
    if (size % 1000 > 0) {
        flm_text_putc(&text, '.');
        for (uint64_t rest = size % 1000, unit = 100; rest > 0; rest %= unit, unit /= 10)
            flm_text_putc(&text, (char)('0' + rest / unit));
    }
    flm_json_add_written(json, "ts", (struct flm_bytes){text.at, text.size});
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void open_call(struct writing *w, uint32_t node, uint32_t set, int64_t time_ns)
{
    const struct flm_profile *p = w->p;
    const struct flm_frame_record *frame = &p->frames[p->node_frame[node]];
    struct flm_json_writer *json = begin_event(w, "B");
    flm_json_add_text(json, "name", flm_string_bytes(p, frame->function));
    if (frame->module)
        flm_json_add_text(json, "cat", flm_string_bytes(p, frame->module));
    put_thread(w, json, set);
    put_time(w, json, time_ns);
    if (frame->file)
        flm_json_add_text(json, "file", flm_string_bytes(p, frame->file));
    if (frame->file && frame->line)
        flm_json_add_integer(json, "line", frame->line);
    flm_json_end(json);
}

/* Closes the calls from the innermost one to that of level `to`. */
static void close_calls(struct writing *w, size_t to, uint32_t set, int64_t time_ns)
{
    while (w->open.count > to) {
        uint32_t node = w->open.at[--w->open.count];
        struct flm_json_writer *json = begin_event(w, "E");
        flm_json_add_text(json, "name", flm_frame_function(w->p, w->p->node_frame[node]));
        put_thread(w, json, set);
        put_time(w, json, time_ns);
        flm_json_add_written(json, "args", flm_bytes_of("{}"));
        flm_json_end(json);
    }
}

static bool find_path(struct writing *w, uint32_t node)
{
    w->path.count = 0;
    for (; node != 0; node = w->parents[node])
        if (!FLM_ARRAY_ADD(&w->path, node))
            return false;
    for (size_t i = 0, k = w->path.count; i + 1 < k; i++) {
        uint32_t swap = w->path.at[i];
        w->path.at[i] = w->path.at[--k];
        w->path.at[k] = swap;
    }
    return FLM_ARRAY_RESERVE(&w->open, w->path.count + 1);
}

/* Neighbors share the calls that both are in. */
static void write_spans(struct writing *w, uint32_t set)
{
    int64_t end = 0;
    w->open.count = 0;
    for (size_t i = 0; i < w->spans.count && !w->failed; i++) {
        const struct flm_trace_span *span = &w->spans.at[i];
        if (span->begin_ns > end || i == 0)
            close_calls(w, 0, set, end);
        if (!find_path(w, span->node)) {
            w->failed = true;
            return;
        }
        size_t shared = 0;
        while (shared < w->open.count && shared < w->path.count &&
               w->open.at[shared] == w->path.at[shared])
            shared++;
        close_calls(w, shared, set, span->begin_ns);
        for (; shared < w->path.count; shared++) {
            open_call(w, w->path.at[shared], set, span->begin_ns);
            if (!FLM_ARRAY_ADD(&w->open, w->path.at[shared]))
                w->failed = true;
        }
        end = span->end_ns;
    }
    close_calls(w, 0, set, end);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* `name`: a string, or FLM_NONE; then it is the id, unless that is a number. */
static void name_thread(struct writing *w, const char *what, uint32_t set,
                        struct flm_label_range ids, uint32_t name)
{
    uint64_t number;
    uint32_t id = flm_label_in(w->p, set, ids);
    if (id != FLM_NONE && name == FLM_NONE && !number_of(w, id, &number))
        name = w->p->labels[id].value;
    if (name == FLM_NONE)
        return;
    struct flm_json_writer *json = begin_event(w, "M");
    flm_json_add_text(json, "name", flm_bytes_of(what));
    put_thread(w, json, set);
    flm_json_begin(json, "args", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "name", flm_string_bytes(w->p, name));
    flm_json_end(json);
    flm_json_end(json);
}

static uint32_t thread_of(const struct writing *w, uint32_t sample)
{
    return flm_label_in(w->p, w->p->sample_labels[sample], w->labels.threads);
}

static uint32_t process_of(const struct writing *w, uint32_t sample)
{
    return flm_label_in(w->p, w->p->sample_labels[sample], w->labels.processes);
}

/* By process and thread; samples of one are in the order of time already. */
static int compare_samples(const void *context, uint32_t a, uint32_t b)
{
    const struct writing *w = context;
    uint32_t x = process_of(w, a), y = process_of(w, b);
    if (x == y) {
        x = thread_of(w, a);
        y = thread_of(w, b);
    }
    return (x > y) - (x < y);
}

static bool write_thread(struct writing *w, const uint32_t *samples, size_t count)
{
    const struct flm_profile *p = w->p;
    uint32_t set = p->sample_labels[samples[0]];
    name_thread(w, "process_name", set, w->labels.processes,
                flm_label_value_in(p, set, w->process_names));
    name_thread(w, "thread_name", set, w->labels.threads,
                flm_thread_labels_name(p, set, &w->labels, FLM_NONE));
    if (!flm_trace_spans_make(&w->spans, p, w->metric, samples, count))
        return false;
    write_spans(w, set);
    return !w->failed;
}

static bool write_threads(struct writing *w)
{
    const struct flm_profile *p = w->p;
    size_t all = p->sizes.sample_count, count = 0;
    uint32_t *order = malloc((2 * all + 1) * sizeof *order);
    bool good = order != NULL;
    for (size_t i = 0; i < all && good; i++)
        if (p->sample_time[i] != FLM_NO_TIME && flm_sample_value(p, w->metric, (uint32_t)i) > 0)
            order[count++] = (uint32_t)i;
    if (good)
        flm_sort(order, count, order + all, compare_samples, w);
    for (size_t from = 0, to; from < count && good; from = to) {
        for (to = from + 1; to < count && compare_samples(w, order[from], order[to]) == 0;)
            to++;
        good = write_thread(w, order + from, to - from);
    }
    free(order);
    return good;
}

/* ---- Markers and counters -------------------------------------------------------------------- */

static bool is_object(struct flm_bytes text)
{
    struct flm_source source = flm_source_of(text);
    struct flm_json json;
    if (!flm_bytes_start_with(text, "{"))
        return false;
    flm_json_init(&json, &source, NULL);
    flm_json_skip(&json);
    bool good = !json.failed && source.at == source.end;
    flm_json_clear(&json);
    return good;
}

/* Arguments of a trace are a detail as they are, in JSON; other details become one argument. */
static void put_detail(struct writing *w, struct flm_json_writer *json, uint32_t string)
{
    struct flm_bytes detail = flm_string_bytes(w->p, string);
    if (is_object(detail)) {
        flm_json_add_written(json, "args", detail);
    } else if (detail.size > 0) {
        flm_json_begin(json, "args", FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "detail", detail);
        flm_json_end(json);
    }
}

static void write_marker(struct writing *w, uint32_t index, bool is_end)
{
    const struct flm_profile *p = w->p;
    const struct flm_marker_record *m = &p->markers[index];
    bool lasts = m->duration_ns > 0;
    struct flm_json_writer *json = begin_event(w, is_end ? "e" : lasts ? "b" : "i");
    flm_json_add_text(json, "name", flm_string_bytes(p, m->name));
    put_thread(w, json, m->label_set);
    put_time(w, json, is_end ? m->time_ns + m->duration_ns : m->time_ns);
    if (lasts) {
        flm_json_add_text(json, "cat", flm_bytes_of("marker"));
        flm_json_add_address(json, "id", index + (uint64_t)1);
    } else {
        bool has_thread = flm_label_in(p, m->label_set, w->labels.threads) != FLM_NONE;
        bool has_process = flm_label_in(p, m->label_set, w->labels.processes) != FLM_NONE;
        flm_json_add_text(json, "s", flm_bytes_of(has_thread ? "t" : has_process ? "p" : "g"));
    }
    if (!is_end)
        put_detail(w, json, m->detail);
    flm_json_end(json);
    if (lasts && !is_end)
        write_marker(w, index, true);
}

static void write_counter(struct writing *w, struct flm_counter counter)
{
    struct flm_counter_points points = flm_profile_counter(w->p, counter);
    for (uint32_t i = 0; i < points.point_count && !w->json.out->failed; i++) {
        struct flm_json_writer *json = begin_event(w, "C");
        flm_json_add_text(json, "name", flm_string_bytes(w->p, points.name.index));
        put_thread(w, json, points.label_set.index);
        put_time(w, json, points.time_ns[i]);
        flm_json_begin(json, "args", FLM_JSON_OBJECT_LINE);
        flm_json_add_number(json, "value", points.value[i]);
        flm_json_end(json);
        flm_json_end(json);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

/* "note 3f2a91c0": "{...}", as people wrote them (flamel/notes.h). */
static void write_written_notes(struct writing *w)
{
    const struct flm_profile *p = w->p;
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        char name[sizeof FLM_NOTE_WRITTEN + FLM_NOTE_ID_SIZE] = "";
        if (!flm_note_is_written((struct flm_name){key.at, key.size}))
            continue;
        memcpy(name, key.at, key.size);
        flm_json_add_text(&w->json, name, flm_string_bytes(p, p->notes[i].value));
    }
}

static void write_facts(struct writing *w)
{
    static const char *const facts[][2] = {{"command", "command_line"},
                                           {"recorded", "recorded_time"},
                                           {"host", "hostname"},
                                           {"version", "version"}};
    struct flm_json_writer *json = &w->json;
    flm_json_add_text(json, "displayTimeUnit", flm_bytes_of("ns"));
    flm_json_begin(json, "otherData", FLM_JSON_OBJECT);
    flm_json_add_text(json, "producer", flm_bytes_of("flamel"));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        struct flm_name value = flm_profile_note_named(w->p, facts[i][0]);
        if (value.size > 0)
            flm_json_add_text(json, facts[i][1], (struct flm_bytes){value.at, value.size});
    }
    write_written_notes(w);
    flm_json_end(json);
}

/* Programs read times as floating point numbers of microseconds: since 1970, they would be wrong by
 * a quarter of one. What is this late is counted from the second that it begins in. */
static int64_t base_of(const struct flm_profile *p)
{
    const int64_t exact = INT64_C(1) << 53, second = 1000000000;
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->sample_time[i] != FLM_NO_TIME && p->sample_time[i] < first)
            first = p->sample_time[i];
    for (uint32_t i = 0; i < p->sizes.marker_count; i++)
        first = p->markers[i].time_ns < first ? p->markers[i].time_ns : first;
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        struct flm_counter_points points = flm_profile_counter(p, (struct flm_counter){i});
        if (points.point_count > 0 && points.time_ns[0] < first)
            first = points.time_ns[0];
    }
    return first >= exact && first != INT64_MAX ? first - first % second : 0;
}

/* Whether a sample of the metric has a time, and a stack. */
static bool has_calls(const struct flm_profile *p, uint32_t metric)
{
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->sample_time[i] != FLM_NO_TIME && p->sample_node[i] != 0 &&
            flm_sample_value(p, metric, i) > 0)
            return true;
    return false;
}

static bool refuse(const struct flm_profile *p, uint32_t metric, struct flm_error *why)
{
    struct flm_text others = {0};
    struct flm_bytes name = flm_bytes_of("");
    if (p->sizes.metric_count > 0)
        name = flm_string_bytes(p, p->metrics[metric].name);
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        if (!has_calls(p, m))
            continue;
        flm_text_puts(&others, others.size > 0 ? ", " : "");
        flm_text_add(&others, flm_string_bytes(p, p->metrics[m].name));
    }
    if (others.size == 0)
        flm_error_set(why, FLM_ERROR_USAGE,
                      "a Chrome trace shows when things happened, and the profile has no times: "
                      "write pprof (.pb.gz), speedscope or folded stacks");
    else
        flm_error_set(why, FLM_ERROR_USAGE,
                      "a Chrome trace shows when things happened, and no sample of the metric "
                      "'%.*s' has a time; those of other metrics have: %.*s",
                      (int)name.size, name.at, (int)others.size, others.at);
    flm_text_clear(&others);
    return false;
}

/* Markers and counters are a trace too, but not in place of samples that were asked for. */
static bool can_be_written(const struct flm_profile *p, uint32_t metric, struct flm_error *why)
{
    bool has_others = p->sizes.marker_count > 0 || p->sizes.counter_count > 0;
    if (p->sizes.metric_count > 0 && has_calls(p, metric))
        return true;
    for (uint32_t m = 0; m < p->sizes.metric_count && has_others; m++)
        has_others = !has_calls(p, m);
    return has_others || refuse(p, metric, why);
}

bool flm_trace_write(const struct flm_profile *p, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    struct writing w = {.p = p,
                        .json = {.out = out},
                        .labels = flm_thread_labels_of(p),
                        .process_names = flm_label_range_of(p, "process name"),
                        .metric = options->metric.index};
    if (!can_be_written(p, w.metric, why))
        return false;
    w.base_ns = base_of(p);
    w.parents = malloc(p->sizes.node_count * sizeof *w.parents);
    bool good = w.parents != NULL;
    if (good) {
        flm_profile_parents(p, w.parents);
        flm_json_begin(&w.json, NULL, FLM_JSON_OBJECT);
        if (w.base_ns > 0)
            flm_json_add_integer(&w.json, "baseTimeNanoseconds", w.base_ns);
        flm_json_begin(&w.json, "traceEvents", FLM_JSON_ARRAY);
        good = write_threads(&w);
        for (uint32_t i = 0; i < p->sizes.marker_count && good; i++)
            write_marker(&w, i, false);
        for (uint32_t i = 0; i < p->sizes.counter_count && good; i++)
            write_counter(&w, (struct flm_counter){i});
        flm_json_end(&w.json);
        write_facts(&w);
        flm_json_end(&w.json);
    }
    free(w.parents);
    FLM_ARRAY_CLEAR(&w.open);
    FLM_ARRAY_CLEAR(&w.path);
    FLM_ARRAY_CLEAR(&w.spans);
    return good || flm_error_memory(why);
}
