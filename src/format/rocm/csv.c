/* csv.c - tables of rocprof: kernel_trace.csv, hip_api_trace.csv, memory_copy_trace.csv ... of
 * rocprofv3, and the table of kernels that its predecessors wrote.
 *
 *     "Kind","Agent_Id","Queue_Id","Thread_Id","Kernel_Name", ... "Start_Timestamp","End_Timestamp"
 *     "KERNEL_DISPATCH",1,1,69,"void add(float*, int)", ... 8819330200067564,8819330200116308
 *
 * Which columns there are, and where, differs by version; they are found by name. A table has one
 * kind of events: kernels and copies are "GPU time", functions "event time". What launched a kernel
 * is in another file, so kernels have no callers here: the database (rocpd) has both. */
#include "base/number/number.h"
#include "base/text/line_reader.h"
#include "base/text/text.h"
#include "format/gpu/gpu.h"
#include "profile/internal.h"

enum column {
    START,
    END,
    KERNEL,
    FUNCTION,
    DIRECTION,
    DOMAIN,
    DEVICE,
    QUEUE,
    PROCESS,
    THREAD,
    COLUMNS
};

/* The names of a column, by version. */
static const char *const column_names[][4] = {
    [START] = {"Start_Timestamp", "BeginNs"},
    [END] = {"End_Timestamp", "EndNs"},
    [KERNEL] = {"Kernel_Name", "KernelName"},
    [FUNCTION] = {"Function"},
    [DIRECTION] = {"Direction"},
    [DOMAIN] = {"Domain", "Kind"},
    [DEVICE] = {"Agent_Id", "GPU_ID", "gpu-id", "Destination_Agent_Id"},
    [QUEUE] = {"Stream_Id", "Queue_Id", "Queue_ID", "queue-id"},
    [PROCESS] = {"Process_Id", "PID", "pid"},
    [THREAD] = {"Thread_Id", "TID", "tid"},
};

enum { MOST_FIELDS = 64 };

struct table {
    struct flm_gpu gpu;
    struct flm_line_reader lines;
    struct flm_builder *builder;
    int at[COLUMNS]; /* the field of a column; -1: the table has none */
    struct flm_bytes field[MOST_FIELDS];
    int field_count;
    uint64_t kernels, broken;
};

/* Splits a line at its commas, and takes the quotes off. A quote inside a field stays doubled: no
 * name of a function has one. */
static int split(struct flm_bytes line, struct flm_bytes *field)
{
    int count = 0;
    for (size_t i = 0; i <= line.size && count < MOST_FIELDS; i++) {
        bool is_quoted = i < line.size && line.at[i] == '"';
        size_t start = i + is_quoted;
        for (i = start; i < line.size && line.at[i] != (is_quoted ? '"' : ',');)
            i += is_quoted && i + 2 < line.size && line.at[i] == '"' && line.at[i + 1] == '"' ? 2
                                                                                              : 1;
        field[count++] = (struct flm_bytes){line.at + start, i - start};
        while (i < line.size && line.at[i] != ',')
            i++;
    }
    return count;
}

/* Whether a header has the columns that are needed. */
static bool find_columns(struct flm_bytes header, int *at)
{
    struct flm_bytes field[MOST_FIELDS];
    int count = split(header, field);
    for (int c = 0; c < COLUMNS; c++) {
        at[c] = -1;
        for (int name = 0; name < 4 && column_names[c][name] && at[c] < 0; name++)
            for (int i = 0; i < count && at[c] < 0; i++)
                if (flm_bytes_are(flm_bytes_trimmed(field[i]), column_names[c][name]))
                    at[c] = i;
    }
    return at[START] >= 0 && at[END] >= 0 &&
           (at[KERNEL] >= 0 || at[FUNCTION] >= 0 || at[DIRECTION] >= 0);
}

static struct flm_bytes field_of(const struct table *t, enum column c)
{
    return t->at[c] >= 0 && t->at[c] < t->field_count ? t->field[t->at[c]] : (struct flm_bytes){0};
}

static bool time_of(const struct table *t, enum column c, int64_t *time_ns)
{
    uint64_t number;
    if (!flm_number_parse_uint(field_of(t, c), &number) || number > INT64_MAX)
        return false;
    *time_ns = (int64_t)number;
    return true;
}

/* A track for each pair of device and queue, or of process and thread: "GPU 1 queue 2", "Agent 4
 * queue 1", "717 718". */
static uint32_t track_of(struct table *t, bool is_work)
{
    struct flm_bytes outer = field_of(t, is_work ? DEVICE : PROCESS);
    struct flm_bytes inner = field_of(t, is_work ? QUEUE : THREAD);
    char name[120];
    struct flm_text text;
    flm_text_init_fixed(&text, name, sizeof name);
    flm_text_puts(&text, is_work && !flm_bytes_start_with(outer, "Agent") ? "GPU " : "");
    flm_text_add(&text, outer);
    flm_text_puts(&text, is_work ? " queue " : " ");
    flm_text_add(&text, inner);
    struct flm_bytes full = {text.at, text.size};
    uint64_t key = flm_builder_string(t->builder, full.at, full.size).index;
    uint32_t found = flm_gpu_find_track(&t->gpu, key);
    if (found != FLM_NONE)
        return found;
    struct flm_gpu_names names = {.queue_key = "queue"};
    if (is_work)
        names.thread = full, names.device = outer, names.queue = inner;
    else
        names.process = outer, names.thread = inner;
    return flm_gpu_add_track(&t->gpu, key, &names);
}

static void read_row(struct table *t)
{
    int64_t start, end;
    if (!time_of(t, START, &start) || !time_of(t, END, &end)) {
        t->broken++;
        flm_builder_lost(t->builder, "malformed lines", "line", t->lines.number, 1);
        return;
    }
    struct flm_builder *b = t->builder;
    struct flm_bytes domain = field_of(t, DOMAIN);
    bool is_work = t->at[FUNCTION] < 0;
    uint32_t track = track_of(t, is_work);
    if (is_work) {
        bool is_kernel = t->at[KERNEL] >= 0;
        struct flm_gpu_work work = {
            .correlation = -1,
            .time_ns = start,
            .frame = flm_gpu_frame(b, field_of(t, is_kernel ? KERNEL : DIRECTION),
                                   is_kernel ? "kernel" : "memcpy", FLM_KIND_GPU),
            .track = track};
        flm_gpu_add_work(&t->gpu, end, &work);
        return;
    }
    char module[64];
    struct flm_text text;
    flm_text_init_fixed(&text, module, sizeof module - 1);
    flm_text_add(&text, domain);
    module[text.size] = 0;
    bool is_range = flm_bytes_start_with(domain, "MARKER");
    struct flm_gpu_call call = {.correlation = -1, .is_range = is_range};
    call.frame = flm_gpu_frame(b, field_of(t, FUNCTION), is_range ? "roctx" : module,
                               is_range ? FLM_KIND_PLAIN : FLM_KIND_NATIVE);
    flm_gpu_add_call(&t->gpu, track, start, end, &call);
}

static bool read_table(struct table *t, struct flm_error *why)
{
    struct flm_bytes line;
    if (!flm_line_next(&t->lines, &line))
        return t->lines.failed ? false : flm_error_set(why, FLM_ERROR_FORMAT, "the table is empty");
    if (!find_columns(line, t->at))
        return flm_error_line(why, FLM_ERROR_FORMAT, 1,
                              "the first line has no names of columns that rocprof writes");
    uint64_t rows = 0;
    while (flm_line_next(&t->lines, &line) && !flm_builder_failed(t->builder)) {
        if (line.size == 0)
            continue;
        t->field_count = split(line, t->field);
        read_row(t);
        rows++;
    }
    if (t->lines.failed)
        return false;
    if (rows > 0 && rows == t->broken)
        return flm_error_line(why, FLM_ERROR_FORMAT, 2, "no line has a begin and an end");
    return true;
}

static bool read_csv(struct flm_source *source, const struct flm_read_options *options,
                     struct flm_builder *builder, struct flm_error *why)
{
    struct table t = {.builder = builder, .lines = {.source = source, .why = why}};
    t.gpu.builder = builder;
    t.gpu.options = options;
    bool good = read_table(&t, why);
    if (good && !flm_builder_failed(builder))
        flm_gpu_finish(&t.gpu);
    flm_gpu_clear(&t.gpu);
    return good;
}

static int sniff_csv(struct flm_bytes head, bool whole)
{
    int at[COLUMNS];
    const char *end = head.size > 0 ? memchr(head.at, '\n', head.size) : NULL;
    if (!end && !whole)
        return FLM_SNIFF_NO;
    struct flm_bytes line = {head.at, end ? (size_t)(end - head.at) : head.size};
    return find_columns(line, at) ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

const struct flm_format flm_format_rocprof_csv = {
    .name = "rocprof-csv",
    .title = "rocprof CSV",
    .extensions = "",
    .description =
        "tables of rocprof: kernels, copies, calls (kernel_trace.csv, hip_api_trace.csv)",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_csv,
    .read = read_csv,
};
