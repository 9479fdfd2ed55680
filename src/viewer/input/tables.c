/* tables.c - actions of tables: opening rows of the call tree, pointing at rows, and
 * where links to sources lead. */
#include "base/number/number.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"

/* ---- The call tree --------------------------------------------------------------------------- */

static struct flm_call_tree *tree_of(struct flm_viewer *v, struct flm_error *why)
{
    return flm_cached_tables_call_tree(&v->scene.tables, &v->scene.panes[0], why);
}

/* The node that is named, in the call tree; what it calls is in the tree as far as it can be. */
static struct flm_call_tree *named(struct flm_viewer *v, struct flm_bytes number,
                                   struct flm_node *node, struct flm_error *why)
{
    struct flm_node_ref ref;
    if (!flm_viewer_parse_ref(v, number, &ref, why))
        return NULL;
    if (ref.pane != 0) {
        flm_error_set(why, FLM_ERROR_USAGE, "the call tree does not have this frame");
        return NULL;
    }
    if (!flm_viewer_open(v, ref, why))
        return NULL;
    *node = flm_pane_node(&v->scene.panes[0], ref.number);
    return tree_of(v, why);
}

static bool act_open_node(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    struct flm_node node;
    struct flm_call_tree *tree = named(v, number, &node, why);
    if (!tree)
        return false;
    if (flm_call_tree_is_open(tree, node))
        flm_call_tree_close(tree, node);
    else
        flm_call_tree_open(tree, node);
    flm_changed(&v->model, FLM_ASPECT_ROWS);
    return true;
}

static bool act_open_below(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    struct flm_node node;
    struct flm_call_tree *tree = named(v, number, &node, why);
    if (!tree)
        return false;
    flm_call_tree_open_all(tree, node);
    flm_changed(&v->model, FLM_ASPECT_ROWS);
    return true;
}

static bool has_selected(const struct flm_viewer *v)
{
    return flm_node_ref_valid(v->model.selected) && v->model.selected.pane == 0 &&
           v->scene.pane_count > 0;
}

static const struct flm_condition with_row = {has_selected, "no row of the call tree is selected"};

static bool act_open_selected(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    struct flm_call_tree *tree = tree_of(v, why);
    if (!tree)
        return false;
    flm_call_tree_open_all(tree, flm_pane_node(&v->scene.panes[0], v->model.selected.number));
    flm_changed(&v->model, FLM_ASPECT_ROWS);
    return true;
}

/* ---- Pointing -------------------------------------------------------------------------------- */

/* The function or node of a row is highlighted in all panes, without a tooltip. */
static bool point_at(struct flm_viewer *v, struct flm_node_ref ref)
{
    v->input.hovered_box = (struct flm_rectangle){0};
    v->input.hover_x = v->input.hover_y = -1;
    if (flm_node_refs_equal(v->input.hovered, ref))
        return true;
    v->input.hovered = ref;
    flm_changed(&v->model, FLM_ASPECT_HOVERED);
    return true;
}

static bool act_hover_node(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    struct flm_node_ref ref;
    return flm_viewer_parse_ref(v, number, &ref, why) && point_at(v, ref);
}

static bool act_hover_frame(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    uint64_t frame;
    const struct flm_pane *pane = &v->scene.panes[0];
    if (!flm_number_parse_uint(number, &frame) || frame >= pane->profile->sizes.frame_count)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no function %.*s", (int)number.size,
                             number.at);
    for (uint32_t i = 1; i < pane->tree.node_count; i++)
        if (pane->tree.frame[i] == frame &&
            flm_layout_total(pane->layout, (struct flm_node){i}) > 0)
            return point_at(v,
                            (struct flm_node_ref){0, flm_pane_number(pane, (struct flm_node){i})});
    return point_at(v, (struct flm_node_ref){0, FLM_NONE});
}

static bool act_hover_none(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return point_at(v, (struct flm_node_ref){0, FLM_NONE});
}

/* ---- Sources --------------------------------------------------------------------------------- */

static bool act_source_link(struct flm_viewer *v, struct flm_bytes template, struct flm_error *why)
{
    struct flm_text text = {0};
    flm_text_add(&text, template);
    if (text.failed)
        return flm_error_memory(why);
    flm_text_clear(&v->model.source_link);
    v->model.source_link = text;
    flm_changed(&v->model, FLM_ASPECT_SOURCE_LINK);
    return true;
}

static const struct flm_action_argument a_template = {"TEMPLATE", FLM_GIVEN_TYPED, NULL};

static const struct flm_action actions[] = {
    {"open-node", "Open or close a row of the call tree", &flm_a_node, NULL, act_open_node, NULL},
    {"open-below", "Open a row of the call tree and all below it", &flm_a_node, NULL,
     act_open_below, NULL},
    {"open-selected", "Open all below the selected row", NULL, "*", act_open_selected, &with_row},
    {"hover-node", "Point at a frame", &flm_a_node, NULL, act_hover_node, NULL},
    {"hover-frame", "Point at a function", &flm_a_frame, NULL, act_hover_frame, NULL},
    {"hover-none", "Point at nothing", NULL, NULL, act_hover_none, NULL},
    {"source-link", "Where the source is: a URL with {file} and {line}", &a_template, NULL,
     act_source_link, NULL},
};
const struct flm_action_group flm_table_actions = {"Tables", actions,
                                                   sizeof actions / sizeof actions[0]};
