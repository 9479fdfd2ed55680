/* info.c - `flamel info`: what is in a profile, and what is not. */
#include <string.h>
#include <sys/stat.h>

#include "algebra/aggregate/summary.h"
#include "base/text/json_write.h"
#include "cli/common/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/terminal.h"
#include "draw/text/quantity.h"
#include "os/output.h"

struct fields {
    struct flm_load_fields load;
    bool json;
};

static const struct flm_option options[] = {
    {"json", 0, NULL, "one JSON object for each file", FLM_OPTION_FLAG,
     offsetof(struct fields, json)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

struct info {
    const char *path, *format;
    double size_bytes; /* of the file; negative: not known */
    const struct flm_profile *profile;
    const struct flm_summary *summary;
    struct flm_table_style look;
    struct flm_text *out;
};

static struct flm_bytes string(const struct info *info, uint32_t index)
{
    return flm_string_bytes(info->profile, index);
}

/* ---- For programs
 * --------------------------------------------------------------------------------- */

static void json_metrics(const struct info *info, struct flm_json_writer *json)
{
    flm_json_begin(json, "metrics", FLM_JSON_ARRAY);
    for (uint32_t m = 0; m < info->profile->sizes.metric_count; m++) {
        const struct flm_metric_summary *s = &info->summary->metric[m];
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "name", string(info, info->profile->metrics[m].name));
        flm_json_add_text(json, "unit", string(info, info->profile->metrics[m].unit));
        flm_json_add_number(json, "total", s->total);
        flm_json_add_number(json, "stacks", s->stack_count);
        flm_json_add_number(json, "unsymbolized", s->unsymbolized);
        flm_json_begin(json, "kinds", FLM_JSON_OBJECT_LINE);
        for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++)
            if (s->kinds[kind] != 0)
                flm_json_add_number(json, flm_kind_name(kind), s->kinds[kind]);
        flm_json_end(json);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void json_samples(const struct info *info, struct flm_json_writer *json)
{
    const struct flm_summary *s = info->summary;
    flm_json_begin(json, "samples", FLM_JSON_OBJECT_LINE);
    flm_json_add_number(json, "count", info->profile->sizes.sample_count);
    flm_json_add_number(json, "timed", s->timed_samples);
    if (s->timed_samples > 0) {
        flm_json_add_number(json, "first_ns", (double)s->first_ns);
        flm_json_add_number(json, "last_ns", (double)s->last_ns);
    } else {
        flm_json_add_null(json, "first_ns");
        flm_json_add_null(json, "last_ns");
    }
    flm_json_end(json);
    flm_json_begin(json, "labels", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < s->label_key_count; i++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "key", string(info, s->label_key[i].key));
        flm_json_add_number(json, "values", s->label_key[i].value_count);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void json_info(const struct info *info, struct flm_json_writer *json)
{
    const struct flm_profile *p = info->profile;
    flm_json_begin(json, "lost", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "what", string(info, p->losses[i].what));
        flm_json_add_number(json, "count", p->losses[i].count);
        flm_json_add_text(json, "first_at", string(info, p->losses[i].where));
        flm_json_end(json);
    }
    flm_json_end(json);
    flm_json_begin(json, "notes", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "key", string(info, p->notes[i].key));
        flm_json_add_text(json, "value", string(info, p->notes[i].value));
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void write_json(const struct info *info)
{
    const struct flm_sizes *sizes = &info->profile->sizes;
    struct flm_json_writer json = {.out = info->out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(&json, "file", flm_bytes_of(info->path));
    flm_json_add_text(&json, "format", flm_bytes_of(info->format));
    if (info->size_bytes >= 0)
        flm_json_add_number(&json, "size_bytes", info->size_bytes);
    else
        flm_json_add_null(&json, "size_bytes");
    json_metrics(info, &json);
    flm_json_add_number(&json, "nodes", sizes->node_count - 1);
    flm_json_add_number(&json, "frames", sizes->frame_count - 1);
    flm_json_add_number(&json, "strings", sizes->string_count - 1);
    flm_json_add_number(&json, "depth", info->summary->depth);
    flm_json_add_number(&json, "unsymbolized_frames", info->summary->unsymbolized_frames);
    json_samples(info, &json);
    json_info(info, &json);
    flm_json_end(&json);
}

/* ---- For people
 * ------------------------------------------------------------------------------------ */

/* Whether the exact value says more than the rounded one, so deserves a column. */
static bool any_rounded(const struct info *info)
{
    struct flm_text rounded = {0}, exact = {0};
    bool any = false;
    for (uint32_t m = 0; m < info->profile->sizes.metric_count; m++) {
        rounded.size = exact.size = 0;
        struct flm_bytes unit = string(info, info->profile->metrics[m].unit);
        flm_quantity_add(&rounded, info->summary->metric[m].total, unit);
        flm_quantity_add_exact(&exact, info->summary->metric[m].total, unit);
        any = any || rounded.size != exact.size || memcmp(rounded.at, exact.at, exact.size) != 0;
    }
    flm_text_clear(&rounded);
    flm_text_clear(&exact);
    return any;
}

static void write_metrics(const struct info *info)
{
    static const struct flm_column columns[] = {
        {"metric", FLM_COLUMN_TEXT, 0},
        {"stacks", FLM_COLUMN_NUMBER, 0},
        {"total", FLM_COLUMN_NUMBER, 0},
        {"exactly", FLM_COLUMN_NUMBER, 1},
    };
    bool exactly = any_rounded(info);
    struct flm_table table;
    flm_table_init(&table, columns, exactly ? 4 : 3);
    for (uint32_t m = 0; m < info->profile->sizes.metric_count; m++) {
        const struct flm_metric_summary *s = &info->summary->metric[m];
        struct flm_bytes name = string(info, info->profile->metrics[m].name);
        struct flm_bytes unit = string(info, info->profile->metrics[m].unit);
        if (flm_bytes_are(unit, "count") || flm_bytes_equal(unit, name))
            unit.size = 0;
        flm_text_add(flm_table_cell(&table), name);
        flm_count_add(flm_table_cell(&table), s->stack_count);
        flm_quantity_add(flm_table_cell(&table), s->total, unit);
        if (exactly)
            flm_quantity_add_exact(flm_table_cell(&table), s->total, unit);
    }
    flm_table_print(&table, &info->look, info->out);
    flm_table_clear(&table);
}

/* The next row, with its name; what it says is added to the text. */
static struct flm_text *row(struct flm_table *table, struct flm_bytes name)
{
    flm_text_add(flm_table_cell(table), name);
    flm_table_tone(table, FLM_TONE_MUTED);
    return flm_table_cell(table);
}

static void row_count(struct flm_table *table, const char *name, uint64_t count)
{
    flm_count_add(row(table, flm_bytes_of(name)), count);
}

static void rows_of_samples(const struct info *info, struct flm_table *table)
{
    const struct flm_summary *s = info->summary;
    uint32_t count = info->profile->sizes.sample_count;
    struct flm_text *text = row(table, flm_bytes_of("samples"));
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
    text = row(table, flm_bytes_of("labels"));
    flm_text_puts(text, s->label_key_count == 0 ? "none" : "");
    for (uint32_t i = 0; i < s->label_key_count; i++) {
        flm_text_puts(text, i > 0 ? ", " : "");
        flm_text_add(text, string(info, s->label_key[i].key));
        flm_text_puts(text, " (");
        flm_count_add(text, s->label_key[i].value_count);
        flm_text_puts(text, s->label_key[i].value_count == 1 ? " value)" : " values)");
    }
}

/* The kinds of the innermost frames, the largest share first. */
static void row_of_kinds(const struct info *info, struct flm_table *table)
{
    const struct flm_metric_summary *s = info->summary->metric;
    struct flm_text *text = row(table, flm_bytes_of("kinds"));
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
    text = row(table, flm_bytes_of("unsymbolized"));
    if (info->summary->unsymbolized_frames == 0) {
        flm_text_puts(text, "nothing");
        return;
    }
    flm_percent_add(text, s->unsymbolized, s->size);
    flm_text_puts(text, ", ");
    flm_count_add(text, info->summary->unsymbolized_frames);
    flm_text_puts(text, info->summary->unsymbolized_frames == 1 ? " frame" : " frames");
}

static void rows_of_info(const struct info *info, struct flm_table *table)
{
    const struct flm_profile *p = info->profile;
    if (p->sizes.loss_count == 0)
        flm_text_puts(row(table, flm_bytes_of("lost")), "nothing");
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        struct flm_text *text = row(table, flm_bytes_of("lost"));
        struct flm_bytes where = string(info, p->losses[i].where);
        flm_text_add(text, string(info, p->losses[i].what));
        flm_text_puts(text, ": ");
        flm_quantity_add_exact(text, p->losses[i].count, flm_bytes_of(""));
        if (where.size > 0)
            flm_text_format(text, " (the first at %.*s)", (int)where.size, where.at);
    }
    for (uint32_t i = 0; i < p->sizes.note_count; i++)
        flm_text_add(row(table, string(info, p->notes[i].key)), string(info, p->notes[i].value));
}

static void write_text(const struct info *info)
{
    static const struct flm_column columns[] = {{"", FLM_COLUMN_TEXT, 0}, {"", FLM_COLUMN_TEXT, 0}};
    const struct flm_sizes *sizes = &info->profile->sizes;
    struct flm_text scratch = {0};
    flm_text_add(info->out, flm_showable(flm_bytes_of(info->path), info->look.charset, &scratch));
    flm_text_clear(&scratch);
    flm_text_format(info->out, ": %s", info->format);
    if (info->size_bytes >= 0) {
        flm_text_puts(info->out, ", ");
        flm_quantity_add(info->out, info->size_bytes, flm_bytes_of("bytes"));
    }
    flm_text_puts(info->out, "\n\n");
    write_metrics(info);
    flm_text_puts(info->out, "\n");

    struct flm_table table;
    flm_table_init(&table, columns, 2);
    row_count(&table, "nodes", sizes->node_count - 1);
    row_count(&table, "depth", info->summary->depth);
    row_count(&table, "frames", sizes->frame_count - 1);
    row_count(&table, "strings", sizes->string_count - 1);
    if (sizes->metric_count > 0)
        row_of_kinds(info, &table);
    rows_of_samples(info, &table);
    rows_of_info(info, &table);
    flm_table_print(&table, &info->look, info->out);
    flm_table_clear(&table);
}

/* ---- Files
 * ------------------------------------------------------------------------------------------ */

static double size_of(const char *path)
{
    struct stat status;
    bool known = strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    return known ? (double)status.st_size : -1;
}

/* `first`: nothing was told yet. */
static bool tell(const struct fields *f, const char *path, bool *first, struct flm_text *out)
{
    struct info info = {
        .path = strcmp(path, "-") == 0 ? "standard input" : path,
        .format = "",
        .size_bytes = size_of(path),
        .look = flm_look_of_output(),
        .out = out,
    };
    struct flm_load_fields load = f->load;
    load.found_format = &info.format;
    load.tells_losses = true;
    struct flm_profile *profile = flm_load_with(&load, path);
    if (!profile)
        return false;
    struct flm_summary summary;
    struct flm_error why;
    bool good = flm_summary_init(&summary, profile, &why);
    if (good) {
        info.profile = profile;
        info.summary = &summary;
        flm_text_puts(out, f->json || *first ? "" : "\n");
        *first = false;
        if (f->json)
            write_json(&info);
        else
            write_text(&info);
        flm_summary_clear(&summary);
    } else {
        flm_message_error(&why);
    }
    flm_profile_free(profile);
    return good;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {0};
    struct flm_error why;
    int operands = flm_options_parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    if (operands == 0)
        flm_error_set(&why, FLM_ERROR_USAGE, "info takes one file or several");
    struct flm_output output;
    if (operands <= 0 || !flm_output_open(&output, "-", &why))
        return flm_message_error(&why);
    /* What can be read is told, whatever stands beside it. */
    bool good = true, first = true;
    for (int i = 0; i < operands; i++) {
        good = tell(&f, words[i], &first, &output.text) && good;
        flm_text_flush(&output.text);
    }
    if (!flm_output_close(&output, true, &why))
        return flm_message_error(&why);
    return good ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

const struct flm_command flm_command_info = {
    .name = "info",
    .synopsis = "[OPTION]... FILE...",
    .summary = "what is in a profile: metrics, sizes, what was lost",
    .description =
        "Tells what is in profiles: metrics with their units and totals, how many stacks,\n"
        "nodes and frames, times and labels of samples; and what is missing: symbols, and\n"
        "what was lost.",
    .examples = "  flamel info app.flm\n"
                "  flamel info --json app.flm | jq .metrics\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
