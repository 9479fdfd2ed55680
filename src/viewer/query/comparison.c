/* comparison.c - what a comparison says: its choices, its four parts, its legend, and the
 * values before and after. */
#include "draw/text/quantity.h"
#include "viewer/internal.h"
#include "viewer/query/internal.h"

static void add_words(struct flm_json_writer *json, const char *key, struct flm_text *words)
{
    if (words->failed)
        json->out->failed = true;
    flm_json_add_text(json, key, (struct flm_bytes){words->at, words->size});
    words->size = 0;
}

/* ---- Tools -----------------------------------------------------------------------------------
 */

static void add_part(struct flm_viewer *v, struct flm_json_writer *json, enum flm_change_kind kind,
                     struct flm_text *words)
{
    const struct flm_compared *c = v->scene.compared;
    struct flm_comparison_terms terms = flm_compared_terms(&v->model, c);
    const char *name = flm_change_kind_name(kind);
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "name", flm_bytes_of(name));
    flm_json_add_text(json, "title", flm_bytes_of(name));
    flm_comparison_add_part(words, &c->is, kind, &terms);
    add_words(json, "total", words);
    double before = c->is.before_total * c->is.how.scale;
    if (before > 0) {
        flm_percent_add(words, c->is.sums[kind].change, before);
        add_words(json, "share", words);
    }
    flm_json_add_bool(json, "on", c->is.how.kinds >> kind & 1);
    flm_json_end(json);
}

static void add_side(struct flm_viewer *v, struct flm_json_writer *json, enum flm_viewer_side side,
                     struct flm_text *words)
{
    const struct flm_text *expression = &v->model.comparing.expression[side];
    const char *name = v->model.name[side] ? v->model.name[side] : v->model.name[FLM_VIEWER_AFTER];
    flm_text_puts(words, name);
    if (expression->size > 0) {
        flm_text_puts(words, " | ");
        flm_text_add(words, (struct flm_bytes){expression->at, expression->size});
    }
    add_words(json, side == FLM_VIEWER_BEFORE ? "before" : "after", words);
}

void flm_compared_add_tools(struct flm_viewer *v, struct flm_json_writer *json)
{
    const struct flm_compared *c = v->scene.compared;
    const struct flm_comparing *choice = &v->model.comparing;
    if (!c) {
        flm_json_add_null(json, "comparison");
        return;
    }
    struct flm_text words = {0};
    struct flm_comparison_terms terms = flm_compared_terms(&v->model, c);
    flm_json_begin(json, "comparison", FLM_JSON_OBJECT);
    add_side(v, json, FLM_VIEWER_BEFORE, &words);
    add_side(v, json, FLM_VIEWER_AFTER, &words);
    flm_json_add_text(json, "width", flm_bytes_of(flm_comparison_width_word(choice->widths)));
    flm_json_add_text(json, "color",
                      flm_bytes_of(choice->scope == FLM_CHANGE_OF_SELF ? "self" : "subtree"));
    flm_json_add_bool(json, "relative", !choice->absolute);
    flm_json_add_bool(json, "normalized", c->by != FLM_NORMALIZE_NONE);
    flm_json_add_text(json, "normalize", flm_bytes_of(flm_normalize_word(c->by)));
    flm_json_add_text(json, "palette", flm_bytes_of(flm_change_palette_name(choice->palette)));
    flm_json_add_bool(json, "noise", choice->shows_noise);
    flm_json_add_bool(json, "side_by_side", choice->side_by_side);
    flm_json_begin(json, "parts", FLM_JSON_ARRAY);
    for (int kind = FLM_CHANGE_APPEARED; kind < FLM_CHANGE_KINDS; kind++)
        add_part(v, json, (enum flm_change_kind)kind, &words);
    flm_json_end(json);
    if (c->is.similarity == c->is.similarity)
        flm_json_add_number(json, "similarity", c->is.similarity);
    else
        flm_json_add_null(json, "similarity");
    flm_comparison_add_short(&words, &c->is, &terms);
    add_words(json, "words", &words);
    flm_comparison_add_sum(&words, &c->is, &terms);
    add_words(json, "sum", &words);
    flm_comparison_add_parts(&words, &c->is, &terms);
    add_words(json, "parts_words", &words);
    flm_comparison_add_look(&words, &c->is, &c->colors);
    add_words(json, "look", &words);
    flm_json_add_text(json, "note", flm_bytes_of(choice->note));
    struct flm_bytes verdict = flm_profile_note(flm_model_shown(&v->model), FLM_NOTE_VERDICT);
    flm_json_add_text(json, "verdict", verdict.at ? verdict : flm_bytes_of(""));
    flm_json_end(json);
    flm_text_clear(&words);
}

/* ---- Legend ----------------------------------------------------------------------------------
 */

void flm_compared_keys(const struct flm_compared *c,
                       struct flm_compared_key keys[FLM_COMPARED_KEYS])
{
    bool tests = c->is.how.sigmas > 0 && c->is.how.before_sample > 0 && c->is.how.after_sample > 0;
    const struct flm_compared_key all[FLM_COMPARED_KEYS] = {
        {"appeared", "parts appeared", FLM_CHANGE_TONES - 1, FLM_CHANGE_APPEARED,
         FLM_MARK_APPEARED},
        {"grown", "parts grown", FLM_CHANGE_TONES - 1, FLM_CHANGE_GROWN, FLM_MARK_NONE},
        {c->is.lost ? "not significant"
         : tests    ? "same, or noise"
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

static void add_color(struct flm_json_writer *json, const char *key, uint32_t rgb)
{
    char text[8];
    text[0] = '#';
    for (int i = 0; i < 6; i++)
        text[1 + i] = "0123456789abcdef"[rgb >> (20 - 4 * i) & 15];
    flm_json_add_text(json, key, (struct flm_bytes){text, 7});
}

static void add_item(struct flm_viewer *v, struct flm_json_writer *json,
                     const struct flm_compared_key *item, struct flm_text *words)
{
    const struct flm_compared *c = v->scene.compared;
    const struct flm_tone *tone = flm_change_tone(c->colors.palette, item->step);
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    add_color(json, "color", tone->light);
    add_color(json, "dark", tone->dark);
    flm_json_add_text(json, "texture", flm_bytes_of(texture_of(v, item)));
    flm_json_add_text(json, "title", flm_bytes_of(item->title));
    if (item->kind != FLM_CHANGE_NONE) {
        struct flm_comparison_terms terms = flm_compared_terms(&v->model, c);
        double before = c->is.before_total * c->is.how.scale;
        if (before > 0) {
            const struct flm_change_sum *sum = &c->is.sums[item->kind];
            flm_percent_add(words, c->is.lost ? sum->significant : sum->change, before);
            add_words(json, "share", words);
        }
        flm_comparison_add_part(words, &c->is, (enum flm_change_kind)item->kind, &terms);
        add_words(json, "note", words);
    }
    flm_json_add_bool(json, "on", c->is.how.kinds >> item->kind & 1);
    flm_json_add_text(json, "action", flm_bytes_of(item->action));
    flm_json_end(json);
}

void flm_compared_add_legend(struct flm_viewer *v, struct flm_json_writer *json)
{
    const struct flm_compared *c = v->scene.compared;
    struct flm_compared_key keys[FLM_COMPARED_KEYS];
    struct flm_text words = {0};
    flm_json_begin(json, "items", FLM_JSON_ARRAY);
    if (c)
        flm_compared_keys(c, keys);
    for (size_t i = 0; c && i < FLM_COMPARED_KEYS; i++)
        add_item(v, json, &keys[i], &words);
    flm_json_end(json);
    flm_text_clear(&words);
}

/* ---- Values ----------------------------------------------------------------------------------
 */

static void add_member(struct flm_json_writer *json, const char *prefix, const char *name,
                       struct flm_text *words)
{
    char key[40];
    struct flm_text text;
    flm_text_init_fixed(&text, key, sizeof key - 1);
    flm_text_format(&text, "%s%s", prefix, name);
    key[text.size] = 0;
    add_words(json, key, words);
}

bool flm_compared_is_aside(const struct flm_viewer *v, uint32_t metric)
{
    const struct flm_compared *c = v->scene.compared;
    struct flm_metric_pair significant;
    return c && (flm_comparing_metric(&v->model, metric) != metric ||
                 (flm_metric_pair_significant(flm_model_shown(&v->model), &c->pair, &significant) &&
                  significant.after.index == metric));
}

/* What stands before a metric that is the "after" of a pair; FLM_NONE. */
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
        *scale = v->scene.compared->is.how.scale;
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

void flm_compared_add_change(struct flm_json_writer *json, const char *prefix,
                             const struct flm_change *change, double scale, struct flm_bytes unit)
{
    struct flm_text words = {0};
    flm_quantity_add(&words, change->before / scale, unit);
    add_member(json, prefix, "before", &words);
    flm_quantity_add(&words, change->after, unit);
    add_member(json, prefix, "after", &words);
    if (change->before > 0 || change->after > 0)
        flm_change_add_percent(&words, change);
    flm_text_puts(&words, change->noise ? " ?" : "");
    add_member(json, prefix, "change", &words);
    flm_text_clear(&words);
}

void flm_compared_add_sentence(struct flm_viewer *v, struct flm_text *out,
                               const struct flm_change *change)
{
    struct flm_comparison_terms terms = flm_compared_terms(&v->model, v->scene.compared);
    flm_comparison_add_change(out, &v->scene.compared->is, change, &terms);
}
