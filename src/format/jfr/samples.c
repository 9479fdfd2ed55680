/* samples.c - events that become samples: of the CPU, of waits, of memory, of exceptions.
 *
 * Each kind of sample is a metric of its own, because they do not add up: a thread that waits for a
 * lock is not sampled on the CPU, and the two events of allocations estimate the same bytes.
 *
 *     event                                   metric           unit       default
 *     jdk.ExecutionSample                     execution        samples    the first in this order
 *     jdk.NativeMethodSample                  native           samples    that the recording has
 *     ...
 *
 * Events of native memory are paired by their address: memory that was allocated and not freed is a
 * leak. */
#include "base/core/hash.h"
#include "format/jfr/events.h"
#include "profile/internal.h"

/* States of a row that are not fixed: the field `state` has it; or it follows from the class of the
 * object that the thread waits for. */
enum { ITS_STATE = FLM_JFR_STATES, LOCK_OR_SLEEP };

static const struct sample_row {
    const char *event, *metric, *unit;
    const char *value; /* field; NULL: the value is 1 */
    const char *leaf;  /* field with a class or a method that becomes the leaf frame; NULL: none */
    uint8_t state;
} samples[] = {
    {"jdk.ExecutionSample", "execution", "samples", NULL, NULL, ITS_STATE},
    {"jdk.NativeMethodSample", "native", "samples", NULL, NULL, FLM_JFR_UNSTATED},
    {"jdk.CPUTimeSample", "cpu-samples", "samples", NULL, NULL, FLM_JFR_ON_CPU},
    {"jdk.CPUTimeSample", "cpu-time", "ns", "samplingPeriod", NULL, FLM_JFR_ON_CPU},
    {"profiler.WallClockSample", "wall", "samples", "samples", NULL, ITS_STATE},
    {"jdk.ObjectAllocationSample", "allocation", "bytes", "weight", "objectClass", 0},
    {"jdk.ObjectAllocationInNewTLAB", "tlab-allocation", "bytes", "tlabSize", "objectClass", 0},
    {"jdk.ObjectAllocationOutsideTLAB", "tlab-allocation", "bytes", "allocationSize", "objectClass",
     0},
    {"jdk.JavaMonitorEnter", "lock", "ns", "duration", "monitorClass", FLM_JFR_LOCK},
    {"jdk.ThreadPark", "park", "ns", "duration", "parkedClass", LOCK_OR_SLEEP},
    {"jdk.JavaMonitorWait", "wait", "ns", "duration", "monitorClass", FLM_JFR_SLEEPING},
    {"jdk.ThreadSleep", "sleep", "ns", "duration", NULL, FLM_JFR_SLEEPING},
    {"jdk.VirtualThreadPinned", "pinned", "ns", "duration", NULL, FLM_JFR_BLOCKED},
    {"profiler.NativeLock", "native-lock", "ns", "duration", NULL, FLM_JFR_LOCK},
    {"jdk.SocketRead", "socket-read", "ns", "duration", NULL, FLM_JFR_BLOCKED},
    {"jdk.SocketWrite", "socket-write", "ns", "duration", NULL, FLM_JFR_BLOCKED},
    {"jdk.SocketConnect", "socket-connect", "ns", "duration", NULL, FLM_JFR_BLOCKED},
    {"jdk.FileRead", "file-read", "ns", "duration", NULL, FLM_JFR_BLOCKED},
    {"jdk.FileWrite", "file-write", "ns", "duration", NULL, FLM_JFR_BLOCKED},
    {"jdk.FileForce", "file-force", "ns", "duration", NULL, FLM_JFR_BLOCKED},
    {"profiler.Malloc", "native-memory", "bytes", "size", NULL, 0},
    {"", "native-leak", "bytes", NULL, NULL, 0}, /* from profiler.Malloc and profiler.Free */
    {"profiler.LiveObject", "live", "bytes", "allocationSize", "objectClass", 0},
    {"jdk.OldObjectSample", "old-objects", "samples", NULL, NULL, 0},
    {"jdk.JavaExceptionThrow", "exceptions", "count", NULL, "thrownClass", 0},
    {"jdk.JavaErrorThrow", "errors", "count", NULL, "thrownClass", 0},
    {"jdk.MethodTrace", "method-trace", "ns", "duration", "method", 0},
};
_Static_assert(sizeof samples / sizeof *samples == FLM_JFR_SAMPLE_ROWS,
               "events.h has the number of rows");

void flm_jfr_classify_sample(struct flm_jfr_event_type *type, struct flm_bytes name)
{
    for (uint16_t i = 0; i < FLM_JFR_SAMPLE_ROWS; i++)
        if (flm_bytes_are(name, samples[i].event)) {
            type->handling = FLM_JFR_HANDLE_SAMPLE;
            type->row = type->row_count++ ? type->row : i;
        }
}

void flm_jfr_want_sample(const struct flm_jfr_event_type *type, struct flm_jfr_wanted *wanted,
                         size_t *count)
{
    const struct sample_row *row = &samples[type->row];
    flm_jfr_want(wanted, count, "stackTrace", FLM_JFR_SLOT_STACK);
    flm_jfr_want(wanted, count, "state", FLM_JFR_SLOT_STATE);
    flm_jfr_want(wanted, count, "failed", FLM_JFR_SLOT_FAILED);
    if (strcmp(row->metric, "wall") == 0)
        flm_jfr_want(wanted, count, "timeSpan", FLM_JFR_SLOT_SPAN);
    if (strcmp(row->metric, "native-memory") == 0)
        flm_jfr_want(wanted, count, "address", FLM_JFR_SLOT_ADDRESS);
    if (row->leaf)
        flm_jfr_want(wanted, count, row->leaf, FLM_JFR_SLOT_LEAF);
    for (unsigned i = 0; i < type->row_count; i++)
        if (row[i].value && strcmp(row[i].value, "duration") != 0)
            flm_jfr_want(wanted, count, row[i].value, FLM_JFR_SLOT_VALUE + i);
}

bool flm_jfr_sample_lasts(const struct flm_jfr_event_type *type)
{
    const char *value = samples[type->row].value;
    return value && strcmp(value, "duration") == 0;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static struct flm_metric metric_of(struct flm_jfr_events *e, size_t row)
{
    if (e->metrics[row] == FLM_NONE)
        e->metrics[row] =
            flm_builder_metric(e->builder, samples[row].metric, samples[row].unit).index;
    return (struct flm_metric){e->metrics[row]};
}

static void count_value(struct flm_jfr_events *e, size_t row, int64_t time_ns, struct flm_node node,
                        struct flm_label_set labels, double value)
{
    if (e->options->keep_times)
        flm_builder_sample(e->builder, time_ns, node, labels, metric_of(e, row), value);
    else
        flm_builder_add(e->builder, node, metric_of(e, row), value);
}

/* Remembers what happened last at an address. Events are not in the order of time: each thread
 * writes its own part of the chunk. */
static void track_allocation(struct flm_jfr_events *e, const struct flm_jfr_allocation *event)
{
    uint32_t hash = flm_hash_numbers(event->address, 0);
    if (e->allocations.count == 0 || event->time_ns < e->first_allocation_ns)
        e->first_allocation_ns = event->time_ns;
    if (e->allocations.count == 0 || event->time_ns > e->last_allocation_ns)
        e->last_allocation_ns = event->time_ns;
    e->has_freed |= event->size == 0;
    for (struct flm_probe at = flm_index_probe(&e->allocation_index, hash);
         flm_index_next(&e->allocation_index, &at);) {
        struct flm_jfr_allocation *known = &e->allocations.at[at.found];
        if (known->address != event->address)
            continue;
        if (event->time_ns >= known->time_ns)
            *known = *event;
        return;
    }
    uint32_t number = (uint32_t)e->allocations.count;
    e->no_memory |= !FLM_ARRAY_ADD(&e->allocations, *event) ||
                    !flm_index_add(&e->allocation_index, hash, number);
}

static enum flm_jfr_state state_of(struct flm_jfr_events *e, uint8_t state,
                                   const struct flm_jfr_value *values)
{
    if (state == ITS_STATE)
        return values[FLM_JFR_SLOT_STATE].kind == FLM_JFR_CONSTANT
                   ? flm_jfr_state_of(&e->stacks, values[FLM_JFR_SLOT_STATE].number)
                   : FLM_JFR_ON_CPU;
    if (state != LOCK_OR_SLEEP)
        return (enum flm_jfr_state)state;
    /* A lock of java.util.concurrent parks threads on an object of a class Sync; a condition does
     * not. */
    e->text.size = 0;
    bool has = flm_jfr_class_add(e->constants, values[FLM_JFR_SLOT_LEAF].number, &e->text);
    e->no_memory |= e->text.failed;
    return has && flm_bytes_end_with(flm_jfr_bytes_of(&e->text), "Sync") ? FLM_JFR_LOCK
                                                                         : FLM_JFR_SLEEPING;
}

void flm_jfr_handle_sample(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)fields;
    const struct sample_row *row = &samples[type->row];
    struct flm_jfr_thread *thread =
        flm_jfr_thread_of(&e->stacks, values[FLM_JFR_SLOT_THREAD].number);
    struct flm_label_set labels = {0};
    if (values[FLM_JFR_SLOT_FAILED].number != 0)
        e->unsampled++;
    struct flm_node node =
        flm_jfr_stack_node(&e->stacks, values[FLM_JFR_SLOT_STACK].number, thread);
    if (row->leaf)
        node = flm_jfr_leaf_node(&e->stacks, node, &values[FLM_JFR_SLOT_LEAF]);
    if (e->no_memory || e->stacks.no_memory || flm_builder_failed(e->builder))
        return;
    enum flm_jfr_state state = FLM_JFR_UNSTATED;
    int64_t time_ns = flm_jfr_time_of(e, &values[FLM_JFR_SLOT_START]);
    if (e->options->keep_times) {
        state = state_of(e, row->state, values);
        labels = flm_jfr_labels(&e->stacks, thread, state);
    }
    double value = row->value ? flm_jfr_number_of(e, &values[FLM_JFR_SLOT_VALUE]) : 1;
    value = value > 0 ? value : 0;
    count_value(e, type->row, time_ns, node, labels, value);
    for (size_t i = 1; i < type->row_count; i++) {
        double more = flm_jfr_number_of(e, &values[FLM_JFR_SLOT_VALUE + i]);
        more = more > 0 ? more : 0;
        if (e->options->keep_times)
            flm_builder_sample_add(e->builder, metric_of(e, type->row + i), more);
        else
            flm_builder_add(e->builder, node, metric_of(e, type->row + i), more);
    }
    /* Only a sample of a waiting thread has a duration: no other sample of that thread is within
     * it. */
    int64_t lasts = state == FLM_JFR_UNSTATED || state == FLM_JFR_ON_CPU ? 0
                    : values[FLM_JFR_SLOT_DURATION].kind
                        ? flm_jfr_ticks_ns(e, (int64_t)values[FLM_JFR_SLOT_DURATION].number)
                    : values[FLM_JFR_SLOT_SPAN].kind
                        ? flm_jfr_ticks_ns(e, (int64_t)values[FLM_JFR_SLOT_SPAN].number)
                        : 0;
    if (lasts > 0 && time_ns != FLM_NO_TIME)
        flm_builder_sample_lasts(e->builder, lasts);
    if (values[FLM_JFR_SLOT_ADDRESS].kind)
        track_allocation(e, &(struct flm_jfr_allocation){values[FLM_JFR_SLOT_ADDRESS].number,
                                                         time_ns, value, node, labels});
}

void flm_jfr_handle_freed(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                          const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    track_allocation(e, &(struct flm_jfr_allocation){
                            .address = values[FLM_JFR_SLOT_ADDRESS].number,
                            .time_ns = flm_jfr_time_of(e, &values[FLM_JFR_SLOT_START])});
}

/* Adds memory that was allocated and not freed as leaks, except for the last tenth of the
 * recording, which may still be freed: jfrconv does the same. */
void flm_jfr_count_leaks(struct flm_jfr_events *e)
{
    size_t row = 0;
    while (strcmp(samples[row].metric, "native-leak") != 0)
        row++;
    double last = 0.1 * (double)e->first_allocation_ns + 0.9 * (double)e->last_allocation_ns;
    for (size_t i = 0; e->has_freed && i < e->allocations.count; i++) {
        const struct flm_jfr_allocation *a = &e->allocations.at[i];
        if (a->size > 0 && (double)a->time_ns <= last)
            count_value(e, row, a->time_ns, a->node, a->labels, a->size);
    }
}

/* ---- Metrics --------------------------------------------------------------------------------- */

/* Puts the metrics into the order of the table. They were added in the order of the events. */
void flm_jfr_order_metrics(struct flm_jfr_events *e)
{
    struct flm_builder *b = e->builder;
    struct flm_builder_metric ordered[FLM_JFR_SAMPLE_ROWS];
    uint32_t rank[FLM_JFR_SAMPLE_ROWS], count = 0;
    if (b->metric_count > FLM_JFR_SAMPLE_ROWS)
        return;
    for (uint32_t row = 0; row < FLM_JFR_SAMPLE_ROWS; row++) {
        uint32_t metric = e->metrics[row];
        bool again = metric == FLM_NONE;
        for (uint32_t i = 0; i < row && !again; i++)
            again = e->metrics[i] == metric;
        if (again)
            continue;
        rank[metric] = count;
        ordered[count++] = b->metrics[metric];
    }
    if (count == 0 || count != b->metric_count)
        return; /* there are no metrics, or the builder has others, too */
    memcpy(b->metrics, ordered, count * sizeof *ordered);
    for (size_t i = 0; i < b->residuals.links.count; i++)
        b->residuals.links.at[i].metric = rank[b->residuals.links.at[i].metric];
}

/* If the recording has no jdk.ObjectAllocationSample, the metric of the events of TLABs, which
 * estimate the same, is named "allocation". */
void flm_jfr_name_allocations(struct flm_jfr_events *e)
{
    bool has_sampled = false;
    for (size_t i = 0; i < FLM_JFR_SAMPLE_ROWS; i++)
        has_sampled |= strcmp(samples[i].metric, "allocation") == 0 && e->metrics[i] != FLM_NONE;
    for (size_t i = 0; i < FLM_JFR_SAMPLE_ROWS; i++)
        if (strcmp(samples[i].metric, "tlab-allocation") == 0 && e->metrics[i] != FLM_NONE &&
            !has_sampled)
            e->builder->metrics[e->metrics[i]].name =
                flm_builder_string(e->builder, "allocation", 10).index;
}
