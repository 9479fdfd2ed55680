#include "viewer/paint/internal.h"

#include "draw/color/state_tones.h"
#include "draw/text/quantity.h"
#include "viewer/model/choices.h"

/* ---- What it is of --------------------------------------------------------------------------- */

void flm_picture_title(const struct flm_viewer *v, struct flm_text *out)
{
    const char *after = v->model.name[FLM_VIEWER_AFTER], *before = v->model.name[FLM_VIEWER_BEFORE];
    flm_text_puts(out, after ? after : "");
    if (before && flm_model_compares(&v->model)) {
        flm_text_puts(out, ", compared with ");
        flm_text_puts(out, before);
    }
}

static void add_separator(struct flm_text *out)
{
    flm_text_puts(out, " \xC2\xB7 ");
}

static void add_operations(const struct flm_viewer *v, struct flm_text *out)
{
    bool any = false;
    for (size_t i = 0; i < v->model.operations.count; i++) {
        const struct flm_operation *operation = &v->model.operations.at[i];
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

/* The visible part: the time range of a flame chart, else the frame that is zoomed to. */
static void add_zoom(const struct flm_viewer *v, struct flm_text *out)
{
    const struct flm_pane *pane = &v->scene.panes[v->model.half];
    struct flm_span span = flm_viewer_span(v);
    double total = v->model.camera.total;
    if (v->scene.view->is_over_time) {
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
        flm_text_add(out, flm_frame_title(pane->profile, pane->tree.frame[top.index]));
        flm_text_puts(out, ", ");
    }
    flm_percent_add(out, span.right - span.left, total);
    flm_text_puts(out, " of total");
}

void flm_picture_subtitle(struct flm_viewer *v, struct flm_text *out)
{
    const struct flm_pane *pane = &v->scene.panes[0];
    struct flm_bytes metric = flm_comparing_metric_name(&v->model, pane->metric.index);
    if (flm_heat_is_shown(&v->model, &v->scene)) {
        flm_text_puts(out, v->model.view->title);
        add_separator(out);
    }
    if (v->scene.view->describe)
        v->scene.view->describe(&v->model, out);
    else
        flm_text_puts(out, v->scene.view->title);
    if (metric.size > 0) {
        add_separator(out);
        flm_text_add(out, metric);
    }
    if (v->model.order != FLM_ORDER_NAME && !v->scene.view->is_over_time) {
        add_separator(out);
        flm_text_puts(out, flm_order_choice(v->model.order).title);
    }
    add_operations(v, out);
    add_zoom(v, out);
}

/* ---- The legend ------------------------------------------------------------------------------ */

/* A legend in the making: after a failed allocation it is `none`, which is not drawn. */
struct legend {
    struct flm_viewer *viewer;
    struct flm_document *document;
    struct flm_text text; /* scratch */
    struct flm_document_key none;
};

static struct flm_document_key *add(struct legend *legend, const struct flm_tone *tone,
                                    struct flm_bytes meaning)
{
    const struct flm_theme *theme = &legend->viewer->paint.theme;
    uint32_t fill, ink;
    flm_box_styles_tone(theme, tone, &fill, &ink);
    struct flm_document_key *key = flm_document_add_key(legend->document, fill, ink, meaning);
    if (!key)
        return &legend->none;
    key->edge_px = theme->forced;
    return key;
}

/* "libc.so.6 12 %". */
static struct flm_bytes with_share(struct legend *legend, double part, double whole)
{
    flm_text_putc(&legend->text, ' ');
    flm_percent_add(&legend->text, part, whole);
    return (struct flm_bytes){legend->text.at, legend->text.size};
}

static void add_changes(struct legend *legend)
{
    const struct flm_viewer *v = legend->viewer;
    const struct flm_compared *c = v->scene.compared;
    struct flm_compared_key all[FLM_COMPARED_KEYS];
    flm_compared_keys(c, all);
    for (size_t i = 0; i < FLM_COMPARED_KEYS; i++) {
        const struct flm_tone *tone = flm_change_tone(c->colors.palette, all[i].step);
        if (c->comparison.how.kinds && !(c->comparison.how.kinds >> all[i].kind & 1))
            continue;
        struct flm_document_key *key = add(legend, tone, flm_bytes_of(all[i].title));
        key->mark = all[i].mark;
        if (v->paint.theme.forced && !key->mark)
            key->texture = flm_change_texture(all[i].step);
    }
}

static bool add_colors(struct legend *legend, struct flm_error *why)
{
    const struct flm_legend *colors = &legend->viewer->paint.legend;
    if (!flm_box_styles_legend(legend->viewer, why))
        return false;
    for (size_t i = 0; i < colors->count; i++) {
        const struct flm_legend_item *item = &colors->items[i];
        legend->text.size = 0;
        flm_legend_add_title(&legend->text, item);
        struct flm_bytes meaning = {legend->text.at, legend->text.size};
        if (item->total != 0)
            meaning = with_share(legend, item->total, colors->total);
        struct flm_document_key *key = add(legend, &item->tone, meaning);
        key->mark = item->mark;
        key->texture = item->texture;
    }
    return true;
}

/* Of the strips; boxes of stacks that are off-CPU have the same colors, paler. */
static void add_states(struct legend *legend)
{
    const struct flm_scene *scene = &legend->viewer->scene;
    const struct flm_theme *theme = &legend->viewer->paint.theme;
    bool has_strips = scene->view->is_over_time && scene->threads.states.of_set;
    for (int i = 0; has_strips && i < FLM_THREAD_STATES; i++) {
        enum flm_thread_state state = (enum flm_thread_state)i;
        uint32_t fill, ink;
        if (!(scene->threads.states.seen >> i & 1))
            continue;
        flm_state_colors(theme, state, &fill, &ink);
        struct flm_document_key *key = flm_document_add_key(
            legend->document, fill, ink, flm_bytes_of(flm_thread_state_title(state)));
        if (!key)
            return;
        key->texture = flm_state_tones[i].texture;
        key->edge_px = theme->forced;
    }
}

/* Marks that no color of the legend has. */
static void add_marks(struct legend *legend, unsigned marks)
{
    for (size_t i = 0; i < legend->document->keys.count; i++)
        marks &= ~(1u << legend->document->keys.at[i].mark);
    for (int mark = FLM_MARK_NONE + 1; mark < FLM_MARK_APPEARED; mark++)
        if (marks >> mark & 1)
            add(legend, &flm_tone_merged, flm_bytes_of(flm_mark_name((enum flm_mark)mark)))->mark =
                (enum flm_mark)mark;
}

static void add_searches(struct legend *legend)
{
    struct flm_viewer *v = legend->viewer;
    const struct flm_pane *pane = &v->scene.panes[0];
    for (unsigned i = 0; i < v->model.searches.count; i++) {
        struct flm_search *search = &v->model.searches.at[i];
        if (!search->on || search->text.size == 0)
            continue;
        const struct flm_search_sums *sums = flm_search_sum(
            search, pane->profile, pane->metric, pane->layout, flm_viewer_goal_node(v, pane));
        legend->text.size = 0;
        flm_text_add(&legend->text, (struct flm_bytes){search->text.at, search->text.size});
        struct flm_document_key *key =
            add(legend, &flm_tone_merged, with_share(legend, sums->all.total, sums->all.of));
        key->fill = flm_search_color(&v->paint.theme, search->color);
        key->is_outline = true;
    }
}

bool flm_picture_add_keys(struct flm_viewer *v, unsigned marks, struct flm_document *document,
                          struct flm_error *why)
{
    struct legend legend = {.viewer = v, .document = document};
    bool good = true;
    add_states(&legend);
    if (flm_scene_compares(&v->scene))
        add_changes(&legend);
    else if (!v->paint.theme.forced) /* where no color says anything */
        good = add_colors(&legend, why);
    if (good) {
        add_marks(&legend, marks);
        add_searches(&legend);
        good = !legend.text.failed || flm_error_memory(why);
    }
    flm_text_clear(&legend.text);
    return good;
}
