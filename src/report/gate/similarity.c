/* similarity.c - the similarity of each run with each: a matrix, or a row for each run where that
 * would be wider than the terminal. flamel-similarity(1) documents the JSON. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/versioned.h"
#include "draw/text/cells.h"
#include "draw/text/quantity.h"
#include "gate/runs/distances.h"
#include "profile/columns.h"
#include "report/gate/internal.h"
#include "stats/linkage.h"

enum { VERSION = 1 };

static const char *const table_names[FLM_SIMILARITY_COUNT] = {
    [FLM_SIMILARITY] = "similarity",
    [FLM_SIMILARITY_SHAPE] = "shape_similarity",
    [FLM_SIMILARITY_DISTANCE] = "distance"};

struct making {
    const struct flm_run_set *set;
    enum flm_similarity_measure measure;
    uint32_t count;
    double *value[FLM_SIMILARITY_COUNT]; /* count x count; NULL: not wanted */
    uint32_t *order;                     /* of the runs */
    double largest;                      /* distance */
    struct flm_report *report;
};

static double value_of(const struct making *m, enum flm_similarity_measure measure, uint32_t i,
                       uint32_t k)
{
    return m->value[measure][(size_t)i * m->count + k];
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* Similarities in place of distances. */
static void make_similarities(const struct making *m, double *matrix, bool of_shares)
{
    const struct flm_run *run = m->set->runs.run;
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t k = 0; k < m->count; k++) {
            double *value = &matrix[(size_t)i * m->count + k];
            *value = flm_similarity_of(*value, of_shares ? 1 : run[i].total,
                                       of_shares ? 1 : run[k].total);
        }
}

static bool measure(struct making *m, bool all, int threads, struct flm_error *why)
{
    size_t size = (size_t)m->count * m->count * sizeof(double);
    double **value = m->value;
    for (int i = 0; i < FLM_SIMILARITY_COUNT; i++) {
        if (!all && i != (int)m->measure)
            continue;
        value[i] = malloc(size);
        if (!value[i])
            return flm_error_memory(why);
        if (i == FLM_SIMILARITY_DISTANCE && value[FLM_SIMILARITY])
            memcpy(value[i], value[FLM_SIMILARITY], size); /* which are distances until below */
        else if (!flm_runs_distances(&m->set->runs, i == FLM_SIMILARITY_SHAPE, threads, value[i],
                                     why))
            return false;
    }
    for (size_t i = 0; value[FLM_SIMILARITY_DISTANCE] && i < (size_t)m->count * m->count; i++)
        m->largest = fmax(m->largest, value[FLM_SIMILARITY_DISTANCE][i]);
    if (value[FLM_SIMILARITY])
        make_similarities(m, value[FLM_SIMILARITY], false);
    if (value[FLM_SIMILARITY_SHAPE])
        make_similarities(m, value[FLM_SIMILARITY_SHAPE], true);
    return true;
}

/* By the measure that is printed. */
static bool find_order(struct making *m, bool similar_first, struct flm_error *why)
{
    size_t size = (size_t)m->count * m->count;
    m->order = malloc(m->count * sizeof *m->order);
    if (!m->order)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < m->count; i++)
        m->order[i] = i;
    if (!similar_first)
        return true;
    double *distance = malloc(size * sizeof *distance);
    if (!distance)
        return flm_error_memory(why);
    for (size_t i = 0; i < size; i++)
        distance[i] = m->measure == FLM_SIMILARITY_DISTANCE ? m->value[m->measure][i]
                                                            : 1 - m->value[m->measure][i];
    bool good = flm_order_by_similarity(distance, m->count, m->order, why);
    free(distance);
    return good;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static struct flm_report_view value_view(const struct making *m, const char *heading, size_t column,
                                         int leave_out)
{
    bool is_distance = m->measure == FLM_SIMILARITY_DISTANCE;
    return (struct flm_report_view){.heading = heading,
                                    .column = column,
                                    .format =
                                        is_distance ? FLM_VIEW_AS_QUANTITY : FLM_VIEW_AS_SIMILARITY,
                                    .kind = FLM_COLUMN_NUMBER,
                                    .leave_out = leave_out,
                                    .whole = m->largest,
                                    .unit = flm_runs_unit(&m->set->runs),
                                    .is_mean = is_distance};
}

/* In cells: with the first 16 of each name. */
static size_t matrix_width(const struct making *m)
{
    enum { NAME = 16, NUMBER = 4, GAP = 2 };
    size_t widest = 4;
    if (m->measure == FLM_SIMILARITY_DISTANCE) {
        struct flm_text largest = {0};
        flm_quantity_add(&largest, floor(m->largest + 0.5), flm_runs_unit(&m->set->runs));
        widest = flm_text_cells(&largest).cells;
        flm_text_clear(&largest);
    }
    return NAME + NUMBER + (widest + GAP) * m->count;
}

/* A file has any width, but nobody reads a hundred columns. */
static bool is_for_text(const struct making *m)
{
    enum { MOST_COLUMNS = 64 };
    return m->count <= MOST_COLUMNS;
}

/* The name of a file, as people see it. */
static struct flm_bytes name_of(const struct making *m, uint32_t run)
{
    return flm_path_end(flm_bytes_of(m->set->names[run]));
}

static const char *number_of(const struct making *m, uint32_t index)
{
    char digits[16];
    struct flm_text number;
    flm_text_init_fixed(&number, digits, sizeof digits);
    flm_text_uint(&number, index + (uint64_t)1);
    return flm_report_keep(m->report, (struct flm_bytes){number.at, number.size});
}

static void add_matrix_columns(const struct making *m, bool is_main)
{
    struct flm_report *report = m->report;
    size_t file = flm_report_add_literal_column(report, "profile", is_main ? FLM_IN_CSV : 0);
    size_t name = flm_report_add_column(report, "name", 0);
    size_t number = flm_report_add_column(report, "number", 0);
    assert(report->failed || (file == 0 && name == 1 && number == 2));
    if (is_main) {
        flm_report_add_view(report, (struct flm_report_view){.heading = "",
                                                             .column = number,
                                                             .format = FLM_VIEW_AS_COUNT,
                                                             .kind = FLM_COLUMN_NUMBER});
        flm_report_add_view(report, (struct flm_report_view){.heading = "profile",
                                                             .column = name,
                                                             .kind = FLM_COLUMN_NAME});
    }
    for (uint32_t i = 0; i < m->count; i++) {
        const char *path = m->set->names[m->order[i]];
        size_t column =
            flm_report_add_literal_column(report, flm_report_keep(report, flm_bytes_of(path)),
                                          is_main ? FLM_IN_PROGRAMS : FLM_IN_JSON);
        if (is_main)
            flm_report_add_view(report, value_view(m, number_of(m, i), column, 0));
    }
}

static void add_matrix(const struct making *m, enum flm_similarity_measure measure)
{
    struct flm_report *report = m->report;
    bool is_main = measure == m->measure;
    unsigned people = FLM_IN_MARKDOWN | (is_for_text(m) ? FLM_IN_TEXT : 0);
    struct flm_report_table *table = flm_report_begin_table(
        report, table_names[measure], is_main ? FLM_IN_PROGRAMS | people : FLM_IN_JSON, true);
    if (is_main)
        flm_report_limit_width(report, FLM_WIDTH_LEAST, matrix_width(m));
    if (table)
        table->is_matrix = true;
    add_matrix_columns(m, is_main);
    for (uint32_t i = 0; i < m->count; i++) {
        flm_report_begin_row(report, 0, FLM_IN_ALL);
        flm_report_cell_bytes(report, flm_bytes_of(m->set->names[m->order[i]]));
        flm_report_cell_bytes(report, name_of(m, m->order[i]));
        flm_report_cell_number(report, i + 1.0);
        for (uint32_t k = 0; k < m->count; k++)
            flm_report_cell_number(report, value_of(m, measure, m->order[i], m->order[k]));
    }
}

/* ---- A row for each run ---------------------------------------------------------------------- */

/* The nearest other one, or the farthest. */
static uint32_t extreme(const struct making *m, uint32_t i, bool nearest)
{
    uint32_t found = FLM_NONE;
    bool small_is_near = m->measure == FLM_SIMILARITY_DISTANCE;
    for (uint32_t k = 0; k < m->count; k++) {
        if (k == i)
            continue;
        double value = value_of(m, m->measure, i, k);
        double best = found == FLM_NONE ? 0 : value_of(m, m->measure, i, found);
        if (found == FLM_NONE || (nearest == small_is_near ? value < best : value > best))
            found = k;
    }
    return found;
}

static double mean_to_others(const struct making *m, uint32_t i)
{
    double sum = 0;
    for (uint32_t k = 0; k < m->count; k++)
        sum += k != i ? value_of(m, m->measure, i, k) : 0;
    return sum / (m->count - 1);
}

static void add_list_columns(const struct making *m)
{
    static const struct {
        const char *name, *heading;
        int leave_out;
    } columns[] = {{"mean", "mean", 0},     {"name", "profile", 0},      {"nearest", "nearest", 1},
                   {"nearest_name", "", 2}, {"farthest", "farthest", 3}, {"farthest_name", "", 4}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        size_t column = flm_report_add_column(m->report, columns[i].name, 0);
        struct flm_report_view view =
            value_view(m, columns[i].heading, column, columns[i].leave_out);
        if (i % 2 == 1) {
            view.kind = FLM_COLUMN_NAME;
            view.format = FLM_VIEW_AS_TEXT;
        }
        flm_report_add_view(m->report, view);
    }
}

/* In text that is narrower than the matrix. */
static void limit(const struct making *m)
{
    if (is_for_text(m))
        flm_report_limit_width(m->report, FLM_WIDTH_BELOW, matrix_width(m));
}

static void add_list(const struct making *m)
{
    struct flm_report *report = m->report;
    flm_report_begin_table(report, "nearest", FLM_IN_TEXT, true);
    limit(m);
    add_list_columns(m);
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t at = m->order[i], near = extreme(m, at, true), far = extreme(m, at, false);
        double nearest = value_of(m, m->measure, at, near);
        bool is_none = m->measure != FLM_SIMILARITY_DISTANCE && nearest == 0;
        flm_report_begin_row(report, 0, FLM_IN_TEXT);
        flm_report_cell_number(report, mean_to_others(m, at));
        flm_report_cell_bytes(report, name_of(m, at));
        flm_report_cell_number(report, nearest);
        flm_report_cell_bytes(report, is_none ? flm_bytes_of("") : name_of(m, near));
        flm_report_cell_number(report, value_of(m, m->measure, at, far));
        flm_report_cell_bytes(report, name_of(m, far));
    }
    flm_text_puts(flm_report_add_line(report, FLM_IN_TEXT, true, FLM_TONE_MUTED),
                  "The matrix is too wide to be shown: --csv and --json have it.");
    limit(m);
}

/* ---- The report ------------------------------------------------------------------------------ */

static void add_facts(const struct making *m)
{
    static const char *const columns[] = {"file", "total", "stacks", NULL};
    const struct flm_runs *runs = &m->set->runs;
    struct flm_report *report = m->report;
    flm_report_add_text(report, "report", flm_bytes_of("similarity"));
    flm_report_add_number(report, "version", VERSION);
    flm_report_begin(report, "metric", FLM_JSON_OBJECT_LINE);
    flm_report_add_text(report, "name", flm_runs_metric_name(runs));
    flm_report_add_text(report, "unit", flm_runs_unit(runs));
    flm_report_end(report);
    flm_report_begin_table(report, "profiles", FLM_IN_JSON, false);
    flm_report_add_columns(report, columns, FLM_IN_JSON);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct flm_run *run = &runs->run[m->order[i]];
        flm_report_begin_row(report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(report, run->name);
        flm_report_cell_number(report, run->total);
        flm_report_cell_number(report, run->count);
    }
}

static void add_head(const struct making *m)
{
    static const char *const meanings[FLM_SIMILARITY_COUNT] = {
        [FLM_SIMILARITY] = "Similarity (1: identical; 0: no stack in common)",
        [FLM_SIMILARITY_SHAPE] = ("Shape similarity, computed from percentages of the total "
                                  "(1: identical; 0: no stack in common)"),
        [FLM_SIMILARITY_DISTANCE] = "Distance: the sum of the absolute differences of all stacks"};
    const struct flm_runs *runs = &m->set->runs;
    const double *self = flm_self_column(runs->tree, runs->metric.index);
    uint32_t stacks = 0;
    for (uint32_t i = 0; i < runs->tree->sizes.node_count; i++)
        stacks += self[i] != 0;
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_count_add(line, m->count);
    flm_text_puts(line, " profiles of ");
    flm_text_add(line, flm_runs_metric_name(runs));
    flm_text_puts(line, " with ");
    flm_count_add(line, stacks);
    flm_text_format(line, " stack%s in all\n%s", stacks == 1 ? "" : "s", meanings[m->measure]);
}

static struct flm_report *make(struct making *m, struct flm_error *why)
{
    m->report = flm_report_new(why);
    if (!m->report)
        return NULL;
    add_facts(m);
    add_head(m);
    for (int i = 0; i < FLM_SIMILARITY_COUNT; i++)
        if (m->value[i])
            add_matrix(m, (enum flm_similarity_measure)i);
    add_list(m);
    return flm_report_finish(m->report, why);
}

struct flm_report *flm_report_similarity(const struct flm_run_set *set,
                                         const struct flm_similarity_options *options,
                                         struct flm_error *why)
{
    assert(set);
    struct flm_similarity_options o;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_similarity_options", why))
        return NULL;
    assert((size_t)o.measure < FLM_SIMILARITY_COUNT);
    struct making m = {.set = set, .measure = o.measure, .count = set->runs.run_count};
    struct flm_report *report = NULL;
    if (m.count < 2)
        flm_error_set(why, FLM_ERROR_USAGE, "a similarity is one of two profiles or more");
    else if (measure(&m, o.all_measures, o.threads > 0 ? o.threads : 1, why) &&
             find_order(&m, o.similar_first, why))
        report = make(&m, why);
    for (int i = 0; i < FLM_SIMILARITY_COUNT; i++)
        free(m.value[i]);
    free(m.order);
    return report;
}
