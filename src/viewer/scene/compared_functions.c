/* compared_functions.c - functions before and after, and those that are gone:
 * flm_compared_functions, flm_compared_ranking (compared.h). */
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "viewer/scene/compared.h"
#include "viewer/scene/scene.h"

static bool measure(struct flm_functions *functions, const struct flm_profile *p,
                    struct flm_metric metric, struct flm_error *why)
{
    return flm_functions_init(functions, p, why) &&
           flm_functions_measure(functions, p, metric, why);
}

const struct flm_functions *flm_compared_functions(const struct flm_model *model,
                                                   const struct flm_scene *scene,
                                                   struct flm_error *why)
{
    struct flm_compared *c = scene->compared;
    const struct flm_profile *p = flm_model_shown(model);
    struct flm_metric_pair significant;
    if (c->before.function)
        return &c->before;
    bool has_significant =
        c->comparison.lost && flm_metric_pair_significant(p, &c->pair, &significant);
    if ((!has_significant || (measure(&c->lost, p, significant.before, why) &&
                              measure(&c->gained, p, significant.after, why))) &&
        measure(&c->before, p, c->pair.before, why))
        return &c->before;
    flm_functions_clear(&c->before);
    flm_functions_clear(&c->lost);
    flm_functions_clear(&c->gained);
    return NULL;
}

struct flm_change flm_compared_function(const struct flm_scene *scene, uint32_t function,
                                        bool of_self)
{
    const struct flm_compared *c = scene->compared;
    const struct flm_function *before = &c->before.function[function];
    const struct flm_function *after = &scene->tables.functions.function[function];
    double lost = 0, gained = 0;
    if (c->lost.function) {
        const struct flm_function *l = &c->lost.function[function];
        const struct flm_function *g = &c->gained.function[function];
        lost = of_self ? l->self : l->total;
        gained = of_self ? g->self : g->total;
    }
    return of_self ? flm_comparison_judge_significant(&c->comparison, before->self, after->self,
                                                      lost, gained)
                   : flm_comparison_judge_significant(&c->comparison, before->total, after->total,
                                                      lost, gained);
}

/* How much each function changed. */
struct changes {
    const double *size;
};

static int by_size(const void *context, uint32_t a, uint32_t b)
{
    const struct changes *changes = context;
    double x = changes->size[a], y = changes->size[b];
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

/* Sorts a list of functions, the largest change first. */
static bool sort(const struct flm_scene *scene, bool of_self, uint32_t *list, uint32_t count)
{
    uint32_t functions = scene->tables.functions.count;
    double *size = malloc(functions * sizeof *size);
    uint32_t *scratch = malloc((size_t)count * sizeof *scratch + 1);
    for (uint32_t i = 0; size && i < functions; i++) {
        struct flm_change change = flm_compared_function(scene, i, of_self);
        size[i] = fabs(change.after - change.before);
    }
    struct changes changes = {size};
    if (size && scratch)
        flm_sort(list, count, scratch, by_size, &changes);
    bool sorted = size && scratch;
    free(size);
    free(scratch);
    return sorted;
}

static bool has_value(const struct flm_function *function)
{
    return function->total != 0 || function->self != 0;
}

const uint32_t *flm_compared_ranking(const struct flm_model *model, const struct flm_scene *scene,
                                     const uint32_t *ranking, struct flm_ranking_order order,
                                     uint32_t *count, struct flm_error *why)
{
    struct flm_compared *c = scene->compared;
    const struct flm_functions *after = &scene->tables.functions;
    if (!flm_compared_functions(model, scene, why))
        return NULL;
    if (c->ranking && c->ranked.key == order.key && c->ranked.down == order.down) {
        *count = c->ranking_count;
        return c->ranking;
    }
    uint32_t *list = malloc(after->count * sizeof *list), made = *count;
    if (!list) {
        flm_error_memory(why);
        return NULL;
    }
    memcpy(list, ranking, made * sizeof *list);
    for (uint32_t i = 1; i < after->count; i++)
        if (!has_value(&after->function[i]) && has_value(&c->before.function[i]))
            list[made++] = i;
    bool all = order.key == FLM_RANK_CHANGE || order.key == FLM_RANK_SELF_CHANGE;
    if (!sort(scene, flm_ranking_is_of_self(order), list + (all ? 0 : *count),
              all ? made : made - *count)) {
        free(list);
        flm_error_memory(why);
        return NULL;
    }
    for (uint32_t i = 0; all && !order.down && i < made / 2; i++) {
        uint32_t other = list[made - 1 - i];
        list[made - 1 - i] = list[i];
        list[i] = other;
    }
    free(c->ranking);
    c->ranking = list;
    c->ranking_count = *count = made;
    c->ranked = order;
    return list;
}
