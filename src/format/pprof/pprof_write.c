/* pprof_write.c - a profile as profile.proto.
 *
 * The strings of the profile are the table of strings, with the same indices; a few more follow
 * them. A location is a frame with the frames that are inlined into it, so stacks that begin alike
 * share locations as they share nodes:
 *
 *     nodes       main   parse   lex (inlined)   read        up[i]: the node below which the
 *     location    1      2       3: lex, parse   4           location of node i begins
 *
 * pprof shows the last sample type unless it is told otherwise; the profile's first metric is
 * written last, and named as the default too. Values are whole numbers there: fractions of times
 * are written in nanoseconds, others are rounded, and a comment says how many.
 * Single samples are written where they have labels, those of one stack and the same labels as one;
 * times are written if the profile had them from pprof. */
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "format/core/mapped.h"
#include "format/pprof/pprof.h"
#include "format/protobuf/wire_write.h"
#include "profile/columns.h"

struct mapping {
    struct flm_mapped range;
    uint32_t module; /* string */
    bool has_unsymbolized;
};

struct function {
    uint32_t name, file, line;
    bool has_lines; /* its frames have several: those that ran */
};

/* A frame, and the location that it is inlined into, as an index + 1; 0: into none. */
struct location {
    uint32_t frame, outer;
};

struct writing {
    const struct flm_profile *p;
    struct flm_text *out, message, inner;
    uint32_t *location, *up; /* by node */

    struct FLM_ARRAY(struct location) locations;
    struct flm_index location_index;
    struct FLM_ARRAY(struct function) functions;
    struct flm_index function_index;
    uint32_t *function_of; /* by frame: index */
    struct FLM_ARRAY(struct mapping) mappings;
    uint32_t *mapping_of; /* by frame: index + 1; 0: none */

    struct FLM_ARRAY(struct flm_bytes) strings; /* behind those of the profile */
    struct flm_bytes numeric;                   /* FLM_NOTE_NUMERIC */
    double *factor;                             /* by metric: 1, or of a time to nanoseconds */
    struct flm_text rounded;                    /* the comment on values that were rounded */
    bool has_times;
};

/* ---- Strings --------------------------------------------------------------------------------- */

static struct flm_bytes note(const struct writing *w, const char *key)
{
    struct flm_name value = flm_profile_note_named(w->p, key);
    return (struct flm_bytes){value.at ? value.at : "", value.size};
}

/* The index of a text that lives as long as the writing. */
static uint64_t string_of(struct writing *w, struct flm_bytes text)
{
    const struct flm_profile *p = w->p;
    uint32_t low = 0, high = p->sizes.string_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = flm_bytes_compare(flm_string_bytes(p, middle), text);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t i = 0;
    while (i < w->strings.count && !flm_bytes_equal(w->strings.at[i], text))
        i++;
    if (i == w->strings.count && !FLM_ARRAY_ADD(&w->strings, text))
        w->message.failed = true;
    return p->sizes.string_count + i;
}

/* Of a unit as pprof spells it. */
static uint64_t unit_of(struct writing *w, uint32_t unit)
{
    static const char *const names[][2] = {
        {"ns", "nanoseconds"}, {"us", "microseconds"}, {"ms", "milliseconds"}, {"s", "seconds"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flm_bytes_are(flm_string_bytes(w->p, unit), names[i][0]))
            return string_of(w, flm_bytes_of(names[i][1]));
    return unit;
}

static int64_t whole(double value)
{
    if (!(value > -9223372036854775808.0))
        return INT64_MIN;
    if (value >= 9223372036854775808.0)
        return INT64_MAX;
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

static uint32_t count_fractions(const double *values, uint32_t count)
{
    uint32_t fractions = 0;
    for (uint32_t i = 0; i < count; i++)
        fractions += values[i] < 9007199254740992.0 && values[i] > -9007199254740992.0 &&
                     (double)whole(values[i]) != values[i];
    return fractions;
}

/* Times that have fractions are in nanoseconds, as long as these fit. */
static void choose_factors(struct writing *w)
{
    const struct {
        const char *unit;
        double factor;
    } times[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const struct flm_profile *p = w->p;
    double rounded = 0;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        w->factor[m] = 1;
        uint32_t fractions = count_fractions(flm_self_column(p, m), p->sizes.node_count);
        uint32_t of_samples = 0;
        if (p->sizes.sample_count > 0)
            of_samples = count_fractions(flm_sample_column(p, m), p->sizes.sample_count);
        if (fractions + of_samples == 0)
            continue;
        double total = flm_profile_total(p, (struct flm_metric){m});
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            if (flm_bytes_are(flm_string_bytes(p, p->metrics[m].unit), times[i].unit) &&
                total * times[i].factor < 4611686018427387904.0)
                w->factor[m] = times[i].factor;
        if (w->factor[m] == 1)
            rounded += fractions > of_samples ? fractions : of_samples;
    }
    if (rounded > 0)
        flm_text_format(&w->rounded, "flamel: values rounded to whole numbers: %llu",
                        (unsigned long long)rounded);
}

/* ---- Functions, mappings, locations ---------------------------------------------------------- */

static bool add_function(struct writing *w, uint32_t frame)
{
    const struct flm_frame_record *f = &w->p->frames[frame];
    uint32_t hash = flm_hash_numbers(f->function, f->file);
    for (struct flm_probe at = flm_index_probe(&w->function_index, hash);
         flm_index_next(&w->function_index, &at);) {
        struct function *known = &w->functions.at[at.found];
        if (known->name == f->function && known->file == f->file) {
            known->has_lines = known->has_lines || known->line != f->line;
            w->function_of[frame] = at.found;
            return true;
        }
    }
    w->function_of[frame] = (uint32_t)w->functions.count;
    return flm_index_add(&w->function_index, hash, (uint32_t)w->functions.count) &&
           FLM_ARRAY_ADD(&w->functions, (struct function){f->function, f->file, f->line, false});
}

/* The mappings of a module, from its note; one without addresses, where it has none. */
static bool add_mappings(struct writing *w, uint32_t module)
{
    struct flm_text key = {0};
    flm_text_puts(&key, FLM_NOTE_MAPPED);
    flm_text_add(&key, flm_string_bytes(w->p, module));
    flm_text_putc(&key, 0);
    if (key.failed)
        return false;
    struct flm_bytes value = note(w, key.at), id = flm_mapped_id(value);
    flm_text_clear(&key);
    struct flm_mapped range;
    size_t before = w->mappings.count;
    while (flm_mapped_next(&value, &range)) {
        range.build_id = id;
        if (!FLM_ARRAY_ADD(&w->mappings, (struct mapping){range, module, false}))
            return false;
    }
    return w->mappings.count > before ||
           FLM_ARRAY_ADD(&w->mappings, (struct mapping){{.build_id = id}, module, false});
}

/* The program comes first: pprof takes the first mapping for it. */
static bool is_program(const struct flm_profile *p, uint32_t module)
{
    struct flm_bytes path = flm_string_bytes(p, module);
    return path.size > 0 && path.at[0] != '[' && !flm_bytes_contain(path, ".so");
}

static bool make_mappings(struct writing *w)
{
    const struct flm_profile *p = w->p;
    unsigned char *used = calloc(p->sizes.string_count, 1);
    uint32_t *first = calloc(p->sizes.string_count, sizeof *first); /* index + 1 */
    bool good = used && first;
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++)
        used[p->frames[i].module] = p->frames[i].module != 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; good && i < p->sizes.string_count; i++) {
            if (!used[i] || is_program(p, i) != (round == 0))
                continue;
            first[i] = (uint32_t)w->mappings.count + 1;
            good = add_mappings(w, i);
        }
    }
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &p->frames[i];
        w->mapping_of[i] = f->module ? first[f->module] : 0;
        for (size_t m = w->mapping_of[i]; m > 0 && m <= w->mappings.count; m++) {
            const struct mapping *mapping = &w->mappings.at[m - 1];
            if (mapping->module != f->module)
                break;
            if (mapping->range.start <= f->address && f->address < mapping->range.limit) {
                w->mapping_of[i] = (uint32_t)m;
                break;
            }
        }
        if (w->mapping_of[i] && f->flags & FLM_FRAME_UNSYMBOLIZED)
            w->mappings.at[w->mapping_of[i] - 1].has_unsymbolized = true;
    }
    free(used);
    free(first);
    return good;
}

/* The index of a location, or FLM_NONE. */
static uint32_t find_location(struct writing *w, struct location wanted)
{
    uint32_t hash = flm_hash_numbers(wanted.frame, wanted.outer);
    for (struct flm_probe at = flm_index_probe(&w->location_index, hash);
         flm_index_next(&w->location_index, &at);) {
        const struct location *known = &w->locations.at[at.found];
        if (known->frame == wanted.frame && known->outer == wanted.outer)
            return at.found;
    }
    uint32_t index = (uint32_t)w->locations.count;
    return FLM_ARRAY_ADD(&w->locations, wanted) && flm_index_add(&w->location_index, hash, index)
               ? index
               : FLM_NONE;
}

static bool make_locations(struct writing *w)
{
    const struct flm_profile *p = w->p;
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    if (!parent)
        return false;
    flm_profile_parents(p, parent);
    bool good = true;
    w->location[0] = w->up[0] = FLM_NONE;
    for (uint32_t i = 1; good && i < p->sizes.node_count; i++) {
        uint32_t frame = p->node_frame[i], above = parent[i];
        bool inlined = p->frames[frame].kind == FLM_KIND_INLINED && above != 0;
        w->location[i] =
            find_location(w, (struct location){frame, inlined ? w->location[above] + 1 : 0});
        w->up[i] = inlined ? w->up[above] : above;
        good = w->location[i] != FLM_NONE;
    }
    free(parent);
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++)
        good = add_function(w, i);
    return good && make_mappings(w);
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

/* "4096 bytes" is a number and its unit; false for what is none. */
static bool parse_number(struct flm_bytes text, int64_t *number, struct flm_bytes *unit)
{
    bool negative = text.size > 1 && text.at[0] == '-';
    uint64_t digits;
    size_t size = negative;
    while (size < text.size && text.at[size] >= '0' && text.at[size] <= '9')
        size++;
    if (!flm_number_parse_uint((struct flm_bytes){text.at + negative, size - negative}, &digits) ||
        digits > (uint64_t)INT64_MAX + negative || (size < text.size && text.at[size] != ' '))
        return false;
    *number = (int64_t)(negative ? 0 - digits : digits);
    *unit = size < text.size ? flm_bytes_from(text, size + 1) : (struct flm_bytes){"", 0};
    return true;
}

static bool is_numeric(const struct writing *w, struct flm_bytes key)
{
    struct flm_bytes left = w->numeric;
    while (left.size > 0) {
        size_t end = 0;
        while (end < left.size && !flm_bytes_start_with(flm_bytes_from(left, end), ", "))
            end++;
        if (flm_bytes_equal((struct flm_bytes){left.at, end}, key))
            return true;
        left = flm_bytes_from(left, end + 2 < left.size ? end + 2 : left.size);
    }
    return false;
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
        if (is_numeric(w, flm_string_bytes(w->p, label.key)) &&
            parse_number(text, &number, &unit)) {
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
static void put_values(struct writing *w, const double *values)
{
    uint32_t count = w->p->sizes.metric_count;
    for (uint32_t m = 1; m <= count; m++)
        flm_wire_put_varint(&w->inner, (uint64_t)whole(values[m % count] * w->factor[m % count]));
    flm_wire_put_message(&w->message, 2, &w->inner);
}

static void put_sample(struct writing *w, uint32_t node, const double *values, uint32_t label_set,
                       int64_t time_ns)
{
    for (uint32_t i = node; i != 0; i = w->up[i])
        flm_wire_put_varint(&w->inner, w->location[i] + 1);
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
static void put_samples(struct writing *w, const uint32_t *order, double *values, double *rest)
{
    const struct flm_profile *p = w->p;
    uint32_t metrics = p->sizes.metric_count, next = 0;
    for (uint32_t node = 0; node < p->sizes.node_count && !w->out->failed; node++) {
        bool has_rest = false;
        for (uint32_t m = 0; m < metrics; m++)
            rest[m] = flm_self_column(p, m)[node];
        while (next < p->sizes.sample_count && p->sample_node[order[next]] == node) {
            uint32_t first = order[next];
            memset(values, 0, metrics * sizeof *values);
            do {
                for (uint32_t m = 0; m < metrics; m++)
                    values[m] += flm_sample_column(p, m)[order[next]];
                next++;
            } while (!w->has_times && next < p->sizes.sample_count &&
                     order_samples(p, first, order[next]) == 0);
            for (uint32_t m = 0; m < metrics; m++)
                rest[m] -= values[m];
            put_sample(w, node, values, p->sample_labels[first], p->sample_time[first]);
        }
        for (uint32_t m = 0; m < metrics; m++)
            has_rest = has_rest || whole(rest[m] * w->factor[m]) != 0;
        if (has_rest)
            put_sample(w, node, rest, 0, FLM_NO_TIME);
    }
}

static bool write_samples(struct writing *w)
{
    const struct flm_profile *p = w->p;
    size_t count = p->sizes.sample_count, metrics = p->sizes.metric_count;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    double *values = malloc((2 * metrics + 1) * sizeof *values);
    bool good = order && values;
    for (size_t i = 0; good && i < count; i++)
        order[i] = (uint32_t)i;
    if (good) {
        flm_sort(order, count, order + count, order_samples, p);
        put_samples(w, order, values, values + metrics);
    }
    free(order);
    free(values);
    return good;
}

static void write_types(struct writing *w)
{
    const struct flm_profile *p = w->p;
    uint32_t count = p->sizes.metric_count;
    for (uint32_t m = 1; m <= count; m++) {
        const struct flm_metric_record *metric = &p->metrics[m % count];
        uint64_t unit = w->factor[m % count] == 1 ? unit_of(w, metric->unit)
                                                  : string_of(w, flm_bytes_of("nanoseconds"));
        put_type(w, 1, metric->name, unit);
    }
}

static void write_mappings(struct writing *w)
{
    for (size_t i = 0; i < w->mappings.count; i++) {
        const struct mapping *m = &w->mappings.at[i];
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

/* Whether pprof makes up the same name: then there is no line, and pprof may look it up. */
static bool is_address(const struct writing *w, uint32_t frame)
{
    const struct flm_frame_record *f = &w->p->frames[frame];
    struct flm_bytes name = flm_frame_function(w->p, frame);
    uint64_t address;
    if (f->flags & FLM_FRAME_UNSYMBOLIZED && f->address == 0 && flm_bytes_are(name, "[unknown]"))
        return true;
    return f->flags & FLM_FRAME_UNSYMBOLIZED && flm_bytes_start_with(name, "0x") &&
           flm_number_parse_hex(flm_bytes_from(name, 2), &address) && address == f->address;
}

static void write_locations(struct writing *w)
{
    for (size_t i = 0; i < w->locations.count; i++) {
        uint32_t frame = w->locations.at[i].frame;
        flm_wire_put_number(&w->message, 1, i + 1);
        flm_wire_put_number(&w->message, 2, w->mapping_of[frame]);
        flm_wire_put_number(&w->message, 3, w->p->frames[frame].address);
        for (size_t at = i + 1; at > 0; at = w->locations.at[at - 1].outer) {
            frame = w->locations.at[at - 1].frame;
            if (is_address(w, frame))
                continue;
            flm_wire_put_number(&w->inner, 1, w->function_of[frame] + (uint64_t)1);
            flm_wire_put_number(&w->inner, 2, w->p->frames[frame].line);
            flm_wire_put_message(&w->message, 4, &w->inner);
        }
        put(w, 4);
    }
}

static void write_functions(struct writing *w)
{
    for (size_t i = 0; i < w->functions.count; i++) {
        const struct function *f = &w->functions.at[i];
        flm_wire_put_number(&w->message, 1, i + 1);
        flm_wire_put_number(&w->message, 2, f->name);
        flm_wire_put_number(&w->message, 3, f->name);
        flm_wire_put_number(&w->message, 4, f->file);
        flm_wire_put_number(&w->message, 5, f->has_lines ? 0 : f->line);
        put(w, 5);
    }
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void write_number(struct writing *w, uint32_t field, const char *key)
{
    struct flm_bytes unit;
    int64_t number;
    if (parse_number(note(w, key), &number, &unit))
        flm_wire_put_number(w->out, field, (uint64_t)number);
}

static void write_string(struct writing *w, uint32_t field, const char *key)
{
    if (note(w, key).size > 0)
        flm_wire_put_number(w->out, field, string_of(w, note(w, key)));
}

static void write_period(struct writing *w)
{
    static const char *const units[][2] = {
        {"ns", "nanoseconds"}, {"us", "microseconds"}, {"ms", "milliseconds"}, {"s", "seconds"}};
    struct flm_bytes unit;
    int64_t number;
    if (!parse_number(note(w, "period"), &number, &unit))
        return;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (flm_bytes_are(unit, units[i][0]))
            unit = flm_bytes_of(units[i][1]);
    put_type(w, 11, string_of(w, note(w, "period type")), string_of(w, unit));
    flm_wire_put_number(w->out, 12, (uint64_t)number);
}

static void write_comments(struct writing *w)
{
    struct flm_bytes left = note(w, "comment");
    while (left.size > 0) {
        size_t end = 0;
        while (end < left.size && left.at[end] != '\n')
            end++;
        flm_wire_put_varint(w->out, 13 << 3);
        flm_wire_put_varint(w->out, string_of(w, (struct flm_bytes){left.at, end}));
        left = flm_bytes_from(left, end < left.size ? end + 1 : end);
    }
    if (w->rounded.size > 0) {
        flm_wire_put_varint(w->out, 13 << 3);
        flm_wire_put_varint(w->out,
                            string_of(w, (struct flm_bytes){w->rounded.at, w->rounded.size}));
    }
}

static void write_facts(struct writing *w)
{
    write_string(w, 7, "drop frames");
    write_string(w, 8, "keep frames");
    write_number(w, 9, "time_ns");
    write_number(w, 10, "duration_ns");
    write_period(w);
    write_comments(w);
    if (w->p->sizes.metric_count > 0)
        flm_wire_put_number(w->out, 14, w->p->metrics[0].name);
    write_string(w, 15, "documentation");
}

static void write_strings(struct writing *w)
{
    for (uint32_t i = 0; i < w->p->sizes.string_count; i++)
        flm_wire_put_bytes(w->out, 6, flm_string_bytes(w->p, i));
    for (size_t i = 0; i < w->strings.count; i++)
        flm_wire_put_bytes(w->out, 6, w->strings.at[i]);
}

static bool write_all(struct writing *w)
{
    if (!make_locations(w))
        return false;
    choose_factors(w);
    write_types(w);
    if (!write_samples(w))
        return false;
    write_mappings(w);
    write_locations(w);
    write_functions(w);
    write_facts(w);
    write_strings(w);
    return !w->message.failed && !w->inner.failed && !w->rounded.failed;
}

bool flm_pprof_write(const struct flm_profile *p, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    (void)options;
    struct writing w = {
        .p = p,
        .out = out,
        .location = malloc(p->sizes.node_count * sizeof(uint32_t)),
        .up = malloc(p->sizes.node_count * sizeof(uint32_t)),
        .function_of = calloc(p->sizes.frame_count, sizeof(uint32_t)),
        .mapping_of = calloc(p->sizes.frame_count, sizeof(uint32_t)),
        .factor = calloc((size_t)p->sizes.metric_count + 1, sizeof(double)),
    };
    w.numeric = note(&w, FLM_NOTE_NUMERIC);
    w.has_times = is_numeric(&w, flm_bytes_of(FLM_PPROF_TIME));
    bool good = w.location && w.up && w.function_of && w.mapping_of && w.factor && write_all(&w);
    free(w.location);
    free(w.up);
    free(w.function_of);
    free(w.mapping_of);
    free(w.factor);
    flm_text_clear(&w.rounded);
    flm_text_clear(&w.message);
    flm_text_clear(&w.inner);
    FLM_ARRAY_CLEAR(&w.locations);
    FLM_ARRAY_CLEAR(&w.functions);
    FLM_ARRAY_CLEAR(&w.mappings);
    FLM_ARRAY_CLEAR(&w.strings);
    flm_index_clear(&w.location_index);
    flm_index_clear(&w.function_index);
    return good || flm_error_memory(why);
}
