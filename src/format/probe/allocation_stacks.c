/* allocation_stacks.c - reads the stacks of allocations. */
#include "format/probe/allocation_stacks.h"

#include <string.h>

enum { ALLOCATED, ALLOCATIONS, LIVE, METRICS };

struct reading {
    const struct flm_probe_decoded *d;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    const struct flm_node *roots;
    const struct flm_label_set *labels;
    struct flm_metric metric[METRICS];
    const struct flm_probe_mappings *mappings;
};

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* The frame of a call below `node`, by the address to which it returns. The probe has none.
 */
static struct flm_node add_call(const struct reading *r, struct flm_node node, uint64_t address)
{
    uint64_t call = address - (address > 0);
    if (flm_probe_is_own_code(r->d, call))
        return node;
    return flm_builder_child(r->builder, node, flm_probe_mapped_frame(r->mappings, call));
}

/* Threads are in the order of their list; one that is new is not in it. */
static size_t thread_of(const struct reading *r, uint32_t wanted)
{
    uint32_t place = r->d->header.first_thread;
    for (size_t i = 0; i < r->d->threads.count; i++) {
        if (place == wanted)
            return i;
        place = r->d->threads.at[i].next;
    }
    return SIZE_MAX;
}

static double positive(uint64_t value)
{
    return value <= INT64_MAX ? (double)value : 0;
}

static void add_stack(struct reading *r, const struct flm_probe_stack *stack, size_t thread)
{
    struct flm_builder *b = r->builder;
    const double value[METRICS] = {
        [ALLOCATED] = positive(stack->bytes),
        [ALLOCATIONS] = positive(stack->allocations) / FLM_PROBE_ALLOCATION_ONE,
        [LIVE] = positive(stack->live_bytes),
    };
    struct flm_node node = r->roots[thread];
    uint32_t count = stack->count < FLM_PROBE_MOST_STACK ? stack->count : FLM_PROBE_MOST_STACK;
    for (uint32_t i = count; i-- > 0;)
        node = add_call(r, node, stack->frame[i]);
    if (r->options->keep_times)
        flm_builder_sample(b, FLM_NO_TIME, node, r->labels[thread], r->metric[0], value[0]);
    else
        flm_builder_add(b, node, r->metric[0], value[0]);
    for (uint32_t i = 1; i < METRICS; i++) {
        if (r->options->keep_times)
            flm_builder_sample_add(b, r->metric[i], value[i]);
        else
            flm_builder_add(b, node, r->metric[i], value[i]);
    }
}

/* That they are in the file was seen when it was decoded. */
static void read_stacks(struct reading *r)
{
    for (uint32_t place = r->d->header.first_stack; place > 0;) {
        struct flm_probe_stack stack;
        memcpy(&stack, r->d->all.at + (size_t)place * FLM_PROBE_UNIT, sizeof stack);
        size_t thread = thread_of(r, stack.thread);
        if (thread < SIZE_MAX)
            add_stack(r, &stack, thread);
        else
            flm_builder_lost(r->builder, "stacks of allocations in threads that are not known", "",
                             0, 1);
        if (stack.count >= FLM_PROBE_MOST_STACK)
            flm_builder_lost(r->builder, "truncated stacks of allocations", "", 0, 1);
        place = stack.next;
    }
}

static void make_metrics(struct reading *r)
{
    static const char *const names[2][METRICS] = {
        {"allocated (sampled)", "allocations (sampled)", "live (sampled)"},
        {"allocated by stack", "allocations by stack", "live by stack"}};
    static const char *const units[METRICS] = {"bytes", "count", "bytes"};
    bool all = r->d->header.activity[FLM_PROBE_MEMORY].rate == 1;
    for (uint32_t i = 0; i < METRICS; i++)
        r->metric[i] = flm_builder_metric(r->builder, names[all][i], units[i]);
}

void flm_probe_stacks_read(const struct flm_probe_decoded *decoded, struct flm_builder *builder,
                           const struct flm_read_options *options, const struct flm_node *roots,
                           const struct flm_label_set *labels,
                           const struct flm_probe_mappings *mappings)
{
    struct reading r = {.d = decoded,
                        .builder = builder,
                        .options = options,
                        .roots = roots,
                        .labels = labels,
                        .mappings = mappings};
    if (decoded->header.first_stack == 0)
        return;
    make_metrics(&r);
    read_stacks(&r);
}
