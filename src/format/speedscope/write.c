#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "base/text/json_write.h"
#include "format/speedscope/internal.h"
#include "profile/columns.h"
#include "profile/label_range.h"
#include "profile/sample_span.h"

struct writing {
    const struct flm_profile *p;
    struct flm_text *out;
    uint32_t *parents;
    struct FLM_ARRAY(uint32_t) path;
    bool has_profiles;
};

/* speedscope's name of a unit: "none" for those that it does not know. */
static const char *unit_of(struct flm_bytes unit)
{
    static const char *const names[][2] = {{"ns", "nanoseconds"},
                                           {"us", "microseconds"},
                                           {"ms", "milliseconds"},
                                           {"s", "seconds"},
                                           {"bytes", "bytes"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flm_bytes_are(unit, names[i][0]))
            return names[i][1];
    return "none";
}

static void add_number(struct flm_text *out, double value)
{
    char digits[FLM_NUMBER_SIZE];
    size_t size = flm_number_print(value, digits);
    flm_text_add(out, (struct flm_bytes){digits, size});
}

static void write_frames(struct writing *w)
{
    struct flm_json_writer json;
    flm_text_puts(w->out, "\"shared\":{\"frames\":[");
    for (uint32_t i = 1; i < w->p->sizes.frame_count; i++) {
        const struct flm_frame_record *frame = &w->p->frames[i];
        struct flm_bytes file = flm_string_bytes(w->p, frame->file);
        flm_text_puts(w->out, i > 1 ? ",\n" : "\n");
        json = (struct flm_json_writer){.out = w->out};
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(&json, "name", flm_string_bytes(w->p, frame->function));
        if (file.size == 0) /* the module says more than nothing */
            file = flm_string_bytes(w->p, frame->module);
        if (file.size > 0)
            flm_json_add_text(&json, "file", file);
        if (frame->line > 0)
            flm_json_add_number(&json, "line", frame->line);
        flm_json_end(&json);
    }
    flm_text_puts(w->out, "]},\n");
}

static bool add_stack(struct writing *w, uint32_t node, bool is_first)
{
    w->path.count = 0;
    for (; node != 0; node = w->parents[node])
        if (!FLM_ARRAY_ADD(&w->path, w->p->node_frame[node] - 1))
            return false;
    flm_text_puts(w->out, is_first ? "[" : ",[");
    for (size_t i = w->path.count; i-- > 0;) {
        flm_text_uint(w->out, w->path.at[i]);
        if (i > 0)
            flm_text_putc(w->out, ',');
    }
    flm_text_putc(w->out, ']');
    return true;
}

/* The samples of a profile: nodes (0: a gap) and their weights. */
struct entries {
    struct FLM_ARRAY(uint32_t) nodes;
    struct FLM_ARRAY(double) weights;
};

static bool add_entry(struct entries *e, uint32_t node, double weight)
{
    return FLM_ARRAY_ADD(&e->nodes, node) && FLM_ARRAY_ADD(&e->weights, weight);
}

/* The name of a profile; where there are several metrics, with that of its own. For flamel they are
 * beside each other too: units are not enough to tell metrics apart. */
static void write_name(struct writing *w, struct flm_json_writer *json, uint32_t metric,
                       struct flm_bytes name)
{
    const struct flm_metric_record *record = &w->p->metrics[metric];
    struct flm_bytes metric_name = flm_string_bytes(w->p, record->name);
    if (w->p->sizes.metric_count < 2) {
        flm_json_add_text(json, "name", name);
        return;
    }
    bool has_both = !flm_bytes_equal(name, metric_name);
    struct flm_text text = {0};
    flm_text_add(&text, name);
    if (has_both) {
        flm_text_puts(&text, " (");
        flm_text_add(&text, metric_name);
        flm_text_putc(&text, ')');
    }
    flm_json_add_text(json, "name", (struct flm_bytes){text.at, text.size});
    w->out->failed |= text.failed;
    flm_text_clear(&text);
    flm_json_begin(json, "flamel", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "metric", metric_name);
    flm_json_add_text(json, "unit", flm_string_bytes(w->p, record->unit));
    if (has_both)
        flm_json_add_text(json, "name", name);
    flm_json_end(json);
}

static bool write_profile(struct writing *w, uint32_t metric, struct flm_bytes name, double start,
                          const struct entries *e)
{
    const struct flm_metric_record *record = &w->p->metrics[metric];
    double total = 0;
    struct flm_json_writer json = {.out = w->out};
    for (size_t i = 0; i < e->weights.count; i++)
        total += e->weights.at[i];
    flm_text_puts(w->out, w->has_profiles ? ",\n" : "\n");
    w->has_profiles = true;
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "type", flm_bytes_of("sampled"));
    write_name(w, &json, metric, name);
    const char *unit = unit_of(flm_string_bytes(w->p, record->unit));
    flm_json_add_text(&json, "unit", flm_bytes_of(unit));
    flm_json_add_number(&json, "startValue", start);
    flm_json_add_number(&json, "endValue", start + total);
    flm_text_puts(w->out, ",\n\"samples\":[");
    for (size_t i = 0; i < e->nodes.count; i++)
        if (!add_stack(w, e->nodes.at[i], i == 0))
            return false;
    flm_text_puts(w->out, "],\n\"weights\":[");
    for (size_t i = 0; i < e->weights.count; i++) {
        if (i > 0)
            flm_text_putc(w->out, ',');
        add_number(w->out, e->weights.at[i]);
    }
    flm_text_putc(w->out, ']');
    flm_json_end(&json);
    return true;
}

static void clear_entries(struct entries *e)
{
    FLM_ARRAY_CLEAR(&e->nodes);
    FLM_ARRAY_CLEAR(&e->weights);
}

/* A metric as one profile, the stacks in the order of the tree. */
static bool write_sums(struct writing *w, uint32_t metric)
{
    struct entries e = {0};
    const double *self = flm_self_column(w->p, metric);
    bool good = true;
    for (uint32_t i = 1; i < w->p->sizes.node_count && good; i++)
        if (self[i] > 0)
            good = add_entry(&e, i, self[i]);
    if (good && e.nodes.count > 0)
        good = write_profile(w, metric, flm_string_bytes(w->p, w->p->metrics[metric].name), 0, &e);
    clear_entries(&e);
    return good;
}

/* ---- Single samples -------------------------------------------------------------------------- */

struct sorting {
    const struct flm_profile *p;
    struct flm_label_range threads;
};

static uint32_t thread_of(const struct sorting *s, uint32_t sample)
{
    return flm_label_in(s->p, s->p->sample_labels[sample], s->threads);
}

/* By thread; samples of one are in the order of time already. */
static int compare_samples(const void *context, uint32_t a, uint32_t b)
{
    uint32_t x = thread_of(context, a), y = thread_of(context, b);
    return (x > y) - (x < y);
}

/* Samples of one thread, `order` [from, to). Where the unit is one of time, what is between two
 * samples is a gap.
 *
 * A sampled profile, also of what was read from an evented one. That would have nothing more: a
 * profile has no single calls, so calls would begin and end where neighboring samples differ, and
 * that is what speedscope makes of samples itself. */
static bool write_thread(struct writing *w, uint32_t metric, const uint32_t *order, size_t from,
                         size_t to, struct flm_bytes name)
{
    const struct flm_profile *p = w->p;
    double unit_ns = flm_time_unit_ns(flm_string_bytes(p, p->metrics[metric].unit));
    struct entries e = {0};
    double start = 0;
    int64_t at = FLM_NO_TIME;
    bool good = true;
    for (size_t i = from; i < to && good; i++) {
        uint32_t sample = order[i];
        int64_t time = p->sample_time[sample];
        double value = flm_sample_value(p, metric, sample);
        if (!(value > 0))
            continue;
        if (unit_ns > 0 && time != FLM_NO_TIME) {
            if (e.nodes.count == 0)
                start = (double)time / unit_ns;
            else if (at != FLM_NO_TIME && time > at)
                good = add_entry(&e, 0, (double)(time - at) / unit_ns);
            at = time + (int64_t)(value * unit_ns + 0.5);
        }
        good = good && add_entry(&e, p->sample_node[sample], value);
    }
    if (good && e.nodes.count > 0)
        good = write_profile(w, metric, name, start, &e);
    clear_entries(&e);
    return good;
}

/* What a thread is called: by its name and number, or by the metric where there are no threads. */
static void add_thread_name(const struct writing *w, uint32_t metric, uint32_t sample,
                            struct flm_text *name)
{
    const struct flm_profile *p = w->p;
    struct flm_thread_labels labels = flm_thread_labels_of(p);
    uint32_t set = p->sample_labels[sample];
    uint32_t command = flm_thread_labels_name(p, set, &labels, FLM_NONE);
    uint32_t thread = flm_label_value_in(p, set, labels.threads);
    name->size = 0;
    if (command != FLM_NONE)
        flm_text_add(name, flm_string_bytes(p, command));
    if (command != FLM_NONE && thread != FLM_NONE)
        flm_text_putc(name, ' ');
    if (thread != FLM_NONE)
        flm_text_add(name, flm_string_bytes(p, thread));
    if (name->size == 0)
        flm_text_add(name, flm_string_bytes(p, p->metrics[metric].name));
}

static bool write_samples(struct writing *w, uint32_t metric)
{
    size_t count = w->p->sizes.sample_count;
    struct sorting s = {w->p, flm_thread_labels_of(w->p).threads};
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    struct flm_text name = {0};
    bool good = order != NULL;
    for (size_t i = 0; i < count && good; i++)
        order[i] = (uint32_t)i;
    if (good)
        flm_sort(order, count, order + count, compare_samples, &s);
    for (size_t from = 0, to; from < count && good; from = to) {
        uint32_t thread = thread_of(&s, order[from]);
        for (to = from; to < count && thread_of(&s, order[to]) == thread;)
            to++;
        add_thread_name(w, metric, order[from], &name);
        good = !name.failed &&
               write_thread(w, metric, order, from, to, (struct flm_bytes){name.at, name.size});
    }
    flm_text_clear(&name);
    free(order);
    return good;
}

/* Whether the samples have all of the metric's value: not where profiles with and without samples
 * were merged. */
static bool has_all_samples(const struct flm_profile *p, uint32_t metric)
{
    double sum = 0, total = flm_profile_total(p, (struct flm_metric){metric});
    bool has_negative = false; /* of stacks whose sum is none: speedscope knows none */
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        double value = flm_sample_value(p, metric, i);
        sum += value;
        has_negative = has_negative || value < 0;
    }
    double difference = sum > total ? sum - total : total - sum;
    return p->sizes.sample_count > 0 && !has_negative && difference <= total * 1e-9;
}

bool flm_speedscope_write(const struct flm_profile *p, const struct flm_write_options *options,
                          struct flm_text *out, struct flm_error *why)
{
    (void)options;
    struct writing w = {.p = p, .out = out};
    for (uint32_t i = 0; i < p->sizes.metric_count; i++)
        if (flm_has_negative(flm_self_column(p, i), p->sizes.node_count))
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "speedscope has no negative values: write .flm or folded stacks");
    w.parents = malloc(p->sizes.node_count * sizeof *w.parents);
    if (!w.parents)
        return flm_error_memory(why);
    flm_profile_parents(p, w.parents);
    flm_text_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                       "\"exporter\":\"flamel\",\n");
    write_frames(&w);
    flm_text_puts(out, "\"profiles\":[");
    bool good = true;
    for (uint32_t i = 0; i < p->sizes.metric_count && good; i++)
        good = has_all_samples(p, i) ? write_samples(&w, i) : write_sums(&w, i);
    struct entries none = {0};
    if (good && !w.has_profiles && p->sizes.metric_count > 0)
        good = write_profile(&w, 0, flm_string_bytes(p, p->metrics[0].name), 0, &none);
    flm_text_puts(out, "]}\n");
    FLM_ARRAY_CLEAR(&w.path);
    free(w.parents);
    return good || flm_error_memory(why);
}
