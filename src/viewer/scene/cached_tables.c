#include "viewer/scene/cached_tables.h"

#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"

void flm_figures_forget_measures(struct flm_figures *figures)
{
    free(figures->places);
    figures->places = NULL;
    figures->is_measured = false;
    for (int key = 0; key < FLM_RANK_KEYS; key++)
        for (int down = 0; down < 2; down++) {
            free(figures->ranking[key][down].function);
            figures->ranking[key][down] = (struct flm_ranked){0};
        }
}

void flm_figures_clear(struct flm_figures *figures)
{
    flm_figures_forget_measures(figures);
    if (figures->has_functions)
        flm_functions_clear(&figures->functions);
    if (figures->has_summary)
        flm_summary_clear(&figures->summary);
    flm_presets_clear(&figures->presets);
    flm_call_tree_free(figures->call_tree);
    *figures = (struct flm_figures){0};
}

const struct flm_functions *flm_figures_functions(struct flm_figures *figures,
                                                  const struct flm_profile *p,
                                                  struct flm_error *why)
{
    if (!figures->has_functions)
        figures->has_functions = flm_functions_init(&figures->functions, p, why);
    return figures->has_functions ? &figures->functions : NULL;
}

/* The nodes of each function that have a value, or something below them that has: those that are
 * drawn. A node with children that cancel out in a difference is drawn too, so this looks for any
 * value in the subtree: from the last node back, where the next value stands. */
static bool count_places(struct flm_figures *figures, const struct flm_profile *p,
                         struct flm_metric metric, struct flm_error *why)
{
    const double *self = flm_self_column(p, metric.index);
    uint32_t *places = calloc(figures->functions.count, sizeof *places);
    if (!places)
        return flm_error_memory(why);
    uint32_t next = FLM_NONE; /* the first node from here on that has a value */
    for (uint32_t i = p->sizes.node_count; i-- > 0;) {
        if (self[i] != 0)
            next = i;
        if (next < p->node_end[i])
            places[figures->functions.of_frame[p->node_frame[i]]]++;
    }
    figures->places = places;
    return true;
}

const struct flm_functions *flm_figures_measured(struct flm_figures *figures,
                                                 const struct flm_profile *p,
                                                 struct flm_metric metric, struct flm_error *why)
{
    if (figures->is_measured)
        return &figures->functions;
    if (!flm_figures_functions(figures, p, why) ||
        !flm_functions_measure(&figures->functions, p, metric, why) ||
        !count_places(figures, p, metric, why))
        return NULL;
    figures->is_measured = true;
    return &figures->functions;
}

const struct flm_summary *flm_figures_summary(struct flm_figures *figures,
                                              const struct flm_profile *p, struct flm_error *why)
{
    if (!figures->has_summary)
        figures->has_summary = flm_summary_init(&figures->summary, p, why);
    return figures->has_summary ? &figures->summary : NULL;
}

const struct flm_presets *flm_figures_presets(struct flm_figures *figures,
                                              const struct flm_profile *p, struct flm_error *why)
{
    if (!figures->has_presets)
        figures->has_presets = flm_presets_init(&figures->presets, p, why);
    return figures->has_presets ? &figures->presets : NULL;
}

struct flm_call_tree *flm_figures_call_tree(struct flm_figures *figures,
                                            const struct flm_pane *pane, struct flm_error *why)
{
    if (!figures->call_tree)
        figures->call_tree = flm_call_tree_new();
    if (!figures->call_tree)
        flm_error_memory(why);
    return figures->call_tree && flm_call_tree_show(figures->call_tree, pane, why)
               ? figures->call_tree
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

const uint32_t *flm_figures_ranking(struct flm_figures *figures, const struct flm_profile *p,
                                    struct flm_metric metric, struct flm_ranking_order order,
                                    uint32_t *count, struct flm_error *why)
{
    const struct flm_functions *functions = flm_figures_measured(figures, p, metric, why);
    if (!functions)
        return NULL;
    struct flm_ranked *ranking = &figures->ranking[order.key][order.down];
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
