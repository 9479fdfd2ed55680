#include "format/json/json.h"

#include <stdlib.h>

#include "base/text/json_write.h"
#include "profile/columns.h"

static void add_string(struct flm_json_writer *json, const struct flm_profile *p, const char *key,
                       uint32_t string)
{
    if (string)
        flm_json_add_text(json, key, flm_string_bytes(p, string));
}

static void write_metrics(struct flm_json_writer *json, const struct flm_profile *p)
{
    flm_json_begin(json, "metrics", FLM_JSON_ARRAY);
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "name", flm_string_bytes(p, p->metrics[m].name));
        flm_json_add_text(json, "unit", flm_string_bytes(p, p->metrics[m].unit));
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void write_frames(struct flm_json_writer *json, const struct flm_profile *p)
{
    flm_json_begin(json, "frames", FLM_JSON_ARRAY);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *frame = &p->frames[i];
        char clones[FLM_CLONES_SIZE];
        size_t size = flm_clones_name(frame->flags, clones);
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "function", flm_string_bytes(p, frame->function));
        add_string(json, p, "module", frame->module);
        add_string(json, p, "file", frame->file);
        if (frame->line)
            flm_json_add_integer(json, "line", frame->line);
        if (frame->address)
            flm_json_add_address(json, "address", frame->address);
        if (frame->kind != FLM_KIND_PLAIN)
            flm_json_add_text(json, "kind", flm_bytes_of(flm_kind_name(frame->kind)));
        if (frame->flags & FLM_FRAME_UNSYMBOLIZED)
            flm_json_add_bool(json, "unsymbolized", true);
        if (size > 0)
            flm_json_add_text(json, "clones", (struct flm_bytes){clones, size});
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void write_values(struct flm_json_writer *json, const char *key, const double *values,
                         size_t stride, uint32_t count)
{
    flm_json_begin(json, key, FLM_JSON_ARRAY_LINE);
    for (uint32_t m = 0; m < count; m++)
        flm_json_add_number(json, NULL, values[m * stride]);
    flm_json_end(json);
}

static void write_empty_stack(struct flm_json_writer *json, const struct flm_profile *p)
{
    bool has_value = false;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        has_value |= flm_self_column(p, m)[0] != 0;
    if (has_value)
        write_values(json, "empty_stack", p->self, p->sizes.node_count, p->sizes.metric_count);
}

static bool write_stacks(struct flm_json_writer *json, const struct flm_profile *p)
{
    uint32_t count = p->sizes.node_count, *parent = malloc(count * sizeof *parent);
    if (!parent)
        return false;
    flm_profile_parents(p, parent);
    flm_json_begin(json, "stacks", FLM_JSON_ARRAY);
    for (uint32_t i = 1; i < count; i++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        if (parent[i] == 0)
            flm_json_add_null(json, "parent");
        else
            flm_json_add_integer(json, "parent", parent[i] - 1);
        flm_json_add_integer(json, "frame", p->node_frame[i] - 1);
        write_values(json, "self", p->self + i, count, p->sizes.metric_count);
        flm_json_end(json);
    }
    flm_json_end(json);
    free(parent);
    return true;
}

static void write_labels(struct flm_json_writer *json, const struct flm_profile *p, uint32_t set)
{
    uint32_t i = set ? p->label_set_ends[set - 1] : 0;
    if (i == p->label_set_ends[set])
        return;
    flm_json_begin(json, "labels", FLM_JSON_ARRAY_LINE);
    for (; i < p->label_set_ends[set]; i++) {
        const struct flm_label_record *label = &p->labels[p->set_members[i]];
        flm_json_begin(json, NULL, FLM_JSON_ARRAY_LINE);
        flm_json_add_text(json, NULL, flm_string_bytes(p, label->key));
        flm_json_add_text(json, NULL, flm_string_bytes(p, label->value));
        flm_json_end(json);
    }
    flm_json_end(json);
}

/* The empty stack is null, as the parent of the outermost ones is. */
static void write_samples(struct flm_json_writer *json, const struct flm_profile *p)
{
    flm_json_begin(json, "samples", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        if (p->sample_time[i] != FLM_NO_TIME)
            flm_json_add_integer(json, "time_ns", p->sample_time[i]);
        if (flm_sample_duration(p, i) > 0)
            flm_json_add_integer(json, "duration_ns", flm_sample_duration(p, i));
        if (p->sample_node[i] == 0)
            flm_json_add_null(json, "stack");
        else
            flm_json_add_integer(json, "stack", p->sample_node[i] - 1);
        write_labels(json, p, p->sample_labels[i]);
        flm_json_begin(json, "values", FLM_JSON_ARRAY_LINE);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            flm_json_add_number(json, NULL, flm_sample_value(p, m, i));
        flm_json_end(json);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void write_markers(struct flm_json_writer *json, const struct flm_profile *p)
{
    flm_json_begin(json, "markers", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        const struct flm_marker_record *marker = &p->markers[i];
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_integer(json, "time_ns", marker->time_ns);
        if (marker->duration_ns)
            flm_json_add_integer(json, "duration_ns", marker->duration_ns);
        flm_json_add_text(json, "name", flm_string_bytes(p, marker->name));
        add_string(json, p, "detail", marker->detail);
        write_labels(json, p, marker->label_set);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void write_counters(struct flm_json_writer *json, const struct flm_profile *p)
{
    flm_json_begin(json, "counters", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        const struct flm_counter_points points = flm_profile_counter(p, (struct flm_counter){i});
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "name", flm_string_bytes(p, points.name.index));
        flm_json_add_text(json, "unit", flm_string_bytes(p, points.unit.index));
        write_labels(json, p, points.label_set.index);
        flm_json_begin(json, "points", FLM_JSON_ARRAY_LINE);
        for (uint32_t k = 0; k < points.point_count; k++) {
            flm_json_begin(json, NULL, FLM_JSON_ARRAY_LINE);
            flm_json_add_integer(json, NULL, points.time_ns[k]);
            flm_json_add_number(json, NULL, points.value[k]);
            flm_json_end(json);
        }
        flm_json_end(json);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void write_metadata(struct flm_json_writer *json, const struct flm_profile *p)
{
    flm_json_begin(json, "notes", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "key", flm_string_bytes(p, p->notes[i].key));
        flm_json_add_text(json, "value", flm_string_bytes(p, p->notes[i].value));
        flm_json_end(json);
    }
    flm_json_end(json);
    flm_json_begin(json, "losses", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "what", flm_string_bytes(p, p->losses[i].what));
        add_string(json, p, "where", p->losses[i].where);
        flm_json_add_number(json, "count", p->losses[i].count);
        flm_json_end(json);
    }
    flm_json_end(json);
}

bool flm_json_write_profile(const struct flm_profile *p, const struct flm_write_options *options,
                            struct flm_text *out, struct flm_error *why)
{
    (void)options;
    struct flm_json_writer json = {.out = out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(&json, "format", flm_bytes_of(FLM_JSON_PROFILE));
    flm_json_add_integer(&json, "version", 1);
    write_metrics(&json, p);
    write_metadata(&json, p);
    write_frames(&json, p);
    write_empty_stack(&json, p);
    if (!write_stacks(&json, p))
        return flm_error_memory(why);
    write_samples(&json, p);
    write_markers(&json, p);
    write_counters(&json, p);
    flm_json_end(&json);
    return true;
}

/* ---- d3 -------------------------------------------------------------------------------------- */

/* Depth has no bound here, so this is not written with the writer, which knows what is open. */
static void open_node(struct flm_text *out, struct flm_bytes name, double value)
{
    struct flm_json_writer json = {.out = out};
    flm_text_puts(out, "{\"name\": ");
    flm_json_add_text(&json, NULL, name);
    flm_text_puts(out, ", \"value\": ");
    flm_json_add_number(&json, NULL, value);
    flm_text_puts(out, ", \"children\": [");
}

static bool write_d3(const struct flm_profile *p, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    uint32_t count = p->sizes.node_count, depth = 0;
    double *total = calloc(count, sizeof *total);
    uint32_t *open = malloc(count * sizeof *open); /* the ends of the nodes that are open */
    if (!total || !open) {
        free(total);
        free(open);
        return flm_error_memory(why);
    }
    if (p->sizes.metric_count > 0)
        flm_profile_totals(p, options->metric, total);
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        bool is_first = true;
        while (depth > 0 && open[depth - 1] == i) {
            flm_text_puts(out, "]}");
            depth--;
            is_first = false;
        }
        if (!is_first)
            flm_text_puts(out, ",\n");
        open_node(out, i ? flm_frame_function(p, p->node_frame[i]) : flm_bytes_of("all"), total[i]);
        open[depth++] = p->node_end[i];
    }
    while (depth-- > 0)
        flm_text_puts(out, "]}");
    flm_text_putc(out, '\n');
    free(total);
    free(open);
    return true;
}

const struct flm_format flm_format_d3 = {
    .name = "d3",
    .title = "Nested JSON (d3)",
    .extensions = ".d3.json",
    .description = "nested JSON for d3.hierarchy() and d3-flame-graph: name, value, children",
    .also_loses = "notes",
    .holds = FLM_HOLDS_WEIGHTS | FLM_HOLDS_EMPTY_STACK,
    .metrics = FLM_METRICS_ONE,
    .write = write_d3,
};
