#include "gate/rename/internal.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/operation/rebuild.h"
#include "algebra/operation/subset.h"
#include "profile/columns.h"

/* The tree with the frames renamed. Each old node has a sample in it, which follows the node: so
 * *moved receives where each node is now; the caller frees it. */
static struct flm_profile *rename_tree(const struct flm_profile *tree, const uint32_t *frame,
                                       uint32_t **moved, struct flm_error *why)
{
    struct flm_rebuild r;
    uint32_t count = tree->sizes.node_count;
    if (!flm_rebuild_start(&r, tree, why))
        return NULL;
    for (uint32_t i = 1; i < count; i++)
        r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], frame[i]);
    for (uint32_t i = 0; i < count; i++)
        flm_builder_keep_sample(r.builder, i, r.moved[i], 0);
    struct flm_profile *renamed = flm_rebuild_finish(&r, why);
    *moved = renamed ? malloc(count * sizeof **moved) : NULL;
    if (renamed && !*moved) {
        flm_error_memory(why);
        flm_profile_free(renamed);
        return NULL;
    }
    if (renamed)
        memcpy(*moved, renamed->sample_node, count * sizeof **moved);
    return renamed;
}

/* Without these samples. Every node has a value at or below it, so that all stay. */
static struct flm_profile *without_samples(const struct flm_profile *p, struct flm_error *why)
{
    struct flm_column *columns = flm_columns_copy(p);
    struct flm_profile *plain = NULL;
    if (!columns) {
        flm_error_memory(why);
        return NULL;
    }
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        free(columns[m].sample);
        columns[m].sample = NULL;
    }
    plain = flm_subset(p, columns, p->sizes.metric_count, NULL, why);
    flm_columns_free(columns, p->sizes.metric_count);
    return plain;
}

/* The values of a run to their new nodes, in the order of these. */
static void move_run(struct flm_runs *runs, const struct flm_run *run, const uint32_t *moved,
                     double *value)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = run->first; i < run->first + run->count; i++) {
        uint32_t node = moved[runs->node[i]];
        value[node] = runs->value[i];
        least = node < least ? node : least;
        most = node > most ? node : most;
    }
    size_t at = run->first;
    for (uint32_t node = least; at < run->first + run->count && node <= most; node++)
        if (value[node] > 0) {
            runs->node[at] = node;
            runs->value[at++] = value[node];
            value[node] = 0;
        }
}

bool flm_runs_rename(struct flm_runs *runs, const uint32_t *frame, uint32_t **moved,
                     struct flm_error *why)
{
    *moved = NULL;
    struct flm_profile *sampled = rename_tree(runs->tree, frame, moved, why);
    struct flm_profile *tree = sampled ? without_samples(sampled, why) : NULL;
    flm_profile_free(sampled);
    double *value = tree ? calloc(tree->sizes.node_count, sizeof *value) : NULL;
    if (!value) {
        if (tree)
            flm_error_memory(why);
        flm_profile_free(tree);
        free(*moved);
        *moved = NULL;
        return false;
    }
    for (uint32_t r = 0; r < runs->run_count; r++)
        move_run(runs, &runs->run[r], *moved, value);
    free(value);
    flm_profile_free(runs->tree);
    runs->tree = tree;
    return true;
}
