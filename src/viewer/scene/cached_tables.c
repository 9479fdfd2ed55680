#include "viewer/scene/cached_tables.h"

#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"

void flm_cached_tables_forget_measures(struct flm_cached_tables *tables)
{
    free(tables->occurrences);
    free(tables->samples);
    free(tables->shown_names.function);
    tables->shown_names = (struct flm_ranked){0};
    tables->occurrences = NULL;
    tables->samples = NULL;
    tables->is_measured = tables->has_chain = false;
    for (int key = 0; key < FLM_RANK_KEYS; key++)
        for (int down = 0; down < 2; down++) {
            free(tables->ranking[key][down].function);
            tables->ranking[key][down] = (struct flm_ranked){0};
        }
}

void flm_cached_tables_clear(struct flm_cached_tables *tables)
{
    flm_cached_tables_forget_measures(tables);
    if (tables->has_functions)
        flm_functions_clear(&tables->functions);
    if (tables->has_summary)
        flm_summary_clear(&tables->summary);
    flm_presets_clear(&tables->presets);
    flm_call_tree_free(tables->call_tree);
    *tables = (struct flm_cached_tables){0};
}

const struct flm_functions *flm_cached_tables_functions(struct flm_cached_tables *tables,
                                                        const struct flm_profile *p,
                                                        struct flm_error *why)
{
    if (!tables->has_functions)
        tables->has_functions = flm_functions_init(&tables->functions, p, why);
    return tables->has_functions ? &tables->functions : NULL;
}

/* The nodes of each function that have a value, or something below them that has: those that are
 * drawn. A node with children that cancel out in a difference is drawn too, so this looks for any
 * value in the subtree: from the last node back, where the next value stands. */
static bool count_places(struct flm_cached_tables *tables, const struct flm_profile *p,
                         struct flm_metric metric, struct flm_error *why)
{
    const double *self = flm_self_column(p, metric.index);
    uint32_t *occurrences = calloc(tables->functions.count, sizeof *occurrences);
    if (!occurrences)
        return flm_error_memory(why);
    uint32_t next = FLM_NONE; /* the first node from here on that has a value */
    for (uint32_t i = p->sizes.node_count; i-- > 0;) {
        if (self[i] != 0)
            next = i;
        if (next < p->node_end[i])
            occurrences[tables->functions.of_frame[p->node_frame[i]]]++;
    }
    tables->occurrences = occurrences;
    return true;
}

/* The metric that counts samples; FLM_NONE where there is none, or it is the one that is shown. */
static struct flm_metric samples_of(const struct flm_profile *p, struct flm_metric shown)
{
    struct flm_metric samples = flm_profile_metric_named(p, "samples");
    if (samples.index == shown.index)
        samples.index = FLM_NONE;
    return samples;
}

/* The functions are measured twice, and keep the second result. */
static bool count_samples(struct flm_cached_tables *tables, const struct flm_profile *p,
                          struct flm_metric shown, struct flm_error *why)
{
    struct flm_functions *functions = &tables->functions;
    struct flm_metric samples = samples_of(p, shown);
    if (samples.index == FLM_NONE)
        return true;
    if (!flm_functions_measure(functions, p, samples, why))
        return false;
    tables->samples = malloc(functions->count * sizeof *tables->samples);
    if (!tables->samples)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < functions->count; i++)
        tables->samples[i] = functions->function[i].total;
    return true;
}

/* Self and total share one scale, so that they can be compared. Decimals are those that single
 * stacks need: their sums need no others. */
static void find_scale(struct flm_cached_tables *tables, const struct flm_profile *p,
                       struct flm_metric metric)
{
    double largest = 0;
    const double *values = flm_self_column(p, metric.index);
    for (uint32_t i = 0; i < tables->functions.count; i++)
        largest = fmax(largest, fabs(tables->functions.function[i].total));
    flm_scale_init(&tables->scale, largest, FLM_DIGITS_OF_TABLES,
                   flm_string_bytes(p, p->metrics[metric.index].unit));
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        if (!flm_scale_add(&tables->scale, values[i]))
            return;
}

const struct flm_functions *flm_cached_tables_measured(struct flm_cached_tables *tables,
                                                       const struct flm_profile *p,
                                                       struct flm_metric metric,
                                                       struct flm_error *why)
{
    if (tables->is_measured)
        return &tables->functions;
    if (!flm_cached_tables_functions(tables, p, why) || !count_samples(tables, p, metric, why) ||
        !flm_functions_measure(&tables->functions, p, metric, why) ||
        !count_places(tables, p, metric, why)) {
        free(tables->samples);
        tables->samples = NULL;
        return NULL;
    }
    find_scale(tables, p, metric);
    tables->is_measured = true;
    return &tables->functions;
}

const struct flm_summary *flm_cached_tables_summary(struct flm_cached_tables *tables,
                                                    const struct flm_profile *p,
                                                    struct flm_error *why)
{
    if (!tables->has_summary)
        tables->has_summary = flm_summary_init(&tables->summary, p, why);
    return tables->has_summary ? &tables->summary : NULL;
}

const struct flm_presets *flm_cached_tables_presets(struct flm_cached_tables *tables,
                                                    const struct flm_profile *p,
                                                    struct flm_error *why)
{
    if (!tables->has_presets)
        tables->has_presets = flm_presets_init(&tables->presets, p, why);
    return tables->has_presets ? &tables->presets : NULL;
}

/* Of what is narrower than a hundredth, nobody sees how deep it is. */
const struct flm_chain *flm_cached_tables_chain(struct flm_cached_tables *tables,
                                                const struct flm_profile *p,
                                                struct flm_metric metric, struct flm_error *why)
{
    const struct flm_summary *summary =
        tables->has_chain ? NULL : flm_cached_tables_summary(tables, p, why);
    if (summary)
        tables->has_chain = flm_chain_find(p, metric, summary->metric[metric.index].size / 100,
                                           &tables->chain, why);
    return tables->has_chain ? &tables->chain : NULL;
}

struct flm_call_tree *flm_cached_tables_call_tree(struct flm_cached_tables *tables,
                                                  const struct flm_pane *pane,
                                                  struct flm_error *why)
{
    if (!tables->call_tree)
        tables->call_tree = flm_call_tree_new();
    if (!tables->call_tree)
        flm_error_memory(why);
    return tables->call_tree && flm_call_tree_show(tables->call_tree, pane, why) ? tables->call_tree
                                                                                 : NULL;
}

/* ---- Rankings -------------------------------------------------------------------------------- */

static const struct flm_choice keys[] = {
    [FLM_RANK_SELF] = {"self", "Self", NULL},
    [FLM_RANK_TOTAL] = {"total", "Total", NULL},
    [FLM_RANK_SAMPLES] = {"samples", "Samples", NULL},
    [FLM_RANK_CHANGE] = {"change", "Change of total", NULL},
    [FLM_RANK_SELF_CHANGE] = {"self-change", "Change of self", NULL},
    [FLM_RANK_NAME] = {"name", "Function", NULL},
    [FLM_RANK_MODULE] = {"module", "Module", NULL},
    [FLM_RANK_FILE] = {"file", "File", NULL},
};

const char *flm_ranking_key_name(enum flm_ranking_key key)
{
    return keys[key].name;
}

struct flm_choice flm_ranking_choice(size_t i)
{
    return i < FLM_RANK_KEYS ? keys[i] : (struct flm_choice){0};
}

struct flm_ranking_order flm_ranking_order_of(struct flm_bytes text)
{
    bool turned = flm_bytes_start_with(text, "-");
    if (turned)
        text = (struct flm_bytes){text.at + 1, text.size - 1};
    for (int key = 0; key < FLM_RANK_KEYS; key++)
        if (flm_bytes_are(text, keys[key].name))
            return (struct flm_ranking_order){(enum flm_ranking_key)key,
                                              (key < FLM_RANK_NAME) != turned};
    return (struct flm_ranking_order){FLM_RANK_SELF, true};
}

/* What functions are sorted by, apart from self, total and name: larger is later. */
struct sorting {
    const double *rank; /* by function */
};

/* Functions are in name order. */
static int by_rank(const void *context, uint32_t a, uint32_t b)
{
    const double *rank = ((const struct sorting *)context)->rank;
    return rank[a] != rank[b] ? (rank[a] > rank[b]) - (rank[a] < rank[b]) : (a > b) - (a < b);
}

/* Modules and files are strings in the order of names; those without one stand last. */
static double rank_of(const struct flm_cached_tables *tables, const struct flm_profile *p,
                      enum flm_ranking_key key, uint32_t function)
{
    const struct flm_function *f = &tables->functions.function[function];
    uint32_t string = key == FLM_RANK_MODULE ? f->module : p->frames[f->first_frame].file;
    if (key == FLM_RANK_SAMPLES)
        return -tables->samples[function];
    return string ? string : INFINITY;
}

static bool sort_by_rank(const struct flm_cached_tables *tables, const struct flm_profile *p,
                         enum flm_ranking_key key, uint32_t *ranking, uint32_t count)
{
    uint32_t *scratch = malloc((size_t)count * sizeof *scratch + 1);
    double *rank = malloc(tables->functions.count * sizeof *rank);
    if (scratch && rank) {
        struct sorting sorting = {rank};
        for (uint32_t i = 0; i < count; i++)
            rank[ranking[i]] = rank_of(tables, p, key, ranking[i]);
        flm_sort(ranking, count, scratch, by_rank, &sorting);
    }
    bool sorted = scratch && rank;
    free(scratch);
    free(rank);
    return sorted;
}

static void turn_round(uint32_t *ranking, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t other = ranking[count - 1 - i];
        ranking[count - 1 - i] = ranking[i];
        ranking[i] = other;
    }
}

static uint32_t rank(const struct flm_cached_tables *tables, const struct flm_profile *p,
                     struct flm_ranking_order order, uint32_t *ranking)
{
    static const enum flm_function_order by[] = {
        [FLM_RANK_SELF] = FLM_FUNCTIONS_BY_SELF,        [FLM_RANK_TOTAL] = FLM_FUNCTIONS_BY_TOTAL,
        [FLM_RANK_SAMPLES] = FLM_FUNCTIONS_BY_NAME,     [FLM_RANK_CHANGE] = FLM_FUNCTIONS_BY_TOTAL,
        [FLM_RANK_SELF_CHANGE] = FLM_FUNCTIONS_BY_SELF, [FLM_RANK_NAME] = FLM_FUNCTIONS_BY_NAME,
        [FLM_RANK_MODULE] = FLM_FUNCTIONS_BY_NAME,      [FLM_RANK_FILE] = FLM_FUNCTIONS_BY_NAME};
    if (order.key == FLM_RANK_SAMPLES && !tables->samples)
        order.key = FLM_RANK_TOTAL;
    uint32_t count = flm_functions_sort(&tables->functions, by[order.key], ranking);
    bool is_ranked =
        order.key == FLM_RANK_MODULE || order.key == FLM_RANK_FILE || order.key == FLM_RANK_SAMPLES;
    if (count == FLM_NONE || (is_ranked && !sort_by_rank(tables, p, order.key, ranking, count)))
        return FLM_NONE;
    bool is_down = order.key < FLM_RANK_NAME;
    if (is_down != order.down)
        turn_round(ranking, count);
    return count;
}

const uint32_t *flm_cached_tables_ranking(struct flm_cached_tables *tables,
                                          const struct flm_profile *p, struct flm_metric metric,
                                          struct flm_ranking_order order, uint32_t *count,
                                          struct flm_error *why)
{
    const struct flm_functions *functions = flm_cached_tables_measured(tables, p, metric, why);
    if (!functions)
        return NULL;
    struct flm_ranked *ranking = &tables->ranking[order.key][order.down];
    if (!ranking->function) {
        uint32_t *made = malloc(functions->count * sizeof *made);
        ranking->count = made ? rank(tables, p, order, made) : FLM_NONE;
        if (ranking->count == FLM_NONE) {
            free(made);
            flm_error_memory(why);
            return NULL;
        }
        ranking->function = made;
    }
    *count = ranking->count;
    return ranking->function;
}
