#include "viewer/scene/relations.h"

#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "base/core/sort.h"

/* Relations by function, as they are found. */
struct table {
    struct FLM_ARRAY(struct flm_relation) found;
    uint32_t *index_of; /* by function: 1 + its index; 0: none yet */
};

static bool add(struct table *table, uint32_t function, struct flm_node node, double total)
{
    uint32_t index = table->index_of[function];
    if (index == 0) {
        if (!FLM_ARRAY_ADD(&table->found, (struct flm_relation){.function = function}))
            return false;
        index = table->index_of[function] = (uint32_t)table->found.count;
    }
    struct flm_relation *relation = &table->found.at[index - 1];
    relation->total += total;
    if (total > relation->widest) {
        relation->widest = total;
        relation->node = node;
    }
    return true;
}

static int larger_first(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_relation *r = context;
    int order = (r[a].total < r[b].total) - (r[a].total > r[b].total);
    return order ? order : (r[a].function > r[b].function) - (r[a].function < r[b].function);
}

/* The relations in order, to be freed. */
static struct flm_relation *sorted(const struct table *table)
{
    size_t count = table->found.count;
    uint32_t *order = malloc(2 * count * sizeof *order + 1);
    struct flm_relation *made = malloc(count * sizeof *made + 1);
    if (order && made) {
        for (size_t i = 0; i < count; i++)
            order[i] = (uint32_t)i;
        flm_sort(order, count, order + count, larger_first, table->found.at);
        for (size_t i = 0; i < count; i++)
            made[i] = table->found.at[order[i]];
        free(order);
        return made;
    }
    free(order);
    free(made);
    return NULL;
}

static bool add_callees(struct table *callees, const struct flm_functions *functions,
                        const struct flm_layout *layout, uint32_t node)
{
    const struct flm_tree *tree = flm_layout_tree(layout);
    for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child]) {
        double total = flm_layout_total(layout, (struct flm_node){child});
        if (total != 0 &&
            !add(callees, functions->of_frame[tree->frame[child]], (struct flm_node){child}, total))
            return false;
    }
    return true;
}

static bool collect(struct table *callers, struct table *callees,
                    const struct flm_functions *functions, const struct flm_layout *layout,
                    uint32_t function)
{
    const struct flm_tree *tree = flm_layout_tree(layout);
    uint32_t first = functions->function[function].first_frame;
    uint32_t frames = functions->function[function].frame_count;
    for (uint32_t i = 1; i < tree->node_count;) {
        if (tree->frame[i] - first >= frames) {
            i++;
            continue;
        }
        double total = flm_layout_total(layout, (struct flm_node){i});
        struct flm_node parent = flm_layout_parent(layout, (struct flm_node){i});
        if (total != 0 &&
            (!add(callers, functions->of_frame[tree->frame[parent.index]], parent, total) ||
             !add_callees(callees, functions, layout, i)))
            return false;
        i = tree->end[i];
    }
    return true;
}

bool flm_relations_init(struct flm_relations *relations, const struct flm_functions *functions,
                        const struct flm_layout *layout, uint32_t function, struct flm_error *why)
{
    struct table callers = {.index_of = calloc(functions->count, sizeof *callers.index_of)};
    struct table callees = {.index_of = calloc(functions->count, sizeof *callees.index_of)};
    *relations = (struct flm_relations){0};
    bool ok = callers.index_of && callees.index_of &&
              collect(&callers, &callees, functions, layout, function);
    if (ok) {
        *relations =
            (struct flm_relations){sorted(&callers), sorted(&callees),
                                   (uint32_t)callers.found.count, (uint32_t)callees.found.count};
        ok = relations->caller && relations->callee;
    }
    FLM_ARRAY_CLEAR(&callers.found);
    FLM_ARRAY_CLEAR(&callees.found);
    free(callers.index_of);
    free(callees.index_of);
    if (ok)
        return true;
    flm_relations_clear(relations);
    return flm_error_memory(why);
}

void flm_relations_clear(struct flm_relations *relations)
{
    free(relations->caller);
    free(relations->callee);
    *relations = (struct flm_relations){0};
}
