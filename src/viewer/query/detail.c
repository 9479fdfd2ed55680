/* detail.c - "detail": everything about the selected frame. */
#include <math.h>
#include <stdlib.h>

#include "algebra/aggregate/thread_costs.h"
#include "draw/text/quantity.h"
#include "viewer/query/internal.h"
#include "viewer/query/subject.h"
#include "viewer/scene/relations.h"

enum { MOST_RELATIONS = 12, MOST_MERGED_ITEMS = 12, MOST_STACK = 500 };

/* The number of metrics that are known of a subject. */
static uint32_t metric_count(const struct flm_query *q, const struct flm_subject *s)
{
    return s->pane->kind == FLM_PANE_STACKS && !s->merged ? q->profile->sizes.metric_count : 1;
}

static uint32_t metric_at(const struct flm_query *q, uint32_t i)
{
    if (i == 0)
        return q->metric.index;
    return i <= q->metric.index ? i - 1 : i;
}

/* Before, after and change, where two are compared. */
static void add_changes(struct flm_query *q, const struct flm_subject *s, uint32_t metric,
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

/* Self of callers and callees is not known, but of all of a function it is. */
static struct flm_value value_with_self(const struct flm_query *q, const struct flm_subject *s,
                                        uint32_t metric)
{
    const struct flm_functions *functions = &q->viewer->scene.tables.functions;
    struct flm_value value = flm_subject_value(q, s, metric);
    bool is_all = s->pane->kind == FLM_PANE_LAZY && !s->merged && s->frame != 0 &&
                  metric == q->metric.index && flm_layout_level(s->pane->layout, s->node) == 1;
    if (is_all && !value.has_self) {
        value.self = functions->function[functions->of_frame[s->frame]].self;
        value.has_self = true;
    }
    return value;
}

/* The values of a frame stand one above the other: total, self, and of the shown metric that of all
 * occurrences. */
static struct flm_scale scale_of(const struct flm_query *q, const struct flm_subject *s,
                                 uint32_t metric)
{
    const struct flm_functions *functions = &q->viewer->scene.tables.functions;
    struct flm_value value = value_with_self(q, s, metric);
    bool has_all = metric == q->metric.index && !s->merged && s->frame != 0;
    double all = has_all ? functions->function[functions->of_frame[s->frame]].total : 0;
    double largest =
        fmax(fmax(fabs(value.total), fabs(all)), value.has_self ? fabs(value.self) : 0);
    struct flm_scale scale;
    flm_scale_init(&scale, largest, FLM_DIGITS_OF_REPORTS, q->unit);
    flm_scale_add(&scale, value.total);
    flm_scale_add(&scale, all);
    flm_scale_add(&scale, value.has_self ? value.self : 0);
    return scale;
}

/* "70.07 ms" */
static struct flm_bytes scaled(struct flm_query *q, const struct flm_scale *scale, double value)
{
    struct flm_text *out = flm_query_scratch(q);
    flm_scale_add_number(scale, value, out);
    if (*scale->name || scale->unit.size > 0)
        flm_text_putc(out, ' ');
    flm_scale_add_unit(scale, value, out);
    return flm_query_scratch_copy(q);
}

static void add_value(struct flm_query *q, const struct flm_subject *s, uint32_t metric,
                      struct flm_response_value *to)
{
    struct flm_value value = value_with_self(q, s, metric);
    double view = flm_subject_whole(q, s, s->top, metric),
           parent = flm_subject_whole(q, s, s->parent, metric);
    flm_query_use_metric(q, metric);
    flm_subject_use_width(q, s);
    to->name = s->pane->kind == FLM_PANE_CHART
                   ? flm_query_text(q, "time")
                   : flm_query_copy(q, flm_comparing_metric_name(&q->viewer->model, metric));
    to->unit = flm_query_copy(q, q->unit);
    struct flm_scale scale = scale_of(q, s, metric);
    flm_scale_add_unit(&scale, NAN, flm_query_scratch(q));
    to->shown_unit = flm_query_scratch_copy(q);
    to->total = scaled(q, &scale, value.total);
    to->number = flm_query_number(q, &scale, value.total);
    to->total_exact = flm_query_exact(q, value.total);
    to->of_total = flm_query_share(q, value.total, q->all);
    to->of_view = flm_query_share(q, value.total, view);
    to->of_parent = flm_query_share(q, value.total, parent);
    if (!value.has_self)
        return;
    to->self = scaled(q, &scale, value.self);
    to->self_number = flm_query_number(q, &scale, value.self);
    to->self_exact = flm_query_exact(q, value.self);
    to->self_of_total = flm_query_share(q, value.self, q->all);
    to->self_of_view = flm_query_share(q, value.self, view);
    add_changes(q, s, metric, to);
}

static void add_values(struct flm_query *q, const struct flm_subject *s,
                       struct flm_response_detail *detail)
{
    uint32_t count = metric_count(q, s);
    detail->values.at = flm_query_take(q, count, sizeof *detail->values.at);
    for (uint32_t i = 0; detail->values.at && i < count; i++) {
        uint32_t metric = metric_at(q, i);
        if (!flm_compared_is_aside(q->viewer, metric))
            add_value(q, s, metric, &detail->values.at[detail->values.count++]);
    }
    flm_query_use_metric(q, q->metric.index);
}

static void add_instances(struct flm_query *q, const struct flm_subject *s,
                          struct flm_response_detail *detail)
{
    const struct flm_cached_tables *tables = &q->viewer->scene.tables;
    uint32_t function = tables->functions.of_frame[s->frame];
    const struct flm_function *f = &tables->functions.function[function];
    double view = s->top.index == 0 ? flm_subject_whole(q, s, s->top, q->metric.index) : 0;
    struct flm_scale scale = scale_of(q, s, q->metric.index);
    detail->instances = flm_query_take(q, 1, sizeof *detail->instances);
    if (detail->instances)
        *detail->instances = (struct flm_response_instances){
            .count = tables->occurrences[function],
            .total = scaled(q, &scale, f->total),
            .number = flm_query_number(q, &scale, f->total),
            .of_total = flm_query_share(q, f->total, q->all),
            .of_view = flm_query_share(q, f->total, view),
            .self = scaled(q, &scale, f->self),
            .self_of_total = flm_query_share(q, f->self, q->all),
        };
}

static struct flm_response_frame *list_relations(struct flm_query *q, const struct flm_subject *s,
                                                 const struct flm_relation *relations,
                                                 uint32_t count, double whole)
{
    const struct flm_functions *functions = &q->viewer->scene.tables.functions;
    struct flm_response_frame *made = flm_query_take(q, count, sizeof *made);
    for (uint32_t i = 0; made && i < count; i++) {
        uint32_t frame = functions->function[relations[i].function].first_frame;
        made[i] = (struct flm_response_frame){
            .node = s->pane->kind == FLM_PANE_STACKS
                        ? flm_query_ref(q, s->pane_index, relations[i].node)
                        : NAN,
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

/* The stacks of the profile, for panes that are other trees: as wide as there. NULL, and `why`, if
 * memory ran out. 20 ms for 1e6 nodes, when a frame is selected. */
static struct flm_layout *lay_out_stacks(const struct flm_query *q, const struct flm_subject *s,
                                         struct flm_error *why)
{
    const struct flm_scene *scene = &q->viewer->scene;
    struct flm_layout_options options = {.tree = flm_tree_of(q->profile, q->metric)};
    if (flm_scene_compares(scene) && s->pane->kind == FLM_PANE_LAZY)
        options.tree.width = scene->compared->comparison.widths;
    return flm_layout_new(&options, why);
}

/* Callers and callees of the function, over all its occurrences. */
static bool add_neighbors(struct flm_query *q, const struct flm_subject *s,
                          struct flm_response_detail *detail, struct flm_error *why)
{
    struct flm_relations relations = {0};
    uint32_t function = q->viewer->scene.tables.functions.of_frame[s->frame];
    bool is_stacks = s->pane->kind == FLM_PANE_STACKS;
    double whole = 0;
    if (s->frame != 0) {
        struct flm_layout *own = is_stacks ? NULL : lay_out_stacks(q, s, why);
        bool good = (is_stacks || own) &&
                    flm_relations_init(&relations, &q->viewer->scene.tables.functions,
                                       is_stacks ? s->pane->layout : own, function, why);
        flm_layout_free(own);
        if (!good)
            return false;
    }
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

/* ---- Threads --------------------------------------------------------------------------------- */

/* Whether costs are of the function, and not of the one stack: where rows and boxes are functions.
 */
static bool is_of_function(const struct flm_query *q, const struct flm_subject *s)
{
    const struct flm_view *view = q->viewer->model.view;
    bool is_table_of_functions = view->table && flm_bytes_are(flm_bytes_of(view->table), "top");
    return s->pane->kind != FLM_PANE_STACKS || is_table_of_functions;
}

/* What samples count: of a stack all below it, of a function all below any of its occurrences. */
static void mark_nodes(const struct flm_query *q, const struct flm_subject *s, unsigned char *marks)
{
    const struct flm_profile *p = q->profile;
    const uint32_t *of_frame = q->viewer->scene.tables.functions.of_frame;
    bool of_function = is_of_function(q, s);
    uint32_t function = of_frame[s->frame], end = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        bool is_it = of_function ? of_frame[p->node_frame[i]] == function : i == s->node.index;
        if (is_it && p->node_end[i] > end)
            end = p->node_end[i];
        marks[i] = (i < end ? FLM_COSTS_TOTAL : 0) | (is_it ? FLM_COSTS_SELF : 0);
    }
}

static struct flm_bytes thread_title(struct flm_query *q, const struct flm_thread_cost *cost)
{
    struct flm_track track = {.value = cost->is_process ? cost->process : cost->thread,
                              .command = cost->command};
    flm_track_add_title(q->profile, &track, flm_query_scratch(q));
    return flm_query_scratch_copy(q);
}

static void list_threads(struct flm_query *q, const struct flm_thread_costs *costs,
                         struct flm_response_detail *detail)
{
    enum { MOST_THREADS = 40 };
    const struct flm_scale *scale = &q->viewer->scene.tables.scale;
    uint32_t count = at_most(costs->count, MOST_THREADS), listed = 0;
    struct flm_response_thread *thread = flm_query_take(q, count, sizeof *thread);
    double sum = 0;
    for (uint32_t i = 0; i < costs->count; i++)
        sum += costs->at[i].is_process ? 0 : costs->at[i].total;
    for (uint32_t i = 0; thread && i < count; i++) {
        const struct flm_thread_cost *cost = &costs->at[i];
        thread[i].title = thread_title(q, cost);
        thread[i].process = cost->is_process;
        listed += !cost->is_process;
        flm_scale_add_number(scale, cost->self, flm_query_scratch(q));
        thread[i].self = flm_query_scratch_copy(q);
        flm_scale_add_number(scale, cost->total, flm_query_scratch(q));
        thread[i].total = flm_query_scratch_copy(q);
        flm_scale_add_percent(flm_query_scratch(q), cost->total, sum);
        thread[i].share = flm_query_scratch_copy(q);
    }
    detail->threads.at = thread;
    detail->threads.count = thread ? count : 0;
    detail->threads_hidden = costs->threads - listed;
    flm_scale_add_unit(scale, NAN, flm_query_scratch(q));
    detail->unit = flm_query_scratch_copy(q);
}

static bool add_threads(struct flm_query *q, const struct flm_subject *s,
                        struct flm_response_detail *detail, struct flm_error *why)
{
    struct flm_thread_costs costs;
    if (q->profile->sizes.sample_count == 0)
        return true;
    unsigned char *marks = malloc(q->profile->sizes.node_count);
    if (!marks)
        return flm_error_memory(why);
    mark_nodes(q, s, marks);
    bool good = flm_thread_costs_init(&costs, q->profile, q->metric, marks, why);
    free(marks);
    if (good && costs.threads > 0)
        list_threads(q, &costs, detail);
    flm_thread_costs_clear(&costs);
    return good;
}

/* The frames of the stack, the outermost caller first. Of a very long one the middle is left out,
 * and counted. */
static bool add_stack(struct flm_query *q, const struct flm_subject *s,
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
            .frame = s->pane->tree.frame[node.index],
            .title = flm_query_node_title(q, s->pane, node),
        };
    }
    detail->stack_hidden = hidden;
    free(path);
    return true;
}

/* The largest of merged frames, the largest first: at most MOST_MERGED_ITEMS of perhaps a million,
 * so not all are sorted. */
static uint32_t largest_of(const struct flm_subject *s, struct flm_node *largest)
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

static void add_merged(struct flm_query *q, const struct flm_subject *s,
                       struct flm_response_detail *detail)
{
    const struct flm_rectangle *merged = s->merged;
    struct flm_node largest[MOST_MERGED_ITEMS];
    uint32_t count = largest_of(s, largest);
    struct flm_response_merged *made = flm_query_take(q, 1, sizeof *made);
    struct flm_response_frame *item = flm_query_take(q, count, sizeof *item);
    if (!made || !item)
        return;
    flm_subject_use_width(q, s);
    made->count = flm_query_count(q, merged->count);
    made->value = flm_query_quantity(q, merged->total);
    made->share = flm_query_share(q, merged->total, q->all);
    made->items.at = item;
    made->items.count = count;
    for (uint32_t i = 0; i < count; i++) {
        double total = flm_layout_total(s->pane->layout, largest[i]);
        item[i] = (struct flm_response_frame){
            .node = flm_query_ref(q, s->pane_index, largest[i]),
            .frame = s->pane->tree.frame[largest[i].index],
            .title = flm_query_node_title(q, s->pane, largest[i]),
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

/* The frame's line, or the first one of its file among its locations: frames of recordings have
 * none of their own (profile/chains.h). 0: not known. */
static uint32_t line_of(const struct flm_profile *p, uint32_t frame)
{
    const struct flm_frame_record *record = &p->frames[frame];
    uint32_t first = 0, line = record->line;
    if (line || p->sizes.location_count == 0)
        return line;
    for (uint32_t i = 0; i < frame; i++)
        first += p->frame_locations[i];
    for (uint32_t i = 0; i < p->frame_locations[frame]; i++) {
        struct flm_location where = flm_location_at(p, first + i);
        if (where.file == record->file && where.line && (!line || where.line < line))
            line = where.line;
    }
    return line;
}

static struct flm_bytes link_of(struct flm_query *q, const struct flm_frame_record *frame,
                                uint32_t line)
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
            flm_text_uint(out, line ? line : 1);
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

static void add_frame(struct flm_query *q, const struct flm_subject *s,
                      struct flm_response_detail *detail)
{
    uint32_t frame = s->frame;
    const struct flm_frame_record *record = &q->profile->frames[frame];
    uint32_t line = line_of(q->profile, frame);
    detail->frame = frame;
    detail->title = flm_query_title(q, frame);
    detail->name = flm_query_copy(q, flm_frame_function(q->profile, frame));
    detail->module = flm_query_string(q, record->module);
    detail->file = flm_query_string(q, record->file);
    detail->line = line ? line : NAN;
    detail->kind = flm_query_kind(q, s);
    detail->address = address_of(q, record->address);
    detail->link = link_of(q, record, line);
}

static bool add_detail(struct flm_query *q, const struct flm_subject *s,
                       struct flm_response_detail *detail, struct flm_error *why)
{
    detail->node = flm_query_ref(q, s->pane_index, s->node);
    detail->metric = flm_query_string(q, q->profile->metrics[q->metric.index].name);
    detail->frame = detail->line = NAN;
    detail->compared = s->pane->compared && !s->merged;
    if (s->merged)
        detail->title = detail->name = flm_query_merged_title(q, s->merged->count);
    else
        add_frame(q, s, detail);
    if (detail->compared)
        detail->note = flm_subject_change(q, s);
    detail->moment.at =
        flm_query_moment(q, s->pane, s->node, s->merged != NULL, s->total, &detail->moment.count);
    add_values(q, s, detail);
    detail->calls_count = detail->callers_count = detail->stack_hidden = NAN;
    detail->threads_hidden = NAN;
    if (s->merged) {
        add_merged(q, s, detail);
        return true;
    }
    if (s->frame != 0)
        add_instances(q, s, detail);
    return add_neighbors(q, s, detail, why) && add_threads(q, s, detail, why) &&
           add_stack(q, s, detail, why);
}

static void shorten_names(struct flm_query *q, struct flm_query_room room,
                          struct flm_response_frame *items, size_t count)
{
    struct flm_query_name *names = room.width > 0 ? flm_query_take(q, count, sizeof *names) : NULL;
    for (size_t i = 0; names && i < count; i++)
        names[i] =
            (struct flm_query_name){(uint32_t)items[i].frame, room.width, false, &items[i].shown};
    if (names)
        flm_query_shorten(q, room, names, count);
}

/* Shortens the title and the names of each list, to a whole line, or to the part of it that numbers
 * leave. */
static void shorten_lists(struct flm_query *q, struct flm_bytes argument,
                          struct flm_response_detail *detail)
{
    struct flm_query_room alone = flm_query_take_room(&argument);
    struct flm_query_room beside = flm_query_take_room(&argument);
    if (!detail->merged)
        flm_query_shorten_heading(q, alone, (uint32_t)detail->frame, &detail->shown);
    shorten_names(q, alone, detail->stack.at, detail->stack.count);
    shorten_names(q, beside, detail->calls.at, detail->calls.count);
    shorten_names(q, beside, detail->callers.at, detail->callers.count);
    if (detail->merged)
        shorten_names(q, beside, detail->merged->items.at, detail->merged->items.count);
}

static void add_actions(struct flm_query *q, struct flm_response_detail *detail)
{
    detail->actions.at = flm_query_take(q, flm_query_menu_size(), sizeof *detail->actions.at);
    if (detail->actions.at)
        detail->actions.count = flm_query_list_menu(q, FLM_MENU_COPY, detail->actions.at);
}

bool flm_query_detail(struct flm_viewer *v, struct flm_bytes argument,
                      struct flm_response *response, struct flm_error *why)
{
    struct flm_query q;
    struct flm_subject s;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!flm_subject_find(&q, v->model.selected, &v->model.selected_merged, &s))
        return flm_query_end(&q, why);
    if (!flm_cached_tables_measured(&v->scene.tables, q.profile, q.metric, why))
        return flm_query_fail(&q);
    struct flm_response_detail *detail = flm_query_take(&q, 1, sizeof *detail);
    response->detail = detail;
    if (detail && !add_detail(&q, &s, detail, why))
        return flm_query_fail(&q);
    if (detail)
        shorten_lists(&q, argument, detail);
    if (detail && !s.merged)
        add_actions(&q, detail);
    if (detail)
        detail->notes.at = flm_query_written(&q, &s, &detail->notes.count);
    return flm_query_end(&q, why);
}
