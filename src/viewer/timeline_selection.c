/* timeline_selection.c - a part of the time, and threads, kept by operations: "time:1s..2s",
 * "label:thread=1234". */
#include <math.h>

#include "base/number/number.h"
#include "viewer/internal.h"
#include "viewer/model/collapsed.h"

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
    if (!flm_collapsed_toggle(&v->model.collapsed, flm_string_bytes(pane->profile, track->process)))
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
        if (!flm_collapsed_has(collapsed, name) && !flm_collapsed_toggle(collapsed, name))
            return flm_error_memory(why);
    }
    return any ? rearrange(v, why)
               : flm_viewer_notify(v, "nothing to collapse: one process, or one thread in each");
}
