/* read.c - flamel's JSON tables to a profile. Tables stand in the order in which they refer to each
 * other: metrics, frames, stacks, samples. */
#include <assert.h>

#include "base/core/array.h"
#include "base/number/number.h"
#include "base/text/json_read.h"
#include "format/json/json.h"
#include "profile/columns.h"

struct frames FLM_ARRAY(struct flm_frame);
struct nodes FLM_ARRAY(struct flm_node);
struct values FLM_ARRAY(double);
struct strings FLM_ARRAY(struct flm_string);

struct reading {
    struct flm_json json;
    struct flm_builder *b;
    const struct flm_read_options *options;
    struct FLM_ARRAY(struct flm_metric) metrics;
    struct frames frames;
    struct nodes nodes;    /* the first is the empty stack, which the file does not list */
    struct values selves;  /* of stacks, metric_count each: what no sample has, at the end */
    struct values values;  /* of one row */
    struct strings labels; /* of one row: key, value, key, value ... */
};

static bool no_memory(struct reading *r)
{
    r->json.failed = true; /* nothing more is read */
    return flm_error_memory(r->json.why);
}

static struct flm_string string_of(struct reading *r, struct flm_bytes text)
{
    return flm_builder_string(r->b, text.at, text.size);
}

static bool read_string(struct reading *r, struct flm_string *string)
{
    struct flm_bytes text;
    if (!flm_json_string(&r->json, &text))
        return false;
    *string = string_of(r, text);
    return true;
}

/* An index of a table, below `count`; FLM_NONE for null. */
static bool read_index(struct reading *r, size_t count, const char *reason, uint32_t *index)
{
    int64_t value;
    *index = FLM_NONE;
    if (flm_json_type(&r->json) == FLM_JSON_TYPE_NULL) {
        flm_json_skip(&r->json);
        return true;
    }
    if (!flm_json_integer(&r->json, &value))
        return false;
    if (value < 0 || (uint64_t)value >= count)
        return flm_json_fail(&r->json, reason);
    *index = (uint32_t)value;
    return true;
}

/* The same of a stack: null is the empty one. */
static bool read_stack_index(struct reading *r, const char *reason, uint32_t *stack)
{
    if (!read_index(r, r->nodes.count - 1, reason, stack))
        return false;
    *stack = *stack == FLM_NONE ? 0 : *stack + 1;
    return true;
}

/* As many numbers as there are metrics, into r->values. */
static bool read_values(struct reading *r)
{
    struct flm_json_number number;
    r->values.count = 0;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json)) {
        if (!flm_json_number(&r->json, &number))
            return false;
        if (number.value - number.value != 0)
            return flm_json_fail(&r->json, "a value is not finite");
        if (!FLM_ARRAY_ADD(&r->values, number.value))
            return no_memory(r);
    }
    return r->values.count == r->metrics.count ||
           flm_json_fail(&r->json, "a row has not one value for each metric");
}

static bool read_label(struct reading *r)
{
    size_t count = 0;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json)) {
        struct flm_string string;
        if (!read_string(r, &string))
            return false;
        if (!FLM_ARRAY_ADD(&r->labels, string))
            return no_memory(r);
        count++;
    }
    return count == 2 || flm_json_fail(&r->json, "a label is a key and a value");
}

static bool read_labels(struct reading *r)
{
    r->labels.count = 0;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json))
        if (!read_label(r))
            return false;
    return !r->json.failed;
}

static struct flm_label_set label_set(struct reading *r)
{
    size_t count = r->labels.count / 2;
    r->labels.count = 0;
    return count ? flm_builder_label_set(r->b, r->labels.at, count) : (struct flm_label_set){0};
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Names end with a zero for the builder. */
static bool read_metric(struct reading *r)
{
    struct flm_text name = {0}, unit = {0};
    struct flm_bytes key, text;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        struct flm_text *to = flm_bytes_are(key, "name")   ? &name
                              : flm_bytes_are(key, "unit") ? &unit
                                                           : NULL;
        if (to && flm_json_string(&r->json, &text)) {
            to->size = 0;
            flm_text_add(to, text);
        }
    }
    flm_text_putc(&name, 0);
    flm_text_putc(&unit, 0);
    bool good = !r->json.failed;
    if (good && (name.failed || unit.failed))
        good = no_memory(r);
    if (good && r->metrics.count == FLM_MOST_METRICS)
        good = flm_json_fail(&r->json, "there are more metrics than a profile can have");
    if (good) {
        struct flm_metric metric = flm_builder_metric(r->b, name.at, unit.at);
        if (metric.index != r->metrics.count && !flm_builder_failed(r->b))
            good = flm_json_fail(&r->json, "two metrics have the same name");
        else
            good = FLM_ARRAY_ADD(&r->metrics, metric) || no_memory(r);
    }
    flm_text_clear(&name);
    flm_text_clear(&unit);
    return good;
}

static uint32_t kind_named(struct flm_bytes name)
{
    uint32_t kind = 0;
    while (kind < FLM_KIND_COUNT && !flm_bytes_are(name, flm_kind_name(kind)))
        kind++;
    return kind;
}

/* "constprop+cold" */
static uint32_t clones_named(struct flm_bytes text)
{
    static const struct {
        const char *name;
        uint32_t flag;
    } all[] = {{"constprop", FLM_FRAME_CONSTPROP},
               {"isra", FLM_FRAME_ISRA},
               {"part", FLM_FRAME_PART},
               {"cold", FLM_FRAME_COLD}};
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (flm_bytes_contain(text, all[i].name))
            flags |= all[i].flag;
    return flags;
}

static bool read_address(struct reading *r, uint64_t *address)
{
    struct flm_bytes text;
    if (!flm_json_string(&r->json, &text))
        return false;
    struct flm_bytes digits = {text.at + 2, text.size > 2 ? text.size - 2 : 0};
    return (flm_bytes_start_with(text, "0x") && flm_number_parse_hex(digits, address)) ||
           flm_json_fail(&r->json, "an address is not a text like \"0x55d0\"");
}

static bool read_line(struct reading *r, uint32_t *line)
{
    int64_t value;
    if (!flm_json_integer(&r->json, &value))
        return false;
    if (value < 0 || value > UINT32_MAX)
        return flm_json_fail(&r->json, "a line is not a number of a line");
    *line = (uint32_t)value;
    return true;
}

static bool read_frame(struct reading *r)
{
    struct flm_frame_record record = {0};
    struct flm_bytes key, text;
    struct flm_string string;
    bool is = false;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        uint32_t *to = flm_bytes_are(key, "function") ? &record.function
                       : flm_bytes_are(key, "module") ? &record.module
                       : flm_bytes_are(key, "file")   ? &record.file
                                                      : NULL;
        if (to && read_string(r, &string))
            *to = string.index;
        else if (flm_bytes_are(key, "line"))
            read_line(r, &record.line);
        else if (flm_bytes_are(key, "address"))
            read_address(r, &record.address);
        else if (flm_bytes_are(key, "unsymbolized") && flm_json_bool(&r->json, &is) && is)
            record.flags |= FLM_FRAME_UNSYMBOLIZED;
        else if (flm_bytes_are(key, "clones") && flm_json_string(&r->json, &text))
            record.flags |= clones_named(text);
        else if (flm_bytes_are(key, "kind") && flm_json_string(&r->json, &text) &&
                 (record.kind = kind_named(text)) == FLM_KIND_COUNT)
            flm_json_fail(&r->json, "there is no such kind of frame");
    }
    return !r->json.failed &&
           (FLM_ARRAY_ADD(&r->frames, flm_builder_frame(r->b, &record)) || no_memory(r));
}

static bool keep_selves(struct reading *r, struct flm_node node)
{
    if (!FLM_ARRAY_ADD(&r->nodes, node) || !FLM_ARRAY_RESERVE(&r->selves, r->values.count))
        return no_memory(r);
    for (size_t m = 0; m < r->values.count; m++)
        r->selves.at[r->selves.count++] = r->values.at[m];
    return true;
}

static bool read_stack(struct reading *r)
{
    uint32_t parent = 0, frame = FLM_NONE;
    struct flm_bytes key;
    r->values.count = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "parent"))
            read_stack_index(r, "the parent of a stack does not precede it", &parent);
        else if (flm_bytes_are(key, "frame"))
            read_index(r, r->frames.count, "there is no such frame", &frame);
        else if (flm_bytes_are(key, "self"))
            read_values(r);
    }
    if (r->json.failed)
        return false;
    if (frame == FLM_NONE || r->values.count != r->metrics.count)
        return flm_json_fail(&r->json, "a stack has no frame, or no values");
    return keep_selves(r, flm_builder_child(r->b, r->nodes.at[parent], r->frames.at[frame]));
}

/* What samples have is not added once more with the stacks. */
static void subtract(struct reading *r, uint32_t stack)
{
    for (size_t m = 0; m < r->metrics.count; m++)
        r->selves.at[stack * r->metrics.count + m] -= r->values.at[m];
}

static bool read_sample(struct reading *r)
{
    uint32_t stack = 0;
    int64_t time = FLM_NO_TIME, duration = 0;
    struct flm_bytes key;
    r->values.count = r->labels.count = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "stack"))
            read_stack_index(r, "there is no such stack", &stack);
        else if (flm_bytes_are(key, "time_ns"))
            flm_json_integer(&r->json, &time);
        else if (flm_bytes_are(key, "duration_ns"))
            flm_json_integer(&r->json, &duration);
        else if (flm_bytes_are(key, "labels"))
            read_labels(r);
        else if (flm_bytes_are(key, "values"))
            read_values(r);
    }
    if (r->json.failed)
        return false;
    if (r->values.count != r->metrics.count || duration < 0)
        return flm_json_fail(&r->json, "a sample has no values, or a negative duration");
    if (r->metrics.count == 0 || !r->options->keep_times)
        return true;
    flm_builder_sample(r->b, time, r->nodes.at[stack], label_set(r), r->metrics.at[0],
                       r->values.at[0]);
    for (size_t m = 1; m < r->metrics.count; m++)
        flm_builder_sample_add(r->b, r->metrics.at[m], r->values.at[m]);
    if (duration > 0)
        flm_builder_sample_lasts(r->b, duration);
    subtract(r, stack);
    return true;
}

static bool read_marker(struct reading *r)
{
    int64_t time = FLM_NO_TIME, duration = 0;
    struct flm_string name = {0}, detail = {0};
    struct flm_bytes key;
    r->labels.count = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "time_ns"))
            flm_json_integer(&r->json, &time);
        else if (flm_bytes_are(key, "duration_ns"))
            flm_json_integer(&r->json, &duration);
        else if (flm_bytes_are(key, "name"))
            read_string(r, &name);
        else if (flm_bytes_are(key, "detail"))
            read_string(r, &detail);
        else if (flm_bytes_are(key, "labels"))
            read_labels(r);
    }
    if (r->json.failed)
        return false;
    if (duration < 0)
        return flm_json_fail(&r->json, "a marker has a negative duration");
    if (r->options->keep_times)
        flm_builder_marker(r->b, time, duration, name, detail, label_set(r));
    return true;
}

struct points {
    struct FLM_ARRAY(int64_t) times;
    struct values values;
};

static bool read_point(struct reading *r, struct points *points)
{
    int64_t time = 0;
    struct flm_json_number number = {.value = 0};
    flm_json_enter_array(&r->json);
    bool whole = flm_json_next_item(&r->json) && flm_json_integer(&r->json, &time) &&
                 flm_json_next_item(&r->json) && flm_json_number(&r->json, &number) &&
                 !flm_json_next_item(&r->json);
    if (!whole || r->json.failed)
        return flm_json_fail(&r->json, "a point of a counter is not a time and a value");
    return (FLM_ARRAY_ADD(&points->times, time) && FLM_ARRAY_ADD(&points->values, number.value)) ||
           no_memory(r);
}

static bool read_counter_members(struct reading *r, struct points *points)
{
    struct flm_string name = {0}, unit = {0};
    struct flm_bytes key;
    bool good = true;
    r->labels.count = 0;
    flm_json_enter_object(&r->json);
    while (good && flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "name"))
            read_string(r, &name);
        else if (flm_bytes_are(key, "unit"))
            read_string(r, &unit);
        else if (flm_bytes_are(key, "labels"))
            read_labels(r);
        else if (flm_bytes_are(key, "points"))
            for (flm_json_enter_array(&r->json); good && flm_json_next_item(&r->json);)
                good = read_point(r, points);
    }
    if (!good || r->json.failed)
        return false;
    if (!r->options->keep_times)
        return true;
    struct flm_counter counter = flm_builder_counter(r->b, name, unit, label_set(r));
    for (size_t i = 0; i < points->times.count; i++)
        flm_builder_counter_point(r->b, counter, points->times.at[i], points->values.at[i]);
    return true;
}

static bool read_counter(struct reading *r)
{
    struct points points = {0};
    bool good = read_counter_members(r, &points);
    FLM_ARRAY_CLEAR(&points.times);
    FLM_ARRAY_CLEAR(&points.values);
    return good;
}

/* Two texts of a row, with a zero behind each. */
static bool read_pair(struct reading *r, const char *first, const char *second, struct flm_text *a,
                      struct flm_text *b, double *count)
{
    struct flm_bytes key, text;
    struct flm_json_number number;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        struct flm_text *to = flm_bytes_are(key, first) ? a : flm_bytes_are(key, second) ? b : NULL;
        if (to && flm_json_string(&r->json, &text)) {
            to->size = 0;
            flm_text_add(to, text);
        } else if (count && flm_bytes_are(key, "count") && flm_json_number(&r->json, &number)) {
            *count = number.value;
        }
    }
    flm_text_putc(a, 0);
    flm_text_putc(b, 0);
    return !r->json.failed && ((!a->failed && !b->failed) || no_memory(r));
}

static bool read_note(struct reading *r)
{
    struct flm_text key = {0}, value = {0};
    bool good = read_pair(r, "key", "value", &key, &value, NULL);
    if (good && key.size > 1)
        flm_builder_note(r->b, key.at, value.at, value.size - 1);
    flm_text_clear(&key);
    flm_text_clear(&value);
    return good;
}

/* "line 812": a unit and a number. */
static void add_loss(struct reading *r, const char *what, struct flm_bytes where, double count)
{
    char unit[24] = "";
    uint64_t number = 0;
    size_t blank = where.size;
    while (blank > 0 && where.at[blank - 1] != ' ')
        blank--;
    if (blank > 1 && blank <= sizeof unit &&
        flm_number_parse_uint((struct flm_bytes){where.at + blank, where.size - blank}, &number)) {
        memcpy(unit, where.at, blank - 1);
        unit[blank - 1] = 0;
    }
    flm_builder_lost(r->b, what, unit, number, count);
}

static bool read_loss(struct reading *r)
{
    struct flm_text what = {0}, where = {0};
    double count = 0;
    bool good = read_pair(r, "what", "where", &what, &where, &count);
    if (good && what.size > 1 && count > 0 && count - count == 0)
        add_loss(r, what.at, (struct flm_bytes){where.at, where.size - 1}, count);
    flm_text_clear(&what);
    flm_text_clear(&where);
    return good;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool read_table(struct reading *r, bool (*row)(struct reading *r))
{
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json))
        if (!row(r))
            return false;
    return !r->json.failed;
}

/* Once the number of metrics is known. */
static bool begin_stacks(struct reading *r)
{
    if (r->nodes.count > 0)
        return true;
    r->values.count = 0;
    for (size_t m = 0; m < r->metrics.count; m++)
        if (!FLM_ARRAY_ADD(&r->values, 0))
            return no_memory(r);
    return keep_selves(r, flm_builder_root(r->b));
}

/* Of the samples without a stack, and what else has none. */
static bool read_empty_stack(struct reading *r)
{
    if (!read_values(r))
        return false;
    for (size_t m = 0; m < r->metrics.count; m++)
        r->selves.at[m] = r->values.at[m];
    return true;
}

static bool read_version(struct reading *r)
{
    int64_t version;
    return flm_json_integer(&r->json, &version) &&
           (version == 1 || flm_json_fail(&r->json, "this version of flamel's JSON is newer than "
                                                    "this flamel"));
}

static bool read_members(struct reading *r)
{
    static const struct {
        const char *name;
        bool (*row)(struct reading *r);
    } tables[] = {{"metrics", read_metric}, {"frames", read_frame},   {"stacks", read_stack},
                  {"samples", read_sample}, {"markers", read_marker}, {"counters", read_counter},
                  {"notes", read_note},     {"losses", read_loss}};
    struct flm_bytes key, text;
    bool good = flm_json_enter_object(&r->json), is_ours = false;
    while (good && flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "format")) {
            good = flm_json_string(&r->json, &text);
            is_ours = good && flm_bytes_are(text, FLM_JSON_PROFILE);
            continue;
        }
        if (flm_bytes_are(key, "version")) {
            good = read_version(r);
            continue;
        }
        bool is_metrics = flm_bytes_are(key, "metrics");
        if (is_metrics && r->nodes.count > 0)
            return flm_json_fail(&r->json, "the metrics are not in front of what has values");
        bool has_values = flm_bytes_are(key, "stacks") || flm_bytes_are(key, "samples");
        if (flm_bytes_are(key, "empty_stack") || has_values)
            good = begin_stacks(r);
        if (good && flm_bytes_are(key, "empty_stack"))
            good = read_empty_stack(r);
        for (size_t i = 0; good && i < sizeof tables / sizeof *tables; i++)
            if (flm_bytes_are(key, tables[i].name)) {
                good = read_table(r, tables[i].row);
                break;
            }
    }
    return good && !r->json.failed &&
           (is_ours || flm_json_fail(&r->json, "this is JSON, but not flamel's: it has no "
                                               "\"format\": \"" FLM_JSON_PROFILE "\""));
}

static void add_selves(struct reading *r)
{
    for (size_t i = 0; i < r->nodes.count; i++)
        for (size_t m = 0; m < r->metrics.count; m++) {
            double value = r->selves.at[i * r->metrics.count + m];
            if (value != 0)
                flm_builder_add(r->b, r->nodes.at[i], r->metrics.at[m], value);
        }
}

bool flm_json_read_profile(struct flm_source *source, const struct flm_read_options *options,
                           struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.b = builder, .options = options};
    flm_json_init(&r.json, source, why);
    bool good = read_members(&r);
    if (good) {
        add_selves(&r);
        good = flm_json_finish(&r.json);
    } else {
        flm_json_clear(&r.json);
    }
    FLM_ARRAY_CLEAR(&r.metrics);
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.nodes);
    FLM_ARRAY_CLEAR(&r.selves);
    FLM_ARRAY_CLEAR(&r.values);
    FLM_ARRAY_CLEAR(&r.labels);
    return good;
}

static int sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "{") && flm_bytes_contain(head, "\"" FLM_JSON_PROFILE "\"") &&
                   flm_bytes_contain(head, "\"metrics\"")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_json = {
    .name = "json",
    .title = "flamel's JSON",
    .extensions = ".json",
    .description = "flamel's tables as JSON, for other programs: docs/json.md",
    .also_loses = "bytes of names that are not UTF-8, depths of collapsed recursion",
    .holds = FLM_HOLDS_ALL | FLM_HOLDS_NOTES,
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff,
    .read = flm_json_read_profile,
    .write = flm_json_write_profile,
};
