#include "format/core/event_stacks.h"

#include <assert.h>

#include "base/core/sort.h"
#include "profile/internal.h"

/* ---- In the order of time -------------------------------------------------------------------- */

static struct flm_node top_node(const struct flm_event_stack *s)
{
    return s->open.count > 0 ? s->open.at[s->open.count - 1].node : s->root;
}

static void add_self(struct flm_event_stack *s, struct flm_node node, int64_t ns)
{
    if (node.index >= s->self_ns.count) {
        size_t more = node.index + 1 - s->self_ns.count;
        if (!FLM_ARRAY_RESERVE(&s->self_ns, more)) {
            flm_builder_fail_memory(s->builder);
            return;
        }
        memset(s->self_ns.at + s->self_ns.count, 0, more * sizeof *s->self_ns.at);
        s->self_ns.count += more;
    }
    int64_t *self = &s->self_ns.at[node.index];
    if (__builtin_add_overflow(*self, ns, self))
        *self = INT64_MAX;
}

static void add_segment(struct flm_event_stack *s, struct flm_event_time to)
{
    bool has_time = s->at.ns != FLM_NO_TIME && to.ns != FLM_NO_TIME;
    int64_t duration = 0;
    if (has_time && __builtin_sub_overflow(to.ns, s->at.ns, &duration))
        duration = INT64_MAX;
    double value = s->unit_ns > 0 ? (double)duration / s->unit_ns : to.value - s->at.value;
    if (!(value > 0))
        return;
    struct flm_node node = top_node(s);
    if (s->segment) {
        s->segment(s->segment_context, node, s->at.ns, s->at.ns + duration);
        return;
    }
    if (!s->keep_times) {
        if (s->unit_ns > 0)
            add_self(s, node, duration);
        else
            flm_builder_add(s->builder, node, s->metric, value);
        return;
    }
    flm_builder_sample(s->builder, s->at.ns, node, s->labels, s->metric, value);
    if (has_time && duration > 0)
        flm_builder_sample_lasts(s->builder, duration);
}

static void move_to(struct flm_event_stack *s, struct flm_event_time to)
{
    if (s->open.count > 0) {
        if (s->unit_ns > 0 ? to.ns < s->at.ns : to.value < s->at.value)
            return;
        add_segment(s, to);
    }
    s->at = to;
}

void flm_event_stack_begin(struct flm_event_stack *stack, struct flm_label_set labels,
                           struct flm_node root)
{
    stack->labels = labels;
    stack->root = root;
    stack->open.count = 0;
    stack->at = (struct flm_event_time){INT64_MIN, 0};
}

static void push(struct flm_event_stack *stack, struct flm_node node, uint32_t name,
                 struct flm_event_time at)
{
    move_to(stack, at);
    if (!FLM_ARRAY_ADD(&stack->open, (struct flm_open_call){node, name, false}))
        flm_builder_fail_memory(stack->builder);
}

struct flm_node flm_event_stack_open(struct flm_event_stack *stack, struct flm_frame frame,
                                     uint32_t name, struct flm_event_time at)
{
    struct flm_node node = flm_builder_child(stack->builder, top_node(stack), frame);
    push(stack, node, name, at);
    return node;
}

bool flm_event_stack_close(struct flm_event_stack *stack, struct flm_event_time at)
{
    if (stack->open.count == 0)
        return false;
    move_to(stack, at);
    stack->open.count--;
    return true;
}

size_t flm_event_stack_end(struct flm_event_stack *stack)
{
    size_t count = stack->open.count;
    stack->open.count = 0;
    return count;
}

void flm_event_stack_finish(struct flm_event_stack *stack)
{
    for (size_t i = 0; i < stack->self_ns.count; i++)
        if (stack->self_ns.at[i] > 0)
            flm_builder_add(stack->builder, (struct flm_node){(uint32_t)i}, stack->metric,
                            (double)stack->self_ns.at[i] / stack->unit_ns);
    FLM_ARRAY_CLEAR(&stack->self_ns);
    FLM_ARRAY_CLEAR(&stack->open);
}

/* ---- In any order ---------------------------------------------------------------------------- */

/* Traces are written by many threads into many buffers, so that neither begins nor ends are sorted,
 * and clocks are coarse, so that many have the same time. The rules are those of speedscope's
 * importer of traces, whose results people know:
 *
 * - Begins are taken in the order of time. Of several at one time those of pairs come before whole
 *   calls, and of these the longer one first; otherwise the order of the file decides.
 * - Ends are taken in the order of time. Of several at one time the one that ends the innermost
 *   open call is taken first.
 * - At one time ends come before begins, so that calls follow each other. But where both have one
 *   name, and the begin comes first in the file, it is a call without a duration.
 * - An end that does not belong to the innermost call does not end it.
 *
 * Two rules differ, where speedscope nests all later calls in one that has ended:
 *
 * - An end whose call begins at the same time, and is not open yet, waits for it.
 * - An end of a call above which others are open ends it together with these. */

enum {
    MOST_TIES = 256,  /* ends, or begins, of one time that are searched for a name */
    MOST_LEVELS = 256 /* open calls that are searched for one */
};

struct nesting {
    const struct flm_call *calls;
    uint32_t *begins, *ends; /* indices of calls, in order */
    size_t begin, begin_count, end, end_count;
    struct flm_event_stack *stack;
    struct flm_calls_lost *lost;
};

static bool is_whole(const struct flm_call *call)
{
    return call->duration_ns >= 0;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_begins(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_call *calls = context, *x = &calls[a], *y = &calls[b];
    int order = compare(x->time_ns, y->time_ns);
    if (order == 0)
        order = is_whole(x) - is_whole(y);
    return order != 0 || !is_whole(x) ? order : compare(y->duration_ns, x->duration_ns);
}

static int64_t end_time(const struct flm_call *call)
{
    int64_t end;
    if (!is_whole(call))
        return call->time_ns;
    return __builtin_add_overflow(call->time_ns, call->duration_ns, &end) ? INT64_MAX : end;
}

static int compare_ends(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_call *calls = context;
    int order = compare(end_time(&calls[a]), end_time(&calls[b]));
    return order ? order : compare_begins(context, a, b);
}

static const struct flm_call *begin_at(const struct nesting *n, size_t i)
{
    return &n->calls[n->begins[i]];
}

static const struct flm_call *end_at(const struct nesting *n, size_t i)
{
    return &n->calls[n->ends[i]];
}

static bool ends_call(const struct flm_call *end, uint32_t name)
{
    return end->name == FLM_NONE || end->name == name;
}

static struct flm_open_call *innermost(const struct nesting *n)
{
    return n->stack->open.count > 0 ? &n->stack->open.at[n->stack->open.count - 1] : NULL;
}

/* Whether the call that the next end belongs to begins at the same time, and is not open yet. */
static bool has_to_wait(const struct nesting *n)
{
    const struct flm_call *end = end_at(n, n->end);
    if (is_whole(end))
        return end->duration_ns == 0 &&
               compare_begins(n->calls, n->ends[n->end], n->begins[n->begin]) >= 0;
    for (size_t i = n->begin; i < n->begin_count && i < n->begin + MOST_TIES; i++) {
        if (begin_at(n, i)->time_ns != end->time_ns)
            break;
        if (ends_call(end, begin_at(n, i)->name))
            return true;
    }
    return false;
}

static bool begins_next(const struct nesting *n)
{
    if (n->begin == n->begin_count || n->end == n->end_count)
        return n->end == n->end_count;
    const struct flm_call *begin = begin_at(n, n->begin), *end = end_at(n, n->end);
    int order = compare(begin->time_ns, end_time(end));
    if (order != 0)
        return order < 0;
    const struct flm_open_call *open = innermost(n);
    if (is_whole(end) || !open || !ends_call(end, open->name))
        return has_to_wait(n);
    return begin->name == end->name && n->begins[n->begin] < n->ends[n->end];
}

/* Of the ends at the time of the next one, moves the first that ends the innermost call to the
 * front. */
static void choose_end(struct nesting *n, uint32_t name)
{
    int64_t time = end_time(end_at(n, n->end));
    for (size_t i = n->end; i < n->end_count && i < n->end + MOST_TIES; i++) {
        if (end_time(end_at(n, i)) != time)
            break;
        if (ends_call(end_at(n, i), name)) {
            uint32_t first = n->ends[n->end];
            n->ends[n->end] = n->ends[i];
            n->ends[i] = first;
            break;
        }
    }
}

/* For an end that is not of the innermost call: that call ends with those above it. */
static void end_later(struct nesting *n, const struct flm_call *end)
{
    size_t count = n->stack->open.count, lowest = count > MOST_LEVELS ? count - MOST_LEVELS : 0;
    for (size_t i = count; i-- > lowest;) {
        struct flm_open_call *open = &n->stack->open.at[i];
        if (!open->is_ending && ends_call(end, open->name)) {
            open->is_ending = true;
            n->lost->crossing++;
            return;
        }
    }
    n->lost->unmatched++;
}

static void take_end(struct nesting *n)
{
    struct flm_open_call *open = innermost(n);
    if (open)
        choose_end(n, open->name);
    const struct flm_call *end = end_at(n, n->end++);
    if (!open || !ends_call(end, open->name)) {
        end_later(n, end);
        return;
    }
    struct flm_event_time at = {end_time(end), 0};
    do
        flm_event_stack_close(n->stack, at);
    while ((open = innermost(n)) && open->is_ending);
}

bool flm_calls_nest(struct flm_calls *calls, struct flm_event_stack *stack,
                    void (*opened)(void *context, uint32_t mark, struct flm_node node),
                    void *context, struct flm_calls_lost *lost)
{
    assert(stack->unit_ns > 0);
    if (calls->count == 0)
        return true;
    bool good = calls->count < UINT32_MAX;
    uint32_t *order = good ? malloc(3 * calls->count * sizeof *order) : NULL;
    if (!order) {
        flm_builder_fail_memory(stack->builder);
        return false;
    }
    struct nesting n = {.calls = calls->at, .stack = stack, .lost = lost};
    n.begins = order;
    n.ends = order + calls->count;
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->at[i].duration_ns != FLM_CALL_END)
            n.begins[n.begin_count++] = (uint32_t)i;
        if (calls->at[i].duration_ns != FLM_CALL_BEGIN)
            n.ends[n.end_count++] = (uint32_t)i;
    }
    uint32_t *scratch = order + 2 * calls->count;
    flm_sort(n.begins, n.begin_count, scratch, compare_begins, calls->at);
    flm_sort(n.ends, n.end_count, scratch, compare_ends, calls->at);
    while ((n.begin < n.begin_count || n.end < n.end_count) &&
           !flm_builder_failed(stack->builder)) {
        if (!begins_next(&n)) {
            take_end(&n);
            continue;
        }
        const struct flm_call *call = begin_at(&n, n.begin++);
        struct flm_event_time at = {call->time_ns, 0};
        if (stack->place && call->mark != FLM_NONE) {
            push(stack, stack->place(context, call->mark, top_node(stack)), call->name, at);
            continue;
        }
        struct flm_node node =
            flm_event_stack_open(stack, (struct flm_frame){call->frame}, call->name, at);
        if (opened && call->mark != FLM_NONE)
            opened(context, call->mark, node);
    }
    lost->open += flm_event_stack_end(stack);
    free(order);
    FLM_ARRAY_CLEAR(calls);
    return !flm_builder_failed(stack->builder);
}

void flm_calls_count_lost(const struct flm_calls_lost *lost, struct flm_builder *builder)
{
    const struct {
        const char *what;
        uint64_t count;
    } losses[] = {{"ends of calls that are not open", lost->unmatched},
                  {"calls that outlast their caller, which ends with them", lost->crossing},
                  {"calls without an end, which last until the last event", lost->open}};
    for (int i = 0; i < 3; i++)
        if (losses[i].count > 0)
            flm_builder_lost(builder, losses[i].what, "", 0, (double)losses[i].count);
}
