#include "format/nsight/internal.h"
#include "profile/internal.h"

/* ENUM_CUDA_MEMCPY_OPER, which not every export has. */
static const char *const copy_kinds[] = {"Unknown",
                                         "Host-to-Device",
                                         "Device-to-Host",
                                         "Host-to-Array",
                                         "Array-to-Host",
                                         "Array-to-Array",
                                         "Array-to-Device",
                                         "Device-to-Array",
                                         "Device-to-Device",
                                         "Host-to-Host",
                                         "Peer-to-Peer",
                                         "Unified Host-to-Device",
                                         "Unified Device-to-Host",
                                         "Unified Device-to-Device"};

/* ENUM_CUPTI_SYNC_TYPE */
static const char *const sync_kinds[] = {"Unknown sync", "Event sync", "Stream wait sync",
                                         "Stream sync", "Context sync"};

enum { START, END, DEVICE, STREAM, PROCESS, CORRELATION, FIRST };

#define COMMON "start", "end", "deviceId", "streamId", "globalPid", "correlationId"

static void add_work(struct flm_nsight *n, const struct flm_sqlite_value *value,
                     struct flm_bytes name, const char *module, int64_t bytes)
{
    struct flm_gpu_work work = {
        .group = flm_nsight_group_of(n, value[PROCESS].integer),
        .correlation =
            value[CORRELATION].type == FLM_SQLITE_INTEGER ? value[CORRELATION].integer : -1,
        .time_ns = value[START].integer,
        .bytes = bytes > 0 ? (uint64_t)bytes : 0,
        .frame = flm_gpu_frame(n->builder, name, module, FLM_KIND_GPU),
        .track = flm_nsight_stream(n, value[PROCESS].integer, value[DEVICE].integer,
                                   value[STREAM].integer),
    };
    flm_gpu_add_work(&n->gpu, value[END].integer, &work);
}

static void add_kernel(struct flm_nsight *n, const struct flm_sqlite_value *value)
{
    struct flm_bytes name = {0};
    for (int i = FIRST; i < FIRST + 4 && name.size == 0; i++)
        name = flm_nsight_string(n, &value[i]);
    add_work(n, value, name, "kernel", 0);
}

static struct flm_bytes print(struct flm_text *text, char *buffer, size_t size)
{
    flm_text_init_fixed(text, buffer, size);
    return (struct flm_bytes){buffer, 0};
}

static void add_copy(struct flm_nsight *n, const struct flm_sqlite_value *value)
{
    int64_t kind = value[FIRST].integer;
    bool is_known = kind >= 0 && kind < (int64_t)(sizeof copy_kinds / sizeof *copy_kinds);
    char buffer[80];
    struct flm_text text;
    struct flm_bytes name = print(&text, buffer, sizeof buffer);
    flm_text_format(&text, "[CUDA memcpy %s]", copy_kinds[is_known ? kind : 0]);
    name.size = text.size;
    add_work(n, value, name, "memcpy", value[FIRST + 1].integer);
}

static void add_set(struct flm_nsight *n, const struct flm_sqlite_value *value)
{
    add_work(n, value, flm_bytes_of("[CUDA memset]"), "memset", 0);
}

/* A graph that was launched as a whole, and of which no single kernels were recorded. */
static void add_graph(struct flm_nsight *n, const struct flm_sqlite_value *value)
{
    char buffer[80];
    struct flm_text text;
    struct flm_bytes name = print(&text, buffer, sizeof buffer);
    flm_text_format(&text, "[CUDA graph %lld]", (long long)value[FIRST].integer);
    name.size = text.size;
    add_work(n, value, name, "graph", 0);
}

/* Of a context it has no stream: -1, as 32 bits. */
static void add_wait(struct flm_nsight *n, const struct flm_sqlite_value *value)
{
    struct flm_builder *b = n->builder;
    int64_t kind = value[FIRST].integer;
    bool is_known = kind >= 0 && kind < (int64_t)(sizeof sync_kinds / sizeof *sync_kinds);
    const char *name = sync_kinds[is_known ? kind : 0];
    int64_t stream = value[STREAM].integer == UINT32_MAX ? -1 : value[STREAM].integer;
    uint32_t track = flm_nsight_stream(n, value[PROCESS].integer, value[DEVICE].integer, stream);
    int64_t start = value[START].integer, end = value[END].integer, duration;
    if (track == FLM_NONE || !n->options->keep_times)
        return;
    if (end < start || __builtin_sub_overflow(end, start, &duration))
        duration = 0;
    flm_builder_marker(b, start, duration, flm_builder_string(b, name, strlen(name)),
                       (struct flm_string){0}, n->gpu.tracks.at[track].labels);
}

void flm_nsight_read_work(struct flm_nsight *n)
{
    static const char *const kernel[] = {COMMON,        "demangledName", "shortName",
                                         "mangledName", "name",          NULL};
    static const char *const copy[] = {COMMON, "copyKind", "bytes", NULL};
    static const char *const set[] = {COMMON, NULL};
    static const char *const graph[] = {COMMON, "graphId", NULL};
    static const char *const wait[] = {COMMON, "syncType", NULL};
    static const struct {
        const char *table;
        const char *const *wanted;
        void (*add)(struct flm_nsight *n, const struct flm_sqlite_value *value);
    } tables[] = {{"CUPTI_ACTIVITY_KIND_KERNEL", kernel, add_kernel},
                  {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", kernel, add_kernel},
                  {"CUPTI_ACTIVITY_KIND_MEMCPY", copy, add_copy},
                  {"CUPTI_ACTIVITY_KIND_MEMSET", set, add_set},
                  {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph, add_graph},
                  {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", wait, add_wait}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct flm_sqlite_rows rows;
        flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, tables[i].table),
                         tables[i].wanted);
        while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder))
            tables[i].add(n, rows.value);
        flm_sqlite_end(&rows);
    }
}
