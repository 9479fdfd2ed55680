/* rocprof_json.c - what rocprofv3 writes with --output-format json.
 *
 *     {"rocprofiler-sdk-tool": [{
 *        "metadata": {"pid": 4711, "command": ["./app"], ...},
 *        "agents": [{"id": {"handle": 92}, "logical_node_type_id": 0, ...}, ...],
 *        "strings": {"buffer_records": [{"kind": "HIP_RUNTIME_API", "operations": [...]}, ...],
 *                    "marker_api": [{"key": 12, "value": "step"}, ...],
 *                    "correlation_id": {"external": [{"key": 3, "value": "renamed"}]}},
 *        "kernel_symbols": [{"kernel_id": 9, "formatted_kernel_name": "add(float*)", ...}, ...],
 *        "buffer_records": {
 *          "kernel_dispatch": [{"correlation_id": {"internal": 7, "external": 0},
 *                               "start_timestamp": 10, "end_timestamp": 20,
 *                               "dispatch_info": {"agent_id": {"handle": 92}, "kernel_id": 9,
 *                                                 "queue_id": {"handle": 1}}}, ...],
 *          "hip_api": [{"kind": 1, "operation": 2, "thread_id": 4711, ...}, ...],
 *          "hsa_api", "rccl_api", "marker_api" ..., "memory_copy": [...]}}]}
 *
 * An object for each process; before ROCm 6.3 the object alone. A dispatch or a copy is below the
 * call that has its internal correlation; that of a range of roctx is the number of its message.
 * Names are looked up when the object ends: tools that sort its members put them behind the
 * records. */
#include "base/core/hash.h"
#include "base/number/number.h"
#include "base/text/json_read.h"
#include "format/core/json_head.h"
#include "format/gpu/gpu.h"
#include "profile/internal.h"

static const char root_key[] = "rocprofiler-sdk-tool";

/* Which table a name is in, with a number of its own. */
enum table { KERNELS, MESSAGES, RENAMED, AGENTS, OPERATIONS, KINDS };

struct name {
    uint64_t number;
    uint32_t table, value; /* a string; of agents a number */
};

/* A record of any table, as far as it is there. */
struct record {
    int64_t kind, operation, thread, start, end, internal, external, bytes, kernel;
    int64_t agent, source, queue, stream; /* -1: none; a copy comes from `source` */
};

/* What the name of a call or a piece of work is made of, until the object ends. */
struct pending {
    uint64_t kind, operation;
    uint64_t correlation, external, kernel;
};

struct reading {
    struct flm_json json;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_gpu gpu;

    /* Of one process. */
    uint64_t run;
    int64_t pid;
    struct FLM_ARRAY(struct name) names;
    struct flm_index index;
    struct FLM_ARRAY(struct pending) calls, work; /* of gpu.calls and gpu.work, from these on */
    size_t first_call, first_work, first_track;
    struct flm_text text;
    bool has_records;
};

/* ---- Names ----------------------------------------------------------------------------------- */

static uint32_t name_hash(uint32_t table, uint64_t number)
{
    return flm_hash_numbers(flm_hash_numbers(number, number >> 32), table);
}

static void add_name(struct reading *r, enum table table, uint64_t number, uint32_t value)
{
    struct name name = {number, table, value};
    struct flm_probe at = flm_index_probe(&r->index, name_hash(table, number));
    while (flm_index_next(&r->index, &at))
        if (r->names.at[at.found].number == number && r->names.at[at.found].table == table)
            return; /* the first one stays */
    if (!FLM_ARRAY_ADD(&r->names, name) ||
        !flm_index_add(&r->index, name_hash(table, number), (uint32_t)r->names.count - 1))
        flm_builder_fail_memory(r->builder);
}

/* 0: not known. */
static uint32_t find_name(const struct reading *r, enum table table, uint64_t number)
{
    struct flm_probe at = flm_index_probe(&r->index, name_hash(table, number));
    while (flm_index_next(&r->index, &at))
        if (r->names.at[at.found].number == number && r->names.at[at.found].table == table)
            return r->names.at[at.found].value;
    return 0;
}

static uint64_t operation_key(uint64_t kind, uint64_t operation)
{
    return kind << 32 | (operation & UINT32_MAX);
}

static uint32_t read_string(struct reading *r)
{
    struct flm_bytes text;
    if (flm_json_type(&r->json) != FLM_JSON_TYPE_STRING || !flm_json_string(&r->json, &text))
        return 0;
    return flm_builder_string(r->builder, text.at, text.size).index;
}

/* -1 for a value that is no whole number. One of 2^63 and more, as handles may be, is negative. */
static int64_t read_integer(struct reading *r)
{
    struct flm_json_number number;
    uint64_t value;
    return flm_json_type(&r->json) == FLM_JSON_TYPE_NUMBER && flm_json_number(&r->json, &number) &&
                   flm_number_parse_uint(number.text, &value)
               ? (int64_t)value
               : -1;
}

static bool going_on(struct reading *r)
{
    return !r->json.failed && !flm_builder_failed(r->builder);
}

/* Enters the value if it is of that type; otherwise it is skipped by its reader's loop. */
static bool enter_object(struct reading *r)
{
    return flm_json_type(&r->json) == FLM_JSON_TYPE_OBJECT && flm_json_enter_object(&r->json);
}

static bool enter_array(struct reading *r)
{
    return flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY && flm_json_enter_array(&r->json);
}

static bool next_key(struct reading *r, struct flm_bytes *key)
{
    return going_on(r) && flm_json_next_key(&r->json, key);
}

static bool next_item(struct reading *r)
{
    return going_on(r) && flm_json_next_item(&r->json);
}

/* {"handle": 92} */
static int64_t read_handle(struct reading *r)
{
    struct flm_bytes key;
    int64_t handle = -1;
    if (enter_object(r))
        while (next_key(r, &key))
            if (flm_bytes_are(key, "handle"))
                handle = read_integer(r);
    return handle;
}

/* [{"key": 12, "value": "step"}, ...] */
static void read_pairs(struct reading *r, enum table table)
{
    struct flm_bytes key;
    if (!enter_array(r))
        return;
    while (next_item(r)) {
        int64_t number = -1;
        uint32_t value = 0;
        if (enter_object(r))
            while (next_key(r, &key)) {
                if (flm_bytes_are(key, "key"))
                    number = read_integer(r);
                else if (flm_bytes_are(key, "value"))
                    value = read_string(r);
            }
        add_name(r, table, (uint64_t)number, value);
    }
}

static void read_kinds(struct reading *r)
{
    struct flm_bytes key;
    if (!enter_array(r))
        return;
    for (uint64_t kind = 0; next_item(r); kind++) {
        uint64_t operation = 0;
        if (enter_object(r))
            while (next_key(r, &key)) {
                if (flm_bytes_are(key, "kind"))
                    add_name(r, KINDS, kind, read_string(r));
                else if (flm_bytes_are(key, "operations") && enter_array(r))
                    for (; next_item(r); operation++)
                        add_name(r, OPERATIONS, operation_key(kind, operation), read_string(r));
            }
    }
}

static void read_strings(struct reading *r)
{
    struct flm_bytes key;
    if (!enter_object(r))
        return;
    while (next_key(r, &key)) {
        if (flm_bytes_are(key, "buffer_records"))
            read_kinds(r);
        else if (flm_bytes_are(key, "marker_api"))
            read_pairs(r, MESSAGES);
        else if (flm_bytes_are(key, "correlation_id") && enter_object(r))
            while (next_key(r, &key))
                if (flm_bytes_are(key, "external"))
                    read_pairs(r, RENAMED);
    }
}

static void read_kernels(struct reading *r)
{
    struct flm_bytes key;
    if (!enter_array(r))
        return;
    while (next_item(r)) {
        int64_t number = -1;
        uint32_t mangled = 0, name = 0;
        if (enter_object(r))
            while (next_key(r, &key)) {
                if (flm_bytes_are(key, "kernel_id"))
                    number = read_integer(r);
                else if (flm_bytes_are(key, "kernel_name"))
                    mangled = read_string(r);
                else if (flm_bytes_are(key, "formatted_kernel_name"))
                    name = read_string(r);
            }
        add_name(r, KERNELS, (uint64_t)number, name ? name : mangled);
    }
}

static void read_agents(struct reading *r)
{
    struct flm_bytes key;
    if (!enter_array(r))
        return;
    while (next_item(r)) {
        enum { CPU = 1 };
        int64_t handle = -1, number = -1, node = 0, type = 0;
        if (enter_object(r))
            while (next_key(r, &key)) {
                if (flm_bytes_are(key, "id"))
                    handle = read_handle(r);
                else if (flm_bytes_are(key, "logical_node_type_id"))
                    number = read_integer(r);
                else if (flm_bytes_are(key, "node_id"))
                    node = read_integer(r);
                else if (flm_bytes_are(key, "type"))
                    type = read_integer(r);
            }
        if (type != CPU)
            add_name(r, AGENTS, (uint64_t)handle, 1 + (uint32_t)(number >= 0 ? number : node));
    }
}

static void read_metadata(struct reading *r)
{
    struct flm_bytes key, text;
    struct flm_text *command = &r->text;
    command->size = 0;
    if (!enter_object(r))
        return;
    while (next_key(r, &key)) {
        if (flm_bytes_are(key, "pid"))
            r->pid = read_integer(r);
        else if (flm_bytes_are(key, "command") && enter_array(r))
            while (next_item(r))
                if (flm_json_type(&r->json) == FLM_JSON_TYPE_STRING &&
                    flm_json_string(&r->json, &text)) {
                    flm_text_puts(command, command->size > 0 ? " " : "");
                    flm_text_add(command, text);
                }
    }
    if (command->failed)
        flm_builder_fail_memory(r->builder);
    else if (command->size > 0)
        flm_builder_note(r->builder, "command", command->at, command->size);
}

/* ---- Records --------------------------------------------------------------------------------- */

static void read_dispatch(struct reading *r, struct record *record)
{
    struct flm_bytes key;
    if (!enter_object(r))
        return;
    while (next_key(r, &key)) {
        if (flm_bytes_are(key, "agent_id"))
            record->agent = read_handle(r);
        else if (flm_bytes_are(key, "queue_id"))
            record->queue = read_handle(r);
        else if (flm_bytes_are(key, "kernel_id"))
            record->kernel = read_integer(r);
    }
}

static void read_correlation(struct reading *r, struct record *record)
{
    struct flm_bytes key;
    if (!enter_object(r))
        return;
    while (next_key(r, &key)) {
        if (flm_bytes_are(key, "internal"))
            record->internal = read_integer(r);
        else if (flm_bytes_are(key, "external"))
            record->external = read_integer(r);
    }
}

static void read_record(struct reading *r, struct record *record)
{
    static const struct {
        const char *key;
        size_t offset;
    } numbers[] = {{"kind", offsetof(struct record, kind)},
                   {"operation", offsetof(struct record, operation)},
                   {"thread_id", offsetof(struct record, thread)},
                   {"start_timestamp", offsetof(struct record, start)},
                   {"end_timestamp", offsetof(struct record, end)},
                   {"bytes", offsetof(struct record, bytes)}};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    struct flm_bytes key;
    *record = (struct record){-1, -1, 0, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1};
    if (!enter_object(r))
        return;
    while (next_key(r, &key)) {
        size_t i = 0;
        while (i < NUMBERS && !flm_bytes_are(key, numbers[i].key))
            i++;
        if (i < NUMBERS)
            *(int64_t *)((char *)record + numbers[i].offset) = read_integer(r);
        else if (flm_bytes_are(key, "correlation_id"))
            read_correlation(r, record);
        else if (flm_bytes_are(key, "dispatch_info"))
            read_dispatch(r, record);
        else if (flm_bytes_are(key, "dst_agent_id"))
            record->agent = read_handle(r);
        else if (flm_bytes_are(key, "src_agent_id"))
            record->source = read_handle(r);
        else if (flm_bytes_are(key, "stream_id"))
            record->stream = read_handle(r);
    }
    /* What a GPU sends to the host, or to one that is not in the table, is its own work. */
    if (find_name(r, AGENTS, (uint64_t)record->agent) == 0 &&
        find_name(r, AGENTS, (uint64_t)record->source) > 0)
        record->agent = record->source;
}

static uint32_t thread_of(struct reading *r, const struct record *record)
{
    uint64_t key = flm_mix(r->run + 1, (uint64_t)record->thread + 2) << 1;
    uint32_t found = flm_gpu_find_track(&r->gpu, key);
    struct flm_bytes none = {"", 0};
    return found != FLM_NONE ? found
                             : flm_gpu_add_thread(&r->gpu, key, r->pid, none, record->thread, none);
}

/* The stream, or, of versions that do not say it, the queue. */
static uint32_t stream_of(struct reading *r, const struct record *record)
{
    bool is_queue = record->stream < 0 && record->queue >= 0;
    int64_t number = is_queue ? record->queue : record->stream >= 0 ? record->stream : 0;
    uint64_t key = flm_mix(flm_mix(r->run + 1, (uint64_t)record->agent + 2),
                           flm_mix((uint64_t)number + 3, 4 + (uint64_t)is_queue))
                       << 1 |
                   1;
    uint32_t found = flm_gpu_find_track(&r->gpu, key);
    uint32_t gpu = find_name(r, AGENTS, (uint64_t)record->agent); /* its number and 1 */
    struct flm_bytes none = {"", 0};
    return found != FLM_NONE ? found
                             : flm_gpu_add_queue(&r->gpu, key, r->pid, none, gpu > 0 ? gpu - 1 : 0,
                                                 is_queue ? "queue" : "stream", number);
}

static struct pending pending_of(const struct record *record)
{
    return (struct pending){(uint64_t)record->kind, (uint64_t)record->operation,
                            (uint64_t)record->internal, (uint64_t)record->external,
                            (uint64_t)record->kernel};
}

static void add_call(struct reading *r, const struct record *record)
{
    struct flm_gpu_call call = {.group = r->run, .correlation = record->internal};
    if (!FLM_ARRAY_ADD(&r->calls, pending_of(record)))
        flm_builder_fail_memory(r->builder);
    flm_gpu_add_call(&r->gpu, thread_of(r, record), record->start, record->end, &call);
}

static void add_work(struct reading *r, const struct record *record)
{
    struct flm_gpu_work work = {.group = r->run,
                                .correlation = record->internal > 0 ? record->internal : -1,
                                .time_ns = record->start,
                                .bytes = record->bytes > 0 ? (uint64_t)record->bytes : 0,
                                .track = stream_of(r, record)};
    if (!FLM_ARRAY_ADD(&r->work, pending_of(record)))
        flm_builder_fail_memory(r->builder);
    flm_gpu_add_work(&r->gpu, record->end, &work);
}

/* What has no place in a profile yet. */
static const char *const others[][2] = {{"counter_collection", "values of hardware counters"},
                                        {"memory_allocation", "allocations of GPU memory"},
                                        {"scratch_memory", "allocations of GPU memory"},
                                        {"pc_sample_host_trap", "samples of GPU instructions"},
                                        {"pc_sample_stochastic", "samples of GPU instructions"}};

static void count_others(struct reading *r, const char *what)
{
    double count = 0;
    while (next_item(r))
        count++;
    if (count > 0)
        flm_builder_lost(r->builder, what, "", 0, count);
}

/* One table: calls are in those that end with _api. */
static void read_table(struct reading *r, struct flm_bytes key)
{
    bool is_call = flm_bytes_end_with(key, "_api");
    bool is_work = flm_bytes_are(key, "kernel_dispatch") || flm_bytes_are(key, "memory_copy");
    const char *what = "other records";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (flm_bytes_are(key, others[i][0]))
            what = others[i][1];
    if (!enter_array(r))
        return;
    if (!is_call && !is_work) {
        count_others(r, what);
        return;
    }
    r->has_records = true;
    while (next_item(r)) {
        struct record record;
        read_record(r, &record);
        if (!going_on(r))
            return;
        if (record.start < 0 || record.end < 0)
            flm_builder_lost(r->builder, "records without a begin or an end", "", 0, 1);
        else if (is_call)
            add_call(r, &record);
        else
            add_work(r, &record);
    }
}

static void read_tables(struct reading *r)
{
    struct flm_bytes key;
    if (enter_object(r))
        while (next_key(r, &key))
            read_table(r, key);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static uint32_t frame_of(struct reading *r, uint32_t name, uint32_t module, uint32_t kind)
{
    if (name == 0)
        name = flm_builder_string(r->builder, "(unnamed)", 9).index;
    return flm_builder_frame(
               r->builder,
               &(struct flm_frame_record){.function = name, .module = module, .kind = kind})
        .index;
}

static uint32_t string_of(struct reading *r, const char *text)
{
    return flm_builder_string(r->builder, text, strlen(text)).index;
}

static void name_call(struct reading *r, struct flm_gpu_call *call, const struct pending *p)
{
    uint32_t message = find_name(r, MESSAGES, p->correlation);
    call->is_range = message != 0;
    call->frame = message
                      ? frame_of(r, message, string_of(r, "roctx"), FLM_KIND_PLAIN)
                      : frame_of(r, find_name(r, OPERATIONS, operation_key(p->kind, p->operation)),
                                 find_name(r, KINDS, p->kind), FLM_KIND_NATIVE);
}

static uint32_t name_work(struct reading *r, const struct pending *p)
{
    uint32_t name = (int64_t)p->external > 0 ? find_name(r, RENAMED, p->external) : 0;
    bool is_kernel = (int64_t)p->kernel >= 0;
    if (name == 0)
        name = is_kernel ? find_name(r, KERNELS, p->kernel)
                         : find_name(r, OPERATIONS, operation_key(p->kind, p->operation));
    return frame_of(r, name, string_of(r, is_kernel ? "kernel" : "memcpy"), FLM_KIND_GPU);
}

/* A range that takes no time is a mark of the program: a marker. It leaves the calls, which are
 * nested later. */
static void add_markers(struct reading *r)
{
    for (size_t t = r->first_track; t < r->gpu.tracks.count && !flm_builder_failed(r->builder);
         t++) {
        struct flm_gpu_track *track = &r->gpu.tracks.at[t];
        size_t kept = 0;
        for (size_t i = 0; i < track->calls.count; i++) {
            struct flm_call *call = &track->calls.at[i];
            const struct flm_gpu_call *of = &r->gpu.calls.at[call->name];
            bool is_marker = of->is_range && call->duration_ns == 0;
            if (!is_marker)
                track->calls.at[kept++] = *call;
            else if (r->options->keep_times)
                flm_builder_marker(
                    r->builder, call->time_ns, 0,
                    (struct flm_string){find_name(r, MESSAGES, (uint64_t)of->correlation)},
                    (struct flm_string){0}, track->labels);
        }
        track->calls.count = kept;
    }
}

static void end_process(struct reading *r)
{
    if (flm_builder_failed(r->builder))
        return;
    for (size_t i = 0; i < r->calls.count; i++)
        name_call(r, &r->gpu.calls.at[r->first_call + i], &r->calls.at[i]);
    for (size_t i = 0; i < r->work.count; i++)
        r->gpu.work.at[r->first_work + i].frame = name_work(r, &r->work.at[i]);
    add_markers(r);
    r->first_call = r->gpu.calls.count;
    r->first_work = r->gpu.work.count;
    r->first_track = r->gpu.tracks.count;
    r->calls.count = r->work.count = r->names.count = 0;
    flm_index_clear(&r->index);
    r->run++;
}

static void read_process(struct reading *r)
{
    static const struct {
        const char *key;
        void (*read)(struct reading *r);
    } members[] = {{"metadata", read_metadata},       {"agents", read_agents},
                   {"strings", read_strings},         {"kernel_symbols", read_kernels},
                   {"callback_records", read_tables}, {"buffer_records", read_tables}};
    struct flm_bytes key;
    r->pid = 0;
    if (!enter_object(r))
        return;
    while (next_key(r, &key))
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            if (flm_bytes_are(key, members[i].key)) {
                members[i].read(r);
                break;
            }
    end_process(r);
}

static void read_root(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (next_key(r, &key)) {
        if (!flm_bytes_are(key, root_key))
            continue;
        if (flm_json_type(&r->json) == FLM_JSON_TYPE_OBJECT)
            read_process(r);
        else if (enter_array(r))
            while (next_item(r))
                read_process(r);
    }
}

static bool read_rocprof(struct flm_source *source, const struct flm_read_options *options,
                         struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder, .options = options};
    r.gpu.builder = builder;
    r.gpu.options = options;
    flm_json_init(&r.json, source, why);
    flm_builder_note(builder, "producer", "rocprofv3", 9);
    read_root(&r);
    bool good = true;
    if (flm_builder_failed(builder))
        flm_json_clear(&r.json);
    else
        good = flm_json_finish(&r.json) &&
               (r.has_records ||
                flm_error_set(why, FLM_ERROR_FORMAT, "it has no kernels, copies or calls"));
    if (good && !flm_builder_failed(builder))
        flm_gpu_finish(&r.gpu);
    flm_gpu_clear(&r.gpu);
    FLM_ARRAY_CLEAR(&r.names);
    FLM_ARRAY_CLEAR(&r.calls);
    FLM_ARRAY_CLEAR(&r.work);
    flm_index_clear(&r.index);
    flm_text_clear(&r.text);
    return good;
}

static int sniff_rocprof(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_json_head_begins(head, '{') && flm_json_head_has(head, root_key) ? FLM_SNIFF_SURE
                                                                                : FLM_SNIFF_NO;
}

const struct flm_format flm_format_rocprof_json = {
    .name = "rocprof-json",
    .title = "rocprof JSON",
    .extensions = "",
    .description = "results.json of rocprofv3: GPU work, calls of HIP and HSA, roctx ranges",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_rocprof,
    .read = read_rocprof,
};
