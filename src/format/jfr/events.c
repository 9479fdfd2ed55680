/* events.c - what each event becomes: samples, markers, counters, notes.
 *
 * Each kind of sample is a metric of its own, because they do not add up: a thread that waits for a
 * lock is not sampled, and the two events of allocations estimate the same bytes. The tables below
 * are all there is to an event; its fields are found by their names in the metadata of the chunk.
 *
 *     event                                   metric           unit       default
 *     jdk.ExecutionSample                     execution        samples    the first in this order
 *     jdk.NativeMethodSample                  native           samples    that the recording has
 *     ...
 *
 * An event of the application itself is a marker with its fields as detail. Of the VM's own events
 * those are markers that a person looks for at a time; the others are counted in a note. */
#include "base/core/hash.h"
#include "base/number/number.h"
#include "format/jfr/internal.h"
#include "profile/internal.h"

enum {
    MOST_MARKERS = 200000,
    MOST_POINTS = 400000,
    MOST_DETAIL = 300,
    MOST_DETAILS = 16 << 20,
    MOST_NOTED = 12 /* events in the note of those that are not shown */
};

/* ---- Tables ---------------------------------------------------------------------------------- */

enum { ITS_STATE = FLM_JFR_STATES, LOCK_OR_SLEEP }; /* by the field; by the class */

static const struct sample_row {
    const char *event, *metric, *unit;
    const char *value; /* field; NULL: 1 each. "duration": it also lasts as long */
    const char *leaf;  /* field of a class or a method: a frame under the stack; NULL: none */
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
    {"", "native-leak", "bytes", NULL, NULL, 0}, /* made of profiler.Malloc and profiler.Free */
    {"profiler.LiveObject", "live", "bytes", "allocationSize", "objectClass", 0},
    {"jdk.OldObjectSample", "old-objects", "samples", NULL, NULL, 0},
    {"jdk.JavaExceptionThrow", "exceptions", "count", NULL, "thrownClass", 0},
    {"jdk.JavaErrorThrow", "errors", "count", NULL, "thrownClass", 0},
    {"jdk.MethodTrace", "method-trace", "ns", "duration", "method", 0},
};
enum { SAMPLE_ROWS = sizeof samples / sizeof *samples };

static const struct {
    const char *event, *name;
} markers[] = {
    {"jdk.GarbageCollection", "GC"},
    {"jdk.GCPhasePause", "GC pause"},
    {"jdk.GCPhaseConcurrent", "concurrent phase of the GC"},
    {"jdk.ZAllocationStall", "allocation stall"},
    {"jdk.SystemGC", "System.gc"},
    {"jdk.AllocationRequiringGC", "allocation that requires a GC"},
    {"jdk.PromotionFailed", "promotion failed"},
    {"jdk.EvacuationFailed", "evacuation failed"},
    {"jdk.ConcurrentModeFailure", "concurrent mode failed"},
    {"jdk.Compilation", "compilation"},
    {"jdk.CompilationFailure", "compilation failed"},
    {"jdk.Deoptimization", "deoptimization"},
    {"jdk.CodeCacheFull", "code cache full"},
    {"jdk.ClassLoad", "class load"},
    {"jdk.RedefineClasses", "classes redefined"},
    {"jdk.RetransformClasses", "classes retransformed"},
    {"jdk.SafepointBegin", "safepoint"},
    {"jdk.ExecuteVMOperation", "VM operation"},
    {"jdk.ThreadStart", "thread start"},
    {"jdk.ThreadEnd", "thread exit"},
    {"jdk.VirtualThreadSubmitFailed", "virtual thread not submitted"},
    {"jdk.ProcessStart", "process start"},
    {"jdk.HeapDump", "heap dump"},
    {"jdk.DumpReason", "dump"},
    {"jdk.Shutdown", "shutdown"},
    {"jdk.TLSHandshake", "TLS handshake"},
    {"profiler.Window", "profiling window"},
    {"profiler.Span", "span"},
    {"profiler.UserEvent", "user event"},
    {"profiler.Log", "profiler log"},
};

/* The first ones have no labels while all chunks are of one process: the viewer, which has room for
 * a few, begins with counters of the whole recording. */
static const struct counter_row {
    const char *event, *field, *name, *unit;
    bool is_first;
} counters[] = {
    {"jdk.CPULoad", "jvmUser", "CPU load: JVM, user", "%", true},
    {"jdk.CPULoad", "jvmSystem", "CPU load: JVM, system", "%", false},
    {"jdk.CPULoad", "machineTotal", "CPU load: machine", "%", true},
    {"jdk.GCHeapSummary", "heapUsed", "heap used", "bytes", true},
    {"jdk.GCHeapSummary", "heapSpace.committedSize", "heap committed", "bytes", true},
    {"jdk.MetaspaceSummary", "metaspace.used", "metaspace used", "bytes", false},
    {"jdk.JavaThreadStatistics", "activeCount", "Java threads", "count", false},
    {"jdk.ClassLoadingStatistics", "loadedClassCount", "classes loaded", "count", false},
    {"jdk.ExceptionStatistics", "throwables", "throwables created", "count", false},
    {"jdk.ThreadContextSwitchRate", "switchRate", "context switches per second", "count", false},
    {"jdk.ResidentSetSize", "size", "memory (RSS)", "bytes", false},
    {"jdk.PhysicalMemory", "usedSize", "memory of the machine used", "bytes", false},
    {"jdk.DirectBufferStatistics", "memoryUsed", "direct buffers", "bytes", false},
    {"jdk.NativeMemoryUsageTotal", "committed", "native memory committed", "bytes", false},
};
enum { COUNTER_ROWS = sizeof counters / sizeof *counters };

/* What a type of events becomes: a member of `handlers`. */
enum handling {
    IGNORED,
    SAMPLE,
    MARKER,
    COUNTER,
    PROCESS,
    SETTING,
    SYSTEM,
    PROCESSOR,
    ENVIRONMENT,
    LOST,
    DATA_LOSS,
    FREED,
    HANDLINGS
};

static const struct {
    const char *event;
    enum handling handling;
} others[] = {
    {"jdk.JVMInformation", PROCESS}, {"jdk.ActiveSetting", SETTING},
    {"jdk.OSInformation", SYSTEM},   {"jdk.CPUInformation", PROCESSOR},
    {"jdk.DataLoss", DATA_LOSS},     {"jdk.InitialEnvironmentVariable", ENVIRONMENT},
    {"profiler.Free", FREED},        {"jdk.CPUTimeSamplesLost", LOST},
};

/* Fields of events by slot. What they mean depends on how the event is handled. */
enum slot {
    START,
    DURATION,
    THREAD,
    STACK,
    STATE,
    LEAF,
    FAILED,
    ADDRESS,
    SPAN,
    VALUE, /* and the next ones, of further rows */
    SLOT_COUNT = VALUE + 4
};

struct event_type {
    uint64_t id;
    uint32_t type;
    uint16_t row; /* of its table; of IGNORED: of `ignored` */
    uint8_t handling, row_count;
    bool is_duration; /* its value */
    struct flm_jfr_plan plan;
};

/* Memory of native code that was allocated, or freed last. */
struct allocation {
    uint64_t address;
    int64_t time_ns;
    double size; /* 0: freed */
    struct flm_node node;
    struct flm_label_set labels;
};

struct ignored {
    uint32_t name; /* a string of the builder */
    uint64_t count;
};

struct flm_jfr_events {
    const struct flm_read_options *options;
    struct flm_builder *builder;
    struct flm_jfr_stacks stacks;

    struct flm_jfr_constants *constants; /* of the chunk */
    struct flm_jfr_clock clock;
    uint64_t chunk_offset;
    struct FLM_ARRAY(struct event_type) types; /* of the chunk, those seen */
    struct flm_index by_id;
    uint32_t last;   /* the type of the last event, which the next one often has; FLM_NONE: none */
    uint32_t filled; /* the type that `values` are of */
    struct flm_jfr_value values[SLOT_COUNT];
    uint64_t process_type; /* of jdk.JVMInformation; 0: there is none */
    uint64_t process;      /* of the first chunk that says it */
    bool has_processes;    /* this chunk is of another one */

    uint32_t metrics[SAMPLE_ROWS]; /* of the builder; FLM_NONE: not yet */
    struct FLM_ARRAY(struct allocation) allocations;
    struct flm_index allocation_index;
    int64_t first_allocation_ns, last_allocation_ns;
    bool has_freed;

    struct FLM_ARRAY(struct ignored) ignored;
    uint64_t marker_count, point_count, left_out, malformed, malformed_offset;
    uint64_t unsampled; /* jdk.CPUTimeSample without a stack, because that failed */
    size_t detail_size;
    struct flm_text text, value;
    bool no_memory;
};

/* ---- Time ------------------------------------------------------------------------------------ */

/* Ticks in nanoseconds; no more than a time can be. */
static int64_t scale(const struct flm_jfr_events *e, int64_t ticks)
{
    const int64_t most = INT64_MAX / 4;
    if (e->clock.ticks_per_second == 0)
        return 0;
    double ns = (double)ticks * 1e9 / (double)e->clock.ticks_per_second;
    if (ns > (double)most || ns < (double)-most)
        return ns > 0 ? most : -most;
    if (e->clock.ticks_per_second == 1000000000)
        return ticks;
    if (e->clock.ticks_per_second > 9000000000u)
        return (int64_t)ns;
    int64_t rate = (int64_t)e->clock.ticks_per_second;
    return ticks / rate * 1000000000 + ticks % rate * 1000000000 / rate;
}

static int64_t time_of(const struct flm_jfr_events *e, const struct flm_jfr_value *start)
{
    if (e->clock.ticks_per_second == 0 || start->kind == FLM_JFR_NOTHING)
        return FLM_NO_TIME;
    return e->clock.start_ns + scale(e, (int64_t)(start->number - e->clock.start_ticks));
}

/* A number in the unit that its field has, in ns where that is one of time. */
static double number_of(const struct flm_jfr_events *e, const struct flm_jfr_value *value)
{
    double number = (double)(int64_t)value->number;
    switch (value->kind == FLM_JFR_FLOAT || value->kind == FLM_JFR_DOUBLE ? (uint8_t)FLM_JFR_COUNT
                                                                          : value->unit) {
    case FLM_JFR_TICKS:
        return (double)scale(e, (int64_t)value->number);
    case FLM_JFR_US:
        return number * 1e3;
    case FLM_JFR_MS:
        return number * 1e6;
    case FLM_JFR_S:
        return number * 1e9;
    default:
        return value->kind == FLM_JFR_FLOAT || value->kind == FLM_JFR_DOUBLE ? value->real : number;
    }
}

static bool is_number(const struct flm_jfr_value *value)
{
    return value->kind >= FLM_JFR_BYTE && value->kind <= FLM_JFR_DOUBLE && !value->is_array;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at ? text->at : "", text->size};
}

static void note(struct flm_jfr_events *e, const char *key, const struct flm_text *text)
{
    e->no_memory |= text->failed;
    if (text->size > 0 && !text->failed)
        flm_builder_note(e->builder, key, text->at, text->size);
}

/* A string or a constant with a text, appended. */
static bool add_text(struct flm_jfr_events *e, const struct flm_jfr_value *value,
                     struct flm_text *out)
{
    if (value->is_array)
        return false;
    if (value->kind == FLM_JFR_STRING)
        return flm_jfr_string_add(e->constants, value->at, out);
    if (value->kind != FLM_JFR_CONSTANT || value->type == FLM_NONE)
        return false;
    if (value->type == e->stacks.method_type)
        return flm_jfr_method_add(&e->stacks, value->number, out);
    if (value->type == e->stacks.thread_type) {
        uint32_t name = flm_jfr_thread_of(&e->stacks, value->number)->name;
        if (name && !flm_builder_failed(e->builder))
            flm_text_add(out, flm_interner_text(&e->builder->interner, name));
        return name > 0;
    }
    return flm_jfr_constant_add(e->constants, value->type, value->number, out);
}

/* Milliseconds where it is more than one: "1.91 ms". */
static void add_duration(struct flm_text *out, int64_t ns)
{
    uint64_t positive = ns < 0 ? 0 : (uint64_t)ns, hundredths = positive / 10000 % 100;
    if (positive < 1000000)
        flm_text_format(out, "%llu ns", (unsigned long long)positive);
    else
        flm_text_format(out, "%llu.%u%u ms", (unsigned long long)(positive / 1000000),
                        (unsigned)(hundredths / 10), (unsigned)(hundredths % 10));
}

static bool add_value(struct flm_jfr_events *e, const struct flm_jfr_value *value,
                      const struct flm_jfr_operation *o, struct flm_text *out)
{
    char digits[FLM_NUMBER_SIZE];
    if (!is_number(value))
        return add_text(e, value, out);
    if (value->unit == FLM_JFR_ADDRESS || (value->kind == FLM_JFR_LONG && value->number >> 62 == 1))
        return false; /* a time or an address; so long that it is "for ever" */
    if (value->unit >= FLM_JFR_TICKS && value->unit <= FLM_JFR_S) {
        double ns = number_of(e, value);
        add_duration(out, ns < 9e18 ? (int64_t)ns : INT64_MAX);
        return true;
    }
    if (value->kind == FLM_JFR_BYTE && !o->is_unsigned && value->number <= 1) {
        flm_text_puts(out, value->number ? "true" : "false");
        return true;
    }
    double number = number_of(e, value);
    if (number - number != 0)
        return false;
    flm_text_add(out, (struct flm_bytes){digits, flm_number_print(number, digits)});
    if (value->unit == FLM_JFR_BYTES)
        flm_text_puts(out, " bytes");
    return true;
}

/* All fields that say something, but for those that a marker has elsewhere: "name: G1New, cause:
 * G1 Evacuation Pause, longestPause: 1.91 ms". */
static void describe(struct flm_jfr_events *e, const struct event_type *type,
                     struct flm_jfr_cursor c)
{
    static const char *const elsewhere[] = {"startTime", "duration", "eventThread", "stackTrace",
                                            "gcId"};
    const struct flm_jfr_types *types = e->constants->types;
    const struct flm_jfr_type *of = &types->types.at[type->type];
    e->text.size = 0;
    for (uint32_t i = 0; i < of->operation_count && !c.failed && e->text.size < MOST_DETAIL; i++) {
        const struct flm_jfr_operation *o = &types->operations.at[of->first_operation + i];
        struct flm_jfr_value value;
        bool is_elsewhere = o->is_array || o->kind == FLM_JFR_STRUCTURES;
        for (size_t j = 0; j < sizeof elsewhere / sizeof *elsewhere; j++)
            is_elsewhere |= flm_bytes_are(o->name, elsewhere[j]);
        if (is_elsewhere) {
            flm_jfr_operation_skip(&c, types, o);
            continue;
        }
        flm_jfr_value_read(&c, o, &value);
        e->value.size = 0;
        if (c.failed || !add_value(e, &value, o, &e->value) || e->value.size == 0)
            continue;
        if (e->text.size > 0)
            flm_text_puts(&e->text, ", ");
        flm_text_add(&e->text, o->name);
        flm_text_puts(&e->text, ": ");
        flm_text_add(&e->text, bytes_of(&e->value));
    }
    if (e->text.size > MOST_DETAIL) { /* not within a character */
        e->text.size = MOST_DETAIL;
        while (e->text.size > 0 && ((unsigned char)e->text.at[e->text.size] & 0xc0) == 0x80)
            e->text.size--;
    }
    e->no_memory |= e->text.failed || e->value.failed;
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
static void track_allocation(struct flm_jfr_events *e, const struct allocation *event)
{
    uint32_t hash = flm_hash_numbers(event->address, 0);
    if (e->allocations.count == 0 || event->time_ns < e->first_allocation_ns)
        e->first_allocation_ns = event->time_ns;
    if (e->allocations.count == 0 || event->time_ns > e->last_allocation_ns)
        e->last_allocation_ns = event->time_ns;
    e->has_freed |= event->size == 0;
    for (struct flm_probe at = flm_index_probe(&e->allocation_index, hash);
         flm_index_next(&e->allocation_index, &at);) {
        struct allocation *known = &e->allocations.at[at.found];
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
        return values[STATE].kind == FLM_JFR_CONSTANT
                   ? flm_jfr_state_of(&e->stacks, values[STATE].number)
                   : FLM_JFR_ON_CPU;
    if (state != LOCK_OR_SLEEP)
        return (enum flm_jfr_state)state;
    /* A lock of java.util.concurrent parks its threads on its Sync; a condition does not. */
    e->text.size = 0;
    bool has = flm_jfr_class_add(e->constants, values[LEAF].number, &e->text);
    e->no_memory |= e->text.failed;
    return has && flm_bytes_end_with(bytes_of(&e->text), "Sync") ? FLM_JFR_LOCK : FLM_JFR_SLEEPING;
}

static void handle_sample(struct flm_jfr_events *e, const struct event_type *type,
                          const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)fields;
    const struct sample_row *row = &samples[type->row];
    struct flm_jfr_thread *thread = flm_jfr_thread_of(&e->stacks, values[THREAD].number);
    struct flm_label_set labels = {0};
    if (values[FAILED].number != 0)
        e->unsampled++;
    struct flm_node node = flm_jfr_stack_node(&e->stacks, values[STACK].number, thread);
    if (row->leaf)
        node = flm_jfr_leaf_node(&e->stacks, node, &values[LEAF]);
    if (e->no_memory || e->stacks.no_memory || flm_builder_failed(e->builder))
        return;
    enum flm_jfr_state state = FLM_JFR_UNSTATED;
    int64_t time_ns = time_of(e, &values[START]);
    if (e->options->keep_times) {
        state = state_of(e, row->state, values);
        labels = flm_jfr_labels(&e->stacks, thread, state);
    }
    double value = row->value ? number_of(e, &values[VALUE]) : 1;
    value = value > 0 ? value : 0;
    count_value(e, type->row, time_ns, node, labels, value);
    for (size_t i = 1; i < type->row_count; i++) {
        double more = number_of(e, &values[VALUE + i]);
        more = more > 0 ? more : 0;
        if (e->options->keep_times)
            flm_builder_sample_add(e->builder, metric_of(e, type->row + i), more);
        else
            flm_builder_add(e->builder, node, metric_of(e, type->row + i), more);
    }
    /* Only a thread that waits has nothing else in that time. */
    int64_t lasts = state == FLM_JFR_UNSTATED || state == FLM_JFR_ON_CPU ? 0
                    : values[DURATION].kind ? scale(e, (int64_t)values[DURATION].number)
                    : values[SPAN].kind     ? scale(e, (int64_t)values[SPAN].number)
                                            : 0;
    if (lasts > 0 && time_ns != FLM_NO_TIME)
        flm_builder_sample_lasts(e->builder, lasts);
    if (values[ADDRESS].kind)
        track_allocation(
            e, &(struct allocation){values[ADDRESS].number, time_ns, value, node, labels});
}

static void handle_freed(struct flm_jfr_events *e, const struct event_type *type,
                         const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    track_allocation(e, &(struct allocation){.address = values[ADDRESS].number,
                                             .time_ns = time_of(e, &values[START])});
}

/* What was allocated and not freed, but for the last tenth of the recording, which is too young to
 * be a leak: as jfrconv has it. */
static void count_leaks(struct flm_jfr_events *e)
{
    size_t row = 0;
    while (strcmp(samples[row].metric, "native-leak") != 0)
        row++;
    double last = 0.1 * (double)e->first_allocation_ns + 0.9 * (double)e->last_allocation_ns;
    for (size_t i = 0; e->has_freed && i < e->allocations.count; i++) {
        const struct allocation *a = &e->allocations.at[i];
        if (a->size > 0 && (double)a->time_ns <= last)
            count_value(e, row, a->time_ns, a->node, a->labels, a->size);
    }
}

/* ---- Markers and counters -------------------------------------------------------------------- */

static struct flm_string string_of(struct flm_jfr_events *e, struct flm_bytes text)
{
    return flm_builder_string(e->builder, text.at, text.size);
}

static void handle_marker(struct flm_jfr_events *e, const struct event_type *type,
                          const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    int64_t time_ns = time_of(e, &values[START]);
    if (!e->options->keep_times || time_ns == FLM_NO_TIME)
        return;
    if (e->marker_count >= MOST_MARKERS) {
        e->left_out++;
        return;
    }
    e->marker_count++;
    e->text.size = 0;
    if (e->detail_size < MOST_DETAILS)
        describe(e, type, fields);
    e->detail_size += e->text.size;
    struct flm_jfr_thread *thread = flm_jfr_thread_of(&e->stacks, values[THREAD].number);
    struct flm_bytes name = type->row < sizeof markers / sizeof *markers
                                ? flm_bytes_of(markers[type->row].name)
                                : e->constants->types->types.at[type->type].name;
    int64_t lasts = values[DURATION].kind ? scale(e, (int64_t)values[DURATION].number) : 0;
    struct flm_label_set labels = flm_jfr_labels(&e->stacks, thread, FLM_JFR_UNSTATED);
    struct flm_string detail = string_of(e, bytes_of(&e->text));
    flm_builder_marker(e->builder, time_ns, lasts > 0 ? lasts : 0, string_of(e, name), detail,
                       labels);
}

static void handle_counter(struct flm_jfr_events *e, const struct event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)fields;
    int64_t time_ns = time_of(e, &values[START]);
    if (!e->options->keep_times || time_ns == FLM_NO_TIME)
        return;
    for (size_t i = 0; i < type->row_count; i++) {
        const struct counter_row *row = &counters[type->row + i];
        if (!is_number(&values[VALUE + i]))
            continue;
        if (e->point_count >= MOST_POINTS) {
            e->left_out++;
            continue;
        }
        e->point_count++;
        double value = number_of(e, &values[VALUE + i]);
        if (*row->unit == '%')
            value *= 100;
        struct flm_label_set labels = {0};
        if (!row->is_first || e->has_processes)
            labels = flm_jfr_labels(&e->stacks, &e->stacks.threads.at[0], FLM_JFR_UNSTATED);
        struct flm_counter counter =
            flm_builder_counter(e->builder, string_of(e, flm_bytes_of(row->name)),
                                string_of(e, flm_bytes_of(row->unit)), labels);
        flm_builder_counter_point(e->builder, counter, time_ns, value);
    }
}

/* ---- Notes and losses ------------------------------------------------------------------------ */

/* "java -Xmx1g Work 12" */
static void handle_process(struct flm_jfr_events *e, const struct event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    e->text.size = 0;
    if (add_text(e, &values[VALUE], &e->text))
        note(e, "JVM", &e->text);
    e->text.size = 0;
    flm_text_puts(&e->text, "java");
    for (size_t i = 1; i < 3; i++) {
        e->value.size = 0;
        if (!add_text(e, &values[VALUE + i], &e->value) || e->value.size == 0)
            continue;
        flm_text_putc(&e->text, ' ');
        flm_text_add(&e->text, bytes_of(&e->value));
    }
    e->no_memory |= e->value.failed;
    note(e, "command", &e->text);
}

/* The main class, or the file of an archive: the first word of "/srv/app.jar --port 80". */
static void set_process_name(struct flm_jfr_events *e, struct flm_bytes command)
{
    size_t start = 0, end = 0;
    for (; end < command.size && command.at[end] != ' '; end++)
        if (command.at[end] == '/')
            start = end + 1;
    e->stacks.process_name.size = 0;
    flm_text_add(&e->stacks.process_name, (struct flm_bytes){command.at + start, end - start});
    e->no_memory |= e->stacks.process_name.failed;
}

static void handle_setting(struct flm_jfr_events *e, const struct event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    static const struct {
        const char *event, *setting, *key; /* "": settings of async-profiler, for all of it */
    } settings[] = {
        {"jdk.ExecutionSample", "period", "execution interval"},
        {"jdk.NativeMethodSample", "period", "native interval"},
        {"jdk.CPUTimeSample", "throttle", "CPU time rate"},
        {"jdk.ObjectAllocationSample", "throttle", "allocation rate"},
        {"jdk.JavaMonitorEnter", "threshold", "shortest lock"},
        {"jdk.ThreadPark", "threshold", "shortest park"},
        {"", "version", "async-profiler"},
        {"", "event", "event"},
        {"", "interval", "interval"},
        {"", "wall", "wall interval"},
        {"", "alloc", "allocation interval"},
        {"", "lock", "shortest lock"},
    };
    (void)type, (void)fields;
    uint32_t of = flm_jfr_type_of(e->constants->types, values[VALUE].number);
    struct flm_bytes event = {"", 0};
    if (of != FLM_NONE)
        event = e->constants->types->types.at[of].name;
    e->text.size = e->value.size = 0;
    if (!add_text(e, &values[VALUE + 1], &e->text) || !add_text(e, &values[VALUE + 2], &e->value))
        return;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (flm_bytes_are(bytes_of(&e->text), settings[i].setting) &&
            (*settings[i].event ? flm_bytes_are(event, settings[i].event)
                                : flm_bytes_are(event, "jdk.ActiveRecording")) &&
            !flm_bytes_are(bytes_of(&e->value), "0"))
            note(e, settings[i].key, &e->value);
}

/* The first line of a text. */
static void note_line(struct flm_jfr_events *e, const char *key, const struct flm_jfr_value *value)
{
    e->text.size = 0;
    if (!add_text(e, value, &e->text))
        return;
    for (size_t i = 0; i < e->text.size; i++)
        if (e->text.at[i] == '\n')
            e->text.size = i;
    static const char name[] = "PRETTY_NAME="; /* of /etc/os-release */
    if (flm_bytes_start_with(bytes_of(&e->text), name)) {
        e->value.size = 0;
        for (size_t i = sizeof name - 1; i < e->text.size; i++)
            if (e->text.at[i] != '"')
                flm_text_putc(&e->value, e->text.at[i]);
        note(e, key, &e->value);
        return;
    }
    note(e, key, &e->text);
}

static void handle_system(struct flm_jfr_events *e, const struct event_type *type,
                          const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    note_line(e, "os", &values[VALUE]);
}

static void handle_processor(struct flm_jfr_events *e, const struct event_type *type,
                             const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    note_line(e, "cpu", &values[VALUE]);
}

static void handle_environment(struct flm_jfr_events *e, const struct event_type *type,
                               const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    e->text.size = 0;
    if (add_text(e, &values[VALUE], &e->text) && flm_bytes_are(bytes_of(&e->text), "HOSTNAME"))
        note_line(e, "host", &values[VALUE + 1]);
}

static void handle_lost(struct flm_jfr_events *e, const struct event_type *type,
                        const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    double count = number_of(e, &values[VALUE]);
    if (count > 0)
        flm_builder_lost(e->builder, "CPU-time samples that the VM lost", "", 0, count);
}

static void handle_data_loss(struct flm_jfr_events *e, const struct event_type *type,
                             const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    double count = number_of(e, &values[VALUE]);
    if (count > 0)
        flm_builder_lost(e->builder, "bytes of events that the VM lost", "", 0, count);
}

static void handle_ignored(struct flm_jfr_events *e, const struct event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)values, (void)fields;
    if (type->row < e->ignored.count)
        e->ignored.at[type->row].count++;
}

typedef void (*handler)(struct flm_jfr_events *, const struct event_type *,
                        const struct flm_jfr_value *, struct flm_jfr_cursor);

static const handler handlers[HANDLINGS] = {
    [IGNORED] = handle_ignored, [SAMPLE] = handle_sample,       [MARKER] = handle_marker,
    [COUNTER] = handle_counter, [PROCESS] = handle_process,     [SETTING] = handle_setting,
    [SYSTEM] = handle_system,   [PROCESSOR] = handle_processor, [ENVIRONMENT] = handle_environment,
    [LOST] = handle_lost,       [DATA_LOSS] = handle_data_loss, [FREED] = handle_freed,
};

/* ---- Types of events ------------------------------------------------------------------------- */

static void classify(struct event_type *type, struct flm_bytes name)
{
    for (uint16_t i = 0; i < SAMPLE_ROWS; i++)
        if (flm_bytes_are(name, samples[i].event)) {
            type->handling = SAMPLE;
            type->row = type->row_count++ ? type->row : i;
        }
    for (uint16_t i = 0; i < COUNTER_ROWS; i++)
        if (flm_bytes_are(name, counters[i].event)) {
            type->handling = COUNTER;
            type->row = type->row_count++ ? type->row : i;
        }
    for (uint16_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (flm_bytes_are(name, markers[i].event)) {
            type->handling = MARKER;
            type->row = i;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (flm_bytes_are(name, others[i].event))
            type->handling = others[i].handling;
    if (type->handling == IGNORED && !flm_bytes_start_with(name, "jdk.") &&
        !flm_bytes_start_with(name, "profiler.")) {
        type->handling = MARKER; /* of the application */
        type->row = UINT16_MAX;
    }
}

/* A row of `ignored` for events of that name. */
static uint16_t ignored_row(struct flm_jfr_events *e, struct flm_bytes name)
{
    uint32_t string = string_of(e, name).index;
    for (size_t i = 0; i < e->ignored.count; i++)
        if (e->ignored.at[i].name == string)
            return (uint16_t)i;
    if (e->ignored.count == UINT16_MAX)
        return UINT16_MAX;
    e->no_memory |= !FLM_ARRAY_ADD(&e->ignored, (struct ignored){string, 0});
    return (uint16_t)(e->ignored.count - 1);
}

static void want(struct flm_jfr_wanted *wanted, size_t *count, const char *name, unsigned slot)
{
    wanted[(*count)++] = (struct flm_jfr_wanted){name, (uint8_t)slot};
}

static bool plan(struct flm_jfr_events *e, struct event_type *type)
{
    static const struct {
        enum handling handling;
        const char *fields[3];
    } values[] = {
        {PROCESS, {"jvmVersion", "jvmArguments", "javaArguments"}},
        {SETTING, {"id", "name", "value"}},
        {SYSTEM, {"osVersion"}},
        {PROCESSOR, {"cpu"}},
        {ENVIRONMENT, {"key", "value"}},
        {LOST, {"lostSamples"}},
        {DATA_LOSS, {"amount"}},
    };
    struct flm_jfr_wanted wanted[24];
    size_t count = 0;
    want(wanted, &count, "startTime", START);
    if (type->handling == SAMPLE || type->handling == MARKER) {
        want(wanted, &count, "duration", DURATION);
        want(wanted, &count, "sampledThread", THREAD);
        want(wanted, &count, "eventThread", THREAD);
        want(wanted, &count, "thread", THREAD);
    }
    if (type->handling == SAMPLE) {
        const struct sample_row *row = &samples[type->row];
        want(wanted, &count, "stackTrace", STACK);
        want(wanted, &count, "state", STATE);
        want(wanted, &count, "failed", FAILED);
        if (strcmp(row->metric, "wall") == 0)
            want(wanted, &count, "timeSpan", SPAN);
        if (strcmp(row->metric, "native-memory") == 0)
            want(wanted, &count, "address", ADDRESS);
        if (row->leaf)
            want(wanted, &count, row->leaf, LEAF);
        for (unsigned i = 0; i < type->row_count; i++)
            if (row[i].value && strcmp(row[i].value, "duration") != 0)
                want(wanted, &count, row[i].value, VALUE + i);
    }
    if (type->handling == FREED)
        want(wanted, &count, "address", ADDRESS);
    for (unsigned i = 0; type->handling == COUNTER && i < type->row_count; i++)
        want(wanted, &count, counters[type->row + i].field, VALUE + i);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (unsigned j = 0; values[i].handling == type->handling && j < 3; j++)
            if (values[i].fields[j])
                want(wanted, &count, values[i].fields[j], VALUE + j);
    return flm_jfr_plan_make(&type->plan, e->constants->types, type->type, wanted, count);
}

/* The index of the events of a type; FLM_NONE when memory ran out. */
static uint32_t type_of(struct flm_jfr_events *e, uint64_t id)
{
    if (e->last < e->types.count && e->types.at[e->last].id == id)
        return e->last;
    uint32_t hash = flm_hash_numbers(id, 0);
    for (struct flm_probe at = flm_index_probe(&e->by_id, hash); flm_index_next(&e->by_id, &at);)
        if (e->types.at[at.found].id == id)
            return e->last = at.found;
    struct event_type type = {.id = id, .type = flm_jfr_type_of(e->constants->types, id)};
    struct flm_bytes name = {"events of unknown types", 23};
    if (type.type != FLM_NONE) {
        name = e->constants->types->types.at[type.type].name;
        classify(&type, name);
        if (type.handling != IGNORED && !plan(e, &type))
            type.handling = IGNORED;
        e->no_memory |= e->constants->types->no_memory;
    }
    if (type.handling == IGNORED)
        type.row = ignored_row(e, name);
    type.is_duration = type.handling == SAMPLE && samples[type.row].value &&
                       strcmp(samples[type.row].value, "duration") == 0;
    uint32_t number = (uint32_t)e->types.count;
    if (!FLM_ARRAY_ADD(&e->types, type) || !flm_index_add(&e->by_id, hash, number)) {
        e->no_memory = true;
        return FLM_NONE;
    }
    return e->last = number;
}

/* ---- The interface --------------------------------------------------------------------------- */

struct flm_jfr_events *flm_jfr_events_new(const struct flm_read_options *options,
                                          struct flm_builder *builder)
{
    struct flm_jfr_events *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->options = e->stacks.options = options;
    e->builder = e->stacks.builder = builder;
    for (size_t i = 0; i < SAMPLE_ROWS; i++)
        e->metrics[i] = FLM_NONE;
    return e;
}

void flm_jfr_events_free(struct flm_jfr_events *e)
{
    if (!e)
        return;
    flm_jfr_stacks_clear(&e->stacks);
    FLM_ARRAY_CLEAR(&e->types);
    flm_index_clear(&e->by_id);
    FLM_ARRAY_CLEAR(&e->allocations);
    flm_index_clear(&e->allocation_index);
    FLM_ARRAY_CLEAR(&e->ignored);
    flm_text_clear(&e->text);
    flm_text_clear(&e->value);
    free(e);
}

bool flm_jfr_events_failed(const struct flm_jfr_events *e)
{
    return e->no_memory || e->stacks.no_memory || flm_builder_failed(e->builder) ||
           (e->constants && e->constants->no_memory);
}

void flm_jfr_events_begin(struct flm_jfr_events *e, struct flm_jfr_constants *constants,
                          const struct flm_jfr_clock *clock, uint64_t offset)
{
    e->constants = constants;
    e->clock = *clock;
    e->chunk_offset = offset;
    e->types.count = 0;
    e->last = e->filled = FLM_NONE;
    flm_index_clear(&e->by_id);
    uint32_t process = flm_jfr_type_named(constants->types, "jdk.JVMInformation");
    e->process_type = process == FLM_NONE ? 0 : constants->types->types.at[process].id;
    e->stacks.process.size = e->stacks.process_name.size = 0;
    e->has_processes = false;
    flm_jfr_stacks_begin(&e->stacks, constants);
}

void flm_jfr_events_end(struct flm_jfr_events *e)
{
    e->constants = e->stacks.constants = NULL;
}

bool flm_jfr_events_process(struct flm_jfr_events *e, uint64_t type, struct flm_jfr_cursor fields)
{
    static const struct flm_jfr_wanted wanted[] = {{"pid", 0}, {"javaArguments", 1}};
    struct flm_jfr_value values[2] = {{0}};
    struct flm_jfr_plan of;
    if (type != e->process_type ||
        !flm_jfr_plan_make(&of, e->constants->types, flm_jfr_type_of(e->constants->types, type),
                           wanted, 2))
        return false;
    flm_jfr_plan_read(&of, e->constants->types, &fields, values);
    if (fields.failed)
        return false;
    if (is_number(&values[0]) && (int64_t)values[0].number > 0) {
        flm_text_uint(&e->stacks.process, values[0].number);
        e->process = e->process ? e->process : values[0].number;
        e->has_processes = e->process != values[0].number;
    }
    e->text.size = 0;
    if (add_text(e, &values[1], &e->text))
        set_process_name(e, bytes_of(&e->text));
    e->no_memory |= e->stacks.process.failed || e->text.failed;
    return true;
}

void flm_jfr_events_add(struct flm_jfr_events *e, uint64_t id, uint64_t offset,
                        struct flm_jfr_cursor fields)
{
    struct flm_jfr_value *values = e->values;
    uint32_t number = type_of(e, id);
    if (number == FLM_NONE)
        return;
    const struct event_type *type = &e->types.at[number];
    struct flm_jfr_cursor c = fields;
    if (e->filled != number) /* events of a type fill the same slots */
        memset(values, 0, sizeof e->values);
    e->filled = number;
    if (type->handling != IGNORED)
        flm_jfr_plan_read(&type->plan, e->constants->types, &c, values);
    if (type->is_duration) {
        values[VALUE] = values[DURATION];
        values[VALUE].unit = FLM_JFR_TICKS;
    }
    if (c.failed && e->malformed++ == 0)
        e->malformed_offset = e->chunk_offset + offset;
    if (!c.failed)
        handlers[type->handling](e, type, values, fields);
}

/* The metrics as the table has them: a recording of several chunks may begin with any event. */
static void order_metrics(struct flm_jfr_events *e)
{
    struct flm_builder *b = e->builder;
    struct flm_builder_metric ordered[SAMPLE_ROWS];
    uint32_t rank[SAMPLE_ROWS], count = 0;
    if (b->metric_count > SAMPLE_ROWS)
        return;
    for (uint32_t row = 0; row < SAMPLE_ROWS; row++) {
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
        return; /* there are none, or the builder has others too */
    memcpy(b->metrics, ordered, count * sizeof *ordered);
    for (size_t i = 0; i < b->residuals.links.count; i++)
        b->residuals.links.at[i].metric = rank[b->residuals.links.at[i].metric];
}

/* The allocations of TLABs are what the other event samples, where the recording has only them. */
static void name_allocations(struct flm_jfr_events *e)
{
    bool has_sampled = false;
    for (size_t i = 0; i < SAMPLE_ROWS; i++)
        has_sampled |= strcmp(samples[i].metric, "allocation") == 0 && e->metrics[i] != FLM_NONE;
    for (size_t i = 0; i < SAMPLE_ROWS; i++)
        if (strcmp(samples[i].metric, "tlab-allocation") == 0 && e->metrics[i] != FLM_NONE &&
            !has_sampled)
            e->builder->metrics[e->metrics[i]].name =
                flm_builder_string(e->builder, "allocation", 10).index;
}

static void note_ignored(struct flm_jfr_events *e)
{
    e->text.size = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < e->ignored.count; i++)
        total += e->ignored.at[i].count;
    if (total == 0)
        return;
    flm_text_uint(&e->text, total);
    for (size_t n = 0; n < MOST_NOTED; n++) {
        struct ignored *most = NULL;
        for (size_t i = 0; i < e->ignored.count; i++)
            if (e->ignored.at[i].count > 0 && (!most || e->ignored.at[i].count > most->count))
                most = &e->ignored.at[i];
        if (!most)
            break;
        flm_text_puts(&e->text, n == 0 ? ": " : ", ");
        flm_text_add(&e->text, flm_interner_text(&e->builder->interner, most->name));
        flm_text_format(&e->text, " %llu", (unsigned long long)most->count);
        total -= most->count;
        most->count = 0;
    }
    if (total > 0)
        flm_text_puts(&e->text, " ...");
    note(e, "events that are not shown", &e->text);
}

bool flm_jfr_events_finish(struct flm_jfr_events *e)
{
    if (flm_jfr_events_failed(e))
        return !e->no_memory && !e->stacks.no_memory;
    count_leaks(e);
    flm_jfr_stacks_finish(&e->stacks);
    note_ignored(e);
    if (e->unsampled)
        flm_builder_lost(e->builder, "CPU-time samples whose stack could not be read", "", 0,
                         (double)e->unsampled);
    if (e->left_out)
        flm_builder_lost(e->builder, "markers and points of counters beyond the first 200000", "",
                         0, (double)e->left_out);
    if (e->malformed)
        flm_builder_lost(e->builder, "malformed events", "byte", e->malformed_offset,
                         (double)e->malformed);
    if (!flm_builder_failed(e->builder) && !e->no_memory) {
        name_allocations(e);
        order_metrics(e);
    }
    return !e->no_memory;
}
