#include "store/core/head_tree.h"

#include <stdlib.h>

#include "algebra/operation/subset.h"
#include "flamel/algebra.h"

void flm_head_tree_clear(struct flm_head_tree *t)
{
    flm_profile_free(t->tree);
    free(t->moved);
    *t = (struct flm_head_tree){0};
}

/* Of all nodes: each has a value. */
static bool make(struct flm_head_tree *t, struct flm_head *head, struct flm_error *why)
{
    size_t count = head->nodes.count;
    double *self = malloc(count * sizeof *self);
    struct flm_head_tree made = {.moved = malloc(count * sizeof *made.moved), .node_count = count};
    for (size_t i = 0; self && i < count; i++)
        self[i] = 1;
    if (self && made.moved)
        made.tree = flm_head_profile(head, self, flm_bytes_of("nodes:count"), made.moved, why);
    else
        flm_error_memory(why);
    free(self);
    if (!made.tree) {
        free(made.moved);
        return false;
    }
    flm_head_tree_clear(t);
    *t = made;
    return true;
}

/* Adds up those that are in the tree, and in `late` the others. */
struct columns {
    double *self, *late;
    size_t count; /* values in `self` */
};

static bool add_up(const struct flm_head_tree *t, const struct flm_head *head,
                   const struct flm_head_value *values, size_t count, struct columns *out)
{
    if (t->tree && !(out->self = calloc(flm_profile_node_count(t->tree), sizeof *out->self)))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct flm_head_value *v = &values[i];
        if (v->node < t->node_count) {
            out->self[t->moved[v->node]] += v->value;
            out->count++;
            continue;
        }
        if (!out->late && !(out->late = calloc(head->nodes.count, sizeof *out->late)))
            return false;
        out->late[v->node] += v->value;
    }
    return true;
}

static struct flm_profile *sum_of(const struct flm_head_tree *t, double *self,
                                  struct flm_bytes type, struct flm_error *why)
{
    struct flm_column column = {.self = self};
    flm_head_type_parts(type, &column.name, &column.unit);
    return flm_subset(t->tree, &column, 1, NULL, why);
}

struct flm_profile *flm_head_tree_sum(struct flm_head_tree *t, struct flm_head *head,
                                      const struct flm_head_value *values, size_t count,
                                      struct flm_bytes type, struct flm_error *why)
{
    struct columns columns = {.self = NULL};
    struct flm_profile *parts[2] = {NULL, NULL}, *sum = NULL;
    if (t->late > head->nodes.count - t->node_count && !make(t, head, why))
        return NULL;
    bool good = add_up(t, head, values, count, &columns) || flm_error_memory(why);
    size_t made = 0;
    if (good && columns.count > 0)
        good = (parts[made++] = sum_of(t, columns.self, type, why)) != NULL;
    if (good && (columns.late || columns.count == 0)) {
        if (!columns.late)
            columns.late = calloc(head->nodes.count, sizeof *columns.late);
        parts[made] = columns.late ? flm_head_profile(head, columns.late, type, NULL, why) : NULL;
        good = parts[made] || (!columns.late && flm_error_memory(why));
        t->late += parts[made] ? flm_profile_node_count(parts[made]) : 0;
        made++;
    }
    if (good && made == 1)
        sum = parts[0];
    else if (good)
        sum = flm_align((const struct flm_profile *const *)parts, made, FLM_ALIGN_ADD, NULL, why);
    for (size_t i = 0; i < made; i++)
        if (parts[i] != sum)
            flm_profile_free(parts[i]);
    free(columns.self);
    free(columns.late);
    return sum;
}
