/* callgrind_part.c - a part of a callgrind file becomes stacks.
 *
 * A file has a part for each thread, or for each dump of counters. Each has a call graph, of which
 * call_graph.h makes stacks; here are the metrics, labels and frames that these stacks get. */
#include "base/core/sort.h"
#include "format/valgrind/internal.h"
#include "profile/internal.h"

static void add_values(const struct flm_call_stacks *stacks, struct flm_node node,
                       const double *costs, double calls)
{
    struct flm_callgrind *r = stacks->context;
    struct flm_builder *b = r->builder;
    bool has_sample = false;
    for (size_t i = 0; i < r->events.count + r->formulas.count + 1; i++) {
        double value = 0;
        struct flm_metric metric = r->calls;
        if (i < r->events.count) {
            value = costs[i] * r->events.at[i].factor;
            metric = r->events.at[i].metric;
        } else if (i < r->events.count + r->formulas.count) {
            const struct flm_callgrind_formula *formula = &r->formulas.at[i - r->events.count];
            for (size_t t = formula->first; t < formula->end; t++)
                value += r->terms.at[t].factor * costs[r->terms.at[t].event];
            metric = formula->metric;
        } else {
            value = calls;
        }
        if (value == 0)
            continue;
        if (r->labels.index == 0)
            flm_builder_add(b, node, metric, value);
        else if (has_sample)
            flm_builder_sample_add(b, metric, value);
        else
            flm_builder_sample(b, FLM_NO_TIME, node, r->labels, metric, value);
        has_sample = true;
    }
}

static void choose_labels(struct flm_callgrind *r, bool is_several)
{
    struct flm_builder *b = r->builder;
    const struct {
        const char *key;
        uint32_t value;
    } all[] = {{"process", r->process}, {"thread", r->thread}, {"part", is_several ? r->part : 0}};
    struct flm_string labels[6];
    size_t count = 0;
    r->labels.index = 0;
    if (!r->options->keep_times || (!r->thread && !is_several))
        return;
    for (size_t i = 0; i < 3; i++) {
        if (!all[i].value)
            continue;
        labels[2 * count] = flm_builder_string(b, all[i].key, strlen(all[i].key));
        labels[2 * count + 1].index = all[i].value;
        count++;
    }
    r->labels = flm_builder_label_set(b, labels, count);
}

static struct flm_node thread_node(struct flm_callgrind *r)
{
    struct flm_builder *b = r->builder;
    struct flm_node root = flm_builder_root(b);
    if (!r->options->by_thread || !r->thread)
        return root;
    struct flm_text name = {0};
    flm_text_puts(&name, "thread ");
    flm_text_add(&name, flm_interner_text(&b->interner, r->thread));
    struct flm_frame_record frame = {.kind = FLM_KIND_LABEL,
                                     .function = flm_builder_string(b, name.at, name.size).index};
    if (name.failed)
        flm_builder_fail_memory(b);
    flm_text_clear(&name);
    return flm_builder_child(b, root, flm_builder_frame(b, &frame));
}

/* valgrind ends each part with its totals. */
static void check_end(struct flm_callgrind *r)
{
    if (r->is_callgrind && !r->has_totals) {
        bool is_less = r->has_summary && r->summary > r->sum;
        flm_builder_lost(r->builder,
                         is_less ? "costs that are in the summary of a file that is cut off"
                                 : "end of the file",
                         "line", r->lines.number, is_less ? (double)(r->summary - r->sum) : 1);
    }
    /* A file of cachegrind, which does not name its creator, ends with a summary. */
    if (r->has_command && !r->has_others && !r->has_summary)
        flm_builder_lost(r->builder, "costs of a file that was cut off", "line", r->lines.number,
                         1);
    r->has_totals = r->has_summary = false;
    r->sum = 0;
}

static int order_functions(const void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return (a > b) - (a < b);
}

static bool use_function(struct flm_callgrind *r, uint32_t function)
{
    if (r->local.at[function] != UINT32_MAX)
        return true;
    r->local.at[function] = 0;
    return FLM_ARRAY_ADD(&r->used, function);
}

/* Numbers the functions of this part anew, in order. Making stacks takes time for each function,
 * and a part of a file with many parts has only a few of the file's functions. */
static bool number_functions(struct flm_callgrind *r)
{
    struct flm_call_graph *g = &r->graph;
    while (r->local.count < r->functions.count)
        if (!FLM_ARRAY_ADD(&r->local, UINT32_MAX))
            return false;
    r->used.count = r->used_frames.count = 0;
    bool good = true;
    for (size_t i = 0; good && i < g->items.count; i++)
        good = use_function(r, g->items.at[i].function);
    for (size_t i = 0; good && i < g->edges.count; i++)
        good = use_function(r, g->edges.at[i].from) && use_function(r, g->edges.at[i].to);
    size_t count = r->used.count;
    if (!good || !FLM_ARRAY_RESERVE(&r->used, count))
        return false;
    if (count == r->functions.count) /* all of them, as in most files: they keep their numbers */
        return true;
    flm_sort(r->used.at, count, r->used.at + count, order_functions, NULL);
    for (size_t i = 0; i < count; i++)
        r->local.at[r->used.at[i]] = (uint32_t)i;
    for (size_t i = 0; i < g->items.count; i++)
        g->items.at[i].function = r->local.at[g->items.at[i].function];
    for (size_t i = 0; i < g->edges.count; i++) {
        g->edges.at[i].from = r->local.at[g->edges.at[i].from];
        g->edges.at[i].to = r->local.at[g->edges.at[i].to];
    }
    for (size_t i = 0; i < count && good; i++)
        good = FLM_ARRAY_ADD(&r->used_frames, r->frames.at[r->used.at[i]]);
    return good;
}

/* The next part begins without functions. */
static void forget_functions(struct flm_callgrind *r)
{
    for (size_t i = 0; i < r->used.count; i++)
        r->local.at[r->used.at[i]] = UINT32_MAX;
    flm_callgrind_lines_restart(&r->own, r->used.at, r->used.count);
    flm_call_graph_clear(&r->graph);
}

bool flm_callgrind_finish_part(struct flm_callgrind *r, bool is_several)
{
    if (!flm_callgrind_end_function(r))
        return false;
    check_end(r);
    r->function = r->callee = UINT32_MAX;
    r->is_call = r->is_jump = r->has_called_file = r->has_called_object = false;
    if (r->graph.items.count + r->graph.edges.count == 0)
        return true;
    choose_labels(r, is_several);
    if (!number_functions(r))
        return flm_error_memory(r->why);
    bool has_all = r->used.count == r->functions.count;
    struct flm_call_stacks stacks = {.builder = r->builder,
                                     .frames = has_all ? r->frames.at : r->used_frames.at,
                                     .function_count = (uint32_t)r->used.count,
                                     .base = thread_node(r),
                                     .lines = r->options->lines,
                                     .most_lines = r->own.most_lines,
                                     .context = r,
                                     .add = add_values};
    bool good = flm_call_graph_stacks(&r->graph, &stacks) || flm_builder_failed(r->builder);
    if (r->own.lost + stacks.lost_lines > 0)
        flm_builder_lost(r->builder, "lines of functions that cost little: there are too many",
                         "line", r->lines.number, r->own.lost + stacks.lost_lines);
    forget_functions(r);
    return good || flm_error_memory(r->why);
}
