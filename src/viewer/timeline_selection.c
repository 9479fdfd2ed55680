/* timeline_selection.c - a part of the time, and threads, kept by operations: "time:1s..2s",
 * "label:thread=1234"; and how much of processes and threads is drawn. */
#include <math.h>

#include "base/number/number.h"
#include "viewer/internal.h"
#include "viewer/model/name_list.h"
#include "viewer/scene/lanes.h"

/* Nothing begins with nothing: that is a prefix there was no memory for. */
static bool begins_with(struct flm_bytes text, struct flm_bytes prefix)
{
    return prefix.size > 0 && text.size >= prefix.size &&
           memcmp(text.at, prefix.at, prefix.size) == 0;
}

/* All operations, those that begin with `prefix` replaced by `text`, which may be empty: in front
 * of all, because they are about samples, which a later operation may not have. A time is in front
 * of labels: it counts from the first sample of all. */
static bool replace(struct flm_viewer *v, struct flm_bytes prefix, struct flm_bytes text,
                    bool behind_time, struct flm_error *why)
{
    struct flm_text all = {0};
    const struct flm_operations *o = &v->model.operations;
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
    good =
        good &&
        flm_operations_rewrite(&v->model.operations, (struct flm_bytes){all.at, all.size}, why) &&
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

bool flm_viewer_select_time(struct flm_viewer *v, struct flm_span ns, struct flm_error *why)
{
    struct flm_text text = {0};
    double duration = flm_timeline_duration(&v->scene);
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
    for (size_t at = 0; flm_timeline_next_label(values, &at, &value);) {
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

/* Selects or hides a track, or takes that back; NULL: of all. */
static bool choose_track(struct flm_viewer *v, const struct flm_track *track, bool only,
                         enum flm_timeline_choice choice, struct flm_error *why)
{
    struct flm_text prefix = {0}, text = {0};
    if (v->scene.timeline.tracks.key == FLM_NONE)
        return flm_error_set(why, FLM_ERROR_USAGE, "no label distinguishes threads");
    if (track && track->value == FLM_NONE)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "samples without the label cannot be selected by it");
    struct flm_bytes values = flm_timeline_labels(&v->model, &v->scene, choice, &prefix);
    if (track) {
        flm_timeline_add_label(&v->model, &v->scene, choice, &text);
        size_t start = text.size;
        struct flm_bytes none = {NULL, 0};
        add_toggled(&text, only ? none : values, flm_track_name(v->model.operations.opened, track));
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

bool flm_viewer_toggle_track(struct flm_viewer *v, const struct flm_track *track, bool only,
                             struct flm_error *why)
{
    /* What is hidden cannot be seen because it is selected. */
    if (flm_timeline_is_hidden(&v->model, &v->scene, track) &&
        !choose_track(v, track, false, FLM_TRACKS_HIDDEN, why))
        return false;
    return (!track && !flm_timeline_has_track_on(&v->model, &v->scene)) ||
           choose_track(v, track, only, FLM_TRACKS_SELECTED, why);
}

bool flm_viewer_hide_track(struct flm_viewer *v, const struct flm_track *track,
                           struct flm_error *why)
{
    return choose_track(v, track, false, FLM_TRACKS_HIDDEN, why);
}

bool flm_viewer_split_tracks(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_text text = {0};
    if (!flm_timeline_is_split(&v->model)) {
        flm_text_puts(&text, "split:");
        flm_text_add(&text,
                     flm_string_bytes(v->model.operations.opened, v->scene.timeline.tracks.key));
    }
    bool good = !text.failed || flm_error_memory(why);
    good = good &&
           replace(v, flm_bytes_of("split:"), (struct flm_bytes){text.at, text.size}, true, why);
    flm_text_clear(&text);
    return good;
}

/* ---- Processes ------------------------------------------------------------------------------- */

static bool rearrange(struct flm_viewer *v, struct flm_error *why)
{
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    flm_changed(&v->model, FLM_ASPECT_TRACKS);
    if (!flm_viewer_update(v, why))
        return false;
    flm_viewer_history_push(v);
    return true;
}

bool flm_viewer_collapse(struct flm_viewer *v, const struct flm_pane *pane, struct flm_error *why)
{
    const struct flm_track *track = flm_threads_track(&v->scene, pane);
    if (!flm_name_list_toggle(&v->model.collapsed, flm_string_bytes(pane->profile, track->process)))
        return flm_error_memory(why);
    return rearrange(v, why);
}

/* Opens all if any is collapsed. */
bool flm_viewer_collapse_all(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_text *collapsed = &v->model.collapsed;
    bool opens = flm_scene_has_collapsed(&v->scene), any = opens;
    flm_text_clear(collapsed);
    for (uint32_t i = 0; !opens && i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        if (pane->process_threads == 0)
            continue;
        struct flm_bytes name =
            flm_string_bytes(pane->profile, flm_threads_track(&v->scene, pane)->process);
        any = true;
        if (!flm_name_list_has(collapsed, name) && !flm_name_list_toggle(collapsed, name))
            return flm_error_memory(why);
    }
    return any ? rearrange(v, why)
               : flm_viewer_notify(v, "nothing to collapse: one process, or one thread in each");
}

/* ---- Rows of threads ------------------------------------------------------------------------- */

static double begin_of(const struct flm_pane *pane)
{
    return pane->top_px - pane->header_px;
}

/* The rows by the model. A thread stays where it is in the window; the name of one that loses its
 * rows comes back into it. */
static void arrange_rows(struct flm_viewer *v, const struct flm_pane *anchor)
{
    double at = begin_of(anchor) - v->model.camera.scroll_to;
    flm_threads_expand(&v->model, &v->scene);
    flm_viewer_arrange(v);
    at = anchor->foot_px > 0 ? fmax(at, 0) : at;
    flm_viewer_scroll(v, begin_of(anchor) - at - v->model.camera.scroll_to, 0);
    flm_changed(&v->model, FLM_ASPECT_SCROLL);
    flm_changed(&v->model, FLM_ASPECT_TRACKS);
}

static struct flm_bytes name_of(const struct flm_viewer *v, const struct flm_pane *pane)
{
    return flm_track_name(pane->profile, flm_threads_track(&v->scene, pane));
}

/* All threads of a lane: it shows all rows where one of them is expanded. */
static bool toggle_lane(struct flm_viewer *v, const struct flm_pane *thread)
{
    const struct flm_pane *first = flm_lane_first(&v->scene, thread);
    bool is_open = flm_lane_is_open(&v->scene, thread);
    for (uint32_t i = 0; i < thread->lane_count; i++)
        if (flm_name_list_has(&v->model.expanded, name_of(v, &first[i])) == is_open &&
            !flm_name_list_toggle(&v->model.expanded, name_of(v, &first[i])))
            return false;
    return true;
}

/* Where all were expanded, all others are. */
static bool toggle_rows(struct flm_viewer *v, const struct flm_pane *thread)
{
    struct flm_text others = {0};
    if (!v->model.expands_all)
        return toggle_lane(v, thread);
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        if (pane->lane_first != thread->lane_first && pane->is_deep &&
            !flm_name_list_toggle(&others, name_of(v, pane))) {
            flm_text_clear(&others);
            return false;
        }
    }
    flm_text_clear(&v->model.expanded);
    v->model.expanded = others;
    v->model.expands_all = false;
    return true;
}

bool flm_viewer_expand(struct flm_viewer *v, const struct flm_pane *thread, struct flm_error *why)
{
    if (!thread->is_deep)
        return flm_viewer_notify(v, "all rows of this thread are shown");
    if (!toggle_rows(v, thread))
        return flm_error_memory(why);
    arrange_rows(v, thread);
    flm_viewer_history_push(v);
    return true;
}

bool flm_viewer_expand_all(struct flm_viewer *v, struct flm_error *why)
{
    const struct flm_pane *first = &v->scene.panes[0], *end = first + v->scene.pane_count;
    (void)why;
    flm_text_clear(&v->model.expanded);
    v->model.expands_all = flm_scene_has_limited(&v->scene);
    while (first + 1 < end && begin_of(first + 1) <= v->model.camera.scroll_to)
        first++;
    arrange_rows(v, first);
    flm_viewer_history_push(v);
    return true;
}

void flm_viewer_expand_to(struct flm_viewer *v, struct flm_node_ref ref)
{
    const struct flm_pane *pane = &v->scene.panes[ref.pane];
    uint32_t level = flm_layout_level(pane->layout, flm_pane_node(pane, ref.number));
    bool is_hidden =
        pane->foot_px > 0 && level != FLM_NONE && level - pane->first_level >= flm_pane_rows(pane);
    if (is_hidden && toggle_rows(v, pane))
        arrange_rows(v, pane);
}
