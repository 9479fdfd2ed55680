#include "layout/rectangles.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "layout/internal.h"

/* The functions that run for each rectangle are always_inline, which compilers do not decide by
 * themselves: without it a picture takes half as long again, in wasm twice as long. */

/* A viewport with the values that are computed once for it. */
struct camera {
    const struct flm_slots *slots;
    const struct flm_layout *layout;
    double left, scale, width_px;
    double seen_from, seen_to, sliver_px; /* see aim */
    double wide;                          /* the least total of a rectangle of its own */
    uint32_t zoom_level;
    uint64_t visited;
};

/* If totals are fractions, neighbors overlap by rounding errors: nodes with less than a billionth
 * of the viewport count as outside of it, otherwise a zoom would show a sliver of the next node. */
static const double sliver = 1e-9;

/* False if nothing is visible. */
static bool aim(struct camera *camera, const struct flm_layout *layout,
                const struct flm_viewport *view)
{
    double extent = view->right - view->left, scale = view->width_px / extent;
    if (!(extent > 0 && isfinite(extent) && scale > 0 && isfinite(scale)))
        return false;
    *camera = (struct camera){
        .slots = &layout->slots,
        .layout = layout,
        .left = view->left,
        .scale = scale,
        .width_px = view->width_px,
        .seen_from = view->left + extent * sliver,
        .seen_to = view->right - extent * sliver,
        .sliver_px = view->width_px * sliver,
        .wide = view->min_width_px / scale,
        .zoom_level = view->zoom_level,
    };
    return true;
}

/* The first slot in [from, to), all of one level, that ends after the left edge. */
static uint32_t first_seen(struct camera *camera, uint32_t from, uint32_t to)
{
    const struct flm_slot *at = camera->slots->at;
    uint32_t low = from, high = to;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (at[middle].offset <= camera->seen_from)
            low = middle;
        else
            high = middle;
        camera->visited++;
    }
    return low < to && at[low].offset + at[low].total <= camera->seen_from ? low + 1 : low;
}

/* The first slot in [from, to) that begins at or after the right edge. */
static uint32_t first_unseen(struct camera *camera, uint32_t from, uint32_t to)
{
    const struct flm_slot *at = camera->slots->at;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (at[middle].offset < camera->seen_to)
            from = middle + 1;
        else
            to = middle;
        camera->visited++;
    }
    return from;
}

/* Siblings that are in the viewport, and not in a rectangle yet. */
struct siblings {
    uint32_t next, end;
};

static struct siblings seen(struct camera *camera, uint32_t from, uint32_t to)
{
    from = first_seen(camera, from, to);
    return (struct siblings){from, first_unseen(camera, from, to)};
}

/* Each search costs a dozen cache misses: for children that are cut off at one side only, one
 * search is enough. */
static struct siblings children_cut(struct camera *camera, uint32_t parent)
{
    const struct flm_slot *at = &camera->slots->at[parent];
    uint32_t from = at[0].first_child, to = at[1].first_child;
    if (at->offset < camera->seen_from)
        from = first_seen(camera, from, to);
    if (at->offset + at->total > camera->seen_to)
        to = first_unseen(camera, from, to);
    return (struct siblings){from, to};
}

static inline __attribute__((always_inline)) struct siblings children_seen(struct camera *camera,
                                                                           uint32_t parent)
{
    const struct flm_slot *at = &camera->slots->at[parent];
    if (at->offset >= camera->seen_from && at->offset + at->total <= camera->seen_to)
        return (struct siblings){at[0].first_child, at[1].first_child};
    return children_cut(camera, parent);
}

/* The first of [from, to) that is wide enough for a rectangle of its own. Usually it is near. */
static inline __attribute__((always_inline)) uint32_t next_wide(struct camera *camera,
                                                                uint32_t from, uint32_t to)
{
    enum { STEPS = 8 };
    const struct flm_slot *at = camera->slots->at;
    uint32_t next = from, stop = to - from > STEPS ? from + STEPS : to;
    while (next < stop && at[next].total < camera->wide)
        next++;
    camera->visited += next - from;
    return next < stop || next == to
               ? next
               : flm_slots_next(camera->slots, next, to, camera->wide, &camera->visited);
}

/* Shortens a merged box [slot, next) so that it begins and ends with a sibling that is not a gap.
 * False if there is none. */
static bool leave_gaps(const struct camera *camera, uint32_t *slot, uint32_t *next)
{
    const struct flm_layout *layout = camera->layout;
    while (*slot < *next && flm_layout_gap_count(layout, *slot, *slot + 1))
        ++*slot;
    while (*slot < *next && flm_layout_gap_count(layout, *next - 1, *next))
        --*next;
    return *slot < *next;
}

/* Makes `r` the next rectangle of the siblings; false for a gap. */
static inline __attribute__((always_inline)) bool next_rectangle(struct camera *camera,
                                                                 struct siblings *siblings,
                                                                 uint32_t level,
                                                                 struct flm_rectangle *r)
{
    const struct flm_slots *slots = camera->slots;
    uint32_t slot = siblings->next, next = slot + 1;
    double start = slots->at[slot].offset, total = slots->at[slot].total;
    r->flags = level < camera->zoom_level ? FLM_RECTANGLE_ANCESTOR : 0;
    camera->visited++;
    if (total < camera->wide) {
        r->flags |= FLM_RECTANGLE_MERGED;
        next = next_wide(camera, next, siblings->end);
        if (next - slot > 1)
            total = slots->at[next - 1].offset + slots->at[next - 1].total - start;
    }
    siblings->next = next;
    r->count = next - slot;
    if (camera->layout->gaps_before) {
        if (!leave_gaps(camera, &slot, &next))
            return false;
        r->count = next - slot - flm_layout_gap_count(camera->layout, slot, next);
        start = slots->at[slot].offset;
        total = slots->at[slot].total;
        if (next - slot > 1)
            total = slots->at[next - 1].offset + slots->at[next - 1].total - start;
    }
    r->x0 = (start - camera->left) * camera->scale;
    r->x1 = (start + total - camera->left) * camera->scale;
    if (r->x0 < 0) {
        r->flags |= r->x0 < -camera->sliver_px ? FLM_RECTANGLE_CLIPPED_LEFT : 0;
        r->x0 = 0;
    }
    if (r->x1 > camera->width_px) {
        r->flags |= r->x1 > camera->width_px + camera->sliver_px ? FLM_RECTANGLE_CLIPPED_RIGHT : 0;
        r->x1 = camera->width_px;
    }
    r->total = total - flm_layout_gap_width(camera->layout, slot, next);
    r->node.index = slots->at[slot].node;
    r->level = level;
    r->slot = slot;
    r->slot_end = next;
    return true;
}

static inline __attribute__((always_inline)) bool add(struct flm_rectangles *list,
                                                      struct camera *camera,
                                                      struct siblings siblings, uint32_t level)
{
    while (siblings.next < siblings.end) {
        if (!FLM_ARRAY_RESERVE(list, 1))
            return false;
        list->count += next_rectangle(camera, &siblings, level, &list->at[list->count]);
    }
    return true;
}

/* The first level of a picture: the children of the wide nodes of the level above. */
static bool add_first(struct flm_rectangles *list, struct camera *camera,
                      const struct flm_layout *layout, uint32_t level)
{
    if (level == 0)
        return add(list, camera, seen(camera, 0, 1), 0);
    struct siblings above =
        seen(camera, layout->level_start[level - 1], layout->level_start[level]);
    for (; above.next < above.end; above.next++) {
        above.next =
            flm_slots_next(camera->slots, above.next, above.end, camera->wide, &camera->visited);
        if (above.next < above.end && !add(list, camera, children_seen(camera, above.next), level))
            return false;
    }
    return true;
}

static bool add_levels(struct flm_rectangles *list, struct camera *camera,
                       const struct flm_layout *layout, const struct flm_viewport *view)
{
    uint32_t level = view->first_level, level_count = layout->level_count;
    if (level >= level_count || view->level_count == 0)
        return true;
    uint32_t last =
        level + (view->level_count < level_count - level ? view->level_count : level_count - level);
    if (!add_first(list, camera, layout, level))
        return false;
    for (size_t above = 0; ++level < last && above < list->count;)
        for (size_t end = list->count; above < end; above++)
            if (!(list->at[above].flags & FLM_RECTANGLE_MERGED) &&
                !add(list, camera, children_seen(camera, list->at[above].slot), level))
                return false;
    return true;
}

bool flm_layout_rectangles(const struct flm_layout *layout, const struct flm_viewport *view,
                           struct flm_rectangles *list, struct flm_error *why)
{
    assert(layout && view && list->count <= list->capacity);
    struct camera camera;
    list->count = 0;
    list->visited = 0;
    if (!aim(&camera, layout, view))
        return true;
    bool added = add_levels(list, &camera, layout, view);
    list->visited = camera.visited;
    if (added)
        return true;
    list->count = 0;
    return flm_error_memory(why);
}

void flm_rectangles_clear(struct flm_rectangles *list)
{
    free(list->at);
    *list = (struct flm_rectangles){0};
}

struct flm_viewport flm_viewport_of(const struct flm_layout *layout, struct flm_node node,
                                    double width_px)
{
    double offset = flm_layout_offset(layout, node);
    uint32_t level = flm_layout_level(layout, node);
    return (struct flm_viewport){
        .left = offset,
        .right = offset + flm_layout_total(layout, node),
        .width_px = width_px,
        .min_width_px = 1,
        .level_count = layout->level_count,
        .zoom_level = level == FLM_NONE ? 0 : level,
    };
}

bool flm_layout_at(const struct flm_layout *layout, const struct flm_viewport *view, double x_px,
                   uint32_t level, struct flm_rectangle *found)
{
    assert(layout && view && found);
    struct camera camera;
    if (!aim(&camera, layout, view) || level >= layout->level_count || level < view->first_level ||
        level - view->first_level >= view->level_count || !(x_px >= 0 && x_px < view->width_px))
        return false;
    struct siblings row = seen(&camera, layout->level_start[level], layout->level_start[level + 1]);
    if (row.next == row.end)
        return false;
    /* The last one that begins at or before the point. */
    while (row.end - row.next > 1) {
        uint32_t middle = row.next + (row.end - row.next) / 2;
        if ((camera.slots->at[middle].offset - camera.left) * camera.scale <= x_px)
            row.next = middle;
        else
            row.end = middle;
    }
    if (camera.slots->at[row.next].total < camera.wide && level > 0) {
        /* It is in a merged box, if its parent is visible. */
        uint32_t parent = flm_slots_parent(camera.slots, row.next);
        if (camera.slots->at[parent].total < camera.wide)
            return false;
        row = children_seen(&camera, parent);
    }
    while (row.next < row.end) {
        if (next_rectangle(&camera, &row, level, found) && x_px < found->x1)
            return x_px >= found->x0;
    }
    return false;
}

/* The last slot in [from, to) that begins at or before the point; `from` where none does. In steps
 * that double, then halves. */
static uint32_t last_before(const struct camera *camera, uint32_t from, uint32_t to, double x_px)
{
    const struct flm_slot *at = camera->slots->at;
    uint32_t step = 1;
    while (to - from > step && (at[from + step].offset - camera->left) * camera->scale <= x_px) {
        from += step;
        step *= 2;
    }
    to = to - from > step ? from + step : to;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if ((at[middle].offset - camera->left) * camera->scale <= x_px)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* Of the slots [from, to), all of one level. */
static void visit_level(const struct camera *camera, struct flm_pixel_run run, uint32_t from,
                        uint32_t to, int last, flm_pixel_run_visit visit, void *context)
{
    const struct flm_slot *at = camera->slots->at;
    for (int x = run.left; x < last;) {
        from = last_before(camera, from, to, x + 0.5);
        double begin = (at[from].offset - camera->left) * camera->scale;
        double end = (at[from].offset + at[from].total - camera->left) * camera->scale;
        if (end <= x + 0.5) { /* between two slots */
            if (++from == to)
                return;
            begin = (at[from].offset - camera->left) * camera->scale;
        }
        bool is = begin <= x + 0.5;
        int next = (int)fmin(ceil((is ? end : begin) - 0.5), last);
        next = next > x ? next : x + 1;
        if (is && flm_layout_gap_count(camera->layout, from, from + 1) == 0) {
            run.left = x;
            run.right = next;
            run.node.index = at[from].node;
            run.total = at[from].total;
            visit(context, &run);
        }
        x = next;
    }
}

void flm_layout_runs(const struct flm_layout *layout, const struct flm_viewport *view,
                     const struct flm_rectangle *merged, int first, int last,
                     flm_pixel_run_visit visit, void *context)
{
    assert(layout && view && merged && merged->slot_end <= layout->slots.count && visit);
    const struct flm_slot *at = layout->slots.at;
    struct camera camera;
    if (!aim(&camera, layout, view))
        return;
    uint32_t from = merged->slot, to = merged->slot_end;
    for (uint32_t level = merged->level; from < to; level++) {
        if (level >= view->first_level && level - view->first_level >= view->level_count)
            return;
        if (level >= view->first_level)
            visit_level(&camera, (struct flm_pixel_run){.level = level, .left = first}, from, to,
                        last, visit, context);
        from = at[from].first_child;
        to = at[to].first_child;
    }
}

struct flm_below flm_layout_below(const struct flm_layout *layout,
                                  const struct flm_rectangle *rectangle)
{
    assert(rectangle->slot <= rectangle->slot_end && rectangle->slot_end <= layout->slots.count);
    const struct flm_slot *at = layout->slots.at;
    uint32_t from = rectangle->slot, to = rectangle->slot_end;
    struct flm_below below = {0, rectangle->level};
    for (uint32_t level = rectangle->level; from < to; level++) {
        uint32_t count = to - from - flm_layout_gap_count(layout, from, to);
        below.node_count += count;
        if (count > 0)
            below.last_level = level;
        from = at[from].first_child;
        to = at[to].first_child;
    }
    return below;
}

/* The last of `count` siblings from `slot` on, not counting gaps. */
static uint32_t last_of(const struct flm_layout *layout, uint32_t slot, uint32_t count)
{
    uint32_t from = slot, to = layout->slots.count - 1;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (middle + 1 - slot - flm_layout_gap_count(layout, slot, middle + 1) < count)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void flm_layout_span(const struct flm_layout *layout, struct flm_node node, uint32_t count,
                     double *left, double *right)
{
    assert(node.index < layout->tree.node_count);
    const struct flm_slots *slots = &layout->slots;
    uint32_t slot = layout->slot_of[node.index];
    *left = *right = 0;
    if (slot == FLM_NONE || count == 0)
        return;
    uint32_t last = last_of(layout, slot, count);
    *left = slots->at[slot].offset;
    *right = slots->at[last].offset + slots->at[last].total;
}
