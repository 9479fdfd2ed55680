/* transform.c - chips: adding, switching, moving and undoing operations, and those that
 * stand on the selected frame. */
#include <stdlib.h>

#include "algebra/operation/classes.h"
#include "algebra/operation/pattern.h"
#include "algebra/operation/user_code.h"
#include "base/number/number.h"
#include "viewer/input/actions.h"
#include "viewer/input/clipboard.h"
#include "viewer/internal.h"
#include "viewer/model/collapsing.h"
#include "viewer/model/presets.h"

/* The shown profile has changed; the step that "back" returns to is of the new scene. */
static bool transformed(struct flm_viewer *v, bool good, struct flm_error *why)
{
    if (!good || !flm_viewer_update(v, why))
        return false;
    flm_viewer_history_push(v);
    return true;
}

static bool add(struct flm_viewer *v, struct flm_bytes expression, struct flm_error *why)
{
    flm_viewer_leave(v);
    return transformed(v, flm_operations_add(&v->model.operations, expression, why), why);
}

static bool number(struct flm_bytes *text, size_t *index, struct flm_error *why)
{
    uint64_t value;
    size_t size = 0;
    while (size < text->size && text->at[size] != ' ')
        size++;
    if (!flm_number_parse_uint((struct flm_bytes){text->at, size}, &value) || value > SIZE_MAX) {
        flm_error_set(why, FLM_ERROR_USAGE, "there is no transform '%.*s'", (int)size, text->at);
        return false; /* said so that gcc -O3 sees that nothing is read then */
    }
    size += size < text->size;
    *text = (struct flm_bytes){text->at + size, text->size - size};
    *index = (size_t)value;
    return true;
}

static bool act_toggle(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    size_t index;
    if (!number(&text, &index, why))
        return false;
    flm_viewer_leave(v);
    return transformed(v, flm_operations_toggle(&v->model.operations, index, why), why);
}

static bool act_remove(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    size_t index;
    if (!number(&text, &index, why))
        return false;
    flm_viewer_leave(v);
    return transformed(v, flm_operations_remove(&v->model.operations, index, why), why);
}

static bool act_move(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    size_t from, to;
    if (!number(&text, &from, why) || !number(&text, &to, why))
        return false;
    flm_viewer_leave(v);
    return transformed(v, flm_operations_move(&v->model.operations, from, to, why), why);
}

static bool act_edit(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    size_t index;
    if (!number(&text, &index, why))
        return false;
    flm_viewer_leave(v);
    return transformed(v, flm_operations_edit(&v->model.operations, index, text, why), why);
}

static bool can_undo(const struct flm_viewer *v)
{
    return flm_operations_can_undo(&v->model.operations);
}

static const struct flm_condition undoable = {can_undo, "there is nothing to undo"};

static bool can_redo(const struct flm_viewer *v)
{
    return flm_operations_can_redo(&v->model.operations);
}

static const struct flm_condition redoable = {can_redo, "there is nothing to redo"};

static bool act_undo(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    flm_viewer_leave(v);
    return transformed(v, flm_operations_undo(&v->model.operations, why), why);
}

static bool act_redo(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    flm_viewer_leave(v);
    return transformed(v, flm_operations_redo(&v->model.operations, why), why);
}

static bool act_ask(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_prompt(v, "transform") || flm_error_memory(why);
}

/* ---- On the selected frame ------------------------------------------------------------------- */

static bool has_module(const struct flm_viewer *v)
{
    return flm_viewer_has_frame(v) &&
           flm_model_shown(&v->model)
                   ->frames[flm_scene_frame(&v->scene, v->model.selected)]
                   .module != 0;
}

static const struct flm_condition in_module = {has_module,
                                               "no function is selected whose module is known"};

/* "hide:" and the pattern of the function, or of the module. */
static bool on_frame(struct flm_viewer *v, const char *operation, bool of_module,
                     struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    struct flm_text text = {0};
    flm_text_puts(&text, operation);
    flm_text_puts(&text, of_module ? ":module=" : ":");
    flm_pattern_add_exact(&text, of_module ? flm_string_bytes(p, p->frames[frame].module)
                                           : flm_frame_function(p, frame));
    bool good =
        text.failed ? flm_error_memory(why) : add(v, (struct flm_bytes){text.at, text.size}, why);
    flm_text_clear(&text);
    return good;
}

static bool act_focus(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return on_frame(v, "focus", false, why);
}

static bool act_hide(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return on_frame(v, "hide", false, why);
}

static bool act_hide_module(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return on_frame(v, "hide", true, why);
}

static bool act_drop(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return on_frame(v, "drop", false, why);
}

static bool act_keep(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return on_frame(v, "keep", false, why);
}

static bool act_prune(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return on_frame(v, "prune", false, why);
}

static bool act_collapse_direct(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return add(v, flm_bytes_of("collapse:direct"), why);
}

const struct flm_chain *flm_offered_chain(struct flm_viewer *v)
{
    enum { FEWEST = 8 };
    const struct flm_profile *p = flm_model_shown(&v->model);
    if (!p || p->sizes.metric_count == 0 || !flm_viewer_is_updated(v) ||
        flm_collapsing_known(&v->model.operations))
        return NULL;
    struct flm_metric metric = {flm_comparing_metric(&v->model, v->model.metric)};
    const struct flm_chain *chain = flm_cached_tables_chain(&v->scene.tables, p, metric, NULL);
    double rows = flm_viewer_area(v).height / flm_viewer_row_px(v);
    return chain && chain->rows >= FEWEST && chain->rows >= rows / 2 ? chain : NULL;
}

/* A frame of the stacks whose caller or callee is the same function. */
static bool calls_itself(const struct flm_viewer *v)
{
    if (!flm_viewer_has_frame(v))
        return false;
    const struct flm_pane *pane = &v->scene.panes[v->model.selected.pane];
    struct flm_node node = flm_pane_node(pane, v->model.selected.number);
    return pane->kind == FLM_PANE_STACKS && node.index != FLM_NONE &&
           flm_chain_is_at(pane->profile, node.index, flm_layout_parent(pane->layout, node).index);
}

static const struct flm_condition on_recursion = {calls_itself,
                                                  "the selected function does not call itself"};

static bool is_collapsed(const struct flm_viewer *v)
{
    if (!flm_viewer_has_frame(v) || !flm_collapsing(&v->model.operations))
        return false;
    const struct flm_pane *pane = &v->scene.panes[v->model.selected.pane];
    return flm_pane_depths(pane, flm_pane_node(pane, v->model.selected.number)).most > 1;
}

static const struct flm_condition on_collapsed = {is_collapsed,
                                                  "no function is selected that was collapsed"};

static bool collapses(const struct flm_viewer *v)
{
    return flm_collapsing(&v->model.operations);
}

static const struct flm_condition collapsing = {collapses, "no recursion is collapsed"};

/* Takes `list`. */
static bool rewrite(struct flm_viewer *v, struct flm_text *list, struct flm_error *why)
{
    flm_viewer_leave(v);
    bool good = list->failed
                    ? flm_error_memory(why)
                    : flm_operations_rewrite(&v->model.operations,
                                             (struct flm_bytes){list->at, list->size}, why);
    flm_text_clear(list);
    return transformed(v, good, why);
}

static bool change_function(struct flm_viewer *v, bool collapse, struct flm_error *why)
{
    struct flm_text list = {0};
    flm_collapsing_change(&v->model.operations,
                          flm_frame_function(flm_model_shown(&v->model),
                                             flm_scene_frame(&v->scene, v->model.selected)),
                          collapse, &list);
    return rewrite(v, &list, why);
}

static bool act_collapse_function(struct flm_viewer *v, struct flm_bytes none,
                                  struct flm_error *why)
{
    (void)none;
    return change_function(v, true, why);
}

static bool act_expand_function(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return change_function(v, false, why);
}

static bool act_expand_all(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    struct flm_text list = {0};
    flm_collapsing_none(&v->model.operations, &list);
    return rewrite(v, &list, why);
}

static bool act_collapse_any(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return add(v, flm_bytes_of("collapse:any"), why);
}

/* "cut:" and the path of the selected frame. */
static bool on_path(struct flm_viewer *v, const char *operation, struct flm_error *why)
{
    struct flm_text text = {0};
    flm_text_format(&text, "%s:\"", operation);
    bool good = flm_copy_path(v, &text);
    flm_text_putc(&text, '"');
    good = good && !text.failed ? add(v, (struct flm_bytes){text.at, text.size}, why)
                                : flm_error_memory(why);
    flm_text_clear(&text);
    return good;
}

static bool act_from(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return on_path(v, "from", why);
}

static bool act_cut(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return on_path(v, "cut", why);
}

/* Callers below what they call have no path from the root. */
static bool has_path(const struct flm_viewer *v)
{
    return flm_viewer_has_frame(v) &&
           v->scene.panes[v->model.selected.pane].kind == FLM_PANE_STACKS;
}

static const struct flm_condition on_stack = {
    has_path, "no frame of the stacks is selected: callers have no path from the root"};

static bool act_only_mine(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    const struct flm_profile *p = flm_model_shown(&v->model);
    unsigned char *marks = malloc(p->sizes.frame_count);
    struct flm_user_code counts;
    bool good = marks ? flm_user_code_mark(p, marks, &counts, why) : flm_error_memory(why);
    free(marks);
    if (good && flm_user_code_refusal(&counts))
        good = flm_error_set(why, FLM_ERROR_USAGE, "%s", flm_user_code_refusal(&counts));
    return good && add(v, flm_bytes_of(FLM_USER_CODE), why);
}

static bool has_operations(const struct flm_viewer *v)
{
    return v->model.operations.count > 0;
}

static const struct flm_condition transforming = {has_operations, "there is no transform"};

static bool act_reset(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    flm_viewer_leave(v);
    return transformed(v, flm_operations_set(&v->model.operations, (struct flm_bytes){"", 0}, why),
                       why);
}

/* To merge frames by, where there is something that they have in common. */
static bool act_group(struct flm_viewer *v, struct flm_bytes class, struct flm_error *why)
{
    struct flm_text text = {0};
    flm_text_puts(&text, "by:");
    flm_text_add(&text, class);
    bool good =
        text.failed ? flm_error_memory(why) : add(v, (struct flm_bytes){text.at, text.size}, why);
    flm_text_clear(&text);
    return good;
}

static struct flm_choice class_choice(size_t i)
{
    const char *name = flm_class_name(i, NULL);
    return (struct flm_choice){.name = name, .title = name};
}

static const struct flm_action_argument a_class = {"CLASS", FLM_GIVEN_CHOICE, class_choice};
static const struct flm_action_argument two_numbers = {"N M", FLM_GIVEN_POINTED, NULL};
static const struct flm_action_argument a_numbered_expression = {"N EXPRESSION", FLM_GIVEN_POINTED,
                                                                 NULL};

/* The keys are those of the Firefox Profiler; they mean something while a frame is selected. */
static const struct flm_action actions[] = {
    {"transform", "Add a transform", NULL, "x", act_ask, NULL,
     "filter exclude delete operation rename label thread process tid pid comm depth"},
    {"apply", "Transform", &flm_an_expression, NULL, add, NULL, "operation"},
    {"focus", "Focus on this function: only what is below it", NULL, "f", act_focus, &flm_on_frame,
     "focus filter subtree"},
    {"hide", "Hide this function: merge it into its callers", NULL, "m", act_hide, &flm_on_frame,
     "hide exclude remove delete merge filter"},
    {"hide-module", "Hide its module", NULL, "M C", act_hide_module, &in_module,
     "hide exclude remove delete library filter"},
    {"drop", "Drop stacks that have this function", NULL, "d D", act_drop, &flm_on_frame,
     "exclude remove delete filter"},
    {"keep", "Keep only stacks that have it", NULL, "K", act_keep, &flm_on_frame,
     "filter include through"},
    {"prune", "Nothing below this function", NULL, "c", act_prune, &flm_on_frame,
     "collapse fold remove callees subtree"},
    {"from", "Only this frame and what is below it", NULL, "F", act_from, &on_stack,
     "focus filter subtree"},
    {"cut", "Cut this frame and what is below it away", NULL, "Delete", act_cut, &on_stack,
     "delete exclude remove drop subtree filter"},
    {"group", "Group frames by", &a_class, NULL, act_group, NULL,
     "merge aggregate library package"},
    {"collapse-direct", "Collapse direct recursion", NULL, "R", act_collapse_direct, NULL,
     "fold recursive merge"},
    {"collapse-any", "Collapse all recursion", NULL, "r", act_collapse_any, NULL,
     "fold recursive merge"},
    {"collapse-function", "Collapse the recursion of this function", NULL, NULL,
     act_collapse_function, &on_recursion, "fold recursive merge"},
    {"expand-function", "Expand the recursion of this function", NULL, "R", act_expand_function,
     &on_collapsed, "unfold open recursive"},
    {"expand-all", "Expand all recursion", NULL, "O", act_expand_all, &collapsing,
     "unfold open recursive"},
    {"only-mine", "Only my code", NULL, NULL, act_only_mine, NULL,
     "hide libraries runtime kernel libc user filter"},
    {"operation-toggle", "Transform on or off", &flm_a_number, NULL, act_toggle, NULL},
    {"operation-remove", "Remove transform", &flm_a_number, NULL, act_remove, NULL},
    {"operation-move", "Move transform", &two_numbers, NULL, act_move, NULL},
    {"operation-edit", "Change transform", &a_numbered_expression, NULL, act_edit, NULL},
    {"reset", "Remove all transforms", NULL, NULL, act_reset, &transforming,
     "clear delete unfilter"},
    {"undo", "Undo transform", NULL, "C-z U", act_undo, &undoable, "revert"},
    {"redo", "Redo transform", NULL, "C-y C-Z", act_redo, &redoable, "again repeat"},
};
const struct flm_action_group flm_transform_actions = {"Transform", actions,
                                                       sizeof actions / sizeof actions[0]};
