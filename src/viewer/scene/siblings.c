#include "viewer/scene/siblings.h"

#include <stdlib.h>

#include "base/core/bytes.h"
#include "base/core/sort.h"

/* Fewer are sorted again each time. */
enum { MANY = 256 };

/* From `child` on, among the children of `node`. */
static uint32_t child_from(const struct flm_layout *layout, uint32_t node, uint32_t child)
{
    const struct flm_tree *tree = flm_layout_tree(layout);
    for (; child < tree->end[node]; child = tree->end[child])
        if (!flm_tree_is_gap(tree, child) &&
            flm_layout_total(layout, (struct flm_node){child}) != 0)
            return child;
    return FLM_NONE;
}

uint32_t flm_child_first(const struct flm_layout *layout, uint32_t node)
{
    return child_from(layout, node, node + 1);
}

uint32_t flm_child_next(const struct flm_layout *layout, uint32_t node, uint32_t child)
{
    return child_from(layout, node, flm_layout_tree(layout)->end[child]);
}

void flm_siblings_forget(struct flm_siblings *siblings)
{
    for (size_t i = 0; i < siblings->kept.count; i++)
        free(siblings->kept.at[i].child);
    siblings->kept.count = 0;
    siblings->has_last = false;
}

void flm_siblings_clear(struct flm_siblings *siblings)
{
    flm_siblings_forget(siblings);
    FLM_ARRAY_CLEAR(&siblings->kept);
    free(siblings->last.child);
    free(siblings->width);
    free(siblings->order);
    free(siblings->scratch);
    *siblings = (struct flm_siblings){0};
}

static int wider_first(const void *context, uint32_t a, uint32_t b)
{
    const double *width = context;
    return (width[a] < width[b]) - (width[a] > width[b]);
}

static bool make_sort_room(struct flm_siblings *s, size_t count)
{
    if (count <= s->sort_capacity)
        return true;
    free(s->width);
    free(s->order);
    free(s->scratch);
    count += count / 2;
    s->width = malloc(count * sizeof *s->width);
    s->order = malloc(count * sizeof *s->order);
    s->scratch = malloc(count * sizeof *s->scratch);
    s->sort_capacity = s->width && s->order && s->scratch ? count : 0;
    return s->sort_capacity > 0;
}

/* Fills `made`, which has room. Indices of the list are sorted: widths next to each
 * other in memory are compared, without a walk through the layout for each. */
static bool sort_children(struct flm_siblings *s, const struct flm_layout *layout,
                          struct flm_sorted_children *made)
{
    uint32_t at = 0;
    if (!make_sort_room(s, made->count))
        return false;
    for (uint32_t child = flm_child_first(layout, made->node); child != FLM_NONE;
         child = flm_child_next(layout, made->node, child)) {
        made->child[at] = child;
        s->width[at] = flm_layout_total(layout, (struct flm_node){child});
        s->order[at] = at;
        at++;
    }
    flm_sort(s->order, made->count, s->scratch, wider_first, s->width);
    for (uint32_t i = 0; i < made->count; i++)
        s->scratch[i] = made->child[s->order[i]];
    for (uint32_t i = 0; i < made->count; i++)
        made->child[i] = s->scratch[i];
    return true;
}

static const struct flm_sorted_children *keep(struct flm_siblings *s,
                                              const struct flm_layout *layout, uint32_t node,
                                              uint32_t count)
{
    struct flm_sorted_children made = {node, malloc(count * sizeof *made.child), count};
    if (!made.child || !sort_children(s, layout, &made) || !FLM_ARRAY_ADD(&s->kept, made)) {
        free(made.child);
        return NULL;
    }
    return &s->kept.at[s->kept.count - 1];
}

static const struct flm_sorted_children *sort_few(struct flm_siblings *s,
                                                  const struct flm_layout *layout, uint32_t node,
                                                  uint32_t count)
{
    uint32_t *child = s->last.child ? s->last.child : malloc(MANY * sizeof *child);
    s->has_last = false;
    if (!child)
        return NULL;
    s->last = (struct flm_sorted_children){node, child, count};
    s->has_last = sort_children(s, layout, &s->last);
    return s->has_last ? &s->last : NULL;
}

const struct flm_sorted_children *flm_siblings_below(struct flm_siblings *s,
                                                     const struct flm_layout *layout, uint32_t node,
                                                     struct flm_error *why)
{
    if (s->has_last && s->last.node == node)
        return &s->last;
    for (size_t i = 0; i < s->kept.count; i++)
        if (s->kept.at[i].node == node)
            return &s->kept.at[i];
    uint32_t count = 0;
    for (uint32_t child = flm_child_first(layout, node); child != FLM_NONE;
         child = flm_child_next(layout, node, child))
        count++;
    const struct flm_sorted_children *made =
        count > MANY ? keep(s, layout, node, count) : sort_few(s, layout, node, count);
    if (!made)
        flm_error_memory(why);
    return made;
}
