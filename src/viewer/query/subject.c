#include "viewer/query/subject.h"

#include <math.h>

#include "draw/text/quantity.h"
#include "viewer/query/internal.h"

/* Whether a node is in what everything seen is in, or stands above it and is no wider. */
static bool is_in_view(const struct flm_pane *pane, struct flm_node node, struct flm_node top)
{
    if (node.index >= top.index)
        return node.index < pane->tree.end[top.index];
    return top.index < pane->tree.end[node.index] &&
           flm_layout_total(pane->layout, node) == flm_layout_total(pane->layout, top);
}

bool flm_subject_find(struct flm_query *q, struct flm_node_ref ref,
                      const struct flm_rectangle *merged, struct flm_subject *subject)
{
    const struct flm_scene *scene = &q->viewer->scene;
    if (!q->profile || !flm_node_ref_valid(ref) || ref.pane >= scene->pane_count)
        return false;
    const struct flm_pane *pane = &scene->panes[ref.pane];
    struct flm_node node = flm_pane_node(pane, ref.number);
    if (node.index == FLM_NONE)
        return false;
    bool is_merged = merged && merged->flags & FLM_RECTANGLE_MERGED && merged->count > 0;
    struct flm_node parent = flm_layout_parent(pane->layout, node);
    struct flm_node top = flm_viewer_goal_node(q->viewer, pane);
    *subject = (struct flm_subject){
        .pane_index = ref.pane,
        .pane = pane,
        .node = node,
        .frame = pane->tree.frame[node.index],
        .merged = is_merged ? merged : NULL,
        .total = is_merged ? merged->total : flm_layout_total(pane->layout, node),
        .parent = parent,
        .top = {is_in_view(pane, node, top) ? top.index : FLM_NONE},
        .whole = pane->kind == FLM_PANE_CHART
                     ? scene->total
                     : flm_layout_total(pane->layout, (struct flm_node){0}),
    };
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

struct flm_value flm_subject_value(const struct flm_query *q, const struct flm_subject *s,
                                   uint32_t metric)
{
    if (s->merged)
        return (struct flm_value){.total = s->total};
    return flm_value_of(&q->viewer->scene, s->pane, s->node, metric);
}

double flm_subject_whole(const struct flm_query *q, const struct flm_subject *s,
                         struct flm_node node, uint32_t metric)
{
    const struct flm_pane *pane = s->pane;
    if (node.index == FLM_NONE)
        return 0;
    bool is_width = pane->kind != FLM_PANE_STACKS
                        ? !flm_scene_compares(&q->viewer->scene)
                        : pane->tree.width == flm_self_column(pane->profile, metric);
    if (is_width)
        return node.index == 0 ? s->whole : flm_layout_total(pane->layout, node);
    return fabs(flm_value_of(&q->viewer->scene, pane, node, metric).total);
}

/* The whole that shares of a metric refer to. */
static double size_of(const struct flm_query *q, uint32_t metric)
{
    return q->viewer->scene.tables.summary.metric[metric].size;
}

void flm_query_use_metric(struct flm_query *q, uint32_t metric)
{
    q->unit = flm_string_bytes(q->profile, q->profile->metrics[metric].unit);
    q->all = size_of(q, metric);
}

void flm_subject_use_width(struct flm_query *q, const struct flm_subject *s)
{
    if (s->pane->kind != FLM_PANE_CHART)
        return;
    q->unit = flm_bytes_of("ns");
    q->all = s->whole;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static struct flm_bytes last_part(struct flm_bytes path)
{
    size_t at = path.size;
    while (at > 0 && !flm_is_one_of(path.at[at - 1], "/\\"))
        at--;
    return at < path.size ? (struct flm_bytes){path.at + at, path.size - at} : path;
}

static const char *kind_of(const struct flm_frame_record *frame)
{
    if (frame->flags & FLM_FRAME_UNSYMBOLIZED)
        return "no symbol";
    return frame->kind == FLM_KIND_PLAIN ? NULL : flm_kind_name(frame->kind);
}

static void add_part(struct flm_text *out, struct flm_bytes part)
{
    if (part.size == 0)
        return;
    flm_text_puts(out, out->size > 0 ? " \xC2\xB7 " : "");
    flm_text_add(out, part);
}

/* "inlined · clones: part+cold" */
static void add_kind(struct flm_text *out, const struct flm_frame_record *frame)
{
    char clones[FLM_CLONES_SIZE];
    if (kind_of(frame))
        add_part(out, flm_bytes_of(kind_of(frame)));
    if (flm_clones_name(frame->flags, clones) == 0)
        return;
    add_part(out, flm_bytes_of("clones: "));
    flm_text_puts(out, clones);
}

static void add_depth(struct flm_text *out, const struct flm_subject *s)
{
    struct flm_depths depths =
        s->merged ? (struct flm_depths){1, 1} : flm_pane_depths(s->pane, s->node);
    if (depths.most < 2)
        return;
    add_part(out, flm_bytes_of("recursion "));
    flm_text_puts(out, depths.least < depths.most ? "up to " : "");
    flm_count_add(out, depths.most);
    flm_text_puts(out, " deep");
}

static const struct flm_frame_record *record_of(const struct flm_query *q,
                                                const struct flm_subject *s)
{
    return &q->profile->frames[s->merged ? 0 : s->frame];
}

struct flm_bytes flm_query_kind(struct flm_query *q, const struct flm_subject *s)
{
    struct flm_text *out = flm_query_scratch(q);
    add_kind(out, record_of(q, s));
    add_depth(out, s);
    return out->size > 0 ? flm_query_scratch_copy(q) : (struct flm_bytes){NULL, 0};
}

/* "libc.so.6 · malloc.c:812 · inlined". */
struct flm_bytes flm_query_where(struct flm_query *q, const struct flm_subject *s)
{
    const struct flm_frame_record *frame = record_of(q, s);
    struct flm_text *out = flm_query_scratch(q);
    add_part(out, last_part(flm_string_bytes(q->profile, frame->module)));
    add_part(out, last_part(flm_string_bytes(q->profile, frame->file)));
    if (frame->file && frame->line)
        flm_text_format(out, ":%u", frame->line);
    add_kind(out, frame);
    add_depth(out, s);
    return out->size > 0 ? flm_query_scratch_copy(q) : (struct flm_bytes){NULL, 0};
}

struct flm_bytes flm_query_merged_title(struct flm_query *q, uint32_t count)
{
    struct flm_text *out = flm_query_scratch(q);
    flm_count_add(out, count);
    flm_text_puts(out, count == 1 ? " narrow frame" : " narrow frames");
    return flm_query_scratch_copy(q);
}

struct flm_bytes flm_subject_change(struct flm_query *q, const struct flm_subject *s)
{
    struct flm_change change = flm_compared_change(s->pane, s->node, FLM_CHANGE_OF_SUBTREE);
    flm_compared_add_sentence(q->viewer, flm_query_scratch(q), &change);
    return flm_query_scratch_copy(q);
}
