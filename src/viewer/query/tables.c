/* tables.c - rows: of functions ("top"), of the call tree ("tree"), and what a screen
 * reader is told of the picture ("aria"). Only those that are asked for are made. */
#include <math.h>
#include <stdlib.h>

#include "viewer/query/internal.h"
#include "viewer/query/write_json.h"
#include "viewer/scene/node_values.h"
#include "viewer/scene/siblings.h"

/* ---- Functions ------------------------------------------------------------------------------- */

/* What is in the table: all functions that have a value, or those that a search finds. */
struct listing {
    const uint32_t *function;
    uint32_t *filtered; /* owned; NULL: all */
    uint32_t count;
};

static bool is_found(const struct flm_viewer *v, const struct flm_function *f)
{
    for (uint32_t i = 0; i < f->frame_count; i++)
        if (v->model.searches.frame_color[f->first_frame + i])
            return true;
    return false;
}

static bool list_functions(struct flm_telling *t, struct flm_ranking_order order, bool found_only,
                           struct listing *listing, struct flm_error *why)
{
    struct flm_viewer *v = t->viewer;
    *listing = (struct listing){0};
    listing->function = flm_cached_tables_ranking(&v->scene.tables, t->profile, t->metric, order,
                                                  &listing->count, why);
    if (listing->function && v->scene.compared)
        listing->function = flm_compared_ranking(&v->model, &v->scene, listing->function, order,
                                                 &listing->count, why);
    if (!listing->function || !found_only || !v->model.searches.frame_color)
        return listing->function != NULL;
    uint32_t *filtered = malloc((size_t)listing->count * sizeof *filtered + 1), kept = 0;
    if (!filtered)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < listing->count; i++)
        if (is_found(v, &v->scene.tables.functions.function[listing->function[i]]))
            filtered[kept++] = listing->function[i];
    *listing = (struct listing){filtered, filtered, kept};
    return true;
}

static bool same_function(const struct flm_telling *t, struct flm_node_ref ref, uint32_t function)
{
    uint32_t frame = flm_scene_frame(&t->viewer->scene, ref);
    return frame != FLM_NONE && frame != 0 &&
           t->viewer->scene.tables.functions.of_frame[frame] == function;
}

static void tell_function_change(struct flm_telling *t, uint32_t function)
{
    struct flm_change total = flm_compared_function(&t->viewer->scene, function, false);
    struct flm_change self = flm_compared_function(&t->viewer->scene, function, true);
    double scale = t->viewer->scene.compared->is.how.scale;
    flm_compared_add_change(&t->json, "", &total, scale, t->unit);
    flm_compared_add_change(&t->json, "self_", &self, scale, t->unit);
}

static void tell_function(struct flm_telling *t, uint32_t function)
{
    const struct flm_viewer *v = t->viewer;
    const struct flm_function *f = &v->scene.tables.functions.function[function];
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_number(&t->json, "frame", f->first_frame);
    flm_tell_title(t, "title", f->first_frame);
    flm_tell_string(t, "module", f->module);
    flm_tell_string(t, "file", t->profile->frames[f->first_frame].file);
    flm_tell_quantity(t, "self", f->self);
    flm_tell_share(t, "self_share", f->self, t->all);
    flm_tell_quantity(t, "total", f->total);
    flm_tell_share(t, "total_share", f->total, t->all);
    if (v->scene.compared)
        tell_function_change(t, function);
    flm_json_add_bool(&t->json, "on", same_function(t, v->model.selected, function));
    flm_json_add_bool(&t->json, "hovered", same_function(t, v->input.hovered, function));
    flm_tell_found(t, f->first_frame);
    flm_json_end(&t->json);
}

static void tell_functions(struct flm_telling *t, const struct listing *listing,
                           struct flm_row_range range)
{
    flm_json_add_number(&t->json, "count", listing->count);
    flm_json_begin(&t->json, "rows", FLM_JSON_ARRAY);
    for (uint32_t i = range.from; i < listing->count && i - range.from < range.count; i++)
        tell_function(t, listing->function[i]);
    flm_json_end(&t->json);
}

static void tell_nothing(struct flm_telling *t)
{
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT);
    flm_json_add_number(&t->json, "count", 0);
    flm_json_begin(&t->json, "rows", FLM_JSON_ARRAY);
    flm_json_end(&t->json);
    flm_json_end(&t->json);
}

bool flm_answer_top(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                    struct flm_error *why)
{
    struct flm_telling t;
    struct listing listing;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    if (!t.profile) {
        tell_nothing(&t);
        return flm_tell_end(&t, why);
    }
    struct flm_ranking_order order =
        flm_ranking_order_of((struct flm_bytes){v->model.sort.at, v->model.sort.size});
    bool is_filtered = flm_searches_any(&v->model.searches);
    bool ok = list_functions(&t, order, is_filtered, &listing, why);
    if (ok) {
        flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
        flm_tell_text(&t, "sort", flm_ranking_key_name(order.key));
        flm_json_add_bool(&t.json, "down", order.down);
        flm_json_add_bool(&t.json, "filtered", is_filtered);
        flm_tell_quantity(&t, "sum", t.all);
        tell_functions(&t, &listing, flm_row_range_of(argument));
        flm_json_end(&t.json);
        free(listing.filtered);
    }
    return flm_tell_end(&t, ok ? why : NULL) && ok;
}

/* What the searches that are on found, the largest total first. */
bool flm_answer_list(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                     struct flm_error *why)
{
    static const struct flm_ranking_order by_total = {FLM_RANK_TOTAL, true};
    struct flm_telling t;
    struct listing listing;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    if (!t.profile || !flm_searches_any(&v->model.searches)) {
        tell_nothing(&t);
        return flm_tell_end(&t, why);
    }
    bool ok = list_functions(&t, by_total, true, &listing, why);
    if (ok) {
        flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
        tell_functions(&t, &listing, flm_row_range_of(argument));
        flm_json_end(&t.json);
        free(listing.filtered);
    }
    return flm_tell_end(&t, ok ? why : NULL) && ok;
}

/* ---- The call tree --------------------------------------------------------------------------- */

static void tell_open(struct flm_telling *t, const struct flm_call_row *row)
{
    if (row->has_children)
        flm_json_add_bool(&t->json, "open", row->is_open);
    else
        flm_json_add_null(&t->json, "open");
}

static void tell_row(struct flm_telling *t, const struct flm_pane *pane,
                     const struct flm_call_row *row)
{
    const struct flm_viewer *v = t->viewer;
    uint32_t index = (uint32_t)(pane - v->scene.panes);
    uint32_t frame = pane->tree.frame[row->node.index];
    struct flm_value value = flm_value_of(&v->scene, pane, row->node, t->metric.index);
    struct flm_node parent = flm_layout_parent(pane->layout, row->node);
    struct flm_node_ref ref = {index, flm_pane_number(pane, row->node)};
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_tell_ref(t, index, row->node);
    flm_json_add_number(&t->json, "level", row->level);
    tell_open(t, row);
    flm_tell_title(t, "title", frame);
    flm_tell_string(t, "module", t->profile->frames[frame].module);
    flm_tell_quantity(t, "total", value.total);
    flm_tell_share(t, "total_share", value.total, t->all);
    if (value.has_self) {
        flm_tell_quantity(t, "self", value.self);
        flm_tell_share(t, "self_share", value.self, t->all);
    }
    if (pane->compared) {
        struct flm_change change = flm_compared_change(pane, row->node, FLM_CHANGE_OF_SUBTREE);
        flm_compared_add_change(&t->json, "", &change, v->scene.compared->is.how.scale, t->unit);
    }
    double whole = 0; /* a parent has room for all of its children, whatever their signs */
    if (parent.index != FLM_NONE)
        whole = flm_scene_compares(&v->model, &v->scene)
                    ? flm_value_of(&v->scene, pane, parent, t->metric.index).total
                    : flm_layout_total(pane->layout, parent);
    flm_tell_share(t, "of_parent", value.total, whole);
    flm_json_add_number(&t->json, "set_size", row->set_size);
    flm_json_add_number(&t->json, "position", row->position);
    flm_json_add_bool(&t->json, "on", flm_node_refs_equal(v->model.selected, ref));
    flm_json_add_bool(&t->json, "hovered", flm_node_refs_equal(v->input.hovered, ref));
    flm_tell_found(t, frame);
    flm_json_end(&t->json);
}

/* The selected frame, with the way to it open; {FLM_NONE} where it is in no row. */
static struct flm_node follow_selected(const struct flm_viewer *v, struct flm_call_tree *tree,
                                       const struct flm_pane *pane)
{
    struct flm_node node = {FLM_NONE};
    if (flm_node_ref_is(v->model.selected) && v->model.selected.pane == 0)
        node = flm_pane_node(pane, v->model.selected.number);
    if (node.index != FLM_NONE)
        flm_call_tree_follow(tree, node);
    return node;
}

static bool tell_tree(struct flm_telling *t, struct flm_row_range range, struct flm_error *why)
{
    struct flm_viewer *v = t->viewer;
    const struct flm_pane *pane = &v->scene.panes[0];
    struct flm_call_tree *tree = flm_cached_tables_call_tree(&v->scene.tables, pane, why);
    if (!tree)
        return false;
    struct flm_node selected = follow_selected(v, tree, pane);
    uint32_t count = flm_call_tree_count(tree), got = 0;
    if (range.count > count)
        range.count = count;
    struct flm_call_row *rows = malloc((size_t)range.count * sizeof *rows + 1);
    if (!rows)
        return flm_error_memory(why);
    if (!flm_call_tree_rows(tree, range.from, range.count, rows, &got, why)) {
        free(rows);
        return false;
    }
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT);
    flm_json_add_number(&t->json, "count", count);
    uint32_t at = selected.index == FLM_NONE ? FLM_NONE : flm_call_tree_row_of(tree, selected);
    if (at == FLM_NONE)
        flm_json_add_null(&t->json, "selected");
    else
        flm_json_add_number(&t->json, "selected", at);
    flm_json_begin(&t->json, "rows", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < got; i++)
        tell_row(t, pane, &rows[i]);
    flm_json_end(&t->json);
    flm_json_end(&t->json);
    free(rows);
    return true;
}

bool flm_answer_tree(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                     struct flm_error *why)
{
    struct flm_telling t;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    bool ok = true;
    if (!t.profile || v->scene.pane_count == 0)
        tell_nothing(&t);
    else
        ok = tell_tree(&t, flm_row_range_of(argument), why);
    return flm_tell_end(&t, ok ? why : NULL) && ok;
}

/* ---- For the screen reader ------------------------------------------------------------------- */

enum { MOST_SIBLINGS = 50 };

/* A row for one of the children of `parent`, and how many rows stand beside it. */
static struct flm_call_row row_for(const struct flm_pane *pane, struct flm_node node,
                                   uint32_t level, uint32_t set_size, uint32_t position,
                                   bool is_open)
{
    bool has_children = node.index + 1 < pane->tree.end[node.index] ||
                        (pane->lazy && !pane->unfold_tree.is_open[node.index]);
    return (struct flm_call_row){node, level, set_size, position, has_children, is_open};
}

static uint32_t position_of(const struct flm_sorted_children *siblings, struct flm_node node)
{
    for (uint32_t i = 0; i < siblings->count; i++)
        if (siblings->child[i] == node.index)
            return i;
    return 0;
}

struct around {
    struct flm_telling *t;
    const struct flm_pane *pane;
    struct flm_siblings siblings;
    struct flm_error *why;
};

static const struct flm_sorted_children *below(struct around *a, struct flm_node node)
{
    return flm_siblings_below(&a->siblings, a->pane->layout, node.index, a->why);
}

/* The children of `parent`, or those near the selected one, and what that one calls. */
static bool tell_children(struct around *a, struct flm_node parent, uint32_t level,
                          struct flm_node selected)
{
    const struct flm_sorted_children *siblings = below(a, parent);
    if (!siblings)
        return false;
    uint32_t count = siblings->count, at = position_of(siblings, selected);
    uint32_t from = at > MOST_SIBLINGS / 2 ? at - MOST_SIBLINGS / 2 : 0;
    uint32_t shown[MOST_SIBLINGS], shown_count = 0;
    while (shown_count < MOST_SIBLINGS && from + shown_count < count) {
        shown[shown_count] = siblings->child[from + shown_count];
        shown_count++;
    }
    for (uint32_t i = 0; i < shown_count; i++) {
        struct flm_node node = {shown[i]};
        bool is_selected = node.index == selected.index;
        struct flm_call_row row = row_for(a->pane, node, level, count, from + i + 1, is_selected);
        tell_row(a->t, a->pane, &row);
        if (is_selected && !tell_children(a, node, level + 1, (struct flm_node){FLM_NONE}))
            return false;
    }
    return true;
}

static bool tell_ancestor(struct around *a, struct flm_node node, uint32_t level)
{
    struct flm_call_row row = row_for(a->pane, node, level, 1, 1, true);
    if (level > 0) {
        const struct flm_sorted_children *siblings =
            below(a, flm_layout_parent(a->pane->layout, node));
        if (!siblings)
            return false;
        row.set_size = siblings->count;
        row.position = position_of(siblings, node) + 1;
    }
    tell_row(a->t, a->pane, &row);
    return true;
}

/* The way to the selected frame, its siblings, and what it calls. */
static bool tell_around(struct around *a, struct flm_node selected)
{
    const struct flm_layout *layout = a->pane->layout;
    struct flm_node parent = flm_layout_parent(layout, selected);
    if (parent.index == FLM_NONE)
        parent = selected = (struct flm_node){0};
    uint32_t levels = flm_layout_level(layout, parent);
    uint32_t *path = malloc(((size_t)levels + 1) * sizeof *path);
    if (!path)
        return flm_error_memory(a->why);
    struct flm_node node = parent;
    for (uint32_t i = levels + 1; i-- > 0; node = flm_layout_parent(layout, node))
        path[i] = node.index;
    bool ok = true;
    for (uint32_t i = 0; ok && i <= levels; i++)
        ok = tell_ancestor(a, (struct flm_node){path[i]}, i);
    free(path);
    return ok && tell_children(a, parent, levels + 1, selected);
}

/* Of the pane that the selected frame is in; without one, of the first, around what is zoomed to.
 */
bool flm_answer_aria(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                     struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    if (!t.profile || v->scene.pane_count == 0) {
        tell_nothing(&t);
        return flm_tell_end(&t, why);
    }
    bool has_selected =
        flm_node_ref_is(v->model.selected) && v->model.selected.pane < v->scene.pane_count;
    const struct flm_pane *pane = &v->scene.panes[has_selected ? v->model.selected.pane : 0];
    struct flm_node node = has_selected ? flm_pane_node(pane, v->model.selected.number)
                                        : flm_viewer_goal_node(v, pane);
    struct around around = {.t = &t, .pane = pane, .why = why};
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    flm_json_begin(&t.json, "rows", FLM_JSON_ARRAY);
    bool ok = tell_around(&around, node);
    flm_json_end(&t.json);
    flm_json_end(&t.json);
    flm_siblings_clear(&around.siblings);
    return flm_tell_end(&t, ok ? why : NULL) && ok;
}
