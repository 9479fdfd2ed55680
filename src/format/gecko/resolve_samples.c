/* resolve_samples.c - the samples and allocations of a thread.
 *
 * A sample has up to three values: its weight, the time until the next sample, and CPU time. The
 * values of allocations are bytes, in metrics of their own. */
#include <stdlib.h>

#include "format/core/units.h"
#include "format/gecko/internal.h"

enum { WEIGHT, TIME, CPU, VALUE_COUNT };

struct sample {
    double time, values[VALUE_COUNT];
    int32_t stack;
};

static struct flm_metric metric(struct flm_gecko_resolving *r, struct flm_bytes name,
                                struct flm_bytes unit)
{
    char texts[2][80];
    struct flm_bytes parts[2] = {name, flm_unit_named(unit)};
    for (int i = 0; i < 2; i++) {
        size_t size = parts[i].size < sizeof texts[i] ? parts[i].size : sizeof texts[i] - 1;
        memcpy(texts[i], parts[i].at, size);
        texts[i][size] = 0;
    }
    return flm_builder_metric(r->builder, texts[0], texts[1]);
}

/* The metric of the weights has the name of their type, as in the Firefox Profiler. */
static struct flm_metric weight_metric(struct flm_gecko_resolving *r)
{
    struct flm_bytes type = flm_gecko_text(r, r->thread->weight_type);
    if (r->thread->metric)
        return metric(r, flm_gecko_text(r, r->thread->metric), flm_gecko_text(r, r->thread->unit));
    if (flm_bytes_are(type, "tracing-ms"))
        return metric(r, type, flm_bytes_of("ms"));
    if (flm_bytes_are(type, "bytes"))
        return metric(r, type, type);
    return metric(r, flm_bytes_of("samples"), flm_bytes_of("samples"));
}

static struct flm_bytes cpu_unit(const struct flm_gecko_resolving *r)
{
    struct flm_bytes unit = flm_gecko_text(r, r->process->cpu_unit);
    if (flm_bytes_are(unit, "variable CPU cycles"))
        return flm_bytes_of("cycles");
    return unit.size > 0 ? unit : flm_bytes_of("us");
}

/* Sums over the samples of one stack: each is `sum`, rounded, plus `rest`, its rounding error. */
struct stack_sum {
    double sum[VALUE_COUNT], rest[VALUE_COUNT];
    bool is_used;
};

static void add_exactly(double *sum, double *rest, double value)
{
    double total = *sum + value;
    bool is_larger = (*sum < 0 ? -*sum : *sum) >= (value < 0 ? -value : value);
    *rest += is_larger ? *sum - total + value : value - total + *sum;
    *sum = total;
}

static void add_values(struct flm_gecko_resolving *r, struct flm_node node, const double *values)
{
    for (int i = 0; i < VALUE_COUNT; i++)
        if (r->has[i] && (i == WEIGHT || values[i] != 0))
            flm_builder_add(r->builder, node, r->metrics[i], values[i]);
}

static void keep_sample(struct flm_gecko_resolving *r, struct flm_node node,
                        const struct sample *sample, struct flm_sample_batch *batch)
{
    bool has_time = !r->thread->has_no_times;
    double ns = has_time ? sample->values[TIME] * 1e6 : 0;
    uint32_t at = batch->count++;
    batch->time_ns[at] = has_time ? flm_gecko_time_ns(r, sample->time) : FLM_NO_TIME;
    batch->duration_ns[at] = ns > 0 && ns < 4611686018427387904.0 ? (int64_t)(ns + 0.5) : 0;
    batch->node[at] = node.index;
    batch->label_set[at] =
        flm_gecko_labels_of(r, flm_gecko_category_of(r->stacks, sample->stack)).index;
    uint32_t m = 0;
    for (int i = 0; i < VALUE_COUNT; i++)
        if (r->has[i])
            batch->values[m++][at] = sample->values[i];
    if (batch->count == FLM_SAMPLE_BATCH)
        flm_builder_add_samples(r->builder, batch);
}

/* Where samples go: to the sums of their stacks, if these are not NULL, or to a batch. */
struct sample_sink {
    struct stack_sum *sums;
    struct flm_sample_batch batch;
};

static bool add_sample(struct flm_gecko_resolving *r, struct flm_node thread,
                       const struct sample *sample, struct sample_sink *sink)
{
    struct flm_node node;
    if (sink->sums) {
        struct stack_sum *s = &sink->sums[sample->stack];
        for (int i = 0; i < VALUE_COUNT; i++)
            add_exactly(&s->sum[i], &s->rest[i], sample->values[i]);
        s->is_used = true;
        return true;
    }
    if (r->stacks->rounds[sample->stack] == r->stacks->round)
        node.index = r->stacks->nodes[sample->stack];
    else if (!flm_gecko_node_of(r, thread, sample->stack, &node))
        return false;
    if (r->options->keep_times)
        keep_sample(r, node, sample, &sink->batch);
    else
        add_values(r, node, sample->values);
    return true;
}

static bool add_sums(struct flm_gecko_resolving *r, struct flm_node thread,
                     const struct stack_sum *sums)
{
    for (size_t i = 0; i < r->stacks->stack_count; i++) {
        struct flm_node node;
        if (!sums[i].is_used)
            continue;
        if (!flm_gecko_node_of(r, thread, (int32_t)i, &node))
            return false;
        add_values(r, node, sums[i].sum);
        for (int k = 0; k < VALUE_COUNT; k++)
            if (r->has[k] && sums[i].rest[k] != 0)
                flm_builder_add(r->builder, node, r->metrics[k], sums[i].rest[k]);
    }
    return true;
}

/* The weight of a sample. flamel writes nanoseconds as milliseconds, and the factor in addition:
 * here they become whole numbers of nanoseconds again. */
static double weight_at(const struct flm_gecko_resolving *r, size_t i)
{
    double weight =
        flm_gecko_value(flm_gecko_column_of(&r->thread->tables, FLM_GECKO_SAMPLE_WEIGHT), i);
    if (weight != weight)
        return 1;
    if (!(r->thread->scale > 1 && r->thread->scale <= 1e6))
        return weight;
    weight *= r->thread->scale;
    if (!(weight > -4503599627370496.0 && weight < 4503599627370496.0))
        return weight;
    double whole = (double)(int64_t)(weight < 0 ? weight - 0.5 : weight + 0.5);
    double error = weight < whole ? whole - weight : weight - whole;
    return error <= 0x1p-50 * (weight < 0 ? -weight : weight) ? whole : weight;
}

/* Milliseconds that are whole nanoseconds, as those; NaN if they are not. The time between two such
 * is whole, too, but not as the difference of doubles: 775.99978 - 775.000246 is 0.9995340000000397
 * there. Times that the file has as differences are taken as they are. */
static double whole_nanoseconds(double ms)
{
    double ns = ms * 1e6;
    if (!(ns >= 0 && ns < 9007199254740992.0))
        return __builtin_nan("");
    ns = (double)(int64_t)(ns + 0.5);
    return ns / 1e6 == ms ? ns : __builtin_nan("");
}

static bool read_samples(struct flm_gecko_resolving *r, struct flm_node thread, size_t count,
                         struct flm_gecko_clock clock, struct stack_sum *sums)
{
    struct sample_sink sink = {.sums = sums};
    for (int i = 0; i < VALUE_COUNT; i++)
        if (r->has[i])
            sink.batch.metrics[sink.batch.metric_count++] = r->metrics[i];
    const struct flm_gecko_tables *t = &r->thread->tables;
    const struct flm_gecko_column *stacks = flm_gecko_column_of(t, FLM_GECKO_SAMPLE_STACK),
                                  *cpus = flm_gecko_column_of(t, FLM_GECKO_SAMPLE_CPU);
    bool has_deltas = clock.times->count == 0;
    double next = flm_gecko_clock_time(&clock, 0), next_ns = whole_nanoseconds(next);
    for (size_t i = 0; i < count && !flm_builder_failed(r->builder); i++) {
        double time = next, time_ns = next_ns, cpu = flm_gecko_value(cpus, i);
        next = i + 1 < count ? flm_gecko_clock_time(&clock, i + 1) : time + r->process->interval;
        next_ns = whole_nanoseconds(next);
        double lasts = next - time;
        if (has_deltas && i + 1 < count)
            lasts = flm_gecko_value(clock.deltas, i + 1);
        else if (next_ns - time_ns == next_ns - time_ns)
            lasts = (next_ns - time_ns) / 1e6;
        struct sample sample = {
            .time = time,
            .values = {weight_at(r, i), next > time ? lasts : 0, cpu == cpu ? cpu : 0},
            .stack = flm_gecko_index(stacks, i)};
        if (sample.stack < 0 || (size_t)sample.stack >= r->stacks->stack_count) {
            double stack = flm_gecko_value(stacks, i);
            if (stack == stack)
                return flm_gecko_refuse(r, "sample", i,
                                        "has a stack that is not in the table of stacks");
            /* One of weight 0 is where the sample before it ended. */
            r->without_stack += sample.values[WEIGHT] != 0 || sample.values[CPU] != 0;
        } else if (!add_sample(r, thread, &sample, &sink)) {
            return false;
        }
    }
    flm_builder_add_samples(r->builder, &sink.batch);
    return true;
}

/* Where many samples share few stacks, they are summed by stack first: each addition to a profile
 * writes to a column per metric, all far apart in memory, and took half of the time. */
bool flm_gecko_add_samples(struct flm_gecko_resolving *r, struct flm_node thread)
{
    const struct flm_gecko_tables *t = &r->thread->tables;
    const struct flm_gecko_clock clock = {.times = flm_gecko_column_of(t, FLM_GECKO_SAMPLE_TIME),
                                          .deltas =
                                              flm_gecko_column_of(t, FLM_GECKO_SAMPLE_TIME_DELTA)};
    size_t count = flm_gecko_larger(flm_gecko_column_of(t, FLM_GECKO_SAMPLE_STACK)->count,
                                    flm_gecko_larger(clock.times->count, clock.deltas->count));
    double promised = r->thread->promised_samples - (double)count;
    if (promised > 0 && promised < 9007199254740992.0)
        flm_builder_lost(r->builder,
                         "samples that a table has by its length, but not in its columns", "", 0,
                         promised);
    if (count == 0)
        return true;
    r->has[WEIGHT] = true;
    r->metrics[WEIGHT] = weight_metric(r);
    struct flm_bytes name = flm_gecko_text(r, r->thread->metric);
    r->has[TIME] = (clock.times->count > 0 || clock.deltas->count > 0) &&
                   !r->thread->has_no_times && !flm_bytes_are(name, "time");
    if (r->has[TIME])
        r->metrics[TIME] = metric(r, flm_bytes_of("time"), flm_bytes_of("ms"));
    r->has[CPU] =
        flm_gecko_column_of(t, FLM_GECKO_SAMPLE_CPU)->count > 0 && !flm_bytes_are(name, "cpu");
    if (r->has[CPU])
        r->metrics[CPU] = metric(r, flm_bytes_of("cpu"), cpu_unit(r));
    if (r->options->keep_times || count < r->stacks->stack_count)
        return read_samples(r, thread, count, clock, NULL);
    struct stack_sum *sums = calloc(r->stacks->stack_count + 1, sizeof *sums);
    if (!sums)
        return flm_gecko_no_memory(r);
    bool good = read_samples(r, thread, count, clock, sums) && add_sums(r, thread, sums);
    free(sums);
    return good;
}

/* Allocations: a table of stacks, times and weights. The weight of freed memory is negative. */
bool flm_gecko_add_allocations(struct flm_gecko_resolving *r, struct flm_node thread,
                               enum flm_gecko_column_name first, const char *name,
                               const char *freed)
{
    const struct flm_gecko_column *columns = &r->thread->tables.columns[first];
    struct flm_metric metrics[2];
    for (size_t i = 0; i < columns[0].count && !flm_builder_failed(r->builder); i++) {
        double value = flm_gecko_value(&columns[2], i);
        int32_t stack = flm_gecko_index(&columns[0], i);
        struct flm_node node;
        if (stack < 0 || value != value) {
            r->without_stack++;
            continue;
        }
        if ((size_t)stack >= r->stacks->stack_count)
            return flm_gecko_refuse(r, "allocation", i,
                                    "has a stack that is not in the table of stacks");
        if (!flm_gecko_node_of(r, thread, stack, &node))
            return false;
        bool is_freed = value < 0;
        metrics[is_freed] = metric(r, flm_bytes_of(is_freed ? freed : name), flm_bytes_of("bytes"));
        if (r->options->keep_times)
            flm_builder_sample(r->builder, flm_gecko_time_ns(r, flm_gecko_value(&columns[1], i)),
                               node,
                               flm_gecko_labels_of(r, flm_gecko_category_of(r->stacks, stack)),
                               metrics[is_freed], is_freed ? -value : value);
        else
            flm_builder_add(r->builder, node, metrics[is_freed], is_freed ? -value : value);
    }
    return true;
}
