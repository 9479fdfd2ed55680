/* event_paint.c - the tracks of markers and counters of a flame chart, in pixels. */
#include <math.h>

#include "draw/text/label.h"
#include "draw/text/quantity.h"
#include "viewer/internal.h"
#include "viewer/paint/internal.h"

/* CSS px: a flag, and what is free between it and its label. */
enum { FLAG = 5, LABEL_LEFT = 4 };

/* The name of a process, by that of its main thread; FLM_NONE where it is not known. */
static uint32_t command_of(const struct flm_scene *scene, uint32_t process)
{
    const struct flm_tracks *tracks = &scene->threads.tracks;
    for (uint32_t i = 0; i < tracks->count; i++)
        if (tracks->track[i].process == process && tracks->track[i].value == process)
            return tracks->track[i].command;
    return FLM_NONE;
}

void flm_event_track_add_name(const struct flm_scene *scene, uint32_t track, struct flm_text *name,
                              struct flm_text *figure)
{
    const struct flm_event_tracks *events = &scene->threads.events;
    const struct flm_profile *p = events->profile;
    uint32_t index;
    if (flm_event_track_is_markers(events, track, &index)) {
        flm_text_puts(name, "markers");
        flm_count_add(figure, p->sizes.marker_count);
        return;
    }
    struct flm_counter_points points = flm_profile_counter(p, events->counter[index]);
    flm_text_add(name, flm_string_bytes(p, points.name.index));
    uint32_t label_count;
    const uint32_t *label = flm_profile_label_set(p, points.label_set, &label_count);
    for (uint32_t i = 0; i < label_count; i++) {
        uint32_t value = p->labels[label[i]].value, command = command_of(scene, value);
        flm_text_putc(name, ' ');
        if (command != FLM_NONE) {
            flm_text_add(name, flm_string_bytes(p, command));
            flm_text_putc(name, ' ');
        }
        flm_text_add(name, flm_string_bytes(p, value));
    }
    flm_quantity_add(figure, events->most[index], flm_string_bytes(p, points.unit.index));
}

/* Where the labels begin in the name of a track; 0: it has none, or its unit does not tell what it
 * is. "cc1 20107  28.4 MiB" needs no "memory" where there is little room. */
static size_t labels_at(const struct flm_event_tracks *events, uint32_t track)
{
    uint32_t index;
    if (flm_event_track_is_markers(events, track, &index))
        return 0;
    struct flm_counter_points points = flm_profile_counter(events->profile, events->counter[index]);
    if (points.label_set.index == 0 || points.unit.index == 0)
        return 0;
    return flm_string_bytes(events->profile, points.name.index).size + 1;
}

void flm_marker_add_title(const struct flm_profile *p, uint32_t marker, struct flm_text *out)
{
    const struct flm_marker_record *record = &p->markers[marker];
    flm_text_add(out, flm_string_bytes(p, record->name));
    if (record->detail) {
        flm_text_putc(out, ' ');
        flm_text_add(out, flm_string_bytes(p, record->detail));
    }
}

/* Flags, and as much of a label as there is room for before the next one. */
static void paint_markers(struct flm_viewer *v, struct flm_pixels *pixels,
                          const struct flm_time_axis *a, double top, double bottom)
{
    const struct flm_profile *p = v->scene.threads.events.profile;
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    struct flm_font font = flm_atlas_font(v->paint.atlas, FLM_WEIGHT_REGULAR);
    double scale = v->scene.window.scale, right = a->area.left + a->area.width, furthest = -1e9;
    int thin = (int)fmax(1, scale),
        base = flm_atlas_base_line(v->paint.atlas, (int)top, (int)bottom);
    struct flm_text text = {0};
    double last = -1e9; /* the pixel of the flag before */
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        const struct flm_marker_record *marker = &p->markers[i];
        double x = flm_time_axis_x(a, flm_threads_ns(&v->scene.threads, marker->time_ns));
        double end = flm_time_axis_x(
            a, flm_threads_ns(&v->scene.threads, marker->time_ns + marker->duration_ns));
        if (x >= right)
            break;
        if (end < a->area.left || (floor(x) == last && end < furthest + 1))
            continue; /* nothing of it would be seen */
        last = floor(x);
        furthest = fmax(furthest, end);
        x = fmax(x, a->area.left - FLAG * 4 * scale); /* far outside no pixel has a number */
        end = fmin(end, right);
        if (marker->duration_ns > 0)
            flm_pixels_blend(pixels, (int)x, (int)top + 2 * thin, (int)fmax(end, x + thin),
                             (int)bottom - 2 * thin, colors.accent, 50);
        flm_pixels_fill(pixels, (int)x, (int)top + 2 * thin, (int)x + thin, (int)bottom,
                        colors.accent);
        for (int row = 0; row < FLAG * scale; row++) {
            int width = (int)((FLAG * scale) - fabs(row - FLAG * scale / 2) * 2);
            flm_pixels_fill(pixels, (int)x, (int)top + 2 * thin + row, (int)x + thin + width,
                            (int)top + 2 * thin + row + 1, colors.accent);
        }
        double next =
            i + 1 < p->sizes.marker_count
                ? flm_time_axis_x(a, flm_threads_ns(&v->scene.threads, p->markers[i + 1].time_ns))
                : right;
        double left = fmax(x, a->area.left) + (FLAG + LABEL_LEFT) * scale;
        text.size = 0;
        flm_marker_add_title(p, i, &text);
        struct flm_text fitted = {0};
        struct flm_bytes title = {text.at, text.size};
        flm_label_add(&fitted, title, (struct flm_name_parts){.end = title.size},
                      fmin(next, right) - left - LABEL_LEFT * scale, &font);
        flm_atlas_draw(v->paint.atlas, pixels, left, base,
                       (struct flm_bytes){fitted.at, fitted.size}, FLM_WEIGHT_REGULAR, colors.text);
        flm_text_clear(&fitted);
    }
    flm_text_clear(&text);
}

/* Each pixel has the largest value of its time. */
static void paint_counter(struct flm_viewer *v, struct flm_pixels *pixels,
                          const struct flm_time_axis *a, uint32_t index, double top, double bottom)
{
    const struct flm_threads *threads = &v->scene.threads;
    struct flm_counter_points points =
        flm_profile_counter(threads->events.profile, threads->events.counter[index]);
    double most = threads->events.most[index], scale = v->scene.window.scale;
    double ns_in_px = (a->seen.right - a->seen.left) / fmax(a->area.width, 1);
    uint32_t rgb = flm_page_colors(&v->paint.theme).accent;
    for (int x = 0; most > 0 && x < (int)a->area.width; x++) {
        int64_t from = flm_time_after(threads->start_ns, a->seen.left + x * ns_in_px);
        double value = flm_counter_most(&points, from, flm_time_after(from, ns_in_px + 1));
        double height = value / most * (bottom - top - 3 * scale);
        if (value > 0)
            flm_pixels_blend(pixels, (int)a->area.left + x,
                             (int)round(bottom - fmax(height, scale)), (int)a->area.left + x + 1,
                             (int)bottom, rgb, 70);
    }
}

/* What the gutter has room for beside a figure. */
static double room_for_name(const struct flm_viewer *v, struct flm_bytes figure)
{
    return flm_scene_gutter_px(&v->scene) -
           (FLM_NAME_LEFT_PX + FLM_NAME_RIGHT_PX + LABEL_LEFT) * v->scene.window.scale -
           flm_atlas_width(v->paint.atlas, figure, FLM_WEIGHT_REGULAR);
}

/* Whether the gutter has room for all names with what they count: all have it, or none. */
static bool names_fit(const struct flm_viewer *v, struct flm_text *name, struct flm_text *figure)
{
    const struct flm_event_tracks *events = &v->scene.threads.events;
    uint32_t count = flm_event_track_count(events);
    bool all = true;
    for (uint32_t track = 0; track < count; track++) {
        name->size = figure->size = 0;
        flm_event_track_add_name(&v->scene, track, name, figure);
        struct flm_bytes title = {name->at, name->size}, amount = {figure->at, figure->size};
        all = all && (labels_at(events, track) == 0 ||
                      flm_atlas_width(v->paint.atlas, title, FLM_WEIGHT_REGULAR) <=
                          room_for_name(v, amount));
    }
    return all;
}

void flm_event_tracks_paint(struct flm_viewer *v, struct flm_pixels *pixels)
{
    const struct flm_event_tracks *events = &v->scene.threads.events;
    struct flm_time_axis a = flm_time_axis_of(v, 1);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    double scale = v->scene.window.scale, gutter = flm_scene_gutter_px(&v->scene);
    int thin = (int)fmax(1, scale), width = (int)v->scene.window.width;
    uint32_t count = flm_event_track_count(events);
    double first = a.area.top - flm_event_track_top(&v->scene, count);
    struct flm_text name = {0}, figure = {0};
    bool is_whole = names_fit(v, &name, &figure);
    for (uint32_t track = 0; track < count; track++) {
        double top = first + flm_event_track_top(&v->scene, track);
        double bottom = top + flm_event_track_height(&v->scene, track);
        uint32_t counter;
        flm_pixels_fill(pixels, 0, (int)top, width, (int)bottom, colors.page);
        struct flm_pixels clipped = flm_pixels_clipped(
            *pixels, (int)a.area.left, (int)top, (int)(a.area.left + a.area.width), (int)bottom);
        if (flm_event_track_is_markers(events, track, &counter))
            paint_markers(v, &clipped, &a, top, bottom);
        else
            paint_counter(v, &clipped, &a, counter, top, bottom);
        name.size = figure.size = 0;
        flm_event_track_add_name(&v->scene, track, &name, &figure);
        struct flm_bytes title = {name.at, name.size}, amount = {figure.at, figure.size};
        double right = gutter > 0 ? gutter - FLM_NAME_RIGHT_PX * scale : a.area.left + a.area.width;
        double room = flm_atlas_width(v->paint.atlas, amount, FLM_WEIGHT_REGULAR);
        int base = flm_atlas_base_line(v->paint.atlas, (int)top, (int)bottom);
        if (gutter > 0) {
            title = flm_bytes_from(title, is_whole ? 0 : labels_at(events, track));
            flm_thread_draw_line(v, pixels, FLM_NAME_LEFT_PX * scale,
                                 FLM_NAME_LEFT_PX * scale + room_for_name(v, amount), base, title,
                                 FLM_WEIGHT_REGULAR, colors.text);
            flm_thread_draw_line(v, pixels, right - room, right, base, amount, FLM_WEIGHT_REGULAR,
                                 colors.muted);
        } else if (!flm_event_track_is_markers(events, track, &counter)) {
            flm_thread_draw_line(v, pixels, a.area.left + FLM_NAME_LEFT_PX * scale, right, base,
                                 title, FLM_WEIGHT_REGULAR, colors.muted);
        }
        flm_pixels_fill(pixels, 0, (int)bottom - thin, width, (int)bottom, colors.line);
    }
    flm_text_clear(&name);
    flm_text_clear(&figure);
}
