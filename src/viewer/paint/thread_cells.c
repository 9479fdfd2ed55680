/* thread_cells.c - the names of threads, their states and the ruler of a flame chart in a terminal.
 *
 *     0.0 s       0.5 s       1.0 s       the ruler
 *     main 4242  on 1.17 s, off 310 ms    a thread
 *     ####rr####......####                its states: characters differ too, not only colors
 */
#include <math.h>

#include "draw/color/state_tones.h"
#include "draw/text/time_ticks.h"
#include "viewer/internal.h"
#include "viewer/paint/internal.h"

enum { TICKS_APART_CELLS = 12 };

static struct flm_style style_of(const struct flm_viewer *v, const struct flm_screen *screen,
                                 uint32_t ink, uint32_t attributes)
{
    if (screen->depth == FLM_DEPTH_NONE)
        return (struct flm_style){FLM_COLOR_DEFAULT, FLM_COLOR_DEFAULT, attributes};
    return (struct flm_style){ink, flm_page_colors(&v->paint.theme).page, attributes};
}

static uint32_t character_of(const struct flm_state_tone *tone, enum flm_charset charset)
{
    return charset == FLM_CHARSET_UTF8 ? tone->character : (uint32_t)tone->letter;
}

/* The row of the area at a height of the picture. */
static int row_of(double y)
{
    return (int)floor(y / FLM_CELL_HEIGHT_PX);
}

static void draw_strip(const struct flm_viewer *v, const struct flm_pane *pane,
                       struct flm_screen *screen, struct flm_cell_area area, int row)
{
    const struct flm_threads *threads = &v->scene.threads;
    const struct flm_track *track = flm_threads_track(&v->scene, pane);
    struct flm_time_axis a = flm_time_axis_of(v, 1);
    double ns_in_cell = (a.seen.right - a.seen.left) / fmax(area.columns, 1);
    uint32_t hint = 0;
    for (int column = 0; column < area.columns; column++) {
        int64_t time = flm_time_after(threads->start_ns, a.seen.left + (column + 0.5) * ns_in_cell);
        struct flm_thread_span span =
            flm_thread_span_at(&threads->states, pane->profile, track, time, &hint);
        if (span.state == FLM_THREAD_UNKNOWN)
            continue;
        const struct flm_state_tone *tone = &flm_state_tones[span.state];
        flm_screen_put(
            screen, area.left + column, area.top + row, character_of(tone, screen->charset),
            style_of(v, screen, v->paint.theme.dark ? tone->dark : tone->light, FLM_CELL_PLAIN));
    }
}

/* Eighths of a row: 0 to 8. */
static uint32_t bar_of(double share, enum flm_charset charset)
{
    static const char letters[] = " .:-=+*#@";
    int eighths = (int)ceil(fmin(fmax(share, 0), 1) * 8);
    if (charset != FLM_CHARSET_UTF8)
        return (uint32_t)letters[eighths];
    return eighths ? 0x2580 + (uint32_t)eighths : ' ';
}

/* The share of its threads that are on a CPU, as a bar in each cell. */
static void draw_occupancy(const struct flm_viewer *v, const struct flm_pane *pane,
                           struct flm_screen *screen, struct flm_cell_area area, int row)
{
    const struct flm_state_tone *tone = &flm_state_tones[FLM_THREAD_ON_CPU];
    struct flm_time_axis a = flm_time_axis_of(v, 1);
    double ns_in_cell = (a.seen.right - a.seen.left) / fmax(area.columns, 1);
    for (int column = 0; column < area.columns; column++) {
        int64_t time =
            flm_time_after(v->scene.threads.start_ns, a.seen.left + (column + 0.5) * ns_in_cell);
        double share = (double)flm_occupancy_at(&pane->occupancy, time) / pane->process_threads;
        flm_screen_put(
            screen, area.left + column, area.top + row, bar_of(share, screen->charset),
            style_of(v, screen, v->paint.theme.dark ? tone->dark : tone->light, FLM_CELL_PLAIN));
    }
}

static int draw_text(struct flm_screen *screen, struct flm_cell_area area, int column, int row,
                     const struct flm_text *text, struct flm_style style)
{
    return column + flm_screen_text(screen, area.left + column, area.top + row,
                                    area.columns - column, (struct flm_bytes){text->at, text->size},
                                    style);
}

static const char *mark_of(const struct flm_screen *screen, bool is_collapsed)
{
    if (screen->charset != FLM_CHARSET_UTF8)
        return is_collapsed ? "+ " : "- ";
    return is_collapsed ? "\xE2\x96\xB8 " : "\xE2\x96\xBE ";
}

void flm_thread_cells_draw(const struct flm_viewer *v, const struct flm_pane *pane,
                           struct flm_screen *screen, struct flm_cell_area area)
{
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    struct flm_style muted = style_of(v, screen, colors.muted, FLM_CELL_PLAIN);
    double scroll = flm_camera_scroll(&v->model.camera, v->input.now_ms);
    int row = row_of(flm_viewer_area(v).top + pane->top_px - pane->header_px - scroll);
    int strip = flm_scene_strip_px(&v->scene) > 0 ? 1 : 0;
    struct flm_text text = {0};
    bool has_name = flm_thread_has_name(v, pane);
    int foot = row_of(flm_viewer_area(v).top + pane->top_px + pane->height_px - scroll);
    if (pane->foot_px > 0 && has_name && foot >= 0 && foot < area.rows) {
        flm_thread_add_hidden_rows(pane, &text);
        draw_text(screen, area, 0, foot, &text, muted);
        text.size = 0;
    }
    if (row >= area.rows || row + 3 < 0) {
        flm_text_clear(&text);
        return;
    }
    if (pane->process_threads) {
        flm_text_puts(&text, mark_of(screen, pane->is_collapsed));
        flm_thread_add_process(v, pane, &text);
        if (row >= 0)
            draw_text(screen, area, 0, row, &text, muted);
        row++;
    }
    if (pane->is_collapsed) {
        if (strip && row >= 0 && row < area.rows)
            draw_occupancy(v, pane, screen, area, row);
        flm_text_clear(&text);
        return;
    }
    if (has_name && row >= 0 && row < area.rows) {
        text.size = 0;
        flm_text_puts(&text, pane->is_deep ? mark_of(screen, pane->foot_px > 0) : "");
        flm_thread_add_title(v, pane, &text);
        int column =
            draw_text(screen, area, 0, row, &text, style_of(v, screen, colors.text, FLM_CELL_BOLD));
        text.size = 0;
        flm_thread_add_figures(v, pane, &text);
        draw_text(screen, area, column + 2, row, &text, muted);
    }
    row++;
    if (strip && row >= 0 && row < area.rows)
        draw_strip(v, pane, screen, area, row);
    flm_text_clear(&text);
}

/* Names of markers where they are, as many as there is room for. */
static void draw_markers(const struct flm_viewer *v, struct flm_screen *screen,
                         struct flm_cell_area area, int row, const struct flm_time_axis *a)
{
    const struct flm_threads *threads = &v->scene.threads;
    const struct flm_profile *p = threads->events.profile;
    struct flm_style style = style_of(v, screen, flm_page_colors(&v->paint.theme).accent, 0);
    struct flm_text text = {0};
    int end = 0;
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        double x = flm_time_axis_x(a, flm_threads_ns(threads, p->markers[i].time_ns)) / FLM_CELL_PX;
        if (x >= area.columns)
            break;
        if (x < end)
            continue;
        text.size = 0;
        flm_text_putc(&text, '|');
        flm_marker_add_title(p, i, &text);
        end = draw_text(screen, area, (int)x, row, &text, style) + 1;
    }
    flm_text_clear(&text);
}

static void draw_counter(const struct flm_viewer *v, struct flm_screen *screen,
                         struct flm_cell_area area, int row, uint32_t track, uint32_t index)
{
    const struct flm_threads *threads = &v->scene.threads;
    struct flm_counter_points points =
        flm_profile_counter(threads->events.profile, threads->events.counter[index]);
    struct flm_time_axis a = flm_time_axis_of(v, 1);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    double ns_in_cell = (a.seen.right - a.seen.left) / fmax(area.columns, 1);
    struct flm_text name = {0}, figure = {0};
    flm_event_track_add_name(&v->scene, track, &name, &figure);
    flm_text_putc(&name, ' ');
    flm_text_add(&name, (struct flm_bytes){figure.at, figure.size});
    for (int column = 0; column < area.columns; column++) {
        int64_t from = flm_time_after(threads->start_ns, a.seen.left + column * ns_in_cell);
        double most = flm_counter_most(&points, from, flm_time_after(from, ns_in_cell + 1));
        flm_screen_put(screen, area.left + column, area.top + row,
                       bar_of(most / fmax(threads->events.most[index], 1e-300), screen->charset),
                       style_of(v, screen, colors.accent, FLM_CELL_PLAIN));
    }
    draw_text(screen, area, 0, row, &name, style_of(v, screen, colors.muted, FLM_CELL_PLAIN));
    flm_text_clear(&name);
    flm_text_clear(&figure);
}

static void draw_events(const struct flm_viewer *v, struct flm_screen *screen,
                        struct flm_cell_area area, const struct flm_time_axis *a)
{
    const struct flm_event_tracks *events = &v->scene.threads.events;
    struct flm_style plain = style_of(v, screen, flm_page_colors(&v->paint.theme).text, 0);
    for (uint32_t track = 0; track < flm_event_track_count(events); track++) {
        int row = 1 + (int)track; /* below the ruler */
        uint32_t counter;
        if (row >= area.rows)
            break;
        flm_screen_fill(screen, area.left, area.top + row, area.columns, 1, plain);
        if (flm_event_track_is_markers(events, track, &counter))
            draw_markers(v, screen, area, row, a);
        else
            draw_counter(v, screen, area, row, track, counter);
    }
}

void flm_ruler_cells_draw(const struct flm_viewer *v, struct flm_screen *screen,
                          struct flm_cell_area area)
{
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    struct flm_time_axis a = flm_time_axis_of(v, TICKS_APART_CELLS * FLM_CELL_PX);
    struct flm_style muted = style_of(v, screen, colors.muted, FLM_CELL_PLAIN);
    struct flm_text text = {0};
    flm_screen_fill(screen, area.left, area.top, area.columns, 1, muted);
    for (double at = a.first_ns; at < a.last_ns; at = flm_tick_next(at, a.step_ns)) {
        text.size = 0;
        flm_tick_label_add(&text, at, a.step_ns, a.longest_ns);
        draw_text(screen, area, (int)(flm_time_axis_x(&a, at) / FLM_CELL_PX), 0, &text, muted);
    }
    draw_events(v, screen, area, &a);
    flm_text_clear(&text);
}
