/* otlp_write.c - a profile as OTLP profiles: one resource, one scope, a Profile for each metric.
 *
 * The tables of the dictionary are those of core/location_tables.h and core/string_table.h, each
 * behind the empty entry 0. A stack is a node that has samples; attributes are the labels of label
 * sets, one entry for each label, and kinds of frames ("profile.frame.type"): those that OTLP has
 * no word for are called as flamel calls them.
 *
 * A sample is a stack and a label set, with a value for each time. The values of a stack that no
 * single sample has are a sample without times. Times are those of the profile's clock: in a
 * recording of perf that is not the time of day.
 *
 * Values are whole numbers: core/whole_values.h. */
#include <stdlib.h>

#include "base/core/sort.h"
#include "flamel/notes.h"
#include "format/core/location_tables.h"
#include "format/core/string_table.h"
#include "format/core/units.h"
#include "format/core/whole_values.h"
#include "format/otlp/otlp_write.h"
#include "format/perf/frame.h"
#include "format/protobuf/wire_write.h"

struct attribute {
    uint32_t key, value, unit; /* strings */
    bool is_number;
    int64_t number;
};

struct writing {
    const struct flm_profile *p;
    struct flm_text *out;
    struct flm_text dictionary, scope, profile, message, inner, packed, times;
    struct flm_location_tables tables;
    struct flm_string_table strings;
    struct flm_bytes numeric; /* FLM_NOTE_NUMERIC */
    struct FLM_ARRAY(struct attribute) attributes;
    uint32_t kinds[FLM_KIND_COUNT]; /* attribute + 1 of a kind; 0: not made yet */
    uint32_t *stack_of;             /* by node: 0 where it has no value */
    bool failed;
};

static struct flm_bytes note(const struct writing *w, const char *key)
{
    struct flm_name value = flm_profile_note_named(w->p, key);
    return (struct flm_bytes){value.at ? value.at : "", value.size};
}

static uint32_t string_of(struct writing *w, const char *text)
{
    return flm_string_table_find(&w->strings, flm_bytes_of(text));
}

static void put_type(struct writing *w, uint32_t field, struct flm_bytes type,
                     struct flm_bytes unit)
{
    flm_wire_put_number(&w->message, 1, flm_string_table_find(&w->strings, type));
    flm_wire_put_number(&w->message, 2, flm_string_table_find(&w->strings, flm_unit_long(unit)));
    flm_wire_put_message(&w->profile, field, &w->message);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

/* Labels of threads and processes have the names of OTLP; the reader has the same table. */
static uint32_t key_of(struct writing *w, uint32_t key)
{
    for (size_t i = 0; i < FLM_OTLP_LABELS; i++)
        if (flm_bytes_are(flm_string_bytes(w->p, key), flm_otlp_labels[i].name))
            return string_of(w, flm_otlp_labels[i].key);
    return key;
}

/* Labels come first, so the attribute of label i is i + 1. */
static bool make_label_attributes(struct writing *w)
{
    const struct flm_profile *p = w->p;
    bool good = true;
    for (uint32_t i = 0; i < p->sizes.label_count && good; i++) {
        struct attribute a = {.key = key_of(w, p->labels[i].key), .value = p->labels[i].value};
        struct flm_bytes unit;
        if (flm_list_has(w->numeric, flm_string_bytes(p, p->labels[i].key)) &&
            flm_unit_parse(flm_string_bytes(p, a.value), &a.number, &unit)) {
            a.is_number = true;
            a.unit = flm_string_table_find(&w->strings, unit);
        }
        good = FLM_ARRAY_ADD(&w->attributes, a);
    }
    return good;
}

/* The index of an attribute. Those of one module follow each other. */
static uint32_t add_attribute(struct writing *w, const char *key, struct flm_bytes value)
{
    struct attribute a = {.key = string_of(w, key),
                          .value = flm_string_table_find(&w->strings, value)};
    size_t count = w->attributes.count;
    const struct attribute *last = count > 0 ? &w->attributes.at[count - 1] : NULL;
    bool is_last = last && last->key == a.key && last->value == a.value;
    if (!is_last && !FLM_ARRAY_ADD(&w->attributes, a))
        w->failed = true;
    return (uint32_t)w->attributes.count;
}

/* The attribute of a kind; 0 where a reader knows the kind by the module. */
static uint32_t kind_attribute(struct writing *w, uint32_t frame)
{
    const struct flm_frame_record *f = &w->p->frames[frame];
    struct flm_bytes module = flm_string_bytes(w->p, f->module);
    uint32_t implied = module.size > 0 ? flm_perf_module_kind(module) : FLM_KIND_PLAIN;
    if (f->kind == implied && f->kind != FLM_KIND_NATIVE && f->kind != FLM_KIND_KERNEL)
        return 0;
    if (w->kinds[f->kind] == 0)
        w->kinds[f->kind] =
            add_attribute(w, FLM_OTLP_FRAME_TYPE, flm_bytes_of(flm_kind_name(f->kind)));
    return w->kinds[f->kind];
}

static void write_attributes(struct writing *w)
{
    flm_wire_put_message(&w->dictionary, 6, &w->message);
    for (size_t i = 0; i < w->attributes.count; i++) {
        const struct attribute *a = &w->attributes.at[i];
        flm_wire_put_number(&w->message, 1, a->key);
        if (a->is_number) { /* 0 too: it is a value */
            flm_wire_put_varint(&w->inner, 3 << 3);
            flm_wire_put_varint(&w->inner, (uint64_t)a->number);
        } else {
            flm_wire_put_bytes(&w->inner, 1, flm_string_table_at(&w->strings, a->value));
        }
        flm_wire_put_message(&w->message, 2, &w->inner);
        flm_wire_put_number(&w->message, 3, a->unit);
        flm_wire_put_message(&w->dictionary, 6, &w->message);
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void write_mappings(struct writing *w)
{
    flm_wire_put_message(&w->dictionary, 1, &w->message);
    for (size_t i = 0; i < w->tables.mappings.count; i++) {
        const struct flm_written_mapping *m = &w->tables.mappings.at[i];
        flm_wire_put_number(&w->message, 1, m->range.start);
        flm_wire_put_number(&w->message, 2, m->range.limit);
        flm_wire_put_number(&w->message, 3, m->range.offset);
        flm_wire_put_number(&w->message, 4, m->module);
        if (m->range.build_id.size > 0) {
            flm_wire_put_varint(&w->packed, add_attribute(w, FLM_OTLP_BUILD_ID, m->range.build_id));
            flm_wire_put_message(&w->message, 5, &w->packed);
        }
        flm_wire_put_message(&w->dictionary, 1, &w->message);
    }
}

static void write_locations(struct writing *w)
{
    const struct flm_location_tables *t = &w->tables;
    flm_wire_put_message(&w->dictionary, 2, &w->message);
    for (size_t i = 0; i < t->locations.count; i++) {
        uint32_t outermost = t->locations.at[i].frame;
        flm_wire_put_number(&w->message, 1, t->mapping_of[outermost]);
        flm_wire_put_number(&w->message, 2, t->place[outermost].address);
        for (size_t at = i + 1; at > 0; at = t->locations.at[at - 1].outer) {
            uint32_t frame = outermost = t->locations.at[at - 1].frame;
            if (!flm_location_has_line(&w->tables, frame))
                continue;
            flm_wire_put_number(&w->inner, 1, t->function_of[frame] + (uint64_t)1);
            flm_wire_put_number(&w->inner, 2, t->place[frame].line);
            flm_wire_put_number(&w->inner, 3, t->place[frame].column);
            flm_wire_put_message(&w->message, 3, &w->inner);
        }
        uint32_t kind = kind_attribute(w, outermost); /* the others are inlined into it */
        if (kind) {
            flm_wire_put_varint(&w->packed, kind);
            flm_wire_put_message(&w->message, 4, &w->packed);
        }
        flm_wire_put_message(&w->dictionary, 2, &w->message);
    }
}

static void write_functions(struct writing *w)
{
    flm_wire_put_message(&w->dictionary, 3, &w->message);
    for (size_t i = 0; i < w->tables.functions.count; i++) {
        const struct flm_written_function *f = &w->tables.functions.at[i];
        flm_wire_put_number(&w->message, 1, f->name);
        flm_wire_put_number(&w->message, 3, f->file);
        flm_wire_put_number(&w->message, 4, f->line);
        flm_wire_put_message(&w->dictionary, 3, &w->message);
    }
}

static void write_stacks(struct writing *w)
{
    flm_wire_put_message(&w->dictionary, 7, &w->message);
    for (uint32_t node = 1; node < w->p->sizes.node_count && !w->dictionary.failed; node++) {
        if (w->stack_of[node] == 0)
            continue;
        for (uint32_t i = node; i != 0; i = w->tables.up[i])
            flm_wire_put_varint(&w->packed, w->tables.location[i] + 1);
        flm_wire_put_message(&w->message, 1, &w->packed);
        flm_wire_put_message(&w->dictionary, 7, &w->message);
    }
}

static void write_dictionary(struct writing *w)
{
    write_mappings(w);
    write_locations(w);
    write_functions(w);
    flm_wire_put_message(&w->dictionary, 4, &w->message);
    write_attributes(w);
    write_stacks(w);
    for (uint32_t i = 0; i < flm_string_table_count(&w->strings) && !w->strings.failed; i++)
        flm_wire_put_bytes(&w->dictionary, 5, flm_string_table_at(&w->strings, i));
}

/* ---- Samples --------------------------------------------------------------------------------- */

static int order_samples(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_profile *p = context;
    if (p->sample_node[a] != p->sample_node[b])
        return p->sample_node[a] < p->sample_node[b] ? -1 : 1;
    if (p->sample_labels[a] != p->sample_labels[b])
        return p->sample_labels[a] < p->sample_labels[b] ? -1 : 1;
    bool has_time = p->sample_time[a] != FLM_NO_TIME, other = p->sample_time[b] != FLM_NO_TIME;
    return has_time - other;
}

static void put_sample(struct writing *w, uint32_t node, uint32_t set)
{
    uint32_t count = 0;
    const uint32_t *labels = NULL;
    if (set != 0) /* a profile without labels has no sets at all */
        labels = flm_profile_label_set(w->p, (struct flm_label_set){set}, &count);
    flm_wire_put_number(&w->message, 1, w->stack_of[node]);
    for (uint32_t i = 0; i < count; i++)
        flm_wire_put_varint(&w->packed, labels[i] + 1);
    if (count > 0)
        flm_wire_put_message(&w->message, 2, &w->packed);
    flm_wire_put_message(&w->message, 4, &w->inner);
}

struct values {
    uint32_t metric;
    double factor;
    struct flm_whole_series series;
};

/* Samples of one node, label set and kind, `order` [from, to): what they sum up to. */
static double put_values(struct writing *w, struct values *of, const uint32_t *order, size_t from,
                         size_t to)
{
    const struct flm_profile *p = w->p;
    struct flm_sample_values values = flm_sample_values(p, of->metric);
    double sum = 0;
    bool has_times = p->sample_time[order[from]] != FLM_NO_TIME, any = false;
    w->inner.size = w->times.size = 0;
    for (size_t i = from; i < to; i++) {
        double value = flm_sample_value_of(&values, order[i]);
        sum += value;
        if (value == 0)
            continue;
        any = true;
        flm_wire_put_varint(&w->inner, (uint64_t)flm_whole_next(&of->series, value * of->factor));
        for (int shift = 0; shift < 64 && has_times; shift += 8)
            flm_text_putc(&w->times, (char)((uint64_t)p->sample_time[order[i]] >> shift));
    }
    if (any) {
        put_sample(w, p->sample_node[order[from]], p->sample_labels[order[from]]);
        if (has_times)
            flm_wire_put_message(&w->message, 5, &w->times);
        flm_wire_put_message(&w->profile, 2, &w->message);
    }
    return sum;
}

static void put_samples(struct writing *w, struct values *of, const uint32_t *order)
{
    const struct flm_profile *p = w->p;
    size_t next = 0, count = p->sizes.sample_count;
    for (uint32_t node = 0; node < p->sizes.node_count && !w->profile.failed; node++) {
        double self = flm_self_column(p, of->metric)[node], taken = 0;
        while (next < count && p->sample_node[order[next]] == node) {
            size_t from = next;
            while (next < count && order_samples(p, order[from], order[next]) == 0)
                next++;
            taken += put_values(w, of, order, from, next);
        }
        int64_t rest = flm_whole_next(&of->series, flm_whole_rest(self, taken) * of->factor);
        if (rest == 0)
            continue;
        flm_wire_put_varint(&w->inner, (uint64_t)rest);
        put_sample(w, node, 0);
        flm_wire_put_message(&w->profile, 2, &w->message);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Notes that people wrote (flamel/notes.h): attributes of the first profile, "note 3f2a91c0". */
static void put_written_notes(struct writing *w)
{
    const struct flm_profile *p = w->p;
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        struct attribute a = {.key = p->notes[i].key, .value = p->notes[i].value};
        if (!flm_note_is_written((struct flm_name){key.at, key.size}))
            continue;
        if (!FLM_ARRAY_ADD(&w->attributes, a))
            w->failed = true;
        flm_wire_put_varint(&w->packed, w->attributes.count);
    }
    if (w->packed.size > 0)
        flm_wire_put_message(&w->profile, 11, &w->packed);
}

static void write_profile(struct writing *w, uint32_t metric, const uint32_t *order)
{
    const struct flm_profile *p = w->p;
    uint32_t rounded;
    struct values values = {.metric = metric, .factor = flm_whole_factor(p, metric, &rounded)};
    int64_t number;
    struct flm_bytes unit = flm_string_bytes(p, p->metrics[metric].unit);
    put_type(w, 1, flm_string_bytes(p, p->metrics[metric].name),
             values.factor == 1 ? unit : flm_bytes_of("ns"));
    put_samples(w, &values, order);
    flm_wire_put_fixed64(&w->profile, 3, (uint64_t)flm_recorded_time(p));
    if (flm_unit_parse(note(w, "duration_ns"), &number, &unit))
        flm_wire_put_number(&w->profile, 4, (uint64_t)number);
    if (flm_unit_parse(note(w, "period"), &number, &unit)) {
        put_type(w, 5, note(w, "period type"), unit);
        flm_wire_put_number(&w->profile, 6, (uint64_t)number);
    }
    if (metric == 0)
        put_written_notes(w);
    flm_wire_put_message(&w->scope, 2, &w->profile);
}

static bool has_value(const struct flm_profile *p, uint32_t node)
{
    bool found = false;
    for (uint32_t m = 0; m < p->sizes.metric_count && !found; m++)
        found = flm_self_column(p, m)[node] != 0;
    return found;
}

static void number_stacks(struct writing *w)
{
    const struct flm_profile *p = w->p;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        w->stack_of[p->sample_node[i]] = 1;
    for (uint32_t node = 1, next = 1; node < p->sizes.node_count; node++)
        if (w->stack_of[node] || has_value(p, node))
            w->stack_of[node] = next++;
    w->stack_of[0] = 0;
}

static bool write_all(struct writing *w)
{
    const struct flm_profile *p = w->p;
    size_t count = p->sizes.sample_count;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    w->stack_of = calloc(p->sizes.node_count, sizeof(uint32_t));
    bool good = order && w->stack_of && make_label_attributes(w);
    for (size_t i = 0; good && i < count; i++)
        order[i] = (uint32_t)i;
    if (good) {
        flm_sort(order, count, order + count, order_samples, p);
        number_stacks(w);
        flm_wire_put_bytes(&w->inner, 1, flm_bytes_of("flamel"));
        flm_wire_put_message(&w->scope, 1, &w->inner);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            write_profile(w, m, order);
        if (p->sizes.metric_count == 0)
            flm_wire_put_message(&w->scope, 2, &w->profile);
        flm_wire_put_message(&w->message, 2, &w->scope);
        flm_wire_put_message(w->out, 1, &w->message);
        write_dictionary(w);
        flm_wire_put_message(w->out, 2, &w->dictionary);
    }
    free(order);
    return good && !w->failed && !w->strings.failed && !w->inner.failed && !w->packed.failed &&
           !w->times.failed;
}

bool flm_otlp_write(const struct flm_profile *p, const struct flm_write_options *options,
                    struct flm_text *out, struct flm_error *why)
{
    (void)options;
    struct writing w = {.p = p, .out = out, .strings = {.profile = p}};
    w.numeric = note(&w, FLM_NOTE_NUMERIC);
    bool made = flm_location_tables_make(&w.tables, p, why);
    w.p = w.tables.p;
    bool good = made && write_all(&w);
    struct flm_text *const texts[] = {&w.dictionary, &w.scope,  &w.profile, &w.message,
                                      &w.inner,      &w.packed, &w.times};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        flm_text_clear(texts[i]);
    free(w.stack_of);
    flm_location_tables_clear(&w.tables);
    flm_string_table_clear(&w.strings);
    FLM_ARRAY_CLEAR(&w.attributes);
    return good || (made && flm_error_memory(why));
}
