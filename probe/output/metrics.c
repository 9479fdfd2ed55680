#include "metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number/number.h"
#include "base/text/json_write.h"
#include "draw/text/cells.h"
#include "report/core/blocks.h"
#include "report/probe/sums.h"

/* ---- What is a metric ------------------------------------------------------------------------ */

/* A column of a section. */
struct metric {
    const struct flm_report_table *table;
    const char *section, *column;
    struct flm_bytes base; /* the column's name without its unit */
    bool is_sum, is_time, is_bytes;
    size_t at;
};

static const char *const labels[] = {"name", "file", "line", "operation", "tid"};
enum { LABELS = sizeof labels / sizeof *labels };

static bool is_label(const char *column)
{
    for (size_t i = 0; i < LABELS; i++)
        if (strcmp(labels[i], column) == 0)
            return true;
    return strcmp(column, "seen") == 0 || strcmp(column, "threads") == 0;
}

static bool has_values(const struct metric *m)
{
    for (size_t row = 0; row < flm_report_row_count(m->table); row++)
        if (!isnan(flm_report_number(m->table, row, m->at)))
            return true;
    return false;
}

static void each_metric(const struct flm_report *report,
                        void (*visit)(const struct metric *metric, void *context), void *context)
{
    for (size_t t = 0; t < flm_report_table_count(report); t++) {
        const struct flm_report_table *table = flm_report_table_at(report, t);
        const char *section = flm_report_table_name(table);
        for (size_t i = 0; strcmp(section, "csv") != 0 && i < flm_report_column_count(table); i++) {
            const char *column = flm_report_column_name(table, i);
            struct flm_name unit = flm_report_column_unit(table, i);
            struct metric m = {.table = table,
                               .section = section,
                               .column = column,
                               .base = flm_section_base(column),
                               .is_sum = flm_section_is_sum(column),
                               .is_time = unit.size == 2 && memcmp(unit.at, "ns", 2) == 0,
                               .at = i};
            m.is_bytes = unit.size == 5 && memcmp(unit.at, "bytes", 5) == 0;
            size_t base = m.base.size, whole = strlen(column);
            m.is_time = m.is_time || strcmp(column + base, "_ns") == 0;
            m.is_bytes = m.is_bytes || (base < whole && strcmp(column + base, "_bytes") == 0);
            if (!is_label(column) && flm_report_column_heading(table, i) && has_values(&m))
                visit(&m, context);
        }
    }
}

static double value_of(const struct metric *m, size_t row)
{
    const double ns_of_second = 1e9;
    double value = flm_report_number(m->table, row, m->at);
    return m->is_time ? value / ns_of_second : value;
}

/* The label of a row as text; false: it has none. */
static bool label_of(const struct metric *m, size_t row, size_t label, char *number, size_t room,
                     struct flm_bytes *text)
{
    size_t column = flm_report_column_named(m->table, labels[label]);
    if (column == SIZE_MAX)
        return false;
    struct flm_name name = flm_report_string(m->table, row, column);
    double value = flm_report_number(m->table, row, column);
    if (!isnan(value)) {
        snprintf(number, room, "%.0f", value);
        *text = flm_bytes_of(number);
        return true;
    }
    *text = (struct flm_bytes){name.at, name.size};
    return name.size > 0;
}

/* ---- What was measured, and what was lost ---------------------------------------------------- */

/* Facts of the report that are metrics too: 1 or 0 for each signal, with its note; and losses. */
static const struct fact_group {
    const char *name, *label;
    bool is_sum, has_notes;
} groups[] = {{"measured", "signal", false, true}, {"lost", "what", true, false}};
enum { GROUPS = sizeof groups / sizeof *groups };

struct fact {
    const struct fact_group *group;
    struct flm_bytes key, note; /* the note: empty, there is none */
    double value;
    bool is_first;
};

static struct flm_bytes note_of(const struct flm_report *report, const char *key)
{
    char path[64];
    snprintf(path, sizeof path, "notes.%s", key);
    struct flm_name note = flm_report_fact_string(report, path);
    return (struct flm_bytes){note.at, note.size};
}

/* Returns how many there are. */
static size_t each_fact(const struct flm_report *report, const struct fact_group *group,
                        void (*visit)(const struct fact *fact, void *context), void *context)
{
    size_t count = 0;
    bool is_inside = false;
    for (size_t i = 0; i < report->blocks.count; i++) {
        const struct flm_report_block *block = &report->blocks.at[i];
        if (block->kind == FLM_BLOCK_BEGIN && block->key)
            is_inside = strcmp(block->key, group->name) == 0;
        else if (block->kind != FLM_BLOCK_FACT)
            is_inside = false;
        else if (is_inside) {
            struct fact fact = {.group = group,
                                .key = flm_bytes_of(block->key),
                                .value = block->value.number,
                                .is_first = count++ == 0};
            if (group->has_notes)
                fact.note = note_of(report, block->key);
            visit(&fact, context);
        }
    }
    return count;
}

/* ---- Prometheus ------------------------------------------------------------------------------ */

/* "flamel_time_seconds_total": letters, digits and _ only; p99.9 becomes p99_9. */
static void add_name(struct flm_text *out, const struct metric *m)
{
    size_t start = out->size;
    bool is_total = flm_bytes_are(m->base, "total") && m->is_sum;
    flm_text_format(out, "flamel_%s", m->section);
    if (!is_total)
        flm_text_format(out, "_%.*s", (int)m->base.size, m->base.at);
    flm_text_puts(out, m->is_time ? "_seconds" : m->is_bytes ? "_bytes" : "");
    flm_text_puts(out, m->is_sum ? "_total" : "");
    for (size_t i = start; i < out->size && !out->failed; i++)
        if (out->at[i] == '.' || out->at[i] == '-')
            out->at[i] = '_';
}

static void add_quoted(struct flm_text *out, struct flm_bytes text)
{
    flm_text_putc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.at[i];
        if (byte == '\\' || byte == '"')
            flm_text_putc(out, '\\');
        if (byte == '\n')
            flm_text_puts(out, "\\n");
        else
            flm_text_putc(out, byte);
    }
    flm_text_putc(out, '"');
}

static void add_prometheus(const struct metric *m, void *context)
{
    struct flm_text *out = context;
    flm_text_puts(out, "# TYPE ");
    add_name(out, m);
    flm_text_puts(out, m->is_sum ? " counter\n" : " gauge\n");
    for (size_t row = 0; row < flm_report_row_count(m->table); row++) {
        double value = value_of(m, row);
        bool is_first = true;
        if (isnan(value))
            continue;
        add_name(out, m);
        for (size_t i = 0; i < LABELS; i++) {
            char number[32];
            struct flm_bytes text;
            if (!label_of(m, row, i, number, sizeof number, &text))
                continue;
            flm_text_format(out, "%s%s=", is_first ? "{" : ",", labels[i]);
            add_quoted(out, text);
            is_first = false;
        }
        char number[32];
        snprintf(number, sizeof number, "%.17g", value);
        flm_text_format(out, "%s %s\n", is_first ? "" : "}", number);
    }
}

/* flamel_measured{signal="cpu",note="perf_event_open is not allowed"} 0 */
static void add_prometheus_fact(const struct fact *fact, void *context)
{
    struct flm_text *out = context;
    const char *total = fact->group->is_sum ? "_total" : "";
    if (fact->is_first)
        flm_text_format(out, "# TYPE flamel_%s%s %s\n", fact->group->name, total,
                        fact->group->is_sum ? "counter" : "gauge");
    flm_text_format(out, "flamel_%s%s{%s=", fact->group->name, total, fact->group->label);
    add_quoted(out, fact->key);
    if (fact->note.size > 0) {
        flm_text_puts(out, ",note=");
        add_quoted(out, fact->note);
    }
    char number[32];
    snprintf(number, sizeof number, "%.17g", fact->value);
    flm_text_format(out, "} %s\n", number);
}

void flm_metrics_prometheus(const struct flm_report *report, struct flm_text *out)
{
    for (size_t i = 0; i < GROUPS; i++)
        each_fact(report, &groups[i], add_prometheus_fact, out);
    each_metric(report, add_prometheus, out);
}

/* ---- OpenTelemetry --------------------------------------------------------------------------- */

struct otlp {
    struct flm_json_writer json;
    char start[24], now[24]; /* numbers of 64 bits are strings there */
};

static void add_attribute(struct flm_json_writer *json, const char *key, struct flm_bytes value)
{
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "key", flm_bytes_of(key));
    flm_json_begin(json, "value", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "stringValue", value);
    flm_json_end(json);
    flm_json_end(json);
}

static void begin_point(struct otlp *o)
{
    flm_json_begin(&o->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&o->json, "attributes", FLM_JSON_ARRAY_LINE);
}

static void end_point(struct otlp *o, double value)
{
    struct flm_json_writer *json = &o->json;
    flm_json_end(json);
    flm_json_add_text(json, "startTimeUnixNano", flm_bytes_of(o->start));
    flm_json_add_text(json, "timeUnixNano", flm_bytes_of(o->now));
    flm_json_add_number(json, "asDouble", value);
    flm_json_end(json);
}

static void add_point(const struct metric *m, size_t row, struct otlp *o)
{
    struct flm_json_writer *json = &o->json;
    begin_point(o);
    for (size_t i = 0; i < LABELS; i++) {
        char number[32];
        struct flm_bytes text;
        if (label_of(m, row, i, number, sizeof number, &text))
            add_attribute(json, labels[i], text);
    }
    end_point(o, value_of(m, row));
}

static void begin_metric(struct otlp *o, const char *name, const char *unit, bool is_sum)
{
    struct flm_json_writer *json = &o->json;
    const int cumulative = 2;
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "name", flm_bytes_of(name));
    flm_json_add_text(json, "unit", flm_bytes_of(unit));
    flm_json_begin(json, is_sum ? "sum" : "gauge", FLM_JSON_OBJECT_LINE);
    if (is_sum) {
        flm_json_add_integer(json, "aggregationTemporality", cumulative);
        flm_json_add_bool(json, "isMonotonic", true);
    }
    flm_json_begin(json, "dataPoints", FLM_JSON_ARRAY_LINE);
}

static void end_metric(struct otlp *o)
{
    flm_json_end(&o->json);
    flm_json_end(&o->json);
    flm_json_end(&o->json);
}

static void add_otlp(const struct metric *m, void *context)
{
    struct otlp *o = context;
    char name[96];
    snprintf(name, sizeof name, "flamel.%s.%.*s", m->section, (int)m->base.size, m->base.at);
    begin_metric(o, name, m->is_time ? "s" : m->is_bytes ? "By" : "1", m->is_sum);
    for (size_t row = 0; row < flm_report_row_count(m->table); row++)
        if (!isnan(value_of(m, row)))
            add_point(m, row, o);
    end_metric(o);
}

static void add_otlp_fact(const struct fact *fact, void *context)
{
    struct otlp *o = context;
    char name[96];
    snprintf(name, sizeof name, "flamel.%s", fact->group->name);
    if (fact->is_first)
        begin_metric(o, name, "1", fact->group->is_sum);
    begin_point(o);
    add_attribute(&o->json, fact->group->label, fact->key);
    if (fact->note.size > 0)
        add_attribute(&o->json, "note", fact->note);
    end_point(o, fact->value);
}

void flm_metrics_otlp(const struct flm_report *report, uint64_t start_ns, uint64_t now_ns,
                      struct flm_text *out)
{
    struct otlp o = {.json = {.out = out}};
    char pid[24];
    struct flm_name command = flm_report_fact_string(report, "command");
    size_t size = 0;
    while (size < command.size && command.at[size] != ' ')
        size++;
    snprintf(o.start, sizeof o.start, "%llu", (unsigned long long)start_ns);
    snprintf(o.now, sizeof o.now, "%llu", (unsigned long long)now_ns);
    snprintf(pid, sizeof pid, "%.0f", flm_report_fact_number(report, "pid"));
    flm_json_begin(&o.json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&o.json, "resourceMetrics", FLM_JSON_ARRAY_LINE);
    flm_json_begin(&o.json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&o.json, "resource", FLM_JSON_OBJECT_LINE);
    flm_json_begin(&o.json, "attributes", FLM_JSON_ARRAY_LINE);
    struct flm_bytes path = {command.at, size};
    add_attribute(&o.json, "service.name", flm_path_end(path));
    add_attribute(&o.json, "process.pid", flm_bytes_of(pid));
    flm_json_end(&o.json);
    flm_json_end(&o.json);
    flm_json_begin(&o.json, "scopeMetrics", FLM_JSON_ARRAY_LINE);
    flm_json_begin(&o.json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&o.json, "scope", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&o.json, "name", flm_bytes_of("flamel-probe"));
    flm_json_end(&o.json);
    flm_json_begin(&o.json, "metrics", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < GROUPS; i++)
        if (each_fact(report, &groups[i], add_otlp_fact, &o) > 0)
            end_metric(&o);
    each_metric(report, add_otlp, &o);
    for (int i = 0; i < 6; i++)
        flm_json_end(&o.json);
}
