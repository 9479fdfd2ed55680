#include "viewer/paint/picture.h"

#include <math.h>
#include <stdlib.h>

#include "draw/document/pdf.h"
#include "draw/document/svg_sheet.h"
#include "draw/document/vector.h"
#include "draw/text/quantity.h"
#include "draw/text/status_line.h"
#include "draw/text/visible.h"
#include "viewer/paint/box_style.h"
#include "viewer/paint/picture_key.h"
#include "viewer/scene/chart_samples.h"

/* CSS pixels. */
enum {
    PAD = 10,
    TITLE_Y = 27,
    HEADER = 44,
    LINE = 20,
    TICKS_APART = 90,
    ROW = FLM_ROW_PX + 1,
    BETWEEN = 12, /* panes side by side */
    TITLE_PX = 13,
    WORDS_PX = 12,
    LEVELS = 1000
};

/* Callers are opened until so many places were moved: half a second's. */
#define OPENING_BUDGET 20000000

/* A pane in the picture. */
struct placed {
    struct flm_rectangles boxes;
    struct flm_viewport view;
    double left, top; /* of its first row */
    uint32_t rows;    /* that are drawn */
};

struct picture {
    struct flm_viewer *viewer;
    struct flm_surface surface;
    struct placed *panes;
    double width, height;
    struct flm_page_colors colors;
    struct flm_text title, subtitle, words, plain;
    bool has_two_lines; /* the subtitle is below the title */
    struct flm_picture_keys keys;
    unsigned key_lines;
    struct flm_picture_info info;
    unsigned marks;
    bool incomplete; /* callers are not open that could be */
    double boxes_bottom;
    bool is_pdf;
    struct flm_pdf pdf; /* one of both is written */
    struct flm_svg_sheet sheet;
};

static bool is_beside(const struct flm_viewer *v)
{
    return v->scene.compared && v->scene.compared->places;
}

static bool is_chart(const struct flm_viewer *v)
{
    return v->scene.panes[0].kind == FLM_PANE_CHART;
}

/* ---- Rectangles ------------------------------------------------------------------------------ */

static struct flm_viewport viewport_of(const struct flm_viewer *v, const struct flm_pane *pane,
                                       double width)
{
    struct flm_viewport view = flm_viewer_viewport(v, pane);
    view.width_px = width;
    view.min_width_px = 1;
    view.first_level = pane->first_level;
    view.level_count = LEVELS;
    return view;
}

/* All that is wide enough, callers opened that are seen. What they are opened by is the pane's own
 * list, which the next picture of the window makes again. */
static bool find_boxes(struct picture *picture, struct flm_pane *pane, struct placed *placed,
                       double width, struct flm_error *why)
{
    uint64_t budget = OPENING_BUDGET;
    for (bool opened = true; opened;) {
        placed->view = viewport_of(picture->viewer, pane, width);
        if (!flm_layout_rectangles(pane->layout, &placed->view, &pane->drawn, why) ||
            !flm_pane_open(pane, (placed->view.right - placed->view.left) / width, budget, &opened,
                           why))
            return false;
        uint64_t spent = pane->tree.node_count;
        if (budget == 0)
            break;
        budget = spent < budget ? budget - spent : 0;
    }
    picture->incomplete = picture->incomplete || pane->incomplete;
    return flm_layout_rectangles(pane->layout, &placed->view, &placed->boxes, why);
}

/* Of the levels at the limit: how many are below. */
static void count_cut(struct picture *picture, const struct flm_pane *pane,
                      const struct placed *placed)
{
    for (size_t i = 0; i < placed->boxes.count; i++) {
        const struct flm_rectangle *r = &placed->boxes.at[i];
        if (r->level - pane->first_level + 1 < LEVELS)
            continue;
        uint32_t below = flm_layout_below(pane->layout, r).last_level - r->level;
        if (below > picture->info.levels_cut)
            picture->info.levels_cut = below;
    }
}

/* Of a chart what is below a run is drawn too: its samples. */
static uint32_t last_level(const struct flm_pane *pane, const struct flm_rectangle *r)
{
    uint32_t most = pane->first_level + LEVELS - 1;
    if (pane->kind != FLM_PANE_CHART || !(r->flags & FLM_RECTANGLE_MERGED))
        return r->level;
    uint32_t last = flm_layout_below(pane->layout, r).last_level;
    return last < most ? last : most;
}

static void count_boxes(struct picture *picture, const struct flm_pane *pane, struct placed *placed)
{
    struct flm_picture_info *info = &picture->info;
    info->merged_of += flm_layout_filled(pane->layout);
    for (size_t i = 0; i < placed->boxes.count; i++) {
        const struct flm_rectangle *r = &placed->boxes.at[i];
        uint32_t last = last_level(pane, r);
        if (last >= pane->first_level + placed->rows)
            placed->rows = last - pane->first_level + 1;
        if (r->flags & FLM_RECTANGLE_MERGED) {
            info->merged++;
            info->merged_total += r->total;
            continue;
        }
        info->drawn++;
        uint32_t frame = pane->tree.frame[r->node.index];
        picture->marks |= 1u << flm_mark_of_kind(pane->profile->frames[frame].kind);
    }
    count_cut(picture, pane, placed);
}

/* One below the other; or side by side, with their roots on one level. */
static bool place_pane(struct picture *picture, struct flm_error *why)
{
    struct flm_viewer *v = picture->viewer;
    uint32_t count = v->scene.pane_count;
    double width = picture->width - 2 * PAD, top = HEADER + LINE * picture->has_two_lines;
    top += is_chart(v) ? LINE : 0; /* for the axis */
    double half = floor((width - BETWEEN) / 2), highest = 0;
    picture->panes = calloc(count, sizeof *picture->panes);
    if (!picture->panes)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < count; i++) {
        struct flm_pane *pane = &v->scene.panes[i];
        struct placed *placed = &picture->panes[i];
        if (!find_boxes(picture, pane, placed, is_beside(v) ? half : width, why))
            return false;
        count_boxes(picture, pane, placed);
        placed->left = PAD + (is_beside(v) && i ? half + BETWEEN : 0);
        if (!is_beside(v))
            top += pane->kind == FLM_PANE_CHART ? ROW : 0;
        placed->top = top;
        highest = fmax(highest, placed->rows * ROW);
        if (!is_beside(v))
            top += placed->rows * ROW;
    }
    for (uint32_t i = 0; is_beside(v) && i < count; i++)
        if (v->scene.panes[i].upwards)
            picture->panes[i].top += highest - picture->panes[i].rows * ROW;
    picture->boxes_bottom = is_beside(v) ? top + highest : top;
    return true;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static bool find_info(struct picture *picture, struct flm_error *why)
{
    struct flm_viewer *v = picture->viewer;
    const struct flm_pane *pane = &v->scene.panes[0];
    const struct flm_profile *p = pane->profile;
    const struct flm_summary *summary = flm_cached_tables_summary(&v->tables, p, why);
    if (!summary)
        return false;
    const struct flm_metric_summary *metric = &summary->metric[pane->metric.index];
    struct flm_picture_info *info = &picture->info;
    info->unit = flm_string_bytes(p, p->metrics[pane->metric.index].unit);
    info->factor = 1;
    info->stack_count = metric->stack_count;
    info->total = metric->total;
    info->unsymbolized = metric->unsymbolized;
    info->unsymbolized_of = metric->size;
    info->level_limit = LEVELS;
    for (uint32_t i = 0; i < p->sizes.loss_count; i++)
        info->lost += p->losses[i].count;
    if (p->sizes.loss_count == 1)
        info->lost_what = flm_string_bytes(p, p->losses[0].what);
    if (flm_scene_compares(v)) {
        info->comparison = &v->scene.compared->is;
        info->terms = flm_compared_terms(v, v->scene.compared);
        info->colors = &v->scene.compared->colors;
    }
    return true;
}

static struct flm_bytes plain(struct picture *picture, const struct flm_text *text)
{
    return flm_plain((struct flm_bytes){text->at, text->size}, &picture->plain);
}

/* The subtitle stands beside the title where there is room for both. */
static void find_titles(struct picture *picture)
{
    flm_picture_title(picture->viewer, &picture->title);
    flm_picture_subtitle(picture->viewer, &picture->subtitle);
    struct flm_font bold = picture->surface.font(picture->surface.context, TITLE_PX, true);
    struct flm_font regular = picture->surface.font(picture->surface.context, TITLE_PX, false);
    double width = flm_label_width(plain(picture, &picture->title), &bold);
    width += 12 + flm_label_width(plain(picture, &picture->subtitle), &regular);
    picture->has_two_lines = PAD + width > picture->width - PAD;
}

static double write_words(struct picture *picture, double x, double y, struct flm_bytes words,
                          double size_px, bool bold, uint32_t rgb)
{
    return flm_surface_write(&picture->surface, x, y, picture->width - PAD, words, size_px, bold,
                             rgb);
}

static void draw_titles(struct picture *picture)
{
    double x = write_words(picture, PAD, TITLE_Y, plain(picture, &picture->title), TITLE_PX, true,
                           picture->colors.text);
    bool below = picture->has_two_lines;
    write_words(picture, below ? PAD : x + 12, TITLE_Y + LINE * below,
                plain(picture, &picture->subtitle), TITLE_PX, false, picture->colors.muted);
}

/* The first of the words that are joined by dots; *left: the others, with the dot in front. */
static struct flm_bytes next_part(struct flm_bytes *left)
{
    static const char dot[] = " \xC2\xB7 ";
    size_t size = sizeof dot - 1, end = left->size > 0;
    while (end + size <= left->size && memcmp(left->at + end, dot, size) != 0)
        end++;
    end = end + size <= left->size ? end : left->size;
    struct flm_bytes part = {left->at, end};
    *left = (struct flm_bytes){left->at + end, left->size - end};
    return part;
}

/* Words that begin at x: they go on in the next line where there is no room. */
static double write_fact(struct picture *picture, double x, double *y)
{
    struct flm_font font = picture->surface.font(picture->surface.context, WORDS_PX, false);
    double right = picture->width - PAD;
    struct flm_bytes left = plain(picture, &picture->words);
    if (left.size == 0)
        return x;
    if (x > PAD && x + flm_label_width(left, &font) > right) {
        x = PAD;
        *y += LINE;
    }
    while (left.size > 0) {
        struct flm_bytes part = next_part(&left);
        if (x > PAD && x + flm_label_width(part, &font) > right) {
            x = PAD;
            *y += LINE;
            part = (struct flm_bytes){part.at + 1, part.size - 1}; /* without the blank */
        }
        x = write_words(picture, x, *y, part, WORDS_PX, false, picture->colors.muted);
    }
    return x + 15;
}

static void nothing(void *context, double x, double y, struct flm_bytes text, double size_px,
                    bool bold, uint32_t rgb)
{
    (void)context, (void)x, (void)y, (void)text, (void)size_px, (void)bold, (void)rgb;
}

/* The status lines below y; returns the base line of the last. */
static double draw_status(struct picture *picture, double y)
{
    double x = PAD;
    for (int fact = 0; fact < FLM_FACT_COUNT; fact++) {
        picture->words.size = 0;
        flm_picture_fact_add(&picture->words, &picture->info, (enum flm_picture_fact)fact);
        if (fact >= FLM_FACT_PARTS && picture->words.size > 0) {
            x = PAD;
            y += LINE;
        }
        x = write_fact(picture, x, &y);
    }
    if (picture->incomplete) {
        picture->words.size = 0;
        flm_text_puts(&picture->words, "not all callers are drawn: there are too many");
        x = write_fact(picture, x, &y);
    }
    if (picture->pdf.unknown_letters > 0) {
        picture->words.size = 0;
        flm_picture_unknown_add(&picture->words, picture->pdf.unknown_letters);
        write_fact(picture, x, &y);
    }
    return y;
}

/* How high all of it is. Words are laid out by writing them to nowhere; what counts unknown letters
 * may need one more line. */
static void measure(struct picture *picture)
{
    const struct flm_surface real = picture->surface;
    picture->key_lines = flm_picture_keys_draw(&picture->keys, &real, PAD, picture->width - PAD, 0,
                                               picture->colors.muted, true);
    double y = picture->boxes_bottom + LINE + LINE * picture->key_lines;
    picture->surface.text = nothing;
    y = draw_status(picture, y);
    picture->surface = real;
    picture->height = ceil(y + 10 + (picture->is_pdf ? LINE : 0));
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

struct sample_row {
    const struct flm_surface *surface;
    double left, top;
};

static void paint_sample(void *context, int left, int right, uint32_t rgb)
{
    const struct sample_row *row = context;
    row->surface->fill(row->surface->context, row->left + left, row->top, right - left, ROW - 1,
                       rgb);
}

static void draw_samples(struct picture *picture, const struct flm_box_styles *styles,
                         const struct placed *placed)
{
    uint32_t end = styles->pane->first_level + placed->rows;
    for (size_t i = 0; i < placed->boxes.count; i++) {
        const struct flm_rectangle *run = &placed->boxes.at[i];
        int first, last;
        if (!(run->flags & FLM_RECTANGLE_MERGED))
            continue;
        flm_samples_range(run, 0, placed->view.width_px, &first, &last);
        for (uint32_t level = run->level; level < end; level++) {
            struct sample_row row = {&picture->surface, placed->left,
                                     placed->top +
                                         (level - styles->pane->first_level) * (double)ROW};
            flm_samples_level(styles, &placed->view, level, first, last, paint_sample, &row);
        }
    }
}

/* The thread of a chart, above it. */
static void draw_header(struct picture *picture, const struct flm_pane *pane,
                        const struct placed *placed)
{
    const struct flm_track *track = &picture->viewer->scene.tracks.track[pane->track];
    double y = placed->top - ROW / 2.0 + 0.36 * WORDS_PX;
    picture->words.size = 0;
    flm_track_add_title(pane->profile, track, &picture->words);
    double x = write_words(picture, placed->left, y, plain(picture, &picture->words), WORDS_PX,
                           true, picture->colors.text);
    picture->words.size = 0;
    flm_quantity_add(&picture->words, track->total, picture->info.unit);
    write_words(picture, x + 10, y, plain(picture, &picture->words), WORDS_PX, false,
                picture->colors.muted);
}

/* Above all threads, which have one. */
static void draw_axis(struct picture *picture)
{
    const struct flm_surface *surface = &picture->surface;
    const struct flm_viewport *view = &picture->panes[0].view;
    double left = picture->panes[0].left, width = view->width_px;
    double duration = view->right - view->left, step = flm_tick_step(duration, width, TICKS_APART);
    double top = picture->panes[0].top - ROW - LINE;
    for (double at = ceil(view->left / step) * step; at < view->right; at += step) {
        double x = left + (at - view->left) / duration * width;
        surface->fill(surface->context, x, top, 1, picture->boxes_bottom - top,
                      picture->colors.line);
        picture->words.size = 0;
        flm_quantity_add(&picture->words, at, flm_bytes_of("ns"));
        flm_surface_write(surface, x + 4, top + 14, left + width, plain(picture, &picture->words),
                          WORDS_PX, false, picture->colors.muted);
    }
}

static bool draw_pane(struct picture *picture, uint32_t index, struct flm_error *why)
{
    const struct flm_pane *pane = &picture->viewer->scene.panes[index];
    const struct placed *placed = &picture->panes[index];
    struct flm_box_styles styles;
    if (!flm_box_styles_init(&styles, picture->viewer, index, why))
        return false;
    styles.hovered = NULL;
    double above = pane->first_level * (double)ROW;
    struct flm_boxes boxes = {
        .left = placed->left,
        .top = pane->upwards ? placed->top + placed->rows * ROW + above : placed->top - above,
        .upwards = pane->upwards,
        .row_height = ROW,
        .gap = 1,
        .scale = 1,
        .background = picture->colors.page,
        .text = picture->colors.text,
        .look = flm_box_styles_apply,
        .context = &styles,
    };
    struct flm_window window = {placed->left, 0, placed->left + placed->view.width_px,
                                picture->boxes_bottom};
    flm_vector_boxes(&picture->surface, &boxes, &placed->boxes, FLM_FONT_PX, window);
    if (pane->kind == FLM_PANE_CHART) {
        draw_samples(picture, &styles, placed);
        draw_header(picture, pane, placed);
    }
    bool good = !styles.text.failed || flm_error_memory(why);
    flm_box_styles_clear(&styles);
    return good;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool draw(struct picture *picture, struct flm_error *why)
{
    const struct flm_surface *surface = &picture->surface;
    surface->fill(surface->context, 0, 0, picture->width, picture->height, picture->colors.page);
    draw_titles(picture);
    if (is_chart(picture->viewer))
        draw_axis(picture);
    for (uint32_t i = 0; i < picture->viewer->scene.pane_count; i++)
        if (!draw_pane(picture, i, why))
            return false;
    flm_picture_keys_draw(&picture->keys, surface, PAD, picture->width - PAD,
                          picture->boxes_bottom + LINE, picture->colors.muted, false);
    draw_status(picture, picture->boxes_bottom + LINE + LINE * picture->key_lines);
    return true;
}

static bool lay_out(struct picture *picture, struct flm_error *why)
{
    find_titles(picture);
    if (!find_info(picture, why) || !place_pane(picture, why) ||
        !flm_picture_keys_init(&picture->keys, picture->viewer, picture->marks, why))
        return false;
    measure(picture);
    return true;
}

static bool write_svg(struct picture *picture, struct flm_text *out, struct flm_error *why)
{
    picture->surface = flm_svg_sheet_surface(&picture->sheet);
    if (!lay_out(picture, why))
        return false;
    flm_svg_sheet_begin(&picture->sheet, out, picture->width, picture->height,
                        plain(picture, &picture->title));
    bool good = draw(picture, why);
    return (flm_svg_sheet_end(&picture->sheet) || flm_error_memory(why)) && good;
}

static bool write_pdf(struct picture *picture, struct flm_text *out, struct flm_error *why)
{
    picture->surface = flm_pdf_surface(&picture->pdf);
    picture->is_pdf = true;
    if (!lay_out(picture, why))
        return false;
    flm_pdf_begin(&picture->pdf, out, picture->width, picture->height);
    bool good = draw(picture, why);
    flm_pdf_end(&picture->pdf, plain(picture, &picture->title));
    return good;
}

static double width_of(const struct flm_viewer *v)
{
    double width = v->is_cells || v->width == 0 ? FLM_PICTURE_WIDTH_PX : round(v->width / v->scale);
    return fmax(width, FLM_PICTURE_LEAST_PX);
}

static void clear(struct picture *picture)
{
    for (uint32_t i = 0; picture->panes && i < picture->viewer->scene.pane_count; i++)
        flm_rectangles_clear(&picture->panes[i].boxes);
    free(picture->panes);
    flm_picture_keys_clear(&picture->keys);
    struct flm_text *texts[] = {&picture->title, &picture->subtitle, &picture->words,
                                &picture->plain};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        flm_text_clear(texts[i]);
}

bool flm_picture_write(struct flm_viewer *v, enum flm_picture_format format, struct flm_text *out,
                       struct flm_error *why)
{
    if (!flm_viewer_update(v, why))
        return false;
    const struct flm_profile *p = flm_viewer_shown(v);
    if (!p || v->scene.pane_count == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is nothing to draw: no profile is open");
    struct picture picture = {
        .viewer = v, .width = width_of(v), .colors = flm_page_colors(&v->theme)};
    bool good =
        format == FLM_PICTURE_PDF ? write_pdf(&picture, out, why) : write_svg(&picture, out, why);
    bool failed = picture.title.failed || picture.subtitle.failed || picture.words.failed ||
                  picture.plain.failed || out->failed;
    clear(&picture);
    v->changed |= FLM_CHANGED_PICTURE;
    return good && (!failed || flm_error_memory(why));
}
