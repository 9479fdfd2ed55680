/* builder_finish.c - from nodes in the order of their coming to the canonical profile.
 *
 * Child lists are linked backwards, from the last node to the first, so a node's children are
 * known, and known to be worth keeping, before the node itself is read. Then one walk from the
 * root puts each node's children in order and gives out the new numbers. Nodes that came with one
 * line of text lie next to each other, so both passes mostly move forward through memory. (Sorting
 * all nodes by frame and then by parent is simpler, and touched memory at random three times a
 * node: 2.5 times slower on 1e6 nodes.) */
#include "profile/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/sort.h"
#include "profile/joining.h"
#include "profile/metadata.h"

struct finishing {
    struct flm_builder *b;
    struct flm_error *why;

    uint32_t *first_child, *next_sibling; /* 0: none */
    unsigned char *frame_used;
    uint32_t kept; /* nodes, with the root */

    struct flm_metadata metadata;
    struct flm_profile *p;
};

static double *self_column(void *builder, uint32_t metric)
{
    return ((struct flm_builder *)builder)->metrics[metric].self;
}

/* The values of samples that are no doubles, but less than 2^32, do not sum to too much. */
static bool check_sums(const struct flm_builder *b, struct flm_error *why)
{
    for (uint32_t m = 0; m < b->metric_count; m++) {
        const struct flm_builder_metric *metric = &b->metrics[m];
        if (!flm_check_sums(flm_interner_text(&b->interner, metric->name), metric->self,
                            b->node_count, metric->sample_values.any.at,
                            metric->sample_values.any.count, why))
            return false;
    }
    return true;
}

static bool has_value(const struct flm_builder *b, uint32_t node)
{
    for (uint32_t m = 0; m < b->metric_count; m++)
        if (b->metrics[m].self[node] != 0)
            return true;
    return false;
}

/* Links the children that have a value below them, and marks their frames. */
static void link_children(struct finishing *f)
{
    struct flm_builder *b = f->b;
    const uint32_t sampled = 1; /* a mark in next_sibling, until the node is linked */
    for (uint32_t i = 0; i < b->sample_count; i++)
        f->next_sibling[flm_joining_sample_node(b, i)] = sampled;
    for (uint32_t i = 1; b->joining && i < b->joining->node_count; i++)
        if (b->joining->kept[i])
            f->next_sibling[b->joining->node[i]] = sampled;
    f->kept = 1;
    for (uint32_t i = b->node_count - 1; i > 0; i--) {
        if (!f->first_child[i] && !f->next_sibling[i] && !has_value(b, i))
            continue;
        struct flm_builder_node node = b->nodes[i];
        f->next_sibling[i] = f->first_child[node.parent];
        f->first_child[node.parent] = i;
        f->frame_used[node.frame] = 1;
        f->kept++;
    }
    f->frame_used[0] = 1;
    f->next_sibling[0] = 0;
}

struct sibling_order {
    const struct flm_builder_node *nodes;
    const uint32_t *frame_rank;
};

/* Descending, because they are taken from the end of a stack. */
static int order_siblings(const void *context, uint32_t a, uint32_t b)
{
    const struct sibling_order *o = context;
    uint32_t x = o->frame_rank[o->nodes[a].frame], y = o->frame_rank[o->nodes[b].frame];
    return (x < y) - (x > y);
}

/* A node whose subtree is being written. */
struct open_node {
    uint32_t node, index; /* of the builder; of the profile */
};

/* Nodes to visit, and nodes whose subtree is being written: two stacks that grow with the breadth
 * and the depth of the tree. */
struct walk {
    struct FLM_ARRAY(uint32_t) pending, scratch;
    struct FLM_ARRAY(struct open_node) open;
};

static bool push_children(const struct finishing *f, struct walk *w, uint32_t node)
{
    size_t first = w->pending.count;
    for (uint32_t child = f->first_child[node]; child; child = f->next_sibling[child]) {
        if (!FLM_ARRAY_ADD(&w->pending, child))
            return false;
    }
    size_t count = w->pending.count - first;
    if (count > 1) {
        if (!FLM_ARRAY_RESERVE(&w->scratch, count)) /* its count stays 0 */
            return false;
        struct sibling_order order = {f->b->nodes, f->metadata.ranking.frame_rank};
        flm_sort(w->pending.at + first, count, w->scratch.at, order_siblings, &order);
    }
    return true;
}

/* Writes the node columns; first_child[node] becomes the node's index in the profile. */
static bool write_nodes(struct finishing *f, struct walk *w)
{
    const struct flm_builder *b = f->b;
    struct flm_profile *p = f->p;
    uint32_t index = 0, node = 0;
    for (;;) {
        while (w->open.count > 0 && w->open.at[w->open.count - 1].node != b->nodes[node].parent)
            p->node_end[w->open.at[--w->open.count].index] = index;
        if (!push_children(f, w, node) || !FLM_ARRAY_ADD(&w->open, (struct open_node){node, index}))
            return false;
        p->node_frame[index] = f->metadata.ranking.frame_rank[b->nodes[node].frame];
        for (uint32_t m = 0; m < b->metric_count; m++)
            flm_self_column(p, m)[index] = b->metrics[m].self[node];
        f->first_child[node] = index++;
        if (w->pending.count == 0)
            break;
        node = w->pending.at[--w->pending.count];
    }
    while (w->open.count > 0)
        p->node_end[w->open.at[--w->open.count].index] = index;
    return true;
}

/* first_child has the nodes' indices; that of a node that was left out is 0. */
static bool write_depths(struct finishing *f)
{
    return !f->b->depths ||
           flm_recursion_set(f->p, f->b->depths, f->b->depths_count, f->first_child, f->why);
}

/* What nothing asks for once nodes are written: samples, which are written then, are most of a
 * profile, and have this memory. */
static void drop_nodes(struct finishing *f)
{
    struct flm_builder *b = f->b;
    free(f->next_sibling);
    free(b->nodes);
    f->next_sibling = NULL;
    b->nodes = NULL;
    for (uint32_t m = 0; m < b->metric_count; m++) {
        free(b->metrics[m].self);
        b->metrics[m].self = NULL;
    }
    flm_joining_drop_nodes(b->joining);
}

static bool finish(struct finishing *f)
{
    struct flm_builder *b = f->b;
    f->first_child = flm_new_zeroed(b->node_count, sizeof(uint32_t));
    f->next_sibling = flm_new_zeroed(b->node_count, sizeof(uint32_t));
    f->frame_used = calloc(b->interner.frame_count, 1);
    if (!f->first_child || !f->next_sibling || !f->frame_used)
        return flm_error_memory(f->why);
    link_children(f);
    if (!flm_metadata_start(&f->metadata, b, f->frame_used, f->why))
        return false;
    if (!flm_joining_rank(&f->metadata))
        return flm_error_memory(f->why);
    f->metadata.sizes.node_count = f->kept;
    f->p = flm_profile_allocate(&f->metadata.sizes, f->why);
    if (!f->p)
        return false;
    struct walk w = {0};
    bool written = write_nodes(f, &w);
    FLM_ARRAY_CLEAR(&w.pending);
    FLM_ARRAY_CLEAR(&w.scratch);
    FLM_ARRAY_CLEAR(&w.open);
    written = written && flm_joining_write(&f->metadata, f->p, f->first_child);
    drop_nodes(f);
    return written
               ? flm_metadata_write(&f->metadata, f->p, f->first_child, f->why) && write_depths(f)
               : flm_error_memory(f->why);
}

/* What the sums of a chunk lack to be exact goes with them; first_child has the nodes' indices. */
static bool keep_residuals(struct finishing *f)
{
    bool failed;
    f->p->residuals =
        flm_residuals_list(&f->b->residuals, f->first_child, &f->p->residual_count, &failed);
    return !failed || flm_error_memory(f->why);
}

static void round_sums(struct flm_builder *b, bool is_chunk)
{
    uint64_t rounded = flm_residuals_round(&b->residuals, self_column, b);
    b->rounded += is_chunk ? 0 : (double)rounded;
}

static struct flm_profile *finish_builder(struct flm_builder *b, bool is_chunk,
                                          struct flm_error *why)
{
    assert(b);
    struct finishing f = {.b = b, .why = why};
    bool finished = false;
    if (b->has_lines)
        flm_builder_note(b, FLM_NOTE_LINES, "those that ran", sizeof "those that ran" - 1);
    if (!b->failed)
        round_sums(b, is_chunk);
    if (!b->failed && !is_chunk && b->interner.location_count > 0) {
        if (!flm_builder_join(b))
            flm_builder_fail_memory(b);
        round_sums(b, false);
    }
    /* Only needed to find nodes: freed before the profile's columns are allocated. */
    free(b->slots);
    free(b->path_hash);
    b->slots = NULL;
    b->path_hash = NULL;
    if (!b->failed)
        finished = check_sums(b, why) && finish(&f) && (!is_chunk || keep_residuals(&f));
    else
        flm_builder_get_error(b, why);
    if (!finished && why && why->kind == FLM_ERROR_MEMORY)
        flm_builder_out_of_memory(b, why);
    free(f.first_child);
    free(f.next_sibling);
    free(f.frame_used);
    flm_metadata_clear(&f.metadata);
    flm_builder_free(b);
    if (!finished) {
        flm_profile_free(f.p);
        return NULL;
    }
    return f.p;
}

struct flm_profile *flm_builder_finish(struct flm_builder *builder, struct flm_error *why)
{
    return finish_builder(builder, false, why);
}

struct flm_profile *flm_builder_finish_chunk(struct flm_builder *b, struct flm_error *why)
{
    return finish_builder(b, true, why);
}
