#include "viewer/scene/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "algebra/expression/argument.h"
#include "base/number/number.h"
#include "draw/text/quantity.h"
#include "viewer/model/internal.h"
#include "viewer/paint/box_style.h"

/* CSS px. */
enum { ALL_PX = 24, TRACK_PX = 16, AXIS_PX = 16, NAME_PX = 120 };

void flm_timeline_clear(struct flm_timeline *timeline)
{
    flm_tracks_clear(&timeline->tracks);
    free(timeline->bars);
    *timeline = (struct flm_timeline){0};
}

bool flm_timeline_make(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_timeline *t = &v->timeline;
    const struct flm_profile *p = v->operations.opened;
    if (t->is_made || !p)
        return true;
    struct flm_metric metric = {v->metric < p->sizes.metric_count ? v->metric : FLM_NONE};
    if (!flm_tracks_init(&t->tracks, p, metric, NULL, why))
        return false;
    t->is_made = true;
    return true;
}

/* ---- Places -------------------------------------------------------------------------------------
 */

/* One thread is no more than all. */
static uint32_t track_rows(const struct flm_viewer *v)
{
    uint32_t count = v->timeline.tracks.count;
    if (!v->shows_tracks || count < 2)
        return 0;
    double most = floor(v->height * 0.4 / (TRACK_PX * v->scale));
    if (most < count)
        count = most > 0 ? (uint32_t)most : 0;
    return count < FLM_MOST_TRACKS ? count : FLM_MOST_TRACKS;
}

double flm_timeline_duration(const struct flm_viewer *v)
{
    return v->timeline.tracks.length_ns;
}

double flm_timeline_height(const struct flm_viewer *v)
{
    if (flm_timeline_duration(v) <= 0)
        return 0;
    return round((ALL_PX + TRACK_PX * track_rows(v) + AXIS_PX) * v->scale);
}

/* The rows' upper edges; row 0 is all. */
static double row_top(const struct flm_viewer *v, int row)
{
    return row == 0 ? 0 : round((ALL_PX + TRACK_PX * (row - 1)) * v->scale);
}

int flm_timeline_row_at(const struct flm_viewer *v, double y)
{
    int rows = (int)track_rows(v) + 1;
    for (int row = 0; row < rows; row++)
        if (y >= row_top(v, row) && y < row_top(v, row + 1))
            return flm_timeline_height(v) > 0 ? row : -1;
    return -1;
}

/* Names stand over the bars: there is no room beside them that would not be time. */
bool flm_timeline_is_name(const struct flm_viewer *v, double x, double y)
{
    return flm_timeline_row_at(v, y) > 0 && x < flm_viewer_minimap(v).left + NAME_PX * v->scale;
}

struct flm_bytes flm_track_name(const struct flm_profile *p, const struct flm_track *track)
{
    if (track->value == FLM_NONE)
        return flm_bytes_of("(none)");
    return flm_string_bytes(p, track->value);
}

void flm_track_add_title(const struct flm_profile *p, const struct flm_track *track,
                         struct flm_text *out)
{
    if (track->command != FLM_NONE) {
        flm_text_add(out, flm_string_bytes(p, track->command));
        flm_text_putc(out, ' ');
    }
    flm_text_add(out, flm_track_name(p, track));
}

/* ---- What is selected ---------------------------------------------------------------------------
 */

/* Nothing begins with nothing: that is a prefix there was no memory for. */
static bool begins_with(struct flm_bytes text, struct flm_bytes prefix)
{
    return prefix.size > 0 && text.size >= prefix.size &&
           memcmp(text.at, prefix.at, prefix.size) == 0;
}

/* The operation that begins so, if it is on. */
static struct flm_bytes operation_behind(const struct flm_viewer *v, struct flm_bytes prefix)
{
    for (size_t i = 0; i < v->operations.count; i++) {
        struct flm_bytes text = flm_bytes_of(v->operations.at[i].text);
        if (v->operations.at[i].on && begins_with(text, prefix))
            return (struct flm_bytes){text.at + prefix.size, text.size - prefix.size};
    }
    return (struct flm_bytes){NULL, 0};
}

bool flm_timeline_selected(const struct flm_viewer *v, struct flm_span *ns)
{
    struct flm_bytes range = operation_behind(v, flm_bytes_of("time:"));
    *ns = (struct flm_span){0, flm_timeline_duration(v)};
    if (!range.at || !flm_time_range_parse(range, &ns->left, &ns->right))
        return false;
    ns->right = fmin(ns->right, flm_timeline_duration(v));
    return true;
}

/* "label:thread=" */
static void add_label_prefix(const struct flm_viewer *v, struct flm_text *out)
{
    flm_text_puts(out, "label:");
    flm_text_add(out, flm_string_bytes(v->operations.opened, v->timeline.tracks.key));
    flm_text_putc(out, '=');
}

static struct flm_bytes selected_values(const struct flm_viewer *v, struct flm_text *prefix)
{
    add_label_prefix(v, prefix);
    return operation_behind(v, (struct flm_bytes){prefix->at, prefix->size});
}

/* The next of the values that commas part. */
static bool next_value(struct flm_bytes values, size_t *at, struct flm_bytes *value)
{
    if (*at > values.size || values.size == 0)
        return false;
    size_t end = *at;
    while (end < values.size && values.at[end] != ',')
        end++;
    *value = (struct flm_bytes){values.at + *at, end - *at};
    *at = end + 1;
    return true;
}

static bool has_value(struct flm_bytes values, struct flm_bytes wanted)
{
    struct flm_bytes value;
    for (size_t at = 0; next_value(values, &at, &value);)
        if (flm_bytes_equal(value, wanted))
            return true;
    return flm_bytes_equal(values, wanted);
}

bool flm_timeline_has_track_on(const struct flm_viewer *v)
{
    struct flm_text prefix = {0};
    bool any = v->timeline.tracks.key != FLM_NONE && v->timeline.tracks.count > 0 &&
               selected_values(v, &prefix).at;
    flm_text_clear(&prefix);
    return any;
}

bool flm_timeline_track_is_on(const struct flm_viewer *v, const struct flm_track *track)
{
    struct flm_text prefix = {0};
    struct flm_bytes values = {NULL, 0};
    if (v->timeline.tracks.key != FLM_NONE)
        values = selected_values(v, &prefix);
    bool on = values.at && has_value(values, flm_track_name(v->operations.opened, track));
    flm_text_clear(&prefix);
    return on;
}

/* ---- Selecting ----------------------------------------------------------------------------------
 */

/* All operations, those that begin with `prefix` replaced by `text`, which may be empty: in front
 * of all, because they are about samples, which a later operation may not have. A time is in front
 * of labels: it counts from the first sample of all. */
static bool replace(struct flm_viewer *v, struct flm_bytes prefix, struct flm_bytes text,
                    bool behind_time, struct flm_error *why)
{
    struct flm_text all = {0};
    const struct flm_operations *o = &v->operations;
    bool placed = text.size == 0;
    for (size_t i = 0; i <= o->count; i++) {
        struct flm_bytes one = flm_bytes_of(i < o->count ? o->at[i].text : "");
        bool waits = behind_time && i < o->count && flm_bytes_start_with(one, "time:");
        if (!placed && !waits) {
            flm_text_puts(&all, all.size ? " | " : "");
            flm_text_add(&all, text);
            placed = true;
        }
        if (i == o->count || begins_with(one, prefix))
            continue;
        flm_text_puts(&all, all.size ? " | " : "");
        flm_text_puts(&all, o->at[i].on ? "" : "!");
        flm_text_add(&all, one);
    }
    bool good = !all.failed || flm_error_memory(why);
    if (good)
        flm_viewer_leave(v);
    good = good &&
           flm_operations_rewrite(&v->operations, (struct flm_bytes){all.at, all.size}, why) &&
           flm_viewer_update(v, why);
    flm_text_clear(&all);
    if (good)
        flm_viewer_history_push(v);
    return good;
}

static void add_seconds(struct flm_text *out, double ns)
{
    char number[FLM_NUMBER_SIZE];
    flm_text_add(out, (struct flm_bytes){number, flm_number_print(round(ns) / 1e9, number)});
    flm_text_putc(out, 's');
}

bool flm_timeline_select(struct flm_viewer *v, struct flm_span ns, struct flm_error *why)
{
    struct flm_text text = {0};
    double duration = flm_timeline_duration(v);
    if (ns.right > ns.left && (ns.left > 0 || ns.right < duration)) {
        flm_text_puts(&text, "time:");
        add_seconds(&text, fmax(ns.left, 0));
        flm_text_puts(&text, "..");
        if (ns.right < duration)
            add_seconds(&text, ns.right);
    }
    bool good = !text.failed || flm_error_memory(why);
    good = good &&
           replace(v, flm_bytes_of("time:"), (struct flm_bytes){text.at, text.size}, false, why);
    flm_text_clear(&text);
    return good;
}

/* The values that were selected but this one, or with it. */
static void add_toggled(struct flm_text *out, struct flm_bytes values, struct flm_bytes wanted)
{
    struct flm_bytes value;
    size_t start = out->size;
    bool was = false;
    for (size_t at = 0; next_value(values, &at, &value);) {
        if (flm_bytes_equal(value, wanted)) {
            was = true;
            continue;
        }
        flm_text_puts(out, out->size > start ? "," : "");
        flm_text_add(out, value);
    }
    if (!was) {
        flm_text_puts(out, out->size > start ? "," : "");
        flm_text_add(out, wanted);
    }
}

bool flm_timeline_toggle(struct flm_viewer *v, const struct flm_track *track, bool only,
                         struct flm_error *why)
{
    struct flm_text prefix = {0}, text = {0};
    if (v->timeline.tracks.key == FLM_NONE)
        return flm_error_set(why, FLM_ERROR_USAGE, "no label tells threads apart");
    if (track && track->value == FLM_NONE)
        return flm_error_set(why, FLM_ERROR_USAGE, "what has no label cannot be selected by it");
    struct flm_bytes values = selected_values(v, &prefix);
    if (track) {
        add_label_prefix(v, &text);
        size_t start = text.size;
        struct flm_bytes none = {NULL, 0};
        add_toggled(&text, only ? none : values, flm_track_name(v->operations.opened, track));
        if (text.size == start) /* none is left: all */
            text.size = 0;
    }
    bool good = (!text.failed && !prefix.failed) || flm_error_memory(why);
    good = good && replace(v, (struct flm_bytes){prefix.at, prefix.size},
                           (struct flm_bytes){text.at, text.size}, true, why);
    flm_text_clear(&prefix);
    flm_text_clear(&text);
    return good;
}

bool flm_timeline_is_split(const struct flm_viewer *v)
{
    return operation_behind(v, flm_bytes_of("split:")).at != NULL;
}

bool flm_timeline_split(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_text text = {0};
    if (!flm_timeline_is_split(v)) {
        flm_text_puts(&text, "split:");
        flm_text_add(&text, flm_string_bytes(v->operations.opened, v->timeline.tracks.key));
    }
    bool good = !text.failed || flm_error_memory(why);
    good = good &&
           replace(v, flm_bytes_of("split:"), (struct flm_bytes){text.at, text.size}, true, why);
    flm_text_clear(&text);
    return good;
}

/* ---- Painting -----------------------------------------------------------------------------------
 */

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
    struct flm_timeline *t = &v->timeline;
    const struct flm_profile *p = v->operations.opened;
    uint32_t rows = track_rows(v) + 1;
    uint32_t count = (uint32_t)fmax(1, floor(flm_viewer_minimap(v).width / (2 * v->scale)));
    if (t->bars && t->bar_count == count && t->row_count == rows)
        return true;
    double *bars = malloc((size_t)rows * count * sizeof *bars);
    if (!bars)
        return false;
    struct flm_metric metric = {v->metric < p->sizes.metric_count ? v->metric : FLM_NONE};
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
    const struct flm_timeline *t = &v->timeline;
    const double *bars = t->bars + (size_t)row * t->bar_count;
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_page_colors colors = flm_page_colors(&v->theme);
    double top = row_top(v, row), bottom = row_top(v, row + 1) - round(v->scale), most = 0;
    for (uint32_t i = 0; i < t->bar_count; i++)
        most = fmax(most, bars[i]);
    for (uint32_t i = 0; most > 0 && i < t->bar_count; i++) {
        if (bars[i] <= 0)
            continue;
        double height = fmax(round(v->scale), bars[i] / most * (bottom - top - v->scale));
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
    struct flm_page_colors colors = flm_page_colors(&v->theme);
    enum flm_weight weight = bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR;
    double top = row_top(v, row), height = row_top(v, row + 1) - top;
    int base = (int)round(top + height / 2 + flm_atlas_size_px(v->atlas) * 0.36);
    double width = fmin(flm_atlas_width(v->atlas, name, weight), NAME_PX * v->scale);
    int left = (int)map.left, right = (int)(map.left + width + 6 * v->scale);
    flm_pixels_blend(pixels, left, (int)top, right, (int)(top + height - v->scale), colors.page,
                     200);
    struct flm_pixels clipped =
        flm_pixels_clipped(*pixels, left, (int)top, right, (int)(top + height));
    flm_atlas_draw(v->atlas, &clipped, map.left + 3 * v->scale, base, name, weight, colors.text);
}

double flm_tick_step(double duration, double width, double apart)
{
    double step = 1;
    while (step * width / duration < apart)
        step *= 10;
    if (step / 5 >= 1 && step / 5 * width / duration >= apart)
        return step / 5;
    if (step / 2 >= 1 && step / 2 * width / duration >= apart)
        return step / 2;
    return step;
}

static void paint_axis(struct flm_viewer *v, struct flm_pixels *pixels, struct flm_span seen)
{
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_page_colors colors = flm_page_colors(&v->theme);
    struct flm_text text = {0};
    double bottom = flm_timeline_height(v), duration = seen.right - seen.left;
    double step = flm_tick_step(duration, fmax(map.width, 1), 90 * v->scale);
    int base = (int)round(bottom - AXIS_PX * v->scale / 2 + flm_atlas_size_px(v->atlas) * 0.36);
    for (double at = ceil(seen.left / step) * step; at < seen.right; at += step) {
        int x = (int)round(map.left + (at - seen.left) / duration * map.width);
        text.size = 0;
        flm_quantity_add(&text, at, flm_bytes_of("ns"));
        struct flm_bytes label = {text.at, text.size};
        if (x + flm_atlas_width(v->atlas, label, FLM_WEIGHT_REGULAR) > map.left + map.width)
            break;
        flm_pixels_fill(pixels, x, (int)(bottom - AXIS_PX * v->scale), x + (int)fmax(1, v->scale),
                        (int)bottom, colors.line);
        flm_atlas_draw(v->atlas, pixels, x + 3 * v->scale, base, label, FLM_WEIGHT_REGULAR,
                       colors.muted);
    }
    flm_text_clear(&text);
}

/* What is outside of a part of the time is dimmed, and the part has an edge. */
static void paint_part(struct flm_viewer *v, struct flm_pixels *pixels, struct flm_span ns,
                       uint32_t rgb)
{
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_page_colors colors = flm_page_colors(&v->theme);
    double duration = flm_timeline_duration(v);
    int bottom = (int)(flm_timeline_height(v) - AXIS_PX * v->scale);
    int thin = (int)fmax(1, v->scale);
    int left = (int)round(map.left + ns.left / duration * map.width);
    int right = (int)round(map.left + ns.right / duration * map.width);
    right = right < left + 2 * thin ? left + 2 * thin : right;
    flm_pixels_blend(pixels, 0, 0, left, bottom, colors.page, 170);
    flm_pixels_blend(pixels, right, 0, (int)v->width, bottom, colors.page, 170);
    flm_pixels_outline(pixels, left, 0, right, bottom, thin, rgb);
}

void flm_timeline_paint(struct flm_viewer *v, struct flm_pixels *pixels)
{
    struct flm_timeline *t = &v->timeline;
    struct flm_page_colors colors = flm_page_colors(&v->theme);
    struct flm_span selected, seen = {0, flm_timeline_duration(v)};
    struct flm_text title = {0};
    if (flm_timeline_height(v) <= 0 || !make_bars(v))
        return;
    bool any = flm_timeline_has_track_on(v);
    for (uint32_t row = 0; row < t->row_count; row++)
        paint_row(v, pixels, (int)row,
                  row == 0 ? !any : !any || flm_timeline_track_is_on(v, &t->tracks.track[row - 1]));
    if (flm_timeline_selected(v, &selected))
        paint_part(v, pixels, selected, colors.accent);
    if (v->view == FLM_VIEW_CHART && v->camera.total > 0)
        paint_part(v, pixels, flm_viewer_span(v), colors.accent);
    for (uint32_t row = 1; row < t->row_count; row++) {
        const struct flm_track *track = &t->tracks.track[row - 1];
        flm_track_add_title(v->operations.opened, track, &title);
        paint_name(v, pixels, (int)row, (struct flm_bytes){title.at, title.size},
                   any && flm_timeline_track_is_on(v, track));
        title.size = 0;
    }
    flm_text_clear(&title);
    paint_axis(v, pixels, seen);
    if (v->drag.kind == FLM_DRAG_RANGE) {
        double a = fmin(v->drag.x, v->drag.last_x), b = fmax(v->drag.x, v->drag.last_x);
        flm_pixels_blend(pixels, (int)a, 0, (int)b + 1,
                         (int)(flm_timeline_height(v) - AXIS_PX * v->scale), colors.accent, 60);
    }
    int bottom = (int)flm_timeline_height(v), thin = (int)fmax(1, v->scale);
    flm_pixels_fill(pixels, 0, bottom - thin, (int)v->width, bottom, colors.line);
}
