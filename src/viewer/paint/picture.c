#include "viewer/paint/picture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "draw/color/state_tones.h"
#include "draw/document/heatmap_pane.h"
#include "draw/text/quantity.h"
#include "draw/text/time_ticks.h"
#include "viewer/paint/internal.h"

/* CSS pixels. */
enum { ROW = FLM_ROW_PX + 1, TICKS_APART = 90, LEVELS = FLM_DOCUMENT_LEVELS };

/* Callers are opened until so many nodes were moved: half a second's. */
#define OPENING_BUDGET 20000000

/* A pane in the picture. */
struct drawn_pane {
    struct flm_rectangles boxes;
    struct flm_viewport view;
    uint32_t row_count;
    struct flm_box_styles styles;
};

struct picture {
    struct flm_viewer *viewer;
    struct flm_document document;
    struct drawn_pane *panes;
    struct flm_heatmap heatmap; /* of the heatmap view */
    struct flm_heatmap_pane heatmap_pane;
    struct flm_text text; /* scratch */
    struct flm_status status;
    unsigned marks;
    bool incomplete; /* callers are not open that could be */
};

static bool is_side_by_side(const struct flm_viewer *v)
{
    return v->scene.compared && v->scene.compared->shared_layout;
}

/* ---- Rectangles ------------------------------------------------------------------------------ */

/* Of a thread those that the window has, too. */
static uint32_t most_rows(const struct flm_pane *pane)
{
    bool is_fewer = pane->kind == FLM_PANE_CHART && flm_pane_rows(pane) < LEVELS;
    return is_fewer ? flm_pane_rows(pane) : LEVELS;
}

static struct flm_viewport viewport_of(const struct flm_viewer *v, const struct flm_pane *pane,
                                       double width)
{
    struct flm_viewport view = flm_viewer_viewport(v, pane);
    view.width_px = width;
    view.min_width_px = 1;
    view.first_level = pane->first_level;
    view.level_count = most_rows(pane);
    return view;
}

/* Lists all that is wide enough, and opens the callers that are seen. They are opened by the pane's
 * own list, which the next frame of the window makes again. */
static bool find_boxes(struct picture *picture, struct flm_pane *pane, struct drawn_pane *drawn,
                       double width, struct flm_error *why)
{
    uint64_t budget = OPENING_BUDGET;
    if (!flm_threads_open(&picture->viewer->scene, pane, why))
        return false;
    for (bool opened = true; opened;) {
        drawn->view = viewport_of(picture->viewer, pane, width);
        if (!flm_layout_rectangles(pane->layout, &drawn->view, &pane->drawn, why) ||
            !flm_pane_open(pane, (drawn->view.right - drawn->view.left) / width, budget, &opened,
                           why))
            return false;
        uint64_t spent = pane->tree.node_count;
        if (budget == 0)
            break;
        budget = spent < budget ? budget - spent : 0;
    }
    picture->incomplete = picture->incomplete || pane->incomplete;
    return flm_layout_rectangles(pane->layout, &drawn->view, &drawn->boxes, why);
}

/* How many levels are below the last one that is drawn. */
static void count_cut(struct picture *picture, const struct flm_pane *pane,
                      const struct drawn_pane *drawn)
{
    for (size_t i = 0; i < drawn->boxes.count; i++) {
        const struct flm_rectangle *r = &drawn->boxes.at[i];
        if (r->level - pane->first_level + 1 < LEVELS)
            continue;
        uint32_t below = flm_layout_below(pane->layout, r).last_level - r->level;
        if (below > picture->status.levels_cut)
            picture->status.levels_cut = below;
    }
}

/* Of a flame chart the samples below a merged box are drawn too. */
static uint32_t last_level(const struct flm_pane *pane, const struct flm_rectangle *r)
{
    uint32_t most = pane->first_level + most_rows(pane) - 1;
    if (pane->kind != FLM_PANE_CHART || !(r->flags & FLM_RECTANGLE_MERGED))
        return r->level;
    uint32_t last = flm_layout_below(pane->layout, r).last_level;
    return last < most ? last : most;
}

static void count_boxes(struct picture *picture, const struct flm_pane *pane,
                        struct drawn_pane *drawn)
{
    struct flm_status *status = &picture->status;
    status->merged_of += flm_layout_filled(pane->layout);
    for (size_t i = 0; i < drawn->boxes.count; i++) {
        const struct flm_rectangle *r = &drawn->boxes.at[i];
        uint32_t last = last_level(pane, r);
        if (last >= pane->first_level + drawn->row_count)
            drawn->row_count = last - pane->first_level + 1;
        if (r->flags & FLM_RECTANGLE_MERGED) {
            status->merged++;
            status->merged_total += r->total;
            continue;
        }
        status->drawn++;
        uint32_t frame = pane->tree.frame[r->node.index];
        picture->marks |= 1u << flm_mark_of_kind(pane->profile->frames[frame].kind);
    }
    count_cut(picture, pane, drawn);
}

static bool find_panes(struct picture *picture, struct flm_error *why)
{
    struct flm_viewer *v = picture->viewer;
    picture->panes = calloc(v->scene.pane_count, sizeof *picture->panes);
    if (!picture->panes)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        struct flm_pane *pane = &v->scene.panes[i];
        struct drawn_pane *drawn = &picture->panes[i];
        if (!find_boxes(picture, pane, drawn, flm_document_pane_width(&picture->document), why))
            return false;
        count_boxes(picture, pane, drawn);
    }
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        if (!flm_box_styles_init(&picture->panes[i].styles, v, i, why))
            return false;
        picture->panes[i].styles.hovered = NULL;
    }
    return true;
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

struct samples {
    const struct flm_surface *surface;
    const struct flm_document_pane *pane;
};

static void paint_sample(void *context, uint32_t level, int left, int right, uint32_t rgb)
{
    const struct samples *s = context;
    double top = s->pane->top + (level - s->pane->first_level) * (double)ROW;
    s->surface->fill(s->surface->context, s->pane->left + left, top, right - left, ROW - 1, rgb);
}

static void paint_samples(void *context, const struct flm_surface *surface,
                          const struct flm_document_pane *pane)
{
    const struct drawn_pane *drawn = context;
    struct samples samples = {surface, pane};
    struct flm_viewport view = drawn->view;
    view.first_level = pane->first_level;
    view.level_count = pane->row_count;
    for (size_t i = 0; i < pane->list->count; i++)
        if (pane->list->at[i].flags & FLM_RECTANGLE_MERGED)
            flm_samples_paint(&drawn->styles, &view, &pane->list->at[i], 0, pane->width_px,
                              paint_sample, &samples);
}

/* ---- Strips of flame charts ------------------------------------------------------------------ */

struct strip {
    const struct flm_viewer *viewer;
    const struct flm_surface *surface;
    double left, top, height;
};

static void paint_state(void *context, int left, int right, enum flm_thread_state state)
{
    const struct strip *s = context;
    const struct flm_surface *to = s->surface;
    enum flm_texture texture = flm_state_tones[state].texture;
    double x = s->left + left, width = right - left;
    uint32_t fill, ink;
    flm_state_colors(&s->viewer->paint.theme, state, &fill, &ink);
    to->fill(to->context, x, s->top, width, s->height, fill);
    if (texture != FLM_TEXTURE_NONE)
        to->texture(to->context, x, s->top, width, s->height, texture, ink, FLM_STRIP_ALPHA);
}

static void paint_bar(void *context, int left, int right, double share)
{
    const struct strip *s = context;
    uint32_t fill, ink;
    flm_state_colors(&s->viewer->paint.theme, FLM_THREAD_ON_CPU, &fill, &ink);
    s->surface->fill(s->surface->context, s->left + left, s->top + (1 - share) * s->height,
                     right - left, share * s->height, fill);
}

/* With a pixel free above the boxes, as in the window. */
static void paint_strip(void *context, const struct flm_surface *surface,
                        const struct flm_document_pane *pane)
{
    const struct drawn_pane *drawn = context;
    const struct flm_pane *of = drawn->styles.pane;
    const struct flm_viewer *v = drawn->styles.viewer;
    struct strip strip = {v, surface, pane->left, pane->top - pane->strip_px, pane->strip_px - 1};
    struct flm_span seen = {drawn->view.left, drawn->view.right};
    if (of->is_collapsed)
        flm_occupancy_walk(v, of, seen, pane->width_px, paint_bar, &strip);
    else
        flm_thread_states_walk(v, of, seen, pane->width_px, paint_state, &strip);
}

static void style_box(void *context, const struct flm_rectangle *rectangle, struct flm_box *box)
{
    flm_box_styles_apply(&((struct drawn_pane *)context)->styles, rectangle, box);
}

/* ---- The document ---------------------------------------------------------------------------- */

static struct flm_bytes text_of(const struct picture *picture)
{
    return (struct flm_bytes){picture->text.at, picture->text.size};
}

static void add_titles(struct picture *picture)
{
    struct flm_document *document = &picture->document;
    flm_picture_title(picture->viewer, &picture->text);
    document->title = flm_document_add_text(document, text_of(picture));
    picture->text.size = 0;
    flm_picture_subtitle(picture->viewer, &picture->text);
    document->subtitle = flm_document_add_text(document, text_of(picture));
}

/* The thread of a flame chart, its figures and the strip of its states, as in the window; and the
 * process that it begins. */
static void add_heading(struct picture *picture, const struct flm_pane *of,
                        struct flm_document_pane *added)
{
    const struct flm_viewer *v = picture->viewer;
    const struct flm_track *track = flm_threads_track(&v->scene, of);
    struct flm_pane alone = *of, *pane = &alone; /* a document has no lanes */
    alone.lane_count = 1;
    picture->text.size = 0;
    if (pane->process_threads) {
        flm_thread_add_process(v, pane, &picture->text);
        added->group = flm_document_add_text(&picture->document, text_of(picture));
    }
    if (v->scene.threads.states.of_set) {
        added->strip_px = pane->is_collapsed ? 2 * FLM_STRIP_PX : FLM_STRIP_PX;
        added->paint_strip = paint_strip;
    }
    if (pane->is_collapsed)
        return;
    picture->text.size = 0;
    flm_track_add_title(pane->profile, track, &picture->text);
    added->heading = flm_document_add_text(&picture->document, text_of(picture));
    picture->text.size = 0;
    flm_thread_add_figures(v, pane, &picture->text);
    added->detail = flm_document_add_text(&picture->document, text_of(picture));
    picture->text.size = 0;
    flm_thread_add_hidden_rows(pane, &picture->text);
    added->foot = flm_document_add_text(&picture->document, text_of(picture));
}

/* Its cells are others than the window's: the document has a width of its own. */
static bool add_heatmap(struct picture *picture, struct flm_error *why)
{
    struct flm_viewer *v = picture->viewer;
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    struct flm_span selected;
    if (!flm_heat_is_shown(&v->model, &v->scene) || is_side_by_side(v))
        return true;
    if (!flm_heat_make(&v->model, &v->scene, why))
        return false;
    const struct flm_profile *p = flm_heat_profile(&v->model, &v->scene);
    struct flm_metric metric = flm_heat_metric(&v->model, p);
    struct flm_heatmap_shape shape =
        flm_heatmap_shape_of(flm_timeline_duration(&v->scene), v->model.heat_column_ns,
                             flm_heatmap_pane_columns(flm_document_pane_width(&picture->document)),
                             FLM_HEATMAP_MOST_ROWS);
    if (!flm_heatmap_init(&picture->heatmap, p, metric, v->scene.timeline.tracks.first_ns, shape,
                          why))
        return false;
    picture->heatmap_pane = (struct flm_heatmap_pane){
        .map = &picture->heatmap,
        .dark = v->paint.theme.dark,
        .is_selected = flm_timeline_selected(&v->model, &v->scene, &selected),
        .from_ns = selected.left,
        .to_ns = selected.right,
        .page = colors.page,
        .ink = colors.text,
        .muted = colors.muted,
        .line = colors.line,
        .text_px = FLM_DOCUMENT_TEXT_PX,
    };
    flm_heatmap_pane_add(&picture->document, &picture->heatmap_pane,
                         metric.index == FLM_NONE
                             ? flm_bytes_of("samples")
                             : flm_string_bytes(p, p->metrics[metric.index].unit));
    return true;
}

static void add_panes(struct picture *picture)
{
    for (uint32_t i = 0; i < picture->viewer->scene.pane_count; i++) {
        const struct flm_pane *pane = &picture->viewer->scene.panes[i];
        struct drawn_pane *drawn = &picture->panes[i];
        struct flm_document_pane *added = flm_document_add_pane(&picture->document);
        if (!added)
            return;
        *added = (struct flm_document_pane){
            .list = &drawn->boxes,
            .first_level = pane->first_level,
            .row_count = drawn->row_count,
            .upwards = pane->upwards,
            .style = style_box,
            .context = drawn,
        };
        if (pane->kind == FLM_PANE_CHART) {
            added->paint_over = paint_samples;
            add_heading(picture, pane, added);
        }
    }
}

/* All threads have one axis. */
static void add_axis(struct picture *picture)
{
    const struct flm_viewport *view = &picture->panes[0].view;
    const struct flm_scene *scene = &picture->viewer->scene;
    double duration = view->right - view->left, offset = scene->threads.offset_ns;
    double left = offset + view->left, right = offset + view->right;
    double step = flm_tick_step(duration, view->width_px, TICKS_APART);
    for (double at = ceil(left / step) * step; at < right; at = flm_tick_next(at, step)) {
        picture->text.size = 0;
        flm_tick_label_add(&picture->text, at, step, offset + scene->total);
        flm_document_add_tick(&picture->document, (at - left) / duration * view->width_px,
                              text_of(picture));
    }
}

static bool add_status(struct picture *picture, struct flm_error *why)
{
    struct flm_viewer *v = picture->viewer;
    const struct flm_pane *pane = &v->scene.panes[0];
    const struct flm_profile *p = pane->profile;
    const struct flm_summary *summary = flm_cached_tables_summary(&v->scene.tables, p, why);
    if (!summary)
        return false;
    const struct flm_metric_summary *metric = &summary->metric[pane->metric.index];
    struct flm_status *status = &picture->status;
    status->unit = flm_string_bytes(p, p->metrics[pane->metric.index].unit);
    status->factor = 1;
    status->stack_count = metric->stack_count;
    status->total = metric->total;
    status->unsymbolized = metric->unsymbolized;
    status->unsymbolized_of = metric->size;
    status->level_limit = LEVELS;
    for (uint32_t i = 0; i < p->sizes.loss_count; i++)
        status->lost += p->losses[i].count;
    if (p->sizes.loss_count == 1)
        status->lost_what = flm_string_bytes(p, p->losses[0].what);
    if (flm_scene_compares(&v->scene)) {
        status->comparison = &v->scene.compared->comparison;
        status->terms = flm_compared_terms(&v->model, v->scene.compared);
        status->colors = &v->scene.compared->colors;
    }
    flm_document_add_status_line(&picture->document, status);
    if (picture->incomplete)
        flm_document_add_status(&picture->document,
                                flm_bytes_of("not all callers are drawn: there are too many"),
                                false);
    if (v->model.notes.list)
        flm_document_add_notes(&picture->document, v->model.notes.list,
                               flm_note_first_ns(v->model.operations.opened));
    return true;
}

static bool fill(struct picture *picture, struct flm_error *why)
{
    struct flm_viewer *v = picture->viewer;
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    struct flm_document *document = &picture->document;
    document->page = document->page_foot = colors.page;
    document->ink = colors.text;
    document->muted = colors.muted;
    document->line = colors.line;
    document->row_px = ROW;
    document->font_px = FLM_FONT_PX;
    document->side_by_side = is_side_by_side(v);
    add_titles(picture);
    if (!find_panes(picture, why) || !add_status(picture, why) || !add_heatmap(picture, why))
        return false;
    add_panes(picture);
    if (v->scene.view->is_over_time)
        add_axis(picture);
    return flm_picture_add_keys(v, picture->marks, document, why) &&
           ((!picture->text.failed && !document->failed) || flm_error_memory(why));
}

static double width_of(const struct flm_viewer *v, double width_px)
{
    if (width_px == 0)
        width_px = v->scene.window.is_cells || v->scene.window.width == 0
                       ? FLM_PICTURE_WIDTH_PX
                       : round(v->scene.window.width / v->scene.window.scale);
    return fmin(fmax(width_px, FLM_PICTURE_LEAST_PX), FLM_PICTURE_MOST_PX);
}

static void clear(struct picture *picture)
{
    for (uint32_t i = 0; picture->panes && i < picture->viewer->scene.pane_count; i++) {
        flm_rectangles_clear(&picture->panes[i].boxes);
        flm_box_styles_clear(&picture->panes[i].styles);
    }
    free(picture->panes);
    flm_heatmap_clear(&picture->heatmap);
    flm_document_clear(&picture->document);
    flm_text_clear(&picture->text);
}

/* Labels that memory did not suffice for. */
static bool styles_failed(const struct picture *picture)
{
    for (uint32_t i = 0; i < picture->viewer->scene.pane_count; i++)
        if (picture->panes[i].styles.text.failed)
            return true;
    return false;
}

bool flm_picture_write(struct flm_viewer *v, enum flm_picture_format format, double width_px,
                       struct flm_text *out, struct flm_error *why)
{
    assert(v && out && (format == FLM_PICTURE_SVG || format == FLM_PICTURE_PDF));
    if (!flm_viewer_update(v, why))
        return false;
    const struct flm_profile *p = flm_model_shown(&v->model);
    if (!p || v->scene.pane_count == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is nothing to draw: no profile is open");
    struct picture picture = {.viewer = v,
                              .document = flm_document_new(width_of(v, width_px), false)};
    bool good = fill(&picture, why) &&
                (format == FLM_PICTURE_PDF ? flm_document_write_pdf(&picture.document, out, why)
                                           : flm_document_write_svg(&picture.document, out, why)) &&
                ((!styles_failed(&picture) && !out->failed) || flm_error_memory(why));
    clear(&picture);
    flm_changed(&v->model, FLM_ASPECT_SCROLL);
    return good;
}
