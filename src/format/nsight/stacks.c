#include "base/core/sort.h"
#include "format/nsight/internal.h"
#include "profile/internal.h"

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* A row: the frame `depth` levels above the leaf. */
struct row {
    int64_t id, depth;
    uint32_t frame;
    bool is_unwound;
};

struct rows FLM_ARRAY(struct row);

/* A stack's frames one after the other, the root first. */
static int compare(const void *context, uint32_t a, uint32_t b)
{
    const struct row *rows = context, *x = &rows[a], *y = &rows[b];
    int order = (x->id > y->id) - (x->id < y->id);
    return order ? order : (y->depth > x->depth) - (y->depth < x->depth);
}

/* "0x7fd9a16fe558" is what the exporter writes for an address without a symbol. */
static uint32_t make_frame(struct flm_nsight *n, const struct flm_sqlite_value *value)
{
    struct flm_bytes symbol = flm_nsight_string(n, &value[1]);
    struct flm_bytes module = flm_nsight_string(n, &value[2]);
    bool is_unresolved = value[3].integer != 0, is_kernel = value[4].integer != 0;
    struct flm_builder *b = n->builder;
    struct flm_frame_record frame = {
        .function = symbol.size > 0 ? flm_builder_string(b, symbol.at, symbol.size).index
                                    : flm_builder_string(b, "[unknown]", 9).index,
        .module = module.size > 0 ? flm_builder_string(b, module.at, module.size).index : 0,
        .kind = is_kernel ? FLM_KIND_KERNEL : FLM_KIND_NATIVE,
        .address = is_unresolved ? (uint64_t)value[5].integer : 0,
        .flags = is_unresolved ? FLM_FRAME_UNSYMBOLIZED : 0,
    };
    return flm_builder_frame(b, &frame).index;
}

static void read_rows(struct flm_nsight *n, const char *table, struct rows *out)
{
    static const char *const wanted[] = {"id",         "symbol",       "module",
                                         "unresolved", "kernelMode",   "originalIP",
                                         "stackDepth", "unwindMethod", NULL};
    struct flm_sqlite_rows rows;
    flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, table), wanted);
    while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder)) {
        struct row row = {rows.value[0].integer, rows.value[6].integer, make_frame(n, rows.value),
                          rows.value[7].integer != 0};
        if (!FLM_ARRAY_ADD(out, row))
            flm_builder_fail_memory(n->builder);
    }
    flm_sqlite_end(&rows);
}

static void add_stack(struct flm_nsight *n, const struct rows *rows, const uint32_t *order,
                      size_t count, struct flm_nsight_stacks *stacks)
{
    const struct row *first = &rows->at[order[0]];
    struct flm_nsight_stack stack = {.id = first->id,
                                     .start = (uint32_t)n->gpu.frames.count,
                                     .size = (uint32_t)count,
                                     .is_leaf_alone = count == 1 && !first->is_unwound};
    bool good = FLM_ARRAY_RESERVE(&n->gpu.frames, count) && FLM_ARRAY_ADD(stacks, stack);
    if (!good) {
        flm_builder_fail_memory(n->builder);
        return;
    }
    for (size_t i = 0; i < count; i++)
        n->gpu.frames.at[n->gpu.frames.count++] = rows->at[order[i]].frame;
}

void flm_nsight_read_stacks(struct flm_nsight *n, const char *table,
                            struct flm_nsight_stacks *stacks)
{
    struct rows rows = {0};
    read_rows(n, table, &rows);
    bool fits = rows.count < UINT32_MAX - n->gpu.frames.count;
    uint32_t *order = fits && rows.count > 0 ? malloc(2 * rows.count * sizeof *order) : NULL;
    if (!order && rows.count > 0)
        flm_builder_fail_memory(n->builder);
    for (uint32_t i = 0; order && i < rows.count; i++)
        order[i] = i;
    if (order)
        flm_sort(order, rows.count, order + rows.count, compare, rows.at);
    for (size_t i = 0, end; order && i < rows.count && !flm_builder_failed(n->builder); i = end) {
        for (end = i + 1; end < rows.count && rows.at[order[end]].id == rows.at[order[i]].id;)
            end++;
        add_stack(n, &rows, order + i, end - i, stacks);
    }
    free(order);
    FLM_ARRAY_CLEAR(&rows);
}

const struct flm_nsight_stack *flm_nsight_find_stack(const struct flm_nsight_stacks *stacks,
                                                     int64_t id)
{
    size_t low = 0, high = stacks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stacks->at[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stacks->count && stacks->at[low].id == id ? &stacks->at[low] : NULL;
}

/* ---- Samples --------------------------------------------------------------------------------- */

struct sampling {
    struct flm_metric samples, cycles;
    bool has_cycles;
    uint64_t leaf_alone, without_stack;
};

static void add_sample(struct flm_nsight *n, struct sampling *s, const struct flm_sqlite_value *row,
                       const struct flm_nsight_stack *stack)
{
    struct flm_builder *b = n->builder;
    uint32_t track = flm_nsight_thread(n, row[2].integer);
    if (track == FLM_NONE)
        return;
    struct flm_node node = n->gpu.tracks.at[track].root;
    for (uint32_t i = 0; stack && i < stack->size; i++)
        node = flm_builder_child(b, node, (struct flm_frame){n->gpu.frames.at[stack->start + i]});
    double cycles = (double)row[3].integer;
    if (n->options->keep_times) {
        flm_builder_sample(b, row[1].integer, node, n->gpu.tracks.at[track].labels, s->samples, 1);
        if (s->has_cycles)
            flm_builder_sample_add(b, s->cycles, cycles);
    } else {
        flm_builder_add(b, node, s->samples, 1);
        if (s->has_cycles)
            flm_builder_add(b, node, s->cycles, cycles);
    }
    s->leaf_alone += stack && stack->is_leaf_alone;
    s->without_stack += !stack;
}

/* Exports of today have 1 in the column of cycles, whatever the event was: it says no more than the
 * number of samples. Older ones have the cycles that passed. */
static void begin(struct flm_nsight *n, struct sampling *s, const struct flm_sqlite_value *first)
{
    s->samples = flm_builder_metric(n->builder, "samples", "count");
    s->has_cycles = first[3].integer > 1;
    if (s->has_cycles)
        s->cycles = flm_builder_metric(n->builder, "cycles", "count");
}

void flm_nsight_read_samples(struct flm_nsight *n)
{
    static const char *const wanted[] = {"id", "start", "globalTid", "cpuCycles", NULL};
    struct flm_nsight_stacks stacks = {0};
    struct sampling s = {0};
    const struct flm_sqlite_table *table = flm_sqlite_table(&n->db, "COMPOSITE_EVENTS");
    struct flm_sqlite_rows rows;
    flm_nsight_read_stacks(n, "SAMPLING_CALLCHAINS", &stacks);
    flm_sqlite_begin(&rows, &n->db, table, wanted);
    for (bool is_first = true; flm_sqlite_next(&rows) && !flm_builder_failed(n->builder);
         is_first = false) {
        if (is_first)
            begin(n, &s, rows.value);
        add_sample(n, &s, rows.value, flm_nsight_find_stack(&stacks, rows.value[0].integer));
    }
    flm_sqlite_end(&rows);
    if (s.leaf_alone > 0)
        flm_builder_lost(n->builder, "callers of CPU samples that were taken without a backtrace",
                         "", 0, (double)s.leaf_alone);
    if (s.without_stack > 0)
        flm_builder_lost(n->builder, "stacks of CPU samples", "", 0, (double)s.without_stack);
    FLM_ARRAY_CLEAR(&stacks);
}
