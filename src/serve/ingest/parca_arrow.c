#include "serve/ingest/parca_arrow.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/index.h"
#include "flamel/builder.h"
#include "format/arrow/arrow.h"
#include "format/core/mapped.h"
#include "format/core/units.h"
#include "load/stored_addresses.h"
#include "store/labels/series_labels.h"

enum {
    MOST_GROUPS = 1024,
    MOST_COLUMNS = 200,
    MOST_FRAMES = 1 << 24,
    DEEPEST = 4096,
    CACHED = 4096
};

/* The rows of equal labels and types: a profile. */
struct group {
    struct flm_text key;
    struct flm_builder *builder;
    struct flm_metric metric, time; /* time: of the period, where it is one of the CPU */
    bool has_time;
    int64_t period, begin_ns;
    struct flm_http_fields labels;
};

/* A stack that was read before: rows share ranges of a list. */
struct cached {
    uint64_t group, first, count; /* group: its number and 1 */
    struct flm_node node;
};

struct samples {
    struct flm_arrow *arrow;
    const struct flm_arrow_array *stacks, *values, *times, *periods;
    const struct flm_arrow_array *sample_type, *sample_unit, *period_type, *period_unit;
    const struct flm_arrow_array *labels[MOST_COLUMNS];
    struct flm_bytes label_names[MOST_COLUMNS];
    size_t label_count;
    struct FLM_ARRAY(struct group) groups;
    struct flm_index index; /* of groups by their keys */
    struct cached cache[CACHED];
    uint64_t frames; /* that were read */
    struct FLM_ARRAY(struct flm_frame) stack;
    struct flm_error *why;
};

static bool wrong(struct samples *s, const char *reason)
{
    return flm_error_set(s->why, FLM_ERROR_FORMAT, "WriteArrow: %s", reason);
}

void flm_parca_service(struct flm_arrivals *arrivals)
{
    static const char *const names[] = {"service", "job", "container", "comm"};
    const struct flm_arrival *last = &arrivals->items.at[arrivals->items.count - 1];
    if (flm_arrival_has(arrivals, FLM_STORE_SERVICE))
        return;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t i = 0; i < last->labels.count; i++)
            if (strcmp(last->labels.at[i].name, names[n]) == 0) {
                flm_arrival_label(arrivals, flm_bytes_of(FLM_STORE_SERVICE),
                                  flm_bytes_of(last->labels.at[i].value));
                return;
            }
}

/* ---- Columns --------------------------------------------------------------------------------- */

static bool add_label_column(struct samples *s, const struct flm_arrow_array *column,
                             struct flm_bytes name)
{
    if (s->label_count == MOST_COLUMNS)
        return wrong(s, "there are too many columns of labels");
    s->labels[s->label_count] = column;
    s->label_names[s->label_count++] = name;
    return true;
}

static bool find_labels(struct samples *s)
{
    static const char prefix[] = "labels.";
    const struct flm_arrow_array *all = flm_arrow_column(s->arrow, "labels"), *column;
    s->label_count = 0;
    for (size_t i = 0; (column = flm_arrow_column_at(s->arrow, i)) != NULL; i++) {
        struct flm_bytes name = flm_arrow_name(column);
        if (flm_bytes_start_with(name, prefix) &&
            !add_label_column(s, column, flm_bytes_from(name, sizeof prefix - 1)))
            return false;
    }
    for (size_t i = 0; all && (column = flm_arrow_member_at(all, i)) != NULL; i++)
        if (!add_label_column(s, column, flm_arrow_name(column)))
            return false;
    return true;
}

static bool find_columns(struct samples *s)
{
    s->stacks = flm_arrow_column(s->arrow, "stacktrace");
    s->values = flm_arrow_column(s->arrow, "value");
    s->times = flm_arrow_column(s->arrow, "timestamp");
    s->periods = flm_arrow_column(s->arrow, "period");
    s->sample_type = flm_arrow_column(s->arrow, "sample_type");
    s->sample_unit = flm_arrow_column(s->arrow, "sample_unit");
    s->period_type = flm_arrow_column(s->arrow, "period_type");
    s->period_unit = flm_arrow_column(s->arrow, "period_unit");
    if (!s->stacks)
        return wrong(s, flm_arrow_column(s->arrow, "stacktrace_id")
                            ? "there are ids and no stacks (schema v1): update Parca's agent"
                            : "there is no column 'stacktrace'");
    if (!s->values || !s->sample_type || !s->sample_unit)
        return wrong(s, "a column 'value', 'sample_type' or 'sample_unit' is missing");
    return find_labels(s);
}

static struct flm_bytes text_at(const struct flm_arrow_array *column, uint64_t row)
{
    struct flm_bytes text;
    return flm_arrow_text(flm_arrow_cell(column, row), &text) ? text : (struct flm_bytes){"", 0};
}

static int64_t integer_at(const struct flm_arrow_array *column, uint64_t row)
{
    int64_t value;
    return flm_arrow_integer(flm_arrow_cell(column, row), &value) ? value : 0;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static void add_sized(struct flm_text *key, struct flm_bytes text)
{
    flm_text_add(key, (struct flm_bytes){(const char *)&text.size, sizeof text.size});
    flm_text_add(key, text);
}

static void make_key(const struct samples *s, uint64_t row, struct flm_text *key)
{
    int64_t period = integer_at(s->periods, row);
    key->size = 0;
    flm_text_add(key, (struct flm_bytes){(const char *)&period, sizeof period});
    add_sized(key, text_at(s->sample_type, row));
    add_sized(key, text_at(s->sample_unit, row));
    add_sized(key, text_at(s->period_type, row));
    add_sized(key, text_at(s->period_unit, row));
    for (size_t i = 0; i < s->label_count; i++) {
        struct flm_bytes value = text_at(s->labels[i], row);
        if (value.size == 0)
            continue;
        add_sized(key, s->label_names[i]);
        add_sized(key, value);
    }
}

static bool terminated(struct flm_bytes text, char out[256])
{
    bool good = text.size < 256 && (text.size == 0 || !memchr(text.at, 0, text.size));
    if (good) {
        if (text.size > 0)
            memcpy(out, text.at, text.size);
        out[text.size] = 0;
    }
    return good;
}

static bool begin_labels(struct samples *s, uint64_t row, struct group *g)
{
    for (size_t i = 0; i < s->label_count; i++) {
        struct flm_bytes name = s->label_names[i], value = text_at(s->labels[i], row);
        if (value.size == 0 || g->labels.count > FLM_STORE_MOST_LABELS)
            continue;
        if (name.size == 0 || memchr(name.at, 0, name.size) || memchr(value.at, 0, value.size))
            return wrong(s, "a label has no name, or a NUL in it");
        if (!flm_http_field_add(&g->labels, name, value))
            return flm_error_memory(s->why);
    }
    return true;
}

static bool begin_group(struct samples *s, uint64_t row, struct group *g)
{
    char type[256], unit[256];
    struct flm_bytes period_type = text_at(s->period_type, row),
                     period_unit = text_at(s->period_unit, row),
                     sample_type = text_at(s->sample_type, row);
    if (!terminated(sample_type, type) ||
        !terminated(flm_unit_named(text_at(s->sample_unit, row)), unit) || !*type)
        return wrong(s, "a sample has no type, or one that is too long");
    g->builder = flm_builder_new(s->why);
    if (!g->builder)
        return false;
    g->metric = flm_builder_metric(g->builder, type, unit);
    g->period = integer_at(s->periods, row);
    g->begin_ns = INT64_MAX;
    /* As pprof of Go has both: how often it was seen, and the time that this stands for. */
    g->has_time = flm_bytes_are(period_type, "cpu") && flm_bytes_are(period_unit, "nanoseconds") &&
                  g->period > 0 && strcmp(type, "samples") == 0;
    if (g->has_time)
        g->time = flm_builder_metric(g->builder, "cpu", "ns");
    if (period_type.size > 0) {
        flm_builder_note(g->builder, "period type", period_type.at, period_type.size);
        flm_unit_note(g->builder, "period", g->period, flm_unit_named(period_unit));
    }
    return begin_labels(s, row, g);
}

/* The group of a row; UINT32_MAX: it failed. */
static uint32_t group_of(struct samples *s, uint64_t row, struct flm_text *key)
{
    make_key(s, row, key);
    if (key->failed) {
        flm_error_memory(s->why);
        return UINT32_MAX;
    }
    uint32_t hash = (uint32_t)flm_checksum(key->at, key->size);
    for (struct flm_probe at = flm_index_probe(&s->index, hash); flm_index_next(&s->index, &at);) {
        const struct flm_text *other = &s->groups.at[at.found].key;
        if (other->size == key->size && memcmp(other->at, key->at, key->size) == 0)
            return at.found;
    }
    uint32_t number = (uint32_t)s->groups.count;
    if (number == MOST_GROUPS) {
        wrong(s, "there are more than 1024 series in a request");
        return UINT32_MAX;
    }
    if (!FLM_ARRAY_ADD(&s->groups, (struct group){.builder = NULL}) ||
        !flm_index_add(&s->index, hash, number)) {
        flm_error_memory(s->why);
        return UINT32_MAX;
    }
    struct group *g = &s->groups.at[number];
    if (!begin_group(s, row, g))
        return UINT32_MAX;
    g->key = *key; /* the next row makes another one */
    *key = (struct flm_text){0};
    return number;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static uint32_t kind_of(struct flm_bytes type)
{
    static const struct {
        const char *name;
        uint32_t kind;
    } kinds[] = {{"kernel", FLM_KIND_KERNEL},    {"native", FLM_KIND_NATIVE},
                 {"go", FLM_KIND_NATIVE},        {"cpython", FLM_KIND_INTERPRETED},
                 {"ruby", FLM_KIND_INTERPRETED}, {"perl", FLM_KIND_INTERPRETED},
                 {"php", FLM_KIND_INTERPRETED},  {"jvm", FLM_KIND_JIT},
                 {"v8js", FLM_KIND_JIT},         {"dotnet", FLM_KIND_JIT},
                 {"beam", FLM_KIND_JIT},         {"luajit", FLM_KIND_JIT}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (flm_bytes_are(type, kinds[i].name))
            return kinds[i].kind;
    return FLM_KIND_PLAIN;
}

static uint32_t string_of(struct flm_builder *b, struct flm_bytes text)
{
    return flm_builder_string(b, text.at, text.size).index;
}

static bool add_frame(struct samples *s, struct flm_builder *b, struct flm_frame_record record)
{
    return FLM_ARRAY_ADD(&s->stack, flm_builder_frame(b, &record)) || flm_error_memory(s->why);
}

/* A line has its function as a struct, or the members of one itself. */
static bool add_line(struct samples *s, struct flm_builder *b, const struct flm_arrow_array *lines,
                     uint64_t row, struct flm_frame_record record)
{
    struct flm_arrow_cell line = flm_arrow_cell(lines, row);
    struct flm_arrow_cell function =
        flm_arrow_cell(flm_arrow_member(line.array, "function"), line.row);
    struct flm_bytes name = text_at(flm_arrow_member(function.array, "system_name"), function.row);
    struct flm_bytes file = text_at(flm_arrow_member(function.array, "filename"), function.row);
    if (name.size == 0)
        return true;
    record.function = string_of(b, name);
    record.file = string_of(b, file);
    return add_frame(s, b, record);
}

static bool add_location(struct samples *s, struct flm_builder *b,
                         const struct flm_arrow_array *items, uint64_t row)
{
    struct flm_arrow_cell at = flm_arrow_cell(items, row);
    const struct flm_arrow_array *lines = NULL;
    uint64_t first = 0, count = 0;
    if (!flm_arrow_is_struct(at))
        return wrong(s, "a location of a stack is no struct");
    struct flm_bytes file = text_at(flm_arrow_member(at.array, "mapping_file"), at.row);
    struct flm_frame_record record = {
        .module = string_of(b, file),
        .kind = kind_of(text_at(flm_arrow_member(at.array, "frame_type"), at.row)),
    };
    flm_arrow_list(flm_arrow_cell(flm_arrow_member(at.array, "lines"), at.row), &lines, &first,
                   &count);
    size_t before = s->stack.count;
    if (count > DEEPEST)
        return wrong(s, "a location has too many lines");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t kind = record.kind;
        record.kind = i + 1 < count ? (uint32_t)FLM_KIND_INLINED : kind;
        if (!add_line(s, b, lines, first + i, record))
            return false;
        record.kind = kind;
    }
    if (s->stack.count > before)
        return true;
    struct flm_text name = {0}, module = {0};
    struct flm_bytes id = text_at(flm_arrow_member(at.array, "mapping_build_id"), at.row);
    if (file.size > 0 && id.size > 0) {
        flm_addresses_module(&module, file, id);
        record.module = string_of(b, (struct flm_bytes){module.at, module.size});
        name.failed = module.failed;
    }
    flm_text_clear(&module);
    record.address = (uint64_t)integer_at(flm_arrow_member(at.array, "address"), at.row);
    record.flags = FLM_FRAME_UNSYMBOLIZED;
    flm_mapped_frame_name(&name, record.address, file);
    record.function = name.failed ? 0 : string_of(b, (struct flm_bytes){name.at, name.size});
    bool good = (!name.failed || flm_error_memory(s->why)) && add_frame(s, b, record);
    flm_text_clear(&name);
    return good;
}

static bool read_stack(struct samples *s, struct flm_builder *b,
                       const struct flm_arrow_array *items, uint64_t first, uint64_t count,
                       struct flm_node *node)
{
    s->stack.count = 0;
    s->frames += count;
    if (count > DEEPEST || s->frames > MOST_FRAMES)
        return wrong(s, "a stack is too deep, or there are too many");
    /* Leaf first; of a location the innermost function first. */
    for (uint64_t i = 0; i < count; i++)
        if (!add_location(s, b, items, first + i))
            return false;
    for (size_t i = 0; i < s->stack.count / 2; i++) {
        struct flm_frame frame = s->stack.at[i];
        s->stack.at[i] = s->stack.at[s->stack.count - 1 - i];
        s->stack.at[s->stack.count - 1 - i] = frame;
    }
    *node = s->stack.count > 0 ? flm_builder_stack(b, s->stack.at, s->stack.count)
                               : flm_builder_root(b);
    return true;
}

static bool find_stack(struct samples *s, uint32_t group, uint64_t row, struct flm_node *node)
{
    const struct flm_arrow_array *items = NULL;
    uint64_t first = 0, count = 0;
    /* Of a row without a stack what it counts is at the root. */
    flm_arrow_list(flm_arrow_cell(s->stacks, row), &items, &first, &count);
    struct cached *c =
        &s->cache[flm_mix(first * 31 + group + 1, count + 0x9e3779b97f4a7c15ULL) % CACHED];
    if (c->group != (uint64_t)group + 1 || c->first != first || c->count != count) {
        if (!read_stack(s, s->groups.at[group].builder, items, first, count, node))
            return false;
        *c = (struct cached){(uint64_t)group + 1, first, count, *node};
    }
    *node = c->node;
    return true;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool read_row(struct samples *s, uint64_t row, struct flm_text *key)
{
    int64_t value, time_ns;
    struct flm_node node = {0};
    if (!flm_arrow_integer(flm_arrow_cell(s->values, row), &value))
        return wrong(s, "a value is missing, or is no integer");
    uint32_t number = group_of(s, row, key);
    if (number == UINT32_MAX || !find_stack(s, number, row, &node))
        return false;
    struct group *g = &s->groups.at[number];
    flm_builder_add(g->builder, node, g->metric, (double)value);
    if (g->has_time)
        flm_builder_add(g->builder, node, g->time, (double)value * (double)g->period);
    if (flm_arrow_integer(flm_arrow_cell(s->times, row), &time_ns) && time_ns < g->begin_ns)
        g->begin_ns = time_ns;
    return true;
}

static bool read_rows(struct samples *s)
{
    struct flm_text key = {0};
    bool good = true;
    while (good && flm_arrow_next(s->arrow)) {
        good = find_columns(s);
        memset(s->cache, 0, sizeof s->cache); /* lists of another batch are other ones */
        for (uint64_t row = 0; good && row < flm_arrow_rows(s->arrow); row++)
            good = read_row(s, row, &key);
    }
    flm_text_clear(&key);
    return good && flm_arrow_finish(s->arrow, s->why);
}

static bool hand_over(struct samples *s, struct flm_arrivals *arrivals)
{
    for (size_t i = 0; i < s->groups.count; i++) {
        struct group *g = &s->groups.at[i];
        struct flm_profile *p = flm_builder_finish(g->builder, s->why);
        g->builder = NULL;
        int64_t time_ms = g->begin_ns == INT64_MAX ? FLM_ARRIVAL_NO_TIME : g->begin_ns / 1000000;
        if (!p || !flm_arrivals_add(arrivals, p, time_ms, s->why))
            return false;
        for (size_t k = 0; k < g->labels.count; k++)
            flm_arrival_label(arrivals, flm_bytes_of(g->labels.at[k].name),
                              flm_bytes_of(g->labels.at[k].value));
        flm_parca_service(arrivals);
        flm_arrival_name(arrivals);
    }
    return true;
}

bool flm_parca_arrow_read(struct flm_arrivals *arrivals, struct flm_bytes stream,
                          struct flm_error *why)
{
    struct samples *s = calloc(1, sizeof *s);
    if (!s)
        return flm_error_memory(why);
    s->why = why;
    s->arrow = flm_arrow_open(stream, arrivals->serving->most_plain, why);
    bool good = s->arrow && read_rows(s) && hand_over(s, arrivals);
    for (size_t i = 0; i < s->groups.count; i++) {
        if (s->groups.at[i].builder)
            flm_builder_free(s->groups.at[i].builder);
        flm_http_fields_clear(&s->groups.at[i].labels);
        flm_text_clear(&s->groups.at[i].key);
    }
    FLM_ARRAY_CLEAR(&s->groups);
    FLM_ARRAY_CLEAR(&s->stack);
    flm_index_clear(&s->index);
    flm_arrow_close(s->arrow);
    free(s);
    return good;
}
