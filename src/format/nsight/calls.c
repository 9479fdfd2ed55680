#include "format/nsight/internal.h"
#include "profile/internal.h"

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Tables whose calls are called by a better name than the table's, or have stacks. */
static const struct api {
    const char *table, *module, *stacks;
    bool has_versions; /* names end with the version of CUDA that the function is from */
} apis[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA API", "CUDA_CALLCHAINS", true},
    {"CUDA_GRAPH_EVENTS", "CUDA API", NULL, true},
    {"OSRT_API", "OS runtime", "OSRT_CALLCHAINS", false},
    {"CUBLAS_EVENTS", "cuBLAS", NULL, false},
    {"CUDNN_EVENTS", "cuDNN", NULL, false},
    {"PROFILER_OVERHEAD", "profiler overhead", NULL, false},
};

bool flm_nsight_has_calls(const struct flm_nsight *n, const struct flm_sqlite_table *table)
{
    static const char *const columns[] = {"start", "end", "globalTid"};
    for (int i = 0; i < 3; i++)
        if (!flm_sqlite_has_column(&n->db, table, columns[i]))
            return false;
    return (flm_sqlite_has_column(&n->db, table, "nameId") ||
            flm_sqlite_has_column(&n->db, table, "textId")) &&
           !flm_sqlite_has_column(&n->db, table, "gpu") &&
           !flm_sqlite_has_column(&n->db, table, "deviceId");
}

/* "cudaLaunchKernel_v7000" is cudaLaunchKernel, as in Nsight's own reports. */
static struct flm_bytes without_version(struct flm_bytes name)
{
    size_t size = name.size;
    while (size > 0 && name.at[size - 1] >= '0' && name.at[size - 1] <= '9')
        size--;
    if (size >= 3 && size < name.size && name.at[size - 1] == 'v' && name.at[size - 2] == '_')
        name.size = size - 2;
    return name;
}

static struct flm_bytes function_of(const struct flm_nsight *n, uint32_t frame)
{
    const struct flm_interner *v = &n->builder->interner;
    return flm_interner_text(v, v->frames[frame].function);
}

/* Where in a stack the called function itself is; `size`: nowhere. Above it are only the libraries
 * that intercept the call. Symbols may have a version behind an @. */
static uint32_t find_function(const struct flm_nsight *n, const struct flm_nsight_stack *stack,
                              uint32_t frame)
{
    struct flm_bytes name = function_of(n, frame);
    for (uint32_t i = stack->size; i-- > 0;) {
        struct flm_bytes symbol = function_of(n, n->gpu.frames.at[stack->start + i]);
        if (symbol.size >= name.size && memcmp(symbol.at, name.at, name.size) == 0 &&
            (symbol.size == name.size || symbol.at[name.size] == '@'))
            return i;
    }
    return stack->size;
}

/* The calls from `first` on have the number of their stack (0: none). Nsight Systems 2022.2 wrote
 * numbers of CUDA's stacks that are too small by one: the stack of cudaMemcpy was that of the
 * cudaMalloc before. So the numbers are those with which more stacks have the function that was
 * called. */
static void resolve_stacks(struct flm_nsight *n, const struct flm_nsight_stacks *stacks,
                           size_t first)
{
    uint64_t fits[2] = {0, 0};
    for (size_t i = first; i < n->gpu.calls.count; i++)
        for (uint32_t shift = 0; shift < 2; shift++) {
            const struct flm_gpu_call *call = &n->gpu.calls.at[i];
            const struct flm_nsight_stack *stack =
                call->stack_size > 0 ? flm_nsight_find_stack(stacks, (int64_t)call->stack + shift)
                                     : NULL;
            fits[shift] += stack && find_function(n, stack, call->frame) < stack->size;
        }
    uint32_t shift = fits[1] > fits[0];
    for (size_t i = first; i < n->gpu.calls.count; i++) {
        struct flm_gpu_call *call = &n->gpu.calls.at[i];
        const struct flm_nsight_stack *stack =
            call->stack_size > 0 ? flm_nsight_find_stack(stacks, (int64_t)call->stack + shift)
                                 : NULL;
        call->stack = stack ? stack->start : 0;
        call->stack_size = stack ? find_function(n, stack, call->frame) : 0;
    }
}

static const struct api *api_of(const struct flm_nsight *n, const struct flm_sqlite_table *table)
{
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++)
        if (flm_sqlite_is_name(flm_sqlite_name(&n->db, table->name), flm_bytes_of(apis[i].table)))
            return &apis[i];
    return NULL;
}

static void read_call(struct flm_nsight *n, const struct api *api, const char *module,
                      const struct flm_sqlite_rows *rows)
{
    const struct flm_sqlite_value *value = rows->value;
    struct flm_bytes name = flm_nsight_string(n, &value[value[3].type == FLM_SQLITE_NULL ? 4 : 3]);
    if (api && api->has_versions)
        name = without_version(name);
    struct flm_gpu_call call = {
        .group = flm_nsight_group_of(n, value[2].integer),
        .correlation = value[5].type == FLM_SQLITE_INTEGER && api ? value[5].integer : -1,
        .frame = flm_gpu_frame(n->builder, name, module, FLM_KIND_NATIVE),
    };
    /* Until the stacks are resolved: its number, if it is one that fits; they count from 0. */
    bool has_stack = value[6].type == FLM_SQLITE_INTEGER && value[6].integer >= 0;
    if (has_stack && value[6].integer < UINT32_MAX - 1) {
        call.stack = (uint32_t)value[6].integer;
        call.stack_size = 1;
    } else if (has_stack) {
        flm_builder_lost(n->builder, "stacks of calls with numbers above 2^32", "", 0, 1);
    }
    flm_gpu_add_call(&n->gpu, flm_nsight_thread(n, value[2].integer), value[0].integer,
                     value[1].type == FLM_SQLITE_INTEGER ? value[1].integer : FLM_NO_TIME, &call);
}

void flm_nsight_read_calls(struct flm_nsight *n, const struct flm_sqlite_table *table)
{
    static const char *const wanted[] = {"start",  "end",           "globalTid",   "nameId",
                                         "textId", "correlationId", "callchainId", NULL};
    struct flm_nsight_stacks stacks = {0};
    const struct api *api = api_of(n, table);
    char own[64];
    struct flm_text text;
    flm_text_init_fixed(&text, own, sizeof own - 1);
    flm_text_add(&text, flm_sqlite_name(&n->db, table->name));
    own[text.size] = 0;
    if (api && api->stacks)
        flm_nsight_read_stacks(n, api->stacks, &stacks);
    size_t first = n->gpu.calls.count;
    struct flm_sqlite_rows rows;
    flm_sqlite_begin(&rows, &n->db, table, wanted);
    while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder))
        read_call(n, api, api ? api->module : own, &rows);
    flm_sqlite_end(&rows);
    if (!flm_builder_failed(n->builder))
        resolve_stacks(n, &stacks, first);
    FLM_ARRAY_CLEAR(&stacks);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

enum {
    NVTX_MARK = 34,
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
    NVTXT_PUSH_POP = 70,
    NVTXT_START_END = 71,
    NVTX_DOMAIN = 75
};

enum { START, END, TYPE, TEXT, TEXT_ID, TID, DOMAIN, JSON, JSON_ID, PAYLOAD };

static uint64_t domain_key(const struct flm_sqlite_value *value)
{
    return flm_nsight_process_of(value[TID].integer) << 24 ^ (uint64_t)value[DOMAIN].integer;
}

/* "aten::mm, seq = 12, op_id = 317149": the numbers, which PyTorch adds, make each range another
 * function, so they are shown only where lines are. */
static struct flm_bytes without_numbers(struct flm_bytes text)
{
    static const char *const marks[] = {", seq = ", ", op_id = ", ", sizes = "};
    for (size_t i = 0; i + 8 < text.size; i++)
        for (size_t j = 0; text.at[i] == ',' && j < sizeof marks / sizeof *marks; j++)
            if (flm_bytes_start_with(flm_bytes_from(text, i), marks[j]))
                return (struct flm_bytes){text.at, i};
    return text;
}

/* A domain is a library that has ranges of its own: "NCCL", "MPI". */
static void add_range(struct flm_nsight *n, const struct flm_sqlite_value *value,
                      struct flm_bytes text)
{
    struct flm_bytes domain = flm_nsight_text(&n->domains, domain_key(value));
    char module[64] = "NVTX";
    if (domain.size > 0) {
        struct flm_text name;
        flm_text_init_fixed(&name, module, sizeof module - 1);
        flm_text_add(&name, domain);
        module[name.size] = 0;
    }
    if (!n->options->lines)
        text = without_numbers(text);
    struct flm_gpu_call call = {
        .group = flm_nsight_group_of(n, value[TID].integer),
        .correlation = -1,
        .frame = flm_gpu_frame(n->builder, text, module, FLM_KIND_PLAIN),
        .is_range = true,
    };
    flm_gpu_add_call(&n->gpu, flm_nsight_thread(n, value[TID].integer), value[START].integer,
                     value[END].type == FLM_SQLITE_INTEGER ? value[END].integer : FLM_NO_TIME,
                     &call);
}

/* A range that may end on another thread than it began on is no part of a thread's stack: it is a
 * marker. */
static void add_marker(struct flm_nsight *n, const struct flm_sqlite_value *value,
                       struct flm_bytes text)
{
    struct flm_builder *b = n->builder;
    uint32_t track = flm_nsight_thread(n, value[TID].integer);
    int64_t start = value[START].integer, end = value[END].integer, duration = 0;
    if (value[END].type == FLM_SQLITE_INTEGER && end > start &&
        __builtin_sub_overflow(end, start, &duration))
        duration = INT64_MAX;
    struct flm_bytes detail =
        flm_nsight_string(n, &value[value[JSON].type == FLM_SQLITE_NULL ? JSON_ID : JSON]);
    if (track == FLM_NONE || !n->options->keep_times)
        return;
    flm_builder_marker(b, start, duration,
                       flm_builder_string(b, text.size > 0 ? text.at : "", text.size),
                       flm_builder_string(b, detail.size > 0 ? detail.at : "", detail.size),
                       n->gpu.tracks.at[track].labels);
}

/* A domain is created before it has ranges, so its row comes first. */
void flm_nsight_read_ranges(struct flm_nsight *n)
{
    static const char *const wanted[] = {"start",      "end",        "eventType", "text",
                                         "textId",     "globalTid",  "domainId",  "jsonText",
                                         "jsonTextId", "binaryData", NULL};
    uint64_t payloads = 0;
    struct flm_sqlite_rows rows;
    flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, "NVTX_EVENTS"), wanted);
    while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder)) {
        const struct flm_sqlite_value *value = rows.value;
        struct flm_bytes text =
            flm_nsight_string(n, &value[value[TEXT].type == FLM_SQLITE_NULL ? TEXT_ID : TEXT]);
        bool has_payload =
            value[JSON].type != FLM_SQLITE_NULL || value[JSON_ID].type != FLM_SQLITE_NULL;
        switch (rows.has[TYPE] ? value[TYPE].integer : NVTX_PUSH_POP) {
        case NVTX_DOMAIN:
            flm_nsight_add_text(n, &n->domains, domain_key(value), 0, text);
            break;
        case NVTX_PUSH_POP:
        case NVTXT_PUSH_POP:
            add_range(n, value, text);
            payloads += has_payload;
            break;
        case NVTX_MARK:
        case NVTX_START_END:
        case NVTXT_START_END:
            add_marker(n, value, text);
            break;
        default: /* names of categories, of threads */
            break;
        }
        payloads += value[PAYLOAD].type != FLM_SQLITE_NULL;
    }
    flm_sqlite_end(&rows);
    if (payloads > 0)
        flm_builder_lost(n->builder, "payloads of NVTX ranges", "", 0, (double)payloads);
}
