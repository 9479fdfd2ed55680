#include "viewer/scene/call_tree.h"

#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "viewer/scene/siblings.h"

struct flm_call_tree {
    const struct flm_pane *pane; /* borrowed, with all it has */
    const struct flm_layout *layout;
    const struct flm_lazy_tree *lazy;
    const uint32_t *frame;
    uint32_t node_count;
    double total;

    struct FLM_ARRAY(uint32_t) below;     /* by node: how many rows; 0: closed */
    struct FLM_ARRAY(unsigned char) open; /* by number: 1 where the user opened it */

    struct flm_siblings siblings;
    uint32_t followed; /* number; whose way was opened last */
};

struct flm_call_tree *flm_call_tree_new(void)
{
    return calloc(1, sizeof(struct flm_call_tree));
}

void flm_call_tree_free(struct flm_call_tree *tree)
{
    if (!tree)
        return;
    flm_siblings_clear(&tree->siblings);
    FLM_ARRAY_CLEAR(&tree->below);
    FLM_ARRAY_CLEAR(&tree->open);
    free(tree);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static unsigned char *open_flag(const struct flm_call_tree *tree, uint32_t node)
{
    return &tree->open.at[flm_pane_number(tree->pane, (struct flm_node){node})];
}

/* Callers that were not opened yet are not in the tree, but may be there. */
static bool has_children(const struct flm_call_tree *tree, uint32_t node)
{
    return flm_child_first(tree->layout, node) != FLM_NONE ||
           (tree->pane->lazy && !tree->pane->lazy_columns.is_open[node]);
}

static uint32_t count_below(const struct flm_call_tree *tree, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t child = flm_child_first(tree->layout, node); child != FLM_NONE;
         child = flm_child_next(tree->layout, node, child))
        count += 1 + tree->below.at[child];
    return count;
}

/* Sets the number of rows below a node, and corrects those of its open ancestors. */
static void set_below(struct flm_call_tree *tree, uint32_t node, uint32_t count)
{
    uint32_t change = count - tree->below.at[node]; /* modulo 2^32: may be less than before */
    tree->below.at[node] = count;
    while (node != 0) {
        node = flm_layout_parent(tree->layout, (struct flm_node){node}).index;
        if (node == FLM_NONE || !*open_flag(tree, node))
            return;
        tree->below.at[node] += change;
    }
}

static void count_all(struct flm_call_tree *tree, uint32_t first, uint32_t end)
{
    for (uint32_t i = end; i-- > first;)
        tree->below.at[i] = *open_flag(tree, i) ? count_below(tree, i) : 0;
}

/* ---- Showing --------------------------------------------------------------------------------- */

static bool make_room(struct flm_call_tree *tree, const struct flm_pane *pane, size_t numbers,
                      struct flm_error *why)
{
    size_t nodes = pane->tree.node_count, known = tree->below.count;
    if (nodes > known && !FLM_ARRAY_RESERVE(&tree->below, nodes - known))
        return flm_error_memory(why);
    tree->below.count = nodes;
    if (numbers <= tree->open.count)
        return true;
    size_t more = numbers - tree->open.count;
    if (!FLM_ARRAY_RESERVE(&tree->open, more))
        return flm_error_memory(why);
    memset(tree->open.at + tree->open.count, 0, more);
    tree->open.count = numbers;
    return true;
}

/* One above the largest number of the pane's nodes. */
static size_t count_numbers(const struct flm_pane *pane)
{
    uint32_t largest = pane->tree.node_count - 1;
    for (uint32_t i = 0; pane->lazy && i < pane->tree.node_count; i++)
        if (pane->lazy_columns.number[i] > largest)
            largest = pane->lazy_columns.number[i];
    return (size_t)largest + 1;
}

static uint32_t widest_child(const struct flm_call_tree *tree, uint32_t node, double *width)
{
    uint32_t widest = FLM_NONE;
    *width = 0;
    for (uint32_t child = flm_child_first(tree->layout, node); child != FLM_NONE;
         child = flm_child_next(tree->layout, node, child)) {
        double total = flm_layout_total(tree->layout, (struct flm_node){child});
        if (total > *width) {
            *width = total;
            widest = child;
        }
    }
    return widest;
}

/* The heaviest path follows the widest child while it has at least that share of the whole. */
#define NOISE 0.01

static void open_heaviest(struct flm_call_tree *tree)
{
    double width;
    for (uint32_t node = 0;;) {
        uint32_t child = widest_child(tree, node, &width);
        *open_flag(tree, node) = 1;
        if (child == FLM_NONE || width < NOISE * tree->total)
            return;
        node = child;
    }
}

bool flm_call_tree_show(struct flm_call_tree *tree, const struct flm_pane *pane,
                        struct flm_error *why)
{
    double total = flm_layout_total(pane->layout, (struct flm_node){0});
    /* Any of these can stand where another stood that is gone; not all of them. */
    if (tree->layout == pane->layout && tree->frame == pane->tree.frame &&
        tree->node_count == pane->tree.node_count && tree->total == total) {
        tree->pane = pane;
        return true;
    }
    flm_siblings_forget(&tree->siblings);
    /* Numbers mean other nodes where callers are unfolded, or are no more. */
    if (tree->lazy != pane->lazy && tree->open.count > 0)
        tree->open.count = 0;
    bool is_first = tree->open.count == 0;
    if (is_first)
        tree->followed = FLM_NONE;
    tree->layout = NULL;
    tree->node_count = 0;
    if (!make_room(tree, pane, count_numbers(pane), why))
        return false;
    tree->pane = pane;
    tree->layout = pane->layout;
    tree->lazy = pane->lazy;
    tree->frame = pane->tree.frame;
    tree->node_count = pane->tree.node_count;
    tree->total = total;
    if (is_first)
        open_heaviest(tree);
    count_all(tree, 0, tree->node_count);
    return true;
}

uint32_t flm_call_tree_count(const struct flm_call_tree *tree)
{
    return tree->layout ? tree->below.at[0] : 0;
}

bool flm_call_tree_is_open(const struct flm_call_tree *tree, struct flm_node node)
{
    return *open_flag(tree, node.index) != 0;
}

void flm_call_tree_open(struct flm_call_tree *tree, struct flm_node node)
{
    if (*open_flag(tree, node.index) || !has_children(tree, node.index))
        return;
    *open_flag(tree, node.index) = 1;
    set_below(tree, node.index, count_below(tree, node.index));
}

void flm_call_tree_close(struct flm_call_tree *tree, struct flm_node node)
{
    if (!*open_flag(tree, node.index) || node.index == 0)
        return;
    /* Before the flag is cleared: rows below a closed node count for no ancestor. */
    set_below(tree, node.index, 0);
    *open_flag(tree, node.index) = 0;
}

void flm_call_tree_open_all(struct flm_call_tree *tree, struct flm_node node)
{
    uint32_t end = tree->pane->tree.end[node.index];
    for (uint32_t i = node.index; i < end; i++)
        if (i + 1 < tree->pane->tree.end[i])
            *open_flag(tree, i) = 1;
    *open_flag(tree, node.index) = 1;
    count_all(tree, node.index + 1, end);
    set_below(tree, node.index, count_below(tree, node.index));
}

void flm_call_tree_reveal(struct flm_call_tree *tree, struct flm_node node)
{
    while (node.index != 0 && node.index != FLM_NONE) {
        node = flm_layout_parent(tree->layout, node);
        if (node.index != FLM_NONE)
            flm_call_tree_open(tree, node);
    }
}

void flm_call_tree_follow(struct flm_call_tree *tree, struct flm_node node)
{
    uint32_t number = flm_pane_number(tree->pane, node);
    if (number != tree->followed)
        flm_call_tree_reveal(tree, node);
    tree->followed = number;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Where a walk over the rows is: in the children of a node, at one of them. */
struct step {
    uint32_t parent, position;
};

struct walk FLM_ARRAY(struct step);

static bool enter(struct walk *walk, uint32_t parent)
{
    return FLM_ARRAY_ADD(walk, (struct step){parent, 0});
}

/* Passes over `skip` rows, whole siblings with all below them at a time. */
static bool go_to(struct flm_call_tree *tree, struct walk *walk, uint32_t skip)
{
    uint32_t node = 0;
    for (;;) {
        if (!enter(walk, node))
            return false;
        const struct flm_sorted_children *siblings =
            flm_siblings_below(&tree->siblings, tree->layout, node, NULL);
        if (!siblings)
            return false;
        uint32_t *position = &walk->at[walk->count - 1].position;
        while (*position < siblings->count && skip > tree->below.at[siblings->child[*position]])
            skip -= 1 + tree->below.at[siblings->child[(*position)++]];
        if (skip == 0 || *position == siblings->count)
            return true;
        skip--;
        node = siblings->child[(*position)++];
    }
}

bool flm_call_tree_rows(struct flm_call_tree *tree, uint32_t from, uint32_t count,
                        struct flm_call_row *rows, uint32_t *got, struct flm_error *why)
{
    struct walk walk = {0};
    *got = 0;
    if (from >= flm_call_tree_count(tree))
        return true;
    bool ok = go_to(tree, &walk, from);
    while (ok && *got < count && walk.count > 0) {
        struct step *step = &walk.at[walk.count - 1];
        const struct flm_sorted_children *siblings =
            flm_siblings_below(&tree->siblings, tree->layout, step->parent, NULL);
        if (!siblings) {
            ok = false;
        } else if (step->position == siblings->count) {
            walk.count--;
        } else {
            uint32_t node = siblings->child[step->position++];
            rows[(*got)++] = (struct flm_call_row){
                .node = {node},
                .level = (uint32_t)walk.count - 1,
                .set_size = siblings->count,
                .position = step->position,
                .has_children = has_children(tree, node),
                .is_open = *open_flag(tree, node) != 0,
            };
            if (tree->below.at[node] > 0)
                ok = enter(&walk, node);
        }
    }
    FLM_ARRAY_CLEAR(&walk);
    return ok || flm_error_memory(why);
}

uint32_t flm_call_tree_row_of(struct flm_call_tree *tree, struct flm_node node)
{
    uint32_t row = 0;
    if (!tree->layout || node.index == 0 || node.index >= tree->node_count ||
        flm_layout_total(tree->layout, node) == 0)
        return FLM_NONE;
    while (node.index != 0) {
        struct flm_node parent = flm_layout_parent(tree->layout, node);
        if (parent.index == FLM_NONE || !*open_flag(tree, parent.index))
            return FLM_NONE;
        const struct flm_sorted_children *siblings =
            flm_siblings_below(&tree->siblings, tree->layout, parent.index, NULL);
        if (!siblings)
            return FLM_NONE;
        for (uint32_t i = 0; siblings->child[i] != node.index; i++)
            row += 1 + tree->below.at[siblings->child[i]];
        row += parent.index != 0;
        node = parent;
    }
    return row;
}
