/* similarity.c - `flamel similarity`: the similarity of many profiles, pair by pair. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/number.h"
#include "base/text/json_write.h"
#include "cli/common/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/terminal.h"
#include "draw/text/comparison_summary.h"
#include "draw/text/quantity.h"
#include "draw/text/table.h"
#include "gate/runs/distances.h"
#include "os/output.h"
#include "os/threads.h"
#include "stats/linkage.h"

struct fields {
    struct flm_load_fields load;
    const char *metric, *measure, *order;
    bool json, csv, markdown;
};

static const struct flm_option options[] = {
    {"measure", 'M', "MEASURE",
     "similarity (the default), shape: of shares of the totals, or\ndistance", FLM_OPTION_TEXT,
     offsetof(struct fields, measure)},
    {"order", 0, "ORDER", "given (the default), or alike: similar ones next to each other",
     FLM_OPTION_TEXT, offsetof(struct fields, order)},
    {"metric", 'm', "NAME", "of several metrics, this one (default: the first)", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    {"json", 0, NULL, "exact values of all three measures, as JSON", FLM_OPTION_FLAG,
     offsetof(struct fields, json)},
    {"csv", 0, NULL, "the matrix as CSV, for spreadsheets", FLM_OPTION_FLAG,
     offsetof(struct fields, csv)},
    {"markdown", 0, NULL, "the matrix for a comment or a wiki", FLM_OPTION_FLAG,
     offsetof(struct fields, markdown)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

enum measure { SIMILARITY, SHAPE, DISTANCE, MEASURES };
static const char *const measure_names[MEASURES] = {"similarity", "shape", "distance"};

struct comparing {
    enum measure measure;
    bool is_alike;
    char **paths;
    uint32_t count;
    struct flm_runs runs;
    struct flm_bytes metric, unit;
    double *value[MEASURES]; /* count x count; NULL: not asked for */
    uint32_t *order;
    double largest; /* distance */
    struct flm_table_style look;
    struct flm_text *out;
};

static double value_of(const struct comparing *c, enum measure measure, uint32_t i, uint32_t k)
{
    return c->value[measure][(size_t)i * c->count + k];
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static bool align(struct comparing *c, const struct fields *f, struct flm_profile **profiles,
                  struct flm_error *why)
{
    struct flm_run_input *inputs = malloc(c->count * sizeof *inputs);
    if (!inputs)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < c->count; i++)
        inputs[i] =
            (struct flm_run_input){.profile = profiles[i], .name = flm_load_name(c->paths[i])};
    bool good = flm_runs_init(&c->runs, inputs, c->count, f->metric, why);
    free(inputs);
    if (!good)
        return false;
    const struct flm_metric_record *metric = flm_profile_metric(c->runs.tree, c->runs.metric);
    struct flm_name name = flm_profile_string(c->runs.tree, (struct flm_string){metric->name});
    struct flm_name unit = flm_profile_string(c->runs.tree, (struct flm_string){metric->unit});
    c->metric = (struct flm_bytes){name.at, name.size};
    c->unit = (struct flm_bytes){unit.at, unit.size};
    return true;
}

/* Profiles are read one after the other, and are gone once they are aligned. */
static bool load(struct comparing *c, const struct fields *f)
{
    struct flm_error why;
    struct flm_profile **profiles = calloc(c->count, sizeof *profiles);
    bool good = profiles != NULL;
    if (!good)
        flm_message("out of memory");
    for (uint32_t i = 0; i < c->count && good; i++)
        good = (profiles[i] = flm_load_with(&f->load, c->paths[i])) != NULL;
    if (good && !(good = align(c, f, profiles, &why)))
        flm_message("%s", why.text);
    for (uint32_t i = 0; profiles && i < c->count; i++)
        flm_profile_free(profiles[i]);
    free(profiles);
    return good;
}

/* Makes likeness of distances, in place. */
static void make_similarities(const struct comparing *c, double *matrix, bool of_shares)
{
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = 0; k < c->count; k++) {
            double *value = &matrix[(size_t)i * c->count + k];
            *value = flm_similarity_of(*value, of_shares ? 1 : c->runs.run[i].total,
                                       of_shares ? 1 : c->runs.run[k].total);
        }
}

static bool measure(struct comparing *c, bool all, int threads, struct flm_error *why)
{
    size_t size = (size_t)c->count * c->count * sizeof(double);
    for (int m = 0; m < MEASURES; m++) {
        if (!all && m != (int)c->measure)
            continue;
        c->value[m] = malloc(size);
        if (!c->value[m])
            return flm_error_memory(why);
        if (m == DISTANCE && c->value[SIMILARITY])
            continue; /* they are made together, below */
        if (!flm_runs_distances(&c->runs, m == SHAPE, threads, c->value[m], why))
            return false;
    }
    if (all)
        memcpy(c->value[DISTANCE], c->value[SIMILARITY], size);
    for (size_t i = 0; c->value[DISTANCE] && i < (size_t)c->count * c->count; i++)
        c->largest = fmax(c->largest, c->value[DISTANCE][i]);
    if (c->value[SIMILARITY])
        make_similarities(c, c->value[SIMILARITY], false);
    if (c->value[SHAPE])
        make_similarities(c, c->value[SHAPE], true);
    return true;
}

/* By the measure that is printed. */
static bool find_order(struct comparing *c, struct flm_error *why)
{
    size_t size = (size_t)c->count * c->count;
    c->order = malloc(c->count * sizeof *c->order);
    double *distance = malloc(size * sizeof *distance);
    bool good = (c->order && distance) || flm_error_memory(why);
    for (size_t i = 0; good && i < size; i++)
        distance[i] = c->measure == DISTANCE ? c->value[DISTANCE][i] : 1 - c->value[c->measure][i];
    for (uint32_t i = 0; good && i < c->count; i++)
        c->order[i] = i;
    if (good && c->is_alike)
        good = flm_order_by_similarity(distance, c->count, c->order, why);
    free(distance);
    return good;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void add_value(const struct comparing *c, struct flm_table *table, double value)
{
    if (c->measure == DISTANCE)
        flm_table_quantity(table, fabs(value) >= 100 ? floor(value + 0.5) : value, c->unit,
                           c->largest);
    else
        flm_similarity_add(flm_table_cell(table), value);
}

static void add_heading(const struct comparing *c)
{
    static const char *const means[MEASURES] = {
        [SIMILARITY] = "Similarity: 1, as much of each stack in both; 0, no stack in both.",
        [SHAPE] =
            "Shape similarity: 1, the same shares of each stack in both; 0, no stack in both.",
        [DISTANCE] = "Distance: the sum of what each stack has more or less in one of both."};
    struct flm_text line = {0};
    flm_count_add(&line, c->count);
    flm_text_puts(&line, " profiles of ");
    flm_text_add(&line, c->metric);
    flm_text_puts(&line, " with ");
    uint32_t stacks = 0;
    const double *self = flm_profile_self(c->runs.tree, c->runs.metric);
    for (uint32_t i = 0; i < flm_profile_node_count(c->runs.tree); i++)
        stacks += self[i] != 0;
    flm_count_add(&line, stacks);
    flm_text_format(&line, " stack%s in all\n%s\n", stacks == 1 ? "" : "s", means[c->measure]);
    flm_lines_add(c->out, (struct flm_bytes){line.at, line.size}, &c->look, 0);
    c->out->failed |= line.failed;
    flm_text_clear(&line);
    flm_text_putc(c->out, '\n');
}

/* The name of a profile: its path in full for programs, its file for people. */
static const char *name_of(const struct comparing *c, uint32_t i)
{
    return flm_load_name(c->paths[i]);
}

/* Titles are numbers; the texts of all of them, one after the other. */
enum { NUMBER_SIZE = 12 };
struct matrix {
    struct flm_column *columns;
    char (*titles)[NUMBER_SIZE];
};

static bool matrix_init(struct matrix *m, uint32_t count)
{
    m->columns = calloc(count + (size_t)2, sizeof *m->columns);
    m->titles = calloc(count + (size_t)1, sizeof *m->titles);
    if (!m->columns || !m->titles)
        return false;
    m->columns[0] = (struct flm_column){"", FLM_COLUMN_NUMBER, 0};
    m->columns[1] = (struct flm_column){"profile", FLM_COLUMN_NAME, 0};
    for (uint32_t i = 0; i < count; i++) {
        struct flm_text title;
        flm_text_init_fixed(&title, m->titles[i], NUMBER_SIZE - 1);
        flm_text_uint(&title, i + (uint64_t)1);
        m->columns[i + 2] = (struct flm_column){m->titles[i], FLM_COLUMN_NUMBER, 0};
    }
    return true;
}

static void add_matrix(struct comparing *c, bool markdown)
{
    struct matrix m;
    struct flm_table table = {0};
    if (matrix_init(&m, c->count)) {
        flm_table_init(&table, m.columns, c->count + (size_t)2);
        for (uint32_t i = 0; i < c->count; i++) {
            flm_text_puts(flm_table_cell(&table), m.titles[i]);
            flm_text_puts(flm_table_cell(&table), name_of(c, c->order[i]));
            for (uint32_t k = 0; k < c->count; k++)
                add_value(c, &table, value_of(c, c->measure, c->order[i], c->order[k]));
        }
        if (markdown)
            flm_table_markdown(&table, c->out);
        else
            flm_table_print(&table, &c->look, c->out);
    } else {
        c->out->failed = true;
    }
    flm_table_clear(&table);
    free(m.columns);
    free(m.titles);
}

/* Whether rows of the matrix, with some letters of each name, are no wider than the window; a file
 * has any width, but nobody reads a hundred columns. */
static bool fits(const struct comparing *c)
{
    enum { MOST_IN_A_FILE = 64, NAME = 16, GAP = 2 };
    if (c->look.width == 0)
        return c->count <= MOST_IN_A_FILE;
    size_t widest = 4;
    if (c->measure == DISTANCE) {
        struct flm_text largest = {0};
        flm_quantity_add(&largest, floor(c->largest + 0.5), c->unit);
        widest = largest.size;
        flm_text_clear(&largest);
    }
    return NAME + 4 + (widest + GAP) * c->count <= c->look.width;
}

/* The nearest other one, or the farthest. */
static uint32_t extreme(const struct comparing *c, uint32_t i, bool nearest)
{
    uint32_t found = FLM_NONE;
    bool small_is_near = c->measure == DISTANCE;
    for (uint32_t k = 0; k < c->count; k++) {
        if (k == i)
            continue;
        double value = value_of(c, c->measure, i, k);
        double best = found == FLM_NONE ? 0 : value_of(c, c->measure, i, found);
        if (found == FLM_NONE || (nearest == small_is_near ? value < best : value > best))
            found = k;
    }
    return found;
}

static double mean_to_others(const struct comparing *c, uint32_t i)
{
    double sum = 0;
    for (uint32_t k = 0; k < c->count; k++)
        sum += k != i ? value_of(c, c->measure, i, k) : 0;
    return sum / (c->count - 1);
}

static void add_list(struct comparing *c)
{
    static const struct flm_column columns[] = {
        {"mean", FLM_COLUMN_NUMBER, 0},     {"profile", FLM_COLUMN_NAME, 0},
        {"nearest", FLM_COLUMN_NUMBER, 1},  {"", FLM_COLUMN_NAME, 2},
        {"farthest", FLM_COLUMN_NUMBER, 3}, {"", FLM_COLUMN_NAME, 4}};
    struct flm_table table;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t at = c->order[i], near = extreme(c, at, true), far = extreme(c, at, false);
        add_value(c, &table, mean_to_others(c, at));
        flm_text_puts(flm_table_cell(&table), name_of(c, at));
        add_value(c, &table, value_of(c, c->measure, at, near));
        bool is_none = c->measure != DISTANCE && value_of(c, c->measure, at, near) == 0;
        flm_text_puts(flm_table_cell(&table), is_none ? "" : name_of(c, near));
        add_value(c, &table, value_of(c, c->measure, at, far));
        flm_text_puts(flm_table_cell(&table), name_of(c, far));
    }
    flm_table_print(&table, &c->look, c->out);
    flm_table_clear(&table);
    flm_tone_add(c->out, FLM_TONE_MUTED, &c->look);
    flm_lines_add(c->out,
                  flm_bytes_of("\nThe matrix is too wide to be shown: --csv and --json have it.\n"),
                  &c->look, 0);
    flm_tone_add(c->out, FLM_TONE_PLAIN, &c->look);
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void add_csv(struct comparing *c)
{
    struct flm_column *columns = calloc(c->count + (size_t)1, sizeof *columns);
    struct flm_table table = {0};
    if (columns) {
        columns[0] = (struct flm_column){"profile", FLM_COLUMN_TEXT, 0};
        for (uint32_t i = 0; i < c->count; i++)
            columns[i + 1] = (struct flm_column){c->paths[c->order[i]], FLM_COLUMN_TEXT, 0};
        flm_table_init(&table, columns, c->count + (size_t)1);
        for (uint32_t i = 0; i < c->count; i++) {
            flm_text_puts(flm_table_cell(&table), c->paths[c->order[i]]);
            for (uint32_t k = 0; k < c->count; k++) {
                char digits[FLM_NUMBER_SIZE];
                double value = value_of(c, c->measure, c->order[i], c->order[k]);
                size_t size = flm_number_print(value, digits);
                flm_text_add(flm_table_cell(&table), (struct flm_bytes){digits, size});
            }
        }
        flm_table_csv(&table, c->out);
    } else {
        c->out->failed = true;
    }
    flm_table_clear(&table);
    free(columns);
}

static void add_json(struct comparing *c)
{
    static const char *const keys[MEASURES] = {"similarity", "shape_similarity", "distance"};
    struct flm_json_writer json = {.out = c->out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(&json, "report", flm_bytes_of("similarity"));
    flm_json_add_number(&json, "version", 1);
    flm_json_begin(&json, "metric", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "name", c->metric);
    flm_json_add_text(&json, "unit", c->unit);
    flm_json_end(&json);
    flm_json_begin(&json, "profiles", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct flm_run *run = &c->runs.run[c->order[i]];
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(&json, "file", flm_bytes_of(c->paths[c->order[i]]));
        flm_json_add_number(&json, "total", run->total);
        flm_json_add_number(&json, "stacks", run->count);
        flm_json_end(&json);
    }
    flm_json_end(&json);
    for (int m = 0; m < MEASURES; m++) {
        flm_json_begin(&json, keys[m], FLM_JSON_ARRAY);
        for (uint32_t i = 0; i < c->count; i++) {
            flm_json_begin(&json, NULL, FLM_JSON_ARRAY_LINE);
            for (uint32_t k = 0; k < c->count; k++)
                flm_json_add_number(&json, NULL,
                                    value_of(c, (enum measure)m, c->order[i], c->order[k]));
            flm_json_end(&json);
        }
        flm_json_end(&json);
    }
    flm_json_end(&json);
}

/* ---- The command ----------------------------------------------------------------------------- */

static void write(struct comparing *c, const struct fields *f)
{
    if (f->json) {
        add_json(c);
    } else if (f->csv) {
        add_csv(c);
    } else {
        add_heading(c);
        if (f->markdown || fits(c))
            add_matrix(c, f->markdown);
        else
            add_list(c);
    }
}

static bool write_all(const struct comparing *c, const struct fields *f, struct flm_error *why)
{
    struct flm_output output;
    struct comparing printed = *c;
    if (!flm_output_open(&output, "-", why))
        return false;
    printed.out = &output.text;
    write(&printed, f);
    return flm_output_close(&output, true, why);
}

static int compare(struct comparing *c, const struct fields *f)
{
    struct flm_error why;
    int threads = f->load.threads > 0 ? f->load.threads : flm_processor_count();
    if (!load(c, f))
        return FLM_EXIT_WRONG;
    bool good = measure(c, f->json, threads, &why) && find_order(c, &why) && write_all(c, f, &why);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

static bool read_words(const struct fields *f, struct comparing *c, struct flm_error *why)
{
    int measure = f->measure ? 0 : SIMILARITY;
    while (f->measure && measure < MEASURES && strcmp(f->measure, measure_names[measure]) != 0)
        measure++;
    if (measure == MEASURES)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--measure is similarity, shape or distance, not '%s'", f->measure);
    c->measure = (enum measure)measure;
    c->is_alike = f->order && strcmp(f->order, "alike") == 0;
    if (f->order && !c->is_alike && strcmp(f->order, "given") != 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--order is given or alike, not '%s'", f->order);
    if (f->json + f->csv + f->markdown > 1)
        return flm_error_set(why, FLM_ERROR_USAGE, "one of --json, --csv and --markdown is enough");
    return true;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {0};
    struct comparing c = {0};
    struct flm_error why;
    int operands = flm_options_parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    if (operands == 0 || operands == 1)
        flm_error_set(&why, FLM_ERROR_USAGE, "similarity takes two profiles or more");
    if (operands < 2 || !read_words(&f, &c, &why))
        return flm_message_error(&why);
    f.load.drop_times = true;
    c.paths = words;
    c.count = (uint32_t)operands;
    if (!f.markdown)
        c.look = flm_look_of_output();
    int status = compare(&c, &f);
    for (int m = 0; m < MEASURES; m++)
        free(c.value[m]);
    free(c.order);
    flm_runs_clear(&c.runs);
    return status;
}

const struct flm_command flm_command_similarity = {
    .name = "similarity",
    .synopsis = "[OPTION]... FILE FILE...",
    .summary = "the similarity of many profiles, pair by pair",
    .description =
        "Prints the matrix of similarities of two profiles or a thousand: 1 where each stack\n"
        "has as much in both, 0 where no stack is in both. Runs that stand out, and groups, are\n"
        "seen at once. 'flamel diff' says what it is that differs between two.",
    .examples = "  flamel similarity runs/*.flm                    the matrix\n"
                "  flamel similarity --order alike runs/*.flm      groups next to each other\n"
                "  flamel similarity --measure shape runs/*.flm    however long they lasted\n"
                "  flamel similarity --apply by:module *.flm       by modules alone\n"
                "  flamel similarity --csv runs/*.flm > matrix.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
