#include "viewer/paint/box_style.h"

#include <math.h>
#include <stdlib.h>

#include "algebra/notes/noted.h"
#include "draw/color/state_tones.h"
#include "draw/color/theme.h"
#include "draw/text/cells.h"
#include "draw/text/label.h"
#include "draw/text/quantity.h"
#include "profile/sample_span.h"

struct flm_page_colors flm_page_colors(const struct flm_theme *theme)
{
    if (theme->forced)
        return (struct flm_page_colors){
            .page = theme->forced_page,
            .panel = theme->forced_page,
            .line = theme->forced_text,
            .text = theme->forced_text,
            .muted = theme->forced_text,
            .accent = theme->forced_accent,
            .chip = theme->forced_page,
        };
    return (struct flm_page_colors){
        .page = flm_token_color(FLM_TOKEN_PAGE, theme->dark),
        .panel = flm_token_color(FLM_TOKEN_PANEL, theme->dark),
        .line = flm_token_color(FLM_TOKEN_LINE, theme->dark),
        .text = flm_token_color(FLM_TOKEN_TEXT, theme->dark),
        .muted = flm_token_color(FLM_TOKEN_MUTED, theme->dark),
        .accent = flm_token_color(FLM_TOKEN_ACCENT, theme->dark),
        .chip = flm_token_color(FLM_TOKEN_CHIP, theme->dark),
    };
}

uint32_t flm_search_color(const struct flm_theme *theme, unsigned color)
{
    return theme->forced ? theme->forced_mark : flm_search_color_of(color, theme->dark);
}

/* The sums of a metric with negative values, of which boxes only have the size. */
static bool update_net(struct flm_viewer *v, const struct flm_pane *pane, struct flm_error *why)
{
    struct flm_paint *paint = &v->paint;
    const struct flm_profile *p = pane->profile;
    uint32_t version = flm_version_of(&v->model.versions, FLM_OF(SHOWN) | FLM_OF(METRIC) |
                                                              FLM_OF(SCENE) | FLM_OF(VIEW));
    const double *self = flm_self_column(p, pane->metric.index);
    if (paint->net_from == version && paint->net_of == self)
        return true;
    free(paint->net);
    paint->net = NULL;
    paint->gained = paint->lost = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        *(self[i] < 0 ? &paint->lost : &paint->gained) += fabs(self[i]);
    if (paint->lost > 0) {
        paint->net = malloc(p->sizes.node_count * sizeof *paint->net);
        if (!paint->net)
            return flm_error_memory(why);
        flm_profile_totals(p, pane->metric, paint->net);
    }
    paint->net_from = version;
    paint->net_of = self;
    return true;
}

/* A byte for each frame, and for each node of the shown profile. */
static bool mark_noted(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_paint *paint = &v->paint;
    const struct flm_profile *p = flm_model_shown(&v->model);
    uint32_t version = flm_version_of(&v->model.versions, FLM_OF(SHOWN) | FLM_OF(NOTES));
    size_t count = flm_kept_notes_count(&v->model.notes), frames = p->sizes.frame_count;
    if (paint->noted_from == version)
        return true;
    free(paint->noted);
    paint->noted = count > 0 ? calloc(frames + p->sizes.node_count, 1) : NULL;
    if (count > 0 && !paint->noted)
        return flm_error_memory(why);
    for (size_t i = 0; i < count; i++) {
        const struct flm_written_note *note = flm_kept_notes_at(&v->model.notes, i);
        for (uint32_t k = 1; note->about == FLM_NOTE_ABOUT_FUNCTION && k < frames; k++)
            paint->noted[k] |= flm_note_is_on_function(p, k, note);
        uint32_t node = 0;
        while (note->about == FLM_NOTE_ABOUT_STACK &&
               (node = flm_note_find_stack(p, note->stack, node)) != FLM_NONE)
            paint->noted[frames + node] = 1;
    }
    paint->noted_from = version;
    return true;
}

bool flm_box_styles_init(struct flm_box_styles *styles, struct flm_viewer *v, uint32_t pane,
                         struct flm_error *why)
{
    const struct flm_pane *s = &v->scene.panes[pane];
    if (!flm_viewer_color(v, why) || !mark_noted(v, why))
        return false;
    uint32_t hovered = flm_scene_frame(&v->scene, v->input.hovered);
    *styles = (struct flm_box_styles){
        .viewer = v,
        .pane = s,
        .pane_index = pane,
        .zoom_level =
            s->kind ==
                    FLM_PANE_CHART /* a thread that does one thing all the time is not zoomed to */
                ? 0
                : flm_layout_level(flm_scene_layout(&v->scene, s), flm_viewer_top_node(v, s)),
        .compared = flm_scene_compares(&v->scene) ? v->scene.compared : NULL,
        .searching = flm_searches_any(&v->model.searches),
        .noted = v->paint.noted,
        .noted_nodes = v->paint.noted && s->kind == FLM_PANE_STACKS
                           ? v->paint.noted + s->profile->sizes.frame_count
                           : NULL,
        .total = s->kind == FLM_PANE_CHART ? v->scene.total
                                           : flm_layout_total(s->layout, (struct flm_node){0}),
    };
    bool has_net = s->kind == FLM_PANE_STACKS && !styles->compared && s->metric.index != FLM_NONE &&
                   s->tree.width == flm_self_column(s->profile, s->metric.index);
    if (has_net && !update_net(v, s, why))
        return false;
    styles->net = has_net ? v->paint.net : NULL;
    bool is_merged = v->input.hovered_box.flags & FLM_RECTANGLE_MERGED;
    if (hovered != FLM_NONE && hovered != 0 && !is_merged)
        styles->hovered = &s->profile->frames[hovered];
    return true;
}

void flm_box_styles_clear(struct flm_box_styles *styles)
{
    flm_text_clear(&styles->text);
}

static uint32_t ink_of(const struct flm_theme *theme, enum flm_ink ink)
{
    switch (ink) {
    case FLM_INK_PAGE:
        return theme->dark ? FLM_INK_PAGE_DARK : FLM_INK_PAGE_LIGHT;
    case FLM_INK_BLACK:
        return 0x000000;
    case FLM_INK_WHITE:
        return 0xFFFFFF;
    default:
        return theme->dark ? FLM_INK_DARK_ON_DARK : FLM_INK_DARK_ON_LIGHT;
    }
}

/* Of what the mode shares out, how much the node has. */
static const struct flm_tone *share_tone(const struct flm_box_styles *styles, struct flm_node node,
                                         double total)
{
    const struct flm_viewer *v = styles->viewer;
    const struct flm_tree *tree = &styles->pane->tree;
    double part = total, whole = styles->total;
    if (v->paint.coloring.mode == FLM_COLOR_SELF)
        part = fabs(tree->width[node.index]);
    if (v->paint.coloring.mode == FLM_COLOR_METRIC && v->paint.second_total &&
        styles->pane->kind == FLM_PANE_STACKS) {
        part = v->paint.second_total[node.index];
        whole = v->paint.second_total[0];
    }
    return &flm_share_tones[flm_share_step(part, whole)];
}

/* Of a node of a flame chart: all its samples are of one state. */
static enum flm_thread_state state_of(const struct flm_box_styles *styles, struct flm_node node)
{
    const struct flm_pane *pane = styles->pane;
    if (pane->kind != FLM_PANE_CHART || !pane->chart->kind || node.index == 0)
        return FLM_THREAD_ON_CPU;
    return (enum flm_thread_state)pane->chart->kind[node.index];
}

static const struct flm_tone *tone_of(const struct flm_box_styles *styles, struct flm_node node,
                                      double total, uint32_t frame)
{
    enum flm_thread_state state = state_of(styles, node);
    if (state != FLM_THREAD_ON_CPU)
        return &flm_state_tones[state].box;
    const struct flm_coloring *coloring = &styles->viewer->paint.coloring;
    return flm_color_mode_is_share(coloring->mode) ? share_tone(styles, node, total)
                                                   : &coloring->tones[frame];
}

/* Cached: it is needed with each letter of a search, and takes a pass over the nodes. */
bool flm_box_styles_legend(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_metric metric = {flm_comparing_metric(&v->model, v->model.metric)};
    struct flm_tree tree = flm_tree_of(flm_model_shown(&v->model), metric);
    uint32_t version =
        flm_version_of(&v->model.versions, FLM_OF(SHOWN) | FLM_OF(METRIC) | FLM_OF(SCENE) |
                                               FLM_OF(VIEW) | FLM_OF(COLORS));
    if (v->paint.legend_from == version)
        return true;
    if (!flm_viewer_color(v, why) ||
        !flm_legend_init(&v->paint.legend, &v->paint.coloring, &tree, why))
        return false;
    v->paint.legend_from = version;
    return true;
}

void flm_legend_add_title(struct flm_text *out, const struct flm_legend_item *item)
{
    if (item->second.size == 0) {
        flm_text_add(out, item->title);
        return;
    }
    flm_text_add(out, flm_path_end(item->title));
    flm_text_puts(out, ", ");
    flm_text_add(out, flm_path_end(item->second));
}

void flm_box_styles_tone(const struct flm_theme *theme, const struct flm_tone *tone, uint32_t *fill,
                         uint32_t *ink)
{
    *fill = theme->forced ? theme->forced_page : theme->dark ? tone->dark : tone->light;
    *ink = theme->forced ? theme->forced_text : ink_of(theme, tone->ink);
}

static void tint(const struct flm_theme *theme, const struct flm_tone *tone, struct flm_box *box)
{
    flm_box_styles_tone(theme, tone, &box->fill, &box->ink);
    if (theme->forced) {
        box->outline = theme->forced_text;
        box->outline_px = 1;
    }
}

/* "+41, 0.6 %": how many siblings, and how much of everything. */
static void label_merged(struct flm_box_styles *styles, const struct flm_rectangle *r,
                         struct flm_box *box)
{
    styles->text.size = 0;
    flm_text_putc(&styles->text, '+');
    flm_count_add(&styles->text, r->count);
    size_t end = styles->text.size; /* a number is never shortened in its middle: label.h */
    flm_text_puts(&styles->text, ", ");
    flm_percent_add(&styles->text, r->total, styles->total);
    box->label = (struct flm_bytes){styles->text.at, styles->text.size};
    box->parts = (struct flm_name_parts){.bare = end, .end = end};
}

static void label_root(struct flm_box_styles *styles, struct flm_box *box)
{
    const struct flm_profile *p = styles->pane->profile;
    const struct flm_metric_record *metric = &p->metrics[styles->pane->metric.index];
    struct flm_bytes unit = flm_string_bytes(p, metric->unit);
    const char *title = styles->pane->title;
    styles->text.size = 0;
    flm_text_puts(&styles->text, title && styles->compared ? title : "all");
    size_t end = styles->text.size;
    flm_text_puts(&styles->text, ", ");
    if (styles->compared && !title) {
        flm_quantity_add(&styles->text, styles->compared->comparison.before_total, unit);
        flm_text_puts(&styles->text, " before, ");
        flm_quantity_add(&styles->text, styles->compared->comparison.after_total, unit);
        flm_text_puts(&styles->text, " after");
    } else if (styles->net) { /* -1 sample (+8, -9) */
        flm_quantity_add(&styles->text, styles->net[0], unit);
        flm_text_puts(&styles->text, " (+");
        struct flm_bytes short_unit = flm_time_unit_ns(unit) > 0 ? unit : flm_bytes_of("");
        flm_quantity_add(&styles->text, styles->viewer->paint.gained, short_unit);
        flm_text_puts(&styles->text, ", ");
        flm_quantity_add(&styles->text, -styles->viewer->paint.lost, short_unit);
        flm_text_putc(&styles->text, ')');
    } else {
        flm_quantity_add(&styles->text, styles->total, unit);
    }
    box->label = (struct flm_bytes){styles->text.at, styles->text.size};
    box->parts = (struct flm_name_parts){.bare = end, .end = end};
}

static void label_frame(struct flm_box_styles *styles, const struct flm_rectangle *r,
                        uint32_t frame, struct flm_box *box)
{
    if (!box->has_room)
        return;
    box->label = flm_frame_function(styles->pane->profile, frame);
    if (box->label.size == 0)
        box->label = flm_bytes_of("(no name)");
    box->parts = flm_name_parts(box->label);
    styles->text.size = 0;
    flm_label_add_depth(&styles->text, flm_pane_depths(styles->pane, r->node).most);
    box->suffix = (struct flm_bytes){styles->text.at, styles->text.size};
}

static void mark_match(struct flm_box_styles *styles, uint32_t frame, struct flm_box *box)
{
    const struct flm_searches *searches = &styles->viewer->model.searches;
    unsigned color = searches->frame_color ? searches->frame_color[frame] : 0;
    if (!color) {
        box->faded = styles->viewer->paint.theme.forced ? 0 : 170;
        return;
    }
    box->outline = flm_search_color(&styles->viewer->paint.theme, color - 1);
    box->outline_px = 1.5;
    if (styles->viewer->paint.theme
            .forced) /* no other ground can be trusted to let letters be read */
        return;
    for (unsigned i = 0; box->label.size > 0 && i < searches->count; i++) {
        const struct flm_search *search = &searches->at[i];
        size_t from, to;
        if (search->on && search->color == color - 1 &&
            flm_search_part(search, box->label, &from, &to)) {
            box->lit_from = (uint32_t)from;
            box->lit_to = (uint32_t)to;
            box->lit_rgb = FLM_SEARCH_LIT;
        }
    }
}

uint32_t flm_box_styles_fill(const struct flm_box_styles *styles, struct flm_node node,
                             double total)
{
    uint32_t fill, ink, frame = styles->pane->tree.frame[node.index];
    flm_box_styles_tone(&styles->viewer->paint.theme, tone_of(styles, node, total, frame), &fill,
                        &ink);
    return fill;
}

/* Color is never alone: a line for the kind, a texture for a runtime. Of the thousands of boxes
 * that are too narrow for a line nobody asks for the kind: that would be a miss of the cache each.
 */
static void mark_kind(const struct flm_viewer *v, const struct flm_rectangle *r, uint32_t frame,
                      const struct flm_frame_record *record, struct flm_box *box)
{
    if (r->x1 - r->x0 + 1 >= FLM_MARK_LEAST_WIDTH * v->scene.window.scale ||
        (r->flags & FLM_JOINED))
        box->mark = flm_mark_of_kind(record->kind);
    box->texture = flm_coloring_texture(&v->paint.coloring, frame);
}

static void mark_selected(const struct flm_box_styles *styles, const struct flm_rectangle *r,
                          struct flm_box *box)
{
    const struct flm_viewer *v = styles->viewer;
    if (flm_node_ref_valid(v->model.selected) && v->model.selected.pane == styles->pane_index &&
        flm_pane_number(styles->pane, r->node) == v->model.selected.number) {
        box->outline = flm_page_colors(&v->paint.theme).accent;
        box->outline_px = 2;
    }
}

void flm_box_styles_apply(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    struct flm_box_styles *styles = context;
    const struct flm_viewer *v = styles->viewer;
    const struct flm_pane *pane = styles->pane;
    const struct flm_theme *theme = &v->paint.theme;
    bool has_room = box->has_room;
    if (r->level < pane->first_level) {
        box->skipped = true;
        return;
    }
    if (r->flags & FLM_RECTANGLE_MERGED) {
        tint(theme, &flm_tone_merged, box);
        if (has_room && pane->kind != FLM_PANE_CHART) /* samples are painted over it */
            label_merged(styles, r, box);
        if (styles->searching && !theme->forced)
            box->faded = 170;
        mark_selected(styles, r, box);
        return;
    }
    uint32_t frame = pane->tree.frame[r->node.index];
    bool ancestor = r->level < styles->zoom_level;
    tint(theme,
         ancestor           ? &flm_tone_ancestor
         : styles->compared ? flm_compared_style(pane, r->node, box)
         : frame == 0       ? &flm_tone_ancestor
                            : tone_of(styles, r->node, r->total, frame),
         box);
    if (!theme->forced)
        box->texture = FLM_TEXTURE_NONE;
    box->texture_rgb = box->ink;
    box->texture_alpha = FLM_HATCH_ALPHA;
    if (frame == 0) {
        label_root(styles, box);
        return;
    }
    const struct flm_frame_record *record = &pane->profile->frames[frame];
    if (!styles->compared)
        mark_kind(v, r, frame, record, box);
    if (styles->net && styles->net[r->node.index] < 0)
        box->texture = FLM_TEXTURE_FALLING;
    label_frame(styles, r, frame, box);
    box->noted = styles->noted && (styles->noted[frame] ||
                                   (styles->noted_nodes && styles->noted_nodes[r->node.index]));
    if (styles->searching && !ancestor)
        mark_match(styles, frame, box);
    if (styles->hovered && styles->hovered->function == record->function &&
        styles->hovered->module == record->module) {
        box->outline = flm_page_colors(theme).text;
        box->outline_px = 1;
    }
    mark_selected(styles, r, box);
}
