#include "gate/runs/reduction.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/sort.h"
#include "base/number/sum.h"
#include "profile/columns.h"

/* ---- Order ----------------------------------------------------------------------------------- */

struct ordering {
    const struct flm_profile *tree;
    const struct flm_reduced_stack *stack;
    uint32_t *parent;
    uint32_t *path[2]; /* of two stacks that are compared: nodes, from the outermost on */
};

static uint32_t find_path(const struct ordering *o, uint32_t node, uint32_t *path)
{
    uint32_t depth = 0;
    for (uint32_t at = node; at != 0; at = o->parent[at])
        depth++;
    for (uint32_t at = node, i = depth; at != 0; at = o->parent[at])
        path[--i] = at;
    return depth;
}

/* A folded stack, read byte by byte. */
struct reading {
    const struct flm_profile *tree;
    const uint32_t *path;
    uint32_t depth, level;
    size_t at;
};

/* The next byte; -1 after the last. */
static int next_byte(struct reading *r)
{
    if (r->level == r->depth)
        return -1;
    struct flm_bytes name = flm_frame_function(r->tree, r->tree->node_frame[r->path[r->level]]);
    if (r->at < name.size)
        return (unsigned char)name.at[r->at++];
    r->at = 0;
    r->level++;
    return r->level < r->depth ? ';' : -1;
}

/* As the texts of folded stacks, which is not the order of the tree: "a b" is before "a;b". */
static int order_paths(const struct ordering *o, uint32_t a, uint32_t b)
{
    struct reading x = {o->tree, o->path[0], find_path(o, a, o->path[0]), 0, 0};
    struct reading y = {o->tree, o->path[1], find_path(o, b, o->path[1]), 0, 0};
    int left, right;
    do {
        left = next_byte(&x);
        right = next_byte(&y);
    } while (left == right && left >= 0);
    return left != right ? left - right : (a > b) - (a < b);
}

static int order_stacks(const void *context, uint32_t a, uint32_t b)
{
    const struct ordering *o = context;
    const struct flm_reduced_stack *x = &o->stack[a], *y = &o->stack[b];
    if (x->seen != y->seen)
        return x->seen > y->seen ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return order_paths(o, x->node, y->node);
}

static uint32_t deepest(const struct flm_profile *tree, const uint32_t *parent, uint32_t *depth)
{
    uint32_t most = 0;
    depth[0] = 0;
    for (uint32_t i = 1; i < tree->sizes.node_count; i++) {
        depth[i] = depth[parent[i]] + 1;
        most = depth[i] > most ? depth[i] : most;
    }
    return most;
}

/* Puts the stacks in order. */
static bool sort_stacks(struct flm_reduction *r, const struct flm_profile *tree)
{
    size_t nodes = tree->sizes.node_count, count = r->distinct_count;
    struct ordering o = {
        .tree = tree, .stack = r->stack, .parent = malloc(nodes * sizeof(uint32_t))};
    uint32_t *depth = malloc(nodes * sizeof *depth);
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    struct flm_reduced_stack *sorted = malloc(count * sizeof *sorted + 1);
    bool room = o.parent && depth && order && sorted;
    if (room) {
        flm_profile_parents(tree, o.parent);
        uint32_t most = deepest(tree, o.parent, depth);
        o.path[0] = malloc(2 * (most + (size_t)1) * sizeof(uint32_t));
        o.path[1] = o.path[0] ? o.path[0] + most + 1 : NULL;
        room = o.path[0] != NULL;
    }
    if (room) {
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        flm_sort(order, count, order + count, order_stacks, &o);
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = r->stack[order[i]];
        memcpy(r->stack, sorted, count * sizeof *sorted);
    }
    free(o.parent);
    free(o.path[0]);
    free(depth);
    free(order);
    free(sorted);
    return room;
}

/* ---- Which stay ------------------------------------------------------------------------------ */

/* By node: in how many runs, and how much. */
static bool count_stacks(struct flm_reduction *r, const struct flm_runs *runs)
{
    uint32_t nodes = runs->tree->sizes.node_count;
    uint32_t *seen = calloc(nodes, sizeof *seen);
    double *total = calloc(nodes, sizeof *total);
    if (seen && total) {
        const struct flm_run *last = &runs->run[runs->run_count - 1];
        for (size_t i = 0; i < last->first + last->count; i++) {
            seen[runs->node[i]]++;
            total[runs->node[i]] += runs->value[i];
        }
        for (uint32_t i = 0; i < nodes; i++)
            r->distinct_count += seen[i] > 0;
        r->stack = malloc(r->distinct_count * sizeof *r->stack + 1);
    }
    for (uint32_t i = 0, made = 0; r->stack && i < nodes; i++)
        if (seen[i] > 0)
            r->stack[made++] = (struct flm_reduced_stack){i, seen[i], total[i]};
    free(seen);
    free(total);
    return r->stack != NULL;
}

/* The column of each node; that of "(other)" for those that are not kept. */
static uint32_t *columns_of(const struct flm_reduction *r, const struct flm_runs *runs)
{
    uint32_t nodes = runs->tree->sizes.node_count;
    uint32_t *column = malloc(nodes * sizeof *column);
    for (uint32_t i = 0; column && i < nodes; i++)
        column[i] = r->count;
    for (uint32_t i = 0; column && i < r->count; i++)
        column[r->stack[i].node] = i;
    return column;
}

static bool measure_rest(struct flm_reduction *r, const struct flm_runs *runs)
{
    uint32_t *column = columns_of(r, runs);
    struct flm_sum left_out[2] = {{0}};
    for (uint32_t i = 0; column && i < runs->run_count; i++) {
        const struct flm_run *run = &runs->run[i];
        for (size_t k = run->first; k < run->first + run->count; k++)
            if (column[runs->node[k]] == r->count)
                flm_sum_add(&left_out[run->is_new], runs->value[k]);
    }
    free(column);
    r->base_left_out = runs->base_count ? flm_sum_of(&left_out[0]) / runs->base_count : 0;
    r->new_left_out = runs->new_count ? flm_sum_of(&left_out[1]) / runs->new_count : 0;
    return column != NULL;
}

bool flm_reduction_init(struct flm_reduction *r, const struct flm_runs *runs, uint32_t threshold,
                        uint32_t most, struct flm_error *why)
{
    assert(r && runs && runs->tree);
    *r = (struct flm_reduction){0};
    bool room = count_stacks(r, runs) && sort_stacks(r, runs->tree);
    while (room && r->count < r->distinct_count && r->stack[r->count].seen >= threshold &&
           (most == 0 || r->count < most))
        r->count++;
    if (room && measure_rest(r, runs))
        return true;
    flm_reduction_clear(r);
    return flm_error_memory(why);
}

void flm_reduction_clear(struct flm_reduction *r)
{
    free(r->stack);
    *r = (struct flm_reduction){0};
}

bool flm_reduction_matrix(const struct flm_reduction *r, const struct flm_runs *runs,
                          struct flm_matrix *matrix, struct flm_error *why)
{
    assert(r && runs && matrix);
    *matrix = (struct flm_matrix){.run_count = runs->run_count, .column_count = r->count + 1};
    uint32_t *column = columns_of(r, runs);
    matrix->value = calloc((size_t)matrix->column_count * matrix->run_count, sizeof(double));
    for (uint32_t i = 0; column && matrix->value && i < runs->run_count; i++) {
        const struct flm_run *run = &runs->run[i];
        for (size_t k = run->first; k < run->first + run->count; k++)
            flm_matrix_column(matrix, column[runs->node[k]])[i] += runs->value[k];
    }
    free(column);
    if (column && matrix->value)
        return true;
    free(matrix->value);
    *matrix = (struct flm_matrix){0};
    return flm_error_memory(why);
}
