/* events.c - what each event becomes: a sample (samples.c), a marker or points of counters
 * (markers.c), a note, a loss.
 *
 * When the first event of a type is read, the name of the type is looked up in the tables, and the
 * fields that are wanted are looked up in the metadata of the chunk. Events of the VM that are in
 * no table are counted in a note. */
#include "format/jfr/events.h"
#include "base/core/hash.h"
#include "profile/internal.h"

enum { MOST_NOTED = 12 }; /* the most types in the note "events that are not shown" */

static const struct {
    const char *event;
    enum flm_jfr_handling handling;
} others[] = {
    {"jdk.JVMInformation", FLM_JFR_HANDLE_PROCESS},
    {"jdk.ActiveSetting", FLM_JFR_HANDLE_SETTING},
    {"jdk.OSInformation", FLM_JFR_HANDLE_SYSTEM},
    {"jdk.CPUInformation", FLM_JFR_HANDLE_PROCESSOR},
    {"jdk.DataLoss", FLM_JFR_HANDLE_DATA_LOSS},
    {"jdk.InitialEnvironmentVariable", FLM_JFR_HANDLE_ENVIRONMENT},
    {"profiler.Free", FLM_JFR_HANDLE_FREED},
    {"jdk.CPUTimeSamplesLost", FLM_JFR_HANDLE_LOST},
};

/* ---- Values ---------------------------------------------------------------------------------- */

int64_t flm_jfr_ticks_ns(const struct flm_jfr_events *e, int64_t ticks)
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

int64_t flm_jfr_time_of(const struct flm_jfr_events *e, const struct flm_jfr_value *start)
{
    if (e->clock.ticks_per_second == 0 || start->kind == FLM_JFR_NOTHING)
        return FLM_NO_TIME;
    return e->clock.start_ns + flm_jfr_ticks_ns(e, (int64_t)(start->number - e->clock.start_ticks));
}

double flm_jfr_number_of(const struct flm_jfr_events *e, const struct flm_jfr_value *value)
{
    double number = (double)(int64_t)value->number;
    switch (value->kind == FLM_JFR_FLOAT || value->kind == FLM_JFR_DOUBLE ? (uint8_t)FLM_JFR_COUNT
                                                                          : value->unit) {
    case FLM_JFR_TICKS:
        return (double)flm_jfr_ticks_ns(e, (int64_t)value->number);
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

static void note(struct flm_jfr_events *e, const char *key, const struct flm_text *text)
{
    e->no_memory |= text->failed;
    if (text->size > 0 && !text->failed)
        flm_builder_note(e->builder, key, text->at, text->size);
}

bool flm_jfr_text_add(struct flm_jfr_events *e, const struct flm_jfr_value *value,
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

/* ---- Notes and losses ------------------------------------------------------------------------ */

/* Notes the command: "java -Xmx1g Work 12". */
static void handle_process(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    e->text.size = 0;
    if (flm_jfr_text_add(e, &values[FLM_JFR_SLOT_VALUE], &e->text))
        note(e, "JVM", &e->text);
    e->text.size = 0;
    flm_text_puts(&e->text, "java");
    for (size_t i = 1; i < 3; i++) {
        e->value.size = 0;
        if (!flm_jfr_text_add(e, &values[FLM_JFR_SLOT_VALUE + i], &e->value) || e->value.size == 0)
            continue;
        flm_text_putc(&e->text, ' ');
        flm_text_add(&e->text, flm_jfr_bytes_of(&e->value));
    }
    e->no_memory |= e->value.failed;
    note(e, "command", &e->text);
}

/* The name of the process is the main class or the file name of the archive: "app.jar" of
 * "/srv/app.jar --port 80". */
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

static void handle_setting(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    static const struct {
        const char *event; /* "": the setting is one of async-profiler, for the whole recording */
        const char *setting, *key;
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
    uint32_t of = flm_jfr_type_of(e->constants->types, values[FLM_JFR_SLOT_VALUE].number);
    struct flm_bytes event = {"", 0};
    if (of != FLM_NONE)
        event = e->constants->types->types.at[of].name;
    e->text.size = e->value.size = 0;
    if (!flm_jfr_text_add(e, &values[FLM_JFR_SLOT_VALUE + 1], &e->text) ||
        !flm_jfr_text_add(e, &values[FLM_JFR_SLOT_VALUE + 2], &e->value))
        return;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (flm_bytes_are(flm_jfr_bytes_of(&e->text), settings[i].setting) &&
            (*settings[i].event ? flm_bytes_are(event, settings[i].event)
                                : flm_bytes_are(event, "jdk.ActiveRecording")) &&
            !flm_bytes_are(flm_jfr_bytes_of(&e->value), "0"))
            note(e, settings[i].key, &e->value);
}

/* Notes the first line of a text. */
static void note_line(struct flm_jfr_events *e, const char *key, const struct flm_jfr_value *value)
{
    e->text.size = 0;
    if (!flm_jfr_text_add(e, value, &e->text))
        return;
    for (size_t i = 0; i < e->text.size; i++)
        if (e->text.at[i] == '\n')
            e->text.size = i;
    static const char name[] = "PRETTY_NAME="; /* of /etc/os-release */
    if (flm_bytes_start_with(flm_jfr_bytes_of(&e->text), name)) {
        e->value.size = 0;
        for (size_t i = sizeof name - 1; i < e->text.size; i++)
            if (e->text.at[i] != '"')
                flm_text_putc(&e->value, e->text.at[i]);
        note(e, key, &e->value);
        return;
    }
    note(e, key, &e->text);
}

static void handle_system(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                          const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    note_line(e, "os", &values[FLM_JFR_SLOT_VALUE]);
}

static void handle_processor(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                             const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    note_line(e, "cpu", &values[FLM_JFR_SLOT_VALUE]);
}

static void handle_environment(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                               const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    e->text.size = 0;
    if (flm_jfr_text_add(e, &values[FLM_JFR_SLOT_VALUE], &e->text) &&
        flm_bytes_are(flm_jfr_bytes_of(&e->text), "HOSTNAME"))
        note_line(e, "host", &values[FLM_JFR_SLOT_VALUE + 1]);
}

static void handle_lost(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                        const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    double count = flm_jfr_number_of(e, &values[FLM_JFR_SLOT_VALUE]);
    if (count > 0)
        flm_builder_lost(e->builder, "CPU-time samples that the VM lost", "", 0, count);
}

static void handle_data_loss(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                             const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)type, (void)fields;
    double count = flm_jfr_number_of(e, &values[FLM_JFR_SLOT_VALUE]);
    if (count > 0)
        flm_builder_lost(e->builder, "bytes of events that the VM lost", "", 0, count);
}

static void handle_ignored(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                           const struct flm_jfr_value *values, struct flm_jfr_cursor fields)
{
    (void)values, (void)fields;
    if (type->row < e->ignored.count)
        e->ignored.at[type->row].count++;
}

static flm_jfr_handler *const handlers[FLM_JFR_HANDLINGS] = {
    [FLM_JFR_HANDLE_IGNORED] = handle_ignored,
    [FLM_JFR_HANDLE_SAMPLE] = flm_jfr_handle_sample,
    [FLM_JFR_HANDLE_MARKER] = flm_jfr_handle_marker,
    [FLM_JFR_HANDLE_COUNTER] = flm_jfr_handle_counter,
    [FLM_JFR_HANDLE_PROCESS] = handle_process,
    [FLM_JFR_HANDLE_SETTING] = handle_setting,
    [FLM_JFR_HANDLE_SYSTEM] = handle_system,
    [FLM_JFR_HANDLE_PROCESSOR] = handle_processor,
    [FLM_JFR_HANDLE_ENVIRONMENT] = handle_environment,
    [FLM_JFR_HANDLE_LOST] = handle_lost,
    [FLM_JFR_HANDLE_DATA_LOSS] = handle_data_loss,
    [FLM_JFR_HANDLE_FREED] = flm_jfr_handle_freed,
};

/* ---- Types of events ------------------------------------------------------------------------- */

static void classify(struct flm_jfr_event_type *type, struct flm_bytes name)
{
    flm_jfr_classify_sample(type, name);
    flm_jfr_classify_marker(type, name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (flm_bytes_are(name, others[i].event))
            type->handling = others[i].handling;
    if (type->handling == FLM_JFR_HANDLE_IGNORED && !flm_bytes_start_with(name, "jdk.") &&
        !flm_bytes_start_with(name, "profiler.")) {
        type->handling = FLM_JFR_HANDLE_MARKER; /* an event of the application */
        type->row = FLM_JFR_NO_ROW;
    }
}

/* The row of `ignored` for events of that name. */
static uint16_t ignored_row(struct flm_jfr_events *e, struct flm_bytes name)
{
    uint32_t string = flm_jfr_string_of(e, name).index;
    for (size_t i = 0; i < e->ignored.count; i++)
        if (e->ignored.at[i].name == string)
            return (uint16_t)i;
    if (e->ignored.count == UINT16_MAX)
        return UINT16_MAX;
    e->no_memory |= !FLM_ARRAY_ADD(&e->ignored, (struct flm_jfr_ignored){string, 0});
    return (uint16_t)(e->ignored.count - 1);
}

static bool plan(struct flm_jfr_events *e, struct flm_jfr_event_type *type)
{
    static const struct {
        enum flm_jfr_handling handling;
        const char *fields[3];
    } values[] = {
        {FLM_JFR_HANDLE_PROCESS, {"jvmVersion", "jvmArguments", "javaArguments"}},
        {FLM_JFR_HANDLE_SETTING, {"id", "name", "value"}},
        {FLM_JFR_HANDLE_SYSTEM, {"osVersion"}},
        {FLM_JFR_HANDLE_PROCESSOR, {"cpu"}},
        {FLM_JFR_HANDLE_ENVIRONMENT, {"key", "value"}},
        {FLM_JFR_HANDLE_LOST, {"lostSamples"}},
        {FLM_JFR_HANDLE_DATA_LOSS, {"amount"}},
    };
    struct flm_jfr_wanted wanted[FLM_JFR_MOST_WANTED];
    size_t count = 0;
    flm_jfr_want(wanted, &count, "startTime", FLM_JFR_SLOT_START);
    if (type->handling == FLM_JFR_HANDLE_SAMPLE || type->handling == FLM_JFR_HANDLE_MARKER) {
        flm_jfr_want(wanted, &count, "duration", FLM_JFR_SLOT_DURATION);
        flm_jfr_want(wanted, &count, "sampledThread", FLM_JFR_SLOT_THREAD);
        flm_jfr_want(wanted, &count, "eventThread", FLM_JFR_SLOT_THREAD);
        flm_jfr_want(wanted, &count, "thread", FLM_JFR_SLOT_THREAD);
    }
    if (type->handling == FLM_JFR_HANDLE_SAMPLE)
        flm_jfr_want_sample(type, wanted, &count);
    if (type->handling == FLM_JFR_HANDLE_COUNTER)
        flm_jfr_want_counter(type, wanted, &count);
    if (type->handling == FLM_JFR_HANDLE_FREED)
        flm_jfr_want(wanted, &count, "address", FLM_JFR_SLOT_ADDRESS);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (unsigned j = 0; values[i].handling == type->handling && j < 3; j++)
            if (values[i].fields[j])
                flm_jfr_want(wanted, &count, values[i].fields[j], FLM_JFR_SLOT_VALUE + j);
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
    struct flm_jfr_event_type type = {.id = id, .type = flm_jfr_type_of(e->constants->types, id)};
    struct flm_bytes name = {"events of unknown types", 23};
    if (type.type != FLM_NONE) {
        name = e->constants->types->types.at[type.type].name;
        classify(&type, name);
        if (type.handling != FLM_JFR_HANDLE_IGNORED && !plan(e, &type))
            type.handling = FLM_JFR_HANDLE_IGNORED;
        e->no_memory |= e->constants->types->no_memory;
    }
    if (type.handling == FLM_JFR_HANDLE_IGNORED)
        type.row = ignored_row(e, name);
    type.is_duration = type.handling == FLM_JFR_HANDLE_SAMPLE && flm_jfr_sample_lasts(&type);
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
    for (size_t i = 0; i < FLM_JFR_SAMPLE_ROWS; i++)
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
    if (flm_jfr_is_number(&values[0]) && (int64_t)values[0].number > 0) {
        flm_text_uint(&e->stacks.process, values[0].number);
        e->process = e->process ? e->process : values[0].number;
        e->has_processes = e->process != values[0].number;
    }
    e->text.size = 0;
    if (flm_jfr_text_add(e, &values[1], &e->text))
        set_process_name(e, flm_jfr_bytes_of(&e->text));
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
    const struct flm_jfr_event_type *type = &e->types.at[number];
    struct flm_jfr_cursor c = fields;
    if (e->filled != number) /* events of one type always fill the same slots */
        memset(values, 0, sizeof e->values);
    e->filled = number;
    if (type->handling != FLM_JFR_HANDLE_IGNORED)
        flm_jfr_plan_read(&type->plan, e->constants->types, &c, values);
    if (type->is_duration) {
        values[FLM_JFR_SLOT_VALUE] = values[FLM_JFR_SLOT_DURATION];
        values[FLM_JFR_SLOT_VALUE].unit = FLM_JFR_TICKS;
    }
    if (c.failed && e->malformed++ == 0)
        e->malformed_offset = e->chunk_offset + offset;
    if (!c.failed)
        handlers[type->handling](e, type, values, fields);
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
        struct flm_jfr_ignored *most = NULL;
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
    flm_jfr_count_leaks(e);
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
        flm_jfr_name_allocations(e);
        flm_jfr_order_metrics(e);
    }
    return !e->no_memory;
}
