/* info.c - the contents of a profile: metrics with their totals, sizes, samples and labels;
 * missing symbols, lost samples. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/aggregate/summary.h"
#include "algebra/compare/comparable.h"
#include "base/number/number.h"
#include "base/text/versioned.h"
#include "draw/text/note_subject.h"
#include "draw/text/quantity.h"
#include "report/core/blocks.h"

struct info {
    struct flm_report *report;
    uint32_t *marker_counts; /* by string: how many markers have that name */
    const struct flm_report_options *options;
    const struct flm_profile *profile;
    struct flm_summary summary;
};

static struct flm_bytes string(const struct info *info, uint32_t index)
{
    return flm_string_bytes(info->profile, index);
}

static struct flm_bytes source_of(const struct info *info)
{
    return flm_bytes_of(info->options->source ? info->options->source : "");
}

/* ---- Metrics --------------------------------------------------------------------------------- */

/* The unit as people need it: none where the name says it. */
static struct flm_bytes seen_unit(const struct info *info, uint32_t metric)
{
    struct flm_bytes name = string(info, info->profile->metrics[metric].name);
    struct flm_bytes unit = string(info, info->profile->metrics[metric].unit);
    if (flm_bytes_are(unit, "count") || flm_bytes_equal(unit, name))
        unit.size = 0;
    return unit;
}

/* Whether the exact value says more than the rounded one, so deserves a column. */
static bool any_rounded(const struct info *info)
{
    struct flm_text rounded = {0}, exact = {0};
    bool any = false;
    for (uint32_t m = 0; m < info->profile->sizes.metric_count; m++) {
        rounded.size = exact.size = 0;
        struct flm_bytes unit = string(info, info->profile->metrics[m].unit);
        flm_quantity_add(&rounded, info->summary.metric[m].total, unit);
        flm_quantity_add_exact(&exact, info->summary.metric[m].total, unit);
        any = any || !flm_bytes_equal((struct flm_bytes){rounded.at, rounded.size},
                                      (struct flm_bytes){exact.at, exact.size});
    }
    flm_text_clear(&rounded);
    flm_text_clear(&exact);
    return any;
}

static void add_metric_columns(const struct info *info)
{
    static const char *const kinds[FLM_KIND_COUNT] = {
        "kinds.plain",     "kinds.native",      "kinds.kernel", "kinds.inlined", "kinds.jit",
        "kinds.jit_tier1", "kinds.interpreted", "kinds.gpu",    "kinds.waker",   "kinds.label"};
    struct flm_report *report = info->report;
    flm_report_add_column(report, "file", FLM_IN_CSV);
    size_t name = flm_report_add_column(report, "name", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "unit", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "total", FLM_IN_PROGRAMS);
    size_t stacks = flm_report_add_column(report, "stacks", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "unsymbolized", FLM_IN_PROGRAMS);
    for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++) {
        assert(strcmp(kinds[kind] + 6, flm_kind_name(kind)) == 0);
        flm_report_add_column(report, kinds[kind], FLM_IN_PROGRAMS);
    }
    size_t total = flm_report_add_column(report, "seen_total", 0);
    size_t exactly = flm_report_add_column(report, "seen_exactly", 0);
    const struct flm_report_view views[] = {
        {.heading = "metric", .column = name, .kind = FLM_COLUMN_TEXT},
        {.heading = "stacks",
         .column = stacks,
         .format = FLM_VIEW_AS_COUNT,
         .kind = FLM_COLUMN_NUMBER},
        {.heading = "total", .column = total, .kind = FLM_COLUMN_NUMBER},
        {.heading = "exactly", .column = exactly, .kind = FLM_COLUMN_NUMBER, .leave_out = 1}};
    for (size_t i = 0; i < 3 + (size_t)any_rounded(info); i++)
        flm_report_add_view(report, views[i]);
}

static void add_metrics(const struct info *info)
{
    struct flm_report *report = info->report;
    flm_report_begin_table(report, "metrics", FLM_IN_ALL, true);
    add_metric_columns(info);
    for (uint32_t m = 0; m < info->profile->sizes.metric_count; m++) {
        const struct flm_metric_summary *s = &info->summary.metric[m];
        flm_report_begin_row(report, 0, FLM_IN_ALL);
        flm_report_cell_bytes(report, source_of(info));
        flm_report_cell_bytes(report, string(info, info->profile->metrics[m].name));
        flm_report_cell_bytes(report, string(info, info->profile->metrics[m].unit));
        flm_report_cell_number(report, s->total);
        flm_report_cell_number(report, s->stack_count);
        flm_report_cell_number(report, s->unsymbolized);
        for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++)
            if (s->kinds[kind] != 0)
                flm_report_cell_number(report, s->kinds[kind]);
            else
                flm_report_cell_absent(report);
        flm_quantity_add(flm_report_cell_text(report), s->total, seen_unit(info, m));
        flm_quantity_add_exact(flm_report_cell_text(report), s->total, seen_unit(info, m));
    }
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void add_samples(const struct info *info)
{
    const struct flm_summary *s = &info->summary;
    flm_report_begin(info->report, "samples", FLM_JSON_OBJECT_LINE);
    flm_report_add_number(info->report, "count", info->profile->sizes.sample_count);
    flm_report_add_number(info->report, "timed", s->timed_samples);
    if (s->timed_samples > 0) {
        flm_report_add_number(info->report, "first_ns", (double)s->first_ns);
        flm_report_add_number(info->report, "last_ns", (double)s->last_ns);
    } else {
        flm_report_add_null(info->report, "first_ns");
        flm_report_add_null(info->report, "last_ns");
    }
    flm_report_end(info->report);
    flm_report_begin_table(info->report, "labels", FLM_IN_JSON, false);
    flm_report_add_column(info->report, "key", FLM_IN_JSON);
    flm_report_add_column(info->report, "values", FLM_IN_JSON);
    for (uint32_t i = 0; i < s->label_key_count; i++) {
        flm_report_begin_row(info->report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(info->report, string(info, s->label_key[i].key));
        flm_report_cell_number(info->report, s->label_key[i].value_count);
    }
}

static void add_markers(const struct info *info)
{
    const struct flm_profile *p = info->profile;
    flm_report_begin_table(info->report, "markers", FLM_IN_JSON, false);
    flm_report_add_column(info->report, "name", FLM_IN_JSON);
    flm_report_add_column(info->report, "count", FLM_IN_JSON);
    for (uint32_t i = 0; i < p->sizes.string_count; i++) {
        if (info->marker_counts[i] == 0)
            continue;
        flm_report_begin_row(info->report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(info->report, string(info, i));
        flm_report_cell_number(info->report, info->marker_counts[i]);
    }
    flm_report_begin_table(info->report, "counters", FLM_IN_JSON, false);
    flm_report_add_column(info->report, "name", FLM_IN_JSON);
    flm_report_add_column(info->report, "unit", FLM_IN_JSON);
    flm_report_add_column(info->report, "points", FLM_IN_JSON);
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        struct flm_counter_points counter = flm_profile_counter(p, (struct flm_counter){i});
        flm_report_begin_row(info->report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(info->report, string(info, counter.name.index));
        flm_report_cell_bytes(info->report, string(info, counter.unit.index));
        flm_report_cell_number(info->report, counter.point_count);
    }
}

static void add_losses(const struct info *info)
{
    const struct flm_profile *p = info->profile;
    flm_report_begin_table(info->report, "lost", FLM_IN_JSON, false);
    flm_report_add_column(info->report, "what", FLM_IN_JSON);
    flm_report_add_column(info->report, "count", FLM_IN_JSON);
    flm_report_add_column(info->report, "first_at", FLM_IN_JSON);
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        flm_report_begin_row(info->report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(info->report, string(info, p->losses[i].what));
        flm_report_cell_number(info->report, p->losses[i].count);
        flm_report_cell_bytes(info->report, string(info, p->losses[i].where));
    }
}

static void add_notes(const struct info *info)
{
    const struct flm_profile *p = info->profile;
    flm_report_begin_table(info->report, "notes", FLM_IN_JSON, false);
    flm_report_add_column(info->report, "key", FLM_IN_JSON);
    flm_report_add_column(info->report, "value", FLM_IN_JSON);
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        if (flm_bytes_start_with(string(info, p->notes[i].key), FLM_NOTE_JIT_CODE))
            continue;
        flm_report_begin_row(info->report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(info->report, string(info, p->notes[i].key));
        flm_report_cell_bytes(info->report, string(info, p->notes[i].value));
    }
}

static void add_facts(const struct info *info)
{
    const struct flm_sizes *sizes = &info->profile->sizes;
    flm_report_add_number(info->report, "nodes", sizes->node_count - 1);
    flm_report_add_number(info->report, "frames", sizes->frame_count - 1);
    flm_report_add_number(info->report, "strings", sizes->string_count - 1);
    flm_report_add_number(info->report, "depth", info->summary.depth);
    flm_report_add_number(info->report, "unsymbolized_frames", info->summary.unsymbolized_frames);
}

/* ---- For people ------------------------------------------------------------------------------ */

/* The next row of the list, with its name; its value is added to the text. */
static struct flm_text *row(const struct info *info, struct flm_bytes name)
{
    flm_report_begin_row(info->report, 0, FLM_IN_PEOPLES);
    flm_report_cell_bytes(info->report, name);
    flm_report_cell_tone(info->report, FLM_TONE_MUTED);
    return flm_report_cell_text(info->report);
}

static struct flm_text *named_row(const struct info *info, const char *name)
{
    return row(info, flm_bytes_of(name));
}

/* The kinds of the innermost frames, the largest share first. */
static void list_kinds(const struct info *info)
{
    const struct flm_metric_summary *s = info->summary.metric;
    struct flm_text *text = named_row(info, "kinds");
    flm_text_puts(text, s->size == 0 ? "none" : "");
    bool done[FLM_KIND_COUNT] = {false};
    for (uint32_t turn = 0; turn < FLM_KIND_COUNT; turn++) {
        uint32_t largest = FLM_KIND_COUNT;
        for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++)
            if (!done[kind] && s->kinds[kind] != 0 &&
                (largest == FLM_KIND_COUNT || s->kinds[kind] > s->kinds[largest]))
                largest = kind;
        if (largest == FLM_KIND_COUNT)
            break;
        done[largest] = true;
        flm_text_puts(text, turn > 0 ? ", " : "");
        flm_text_puts(text, flm_kind_name(largest));
        flm_text_putc(text, ' ');
        flm_percent_add(text, s->kinds[largest], s->size);
    }
    if (info->profile->sizes.metric_count > 1) {
        flm_text_puts(text, " of ");
        flm_text_add(text, string(info, info->profile->metrics[0].name));
    }
}

static void list_unsymbolized(const struct info *info)
{
    const struct flm_metric_summary *s = info->summary.metric;
    struct flm_text *text = named_row(info, "unsymbolized");
    if (info->summary.unsymbolized_frames == 0) {
        flm_text_puts(text, "nothing");
        return;
    }
    flm_percent_add(text, s->unsymbolized, s->size);
    flm_text_puts(text, ", ");
    flm_count_add(text, info->summary.unsymbolized_frames);
    flm_text_puts(text, info->summary.unsymbolized_frames == 1 ? " frame" : " frames");
}

static void list_samples(const struct info *info)
{
    const struct flm_summary *s = &info->summary;
    uint32_t count = info->profile->sizes.sample_count;
    struct flm_text *text = named_row(info, "samples");
    if (count == 0) {
        flm_text_puts(text, "only their sums");
        return;
    }
    flm_count_add(text, count);
    if (s->timed_samples > 0) {
        flm_text_puts(text, " over ");
        flm_quantity_add(text, (double)s->last_ns - (double)s->first_ns, flm_bytes_of("ns"));
    }
    if (s->timed_samples < count) {
        flm_text_puts(text, ", ");
        flm_count_add(text, count - s->timed_samples);
        flm_text_puts(text, " without a time");
    }
    text = named_row(info, "labels");
    flm_text_puts(text, s->label_key_count == 0 ? "none" : "");
    for (uint32_t i = 0; i < s->label_key_count; i++) {
        flm_text_puts(text, i > 0 ? ", " : "");
        flm_text_add(text, string(info, s->label_key[i].key));
        flm_text_puts(text, " (");
        flm_count_add(text, s->label_key[i].value_count);
        flm_text_puts(text, s->label_key[i].value_count == 1 ? " value)" : " values)");
    }
}

/* "exec (2), exit (3)" and "memory (3, 120 values), processors busy (40 values)"; nothing where
 * there are none, as in most profiles. */
static void list_markers(const struct info *info)
{
    const struct flm_profile *p = info->profile;
    struct flm_text *text = p->sizes.marker_count > 0 ? named_row(info, "markers") : NULL;
    const char *between = "";
    for (uint32_t i = 0; text && i < p->sizes.string_count; i++) {
        if (info->marker_counts[i] == 0)
            continue;
        flm_text_puts(text, between);
        flm_text_add(text, string(info, i));
        flm_text_puts(text, " (");
        flm_count_add(text, info->marker_counts[i]);
        flm_text_putc(text, ')');
        between = ", ";
    }
    text = p->sizes.counter_count > 0 ? named_row(info, "counters") : NULL;
    for (uint32_t i = 0, end; text && i < p->sizes.counter_count; i = end) {
        uint32_t points = p->counters[i].end - (i > 0 ? p->counters[i - 1].end : 0);
        for (end = i + 1;
             end < p->sizes.counter_count && p->counters[end].name == p->counters[i].name; end++)
            points += p->counters[end].end - p->counters[end - 1].end;
        flm_text_puts(text, i > 0 ? ", " : "");
        flm_text_add(text, string(info, p->counters[i].name));
        flm_text_puts(text, " (");
        if (end - i > 1) {
            flm_count_add(text, end - i);
            flm_text_puts(text, " of them, ");
        }
        flm_count_add(text, points);
        flm_text_puts(text, points == 1 ? " value)" : " values)");
    }
}

static void list_losses(const struct info *info)
{
    const struct flm_profile *p = info->profile;
    if (p->sizes.loss_count == 0)
        flm_text_puts(named_row(info, "lost"), "nothing");
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        struct flm_text *text = named_row(info, "lost");
        struct flm_bytes where = string(info, p->losses[i].where);
        flm_text_add(text, string(info, p->losses[i].what));
        flm_text_puts(text, ": ");
        flm_quantity_add_exact(text, p->losses[i].count, flm_bytes_of(""));
        if (where.size > 0)
            flm_text_format(text, " (the first at %.*s)", (int)where.size, where.at);
    }
}

/* Notes that people wrote: "note on parse   slow since 2.1". */
static void list_written_notes(const struct info *info)
{
    struct flm_error why;
    struct flm_written_notes *notes = flm_written_notes_read(info->profile, &why);
    struct flm_text subject = {0};
    for (size_t i = 0; notes && i < flm_written_notes_count(notes); i++) {
        const struct flm_written_note *note = flm_written_notes_at(notes, i);
        subject.size = 0;
        flm_text_puts(&subject, "note on ");
        flm_note_subject_add(&subject, note, flm_note_first_ns(info->profile));
        flm_text_add(row(info, (struct flm_bytes){subject.at, subject.size}),
                     (struct flm_bytes){note->text.at, note->text.size});
    }
    info->report->failed |= !notes || subject.failed;
    flm_text_clear(&subject);
    flm_written_notes_free(notes);
}

/* The notes that a profile has for each module: "mapped /usr/bin/sqlite3" is a row "mapped" that
 * begins with the module. Paths are too long for the column of names. */
static bool list_module_note(const struct info *info, struct flm_bytes key, struct flm_bytes value)
{
    static const char *const of_modules[] = {FLM_NOTE_BUILD_ID, FLM_NOTE_MAPPED,
                                             FLM_NOTE_UNSYMBOLIZED, FLM_NOTE_NOT_SHOWN};
    for (size_t i = 0; i < sizeof of_modules / sizeof of_modules[0]; i++) {
        size_t size = strlen(of_modules[i]);
        if (!flm_bytes_start_with(key, of_modules[i]))
            continue;
        struct flm_bytes name = {key.at, size - 1}, module = {key.at + size, key.size - size};
        struct flm_text *text = row(info, name);
        flm_text_add(text, module);
        flm_text_puts(text, ": ");
        flm_text_add(text, value);
        return true;
    }
    return false;
}

/* A note as it is; but people read "10.1 s", where programs want nanoseconds. */
static void list_note(const struct info *info, struct flm_bytes key, struct flm_bytes value)
{
    uint64_t ns;
    if (flm_bytes_are(key, FLM_NOTE_DURATION) && flm_number_parse_uint(value, &ns))
        flm_quantity_add(named_row(info, "duration"), (double)ns, flm_bytes_of("ns"));
    else if (!list_module_note(info, key, value))
        flm_text_add(row(info, key), value);
}

static void add_list(const struct info *info)
{
    const struct flm_profile *p = info->profile;
    flm_report_begin_table(info->report, "list", FLM_IN_PEOPLES, true);
    for (size_t i = 0; i < 2; i++) {
        flm_report_add_column(info->report, i == 0 ? "name" : "value", 0);
        flm_report_add_view(info->report, (struct flm_report_view){
                                              .heading = "", .column = i, .kind = FLM_COLUMN_TEXT});
    }
    flm_count_add(named_row(info, "nodes"), p->sizes.node_count - 1);
    flm_count_add(named_row(info, "depth"), info->summary.depth);
    flm_count_add(named_row(info, "frames"), p->sizes.frame_count - 1);
    flm_count_add(named_row(info, "strings"), p->sizes.string_count - 1);
    if (p->sizes.metric_count > 0) {
        list_kinds(info);
        list_unsymbolized(info);
    }
    list_samples(info);
    list_markers(info);
    list_losses(info);
    list_written_notes(info);
    uint64_t compiled = 0;
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes key = string(info, p->notes[i].key);
        if (flm_note_is_written((struct flm_name){key.at, key.size}))
            continue;
        if (flm_bytes_start_with(key, FLM_NOTE_JIT_CODE))
            compiled++;
        else
            list_note(info, key, string(info, p->notes[i].value));
    }
    if (compiled > 0)
        flm_count_add(named_row(info, "machine code of compiled functions"), compiled);
}

/* ---- Values of labels ------------------------------------------------------------------------ */

/* How many markers have each name; the caller frees it. NULL if memory ran out. */
static uint32_t *count_markers(const struct flm_profile *p)
{
    uint32_t *of_name = calloc(p->sizes.string_count, sizeof *of_name);
    for (uint32_t i = 0; of_name && i < p->sizes.marker_count; i++)
        of_name[p->markers[i].name]++;
    return of_name;
}

/* How many samples have each label; the caller frees it. NULL if memory ran out. */
static uint32_t *count_samples(const struct flm_profile *p)
{
    uint32_t *of_label = calloc((size_t)p->sizes.label_count + 1, sizeof *of_label);
    for (uint32_t i = 0; of_label && i < p->sizes.sample_count; i++) {
        uint32_t set = p->sample_labels[i];
        for (uint32_t k = set ? p->label_set_ends[set - 1] : 0; k < p->label_set_ends[set]; k++)
            of_label[p->set_members[k]]++;
    }
    return of_label;
}

/* In the order of the labels: by key, then by value. */
static bool add_label_values(const struct info *info)
{
    const struct flm_profile *p = info->profile;
    uint32_t *samples = count_samples(p);
    if (!samples)
        return false;
    flm_report_begin_table(info->report, "label_values", FLM_IN_ALL, true);
    size_t key = flm_report_add_column(info->report, "key", FLM_IN_PROGRAMS);
    size_t value = flm_report_add_column(info->report, "value", FLM_IN_PROGRAMS);
    size_t count = flm_report_add_column(info->report, "samples", FLM_IN_PROGRAMS);
    const struct flm_report_view views[] = {
        {.heading = "label", .column = key, .kind = FLM_COLUMN_TEXT},
        {.heading = "samples",
         .column = count,
         .format = FLM_VIEW_AS_COUNT,
         .kind = FLM_COLUMN_NUMBER},
        {.heading = "value", .column = value, .kind = FLM_COLUMN_TEXT}};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        flm_report_add_view(info->report, views[i]);
    for (uint32_t i = 0; i < p->sizes.label_count; i++) {
        flm_report_begin_row(info->report, 0, FLM_IN_ALL);
        flm_report_cell_bytes(info->report, string(info, p->labels[i].key));
        flm_report_cell_bytes(info->report, string(info, p->labels[i].value));
        flm_report_cell_number(info->report, samples[i]);
    }
    free(samples);
    return true;
}

/* ---- The report ------------------------------------------------------------------------------ */

static void add_file(const struct info *info)
{
    const struct flm_report_options *o = info->options;
    struct flm_bytes source = source_of(info);
    struct flm_bytes format = flm_bytes_of(o->format ? o->format : "");
    struct flm_text *line =
        flm_report_add_line(info->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_text_add(line, source);
    flm_text_puts(line, ": ");
    flm_text_add(line, format);
    if (o->file_bytes > 0) {
        flm_text_puts(line, ", ");
        flm_quantity_add(line, o->file_bytes, flm_bytes_of("bytes"));
    }
    flm_report_add_text(info->report, "file", source);
    flm_report_add_text(info->report, "format", format);
    if (o->file_bytes > 0)
        flm_report_add_number(info->report, "size_bytes", o->file_bytes);
    else
        flm_report_add_null(info->report, "size_bytes");
}

struct flm_report *flm_report_info(const struct flm_profile *profile,
                                   const struct flm_report_options *options, struct flm_error *why)
{
    assert(profile);
    struct flm_report_options o;
    struct info info = {.options = &o, .profile = profile};
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_report_options", why))
        return NULL;
    if (!flm_summary_init(&info.summary, profile, why))
        return NULL;
    info.marker_counts = count_markers(profile);
    if (info.marker_counts)
        info.report = flm_report_new(why);
    else
        flm_error_memory(why);
    if (info.report) {
        add_file(&info);
        add_metrics(&info);
        add_facts(&info);
        add_samples(&info);
        add_markers(&info);
        add_losses(&info);
        add_notes(&info);
        add_list(&info);
    }
    if (info.report && o.label_values && !add_label_values(&info)) {
        flm_error_memory(why);
        flm_report_free(info.report);
        info.report = NULL;
    }
    free(info.marker_counts);
    flm_summary_clear(&info.summary);
    return info.report ? flm_report_finish(info.report, why) : NULL;
}
