/* pprof_read.c - profile.proto to a profile: pprof.h says how. */
#include <stdlib.h>
#include <string.h>

#include "flamel/notes.h"
#include "format/core/units.h"
#include "format/pprof/internal.h"

/* ---- The profile ----------------------------------------------------------------------------- */

static void read_field(struct flm_pprof_reading *r, const struct flm_wire *m)
{
    bool room = true;
    switch (m->field) {
    case 1:
        room = FLM_ARRAY_ADD(&r->sample_types, m->start);
        break;
    case 2:
        r->sample_count++;
        break;
    case 3:
        room = flm_pprof_table_add(&r->mappings, m);
        break;
    case 4:
        room = flm_pprof_table_add(&r->locations, m);
        break;
    case 5:
        room = flm_pprof_table_add(&r->functions, m);
        break;
    case 6:
        room = m->type != FLM_WIRE_BYTES || FLM_ARRAY_ADD(&r->string_starts, m->start);
        break;
    case 7:
        r->drop_frames = m->number;
        break;
    case 8:
        r->keep_frames = m->number;
        break;
    case 9:
        r->time_ns = (int64_t)m->number;
        break;
    case 10:
        r->duration_ns = (int64_t)m->number;
        break;
    case 11:
        if (m->type == FLM_WIRE_BYTES)
            r->period_type = m->bytes;
        break;
    case 12:
        r->period = (int64_t)m->number;
        break;
    case 13: {
        struct flm_wire numbers = flm_wire_numbers(m);
        uint64_t comment;
        while (room && flm_wire_next_number(&numbers, &comment))
            room = FLM_ARRAY_ADD(&r->comments, comment);
        break;
    }
    case 14:
        r->default_type = m->number;
        break;
    case 15:
        r->documentation = m->number;
        break;
    default:
        break;
    }
    if (!room)
        flm_pprof_fail_memory(r);
}

/* Type and unit of a ValueType. */
static void read_type(struct flm_wire m, uint64_t *type, uint64_t *unit)
{
    *type = *unit = 0;
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            *type = m.number;
        else if (m.field == 2)
            *unit = m.number;
    }
}

/* The number that the next type of this name has, from 1 on; NULL when memory ran out. */
static uint32_t *next_number(struct flm_pprof_reading *r, struct flm_bytes name)
{
    uint32_t string = flm_builder_string(r->builder, name.at, name.size).index;
    for (size_t i = 0; i < r->type_names.count; i++)
        if (r->type_names.at[i].name == string)
            return &r->type_names.at[i].next;
    if (!FLM_ARRAY_ADD(&r->type_names, (struct flm_pprof_type_name){string, 1})) {
        flm_pprof_fail_memory(r);
        return NULL;
    }
    return &r->type_names.at[r->type_names.count - 1].next;
}

/* The metric of a sample type. Two types may have one name; metrics do not. */
static uint32_t make_metric(struct flm_pprof_reading *r, const unsigned char *start)
{
    struct flm_builder *b = r->builder;
    uint64_t type, unit;
    read_type(flm_pprof_message(r, start), &type, &unit);
    struct flm_bytes name = flm_pprof_bytes(r, type, start),
                     unit_name = flm_pprof_bytes(r, unit, start);
    unit_name = flm_unit_named(unit_name);
    uint32_t unit_string = flm_builder_string(b, unit_name.at, unit_name.size).index;
    if (name.size == 0)
        name = flm_bytes_of("value");
    uint32_t *next = next_number(r, name);
    while (next && !flm_builder_failed(b)) {
        uint32_t i = (*next)++;
        r->text.size = 0;
        flm_text_add(&r->text, name);
        if (i > 1)
            flm_text_format(&r->text, " %u", i);
        if (r->text.failed) {
            flm_pprof_fail_memory(r);
            break;
        }
        uint32_t count = b->metric_count;
        uint32_t string = flm_builder_string(b, r->text.at, r->text.size).index;
        uint32_t metric = flm_builder_metric_of(b, string, unit_string);
        if (b->metric_count > count || metric == FLM_NONE)
            return metric;
    }
    return FLM_NONE;
}

/* The type that pprof shows: the one that is named, or the last. */
static size_t find_default(struct flm_pprof_reading *r)
{
    size_t count = r->sample_types.count;
    struct flm_bytes wanted = flm_pprof_bytes(r, r->default_type, r->input.begin);
    for (size_t i = 0; i < count && wanted.size > 0; i++) {
        uint64_t type, unit;
        read_type(flm_pprof_message(r, r->sample_types.at[i]), &type, &unit);
        if (flm_bytes_equal(flm_pprof_bytes(r, type, r->sample_types.at[i]), wanted))
            return i;
    }
    return count - 1;
}

/* The default is the first one of the profile, the others have the order of the file. */
void flm_pprof_make_metrics(struct flm_pprof_reading *r)
{
    size_t count = r->sample_types.count;
    if (count > FLM_MOST_METRICS) {
        flm_wire_fail(&r->input, r->sample_types.at[FLM_MOST_METRICS],
                      "there are more than 4096 sample types");
        return;
    }
    if (count == 0 && r->sample_count > 0)
        flm_wire_fail(&r->input, r->input.begin, "it has samples, but no sample types");
    if (count == 0)
        return;
    if (!FLM_ARRAY_RESERVE(&r->metrics, count)) {
        flm_pprof_fail_memory(r);
        return;
    }
    size_t first = find_default(r);
    r->metrics.count = count;
    r->metrics.at[first] = make_metric(r, r->sample_types.at[first]);
    for (size_t i = 0; i < count; i++)
        if (i != first)
            r->metrics.at[i] = make_metric(r, r->sample_types.at[i]);
}

void *flm_pprof_new_marks(size_t count, size_t size)
{
    void *marks = malloc((count + 1) * size);
    if (marks)
        memset(marks, 0xFF, (count + 1) * size);
    return marks;
}

bool flm_pprof_prepare_tables(struct flm_pprof_reading *r)
{
    r->functions.duplicate = "two functions have the same id (several profiles in one file? "
                             "they are merged by: flamel merge)";
    r->locations.duplicate = "two locations have the same id (several profiles in one file? "
                             "they are merged by: flamel merge)";
    r->mappings.duplicate = "two mappings have the same id (several profiles in one file? "
                            "they are merged by: flamel merge)";
    if (!flm_pprof_table_finish(&r->mappings, &r->input) ||
        !flm_pprof_table_finish(&r->locations, &r->input) ||
        !flm_pprof_table_finish(&r->functions, &r->input))
        return flm_pprof_fail_memory(r);
    r->strings = flm_pprof_new_marks(r->string_starts.count, sizeof *r->strings);
    r->mapping = calloc(r->mappings.ids.count + 1, sizeof *r->mapping);
    if (!r->strings || !r->mapping)
        return flm_pprof_fail_memory(r);
    for (size_t i = 0; i < r->mappings.ids.count; i++)
        r->mapping[i].path = FLM_NONE;
    return true;
}

static void prepare_samples(struct flm_pprof_reading *r)
{
    r->location_frames = flm_pprof_new_marks(r->locations.ids.count, sizeof *r->location_frames);
    r->function = calloc(r->functions.ids.count + 1, sizeof *r->function);
    if (!flm_pprof_prepare_samples(r) || !r->location_frames || !r->function) {
        flm_pprof_fail_memory(r);
        return;
    }
    for (size_t i = 0; i < r->functions.ids.count; i++)
        r->function[i].name = FLM_NONE;
    if (r->string_starts.count > 0 && flm_pprof_bytes(r, 0, r->input.begin).size > 0)
        flm_wire_fail(&r->input, r->string_starts.at[0],
                      "the first string of the table is not empty, as it has to be");
}

/* ---- Notes ----------------------------------------------------------------------------------- */

static void note_string(struct flm_pprof_reading *r, const char *key, uint64_t index)
{
    struct flm_bytes text = flm_pprof_bytes(r, index, r->input.begin);
    if (text.size > 0)
        flm_builder_note(r->builder, key, text.at, text.size);
}

static void note_period(struct flm_pprof_reading *r)
{
    uint64_t type, unit;
    read_type(flm_wire_of(&r->input, r->period_type), &type, &unit);
    struct flm_bytes type_name = flm_pprof_bytes(r, type, r->input.begin);
    struct flm_bytes unit_name = flm_unit_named(flm_pprof_bytes(r, unit, r->input.begin));
    flm_unit_note(r->builder, "period", r->period, unit_name);
    if (r->period == 0 && unit_name.size > 0)
        flm_builder_note(r->builder, "period unit", unit_name.at, unit_name.size);
    if (type_name.size > 0)
        flm_builder_note(r->builder, "period type", type_name.at, type_name.size);
}

/* "note 3f2a91c0 {...}": what a person wrote; false: it is another comment. */
static bool take_written(struct flm_pprof_reading *r, struct flm_bytes comment)
{
    enum { KEY_SIZE = sizeof FLM_NOTE_WRITTEN - 1 + FLM_NOTE_ID_SIZE - 1 };
    char key[KEY_SIZE + 1] = "";
    if (comment.size < KEY_SIZE + 2 || comment.at[KEY_SIZE] != ' ' ||
        comment.at[KEY_SIZE + 1] != '{' ||
        !flm_note_is_written((struct flm_name){comment.at, KEY_SIZE}))
        return false;
    memcpy(key, comment.at, KEY_SIZE);
    flm_builder_note(r->builder, key, comment.at + KEY_SIZE + 1, comment.size - KEY_SIZE - 1);
    return true;
}

static void note_list(struct flm_pprof_reading *r, const char *key, bool numeric)
{
    size_t count = numeric ? r->numeric.count : r->comments.count;
    r->text.size = 0;
    for (size_t i = 0; i < count; i++) {
        struct flm_bytes one = numeric ? flm_interner_text(&r->builder->interner, r->numeric.at[i])
                                       : flm_pprof_bytes(r, r->comments.at[i], r->input.begin);
        if (!numeric && take_written(r, one))
            continue;
        if (r->text.size > 0)
            flm_text_puts(&r->text, numeric ? ", " : "\n");
        flm_text_add(&r->text, one);
    }
    if (r->text.failed)
        flm_pprof_fail_memory(r);
    else if (r->text.size > 0)
        flm_builder_note(r->builder, key, r->text.at, r->text.size);
}

/* Only for the modules of frames. */
static void note_mappings(struct flm_pprof_reading *r)
{
    size_t count = r->mappings.ids.count;
    for (size_t i = 0; i < count; i++)
        if (r->mapping[i].path == FLM_NONE) /* no frame is in it */
            r->mapping[i].path = 0;
    flm_mapping_note(r->builder, r->mapping, count);
}

void flm_pprof_add_notes(struct flm_pprof_reading *r)
{
    static const char all[] = "all metrics";
    flm_builder_note(r->builder, FLM_NOTE_SAMPLE_VALUES, all, sizeof all - 1);
    flm_recorded_note(r->builder, r->time_ns);
    flm_unit_note(r->builder, "duration_ns", r->duration_ns, (struct flm_bytes){"", 0});
    note_period(r);
    note_string(r, "drop frames", r->drop_frames);
    note_string(r, "keep frames", r->keep_frames);
    note_string(r, "documentation", r->documentation);
    note_list(r, "comment", false);
    note_list(r, FLM_NOTE_NUMERIC, true);
    note_mappings(r);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void clear(struct flm_pprof_reading *r)
{
    FLM_ARRAY_CLEAR(&r->string_starts);
    FLM_ARRAY_CLEAR(&r->frames);
    FLM_ARRAY_CLEAR(&r->sample_types);
    FLM_ARRAY_CLEAR(&r->metrics);
    FLM_ARRAY_CLEAR(&r->type_names);
    FLM_ARRAY_CLEAR(&r->comments);
    FLM_ARRAY_CLEAR(&r->ids);
    FLM_ARRAY_CLEAR(&r->previous);
    FLM_ARRAY_CLEAR(&r->previous_nodes);
    FLM_ARRAY_CLEAR(&r->ends);
    FLM_ARRAY_CLEAR(&r->values);
    FLM_ARRAY_CLEAR(&r->path);
    FLM_ARRAY_CLEAR(&r->pairs);
    FLM_ARRAY_CLEAR(&r->numeric);
    flm_text_clear(&r->text);
    flm_pprof_table_clear(&r->mappings);
    flm_pprof_table_clear(&r->locations);
    flm_pprof_table_clear(&r->functions);
    free(r->strings);
    free(r->mapping);
    free(r->function);
    free(r->location_frames);
    free(r->stacks);
    free(r->labels);
    flm_pprof_sums_clear(&r->sums);
}

/* Samples are kept one by one if any has labels: without times and labels, sums say as much. */
static bool has_labels(const struct flm_wire *field)
{
    struct flm_wire sample;
    bool found = false;
    if (flm_wire_enter(field, &sample))
        while (!found && flm_wire_next(&sample))
            found = sample.field == 3;
    return found;
}

/* Tells the source of what was passed, every 4 MB, once: the second pass may go on where the first
 * was. False when nobody wants the profile any more. */
static bool goes_on(struct flm_pprof_reading *r, struct flm_source *source, const unsigned char *at,
                    struct flm_error *why)
{
    enum { STEP = 1 << 22 };
    size_t passed = (size_t)(at - r->input.begin);
    if (passed < r->reported + STEP)
        return true;
    size_t more = passed - r->reported;
    r->reported = passed;
    return flm_source_progress(source, more, why);
}

/* The tables, and the samples where they can be added up at once. */
static bool collect(struct flm_pprof_reading *r, struct flm_source *source, struct flm_error *why)
{
    struct flm_wire m = flm_wire_all(&r->input);
    bool good = true;
    r->sums.ended = r->options->by_thread;
    while (good && !r->failed && flm_wire_next(&m)) {
        read_field(r, &m);
        if (m.field != 2)
            continue;
        if (!r->sums.ended && flm_pprof_sum_sample(r, &m)) {
            good = goes_on(r, source, m.at, why);
            continue;
        }
        if (r->options->keep_times && !r->has_labels && has_labels(&m)) {
            r->has_labels = true;
            flm_pprof_sums_clear(&r->sums);
        }
    }
    flm_pprof_sum_batch(r);
    /* A sample type that stands after the last sample, which its sums have no room for. */
    if (r->sums.slots && r->sums.type_count != r->sample_types.count)
        flm_pprof_sums_clear(&r->sums);
    return good;
}

static bool read_samples(struct flm_pprof_reading *r, struct flm_source *source,
                         struct flm_error *why)
{
    struct flm_wire m = flm_wire_all(&r->input);
    bool good = true;
    while (good && !flm_pprof_stopped(r) && flm_wire_next(&m)) {
        if (m.field != 2)
            continue;
        flm_pprof_read_sample(r, &m);
        good = goes_on(r, source, m.at, why);
    }
    if (good && !flm_pprof_stopped(r))
        flm_pprof_use_samples(r);
    return good;
}

bool flm_pprof_read(struct flm_source *source, const struct flm_read_options *options,
                    struct flm_builder *builder, struct flm_error *why)
{
    if (!flm_source_all(source, why))
        return false;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    struct flm_pprof_reading r = {
        .input = flm_wire_input_of(all), .builder = builder, .options = options};
    bool good = collect(&r, source, why);
    if (good && !flm_pprof_stopped(&r) && flm_pprof_prepare_tables(&r))
        prepare_samples(&r);
    if (good && !flm_pprof_stopped(&r))
        flm_pprof_make_metrics(&r);
    if (good && !flm_pprof_stopped(&r) && !r.sums.ended)
        flm_pprof_use_sums(&r);
    else if (good && !flm_pprof_stopped(&r))
        good = read_samples(&r, source, why);
    if (good && !flm_pprof_stopped(&r))
        flm_pprof_add_notes(&r);
    source->at = source->end;
    good = good && (r.failed || flm_builder_failed(builder) || flm_wire_end(&r.input, why));
    clear(&r);
    return good; /* flm_builder_finish reports that memory ran out */
}

struct flm_profile *flm_pprof_read_unordered(struct flm_source *source,
                                             const struct flm_read_options *options)
{
    enum { MOST_SIZE = 1 << 22 }; /* larger ones are rare, and may need progress */
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    if (all.size > MOST_SIZE || options->keep_times || options->by_thread || options->locations ||
        options->lines)
        return NULL;
    struct flm_pprof_reading r = {
        .input = flm_wire_input_of(all), .builder = flm_builder_new(NULL), .options = options};
    struct flm_profile *p = NULL;
    if (r.builder && collect(&r, source, NULL) && !flm_pprof_stopped(&r))
        p = flm_pprof_make_unordered(&r);
    else
        flm_builder_free(r.builder);
    if (p)
        source->at = source->end;
    clear(&r);
    return p;
}
