/* time.c - when, and on which thread: what the timeline shows. */
#include "algebra/expression/argument.h"
#include "base/number/number.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"

static bool has_times(const struct flm_viewer *v)
{
    return flm_timeline_duration(&v->scene) > 0;
}

static const struct flm_condition timed = {has_times, "no sample of this profile has a time"};

static bool has_tracks(const struct flm_viewer *v)
{
    return v->scene.timeline.tracks.count > 1 && v->scene.timeline.tracks.key != FLM_NONE;
}

static const struct flm_condition threaded = {has_tracks,
                                              "no label of this profile distinguishes threads"};

static bool act_range(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    struct flm_span ns;
    if (!flm_time_range_parse(text, &ns.left, &ns.right))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a time range is written 1.5s..2s or 200ms.., not '%.*s'",
                             (int)text.size, text.at);
    return flm_viewer_select_time(v, ns, why);
}

static bool act_range_clear(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    if (!flm_viewer_select_time(v, (struct flm_span){0, 0}, why))
        return false;
    if (flm_scene_is_over_time(&v->scene))
        flm_viewer_fit(v);
    return true;
}

/* The time that is seen in the chart, as what everything else is of. */
static bool act_range_seen(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_select_time(v, flm_viewer_time(v, v->model.camera.to), why);
}

static bool is_chart(const struct flm_viewer *v)
{
    return flm_scene_is_over_time(&v->scene) && has_times(v);
}

static const struct flm_condition charted = {is_chart, "only a flame chart shows time"};

static const struct flm_track *track_named(struct flm_viewer *v, struct flm_bytes number,
                                           struct flm_error *why)
{
    uint64_t index;
    if (flm_number_parse_uint(number, &index) && index < v->scene.timeline.tracks.count)
        return &v->scene.timeline.tracks.track[index];
    flm_error_set(why, FLM_ERROR_USAGE, "there is no thread %.*s", (int)number.size, number.at);
    return NULL;
}

static bool act_track(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    const struct flm_track *track = track_named(v, number, why);
    return track && flm_viewer_toggle_track(v, track, false, why);
}

static bool act_track_only(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    const struct flm_track *track = track_named(v, number, why);
    return track && flm_viewer_toggle_track(v, track, true, why);
}

static bool act_track_hide(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    const struct flm_track *track = track_named(v, number, why);
    return track && flm_viewer_hide_track(v, track, why);
}

static bool act_tracks_all(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_toggle_track(v, NULL, false, why);
}

static bool act_tracks(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    v->model.shows_tracks = !v->model.shows_tracks;
    flm_viewer_resize(v, v->scene.window.width, v->scene.window.height, v->scene.window.scale);
    flm_changed(&v->model, FLM_ASPECT_TRACKS);
    flm_viewer_history_push(v);
    return true;
}

static bool act_by_cost(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    v->model.threads_by_cost = !v->model.threads_by_cost;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    if (!flm_viewer_update(v, why))
        return false;
    flm_viewer_history_push(v);
    return flm_viewer_notify(v, v->model.threads_by_cost
                                    ? "threads by cost, the largest first"
                                    : "threads by process, and by their begin");
}

static bool has_short(const struct flm_viewer *v)
{
    return is_chart(v) && v->scene.threads.short_count > 0;
}

static const struct flm_condition brief = {has_short, "there are few short-lived threads"};

static bool act_short(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    v->model.short_apart = !v->model.short_apart;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    flm_changed(&v->model, FLM_ASPECT_TRACKS);
    if (!flm_viewer_update(v, why))
        return false;
    flm_viewer_history_push(v);
    return true;
}

/* The process of the selected frame; where none is selected, all. */
static bool act_processes(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    const struct flm_pane *process = NULL;
    (void)none;
    if (flm_node_ref_valid(v->model.selected))
        process = flm_threads_process_of(&v->scene, v->model.selected.pane);
    return process ? flm_viewer_collapse(v, process, why) : flm_viewer_collapse_all(v, why);
}

static bool act_processes_all(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_collapse_all(v, why);
}

static bool has_deep(const struct flm_viewer *v)
{
    return is_chart(v) && flm_scene_has_deep(&v->scene);
}

static const struct flm_condition deep = {has_deep, "all rows of all threads are shown"};

/* Of the thread of the selected frame; where none is selected, of all. */
static bool act_rows(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_node_ref_valid(v->model.selected)
               ? flm_viewer_expand(v, &v->scene.panes[v->model.selected.pane], why)
               : flm_viewer_expand_all(v, why);
}

static bool act_rows_all(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_expand_all(v, why);
}

/* Threads merged into one tree, or each with its own: the operation split. */
static bool act_split(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_split_tracks(v, why);
}

static const struct flm_action_argument a_range = {"FROM..TO", FLM_GIVEN_TYPED, NULL};

static const struct flm_action actions[] = {
    {"range", "Only this time", &a_range, NULL, act_range, &timed},
    {"range-seen", "Only the visible time", NULL, "z", act_range_seen, &charted},
    {"range-clear", "All of the time", NULL, "Z", act_range_clear, &timed},
    {"tracks", "Threads in the timeline", NULL, "T", act_tracks, &threaded},
    {"track", "Thread on or off", &flm_a_number, NULL, act_track, &threaded},
    {"track-only", "Only this thread", &flm_a_number, NULL, act_track_only, &threaded},
    {"track-hide", "Hide this thread, or show it", &flm_a_number, NULL, act_track_hide, &threaded},
    {"tracks-all", "All threads", NULL, "A", act_tracks_all, &threaded},
    {"threads-by-cost", "Threads by cost, or by process", NULL, NULL, act_by_cost, &charted,
     "sort order"},
    {"short-apart", "Short threads share rows, or each has its own", NULL, NULL, act_short, &brief,
     "lanes merge group fold expand"},
    {"processes", "Collapse the process of the frame", NULL, "P", act_processes, &charted,
     "fold group threads"},
    {"processes-all", "Collapse all processes, or open them", NULL, NULL, act_processes_all,
     &charted, "fold expand group threads"},
    {"rows", "Expand or collapse the thread: all rows, or the first", NULL, "J", act_rows, &deep,
     "expand fold depth deep limit"},
    {"rows-all", "Expand or collapse all threads", NULL, NULL, act_rows_all, &deep,
     "expand fold depth deep limit"},
    {"split", "Split or merge threads", NULL, "S", act_split, &threaded, "group by thread tid"},
};
const struct flm_action_group flm_time_actions = {"Time", actions,
                                                  sizeof actions / sizeof actions[0]};
