#include "viewer/scene/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "algebra/expression/argument.h"
#include "viewer/scene/scene.h"

enum { ALL_PX = FLM_TIMELINE_ALL_PX, TRACK_PX = FLM_TIMELINE_TRACK_PX };

void flm_timeline_clear(struct flm_timeline *timeline)
{
    flm_tracks_clear(&timeline->tracks);
    free(timeline->bars);
    *timeline = (struct flm_timeline){0};
}

bool flm_timeline_make(const struct flm_model *model, struct flm_scene *scene,
                       struct flm_error *why)
{
    struct flm_timeline *t = &scene->timeline;
    const struct flm_profile *p = model->operations.opened;
    uint32_t version = flm_version_of(&model->versions, FLM_OF(OPENED) | FLM_OF(METRIC));
    if (!p || t->made_from == version)
        return true;
    flm_timeline_clear(t);
    struct flm_metric metric = {model->metric < p->sizes.metric_count ? model->metric : FLM_NONE};
    if (!flm_tracks_init(&t->tracks, p, metric, NULL, why))
        return false;
    t->made_from = version;
    return true;
}

/* ---- Geometry -------------------------------------------------------------------------------- */

/* One thread is no more than all. */
uint32_t flm_timeline_track_rows(const struct flm_model *model, const struct flm_scene *scene)
{
    uint32_t count = scene->timeline.tracks.count;
    if (!model->shows_tracks || count < 2)
        return 0;
    double most = floor(scene->window.height * 0.4 / (TRACK_PX * scene->window.scale));
    if (most < count)
        count = most > 0 ? (uint32_t)most : 0;
    return count < FLM_MOST_TRACKS ? count : FLM_MOST_TRACKS;
}

double flm_timeline_duration(const struct flm_scene *scene)
{
    return scene->timeline.tracks.length_ns;
}

double flm_timeline_height(const struct flm_model *model, const struct flm_scene *scene)
{
    if (flm_timeline_duration(scene) <= 0)
        return 0;
    if (flm_heat_is_shown(model, scene))
        return flm_heat_height(model, scene);
    return round(
        (ALL_PX + TRACK_PX * flm_timeline_track_rows(model, scene) + FLM_TIMELINE_AXIS_PX) *
        scene->window.scale);
}

/* The rows' upper edges; row 0 is all. */
double flm_timeline_row_top(const struct flm_scene *scene, int row)
{
    return row == 0 ? 0 : round((ALL_PX + TRACK_PX * (row - 1)) * scene->window.scale);
}

int flm_timeline_row_at(const struct flm_model *model, const struct flm_scene *scene, double y)
{
    int rows = (int)flm_timeline_track_rows(model, scene) + 1;
    for (int row = 0; row < rows; row++)
        if (y >= flm_timeline_row_top(scene, row) && y < flm_timeline_row_top(scene, row + 1))
            return flm_timeline_height(model, scene) > 0 ? row : -1;
    return -1;
}

/* Names are drawn over the bars: the whole width is time. */
bool flm_timeline_is_name(const struct flm_model *model, const struct flm_scene *scene, double x,
                          double y)
{
    return flm_timeline_row_at(model, scene, y) > 0 &&
           x < flm_scene_minimap(model, scene).left + FLM_TIMELINE_NAME_PX * scene->window.scale;
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
    if (track->command != FLM_NONE)
        flm_text_add(out, flm_string_bytes(p, track->command));
    if (track->value != FLM_NONE) {
        flm_text_puts(out, track->command != FLM_NONE ? " " : "");
        flm_text_add(out, flm_track_name(p, track));
    } else if (track->command == FLM_NONE) {
        flm_text_puts(out, p->sizes.label_count == 0 ? "all samples" : "no thread");
    }
}

/* ---- The selection --------------------------------------------------------------------------- */

/* Nothing begins with nothing: that is a prefix there was no memory for. */
static bool begins_with(struct flm_bytes text, struct flm_bytes prefix)
{
    return prefix.size > 0 && text.size >= prefix.size &&
           memcmp(text.at, prefix.at, prefix.size) == 0;
}

/* The operation that begins so, if it is on. */
static struct flm_bytes operation_behind(const struct flm_model *model, struct flm_bytes prefix)
{
    for (size_t i = 0; i < model->operations.count; i++) {
        struct flm_bytes text = flm_bytes_of(model->operations.at[i].text);
        if (model->operations.at[i].on && begins_with(text, prefix))
            return (struct flm_bytes){text.at + prefix.size, text.size - prefix.size};
    }
    return (struct flm_bytes){NULL, 0};
}

bool flm_timeline_selected(const struct flm_model *model, const struct flm_scene *scene,
                           struct flm_span *ns)
{
    struct flm_bytes range = operation_behind(model, flm_bytes_of("time:"));
    *ns = (struct flm_span){0, flm_timeline_duration(scene)};
    if (!range.at || !flm_time_range_parse(range, &ns->left, &ns->right))
        return false;
    ns->right = fmin(ns->right, flm_timeline_duration(scene));
    return true;
}

/* "label:thread=" */
void flm_timeline_add_label(const struct flm_model *model, const struct flm_scene *scene,
                            enum flm_timeline_choice choice, struct flm_text *out)
{
    flm_text_puts(out, choice == FLM_TRACKS_HIDDEN ? "unlabel:" : "label:");
    flm_text_add(out, flm_string_bytes(model->operations.opened, scene->timeline.tracks.key));
    flm_text_putc(out, '=');
}

struct flm_bytes flm_timeline_labels(const struct flm_model *model, const struct flm_scene *scene,
                                     enum flm_timeline_choice choice, struct flm_text *prefix)
{
    flm_timeline_add_label(model, scene, choice, prefix);
    return operation_behind(model, (struct flm_bytes){prefix->at, prefix->size});
}

/* The next of the values that commas part. */
bool flm_timeline_next_label(struct flm_bytes values, size_t *at, struct flm_bytes *value)
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
    for (size_t at = 0; flm_timeline_next_label(values, &at, &value);)
        if (flm_bytes_equal(value, wanted))
            return true;
    return flm_bytes_equal(values, wanted);
}

bool flm_timeline_has_track_on(const struct flm_model *model, const struct flm_scene *scene)
{
    struct flm_text prefix = {0};
    bool any = scene->timeline.tracks.key != FLM_NONE && scene->timeline.tracks.count > 0 &&
               flm_timeline_labels(model, scene, FLM_TRACKS_SELECTED, &prefix).at;
    flm_text_clear(&prefix);
    return any;
}

bool flm_timeline_track_is_on(const struct flm_model *model, const struct flm_scene *scene,
                              const struct flm_track *track)
{
    struct flm_text prefix = {0};
    struct flm_bytes values = {NULL, 0};
    if (scene->timeline.tracks.key != FLM_NONE)
        values = flm_timeline_labels(model, scene, FLM_TRACKS_SELECTED, &prefix);
    bool on = values.at && has_value(values, flm_track_name(model->operations.opened, track));
    flm_text_clear(&prefix);
    return on;
}

bool flm_timeline_is_hidden(const struct flm_model *model, const struct flm_scene *scene,
                            const struct flm_track *track)
{
    struct flm_text prefix = {0};
    struct flm_bytes values = {NULL, 0};
    if (scene->timeline.tracks.key != FLM_NONE)
        values = flm_timeline_labels(model, scene, FLM_TRACKS_HIDDEN, &prefix);
    bool is =
        values.at && (!track || has_value(values, flm_track_name(model->operations.opened, track)));
    flm_text_clear(&prefix);
    return is;
}

bool flm_timeline_is_split(const struct flm_model *model)
{
    return operation_behind(model, flm_bytes_of("split:")).at != NULL;
}

int64_t flm_time_after(int64_t time_ns, double ns)
{
    const double exact = 4e18; /* a sum of two such numbers is one of 64 bits */
    double sum = (double)time_ns + ns;
    if (fabs(ns) < exact && fabs((double)time_ns) < exact)
        return time_ns + (int64_t)ns;
    if (!(sum < 0x1p63))
        return INT64_MAX;
    return sum > -0x1p63 ? (int64_t)sum : INT64_MIN + 1;
}
