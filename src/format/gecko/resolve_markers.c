/* resolve_markers.c - the markers of a thread and the counters of a process.
 *
 * A marker is an instant, an interval, or one of two rows: the start and the end of an interval.
 * Those two are joined by their name, the end to the latest start. */
#include <stdlib.h>

#include "format/core/units.h"
#include "format/gecko/internal.h"

/* ---- Markers --------------------------------------------------------------------------------- */

/* The starts that have no end yet, as a list for each name. */
struct open_markers {
    uint32_t *latest; /* by name: the latest start; FLM_NONE */
    uint32_t *before; /* by marker: the start before it with the same name; FLM_NONE */
};

static void emit_marker(struct flm_gecko_resolving *r, size_t i, double start, double end)
{
    const struct flm_gecko_tables *t = &r->thread->tables;
    struct flm_builder *b = r->builder;
    struct flm_bytes name = flm_gecko_string(
        r->strings, flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_MARKER_NAME), i));
    struct flm_bytes detail = {"", 0};
    double at = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_MARKER_DETAIL), i);
    if (at >= 0)
        detail = flm_gecko_string(&r->thread->details, (int64_t)at);
    else if (at < 0)
        detail = flm_gecko_string(r->strings, (int64_t)(-1 - at));
    int32_t category = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_MARKER_CATEGORY), i);
    int64_t from = flm_gecko_time_ns(r, start), to = flm_gecko_time_ns(r, end);
    flm_builder_marker(b, from, to > from && from != FLM_NO_TIME ? to - from : 0,
                       flm_builder_string(b, name.at, name.size),
                       flm_builder_string(b, detail.at, detail.size),
                       flm_gecko_labels_of(r, category));
}

/* The phase of a marker and its times. Old profiles have no phases: a marker has one time, and its
 * data may say that it is a start or an end, or have both times. */
static int phase_of(const struct flm_gecko_tables *t, size_t i, double *start, double *end)
{
    double phase = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_MARKER_PHASE), i);
    *start = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_MARKER_START), i);
    *end = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_MARKER_END), i);
    if (phase >= FLM_GECKO_PHASE_INSTANT && phase <= FLM_GECKO_PHASE_END)
        return (int)phase;
    double time = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_MARKER_TIME), i);
    double interval = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_MARKER_INTERVAL), i);
    double first = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_MARKER_DATA_START), i),
           last = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_MARKER_DATA_END), i);
    if (*start == *start)
        return *end == *end ? FLM_GECKO_PHASE_INTERVAL : FLM_GECKO_PHASE_INSTANT;
    *start = *end = time;
    if (interval == interval)
        return (int)interval;
    if (!(first == first && last == last))
        return FLM_GECKO_PHASE_INSTANT;
    *start = first;
    *end = last;
    return FLM_GECKO_PHASE_INTERVAL;
}

static void join_markers(struct flm_gecko_resolving *r, struct open_markers *open, size_t count)
{
    const struct flm_gecko_tables *t = &r->thread->tables;
    const struct flm_gecko_column *names = flm_gecko_column_of(t, FLM_GECKO_MARKER_NAME);
    double start, end, last = __builtin_nan("");
    for (size_t i = 0; i < count && !flm_builder_failed(r->builder); i++) {
        int32_t name = flm_gecko_index(names, i);
        int phase = phase_of(t, i, &start, &end);
        bool is_named = name >= 0 && (size_t)name < r->strings->ends.count;
        if (phase == FLM_GECKO_PHASE_END && is_named && open->latest[name] != FLM_NONE) {
            uint32_t first = open->latest[name];
            open->latest[name] = open->before[first];
            open->before[first] = FLM_NONE - 1; /* done */
            double begin, unused;
            phase_of(t, first, &begin, &unused);
            emit_marker(r, first, begin, end);
        } else if (phase == FLM_GECKO_PHASE_START && is_named) {
            open->before[i] = open->latest[name];
            open->latest[name] = (uint32_t)i;
        } else if (phase == FLM_GECKO_PHASE_END) {
            emit_marker(r, i, end, end); /* it started before the recording */
        } else {
            emit_marker(r, i, start, phase == FLM_GECKO_PHASE_INTERVAL ? end : start);
        }
        double latest =
            phase == FLM_GECKO_PHASE_END || phase == FLM_GECKO_PHASE_INTERVAL ? end : start;
        if (!(last >= latest) && latest == latest)
            last = latest;
    }
    /* An interval without an end lasts until the last marker. */
    for (size_t name = 0; name < r->strings->ends.count; name++)
        for (uint32_t i = open->latest[name]; i != FLM_NONE; i = open->before[i]) {
            phase_of(t, i, &start, &end);
            emit_marker(r, i, start, last);
        }
}

bool flm_gecko_add_markers(struct flm_gecko_resolving *r)
{
    size_t count = flm_gecko_column_of(&r->thread->tables, FLM_GECKO_MARKER_NAME)->count;
    if (count == 0 || !r->options->keep_times)
        return true;
    size_t strings = r->strings->ends.count;
    struct open_markers open = {malloc((strings + 1) * sizeof *open.latest),
                                malloc(count * sizeof *open.before)};
    bool good = open.latest && open.before;
    if (good) {
        memset(open.latest, -1, strings * sizeof *open.latest);
        join_markers(r, &open, count);
    }
    free(open.latest);
    free(open.before);
    return good || flm_gecko_no_memory(r);
}

/* ---- Counters -------------------------------------------------------------------------------- */

void flm_gecko_add_counter(struct flm_gecko_resolving *r, const struct flm_gecko_counter *c)
{
    struct flm_builder *b = r->builder;
    struct flm_bytes category = flm_gecko_text(r, c->category), unit = flm_gecko_text(r, c->unit),
                     name = flm_gecko_text(r, c->name), graph = flm_gecko_text(r, c->graph),
                     pid = flm_gecko_text(r, c->pid);
    struct flm_gecko_clock clock = {.times = &c->columns[0], .deltas = &c->columns[1]};
    /* The values of memory are changes of it; others (power) are amounts since the previous row. */
    bool is_memory = flm_bytes_are(category, "Memory");
    bool sums = graph.size > 0 ? flm_bytes_are(graph, "line-accumulated") : is_memory;
    if (unit.size == 0 && (is_memory || flm_bytes_are(category, "Bandwidth")))
        unit = flm_bytes_of("bytes");
    else if (unit.size == 0 && flm_bytes_are(category, "power"))
        unit = flm_bytes_of("pWh");
    struct flm_string pairs[2];
    size_t count = 0;
    flm_gecko_label_add(r, pairs, &count, "process", pid);
    struct flm_bytes unit_name = flm_unit_named(unit);
    struct flm_counter counter =
        flm_builder_counter(b, flm_builder_string(b, name.at, name.size),
                            flm_builder_string(b, unit_name.at, unit_name.size),
                            flm_builder_label_set(b, pairs, count / 2));
    double sum = 0;
    for (size_t i = 0; i < c->columns[2].count && !flm_builder_failed(b); i++) {
        double value = flm_gecko_value(&c->columns[2], i), time = flm_gecko_clock_time(&clock, i);
        if (value != value)
            continue;
        sum = sums ? sum + value : value;
        flm_builder_counter_point(b, counter, flm_gecko_time_ns(r, time), sum);
    }
}
