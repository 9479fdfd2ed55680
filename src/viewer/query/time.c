/* time.c - "tracks": the threads, and what of the time is selected. */
#include "base/text/json_write.h"
#include "draw/text/quantity.h"
#include "draw/text/visible.h"
#include "viewer/internal.h"
#include "viewer/query/internal.h"

/* As many as a list of them is read; the others are counted. */
enum { MOST_TOLD = 200 };

static struct flm_bytes bytes(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static void add_time(struct flm_json_writer *json, const char *key, double ns)
{
    struct flm_text text = {0};
    flm_quantity_add(&text, ns, flm_bytes_of("ns"));
    flm_json_add_text(json, key, bytes(&text));
    flm_text_clear(&text);
}

static void add_selected(struct flm_viewer *v, struct flm_json_writer *json)
{
    struct flm_span ns;
    if (!flm_timeline_selected(&v->model, &v->scene, &ns)) {
        flm_json_add_null(json, "selected");
        return;
    }
    struct flm_text text = {0};
    flm_json_begin(json, "selected", FLM_JSON_OBJECT_LINE);
    flm_json_add_number(json, "from_ns", ns.left);
    flm_json_add_number(json, "to_ns", ns.right);
    flm_quantity_add(&text, ns.left, flm_bytes_of("ns"));
    flm_text_puts(&text, " to ");
    flm_quantity_add(&text, ns.right, flm_bytes_of("ns"));
    flm_json_add_text(json, "words", bytes(&text));
    flm_json_end(json);
    flm_text_clear(&text);
}

static void add_track(struct flm_viewer *v, struct flm_json_writer *json, uint32_t index)
{
    const struct flm_profile *p = v->model.operations.opened;
    const struct flm_track *track = &v->scene.timeline.tracks.track[index];
    uint32_t metric = v->model.metric < p->sizes.metric_count ? v->model.metric : 0;
    struct flm_text text = {0};
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_number(json, "id", index);
    flm_track_add_title(p, track, &text);
    flm_json_add_text(json, "title", bytes(&text));
    text.size = 0;
    flm_quantity_add(&text, track->total, flm_string_bytes(p, p->metrics[metric].unit));
    flm_json_add_text(json, "total", bytes(&text));
    text.size = 0;
    flm_percent_add(&text, track->total, flm_profile_total(p, (struct flm_metric){metric}));
    flm_json_add_text(json, "share", bytes(&text));
    flm_json_add_bool(json, "on", flm_timeline_track_is_on(&v->model, &v->scene, track));
    flm_json_end(json);
    flm_text_clear(&text);
}

bool flm_answer_tracks(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                       struct flm_error *why)
{
    struct flm_json_writer json = {.out = out};
    const struct flm_tracks *tracks = &v->scene.timeline.tracks;
    (void)none;
    if (!v->model.operations.opened || !flm_timeline_make(&v->model, &v->scene, why))
        return v->model.operations.opened
                   ? false
                   : flm_error_set(why, FLM_ERROR_USAGE, "no profile is open");
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_number(&json, "duration_ns", flm_timeline_duration(&v->scene));
    add_time(&json, "duration", flm_timeline_duration(&v->scene));
    flm_json_add_text(&json, "key",
                      tracks->key == FLM_NONE
                          ? flm_bytes_of("")
                          : flm_string_bytes(v->model.operations.opened, tracks->key));
    flm_json_add_bool(&json, "shown", v->model.shows_tracks);
    flm_json_add_bool(&json, "any", flm_timeline_has_track_on(&v->model, &v->scene));
    flm_json_add_bool(&json, "split", flm_timeline_is_split(&v->model));
    flm_json_add_number(&json, "untimed", tracks->untimed_count);
    add_selected(v, &json);
    flm_json_add_number(&json, "count", tracks->count);
    flm_json_begin(&json, "tracks", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < tracks->count && i < MOST_TOLD; i++)
        add_track(v, &json, i);
    flm_json_end(&json);
    flm_json_end(&json);
    return true;
}
