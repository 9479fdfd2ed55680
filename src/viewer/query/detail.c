/* detail.c - "hover": the frame under the pointer, in a few lines; and "detail": everything about
 * the selected one. */
#include <math.h>
#include <stdlib.h>

#include "draw/text/quantity.h"
#include "viewer/input/clipboard.h"
#include "viewer/query/internal.h"
#include "viewer/scene/relations.h"

enum { MOST_RELATIONS = 12, MOST_MERGED_ITEMS = 12, MOST_STACK = 500 };

/* A frame, or merged ones, to describe. */
struct subject {
    uint32_t pane_index;
    const struct flm_pane *pane;
    struct flm_node node; /* of merged ones: the first */
    uint32_t frame;
    const struct flm_rectangle *merged; /* NULL: it is one frame */
    double total;                       /* its width */
    struct flm_node parent;
    struct flm_node top; /* what everything seen is in; {FLM_NONE}: it is outside of that */
    double whole;        /* the width of everything: of a chart, all of the time */
};

/* Whether a node is in what everything seen is in, or stands above it and is no wider. */
static bool is_in_view(const struct flm_pane *pane, struct flm_node node, struct flm_node top)
{
    if (node.index >= top.index)
        return node.index < pane->tree.end[top.index];
    return top.index < pane->tree.end[node.index] &&
           flm_layout_total(pane->layout, node) == flm_layout_total(pane->layout, top);
}

static bool find_subject(struct flm_query *q, struct flm_node_ref ref,
                         const struct flm_rectangle *merged, struct subject *subject)
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
    *subject = (struct subject){
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

static struct flm_value value_of(const struct flm_query *q, const struct subject *s,
                                 uint32_t metric)
{
    if (s->merged)
        return (struct flm_value){.total = s->total};
    return flm_value_of(&q->viewer->scene, s->pane, s->node, metric);
}

/* The whole that shares of a node refer to; 0: there is none. It is the width of the node, unless
 * widths show another metric. */
static double whole_of(const struct flm_query *q, const struct subject *s, struct flm_node node,
                       uint32_t metric)
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

/* The number of metrics that are known of a subject. */
static uint32_t metric_count(const struct flm_query *q, const struct subject *s)
{
    return s->pane->kind == FLM_PANE_STACKS && !s->merged ? q->profile->sizes.metric_count : 1;
}

static uint32_t metric_at(const struct flm_query *q, uint32_t i)
{
    if (i == 0)
        return q->metric.index;
    return i <= q->metric.index ? i - 1 : i;
}

/* The whole that shares of a metric refer to. */
static double size_of(const struct flm_query *q, uint32_t metric)
{
    return q->viewer->scene.tables.summary.metric[metric].size;
}

static void use_metric(struct flm_query *q, uint32_t metric)
{
    q->unit = flm_string_bytes(q->profile, q->profile->metrics[metric].unit);
    q->all = size_of(q, metric);
}

/* The unit of the widths of a pane: time in a flame chart, whatever the metric. */
static void use_width(struct flm_query *q, const struct subject *s)
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

static struct flm_bytes kind_text(struct flm_query *q, const struct flm_frame_record *frame)
{
    struct flm_text *out = flm_query_scratch(q);
    add_kind(out, frame);
    return out->size > 0 ? flm_query_scratch_copy(q) : (struct flm_bytes){NULL, 0};
}

/* "libc.so.6 · malloc.c:812 · inlined". */
static struct flm_bytes where_of(struct flm_query *q, const struct flm_frame_record *frame)
{
    struct flm_text *out = flm_query_scratch(q);
    add_part(out, last_part(flm_string_bytes(q->profile, frame->module)));
    add_part(out, last_part(flm_string_bytes(q->profile, frame->file)));
    if (frame->file && frame->line)
        flm_text_format(out, ":%u", frame->line);
    add_kind(out, frame);
    return out->size > 0 ? flm_query_scratch_copy(q) : (struct flm_bytes){NULL, 0};
}

static struct flm_bytes merged_title(struct flm_query *q, uint32_t count)
{
    struct flm_text *out = flm_query_scratch(q);
    flm_count_add(out, count);
    flm_text_puts(out, count == 1 ? " narrow frame" : " narrow frames");
    return flm_query_scratch_copy(q);
}

static struct flm_bytes change_of(struct flm_query *q, const struct subject *s)
{
    struct flm_change change = flm_compared_change(s->pane, s->node, FLM_CHANGE_OF_SUBTREE);
    flm_compared_add_sentence(q->viewer, flm_query_scratch(q), &change);
    return flm_query_scratch_copy(q);
}

/* ---- Under the pointer ----------------------------------------------------------------------- */

static struct flm_response_hover_line line_of(struct flm_query *q, const struct subject *s,
                                              const char *name, double value, bool of_view)
{
    uint32_t metric = q->metric.index;
    return (struct flm_response_hover_line){
        .name = flm_query_text(q, name),
        .value = flm_query_quantity(q, value),
        .exact = flm_query_exact(q, value),
        .share_total = flm_query_share(q, value, q->all),
        .share_view = flm_query_share(q, value, of_view ? whole_of(q, s, s->top, metric) : 0),
        .share_parent = flm_query_share(q, value, of_view ? whole_of(q, s, s->parent, metric) : 0),
    };
}

/* "all 12 occurrences": of the function, in all stacks. */
static void add_occurrences(struct flm_query *q, const struct subject *s,
                            struct flm_response_hover *hover)
{
    const struct flm_cached_tables *tables = &q->viewer->scene.tables;
    uint32_t function = tables->functions.of_frame[s->frame];
    if (s->frame == 0 || tables->occurrences[function] < 2)
        return;
    struct flm_text *name = flm_query_scratch(q);
    flm_text_puts(name, "all ");
    flm_count_add(name, tables->occurrences[function]);
    flm_text_puts(name, " occurrences");
    struct flm_bytes title = flm_query_scratch_copy(q);
    struct flm_response_hover_line *line = &hover->lines.at[hover->lines.count++];
    *line = line_of(q, s, NULL, tables->functions.function[function].total, false);
    line->name = title;
}

static void add_lines(struct flm_query *q, const struct subject *s,
                      struct flm_response_hover *hover)
{
    struct flm_value value = value_of(q, s, q->metric.index);
    bool compared = s->pane->compared != NULL && !s->merged;
    const char *total = s->pane->kind == FLM_PANE_CHART ? "duration"
                        : compared                      ? "total after"
                                                        : "total";
    hover->lines.at = flm_query_take(q, 3, sizeof *hover->lines.at);
    if (!hover->lines.at)
        return;
    use_width(q, s);
    hover->lines.at[hover->lines.count++] = line_of(q, s, total, value.total, true);
    use_metric(q, q->metric.index);
    if (value.has_self && s->frame != 0)
        hover->lines.at[hover->lines.count++] =
            line_of(q, s, compared ? "self after" : "self", value.self, true);
    if (!s->merged)
        add_occurrences(q, s, hover);
}

bool flm_query_hover(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                     struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    struct subject s;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    bool is_pointed_at = v->input.hover_x >= 0; /* and not at a row of a table */
    if (!is_pointed_at || !find_subject(&q, v->input.hovered, &v->input.hovered_box, &s)) {
        response->hover = is_pointed_at ? flm_query_hovered_event(&q) : NULL;
        return flm_query_end(&q, why);
    }
    if (!flm_cached_tables_measured(&v->scene.tables, q.profile, q.metric, why))
        return flm_query_fail(&q);
    struct flm_response_hover *hover = flm_query_take(&q, 1, sizeof *hover);
    response->hover = hover;
    if (!hover)
        return flm_query_end(&q, why);
    hover->x = v->input.hover_x;
    hover->y = v->input.hover_y;
    hover->title = s.merged ? merged_title(&q, s.merged->count) : flm_query_title(&q, s.frame);
    hover->where = where_of(&q, &q.profile->frames[s.merged ? 0 : s.frame]);
    hover->moment.at =
        flm_query_moment(&q, s.pane, s.node, s.merged != NULL, s.total, &hover->moment.count);
    add_lines(&q, &s, hover);
    if (s.pane->compared && !s.merged)
        hover->note = change_of(&q, &s);
    else if (s.merged)
        hover->note = flm_query_text(&q, "too narrow to be drawn apart; zoom in, or select");
    return flm_query_end(&q, why);
}

/* ---- The selected frame ---------------------------------------------------------------------- */

/* Before, after and change, where two are compared. */
static void add_changes(struct flm_query *q, const struct subject *s, uint32_t metric,
                        struct flm_response_value *to)
{
    struct flm_change change;
    double scale;
    if (flm_compared_change_in(q->viewer, s->pane, metric, s->node, FLM_CHANGE_OF_SUBTREE, &change,
                               &scale)) {
        struct flm_response_change made = flm_query_change(q, &change, scale);
        to->total_before = made.before;
        to->total_after = made.after;
        to->total_change = made.change;
    }
    if (flm_compared_change_in(q->viewer, s->pane, metric, s->node, FLM_CHANGE_OF_SELF, &change,
                               &scale)) {
        struct flm_response_change made = flm_query_change(q, &change, scale);
        to->self_before = made.before;
        to->self_after = made.after;
        to->self_change = made.change;
    }
}

static void add_value(struct flm_query *q, const struct subject *s, uint32_t metric,
                      struct flm_response_value *to)
{
    struct flm_value value = value_of(q, s, metric);
    double view = whole_of(q, s, s->top, metric), parent = whole_of(q, s, s->parent, metric);
    use_metric(q, metric);
    use_width(q, s);
    to->name = s->pane->kind == FLM_PANE_CHART
                   ? flm_query_text(q, "time")
                   : flm_query_copy(q, flm_comparing_metric_name(&q->viewer->model, metric));
    to->unit = flm_query_copy(q, q->unit);
    to->total = flm_query_quantity(q, value.total);
    to->total_exact = flm_query_exact(q, value.total);
    to->of_total = flm_query_share(q, value.total, q->all);
    to->of_view = flm_query_share(q, value.total, view);
    to->of_parent = flm_query_share(q, value.total, parent);
    if (!value.has_self)
        return;
    to->self = flm_query_quantity(q, value.self);
    to->self_exact = flm_query_exact(q, value.self);
    to->self_of_total = flm_query_share(q, value.self, q->all);
    to->self_of_view = flm_query_share(q, value.self, view);
    add_changes(q, s, metric, to);
}

static void add_values(struct flm_query *q, const struct subject *s,
                       struct flm_response_detail *detail)
{
    uint32_t count = metric_count(q, s);
    detail->values.at = flm_query_take(q, count, sizeof *detail->values.at);
    for (uint32_t i = 0; detail->values.at && i < count; i++) {
        uint32_t metric = metric_at(q, i);
        if (!flm_compared_is_aside(q->viewer, metric))
            add_value(q, s, metric, &detail->values.at[detail->values.count++]);
    }
    use_metric(q, q->metric.index);
}

static void add_instances(struct flm_query *q, const struct subject *s,
                          struct flm_response_detail *detail)
{
    const struct flm_cached_tables *tables = &q->viewer->scene.tables;
    uint32_t function = tables->functions.of_frame[s->frame];
    const struct flm_function *f = &tables->functions.function[function];
    double view = s->top.index == 0 ? whole_of(q, s, s->top, q->metric.index) : 0;
    detail->instances = flm_query_take(q, 1, sizeof *detail->instances);
    if (detail->instances)
        *detail->instances = (struct flm_response_instances){
            .count = tables->occurrences[function],
            .total = flm_query_quantity(q, f->total),
            .of_total = flm_query_share(q, f->total, q->all),
            .of_view = flm_query_share(q, f->total, view),
            .self = flm_query_quantity(q, f->self),
            .self_of_total = flm_query_share(q, f->self, q->all),
        };
}

static struct flm_response_frame *list_relations(struct flm_query *q, const struct subject *s,
                                                 const struct flm_relation *relations,
                                                 uint32_t count, double whole)
{
    const struct flm_functions *functions = &q->viewer->scene.tables.functions;
    struct flm_response_frame *made = flm_query_take(q, count, sizeof *made);
    for (uint32_t i = 0; made && i < count; i++) {
        uint32_t frame = functions->function[relations[i].function].first_frame;
        made[i] = (struct flm_response_frame){
            .node = flm_query_ref(q, s->pane_index, relations[i].node),
            .frame = frame,
            .title = flm_query_title(q, frame),
            .value = flm_query_quantity(q, relations[i].total),
            .share = flm_query_share(q, relations[i].total, whole),
        };
    }
    return made;
}

static uint32_t at_most(uint32_t count, uint32_t most)
{
    return count < most ? count : most;
}

/* Only of stacks: in other trees the picture itself is who calls whom. */
static bool add_neighbors(struct flm_query *q, const struct subject *s,
                          struct flm_response_detail *detail, struct flm_error *why)
{
    struct flm_relations relations = {0};
    uint32_t function = q->viewer->scene.tables.functions.of_frame[s->frame];
    double whole = 0;
    if (s->pane->kind == FLM_PANE_STACKS && s->frame != 0 &&
        !flm_relations_init(&relations, &q->viewer->scene.tables.functions, s->pane->layout,
                            function, why))
        return false;
    for (uint32_t i = 0; i < relations.caller_count; i++)
        whole += relations.caller[i].total;
    uint32_t callees = at_most(relations.callee_count, MOST_RELATIONS);
    uint32_t callers = at_most(relations.caller_count, MOST_RELATIONS);
    detail->calls.at = list_relations(q, s, relations.callee, callees, whole);
    detail->calls.count = detail->calls.at ? callees : 0;
    detail->callers.at = list_relations(q, s, relations.caller, callers, whole);
    detail->callers.count = detail->callers.at ? callers : 0;
    detail->calls_count = relations.callee_count;
    detail->callers_count = relations.caller_count;
    flm_relations_clear(&relations);
    return true;
}

/* The frames of the stack, the outermost caller first. Of a very long one the middle is left out,
 * and counted. */
static bool add_stack(struct flm_query *q, const struct subject *s,
                      struct flm_response_detail *detail, struct flm_error *why)
{
    const struct flm_layout *layout = s->pane->layout;
    uint32_t level = flm_layout_level(layout, s->node), count = 0;
    uint32_t *path = malloc((size_t)level * sizeof *path + 1);
    if (!path)
        return flm_error_memory(why);
    for (struct flm_node node = s->node; node.index != 0 && node.index != FLM_NONE;
         node = flm_layout_parent(layout, node))
        path[count++] = node.index;
    bool is_turned = s->pane->has_callers_below;
    uint32_t hidden = count > MOST_STACK ? count - MOST_STACK : 0;
    struct flm_response_frame *frame = flm_query_take(q, count - hidden, sizeof *frame);
    detail->stack.at = frame;
    for (uint32_t i = 0; frame && i < count; i++) {
        struct flm_node node = {path[is_turned ? i : count - 1 - i]};
        if (hidden > 0 && i >= MOST_STACK / 2 && i < MOST_STACK / 2 + hidden)
            continue;
        frame[detail->stack.count++] = (struct flm_response_frame){
            .node = flm_query_ref(q, s->pane_index, node),
            .title = flm_query_title(q, s->pane->tree.frame[node.index]),
        };
    }
    detail->stack_hidden = hidden;
    free(path);
    return true;
}

/* The largest of merged frames, the largest first: at most MOST_MERGED_ITEMS of perhaps a million,
 * so not all are sorted. */
static uint32_t largest_of(const struct subject *s, struct flm_node *largest)
{
    const struct flm_layout *layout = s->pane->layout;
    uint32_t count = 0, seen = 0;
    for (uint32_t slot = s->merged->slot; seen < s->merged->count; slot++) {
        struct flm_node node = flm_layout_node_at(layout, slot);
        if (node.index == FLM_NONE)
            break;
        if (flm_tree_is_gap(&s->pane->tree, node.index))
            continue;
        seen++;
        double total = flm_layout_total(layout, node);
        uint32_t place = count;
        while (place > 0 && total > flm_layout_total(layout, largest[place - 1]))
            place--;
        if (place == MOST_MERGED_ITEMS)
            continue;
        count += count < MOST_MERGED_ITEMS;
        for (uint32_t i = count - 1; i > place; i--)
            largest[i] = largest[i - 1];
        largest[place] = node;
    }
    return count;
}

static void add_merged(struct flm_query *q, const struct subject *s,
                       struct flm_response_detail *detail)
{
    const struct flm_rectangle *merged = s->merged;
    struct flm_node largest[MOST_MERGED_ITEMS];
    uint32_t count = largest_of(s, largest);
    struct flm_response_merged *made = flm_query_take(q, 1, sizeof *made);
    struct flm_response_frame *item = flm_query_take(q, count, sizeof *item);
    if (!made || !item)
        return;
    use_width(q, s);
    made->count = flm_query_count(q, merged->count);
    made->value = flm_query_quantity(q, merged->total);
    made->share = flm_query_share(q, merged->total, q->all);
    made->items.at = item;
    made->items.count = count;
    for (uint32_t i = 0; i < count; i++) {
        double total = flm_layout_total(s->pane->layout, largest[i]);
        item[i] = (struct flm_response_frame){
            .node = flm_query_ref(q, s->pane_index, largest[i]),
            .title = flm_query_title(q, s->pane->tree.frame[largest[i].index]),
            .value = flm_query_quantity(q, total),
            .share = flm_query_share(q, total, q->all),
        };
    }
    detail->merged = made;
}

/* A file as part of a URL: its slashes stay. */
static void add_escaped(struct flm_text *out, struct flm_bytes file)
{
    static const char plain[] = "-._~/:@!$&'()*+,;=";
    for (size_t i = 0; i < file.size; i++) {
        unsigned char byte = (unsigned char)file.at[i];
        bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                        (byte >= '0' && byte <= '9') || flm_is_one_of(file.at[i], plain);
        if (is_plain)
            flm_text_putc(out, file.at[i]);
        else
            flm_text_format(out, "%%%c%c", "0123456789ABCDEF"[byte >> 4],
                            "0123456789ABCDEF"[byte & 15]);
    }
}

static bool is_address(struct flm_bytes file)
{
    return flm_bytes_start_with(file, "https://") || flm_bytes_start_with(file, "http://");
}

static struct flm_bytes link_of(struct flm_query *q, const struct flm_frame_record *frame)
{
    struct flm_bytes file = flm_string_bytes(q->profile, frame->file);
    struct flm_bytes template = {q->viewer->model.source_link.at,
                                 q->viewer->model.source_link.size};
    struct flm_text *out = flm_query_scratch(q);
    if (is_address(file))
        flm_text_add(out, file);
    for (size_t i = 0; file.size > 0 && !is_address(file) && i < template.size;) {
        struct flm_bytes rest = {template.at + i, template.size - i};
        if (flm_bytes_start_with(rest, "{file}")) {
            add_escaped(out, file);
            i += 6;
        } else if (flm_bytes_start_with(rest, "{line}")) {
            flm_text_uint(out, frame->line ? frame->line : 1);
            i += 6;
        } else {
            flm_text_putc(out, template.at[i++]);
        }
    }
    return out->size > 0 ? flm_query_scratch_copy(q) : (struct flm_bytes){NULL, 0};
}

static struct flm_bytes address_of(struct flm_query *q, uint64_t address)
{
    struct flm_text *out = flm_query_scratch(q);
    bool begun = false;
    if (address == 0)
        return (struct flm_bytes){NULL, 0};
    flm_text_puts(out, "0x");
    for (int shift = 60; shift >= 0; shift -= 4) {
        begun = begun || address >> shift & 15;
        if (begun)
            flm_text_putc(out, "0123456789abcdef"[address >> shift & 15]);
    }
    return flm_query_scratch_copy(q);
}

static void add_frame(struct flm_query *q, uint32_t frame, struct flm_response_detail *detail)
{
    const struct flm_frame_record *record = &q->profile->frames[frame];
    detail->frame = frame;
    detail->title = flm_query_title(q, frame);
    detail->name = flm_query_copy(q, flm_frame_function(q->profile, frame));
    detail->module = flm_query_string(q, record->module);
    detail->file = flm_query_string(q, record->file);
    detail->line = record->line ? record->line : NAN;
    detail->kind = kind_text(q, record);
    detail->address = address_of(q, record->address);
    detail->link = link_of(q, record);
}

static bool add_detail(struct flm_query *q, const struct subject *s,
                       struct flm_response_detail *detail, struct flm_error *why)
{
    detail->node = flm_query_ref(q, s->pane_index, s->node);
    detail->metric = flm_query_string(q, q->profile->metrics[q->metric.index].name);
    detail->frame = detail->line = NAN;
    detail->compared = s->pane->compared && !s->merged;
    if (s->merged)
        detail->title = detail->name = merged_title(q, s->merged->count);
    else
        add_frame(q, s->frame, detail);
    if (detail->compared)
        detail->note = change_of(q, s);
    detail->moment.at =
        flm_query_moment(q, s->pane, s->node, s->merged != NULL, s->total, &detail->moment.count);
    add_values(q, s, detail);
    detail->calls_count = detail->callers_count = detail->stack_hidden = NAN;
    if (s->merged) {
        add_merged(q, s, detail);
        return true;
    }
    if (s->frame != 0)
        add_instances(q, s, detail);
    return add_neighbors(q, s, detail, why) && add_stack(q, s, detail, why);
}

bool flm_query_detail(struct flm_viewer *v, struct flm_bytes argument,
                      struct flm_response *response, struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    struct subject s;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!find_subject(&q, v->model.selected, &v->model.selected_merged, &s))
        return flm_query_end(&q, why);
    if (!flm_cached_tables_measured(&v->scene.tables, q.profile, q.metric, why))
        return flm_query_fail(&q);
    struct flm_response_detail *detail = flm_query_take(&q, 1, sizeof *detail);
    response->detail = detail;
    if (detail && !add_detail(&q, &s, detail, why))
        return flm_query_fail(&q);
    return flm_query_end(&q, why);
}
