/* status.c - "status": data quality: drawn, merged, trimmed, filtered, lost; and "overlay":
 * statistics of the last frame. */
#include <math.h>
#include <stdlib.h>

#include "draw/text/note_subject.h"
#include "draw/text/quantity.h"
#include "viewer/input/actions.h"
#include "viewer/query/internal.h"

/* ---- Status ---------------------------------------------------------------------------------- */

/* How much of the opened profile the operations took away, in the metric that is shown. */
static double filtered(const struct flm_query *q, double *of)
{
    const struct flm_profile *opened = q->viewer->model.operations.opened;
    if (!opened || opened == q->profile)
        return 0;
    struct flm_bytes name = flm_comparing_metric_name(&q->viewer->model, q->metric.index);
    for (uint32_t m = 0; m < opened->sizes.metric_count; m++) {
        if (!flm_bytes_equal(flm_string_bytes(opened, opened->metrics[m].name), name))
            continue;
        const double *self = flm_self_column(opened, m);
        *of = 0;
        for (uint32_t i = 0; i < opened->sizes.node_count; i++)
            *of += fabs(self[i]);
        return *of - q->all;
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
static struct flm_bytes filtered_text(struct flm_query *q)
{
    double of = 0, gone = filtered(q, &of);
    if (!(fabs(gone) > 1e-9 * of))
        return (struct flm_bytes){NULL, 0};
    unsigned count = operations_on(&q->viewer->model.operations);
    struct flm_text *out = flm_query_scratch(q);
    flm_percent_add(out, gone, of);
    flm_text_puts(out, " (");
    flm_quantity_add(out, gone, q->unit);
    flm_text_format(out, ") by %u transform%s", count, count == 1 ? "" : "s");
    return flm_query_scratch_copy(q);
}

/* The content to the left and to the right of the window. */
static struct flm_bytes trimmed_text(struct flm_query *q)
{
    const struct flm_viewer *v = q->viewer;
    struct flm_span span = v->model.camera.to;
    struct flm_span other = flm_camera_share(&v->model.other_camera);
    double total = v->model.camera.total, outside = total - (span.right - span.left);
    if (flm_scene_has_halves(&v->scene))
        outside = fmax(outside, total * (1 - (other.right - other.left)));
    if (!(outside > 1e-9 * total))
        return (struct flm_bytes){NULL, 0};
    struct flm_text *out = flm_query_scratch(q);
    flm_percent_add(out, outside, total);
    flm_text_puts(out, " outside of the window");
    return flm_query_scratch_copy(q);
}

static void add_losses(struct flm_query *q, struct flm_response_status *status)
{
    const struct flm_profile *p = q->profile;
    double sum = 0;
    struct flm_response_loss *loss = flm_query_take(q, p->sizes.loss_count, sizeof *loss);
    for (uint32_t i = 0; loss && i < p->sizes.loss_count; i++) {
        sum += p->losses[i].count;
        loss[i].what = flm_query_string(q, p->losses[i].what);
        loss[i].count = flm_query_count(q, (uint64_t)p->losses[i].count);
        loss[i].where = flm_query_string(q, p->losses[i].where);
    }
    status->lost.at = loss;
    status->lost.count = loss ? p->sizes.loss_count : 0;
    status->lost_count = flm_query_count(q, (uint64_t)sum);
}

static void add_notes(struct flm_query *q, struct flm_response_status *status)
{
    const struct flm_profile *p = q->profile;
    const struct flm_kept_notes *written = &q->viewer->model.notes;
    size_t most = p->sizes.note_count + flm_kept_notes_count(written);
    struct flm_response_note *note = flm_query_take(q, most, sizeof *note);
    uint32_t count = 0;
    for (size_t i = 0; note && i < flm_kept_notes_count(written); i++) {
        const struct flm_written_note *one = flm_kept_notes_at(written, i);
        struct flm_text *subject = flm_query_scratch(q);
        flm_text_puts(subject, "note on ");
        flm_note_subject_add(subject, one, flm_note_first_ns(q->viewer->model.operations.opened));
        note[count].key = flm_query_scratch_copy(q);
        note[count++].value = flm_query_copy(q, (struct flm_bytes){one->text.at, one->text.size});
    }
    for (uint32_t i = 0; note && i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        if (flm_bytes_start_with(key, FLM_NOTE_JIT_CODE) ||
            flm_note_is_written((struct flm_name){key.at, key.size}))
            continue;
        note[count].key = flm_query_string(q, p->notes[i].key);
        note[count++].value = flm_query_copy(q, flm_string_bytes(p, p->notes[i].value));
    }
    status->notes.at = note;
    status->notes.count = count;
}

static struct flm_bytes not_shown_text(struct flm_query *q)
{
    static const char prefix[] = FLM_NOTE_NOT_SHOWN;
    const struct flm_profile *p = q->profile;
    struct flm_text *out = flm_query_scratch(q);
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        if (!flm_bytes_start_with(key, prefix))
            continue;
        flm_text_puts(out, out->size > 0 ? ", " : "");
        flm_text_add(out, flm_bytes_from(key, sizeof prefix - 1));
    }
    return flm_query_scratch_copy(q);
}

static void add_empty_sentence(const struct flm_query *q, struct flm_text *out)
{
    const struct flm_viewer *v = q->viewer;
    const struct flm_profile *opened = v->model.operations.opened;
    if (!q->profile)
        flm_text_puts(out, "No profile is open.");
    else if (opened && opened != q->profile && opened->sizes.node_count > 1)
        flm_text_puts(out, "Nothing is left after the transforms.");
    else if (q->profile->sizes.node_count <= 1)
        flm_text_puts(out, "The profile has no stacks.");
    else if (q->profile->sizes.metric_count == 0)
        flm_text_puts(out, "The profile has stacks, but no values.");
    else
        flm_text_puts(out, "No stack has a value in this metric.");
}

static void add_sentence(const struct flm_query *q, const struct flm_metric_summary *summary,
                         struct flm_bytes lost, struct flm_text *out)
{
    const struct flm_viewer *v = q->viewer;
    flm_quantity_add(out, summary->total, q->unit);
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
    flm_text_puts(out, q->profile->sizes.loss_count ? "; lost: " : "; nothing was lost.");
    if (q->profile->sizes.loss_count) {
        flm_text_add(out, lost);
        flm_text_putc(out, '.');
    }
}

/* The metric, where the unit does not say it: "12.4 s" of "cpu", but "81 samples". */
static struct flm_bytes unit_text(struct flm_query *q)
{
    struct flm_bytes name = flm_comparing_metric_name(&q->viewer->model, q->metric.index);
    return flm_query_copy(q, flm_bytes_equal(name, q->unit) ? flm_bytes_of("") : name);
}

/* "3 counters": what a flame chart has no track for. */
static struct flm_bytes hidden_text(struct flm_query *q)
{
    const struct flm_threads *threads = &q->viewer->scene.threads;
    uint32_t hidden[] = {threads->hidden_count, threads->events.hidden_count};
    static const char *const names[] = {"thread", "counter"};
    struct flm_text *out = flm_query_scratch(q);
    for (int i = 0; i < 2; i++) {
        if (!flm_scene_is_over_time(&q->viewer->scene) || hidden[i] == 0)
            continue;
        flm_text_puts(out, out->size ? ", " : "");
        flm_count_add(out, hidden[i]);
        flm_text_format(out, " %s%s", names[i], hidden[i] == 1 ? "" : "s");
    }
    return flm_query_scratch_copy(q);
}

/* "3 appeared (+12 ms), 1 disappeared (-3 ms)": boxes that only have a color. */
static struct flm_bytes unhatched_text(struct flm_query *q)
{
    const struct flm_picture_figures *picture = &q->viewer->paint.picture;
    const struct {
        const struct flm_unhatched *of;
        enum flm_change_kind kind;
    } kinds[] = {{&picture->appeared, FLM_CHANGE_APPEARED},
                 {&picture->disappeared, FLM_CHANGE_DISAPPEARED}};
    struct flm_text *out = flm_query_scratch(q);
    for (size_t i = 0; q->viewer->scene.compared && i < 2; i++) {
        if (kinds[i].of->count == 0)
            continue;
        flm_text_puts(out, out->size ? ", " : "");
        flm_count_add(out, kinds[i].of->count);
        flm_text_format(out, " %s (%s", flm_change_kind_name(kinds[i].kind),
                        kinds[i].of->sum > 0 ? "+" : "");
        flm_quantity_add(out, kinds[i].of->sum, q->unit);
        flm_text_putc(out, ')');
    }
    return out->size ? flm_query_scratch_copy(q) : (struct flm_bytes){NULL, 0};
}

static void add_picture(struct flm_query *q, struct flm_response_status *status)
{
    const struct flm_viewer *v = q->viewer;
    double whole = 0;
    for (uint32_t i = 0; i < v->scene.pane_count; i++)
        whole += flm_layout_filled(v->scene.panes[i].layout);
    status->hidden = hidden_text(q);
    status->unhatched = unhatched_text(q);
    status->drawn = flm_query_count(q, v->paint.picture.drawn);
    status->merged = flm_query_count(q, v->paint.picture.merged);
    if (v->paint.picture.merged > 0)
        status->merged_share = flm_query_share(q, v->paint.picture.merged_total, whole);
}

static struct flm_bytes offer_text(struct flm_query *q)
{
    const struct flm_chain *chain = flm_offered_chain(q->viewer);
    if (!chain)
        return (struct flm_bytes){NULL, 0};
    struct flm_text *out = flm_query_scratch(q);
    flm_text_add(out, flm_frame_title(q->profile, chain->frame));
    flm_text_puts(out, " calls itself ");
    flm_count_add(out, chain->depth);
    flm_text_puts(out, " deep");
    return flm_query_scratch_copy(q);
}

static void add_status(struct flm_query *q, struct flm_response_status *status)
{
    const struct flm_summary *summary = &q->viewer->scene.tables.summary;
    const struct flm_metric_summary *metric = &summary->metric[q->metric.index];
    status->nodes = (double)q->profile->sizes.node_count - 1;
    status->empty = metric->size == 0;
    status->stacks = flm_query_count(q, metric->stack_count);
    status->total = flm_query_quantity(q, metric->total);
    status->total_exact = flm_query_exact(q, metric->total);
    status->unit = unit_text(q);
    add_picture(q, status);
    status->trimmed = trimmed_text(q);
    status->filtered = filtered_text(q);
    status->offer = offer_text(q);
    add_losses(q, status);
    status->unsymbolized_share = flm_query_share(q, metric->unsymbolized, q->all);
    if (q->profile->sizes.sample_count > 0)
        status->samples = flm_query_count(q, q->profile->sizes.sample_count);
    status->not_shown = not_shown_text(q);
    add_notes(q, status);
    if (status->empty || q->profile->sizes.node_count <= 1)
        add_empty_sentence(q, flm_query_scratch(q));
    else
        add_sentence(q, metric, status->lost_count, flm_query_scratch(q));
    status->sentence = flm_query_scratch_copy(q);
}

bool flm_query_status(struct flm_viewer *v, struct flm_bytes argument,
                      struct flm_response *response, struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    struct flm_response_status *status = flm_query_take(&q, 1, sizeof *status);
    response->status = status;
    if (!status)
        return flm_query_end(&q, why);
    if (q.profile && q.profile->sizes.metric_count > 0) {
        add_status(&q, status);
        return flm_query_end(&q, why);
    }
    status->empty = true;
    add_empty_sentence(&q, flm_query_scratch(&q));
    status->sentence = flm_query_scratch_copy(&q);
    return flm_query_end(&q, why);
}

/* ---- The viewer itself ----------------------------------------------------------------------- */

#if !defined(__wasm__)
static double size_of(const struct flm_profile *p)
{
    double size = p ? (double)p->image_size : 0;
    for (uint32_t m = 0; p && p->values && m < p->sizes.metric_count; m++)
        size += (double)flm_sample_values_memory(&p->values[m], p->sizes.sample_count);
    return size;
}
#endif

static double memory_bytes(const struct flm_viewer *v)
{
#if defined(__wasm__)
    (void)v;
    return (double)__builtin_wasm_memory_size(0) * 65536;
#else
    double size = size_of(v->model.operations.result);
    for (int side = 0; side < 2; side++)
        size += size_of(v->model.opened[side]);
    return size;
#endif
}

static void add_trees(struct flm_query *q, struct flm_response_overlay *overlay)
{
    const struct flm_scene *scene = &q->viewer->scene;
    struct flm_response_tree_figures *tree = flm_query_take(q, scene->pane_count, sizeof *tree);
    for (uint32_t i = 0; tree && i < scene->pane_count; i++) {
        const struct flm_pane *pane = &scene->panes[i];
        tree[i].title = flm_query_text(q, pane->title ? pane->title : "stacks");
        tree[i].nodes = pane->tree.node_count;
        tree[i].placed = flm_layout_node_count(pane->layout);
        tree[i].levels = flm_layout_level_count(pane->layout);
    }
    overlay->trees.at = tree;
    overlay->trees.count = tree ? scene->pane_count : 0;
}

bool flm_query_overlay(struct flm_viewer *v, struct flm_bytes argument,
                       struct flm_response *response, struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!v->model.shows_overlay)
        return flm_query_end(&q, why);
    const struct flm_picture_figures *picture = &v->paint.picture;
    struct flm_response_overlay *overlay = flm_query_take(&q, 1, sizeof *overlay);
    response->overlay = overlay;
    if (!overlay)
        return flm_query_end(&q, why);
    overlay->nodes = q.profile ? q.profile->sizes.node_count : 0;
    overlay->visited = (double)picture->visited;
    overlay->drawn = picture->drawn;
    overlay->merged = picture->merged;
    overlay->ms = v->paint.clock_ms ? flm_query_take(&q, 1, sizeof *overlay->ms) : NULL;
    if (overlay->ms)
        *overlay->ms = (struct flm_response_times){picture->layout_ms, picture->paint_ms};
    overlay->memory_bytes = memory_bytes(v);
    add_trees(&q, overlay);
    return flm_query_end(&q, why);
}
