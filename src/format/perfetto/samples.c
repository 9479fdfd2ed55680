/* samples.c - samples of stacks: of perf, of Chrome, of any profiler; heap profiles. */
#include "format/perfetto/internal.h"

uint32_t flm_perfetto_find_metric(struct flm_perfetto *p, struct flm_bytes name, const char *unit,
                                  bool is_of_events)
{
    uint32_t name_string = flm_perfetto_string(p, name);
    for (size_t i = 0; i < p->metrics.count; i++)
        if (p->metrics.at[i].name == name_string)
            return (uint32_t)i;
    struct flm_perfetto_metric metric = {
        name_string, flm_perfetto_string(p, flm_bytes_of(unit)), is_of_events, {FLM_NONE}};
    if (p->metrics.count == FLM_MOST_METRICS - 8)
        return FLM_NONE;
    if (!flm_perfetto_push(p, &p->metrics, &metric, sizeof metric))
        return FLM_NONE;
    return (uint32_t)p->metrics.count - 1;
}

void flm_perfetto_add_sample(struct flm_perfetto *p, const struct flm_perfetto_sample *sample)
{
    if (sample->metric == FLM_NONE)
        p->losses[FLM_PERFETTO_MANY_METRICS]++;
    else if (!flm_perfetto_stopped(p))
        flm_perfetto_push(p, &p->samples, sample, sizeof *sample);
}

/* ---- Samples of perf ------------------------------------------------------------------------- */

/* Each sample is one of its event: perf's counts are those of a processor, not of a stack. */
uint32_t flm_perfetto_perf_metric(struct flm_perfetto *p, struct flm_bytes timebase)
{
    static const char *const counters[] = {NULL,
                                           "cpu-clock",
                                           "page-faults",
                                           "task-clock",
                                           "context-switches",
                                           "cpu-migrations",
                                           "minor-faults",
                                           "major-faults",
                                           "alignment-faults",
                                           "emulation-faults",
                                           "cycles",
                                           "instructions",
                                           "cache-references",
                                           "cache-misses",
                                           "branches",
                                           "branch-misses",
                                           "bus-cycles",
                                           "stalled-cycles-frontend",
                                           "stalled-cycles-backend",
                                           "ref-cycles",
                                           "dummy"};
    struct flm_perfetto_fields f, tracepoint;
    flm_perfetto_read(p, timebase, &f);
    flm_perfetto_read(p, flm_perfetto_text(&f, 3), &tracepoint);
    uint64_t counter = flm_perfetto_number(&f, 4);
    struct flm_bytes name = flm_perfetto_text(&f, 10);
    if (name.size == 0)
        name = flm_perfetto_text(&tracepoint, 1);
    if (name.size == 0 && counter < sizeof counters / sizeof *counters && counters[counter])
        name = flm_bytes_of(counters[counter]);
    return flm_perfetto_find_metric(p, name.size > 0 ? name : flm_bytes_of("samples"), "samples",
                                    false);
}

static struct flm_perfetto_lane thread_lane(struct flm_perfetto *p, int64_t pid, int64_t tid)
{
    return (struct flm_perfetto_lane){flm_perfetto_find_thread(p, pid, tid), false};
}

/* FLM_NONE: none is given. */
static uint32_t metric_or_samples(struct flm_perfetto *p, uint32_t metric)
{
    return metric != FLM_NONE
               ? metric
               : flm_perfetto_find_metric(p, flm_bytes_of("samples"), "samples", false);
}

void flm_perfetto_read_perf_sample(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    enum { PID = 2, TID = 3, STACK = 4, KERNEL_LOST = 17, SKIPPED = 18, PRODUCER_EVENT = 19 };
    struct flm_perfetto_sequence *s = packet->sequence;
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, packet->data, &f);
    uint64_t lost = flm_perfetto_number(&f, KERNEL_LOST), iid = flm_perfetto_number(&f, STACK);
    bool is_skipped = flm_perfetto_has(&f, SKIPPED);
    p->losses[FLM_PERFETTO_KERNEL_LOST] += lost;
    if (lost > 0 || flm_perfetto_has(&f, PRODUCER_EVENT) || flm_perfetto_stopped(p))
        return;
    if (is_skipped || iid == 0) {
        p->losses[is_skipped ? FLM_PERFETTO_SKIPPED : FLM_PERFETTO_NO_STACK]++;
        return;
    }
    uint32_t stack = flm_perfetto_find_stack(p, s, iid);
    if (stack == FLM_NONE)
        return;
    s->metric = metric_or_samples(p, s->metric);
    flm_perfetto_add_sample(
        p, &(struct flm_perfetto_sample){packet->time_ns, 1, stack, s->metric,
                                         thread_lane(p, (uint32_t)flm_perfetto_number(&f, PID),
                                                     (uint32_t)flm_perfetto_number(&f, TID))});
}

/* ---- Samples of any profiler ----------------------------------------------------------------- */

static uint32_t read_counter(struct flm_perfetto *p, struct flm_bytes message, double *weight)
{
    static const char *const units[] = {"",      "ns",    "cycles", "instructions", "bytes",
                                        "count", "count", "count",  "count",        "count"};
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    struct flm_bytes name = flm_perfetto_text(&f, 2), given = flm_perfetto_text(&f, 4);
    uint64_t unit = flm_perfetto_number(&f, 3), multiplier = flm_perfetto_number(&f, 5);
    char buffer[32];
    bool has_unit = given.size < sizeof buffer && !memchr(given.at, 0, given.size);
    memcpy(buffer, given.at, has_unit ? given.size : 0);
    buffer[has_unit ? given.size : 0] = 0;
    *weight *= multiplier ? (double)multiplier : 1;
    return flm_perfetto_find_metric(
        p, name.size ? name : flm_bytes_of("samples"),
        unit > 0 && unit < sizeof units / sizeof *units ? units[unit] : buffer, false);
}

/* What is in field `inlined`, or in the table of the sequence, by the iid in the next field. */
static bool find_part(const struct flm_perfetto_sequence *s, const struct flm_perfetto_fields *f,
                      unsigned inlined, uint32_t table, struct flm_bytes *part)
{
    const struct flm_perfetto_item *item =
        flm_perfetto_find(s, table, flm_perfetto_number(f, inlined + 1));
    *part = item ? flm_perfetto_bytes_of(s, item) : flm_perfetto_text(f, inlined);
    return item || flm_perfetto_has(f, inlined);
}

void flm_perfetto_read_stack_sample(struct flm_perfetto *p,
                                    const struct flm_perfetto_packet *packet)
{
    enum { TASK = 1, STACK = 5, STACK_IID = 6, COUNTER = 9, WEIGHT = 11 };
    struct flm_perfetto_sequence *s = packet->sequence;
    struct flm_perfetto_fields f, task;
    struct flm_bytes part;
    flm_perfetto_read(p, packet->data, &f);
    uint64_t iid = flm_perfetto_number(&f, STACK_IID);
    double weight = flm_perfetto_has(&f, WEIGHT) ? (double)flm_perfetto_number(&f, WEIGHT) : 1;
    if (iid == 0 && !flm_perfetto_has(&f, STACK)) {
        p->losses[FLM_PERFETTO_NO_STACK]++;
        return;
    }
    uint32_t stack = iid ? flm_perfetto_find_stack(p, s, iid)
                         : flm_perfetto_inline_stack(p, flm_perfetto_text(&f, STACK));
    uint32_t metric = find_part(s, &f, COUNTER, FLM_PERFETTO_COUNTER, &part)
                          ? read_counter(p, part, &weight)
                          : metric_or_samples(p, s->metric);
    find_part(s, &f, TASK, FLM_PERFETTO_TASK, &part);
    flm_perfetto_read(p, part, &task);
    if (stack == FLM_NONE || flm_perfetto_stopped(p))
        return;
    flm_perfetto_add_sample(
        p, &(struct flm_perfetto_sample){packet->time_ns, weight, stack, metric,
                                         thread_lane(p, (uint32_t)flm_perfetto_number(&task, 2),
                                                     (uint32_t)flm_perfetto_number(&task, 3))});
}

/* ---- Samples of Chrome ----------------------------------------------------------------------- */

void flm_perfetto_read_streaming(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    struct flm_perfetto_sequence *s = packet->sequence;
    struct flm_perfetto_list stacks = flm_perfetto_list_of(p, packet->data, 1, false);
    struct flm_perfetto_list times = flm_perfetto_list_of(p, packet->data, 2, false);
    if (!s->has_thread) {
        p->losses[FLM_PERFETTO_TIMELESS]++;
        return;
    }
    struct flm_perfetto_sample sample = {.value = 1,
                                         .metric = metric_or_samples(p, FLM_NONE),
                                         .lane = thread_lane(p, s->pid, s->tid)};
    uint64_t delta, iid;
    while (flm_perfetto_next_number(&times, &delta)) {
        s->reference_ns = (int64_t)((uint64_t)s->reference_ns + delta * 1000);
        sample.stack =
            flm_perfetto_next_number(&stacks, &iid) ? flm_perfetto_find_stack(p, s, iid) : FLM_NONE;
        flm_perfetto_trace_time(p, FLM_PERFETTO_MONOTONIC, 0, (uint64_t)s->reference_ns,
                                &sample.time_ns);
        if (sample.stack != FLM_NONE)
            flm_perfetto_add_sample(p, &sample);
    }
}

/* ---- Heap profiles --------------------------------------------------------------------------- */

static uint32_t find_heap(struct flm_perfetto *p, int64_t pid, struct flm_bytes name)
{
    uint32_t string = flm_perfetto_string(p, name);
    enum { MOST_HEAPS = 10000 };
    for (size_t i = 0; i < p->heaps.count; i++)
        if (p->heaps.at[i].pid == pid && p->heaps.at[i].name == string)
            return (uint32_t)i;
    struct flm_perfetto_heap heap = {pid, FLM_NO_TIME, string,
                                     flm_perfetto_find_thread(p, pid, FLM_NO_TIME)};
    if (p->heaps.count == MOST_HEAPS || !flm_perfetto_push(p, &p->heaps, &heap, sizeof heap))
        return FLM_NONE;
    return (uint32_t)p->heaps.count - 1;
}

/* What was allocated at a stack since recording began. heapprofd forgets a stack of which all is
 * freed; if there are allocations again, it has another iid, and begins at 0. */
static void set_allocation(struct flm_perfetto *p, uint32_t stack,
                           const struct flm_perfetto_heap_sample *sample)
{
    struct flm_perfetto_allocation allocation = {{0}};
    uint32_t index = flm_perfetto_entry(p, &p->allocation_keys, sample->stack,
                                        (uint64_t)sample->heap << 32 | stack, &p->allocations,
                                        &allocation, sizeof allocation);
    bool decreases = false;
    if (index == FLM_NONE)
        return;
    uint64_t *known = p->allocations.at[index].values;
    for (int i = 0; i < 4; i++)
        decreases = decreases || sample->values[i] < known[i];
    if (decreases && !sample->is_maximum)
        p->losses[FLM_PERFETTO_HEAP_DECREASED]++;
    else
        memcpy(known, sample->values, sizeof sample->values);
}

static void read_heap_sample(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint32_t heap,
                             bool has_maximum_count, struct flm_bytes message)
{
    enum { STACK = 1, MAXIMUM = 8, MAXIMUM_COUNT = 9 };
    static const uint8_t sums[] = {2, 3, 5, 6};
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    struct flm_perfetto_heap_sample sample = {.heap = heap,
                                              .stack = flm_perfetto_number(&f, STACK),
                                              .is_maximum = flm_perfetto_has(&f, MAXIMUM)};
    for (int i = 0; i < 4 && !sample.is_maximum; i++)
        sample.values[i] = flm_perfetto_number(&f, sums[i]);
    if (sample.is_maximum) {
        sample.values[0] = flm_perfetto_number(&f, MAXIMUM);
        sample.values[2] = has_maximum_count ? flm_perfetto_number(&f, MAXIMUM_COUNT) : 0;
    }
    flm_perfetto_push(p, &s->heap_samples, &sample, sizeof sample);
}

static void read_heap_dump(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                           struct flm_bytes message)
{
    enum { PID = 1, SAMPLES = 2, TIME = 9, NAME = 11, ORIGINAL_INTERVAL = 13 };
    static const uint8_t problems[] = {4, 6, 7, 8, 10, 14};
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    bool is_incomplete = false;
    for (size_t i = 0; i < sizeof problems; i++)
        is_incomplete = is_incomplete || flm_perfetto_number(&f, problems[i]) != 0;
    p->losses[FLM_PERFETTO_HEAP_INCOMPLETE] += is_incomplete;
    /* Versions of heapprofd before it wrote this have wrong counts at the maximum. */
    bool has_maximum_count = flm_perfetto_number(&f, ORIGINAL_INTERVAL) > 0;
    uint32_t heap =
        find_heap(p, (uint32_t)flm_perfetto_number(&f, PID), flm_perfetto_text(&f, NAME));
    if (heap == FLM_NONE)
        p->losses[FLM_PERFETTO_MANY_HEAPS]++;
    if (heap == FLM_NONE || flm_perfetto_stopped(p))
        return;
    if (flm_perfetto_has(&f, TIME))
        flm_perfetto_trace_time(p, FLM_PERFETTO_MONOTONIC_COARSE, 0, flm_perfetto_number(&f, TIME),
                                &p->heaps.at[heap].time_ns);
    struct flm_wire m = flm_perfetto_message(p, message);
    struct flm_bytes sample;
    while (flm_perfetto_next(p, &m, SAMPLES, &sample))
        read_heap_sample(p, s, heap, has_maximum_count, sample);
}

/* The sums of each heap that a dump has, as points of counters. */
static void add_sums(struct flm_perfetto *p, const struct flm_perfetto_sequence *s)
{
    struct flm_bytes name = flm_bytes_of("unreleased size");
    for (size_t i = 0; i < s->heap_samples.count && p->options->keep_times;) {
        uint32_t heap = s->heap_samples.at[i].heap;
        double sum = 0;
        for (; i < s->heap_samples.count && s->heap_samples.at[i].heap == heap; i++)
            sum +=
                (double)s->heap_samples.at[i].values[0] - (double)s->heap_samples.at[i].values[1];
        struct flm_perfetto_point point = {p->heaps.at[heap].time_ns,
                                           sum,
                                           flm_perfetto_string(p, name),
                                           {p->heaps.at[heap].thread, false}};
        if (point.time_ns != FLM_NO_TIME && !flm_perfetto_stopped(p))
            flm_perfetto_add_point(p, &point);
    }
}

static void end_dump(struct flm_perfetto *p, struct flm_perfetto_sequence *s)
{
    add_sums(p, s);
    for (size_t i = 0; i < s->heap_samples.count && !flm_perfetto_stopped(p); i++) {
        uint32_t stack = flm_perfetto_find_stack(p, s, s->heap_samples.at[i].stack);
        if (stack != FLM_NONE)
            set_allocation(p, stack, &s->heap_samples.at[i]);
    }
    s->heap_samples.count = 0;
    if (s->has_heap_tables)
        flm_perfetto_clear_tables(s);
    s->has_heap_tables = false;
}

void flm_perfetto_read_heap(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    enum { DUMPS = 5, CONTINUED = 6, INDEX = 7 };
    static const uint8_t tables[] = {0, FLM_PERFETTO_STRING, FLM_PERFETTO_FRAME,
                                     FLM_PERFETTO_CALLSTACK, FLM_PERFETTO_MAPPING};
    struct flm_perfetto_sequence *s = packet->sequence;
    struct flm_perfetto_fields f;
    struct flm_bytes message;
    flm_perfetto_read(p, packet->data, &f);
    uint64_t index = flm_perfetto_number(&f, INDEX);
    for (uint32_t field = 1; field <= DUMPS; field++) {
        struct flm_wire m = flm_perfetto_message(p, packet->data);
        while (flm_perfetto_has(&f, field) && flm_perfetto_next(p, &m, field, &message)) {
            if (field == DUMPS) {
                read_heap_dump(p, s, message);
            } else {
                s->has_heap_tables = true;
                flm_perfetto_intern(p, s, tables[field], message);
            }
        }
    }
    p->losses[FLM_PERFETTO_HEAP_PACKETS] += index != (s->has_heap_index ? s->heap_index + 1 : 0);
    s->has_heap_index = true;
    s->heap_index = index;
    if (!flm_perfetto_number(&f, CONTINUED) && !flm_perfetto_stopped(p))
        end_dump(p, s);
}
