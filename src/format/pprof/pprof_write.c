/* pprof_write.c - a profile as profile.proto.
 *
 * The strings of the profile are the table of strings, with the same indices; a few more follow
 * them (core/string_table.h); core/location_tables.h has functions, mappings and locations.
 *
 * pprof shows the last sample type unless it is told otherwise; the profile's first metric is
 * written last, and named as the default too. Values are whole numbers there (core/whole_values.h);
 * a comment says how many were rounded.
 * Single samples are written where they have labels, those of one stack and the same labels as one;
 * times are written if the profile had them from pprof. */
#include <stdlib.h>
#include <string.h>

#include "base/core/sort.h"
#include "flamel/notes.h"
#include "format/core/location_tables.h"
#include "format/core/string_table.h"
#include "format/core/whole_values.h"
#include "format/pprof/pprof.h"
#include "format/protobuf/wire_write.h"

struct writing {
    const struct flm_profile *p;
    struct flm_text *out, message, inner;
    struct flm_location_tables tables;
    struct flm_string_table strings;
    struct flm_bytes numeric;        /* FLM_NOTE_NUMERIC */
    double *factor;                  /* by metric: of flm_whole_factor */
    struct flm_whole_series *series; /* by metric */
    struct flm_text rounded;         /* the comment on values that were rounded */
    struct flm_text written;         /* notes that people wrote */
    bool has_times;
};

static struct flm_bytes note(const struct writing *w, const char *key)
{
    struct flm_name value = flm_profile_note_named(w->p, key);
    return (struct flm_bytes){value.at ? value.at : "", value.size};
}

static uint64_t string_of(struct writing *w, struct flm_bytes text)
{
    return flm_string_table_find(&w->strings, text);
}

static void choose_factors(struct writing *w)
{
    double all = 0;
    for (uint32_t m = 0; m < w->p->sizes.metric_count; m++) {
        uint32_t rounded;
        w->factor[m] = flm_whole_factor(w->p, m, &rounded);
        all += rounded;
    }
    if (all > 0)
        flm_text_format(&w->rounded, "flamel: values rounded to whole numbers: %llu",
                        (unsigned long long)all);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void put(struct writing *w, uint32_t field)
{
    flm_wire_put_message(w->out, field, &w->message);
}

static void put_type(struct writing *w, uint32_t field, uint64_t type, uint64_t unit)
{
    flm_wire_put_number(&w->message, 1, type);
    flm_wire_put_number(&w->message, 2, unit);
    put(w, field);
}

static void put_labels(struct writing *w, uint32_t label_set, int64_t time_ns)
{
    struct flm_bytes unit;
    uint32_t count = 0;
    const uint32_t *labels = NULL;
    if (label_set != 0) /* a profile without labels has no sets at all */
        labels = flm_profile_label_set(w->p, (struct flm_label_set){label_set}, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct flm_label_record label = w->p->labels[labels[i]];
        struct flm_bytes text = flm_string_bytes(w->p, label.value);
        int64_t number;
        flm_wire_put_number(&w->inner, 1, label.key);
        if (flm_list_has(w->numeric, flm_string_bytes(w->p, label.key)) &&
            flm_unit_parse(text, &number, &unit)) {
            flm_wire_put_number(&w->inner, 3, (uint64_t)number);
            if (unit.size > 0)
                flm_wire_put_number(&w->inner, 4, string_of(w, unit));
        } else {
            flm_wire_put_number(&w->inner, 2, label.value);
        }
        flm_wire_put_message(&w->message, 3, &w->inner);
    }
    if (w->has_times && time_ns != FLM_NO_TIME) {
        flm_wire_put_number(&w->inner, 1, string_of(w, flm_bytes_of(FLM_PPROF_TIME)));
        flm_wire_put_number(&w->inner, 3, (uint64_t)time_ns);
        flm_wire_put_message(&w->message, 3, &w->inner);
    }
}

/* The first metric stands last. */
static void put_values(struct writing *w, const int64_t *values)
{
    uint32_t count = w->p->sizes.metric_count;
    for (uint32_t m = 1; m <= count; m++)
        flm_wire_put_varint(&w->inner, (uint64_t)values[m % count]);
    flm_wire_put_message(&w->message, 2, &w->inner);
}

static void put_sample(struct writing *w, uint32_t node, const int64_t *values, uint32_t label_set,
                       int64_t time_ns)
{
    for (uint32_t i = node; i != 0; i = w->tables.up[i])
        flm_wire_put_varint(&w->inner, w->tables.location[i] + 1);
    flm_wire_put_message(&w->message, 1, &w->inner);
    put_values(w, values);
    put_labels(w, label_set, time_ns);
    put(w, 2);
}

static int order_samples(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_profile *p = context;
    if (p->sample_node[a] != p->sample_node[b])
        return p->sample_node[a] < p->sample_node[b] ? -1 : 1;
    return (p->sample_labels[a] > p->sample_labels[b]) -
           (p->sample_labels[a] < p->sample_labels[b]);
}

/* Samples by node and labels, and what nodes have beside them. `order`: all samples, sorted. */
static void put_samples(struct writing *w, const uint32_t *order, double *sums, int64_t *whole)
{
    const struct flm_profile *p = w->p;
    uint32_t metrics = p->sizes.metric_count, next = 0;
    for (uint32_t node = 0; node < p->sizes.node_count && !w->out->failed; node++) {
        bool has_rest = false;
        double *taken = sums + metrics; /* by the samples of the node */
        memset(taken, 0, metrics * sizeof *taken);
        while (next < p->sizes.sample_count && p->sample_node[order[next]] == node) {
            uint32_t first = order[next];
            memset(sums, 0, metrics * sizeof *sums);
            do {
                for (uint32_t m = 0; m < metrics; m++)
                    sums[m] += flm_sample_value(p, m, order[next]);
                next++;
            } while (!w->has_times && next < p->sizes.sample_count &&
                     order_samples(p, first, order[next]) == 0);
            for (uint32_t m = 0; m < metrics; m++) {
                taken[m] += sums[m];
                whole[m] = flm_whole_next(&w->series[m], sums[m] * w->factor[m]);
            }
            put_sample(w, node, whole, p->sample_labels[first], p->sample_time[first]);
        }
        for (uint32_t m = 0; m < metrics; m++) {
            double rest = flm_whole_rest(flm_self_column(p, m)[node], taken[m]);
            whole[m] = flm_whole_next(&w->series[m], rest * w->factor[m]);
            has_rest |= whole[m] != 0;
        }
        if (has_rest)
            put_sample(w, node, whole, 0, FLM_NO_TIME);
    }
}

static bool write_samples(struct writing *w)
{
    const struct flm_profile *p = w->p;
    size_t count = p->sizes.sample_count, metrics = p->sizes.metric_count;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    double *sums = malloc((2 * metrics + 1) * sizeof *sums);
    int64_t *whole = malloc((metrics + 1) * sizeof *whole);
    bool good = order && sums && whole;
    for (size_t i = 0; good && i < count; i++)
        order[i] = (uint32_t)i;
    if (good) {
        flm_sort(order, count, order + count, order_samples, p);
        put_samples(w, order, sums, whole);
    }
    free(order);
    free(sums);
    free(whole);
    return good;
}

static void write_types(struct writing *w)
{
    const struct flm_profile *p = w->p;
    uint32_t count = p->sizes.metric_count;
    for (uint32_t m = 1; m <= count; m++) {
        const struct flm_metric_record *metric = &p->metrics[m % count];
        struct flm_bytes unit = flm_unit_long(flm_string_bytes(p, metric->unit));
        if (w->factor[m % count] != 1)
            unit = flm_bytes_of("nanoseconds");
        put_type(w, 1, metric->name, string_of(w, unit));
    }
}

static void write_mappings(struct writing *w)
{
    for (size_t i = 0; i < w->tables.mappings.count; i++) {
        const struct flm_written_mapping *m = &w->tables.mappings.at[i];
        flm_wire_put_number(&w->message, 1, i + 1);
        flm_wire_put_number(&w->message, 2, m->range.start);
        flm_wire_put_number(&w->message, 3, m->range.limit);
        flm_wire_put_number(&w->message, 4, m->range.offset);
        flm_wire_put_number(&w->message, 5, m->module);
        if (m->range.build_id.size > 0)
            flm_wire_put_number(&w->message, 6, string_of(w, m->range.build_id));
        for (uint32_t has = 7; has <= 10 && !m->has_unsymbolized; has++)
            flm_wire_put_number(&w->message, has, 1);
        put(w, 3);
    }
}

static void write_locations(struct writing *w)
{
    for (size_t i = 0; i < w->tables.locations.count; i++) {
        uint32_t frame = w->tables.locations.at[i].frame;
        flm_wire_put_number(&w->message, 1, i + 1);
        flm_wire_put_number(&w->message, 2, w->tables.mapping_of[frame]);
        flm_wire_put_number(&w->message, 3, w->tables.place[frame].address);
        for (size_t at = i + 1; at > 0; at = w->tables.locations.at[at - 1].outer) {
            frame = w->tables.locations.at[at - 1].frame;
            if (!flm_location_has_line(&w->tables, frame))
                continue;
            flm_wire_put_number(&w->inner, 1, w->tables.function_of[frame] + (uint64_t)1);
            flm_wire_put_number(&w->inner, 2, w->tables.place[frame].line);
            flm_wire_put_number(&w->inner, 3, w->tables.place[frame].column);
            flm_wire_put_message(&w->message, 4, &w->inner);
        }
        put(w, 4);
    }
}

static void write_functions(struct writing *w)
{
    for (size_t i = 0; i < w->tables.functions.count; i++) {
        const struct flm_written_function *f = &w->tables.functions.at[i];
        flm_wire_put_number(&w->message, 1, i + 1);
        flm_wire_put_number(&w->message, 2, f->name);
        flm_wire_put_number(&w->message, 3, f->name);
        flm_wire_put_number(&w->message, 4, f->file);
        flm_wire_put_number(&w->message, 5, f->line);
        put(w, 5);
    }
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void write_number(struct writing *w, uint32_t field, const char *key)
{
    struct flm_bytes unit;
    int64_t number;
    if (flm_unit_parse(note(w, key), &number, &unit))
        flm_wire_put_number(w->out, field, (uint64_t)number);
}

static void write_string(struct writing *w, uint32_t field, const char *key)
{
    if (note(w, key).size > 0)
        flm_wire_put_number(w->out, field, string_of(w, note(w, key)));
}

/* Legacy profiles have a type without a period; others have a period without a type. */
static void write_period(struct writing *w)
{
    struct flm_bytes type = note(w, "period type"), unit = {"", 0};
    int64_t number = 0;
    if (!flm_unit_parse(note(w, "period"), &number, &unit))
        unit = note(w, "period unit");
    if (type.size + unit.size > 0)
        put_type(w, 11, string_of(w, type), string_of(w, flm_unit_long(unit)));
    flm_wire_put_number(w->out, 12, (uint64_t)number);
}

/* Those that people wrote, which pprof -comments prints: "note 3f2a91c0 {...}", a line each. */
static void list_written(struct writing *w)
{
    const struct flm_profile *p = w->p;
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        struct flm_bytes value = flm_string_bytes(p, p->notes[i].value);
        if (!flm_note_is_written((struct flm_name){key.at, key.size}) ||
            (value.size > 0 && memchr(value.at, '\n', value.size)))
            continue;
        flm_text_add(&w->written, key);
        flm_text_putc(&w->written, ' ');
        flm_text_add(&w->written, value);
        flm_text_putc(&w->written, '\n');
    }
    w->out->failed |= w->written.failed;
}

/* Each line of a text. */
static void write_lines(struct writing *w, struct flm_bytes left)
{
    while (left.size > 0) {
        size_t end = 0;
        while (end < left.size && left.at[end] != '\n')
            end++;
        flm_wire_put_varint(w->out, 13 << 3);
        flm_wire_put_varint(w->out, string_of(w, (struct flm_bytes){left.at, end}));
        left = flm_bytes_from(left, end < left.size ? end + 1 : end);
    }
}

static void write_comments(struct writing *w)
{
    list_written(w);
    write_lines(w, note(w, "comment"));
    write_lines(w, (struct flm_bytes){w->written.at, w->written.size});
    write_lines(w, (struct flm_bytes){w->rounded.at, w->rounded.size});
}

static void write_facts(struct writing *w)
{
    write_string(w, 7, "drop frames");
    write_string(w, 8, "keep frames");
    flm_wire_put_number(w->out, 9, (uint64_t)flm_recorded_time(w->p));
    write_number(w, 10, "duration_ns");
    write_period(w);
    write_comments(w);
    if (w->p->sizes.metric_count > 0)
        flm_wire_put_number(w->out, 14, w->p->metrics[0].name);
    write_string(w, 15, "documentation");
}

static void write_strings(struct writing *w)
{
    for (uint32_t i = 0; i < flm_string_table_count(&w->strings) && !w->strings.failed; i++)
        flm_wire_put_bytes(w->out, 6, flm_string_table_at(&w->strings, i));
}

static bool write_all(struct writing *w)
{
    choose_factors(w);
    write_types(w);
    if (!write_samples(w))
        return false;
    write_mappings(w);
    write_locations(w);
    write_functions(w);
    write_facts(w);
    write_strings(w);
    return !w->message.failed && !w->inner.failed && !w->rounded.failed && !w->strings.failed;
}

bool flm_pprof_write(const struct flm_profile *p, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    (void)options;
    struct writing w = {
        .p = p,
        .out = out,
        .strings = {.profile = p},
        .factor = calloc((size_t)p->sizes.metric_count + 1, sizeof(double)),
        .series = calloc((size_t)p->sizes.metric_count + 1, sizeof(struct flm_whole_series)),
    };
    w.numeric = note(&w, FLM_NOTE_NUMERIC);
    w.has_times = flm_list_has(w.numeric, flm_bytes_of(FLM_PPROF_TIME));
    bool made = flm_location_tables_make(&w.tables, p, why);
    w.p = w.tables.p;
    bool good = made && w.factor && w.series && write_all(&w);
    free(w.factor);
    free(w.series);
    flm_location_tables_clear(&w.tables);
    flm_string_table_clear(&w.strings);
    flm_text_clear(&w.rounded);
    flm_text_clear(&w.written);
    flm_text_clear(&w.message);
    flm_text_clear(&w.inner);
    return good || (made && flm_error_memory(why));
}
