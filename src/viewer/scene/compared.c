#include "viewer/scene/compared.h"

#include <assert.h>
#include <stdlib.h>

#include "viewer/model/model.h"
#include "viewer/scene/pane.h"

static bool find_pair(const struct flm_model *model, const struct flm_profile *p,
                      struct flm_metric_pair *pair, struct flm_error *why)
{
    char name[FLM_FIXED_STRING];
    struct flm_text text;
    flm_text_init_fixed(&text, name, sizeof name - 1);
    flm_text_add(&text, flm_string_bytes(p, p->metrics[model->metric].name));
    name[text.size] = 0;
    return flm_metric_pair_find(p, text.failed ? NULL : name, pair, why);
}

/* Where it cannot be normalized as was chosen, it is not, and the note says so. */
static bool find_scale(struct flm_model *model, const struct flm_profile *p,
                       struct flm_compared *made, double *scale, struct flm_error *why)
{
    struct flm_comparing *c = &model->comparing;
    struct flm_error error = {0};
    struct flm_normal normal = {.by = c->normalize,
                                .before_ns = c->duration_ns[FLM_VIEWER_BEFORE],
                                .after_ns = c->duration_ns[FLM_VIEWER_AFTER],
                                .function = {c->function.at, c->function.size}};
    c->note[0] = 0;
    made->by = c->normalize;
    if (flm_comparison_scale(p, &made->pair, &normal, scale, &error))
        return true;
    if (error.kind == FLM_ERROR_MEMORY)
        return flm_error_memory(why);
    struct flm_text note;
    flm_text_init_fixed(&note, c->note, sizeof c->note - 1);
    flm_text_puts(&note, error.text);
    c->note[note.size] = 0;
    *scale = 1;
    made->by = FLM_NORMALIZE_NONE;
    return true;
}

static bool measure(struct flm_model *model, struct flm_compared *made, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    const struct flm_comparing *c = &model->comparing;
    struct flm_comparison_options how = {.widths = c->widths, .kinds = c->kinds};
    if (!find_pair(model, p, &made->pair, why) || !find_scale(model, p, made, &how.scale, why))
        return false;
    if (!c->shows_noise)
        flm_comparison_find_noise(p, &made->pair, &how);
    if (!flm_comparison_init(&made->comparison, p->sizes.node_count, p->node_end,
                             flm_profile_self(p, made->pair.before),
                             flm_profile_self(p, made->pair.after), &how, why))
        return false;
    made->colors = (struct flm_change_colors){
        .palette = c->palette, .scope = c->scope, .absolute = c->absolute};
    made->whole = flm_change_whole(&made->comparison);
    return true;
}

bool flm_compared_new(struct flm_model *model, struct flm_compared **compared,
                      struct flm_error *why)
{
    *compared = NULL;
    if (!flm_model_compares(model))
        return true;
    struct flm_compared *made = calloc(1, sizeof *made);
    if (!made)
        return flm_error_memory(why);
    if (!measure(model, made, why)) {
        free(made);
        return false;
    }
    *compared = made;
    return true;
}

void flm_compared_free(struct flm_compared *compared)
{
    if (!compared)
        return;
    flm_comparison_clear(&compared->comparison);
    flm_layout_free(compared->shared_layout);
    flm_functions_clear(&compared->before);
    flm_functions_clear(&compared->lost);
    flm_functions_clear(&compared->gained);
    free(compared->ranking);
    free(compared);
}

struct flm_comparison_terms flm_compared_terms(const struct flm_model *model,
                                               const struct flm_compared *compared)
{
    const struct flm_profile *p = flm_model_shown(model);
    const struct flm_text *function = &model->comparing.function;
    return (struct flm_comparison_terms){
        .unit = flm_string_bytes(p, p->metrics[compared->pair.after.index].unit),
        .factor = 1,
        .by = compared->by,
        .function = {function->at, function->size}};
}

static void values_of(const void *context, uint32_t node, bool of_self, double value[2])
{
    flm_comparison_values(context, node, of_self ? FLM_CHANGE_OF_SELF : FLM_CHANGE_OF_SUBTREE,
                          &value[0], &value[1]);
}

static void significant_of(const void *context, uint32_t node, bool of_self, double value[2])
{
    flm_comparison_significant(context, node, of_self ? FLM_CHANGE_OF_SELF : FLM_CHANGE_OF_SUBTREE,
                               &value[0], &value[1]);
}

/* Cached: each frame needs them for all boxes, and a node has many occurrences. The sums of a node
 * do not change when it is opened. */
bool flm_compared_sum(struct flm_pane *pane, struct flm_error *why)
{
    uint32_t count = pane->lazy_columns.node_count;
    const struct flm_comparison *is = &pane->compared->comparison;
    assert(pane->sums.count <= count);
    if (!FLM_ARRAY_RESERVE(&pane->sums, count - pane->sums.count))
        return flm_error_memory(why);
    for (; pane->sums.count < count; pane->sums.count++) {
        struct flm_lazy_ref number = {(uint32_t)pane->sums.count};
        struct flm_compared_sum *sum = &pane->sums.at[number.index];
        sum->all = flm_lazy_tree_sum(pane->lazy, number, values_of, is);
        sum->significant = (struct flm_lazy_tree_sum){{0, 0}, {0, 0}};
        if (is->lost)
            sum->significant = flm_lazy_tree_sum(pane->lazy, number, significant_of, is);
    }
    return true;
}

struct flm_change flm_compared_change(const struct flm_pane *pane, struct flm_node node,
                                      enum flm_change_scope scope)
{
    const struct flm_comparison *is = &pane->compared->comparison;
    if (!pane->lazy)
        return flm_comparison_change(is, node.index, scope);
    const struct flm_compared_sum *sum = &pane->sums.at[flm_pane_number(pane, node)];
    bool of_self = scope == FLM_CHANGE_OF_SELF;
    const double *value = of_self ? sum->all.own : sum->all.total;
    const double *significant = of_self ? sum->significant.own : sum->significant.total;
    return flm_comparison_judge_significant(is, value[0], value[1], significant[0], significant[1]);
}

const struct flm_tone *flm_compared_style(const struct flm_pane *pane, struct flm_node node,
                                          struct flm_box *box)
{
    const struct flm_compared *compared = pane->compared;
    struct flm_change change = flm_compared_change(pane, node, compared->colors.scope);
    if (!change.noise && change.kind == FLM_CHANGE_APPEARED)
        box->mark = FLM_MARK_APPEARED;
    if (!change.noise && change.kind == FLM_CHANGE_DISAPPEARED)
        box->mark = FLM_MARK_DISAPPEARED;
    int step = flm_change_step(&compared->colors, &change, compared->whole);
    if (!box->mark)
        box->texture = flm_change_texture(step);
    return flm_change_tone(compared->colors.palette, step);
}
