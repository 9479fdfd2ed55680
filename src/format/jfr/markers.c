/* markers.c - events that become markers and points of counters.
 *
 * Events of the VM that explain what happened at a moment become markers: garbage collections, for
 * example. So do all events of the application, under their own names. The fields of an event are
 * the detail of its marker. */
#include "base/number/number.h"
#include "format/jfr/events.h"
#include "profile/internal.h"

enum {
    MOST_MARKERS = 200000,
    MOST_POINTS = 400000,
    MOST_DETAIL = 300,      /* bytes, for one marker */
    MOST_DETAILS = 16 << 20 /* bytes, for all markers */
};

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

/* Counters with is_first get no labels as long as all chunks are of one process. The viewer has
 * room for a few counters and shows those without labels first. */
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

void flm_jfr_classify_marker(struct flm_jfr_event_type *type, struct flm_bytes name)
{
    for (uint16_t i = 0; i < COUNTER_ROWS; i++)
        if (flm_bytes_are(name, counters[i].event)) {
            type->handling = FLM_JFR_HANDLE_COUNTER;
            type->row = type->row_count++ ? type->row : i;
        }
    for (uint16_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (flm_bytes_are(name, markers[i].event)) {
            type->handling = FLM_JFR_HANDLE_MARKER;
            type->row = i;
        }
}

void flm_jfr_want_counter(const struct flm_jfr_event_type *type, struct flm_jfr_wanted *wanted,
                          size_t *count)
{
    for (unsigned i = 0; i < type->row_count; i++)
        flm_jfr_want(wanted, count, counters[type->row + i].field, FLM_JFR_SLOT_VALUE + i);
}

/* ---- Details of markers ---------------------------------------------------------------------- */

/* "1.91 ms"; less than a millisecond in ns. */
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
    if (!flm_jfr_is_number(value))
        return flm_jfr_text_add(e, value, out);
    if (value->unit == FLM_JFR_ADDRESS || (value->kind == FLM_JFR_LONG && value->number >> 62 == 1))
        return false; /* an address, a point in time, or "for ever" */
    if (value->unit >= FLM_JFR_TICKS && value->unit <= FLM_JFR_S) {
        double ns = flm_jfr_number_of(e, value);
        add_duration(out, ns < 9e18 ? (int64_t)ns : INT64_MAX);
        return true;
    }
    if (value->kind == FLM_JFR_BYTE && !o->is_unsigned && value->number <= 1) {
        flm_text_puts(out, value->number ? "true" : "false");
        return true;
    }
    double number = flm_jfr_number_of(e, value);
    if (number - number != 0)
        return false;
    flm_text_add(out, (struct flm_bytes){digits, flm_number_print(number, digits)});
    if (value->unit == FLM_JFR_BYTES)
        flm_text_puts(out, " bytes");
    return true;
}

/* Writes the fields of an event to e->text: "name: G1New, cause: G1 Evacuation Pause, longestPause:
 * 1.91 ms". Leaves out those that the marker itself has, such as its time. */
static void describe(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
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
        flm_text_add(&e->text, flm_jfr_bytes_of(&e->value));
    }
    if (e->text.size > MOST_DETAIL) { /* not in the middle of a character */
        e->text.size = MOST_DETAIL;
        while (e->text.size > 0 && ((unsigned char)e->text.at[e->text.size] & 0xc0) == 0x80)
            e->text.size--;
    }
    e->no_memory |= e->text.failed || e->value.failed;
}

/* ---- Markers and counters -------------------------------------------------------------------- */

void flm_jfr_handle_marker(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    int64_t time_ns = flm_jfr_time_of(e, &values[FLM_JFR_SLOT_START]);
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
    struct flm_jfr_thread *thread =
        flm_jfr_thread_of(&e->stacks, values[FLM_JFR_SLOT_THREAD].number);
    struct flm_bytes name = type->row < sizeof markers / sizeof *markers
                                ? flm_bytes_of(markers[type->row].name)
                                : e->constants->types->types.at[type->type].name;
    int64_t lasts = values[FLM_JFR_SLOT_DURATION].kind
                        ? flm_jfr_ticks_ns(e, (int64_t)values[FLM_JFR_SLOT_DURATION].number)
                        : 0;
    struct flm_label_set labels = flm_jfr_labels(&e->stacks, thread, FLM_JFR_UNSTATED);
    struct flm_string detail = flm_jfr_string_of(e, flm_jfr_bytes_of(&e->text));
    flm_builder_marker(e->builder, time_ns, lasts > 0 ? lasts : 0, flm_jfr_string_of(e, name),
                       detail, labels);
}

void flm_jfr_handle_counter(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                            const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)fields;
    int64_t time_ns = flm_jfr_time_of(e, &values[FLM_JFR_SLOT_START]);
    if (!e->options->keep_times || time_ns == FLM_NO_TIME)
        return;
    for (size_t i = 0; i < type->row_count; i++) {
        const struct counter_row *row = &counters[type->row + i];
        if (!flm_jfr_is_number(&values[FLM_JFR_SLOT_VALUE + i]))
            continue;
        if (e->point_count >= MOST_POINTS) {
            e->left_out++;
            continue;
        }
        e->point_count++;
        double value = flm_jfr_number_of(e, &values[FLM_JFR_SLOT_VALUE + i]);
        if (*row->unit == '%')
            value *= 100;
        struct flm_label_set labels = {0};
        if (!row->is_first || e->has_processes)
            labels = flm_jfr_labels(&e->stacks, &e->stacks.threads.at[0], FLM_JFR_UNSTATED);
        struct flm_counter counter =
            flm_builder_counter(e->builder, flm_jfr_string_of(e, flm_bytes_of(row->name)),
                                flm_jfr_string_of(e, flm_bytes_of(row->unit)), labels);
        flm_builder_counter_point(e->builder, counter, time_ns, value);
    }
}
