/* comparison.c - responses about a comparison: its choices, its four parts, its legend, and values
 * before and after. */
#include <math.h>

#include "draw/text/quantity.h"
#include "viewer/internal.h"
#include "viewer/query/internal.h"

/* ---- Tools ----------------------------------------------------------------------------------- */

static void add_part(struct flm_query *q, enum flm_change_kind kind, struct flm_response_part *part)
{
    const struct flm_compared *c = q->viewer->scene.compared;
    struct flm_comparison_terms terms = flm_compared_terms(&q->viewer->model, c);
    double before = c->comparison.before_total * c->comparison.how.scale;
    part->name = part->title = flm_query_text(q, flm_change_kind_name(kind));
    flm_comparison_add_part(flm_query_scratch(q), &c->comparison, kind, &terms);
    part->total = flm_query_scratch_copy(q);
    part->share = before > 0 ? flm_query_share(q, c->comparison.sums[kind].change, before)
                             : (struct flm_bytes){NULL, 0};
    part->on = c->comparison.how.kinds >> kind & 1;
}

static struct flm_bytes side_of(struct flm_query *q, enum flm_viewer_side side)
{
    const struct flm_model *model = &q->viewer->model;
    const struct flm_text *expression = &model->comparing.expression[side];
    struct flm_text *out = flm_query_scratch(q);
    flm_text_puts(out, model->name[side] ? model->name[side] : model->name[FLM_VIEWER_AFTER]);
    if (expression->size > 0) {
        flm_text_puts(out, " | ");
        flm_text_add(out, (struct flm_bytes){expression->at, expression->size});
    }
    return flm_query_scratch_copy(q);
}

static void add_sentences(struct flm_query *q, struct flm_response_comparison *made)
{
    const struct flm_compared *c = q->viewer->scene.compared;
    struct flm_comparison_terms terms = flm_compared_terms(&q->viewer->model, c);
    flm_comparison_add_short(flm_query_scratch(q), &c->comparison, &terms);
    made->summary = flm_query_scratch_copy(q);
    flm_comparison_add_sum(flm_query_scratch(q), &c->comparison, &terms);
    made->sum = flm_query_scratch_copy(q);
    flm_comparison_add_parts(flm_query_scratch(q), &c->comparison, &terms);
    made->parts_summary = flm_query_scratch_copy(q);
    flm_comparison_add_legend(flm_query_scratch(q), &c->comparison, &c->colors);
    made->color_key = flm_query_scratch_copy(q);
    made->note = flm_query_text(q, q->viewer->model.comparing.note);
    made->verdict = flm_query_copy(q, flm_profile_note(q->profile, FLM_NOTE_VERDICT));
}

struct flm_response_comparison *flm_query_comparison(struct flm_query *q)
{
    const struct flm_compared *c = q->viewer->scene.compared;
    const struct flm_comparing *choice = &q->viewer->model.comparing;
    if (!c)
        return NULL;
    struct flm_response_comparison *made = flm_query_take(q, 1, sizeof *made);
    struct flm_response_part *part = flm_query_take(q, FLM_CHANGE_KINDS, sizeof *part);
    if (!made || !part)
        return NULL;
    made->before = side_of(q, FLM_VIEWER_BEFORE);
    made->after = side_of(q, FLM_VIEWER_AFTER);
    made->width = flm_query_text(q, flm_comparison_width_name(choice->widths));
    made->color = flm_query_text(q, choice->scope == FLM_CHANGE_OF_SELF ? "self" : "subtree");
    made->relative = !choice->absolute;
    made->normalized = c->by != FLM_NORMALIZE_NONE;
    made->normalize = flm_query_text(q, flm_normalize_name(c->by));
    made->palette = flm_query_text(q, flm_change_palette_name(choice->palette));
    made->noise = choice->shows_noise;
    made->side_by_side = choice->side_by_side;
    made->parts.at = part;
    for (int kind = FLM_CHANGE_APPEARED; kind < FLM_CHANGE_KINDS; kind++)
        add_part(q, (enum flm_change_kind)kind, &part[made->parts.count++]);
    made->similarity = c->comparison.similarity;
    add_sentences(q, made);
    return made;
}

/* ---- Legend ---------------------------------------------------------------------------------- */

void flm_compared_keys(const struct flm_compared *c,
                       struct flm_compared_key keys[FLM_COMPARED_KEYS])
{
    bool tests = c->comparison.how.sigmas > 0 && c->comparison.how.before_sample > 0 &&
                 c->comparison.how.after_sample > 0;
    const struct flm_compared_key all[FLM_COMPARED_KEYS] = {
        {"appeared", "parts appeared", FLM_CHANGE_TONES - 1, FLM_CHANGE_APPEARED,
         FLM_MARK_APPEARED},
        {"grown", "parts grown", FLM_CHANGE_TONES - 1, FLM_CHANGE_GROWN, FLM_MARK_NONE},
        {c->comparison.lost ? "not significant"
         : tests            ? "same, or noise"
                            : "same",
         "parts same", FLM_CHANGE_SAME, FLM_CHANGE_NONE, FLM_MARK_NONE},
        {"shrunk", "parts shrunk", 0, FLM_CHANGE_SHRUNK, FLM_MARK_NONE},
        {"disappeared", "parts disappeared", 0, FLM_CHANGE_DISAPPEARED, FLM_MARK_DISAPPEARED},
    };
    memcpy(keys, all, sizeof all);
}

/* As the boxes have it. */
static const char *texture_of(const struct flm_viewer *v, const struct flm_compared_key *key)
{
    static const char *const names[FLM_TEXTURE_COUNT] = {"",     "rising", "falling",
                                                         "dots", "lines",  "grid"};
    if (key->mark)
        return key->mark == FLM_MARK_APPEARED ? "rising" : "falling";
    return names[v->paint.theme.forced ? flm_change_texture(key->step) : FLM_TEXTURE_NONE];
}

static void add_item(struct flm_query *q, const struct flm_compared_key *key,
                     struct flm_response_legend_item *item)
{
    const struct flm_compared *c = q->viewer->scene.compared;
    const struct flm_tone *tone = flm_change_tone(c->colors.palette, key->step);
    item->color = flm_query_color(q, tone->light);
    item->dark = flm_query_color(q, tone->dark);
    item->texture = flm_query_text(q, texture_of(q->viewer, key));
    item->light_rgb = tone->light;
    item->dark_rgb = tone->dark;
    item->mark = key->mark;
    item->title = flm_query_text(q, key->title);
    item->count = NAN;
    if (key->kind != FLM_CHANGE_NONE) {
        struct flm_comparison_terms terms = flm_compared_terms(&q->viewer->model, c);
        const struct flm_change_sum *sum = &c->comparison.sums[key->kind];
        double before = c->comparison.before_total * c->comparison.how.scale;
        if (before > 0)
            item->share =
                flm_query_share(q, c->comparison.lost ? sum->significant : sum->change, before);
        flm_comparison_add_part(flm_query_scratch(q), &c->comparison,
                                (enum flm_change_kind)key->kind, &terms);
        item->note = flm_query_scratch_copy(q);
    }
    item->on = c->comparison.how.kinds >> key->kind & 1 ? FLM_TRISTATE_TRUE : FLM_TRISTATE_FALSE;
    item->action = flm_query_text(q, key->action);
}

void flm_query_compared_legend(struct flm_query *q, struct flm_response_legend *legend)
{
    struct flm_compared_key keys[FLM_COMPARED_KEYS];
    struct flm_response_legend_item *item = flm_query_take(q, FLM_COMPARED_KEYS, sizeof *item);
    if (!item || !q->viewer->scene.compared)
        return;
    flm_compared_keys(q->viewer->scene.compared, keys);
    for (size_t i = 0; i < FLM_COMPARED_KEYS; i++)
        add_item(q, &keys[i], &item[i]);
    legend->items.at = item;
    legend->items.count = FLM_COMPARED_KEYS;
}

/* ---- Values ---------------------------------------------------------------------------------- */

bool flm_compared_is_aside(const struct flm_viewer *v, uint32_t metric)
{
    const struct flm_compared *c = v->scene.compared;
    struct flm_metric_pair significant;
    return c && (flm_comparing_metric(&v->model, metric) != metric ||
                 (flm_metric_pair_significant(flm_model_shown(&v->model), &c->pair, &significant) &&
                  significant.after.index == metric));
}

/* The "before" of a metric that is the "after" of a pair; FLM_NONE: it is not. */
static uint32_t metric_before(const struct flm_viewer *v, uint32_t metric)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    for (uint32_t m = 0; v->scene.compared && m < p->sizes.metric_count; m++)
        if (m != metric && flm_comparing_metric(&v->model, m) == metric)
            return m;
    return FLM_NONE;
}

static double value_in(const struct flm_profile *p, uint32_t metric, uint32_t node,
                       enum flm_change_scope scope)
{
    const double *self = flm_self_column(p, metric);
    uint32_t end = scope == FLM_CHANGE_OF_SELF ? node + 1 : p->node_end[node];
    double sum = 0;
    for (uint32_t i = node; i < end; i++)
        sum += self[i];
    return sum;
}

bool flm_compared_change_in(const struct flm_viewer *v, const struct flm_pane *pane,
                            uint32_t metric, struct flm_node node, enum flm_change_scope scope,
                            struct flm_change *change, double *scale)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    uint32_t before = metric_before(v, metric);
    if (before == FLM_NONE)
        return false;
    if (metric == v->scene.compared->pair.after.index) {
        *change = flm_compared_change(pane, node, scope);
        *scale = v->scene.compared->comparison.how.scale;
        return true;
    }
    if (pane->lazy)
        return false;
    struct flm_comparison recorded = {.how = {.scale = 1}};
    *change = flm_comparison_judge(&recorded, value_in(p, before, node.index, scope),
                                   value_in(p, metric, node.index, scope));
    *scale = 1;
    return true;
}

struct flm_response_change flm_query_change(struct flm_query *q, const struct flm_change *change,
                                            double scale)
{
    struct flm_response_change made = {.before = flm_query_quantity(q, change->before / scale),
                                       .after = flm_query_quantity(q, change->after)};
    struct flm_text *out = flm_query_scratch(q);
    if (change->before > 0 || change->after > 0)
        flm_change_add_percent(out, change);
    flm_text_puts(out, change->noise ? " ?" : "");
    made.change = flm_query_scratch_copy(q);
    return made;
}

void flm_compared_add_sentence(struct flm_viewer *v, struct flm_text *out,
                               const struct flm_change *change)
{
    struct flm_comparison_terms terms = flm_compared_terms(&v->model, v->scene.compared);
    flm_comparison_add_change(out, &v->scene.compared->comparison, change, &terms);
}
