/* timeline_paint.c - the timeline above the picture: bars of its rows, names, and the axis. */
#include <math.h>
#include <stdlib.h>

#include "draw/text/quantity.h"
#include "draw/text/time_ticks.h"
#include "viewer/internal.h"
#include "viewer/paint/internal.h"

/* The moment at which the axis ends, behind the last sample. */
static int64_t end_of(const struct flm_tracks *tracks)
{
    uint64_t room = (uint64_t)INT64_MAX - (uint64_t)tracks->first_ns;
    uint64_t length = tracks->length_ns < (double)room ? (uint64_t)tracks->length_ns : room;
    int64_t end = (int64_t)((uint64_t)tracks->first_ns + length);
    return end > tracks->last_ns ? end : tracks->last_ns + 1;
}

/* A bar for every two CSS pixels. */
static bool make_bars(struct flm_viewer *v)
{
    struct flm_timeline *t = &v->scene.timeline;
    const struct flm_profile *p = v->model.operations.opened;
    uint32_t rows = flm_timeline_track_rows(&v->model, &v->scene) + 1;
    uint32_t count =
        (uint32_t)fmax(1, floor(flm_viewer_minimap(v).width / (2 * v->scene.window.scale)));
    if (t->bars && t->bar_count == count && t->row_count == rows)
        return true;
    double *bars = malloc((size_t)rows * count * sizeof *bars);
    if (!bars)
        return false;
    struct flm_metric metric = {v->model.metric < p->sizes.metric_count ? v->model.metric
                                                                        : FLM_NONE};
    for (uint32_t row = 0; row < rows; row++) {
        const struct flm_track *track = row ? &t->tracks.track[row - 1] : NULL;
        flm_tracks_bars(p, metric, track ? track->sample : NULL,
                        track ? track->sample_count : p->sizes.sample_count, t->tracks.first_ns,
                        end_of(&t->tracks), bars + (size_t)row * count, count);
    }
    free(t->bars);
    t->bars = bars;
    t->bar_count = count;
    t->row_count = rows;
    return true;
}

static void paint_row(struct flm_viewer *v, struct flm_pixels *pixels, int row, bool on)
{
    const struct flm_timeline *t = &v->scene.timeline;
    const double *bars = t->bars + (size_t)row * t->bar_count;
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    double top = flm_timeline_row_top(&v->scene, row),
           bottom = flm_timeline_row_top(&v->scene, row + 1) - round(v->scene.window.scale),
           most = 0;
    for (uint32_t i = 0; i < t->bar_count; i++)
        most = fmax(most, bars[i]);
    for (uint32_t i = 0; most > 0 && i < t->bar_count; i++) {
        if (bars[i] <= 0)
            continue;
        double height = fmax(round(v->scene.window.scale),
                             bars[i] / most * (bottom - top - v->scene.window.scale));
        int left = (int)round(map.left + map.width * i / t->bar_count);
        int right = (int)round(map.left + map.width * (i + 1) / t->bar_count);
        flm_pixels_blend(pixels, left, (int)round(bottom - height), right, (int)bottom,
                         on ? colors.accent : colors.muted, on ? 110 : 60);
    }
}

static void paint_name(struct flm_viewer *v, struct flm_pixels *pixels, int row,
                       struct flm_bytes name, bool bold)
{
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    enum flm_weight weight = bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR;
    double top = flm_timeline_row_top(&v->scene, row),
           height = flm_timeline_row_top(&v->scene, row + 1) - top;
    int base = (int)round(top + height / 2 + flm_atlas_size_px(v->paint.atlas) * 0.36);
    double width = fmin(flm_atlas_width(v->paint.atlas, name, weight),
                        FLM_TIMELINE_NAME_PX * v->scene.window.scale);
    int left = (int)map.left, right = (int)(map.left + width + 6 * v->scene.window.scale);
    flm_pixels_blend(pixels, left, (int)top, right, (int)(top + height - v->scene.window.scale),
                     colors.page, 200);
    struct flm_pixels clipped =
        flm_pixels_clipped(*pixels, left, (int)top, right, (int)(top + height));
    flm_atlas_draw(v->paint.atlas, &clipped, map.left + 3 * v->scene.window.scale, base, name,
                   weight, colors.text);
}

static void paint_axis(struct flm_viewer *v, struct flm_pixels *pixels, struct flm_span seen)
{
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    struct flm_text text = {0};
    double bottom = flm_timeline_height(&v->model, &v->scene), duration = seen.right - seen.left;
    double step = flm_tick_step(duration, fmax(map.width, 1), 90 * v->scene.window.scale);
    int base = (int)round(bottom - FLM_TIMELINE_AXIS_PX * v->scene.window.scale / 2 +
                          flm_atlas_size_px(v->paint.atlas) * 0.36);
    for (double at = ceil(seen.left / step) * step; at < seen.right; at = flm_tick_next(at, step)) {
        int x = (int)round(map.left + (at - seen.left) / duration * map.width);
        text.size = 0;
        flm_tick_label_add(&text, at, step, duration);
        struct flm_bytes label = {text.at, text.size};
        if (x + flm_atlas_width(v->paint.atlas, label, FLM_WEIGHT_REGULAR) > map.left + map.width)
            break;
        flm_pixels_fill(pixels, x, (int)(bottom - FLM_TIMELINE_AXIS_PX * v->scene.window.scale),
                        x + (int)fmax(1, v->scene.window.scale), (int)bottom, colors.line);
        flm_atlas_draw(v->paint.atlas, pixels, x + 3 * v->scene.window.scale, base, label,
                       FLM_WEIGHT_REGULAR, colors.muted);
    }
    flm_text_clear(&text);
}

/* Dims the time outside of a selected range, and draws the edges of the range. */
static void paint_part(struct flm_viewer *v, struct flm_pixels *pixels, struct flm_span ns,
                       uint32_t rgb)
{
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    double duration = flm_timeline_duration(&v->scene);
    int bottom = (int)(flm_timeline_height(&v->model, &v->scene) -
                       FLM_TIMELINE_AXIS_PX * v->scene.window.scale);
    int thin = (int)fmax(1, v->scene.window.scale);
    int left = (int)round(map.left + ns.left / duration * map.width);
    int right = (int)round(map.left + ns.right / duration * map.width);
    right = right < left + 2 * thin ? left + 2 * thin : right;
    flm_pixels_blend(pixels, 0, 0, left, bottom, colors.page, 170);
    flm_pixels_blend(pixels, right, 0, (int)v->scene.window.width, bottom, colors.page, 170);
    flm_pixels_outline(pixels, left, 0, right, bottom, thin, rgb);
}

/* A line along the upper edge over each time that someone wrote a note on. */
static void paint_notes(struct flm_viewer *v, struct flm_pixels *pixels)
{
    struct flm_area map = flm_viewer_minimap(v);
    const struct flm_kept_notes *notes = &v->model.notes;
    double first = (double)v->scene.timeline.tracks.first_ns,
           duration = flm_timeline_duration(&v->scene);
    int thick = (int)fmax(2, round(3 * v->scene.window.scale));
    for (size_t i = 0; i < flm_kept_notes_count(notes); i++) {
        const struct flm_written_note *note = flm_kept_notes_at(notes, i);
        double left = fmax(((double)note->from_ns - first) / duration, 0),
               right = fmin(((double)note->to_ns - first) / duration, 1);
        if (note->about != FLM_NOTE_ABOUT_TIME || !(left <= right))
            continue;
        int from = (int)round(map.left + left * map.width),
            to = (int)round(map.left + right * map.width);
        flm_pixels_fill(pixels, from, 0, to > from + thick ? to : from + thick, thick,
                        flm_page_colors(&v->paint.theme).accent);
    }
}

void flm_timeline_paint(struct flm_viewer *v, struct flm_pixels *pixels)
{
    struct flm_timeline *t = &v->scene.timeline;
    if (flm_heat_is_shown(&v->model, &v->scene)) {
        flm_heat_paint(v, pixels);
        return;
    }
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    struct flm_span selected, seen = {0, flm_timeline_duration(&v->scene)};
    struct flm_text title = {0};
    if (flm_timeline_height(&v->model, &v->scene) <= 0 || !make_bars(v))
        return;
    bool any = flm_timeline_has_track_on(&v->model, &v->scene);
    for (uint32_t row = 0; row < t->row_count; row++)
        paint_row(v, pixels, (int)row,
                  row == 0 ? !any
                           : !any || flm_timeline_track_is_on(&v->model, &v->scene,
                                                              &t->tracks.track[row - 1]));
    if (flm_timeline_selected(&v->model, &v->scene, &selected))
        paint_part(v, pixels, selected, colors.accent);
    if (flm_scene_is_over_time(&v->scene) && v->model.camera.total > 0)
        paint_part(v, pixels, flm_viewer_time(v, flm_viewer_span(v)), colors.accent);
    paint_notes(v, pixels);
    for (uint32_t row = 1; row < t->row_count; row++) {
        const struct flm_track *track = &t->tracks.track[row - 1];
        flm_track_add_title(v->model.operations.opened, track, &title);
        paint_name(v, pixels, (int)row, (struct flm_bytes){title.at, title.size},
                   any && flm_timeline_track_is_on(&v->model, &v->scene, track));
        title.size = 0;
    }
    flm_text_clear(&title);
    paint_axis(v, pixels, seen);
    if (v->input.drag.kind == FLM_DRAG_RANGE) {
        double a = fmin(v->input.drag.x, v->input.drag.last_x),
               b = fmax(v->input.drag.x, v->input.drag.last_x);
        flm_pixels_blend(pixels, (int)a, 0, (int)b + 1,
                         (int)(flm_timeline_height(&v->model, &v->scene) -
                               FLM_TIMELINE_AXIS_PX * v->scene.window.scale),
                         colors.accent, 60);
    }
    int bottom = (int)flm_timeline_height(&v->model, &v->scene),
        thin = (int)fmax(1, v->scene.window.scale);
    flm_pixels_fill(pixels, 0, bottom - thin, (int)v->scene.window.width, bottom, colors.line);
}
