#include "viewer/scene/cached_tables.h"

#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"

void flm_cached_tables_forget_measures(struct flm_cached_tables *tables)
{
    free(tables->occurrences);
    tables->occurrences = NULL;
    tables->is_measured = false;
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

const struct flm_functions *flm_cached_tables_measured(struct flm_cached_tables *tables,
                                                       const struct flm_profile *p,
                                                       struct flm_metric metric,
                                                       struct flm_error *why)
{
    if (tables->is_measured)
        return &tables->functions;
    if (!flm_cached_tables_functions(tables, p, why) ||
        !flm_functions_measure(&tables->functions, p, metric, why) ||
        !count_places(tables, p, metric, why))
        return NULL;
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

static const char *const key_names[] = {"self", "total", "change", "name", "module"};

const char *flm_ranking_key_name(enum flm_ranking_key key)
{
    return key_names[key];
}

struct flm_ranking_order flm_ranking_order_of(struct flm_bytes text)
{
    bool turned = flm_bytes_start_with(text, "-");
    if (turned)
        text = (struct flm_bytes){text.at + 1, text.size - 1};
    for (int key = 0; key < FLM_RANK_KEYS; key++)
        if (flm_bytes_are(text, key_names[key]))
            return (struct flm_ranking_order){(enum flm_ranking_key)key,
                                              (key < FLM_RANK_NAME) != turned};
    return (struct flm_ranking_order){FLM_RANK_SELF, true};
}

/* Functions are in name order, and modules are strings in the order of names. */
static int by_module(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_function *function = context;
    uint32_t x = function[a].module, y = function[b].module;
    return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}

static bool sort_by_module(const struct flm_functions *functions, uint32_t *ranking, uint32_t count)
{
    uint32_t *scratch = malloc((size_t)count * sizeof *scratch + 1);
    if (scratch)
        flm_sort(ranking, count, scratch, by_module, functions->function);
    free(scratch);
    return scratch != NULL;
}

static void turn_round(uint32_t *ranking, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t other = ranking[count - 1 - i];
        ranking[count - 1 - i] = ranking[i];
        ranking[i] = other;
    }
}

static uint32_t rank(const struct flm_functions *functions, struct flm_ranking_order order,
                     uint32_t *ranking)
{
    static const enum flm_function_order by[] = {FLM_FUNCTIONS_BY_SELF, FLM_FUNCTIONS_BY_TOTAL,
                                                 FLM_FUNCTIONS_BY_TOTAL, FLM_FUNCTIONS_BY_NAME,
                                                 FLM_FUNCTIONS_BY_NAME};
    uint32_t count = flm_functions_sort(functions, by[order.key], ranking);
    if (count == FLM_NONE)
        return FLM_NONE;
    if (order.key == FLM_RANK_MODULE && !sort_by_module(functions, ranking, count))
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
        ranking->count = made ? rank(functions, order, made) : FLM_NONE;
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
