#include "viewer/paint/picture_key.h"

#include "draw/text/quantity.h"
#include "draw/text/visible.h"
#include "viewer/model/enum_names.h"
#include "viewer/paint/box_style.h"
#include "viewer/query/write_json.h"

/* ---- What it is of --------------------------------------------------------------------------- */

void flm_picture_title(const struct flm_viewer *v, struct flm_text *out)
{
    const char *after = v->name[FLM_VIEWER_AFTER], *before = v->name[FLM_VIEWER_BEFORE];
    flm_text_puts(out, after ? after : "");
    if (before && flm_viewer_compares(v)) {
        flm_text_puts(out, ", compared with ");
        flm_text_puts(out, before);
    }
}

static void add_separator(struct flm_text *out)
{
    flm_text_puts(out, " \xC2\xB7 ");
}

/* What is drawn, which behind a table is the flame. */
static void add_view(const struct flm_viewer *v, struct flm_text *out)
{
    const struct flm_pane *pane = &v->scene.panes[0];
    if (pane->kind == FLM_PANE_CHART) {
        flm_text_puts(out, flm_view_choices[FLM_VIEW_CHART].title);
    } else if (v->view == FLM_VIEW_SANDWICH && v->focus.size > 0) {
        flm_text_puts(out, flm_view_choices[FLM_VIEW_SANDWICH].title);
        flm_text_puts(out, " of ");
        flm_text_add(out, (struct flm_bytes){v->focus.at, v->focus.size});
    } else {
        enum flm_view_kind drawn = flm_scene_compares(v) ? FLM_VIEW_COMPARE : FLM_VIEW_FLAME;
        flm_text_puts(out, flm_view_choices[drawn].title);
        flm_text_puts(out, v->inverted ? ", innermost frames first" : "");
    }
}

static void add_operations(const struct flm_viewer *v, struct flm_text *out)
{
    bool any = false;
    for (size_t i = 0; i < v->operations.count; i++) {
        const struct flm_operation *operation = &v->operations.at[i];
        if (!operation->on)
            continue;
        if (any)
            flm_text_puts(out, " | ");
        else
            add_separator(out);
        flm_text_puts(out, operation->text);
        any = true;
    }
}

/* What part of it is seen: of a chart which time, else in which frame. */
static void add_zoom(const struct flm_viewer *v, struct flm_text *out)
{
    const struct flm_pane *pane = &v->scene.panes[v->half];
    struct flm_span span = flm_viewer_span(v);
    double total = v->camera.total;
    if (pane->kind == FLM_PANE_CHART) {
        struct flm_bytes unit = flm_bytes_of("ns");
        add_separator(out);
        flm_quantity_add(out, span.left, unit);
        flm_text_puts(out, " to ");
        flm_quantity_add(out, span.right, unit);
        return;
    }
    if (!(total - (span.right - span.left) > 1e-9 * total))
        return;
    struct flm_node top = flm_viewer_top_node(v, pane);
    add_separator(out);
    if (top.index != 0) {
        flm_text_puts(out, "in ");
        flm_text_add(out, flm_title_of(pane->profile, pane->tree.frame[top.index]));
        flm_text_puts(out, ", ");
    }
    flm_percent_add(out, span.right - span.left, total);
    flm_text_puts(out, " of all");
}

void flm_picture_subtitle(struct flm_viewer *v, struct flm_text *out)
{
    const struct flm_pane *pane = &v->scene.panes[0];
    struct flm_bytes metric = flm_comparing_metric_name(v, pane->metric.index);
    add_view(v, out);
    if (metric.size > 0) {
        add_separator(out);
        flm_text_add(out, metric);
    }
    if (v->order != FLM_ORDER_NAME && pane->kind != FLM_PANE_CHART) {
        add_separator(out);
        flm_text_puts(out, flm_order_choices[v->order].title);
    }
    add_operations(v, out);
    add_zoom(v, out);
}

/* ---- What its colors mean ------------------------------------------------------------------- */

static struct flm_picture_key *add(struct flm_picture_keys *keys, const struct flm_theme *theme,
                                   const struct flm_tone *tone, struct flm_bytes words,
                                   struct flm_text *scratch)
{
    struct flm_picture_key *key = &keys->at[keys->count++];
    *key = (struct flm_picture_key){.from = keys->words.size};
    flm_box_styles_tone(theme, tone, &key->fill, &key->ink);
    flm_text_add(&keys->words, flm_plain(words, scratch));
    key->size = keys->words.size - key->from;
    key->edge_px = theme->forced;
    return key;
}

static void add_share(struct flm_picture_keys *keys, double part, double whole)
{
    struct flm_picture_key *key = &keys->at[keys->count - 1];
    flm_text_putc(&keys->words, ' ');
    flm_percent_add(&keys->words, part, whole);
    key->size = keys->words.size - key->from;
}

static void add_changes(struct flm_picture_keys *keys, const struct flm_viewer *v,
                        struct flm_text *scratch)
{
    const struct flm_compared *c = v->scene.compared;
    struct flm_compared_key all[FLM_COMPARED_KEYS];
    flm_compared_keys(c, all);
    for (size_t i = 0; i < FLM_COMPARED_KEYS; i++) {
        const struct flm_tone *tone = flm_change_tone(c->colors.palette, all[i].step);
        if (c->is.how.kinds && !(c->is.how.kinds >> all[i].kind & 1))
            continue;
        struct flm_picture_key *key =
            add(keys, &v->theme, tone, flm_bytes_of(all[i].title), scratch);
        key->mark = all[i].mark;
        if (v->theme.forced && !key->mark)
            key->texture = flm_change_texture(all[i].step);
    }
}

static bool add_colors(struct flm_picture_keys *keys, struct flm_viewer *v,
                       struct flm_text *scratch, struct flm_error *why)
{
    const struct flm_legend *legend = &v->legend;
    if (!flm_box_styles_legend(v, why))
        return false;
    for (size_t i = 0; i < legend->count; i++) {
        const struct flm_legend_item *item = &legend->items[i];
        struct flm_picture_key *key = add(keys, &v->theme, &item->tone, item->title, scratch);
        key->mark = item->mark;
        key->texture = item->texture;
        if (item->total != 0)
            add_share(keys, item->total, legend->total);
    }
    return true;
}

/* Marks that no color of the legend has. */
static void add_marks(struct flm_picture_keys *keys, const struct flm_viewer *v, unsigned marks,
                      struct flm_text *scratch)
{
    for (size_t i = 0; i < keys->count; i++)
        marks &= ~(1u << keys->at[i].mark);
    for (int mark = FLM_MARK_NONE + 1; mark < FLM_MARK_APPEARED; mark++)
        if (marks >> mark & 1)
            add(keys, &v->theme, &flm_tone_merged, flm_bytes_of(flm_mark_name((enum flm_mark)mark)),
                scratch)
                ->mark = (enum flm_mark)mark;
}

static void add_searches(struct flm_picture_keys *keys, struct flm_viewer *v,
                         struct flm_text *scratch)
{
    const struct flm_pane *pane = &v->scene.panes[0];
    for (unsigned i = 0; i < v->searches.count; i++) {
        struct flm_search *search = &v->searches.at[i];
        if (!search->on || search->text.size == 0)
            continue;
        struct flm_bytes text = {search->text.at, search->text.size};
        struct flm_picture_key *key = add(keys, &v->theme, &flm_tone_merged, text, scratch);
        const struct flm_search_sums *sums = flm_search_sum(
            search, pane->profile, pane->metric, pane->layout, flm_viewer_goal_node(v, pane));
        key->fill = flm_search_color(&v->theme, search->color);
        key->is_outline = true;
        add_share(keys, sums->all.total, sums->all.of);
    }
}

bool flm_picture_keys_init(struct flm_picture_keys *keys, struct flm_viewer *v, unsigned marks,
                           struct flm_error *why)
{
    struct flm_text scratch = {0};
    bool good = true;
    *keys = (struct flm_picture_keys){.count = 0};
    if (flm_scene_compares(v))
        add_changes(keys, v, &scratch);
    else if (!v->theme.forced) /* where no color says anything */
        good = add_colors(keys, v, &scratch, why);
    if (good) {
        add_marks(keys, v, marks, &scratch);
        add_searches(keys, v, &scratch);
        good = (!scratch.failed && !keys->words.failed) || flm_error_memory(why);
    }
    flm_text_clear(&scratch);
    return good;
}

void flm_picture_keys_clear(struct flm_picture_keys *keys)
{
    flm_text_clear(&keys->words);
}

enum { BOX_WIDTH = 16, BOX_HEIGHT = 12, WORDS_AT = 21, BETWEEN = 14, LINE = 20, SIZE_PX = 12 };

static void draw_box(const struct flm_picture_key *key, const struct flm_surface *surface, double x,
                     double y)
{
    void *to = surface->context;
    if (key->is_outline)
        surface->outline(to, x, y, BOX_WIDTH, BOX_HEIGHT, 1.5, key->fill);
    else
        surface->fill(to, x, y, BOX_WIDTH, BOX_HEIGHT, key->fill);
    if (key->edge_px > 0)
        surface->outline(to, x, y, BOX_WIDTH, BOX_HEIGHT, key->edge_px, key->ink);
    if (key->texture)
        surface->texture(to, x, y, BOX_WIDTH, BOX_HEIGHT, key->texture, key->ink, FLM_HATCH_ALPHA);
    surface->mark(to, x, y, BOX_WIDTH, BOX_HEIGHT, key->mark, key->ink, 255);
}

unsigned flm_picture_keys_draw(const struct flm_picture_keys *keys,
                               const struct flm_surface *surface, double left, double right,
                               double y, uint32_t text_rgb, bool only_count)
{
    struct flm_font font = surface->font(surface->context, SIZE_PX, false);
    double x = left;
    unsigned lines = keys->count > 0;
    for (size_t i = 0; i < keys->count; i++) {
        const struct flm_picture_key *key = &keys->at[i];
        struct flm_bytes words = {keys->words.at + key->from, key->size};
        double width = WORDS_AT + flm_label_width(words, &font);
        if (x > left && x + width > right) {
            lines++;
            x = left;
            y += LINE;
        }
        if (!only_count) {
            draw_box(key, surface, x, y - 10);
            flm_surface_write(surface, x + WORDS_AT, y, right, words, SIZE_PX, false, text_rgb);
        }
        x += width + BETWEEN;
    }
    return lines;
}
