/* thread_paint.c - what a flame chart has in addition to boxes: names of threads, strips of states,
 * the ruler, and the lines of its ticks. */
#include <math.h>

#include "draw/color/state_tones.h"
#include "draw/text/label.h"
#include "draw/text/quantity.h"
#include "draw/text/time_ticks.h"
#include "viewer/internal.h"
#include "viewer/paint/internal.h"
#include "viewer/scene/lanes.h"

/* Between ticks at least; the height of a line of names. CSS px. */
enum { TICKS_APART = 90, LINE = 15 };

struct flm_time_axis flm_time_axis_of(const struct flm_viewer *v, double apart_px)
{
    struct flm_time_axis a = {
        .area = flm_viewer_area(v),
        .seen = flm_viewer_span(v),
        .offset_ns = v->scene.threads.offset_ns,
        .longest_ns = v->scene.threads.offset_ns + v->scene.total,
    };
    a.step_ns = flm_tick_step(a.seen.right - a.seen.left, fmax(a.area.width, 1), apart_px);
    a.first_ns = ceil((a.offset_ns + a.seen.left) / a.step_ns) * a.step_ns;
    a.last_ns = v->scene.total > 0 ? a.offset_ns + a.seen.right : a.first_ns;
    return a;
}

double flm_time_axis_x(const struct flm_time_axis *a, double ns)
{
    return a->area.left +
           (ns - a->offset_ns - a->seen.left) / (a->seen.right - a->seen.left) * a->area.width;
}

static double ns_at(const struct flm_time_axis *a, double x)
{
    return a->offset_ns + a->seen.left +
           (x - a->area.left) / fmax(a->area.width, 1) * (a->seen.right - a->seen.left);
}

/* ---- The ruler ------------------------------------------------------------------------------- */

void flm_threads_paint_grid(struct flm_viewer *v, struct flm_pixels *pixels)
{
    struct flm_time_axis a = flm_time_axis_of(v, TICKS_APART * v->scene.window.scale);
    int thin = (int)fmax(1, v->scene.window.scale), top = (int)a.area.top;
    uint32_t line = flm_page_colors(&v->paint.theme).line;
    if (v->scene.total <= 0 || v->paint.theme.forced)
        return;
    for (double at = a.first_ns; at < a.last_ns; at = flm_tick_next(at, a.step_ns)) {
        int x = (int)round(flm_time_axis_x(&a, at));
        flm_pixels_fill(pixels, x, top, x + thin, (int)(top + a.area.height), line);
    }
}

static double ruler_bottom(const struct flm_viewer *v, const struct flm_time_axis *a)
{
    uint32_t tracks = flm_event_track_count(&v->scene.threads.events);
    return a->area.top - flm_event_track_top(&v->scene, tracks);
}

/* A line through all threads, where the pointer is, and the time there. */
static void paint_hairline(struct flm_viewer *v, struct flm_pixels *pixels,
                           const struct flm_time_axis *a)
{
    double scale = v->scene.window.scale, x = v->input.hover_x, y = v->input.hover_y;
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    double foot = ruler_bottom(v, a), ruler = flm_scene_ruler_px(&v->scene);
    if (x < a->area.left || x >= a->area.left + a->area.width || y < foot - ruler ||
        y >= a->area.top + a->area.height || flm_viewer_is_scrolling(v) ||
        v->input.drag.kind > FLM_DRAG_PRESSED)
        return;
    int thin = (int)fmax(1, scale), dash = (int)round(3 * scale);
    int bottom = (int)(a->area.top + a->area.height);
    for (int top = (int)foot; top < bottom; top += 2 * dash)
        flm_pixels_blend(pixels, (int)x, top, (int)x + thin,
                         top + dash < bottom ? top + dash : bottom, colors.accent, 200);
    struct flm_text text = {0};
    flm_tick_label_add(&text, ns_at(a, x), a->step_ns / 100, a->longest_ns);
    struct flm_bytes label = {text.at, text.size};
    double width = flm_atlas_width(v->paint.atlas, label, FLM_WEIGHT_BOLD) + 8 * scale;
    double left = fmin(fmax(x - width / 2, a->area.left), a->area.left + a->area.width - width);
    int top = (int)(foot - ruler);
    flm_pixels_fill(pixels, (int)left, top + thin, (int)(left + width), (int)foot - thin,
                    colors.accent);
    flm_atlas_draw(v->paint.atlas, pixels, left + 4 * scale,
                   flm_atlas_base_line(v->paint.atlas, top, (int)foot), label, FLM_WEIGHT_BOLD,
                   colors.page);
    flm_text_clear(&text);
}

void flm_threads_paint_ruler(struct flm_viewer *v, struct flm_pixels *pixels)
{
    struct flm_time_axis a = flm_time_axis_of(v, TICKS_APART * v->scene.window.scale);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    struct flm_text text = {0};
    double scale = v->scene.window.scale;
    int thin = (int)fmax(1, scale), bottom = (int)ruler_bottom(v, &a),
        top = bottom - (int)flm_scene_ruler_px(&v->scene);
    int base = flm_atlas_base_line(v->paint.atlas, top, bottom);
    flm_pixels_fill(pixels, 0, top, (int)v->scene.window.width, bottom, colors.page);
    for (double at = a.first_ns; at < a.last_ns; at = flm_tick_next(at, a.step_ns)) {
        int x = (int)round(flm_time_axis_x(&a, at));
        text.size = 0;
        flm_tick_label_add(&text, at, a.step_ns, a.longest_ns);
        struct flm_bytes label = {text.at, text.size};
        if (x + flm_atlas_width(v->paint.atlas, label, FLM_WEIGHT_REGULAR) >
            a.area.left + a.area.width)
            break;
        flm_pixels_fill(pixels, x, top + (bottom - top) / 2, x + thin, bottom, colors.line);
        flm_atlas_draw(v->paint.atlas, pixels, x + 4 * scale, base, label, FLM_WEIGHT_REGULAR,
                       colors.muted);
    }
    flm_pixels_fill(pixels, 0, bottom - thin, (int)v->scene.window.width, bottom, colors.line);
    flm_text_clear(&text);
    if (v->scene.total > 0)
        paint_hairline(v, pixels, &a);
}

/* ---- Strips ---------------------------------------------------------------------------------- */

void flm_state_colors(const struct flm_theme *theme, enum flm_thread_state state, uint32_t *fill,
                      uint32_t *ink)
{
    const struct flm_state_tone *tone = &flm_state_tones[state];
    *fill = theme->dark ? tone->dark : tone->light;
    *ink = flm_page_colors(theme).page;
    if (!theme->forced)
        return;
    *fill = state == FLM_THREAD_ON_CPU ? theme->forced_text : theme->forced_page;
    *ink = theme->forced_text;
}

void flm_thread_states_walk(const struct flm_viewer *v, const struct flm_pane *pane,
                            struct flm_span seen, double width_px, flm_strip_part part,
                            void *context)
{
    const struct flm_threads *threads = &v->scene.threads;
    const struct flm_track *track = flm_threads_track(&v->scene, pane);
    double ns_in_px = (seen.right - seen.left) / fmax(width_px, 1);
    enum flm_thread_state state = FLM_THREAD_UNKNOWN;
    uint32_t hint = 0;
    int begin = 0, end = (int)width_px;
    for (int x = 0, next; x < end; x = next) {
        int64_t time = flm_time_after(threads->start_ns, seen.left + (x + 0.5) * ns_in_px);
        struct flm_thread_span span =
            flm_thread_span_at(&threads->states, pane->profile, track, time, &hint);
        double pixels_of = ((double)span.to_ns - (double)time) / ns_in_px;
        next = x + 1 + (int)fmin(fmax(pixels_of - 0.5, 0), end - x - 1);
        if (span.state == state)
            continue;
        if (state != FLM_THREAD_UNKNOWN)
            part(context, begin, x, state);
        state = span.state;
        begin = x;
    }
    if (state != FLM_THREAD_UNKNOWN)
        part(context, begin, end, state);
}

void flm_occupancy_walk(const struct flm_viewer *v, const struct flm_pane *pane,
                        struct flm_span seen, double width_px, flm_strip_bar bar, void *context)
{
    double ns_in_px = (seen.right - seen.left) / fmax(width_px, 1);
    uint32_t running = 0;
    int begin = 0, end = (int)width_px;
    for (int x = 0; x <= end; x++) {
        int64_t time = flm_time_after(v->scene.threads.start_ns, seen.left + (x + 0.5) * ns_in_px);
        uint32_t now = x < end ? flm_occupancy_at(&pane->occupancy, time) : 0;
        if (x < end && now == running)
            continue;
        if (running > 0)
            bar(context, begin, x, (double)running / pane->process_threads);
        running = now;
        begin = x;
    }
}

/* Where a strip is in the window. */
struct strip {
    const struct flm_viewer *viewer;
    struct flm_pixels *pixels;
    int left, top, bottom;
};

static void paint_state(void *context, int left, int right, enum flm_thread_state state)
{
    const struct strip *s = context;
    enum flm_texture texture = flm_state_tones[state].texture;
    uint32_t fill, ink;
    flm_state_colors(&s->viewer->paint.theme, state, &fill, &ink);
    flm_pixels_fill(s->pixels, s->left + left, s->top, s->left + right, s->bottom, fill);
    if (texture != FLM_TEXTURE_NONE)
        flm_pixels_texture(s->pixels, s->left + left, s->top, s->left + right, s->bottom, 0, 0,
                           texture, s->viewer->scene.window.scale / 2, ink, FLM_STRIP_ALPHA);
}

static void paint_bar(void *context, int left, int right, double share)
{
    const struct strip *s = context;
    uint32_t fill, ink;
    flm_state_colors(&s->viewer->paint.theme, FLM_THREAD_ON_CPU, &fill, &ink);
    flm_pixels_fill(s->pixels, s->left + left, s->bottom - (int)ceil(share * (s->bottom - s->top)),
                    s->left + right, s->bottom, fill);
}

void flm_threads_paint_strip(const struct flm_viewer *v, const struct flm_pane *pane,
                             struct flm_pixels *pixels)
{
    struct flm_time_axis a = flm_time_axis_of(v, TICKS_APART * v->scene.window.scale);
    double at = a.area.top + pane->top_px - flm_camera_scroll(&v->model.camera, v->input.now_ms);
    double height =
        pane->is_collapsed ? flm_scene_occupancy_px(&v->scene) : flm_scene_strip_px(&v->scene);
    struct strip strip = {v, pixels, (int)a.area.left, (int)round(at - height),
                          (int)round(at - v->scene.window.scale)};
    if (height <= 0 || strip.bottom <= pixels->clip_top || strip.top >= pixels->clip_bottom)
        return;
    if (pane->is_collapsed)
        flm_occupancy_walk(v, pane, a.seen, a.area.width, paint_bar, &strip);
    else
        flm_thread_states_walk(v, pane, a.seen, a.area.width, paint_state, &strip);
}

/* ---- Names ----------------------------------------------------------------------------------- */

void flm_thread_draw_line(const struct flm_viewer *v, struct flm_pixels *pixels, double left,
                          double right, int base_line, struct flm_bytes text,
                          enum flm_weight weight, uint32_t rgb)
{
    struct flm_font font = flm_atlas_font(v->paint.atlas, weight);
    struct flm_text fitted = {0};
    flm_label_add(&fitted, text, (struct flm_name_parts){.end = text.size}, right - left, &font);
    flm_atlas_draw(v->paint.atlas, pixels, left, base_line,
                   (struct flm_bytes){fitted.at, fitted.size}, weight, rgb);
    flm_text_clear(&fitted);
}

static void draw_line(const struct flm_viewer *v, struct flm_pixels *pixels, double left,
                      double right, double top, struct flm_bytes text, enum flm_weight weight,
                      uint32_t rgb)
{
    int line = (int)round(LINE * v->scene.window.scale);
    int base = flm_atlas_base_line(v->paint.atlas, (int)top, (int)top + line);
    flm_thread_draw_line(v, pixels, left, right, base, text, weight, rgb);
}

struct costs {
    double total, waited, waited_ns, ran_ns;
};

static void add_costs(struct costs *costs, const struct flm_track *track)
{
    costs->total += track->total;
    costs->waited += track->waited;
    costs->ran_ns += track->ran_ns;
    costs->waited_ns += track->waited_ns;
}

/* Of a thread, of all threads of a collapsed process, or of a lane by its first. */
static struct costs costs_of(const struct flm_viewer *v, const struct flm_pane *pane)
{
    const struct flm_tracks *tracks = &v->scene.threads.tracks;
    const struct flm_track *own = flm_threads_track(&v->scene, pane);
    struct costs costs = {0};
    uint32_t count = pane->lane_count;
    for (uint32_t i = 0; i < count && !pane->is_collapsed; i++)
        add_costs(&costs, flm_threads_track(&v->scene, pane + i));
    for (uint32_t i = 0; i < tracks->count && pane->is_collapsed; i++)
        if (tracks->track[i].process == own->process)
            add_costs(&costs, &tracks->track[i]);
    return costs;
}

bool flm_thread_has_name(const struct flm_viewer *v, const struct flm_pane *pane)
{
    return pane == flm_lane_first(&v->scene, pane);
}

void flm_thread_add_title(const struct flm_viewer *v, const struct flm_pane *pane,
                          struct flm_text *out)
{
    if (pane->lane_count == 1) {
        flm_track_add_title(pane->profile, flm_threads_track(&v->scene, pane), out);
        return;
    }
    flm_count_add(out, pane->lane_count);
    flm_text_puts(out, " short threads");
}

void flm_thread_add_figures(const struct flm_viewer *v, const struct flm_pane *pane,
                            struct flm_text *out)
{
    const struct flm_profile *p = pane->profile;
    struct flm_bytes unit = flm_string_bytes(p, p->metrics[pane->metric.index].unit);
    bool has_states = v->scene.threads.states.of_set != NULL;
    struct costs costs = costs_of(v, pane);
    if (!has_states) {
        flm_quantity_add(out, costs.total, unit);
        return;
    }
    /* Calls go on while their thread waits. Where all that ran is measured in another metric, the
     * time that it took here is not 0. */
    double ran = costs.total - costs.waited;
    bool is_wait = costs.total > 0 && ran == 0;
    bool has_ran = !is_wait && (ran > 0 || costs.ran_ns == 0);
    if (has_ran) {
        flm_text_puts(out, "on ");
        flm_quantity_add(out, ran, unit);
    }
    if (has_ran || costs.waited_ns > 0) {
        flm_text_puts(out, has_ran ? " \xC2\xB7 off " : "off ");
        flm_quantity_add(out, costs.waited_ns, flm_bytes_of("ns"));
    }
}

void flm_thread_add_process(const struct flm_viewer *v, const struct flm_pane *pane,
                            struct flm_text *out)
{
    const struct flm_track *track = flm_threads_track(&v->scene, pane);
    flm_text_puts(out, "process ");
    flm_text_add(out, flm_string_bytes(pane->profile, track->process));
    if (pane->is_collapsed && track->command != FLM_NONE) {
        flm_text_puts(out, " (");
        flm_text_add(out, flm_string_bytes(pane->profile, track->command));
        flm_text_puts(out, ")");
    }
    flm_text_puts(out, ", ");
    flm_count_add(out, pane->process_threads);
    flm_text_puts(out, pane->process_threads == 1 ? " thread" : " threads");
    if (!pane->is_collapsed)
        return;
    flm_text_puts(out, "  ");
    flm_thread_add_figures(v, pane, out);
}

void flm_thread_add_hidden_rows(const struct flm_pane *pane, struct flm_text *out)
{
    uint32_t hidden = 0, count = pane->lane_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t more = pane[i].chart_rows - flm_pane_rows(&pane[i]);
        hidden = more > hidden ? more : hidden;
    }
    if (hidden == 0)
        return;
    flm_text_putc(out, '+');
    flm_count_add(out, hidden);
    flm_text_puts(out, hidden == 1 ? " row" : " rows");
}

/* A mark that points down, or to the right where something is collapsed. */
static void paint_mark(const struct flm_viewer *v, struct flm_pixels *pixels, double left,
                       double middle, bool is_collapsed)
{
    uint32_t ink = flm_page_colors(&v->paint.theme).muted;
    int half = (int)round(4 * v->scene.window.scale), x = (int)left, y = (int)middle;
    for (int i = 0; i < half; i++)
        if (is_collapsed)
            flm_pixels_fill(pixels, x + i, y - half + i, x + i + 1, y + half - i, ink);
        else
            flm_pixels_fill(pixels, x + i, y - half / 2 + i, x + 2 * half - i, y - half / 2 + i + 1,
                            ink);
}

/* Below the rows that are drawn: a line, and how many more there are. */
static void paint_foot(const struct flm_viewer *v, const struct flm_pane *pane,
                       struct flm_pixels *pixels, double top, struct flm_text *text)
{
    struct flm_area area = flm_viewer_area(v);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    double scale = v->scene.window.scale, line = round(LINE * scale);
    int thin = (int)fmax(1, scale), at = (int)(top + round(scale));
    if (pane->foot_px <= 0)
        return;
    flm_pixels_fill(pixels, (int)area.left, at, (int)(area.left + area.width), at + thin,
                    colors.muted);
    text->size = 0;
    flm_thread_add_hidden_rows(pane, text);
    draw_line(v, pixels, area.left + 4 * scale, area.left + area.width,
              at + thin + (pane->foot_px - line) / 2, (struct flm_bytes){text->at, text->size},
              FLM_WEIGHT_REGULAR, colors.muted);
}

void flm_threads_paint_name(const struct flm_viewer *v, const struct flm_pane *pane,
                            struct flm_pixels *pixels)
{
    struct flm_area area = flm_viewer_area(v);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    double scale = v->scene.window.scale, gutter = flm_scene_gutter_px(&v->scene);
    double scroll = flm_camera_scroll(&v->model.camera, v->input.now_ms);
    double top = area.top - scroll + pane->top_px, line = round(LINE * scale);
    double least = round(FLM_THREAD_LEAST_PX * scale) - flm_scene_strip_px(&v->scene);
    bool is_stack = gutter > 0 && !pane->is_collapsed;
    double height = pane->height_px + pane->foot_px;
    double bottom = top + (is_stack ? fmax(height, least) : height);
    double begin = top - pane->header_px;
    double left = round(FLM_NAME_LEFT_PX * scale);
    double right = gutter > 0 ? gutter - FLM_NAME_RIGHT_PX * scale : area.left + area.width;
    struct flm_text text = {0};
    int thin = (int)fmax(1, scale);
    if (begin >= area.top + area.height || bottom <= area.top || !flm_thread_has_name(v, pane))
        return;
    if (begin > area.top)
        flm_pixels_fill(pixels, 0, (int)begin, (int)v->scene.window.width, (int)begin + thin,
                        colors.line);
    if (pane->process_threads) {
        flm_thread_add_process(v, pane, &text);
        double mark = 12 * scale;
        paint_mark(v, pixels, left, begin + 4 * scale + line / 2, pane->is_collapsed);
        draw_line(v, pixels, left + mark, area.left + area.width, begin + 4 * scale,
                  (struct flm_bytes){text.at, text.size}, FLM_WEIGHT_REGULAR, colors.muted);
        begin += flm_scene_process_px(&v->scene);
    }
    if (pane->is_collapsed) {
        flm_text_clear(&text);
        return;
    }
    /* It stays in the window as long as there is room for it above the next thread. */
    double at = begin + 2 * scale;
    if (gutter > 0)
        at = fmin(fmax(at, area.top + 2 * scale), bottom - 2 * line);
    text.size = 0;
    flm_thread_add_title(v, pane, &text);
    struct flm_bytes title = {text.at, text.size};
    if (pane->is_deep)
        paint_mark(v, pixels, round(scale), at + line / 2, pane->foot_px > 0);
    draw_line(v, pixels, left, right, at, title, FLM_WEIGHT_BOLD, colors.text);
    if (gutter > 0)
        at += line;
    else
        left += flm_atlas_width(v->paint.atlas, title, FLM_WEIGHT_BOLD) + 10 * scale;
    text.size = 0;
    flm_thread_add_figures(v, pane, &text);
    draw_line(v, pixels, left, right, at, (struct flm_bytes){text.at, text.size},
              FLM_WEIGHT_REGULAR, colors.muted);
    paint_foot(v, pane, pixels, top + pane->height_px, &text);
    flm_text_clear(&text);
}
