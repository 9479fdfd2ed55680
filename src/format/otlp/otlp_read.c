/* otlp_read.c - messages of OTLP to a profile: otlp.h says how, internal.h where. */
#include <string.h>

#include "flamel/notes.h"
#include "format/core/units.h"
#include "format/otlp/internal.h"

static const char older[] = FLM_OTLP_OLDER;

/* ---- Samples --------------------------------------------------------------------------------- */

static void keep_samples(struct flm_otlp_reading *r, struct flm_node node, struct flm_metric metric)
{
    struct flm_builder *b = r->builder;
    struct flm_label_set labels = flm_builder_label_set(b, r->labels.at, r->labels.count / 2);
    size_t times = r->times.count, values = r->values.count;
    size_t count = values > 0 ? values : times;
    if (times > 0 && values > 0 && times != values)
        flm_builder_lost(b, "times of samples that are not one for each value", "", 0,
                         (double)times);
    bool has_times = times == count;
    for (size_t i = 0; i < count && !flm_otlp_stopped(r); i++)
        flm_builder_sample(b,
                           has_times   ? r->times.at[i]
                           : times > 0 ? r->times.at[0]
                                       : FLM_NO_TIME,
                           node, labels, metric,
                           values > 0 ? flm_builder_double(r->builder, r->values.at[i]) : 1);
}

static void count_sample(struct flm_otlp_reading *r, struct flm_node node, struct flm_metric metric)
{
    for (size_t i = 0; i < r->values.count; i++)
        flm_builder_add(r->builder, node, metric, flm_builder_double(r->builder, r->values.at[i]));
    if (r->values.count == 0)
        flm_builder_add(r->builder, node, metric, (double)r->times.count);
}

static void read_values(struct flm_otlp_reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t value;
    while (flm_wire_next_number(&packed, &value))
        if (!FLM_ARRAY_ADD(&r->values, (int64_t)value)) {
            flm_otlp_fail_memory(r);
            return;
        }
}

static void read_times(struct flm_otlp_reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t value;
    while (flm_wire_next_fixed64(&packed, &value))
        if (!FLM_ARRAY_ADD(&r->times, (int64_t)value)) {
            flm_otlp_fail_memory(r);
            return;
        }
}

/* Messages that were made from JSON have no offsets that the user could look up. */
static void lose_sample(struct flm_otlp_reading *r, const char *what, const unsigned char *at)
{
    if (r->is_json)
        flm_builder_lost(r->builder, what, "", 0, 1);
    else
        flm_builder_lost(r->builder, what, "byte", (uint64_t)(at - r->input.begin), 1);
}

static void read_sample(struct flm_otlp_reading *r, struct flm_wire m, struct flm_metric metric)
{
    const unsigned char *start = m.at;
    uint64_t stack = 0, link = 0;
    size_t shared_labels = r->labels.count;
    bool needs_labels = r->keeps_samples || r->options->by_thread, has_attributes = false;
    r->values.count = r->times.count = 0;
    while (!flm_otlp_stopped(r) && flm_wire_next(&m)) {
        if (m.field == 1)
            stack = m.number;
        else if (m.field == 2)
            has_attributes |=
                needs_labels ? flm_otlp_add_attributes(r, &m) : flm_otlp_check_attributes(r, &m);
        else if (m.field == 3 && m.type != FLM_WIRE_VARINT)
            flm_wire_fail(&r->input, m.start, older);
        else if (m.field == 3)
            link = m.number;
        else if (m.field == 4)
            read_values(r, &m);
        else if (m.field == 5 && m.type == FLM_WIRE_VARINT)
            flm_wire_fail(&r->input, m.start, older);
        else if (m.field == 5)
            read_times(r, &m);
    }
    if (has_attributes && r->values.count + r->times.count == 0 && !flm_otlp_stopped(r))
        flm_wire_fail(&r->input, start, older);
    if (r->keeps_samples && link && !flm_otlp_stopped(r))
        flm_otlp_add_link(r, link, start);
    if (!flm_otlp_stopped(r)) {
        uint32_t node = flm_otlp_stack(r, stack, flm_otlp_thread(r), start);
        if (r->values.count + r->times.count == 0)
            lose_sample(r, "samples without values and times", start);
        else if (node == FLM_NONE && !flm_otlp_stopped(r))
            lose_sample(r, "samples without a stack", start);
        else if (!flm_otlp_stopped(r) && r->keeps_samples)
            keep_samples(r, (struct flm_node){node}, metric);
        else if (!flm_otlp_stopped(r))
            count_sample(r, (struct flm_node){node}, metric);
    }
    r->labels.count = shared_labels;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* Type and unit of a ValueType: strings of the builder. */
static struct flm_otlp_metric read_type(struct flm_otlp_reading *r, struct flm_wire m)
{
    struct flm_otlp_metric type = {0};
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            type.name = flm_otlp_string(r, m.number, m.start);
        else if (m.field == 2)
            type.unit = flm_otlp_string(r, m.number, m.start);
    }
    struct flm_bytes unit = flm_unit_named(flm_otlp_text(r, type.unit));
    r->text.size = 0;
    flm_text_add(&r->text, unit);
    type.unit = flm_otlp_text_string(r);
    return type;
}

/* The metric of a type and unit. async-profiler, for one, writes one type in counts and in
 * nanoseconds: the name of the second metric then ends in its unit. */
static uint32_t metric_of(struct flm_otlp_reading *r, struct flm_otlp_metric type)
{
    struct flm_builder *b = r->builder;
    for (size_t i = 0; i < r->metrics.count; i++)
        if (r->metrics.at[i].name == type.name && r->metrics.at[i].unit == type.unit)
            return r->metrics.at[i].metric;
    struct flm_text *text = &r->text;
    for (unsigned i = 1; !flm_otlp_stopped(r); i++) {
        text->size = 0;
        flm_text_add(text, type.name ? flm_otlp_text(r, type.name) : flm_bytes_of("value"));
        if (i > 1 && type.unit) {
            flm_text_putc(text, ' ');
            flm_text_add(text, flm_otlp_text(r, type.unit));
        }
        if (i > 2)
            flm_text_format(text, " %u", i - 1);
        uint32_t count = b->metric_count;
        type.metric = flm_builder_metric_of(b, flm_otlp_text_string(r), type.unit);
        if (b->metric_count == count)
            continue;
        if (!FLM_ARRAY_ADD(&r->metrics, type))
            flm_otlp_fail_memory(r);
        return type.metric;
    }
    return FLM_NONE;
}

/* A file has one value of each of these notes: that of its first profile. */
static void add_notes(struct flm_otlp_reading *r, const struct flm_otlp_metric *period_type,
                      int64_t period, uint64_t time, uint64_t duration)
{
    flm_recorded_note(r->builder, (int64_t)time);
    flm_unit_note(r->builder, "duration_ns", (int64_t)duration, flm_bytes_of(""));
    flm_unit_note(r->builder, "period", period, flm_otlp_text(r, period_type->unit));
    r->text.size = 0;
    flm_text_add(&r->text, flm_otlp_text(r, period_type->name));
    if (r->text.failed)
        flm_otlp_fail_memory(r);
    else if (r->text.size > 0)
        flm_builder_note(r->builder, "period type", r->text.at, r->text.size);
}

/* Whether a field of a Profile has the type of the current draft: see otlp.h. */
static bool is_current(const struct flm_wire *m)
{
    switch (m->field) {
    case 1:
    case 2:
    case 5:
    case 7:
        return m->type == FLM_WIRE_BYTES;
    case 3:
        return m->type == FLM_WIRE_FIXED64;
    case 4:
    case 6:
    case 8:
        return m->type == FLM_WIRE_VARINT;
    default:
        return true;
    }
}

/* Whether an attribute is a note that a person wrote, which is a note of the profile then. */
static bool take_written(struct flm_otlp_reading *r, struct flm_otlp_attribute a)
{
    struct flm_bytes name = flm_otlp_text(r, a.key), value = flm_otlp_text(r, a.value);
    char key[sizeof FLM_NOTE_WRITTEN + FLM_NOTE_ID_SIZE] = "";
    if (!flm_note_is_written((struct flm_name){name.at, name.size}))
        return false;
    memcpy(key, name.at, name.size);
    r->text.size = 0; /* a copy: the note may move the strings */
    flm_text_add(&r->text, value);
    if (r->text.failed)
        flm_otlp_fail_memory(r);
    else
        flm_builder_note(r->builder, key, r->text.at, r->text.size);
    return true;
}

static void read_attributes(struct flm_otlp_reading *r, const struct flm_wire *m, bool needs_labels)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t index;
    while (!flm_otlp_stopped(r) && flm_wire_next_number(&packed, &index)) {
        struct flm_otlp_attribute a = flm_otlp_attribute(r, index, m->start);
        if (a.key != 0 && !take_written(r, a) && needs_labels)
            flm_otlp_add_label(r, a);
    }
}

static void read_profile(struct flm_otlp_reading *r, struct flm_wire profile)
{
    struct flm_wire m = profile, inner;
    struct flm_otlp_metric type = {0}, period_type = {0};
    size_t shared_labels = r->labels.count;
    uint64_t time = 0, duration = 0;
    int64_t period = 0;
    bool needs_labels = r->keeps_samples || r->options->by_thread;
    if (!r->has_dictionary)
        flm_wire_fail(&r->input, m.at, older);
    while (!flm_otlp_stopped(r) && flm_wire_next(&m)) {
        if (!is_current(&m))
            flm_wire_fail(&r->input, m.start, older);
        else if (m.field == 1 && flm_wire_enter(&m, &inner))
            type = read_type(r, inner);
        else if (m.field == 3)
            time = m.number;
        else if (m.field == 4)
            duration = m.number;
        else if (m.field == 5 && flm_wire_enter(&m, &inner))
            period_type = read_type(r, inner);
        else if (m.field == 6)
            period = (int64_t)m.number;
        else if (m.field == 11)
            read_attributes(r, &m, needs_labels);
    }
    if (!flm_otlp_stopped(r)) {
        if (r->profile_count++ == 0)
            add_notes(r, &period_type, period, time, duration);
        uint32_t metric = metric_of(r, type);
        m = profile;
        while (!flm_otlp_stopped(r) && flm_wire_next(&m))
            if (m.field == 2 && flm_wire_enter(&m, &inner))
                read_sample(r, inner, (struct flm_metric){metric});
    }
    r->labels.count = shared_labels;
}

static void read_scope(struct flm_otlp_reading *r, struct flm_wire m)
{
    struct flm_wire inner;
    while (!flm_otlp_stopped(r) && flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &inner))
            read_profile(r, inner);
}

static void read_resource_attributes(struct flm_otlp_reading *r, struct flm_wire m)
{
    struct flm_wire inner;
    while (!flm_otlp_stopped(r) && flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &inner))
            flm_otlp_add_label(r, flm_otlp_read_attribute(r, inner));
}

static void read_resource(struct flm_otlp_reading *r, struct flm_wire resource)
{
    struct flm_wire m = resource, inner;
    r->labels.count = 0;
    while (!flm_otlp_stopped(r) && flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &inner) &&
            (r->keeps_samples || r->options->by_thread))
            read_resource_attributes(r, inner);
    m = resource;
    while (!flm_otlp_stopped(r) && flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &inner))
            read_scope(r, inner);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Whether a profile has attributes, or one of its samples has attributes, a link or times. */
static bool has_labels(struct flm_wire profile)
{
    struct flm_wire sample;
    while (flm_wire_next(&profile)) {
        if (profile.field == 11)
            return true;
        if (profile.field != 2 || !flm_wire_enter(&profile, &sample))
            continue;
        while (flm_wire_next(&sample))
            if (sample.field == 2 || sample.field == 3 || sample.field == 5)
                return true;
    }
    return false;
}

/* Samples are kept one by one only if one has labels or a time: otherwise sums lose nothing. */
static bool has_any_labels(struct flm_wire m)
{
    struct flm_wire resource, inner, profile;
    while (flm_wire_next(&m)) {
        if (m.field != 1 || !flm_wire_enter(&m, &resource))
            continue;
        while (flm_wire_next(&resource)) {
            if (!flm_wire_enter(&resource, &inner))
                continue;
            while (flm_wire_next(&inner))
                if ((resource.field == 1 && inner.field == 1) ||
                    (resource.field == 2 && inner.field == 2 && flm_wire_enter(&inner, &profile) &&
                     has_labels(profile)))
                    return true;
        }
    }
    return false;
}

static void read_message(struct flm_otlp_reading *r, struct flm_bytes message)
{
    struct flm_wire m = flm_wire_of(&r->input, message), inner;
    flm_otlp_find_tables(r, m);
    r->keeps_samples = r->options->keep_times && !flm_otlp_stopped(r) && has_any_labels(m);
    while (!flm_otlp_stopped(r) && flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &inner))
            read_resource(r, inner);
    flm_otlp_clear_tables(r);
}

/* The next message of the input, from `at` on; false at the end and where the input is cut. */
static bool next_message(struct flm_otlp_reading *r, const struct flm_otlp_input *input, size_t *at,
                         struct flm_bytes *message)
{
    struct flm_bytes rest = flm_bytes_from(input->all, *at);
    struct flm_wire m = flm_wire_of(&r->input, rest);
    uint64_t size = rest.size;
    const unsigned char *start = m.at;
    if (rest.size == 0)
        return false;
    if (input->framing == FLM_OTLP_VARINT && !flm_wire_varint(&m, &m.at, &size))
        return false;
    if (input->framing == FLM_OTLP_FIXED) {
        size = 0;
        for (int i = 0; i < 4 && m.at < m.end; i++)
            size = size << 8 | *m.at++;
    }
    if (size > (uint64_t)(m.end - m.at))
        return flm_wire_fail(&r->input, start,
                             "the message is longer than the file (a file that was cut?)");
    *message = (struct flm_bytes){(const char *)m.at, (size_t)size};
    *at += (size_t)(m.at - start) + (size_t)size;
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void clear(struct flm_otlp_reading *r)
{
    flm_otlp_clear_tables(r);
    for (int i = 1; i < FLM_OTLP_TABLES; i++)
        FLM_ARRAY_CLEAR(&r->tables[i].starts);
    FLM_ARRAY_CLEAR(&r->functions);
    FLM_ARRAY_CLEAR(&r->mappings);
    FLM_ARRAY_CLEAR(&r->attributes);
    FLM_ARRAY_CLEAR(&r->frames);
    FLM_ARRAY_CLEAR(&r->metrics);
    FLM_ARRAY_CLEAR(&r->all_mappings);
    FLM_ARRAY_CLEAR(&r->labels);
    FLM_ARRAY_CLEAR(&r->indices);
    FLM_ARRAY_CLEAR(&r->values);
    FLM_ARRAY_CLEAR(&r->times);
    flm_text_clear(&r->text);
}

bool flm_otlp_read(const struct flm_otlp_input *input, const struct flm_read_options *options,
                   struct flm_builder *builder, struct flm_error *why)
{
    struct flm_otlp_reading r = {.input = flm_wire_input_of(input->all),
                                 .builder = builder,
                                 .options = options,
                                 .is_json = input->is_json};
    struct flm_bytes message = {0};
    size_t at = 0, passed = 0;
    bool goes_on = true;
    while (goes_on && !flm_otlp_stopped(&r) && next_message(&r, input, &at, &message)) {
        read_message(&r, message);
        if (input->source)
            goes_on = flm_source_progress(input->source, at - passed, why);
        passed = at;
    }
    if (!flm_otlp_stopped(&r) && goes_on && r.profile_count == 0)
        flm_wire_fail(&r.input, r.input.begin, "no profile is in it");
    if (!flm_otlp_stopped(&r) && goes_on)
        flm_mapping_note(builder, r.all_mappings.at, r.all_mappings.count);
    bool good = goes_on;
    if (good && !r.failed && !flm_builder_failed(builder) && r.input.reason)
        good = input->is_json ? flm_error_set(why, FLM_ERROR_FORMAT, "%s", r.input.reason)
                              : flm_wire_end(&r.input, why);
    clear(&r);
    return good; /* flm_builder_finish reports that memory ran out */
}
