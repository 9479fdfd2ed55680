/* status.c - "status": what is drawn, and everything that is not, with how much it is; and
 * "overlay": what making the picture took. */
#include <math.h>
#include <stdlib.h>

#include "draw/text/quantity.h"
#include "viewer/query/internal.h"
#include "viewer/query/write_json.h"

/* ---- Status ---------------------------------------------------------------------------------- */

/* How much of the opened profile the operations took away, in the metric that is shown. */
static double filtered(const struct flm_telling *t, double *of)
{
    const struct flm_profile *opened = t->viewer->model.operations.opened;
    if (!opened || opened == t->profile)
        return 0;
    struct flm_bytes name = flm_comparing_metric_name(&t->viewer->model, t->metric.index);
    for (uint32_t m = 0; m < opened->sizes.metric_count; m++) {
        if (!flm_bytes_equal(flm_string_bytes(opened, opened->metrics[m].name), name))
            continue;
        const double *self = flm_self_column(opened, m);
        *of = 0;
        for (uint32_t i = 0; i < opened->sizes.node_count; i++)
            *of += fabs(self[i]);
        return *of - t->all;
    }
    return 0;
}

static unsigned operations_on(const struct flm_operations *operations)
{
    unsigned count = 0;
    for (size_t i = 0; i < operations->count; i++)
        count += operations->at[i].on;
    return count;
}

/* "12.4 % (1.2 s) by 2 transforms"; rounding of sums is not a loss. */
static void tell_filtered(struct flm_telling *t)
{
    double of = 0, gone = filtered(t, &of);
    if (!(fabs(gone) > 1e-9 * of)) {
        flm_json_add_null(&t->json, "filtered");
        return;
    }
    unsigned count = operations_on(&t->viewer->model.operations);
    struct flm_text *out = flm_tell_words_begin(t);
    flm_percent_add(out, gone, of);
    flm_text_puts(out, " (");
    flm_quantity_add(out, gone, t->unit);
    flm_text_format(out, ") by %u transform%s", count, count == 1 ? "" : "s");
    flm_tell_words(t, "filtered");
}

/* What is to the left and to the right of the window. */
static void tell_trimmed(struct flm_telling *t)
{
    const struct flm_viewer *v = t->viewer;
    struct flm_span span = v->model.camera.to;
    struct flm_span beside = flm_camera_share(&v->model.beside);
    double total = v->model.camera.total, outside = total - (span.right - span.left);
    if (flm_viewer_has_halves(v))
        outside = fmax(outside, total * (1 - (beside.right - beside.left)));
    if (!(outside > 1e-9 * total)) {
        flm_json_add_null(&t->json, "trimmed");
        return;
    }
    struct flm_text *out = flm_tell_words_begin(t);
    flm_percent_add(out, outside, total);
    flm_text_puts(out, " outside of the window");
    flm_tell_words(t, "trimmed");
}

static void tell_losses(struct flm_telling *t)
{
    const struct flm_profile *p = t->profile;
    double sum = 0;
    flm_json_begin(&t->json, "lost", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        sum += p->losses[i].count;
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_string(t, "what", p->losses[i].what);
        flm_tell_count(t, "count", (uint64_t)p->losses[i].count);
        flm_tell_string(t, "where", p->losses[i].where);
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
    flm_tell_count(t, "lost_count", (uint64_t)sum);
}

static void tell_notes(struct flm_telling *t)
{
    const struct flm_profile *p = t->profile;
    flm_json_begin(&t->json, "notes", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_string(t, "key", p->notes[i].key);
        flm_json_add_text(&t->json, "value", flm_string_bytes(p, p->notes[i].value));
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
}

static void add_empty_sentence(const struct flm_telling *t, struct flm_text *out)
{
    const struct flm_viewer *v = t->viewer;
    const struct flm_profile *opened = v->model.operations.opened;
    if (!t->profile)
        flm_text_puts(out, "No profile is open.");
    else if (opened && opened != t->profile && opened->sizes.node_count > 1)
        flm_text_puts(out, "Nothing is left after the transforms.");
    else if (t->profile->sizes.node_count <= 1)
        flm_text_puts(out, "The profile has no stacks.");
    else if (t->profile->sizes.metric_count == 0)
        flm_text_puts(out, "The profile has stacks, but no values.");
    else
        flm_text_puts(out, "No stack has a value in this metric.");
}

static void add_sentence(const struct flm_telling *t, const struct flm_metric_summary *summary,
                         struct flm_text *out)
{
    const struct flm_viewer *v = t->viewer;
    flm_quantity_add(out, summary->total, t->unit);
    flm_text_puts(out, " in ");
    flm_count_add(out, summary->stack_count);
    flm_text_puts(out, summary->stack_count == 1 ? " stack; " : " stacks; ");
    flm_count_add(out, v->paint.picture.drawn);
    flm_text_puts(out, v->paint.picture.drawn == 1 ? " box is drawn" : " boxes are drawn");
    if (v->paint.picture.merged > 0) {
        flm_text_puts(out, ", ");
        flm_count_add(out, v->paint.picture.merged);
        flm_text_puts(out, v->paint.picture.merged == 1 ? " of them gray for narrow neighbors"
                                                        : " of them gray, for narrow neighbors");
    }
    flm_text_puts(out, t->profile->sizes.loss_count ? "; something was lost while reading."
                                                    : "; nothing was lost while reading.");
}

/* The metric, where the unit does not say it: "12.4 s" of "cpu", but "81 samples". */
static void tell_metric(struct flm_telling *t)
{
    struct flm_bytes name = flm_comparing_metric_name(&t->viewer->model, t->metric.index);
    if (flm_bytes_equal(name, t->unit))
        flm_json_add_text(&t->json, "unit", (struct flm_bytes){"", 0});
    else
        flm_json_add_text(&t->json, "unit", name);
}

static void tell_picture(struct flm_telling *t)
{
    const struct flm_viewer *v = t->viewer;
    flm_tell_count(t, "drawn", v->paint.picture.drawn);
    flm_tell_count(t, "merged", v->paint.picture.merged);
    double whole = 0;
    for (uint32_t i = 0; i < v->scene.pane_count; i++)
        whole += flm_layout_filled(v->scene.panes[i].layout);
    if (v->paint.picture.merged > 0)
        flm_tell_share(t, "merged_share", v->paint.picture.merged_total, whole);
    else
        flm_json_add_null(&t->json, "merged_share");
}

static void tell_status(struct flm_telling *t)
{
    const struct flm_summary *summary = &t->viewer->scene.tables.summary;
    const struct flm_metric_summary *metric = &summary->metric[t->metric.index];
    bool is_empty = metric->size == 0;
    flm_json_add_number(&t->json, "nodes", (double)t->profile->sizes.node_count - 1);
    flm_json_add_bool(&t->json, "empty", is_empty);
    flm_tell_count(t, "stacks", metric->stack_count);
    flm_tell_quantity(t, "total", metric->total);
    flm_tell_exact(t, "total_exact", metric->total);
    tell_metric(t);
    tell_picture(t);
    tell_trimmed(t);
    tell_filtered(t);
    tell_losses(t);
    flm_tell_share(t, "unsymbolized_share", metric->unsymbolized, t->all);
    if (t->profile->sizes.sample_count > 0)
        flm_tell_count(t, "samples", t->profile->sizes.sample_count);
    else
        flm_json_add_null(&t->json, "samples");
    tell_notes(t);
    if (is_empty)
        add_empty_sentence(t, flm_tell_words_begin(t));
    else
        add_sentence(t, metric, flm_tell_words_begin(t));
    flm_tell_words(t, "sentence");
}

bool flm_answer_status(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                       struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    if (t.profile && t.profile->sizes.metric_count > 0) {
        tell_status(&t);
    } else {
        flm_json_add_number(&t.json, "nodes", 0);
        flm_json_add_bool(&t.json, "empty", true);
        flm_json_begin(&t.json, "lost", FLM_JSON_ARRAY);
        flm_json_end(&t.json);
        add_empty_sentence(&t, flm_tell_words_begin(&t));
        flm_tell_words(&t, "sentence");
    }
    flm_json_end(&t.json);
    return flm_tell_end(&t, why);
}

/* ---- The viewer itself ----------------------------------------------------------------------- */

static double memory_bytes(const struct flm_viewer *v)
{
#if defined(__wasm__)
    (void)v;
    return (double)__builtin_wasm_memory_size(0) * 65536;
#else
    const struct flm_profile *result = v->model.operations.result;
    double size = result ? (double)result->image_size : 0;
    for (int side = 0; side < 2; side++)
        size += v->model.opened[side] ? (double)v->model.opened[side]->image_size : 0;
    return size;
#endif
}

static void tell_pane(struct flm_telling *t)
{
    const struct flm_scene *scene = &t->viewer->scene;
    flm_json_begin(&t->json, "trees", FLM_JSON_ARRAY_LINE);
    for (uint32_t i = 0; i < scene->pane_count; i++) {
        const struct flm_pane *pane = &scene->panes[i];
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_text(t, "title", pane->title ? pane->title : "stacks");
        flm_json_add_number(&t->json, "nodes", pane->tree.node_count);
        flm_json_add_number(&t->json, "placed", flm_layout_node_count(pane->layout));
        flm_json_add_number(&t->json, "levels", flm_layout_level_count(pane->layout));
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
}

bool flm_answer_overlay(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                        struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    if (!v->model.shows_overlay) {
        flm_text_puts(out, "null\n");
        return flm_tell_end(&t, why);
    }
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    flm_json_add_number(&t.json, "nodes", t.profile ? t.profile->sizes.node_count : 0);
    flm_json_add_number(&t.json, "visited", (double)v->paint.picture.visited);
    flm_json_add_number(&t.json, "drawn", v->paint.picture.drawn);
    flm_json_add_number(&t.json, "merged", v->paint.picture.merged);
    if (v->paint.clock_ms) {
        flm_json_begin(&t.json, "ms", FLM_JSON_OBJECT_LINE);
        flm_json_add_number(&t.json, "layout", v->paint.picture.layout_ms);
        flm_json_add_number(&t.json, "paint", v->paint.picture.paint_ms);
        flm_json_end(&t.json);
    } else {
        flm_json_add_null(&t.json, "ms");
    }
    flm_json_add_number(&t.json, "memory_bytes", memory_bytes(v));
    tell_pane(&t);
    flm_json_end(&t.json);
    return flm_tell_end(&t, why);
}
