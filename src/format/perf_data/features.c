/* features.c - features of a perf.data file: build ids, host, command line, names of events. */
#include "format/perf_data/internal.h"

#include "record/perf/kernel_abi.h"
#include "record/sched/sched_event.h"
#include "symbol/identity/machine.h"

/* The numbers of features, as perf has them. */
enum feature {
    FEATURE_TRACING_DATA = 1,
    FEATURE_BUILD_ID = 2,
    FEATURE_HOST = 3,
    FEATURE_RELEASE = 4,
    FEATURE_VERSION = 5,
    FEATURE_ARCHITECTURE = 6,
    FEATURE_PROCESSOR = 8,
    FEATURE_COMMAND = 11,
    FEATURE_EVENTS = 12,
    FEATURE_SAMPLE_TIME = 21
};

/* The rest of a section; `failed` after a read past its end. */
struct section {
    const struct flm_perf_data *data;
    const char *at, *end;
    bool failed;
};

static const char *take(struct section *s, uint64_t size)
{
    if (s->failed || size > (uint64_t)(s->end - s->at)) {
        s->failed = true;
        return NULL;
    }
    const char *at = s->at;
    s->at += size;
    return at;
}

static uint32_t take_u32(struct section *s)
{
    const char *at = take(s, 4);
    return at ? flm_perf_data_u32(s->data, at) : 0;
}

/* A text: its padded size, and the text up to its NUL. */
static struct flm_bytes take_text(struct section *s)
{
    uint32_t size = take_u32(s);
    const char *at = take(s, size);
    return flm_perf_data_text(at, at ? size : 0);
}

static void note(struct flm_perf_data *data, const char *key, struct flm_bytes value)
{
    if (value.size > 0)
        flm_session_note(data->session, key, value);
}

static bool read_release(struct flm_perf_data *data, struct section *s)
{
    struct flm_bytes release = take_text(s);
    data->release.size = 0;
    flm_text_add(&data->release, release);
    note(data, "system", release);
    return !data->release.failed;
}

/* The architecture of registers and stack dumps. */
static void read_architecture(struct flm_perf_data *data, struct section *s)
{
    struct flm_bytes name = take_text(s);
    note(data, "architecture", name);
    data->machine = flm_bytes_are(name, "x86_64")    ? FLM_MACHINE_X86_64
                    : flm_bytes_are(name, "aarch64") ? FLM_MACHINE_ARM64
                                                     : FLM_MACHINE_OTHER;
    data->machine_is_known = true;
    for (size_t i = 0; i < data->layouts.items.count; i++)
        data->layouts.items.at[i].machine = data->machine;
}

static bool read_command(struct flm_perf_data *data, struct section *s)
{
    struct flm_text line = {0};
    uint32_t count = take_u32(s);
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        if (i)
            flm_text_putc(&line, ' ');
        flm_text_add(&line, take_text(s));
    }
    note(data, "command", (struct flm_bytes){line.at, line.size});
    bool good = !line.failed;
    flm_text_clear(&line);
    return good;
}

/* Events by their ids, or by their order where they have none. */
static bool read_events(struct flm_perf_data *data, struct section *s)
{
    uint32_t count = take_u32(s), attributes = take_u32(s);
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        take(s, attributes);
        uint32_t id_count = take_u32(s);
        struct flm_bytes name = take_text(s);
        const char *ids = take(s, 8 * (uint64_t)id_count);
        if (s->failed)
            break;
        const struct flm_event_layout *layout = NULL;
        for (uint32_t id = 0; id < id_count && !layout; id++)
            layout = flm_event_layouts_find(&data->layouts, flm_perf_data_u64(data, ids + 8 * id));
        size_t number = layout ? layout->number : i;
        if (number < data->layouts.items.count && name.size > 0 &&
            !flm_perf_data_name_event(data, number, name))
            return false;
    }
    return true;
}

enum { BUILD_ID_ROOM = 20 };

bool flm_perf_data_build_id(struct flm_perf_data *data, struct flm_bytes record)
{
    /* header, process, the id, its size (where a bit says so), three bytes, the path */
    enum { AT_ID = 12, AT_SIZE = AT_ID + BUILD_ID_ROOM, AT_PATH = AT_ID + 24, HAS_SIZE = 1 << 15 };
    if (record.size <= AT_PATH) {
        flm_session_lost(data->session, "build ids that cannot be read", 1);
        return true;
    }
    struct flm_record_header header = flm_record_header(record.at, data->swapped);
    struct flm_build_id id = {.size = BUILD_ID_ROOM};
    if (header.misc & HAS_SIZE && (unsigned char)record.at[AT_SIZE] <= BUILD_ID_ROOM)
        id.size = (unsigned char)record.at[AT_SIZE];
    memcpy(id.bytes, record.at + AT_ID, id.size);
    struct flm_bytes path = flm_perf_data_text(record.at + AT_PATH, record.size - AT_PATH);
    if (flm_bytes_start_with(path, "[kernel.kallsyms]"))
        data->kernel_id = id;
    return flm_session_build_id(data->session, path, &id) || flm_error_memory(data->why);
}

static bool read_build_ids(struct flm_perf_data *data, struct section *s)
{
    while (s->end - s->at >= 8) {
        uint16_t size = flm_record_header(s->at, data->swapped).size;
        const char *at = size >= 8 ? take(s, size) : NULL;
        if (!at) {
            s->failed = true;
            break;
        }
        if (!flm_perf_data_build_id(data, (struct flm_bytes){at, size}))
            return false;
    }
    return true;
}

/* perf writes the file when the last sample is in it. Of an older perf, without this feature, the
 * time of the recording is unknown. */
static void read_times(struct flm_perf_data *data, struct section *s)
{
    enum { TOLERANCE_NS = 2000000000 };
    const char *times = take(s, 16);
    int64_t written_ns = times && data->system ? data->system->written_ns : 0;
    if (written_ns > 0) {
        uint64_t first = flm_perf_data_u64(data, times), last = flm_perf_data_u64(data, times + 8);
        int64_t lasted_ns = last > first && last - first < INT64_MAX ? (int64_t)(last - first) : 0;
        bool is_plausible =
            lasted_ns <= written_ns - TOLERANCE_NS && written_ns <= INT64_MAX - TOLERANCE_NS;
        if (is_plausible)
            flm_session_recorded(data->session, written_ns - lasted_ns - TOLERANCE_NS,
                                 written_ns + TOLERANCE_NS);
    }
}

void flm_perf_data_tracing(struct flm_perf_data *data, struct flm_bytes descriptions)
{
    const char *name;
    for (size_t i = 0; (name = flm_sched_tracepoint(i)) != NULL; i++) {
        struct flm_sched_fields fields;
        uint64_t id;
        if (!flm_sched_describe(descriptions, name, &id, &fields))
            continue;
        for (size_t k = 0; k < data->layouts.items.count; k++) {
            struct flm_event_layout *layout = &data->layouts.items.at[k];
            if (layout->type == FLM_PERF_TYPE_TRACEPOINT && layout->config == id)
                layout->sched = fields;
        }
    }
}

static bool read_feature(struct flm_perf_data *data, unsigned feature, struct section *s)
{
    switch (feature) {
    case FEATURE_TRACING_DATA:
        flm_perf_data_tracing(data, (struct flm_bytes){s->at, (size_t)(s->end - s->at)});
        return true;
    case FEATURE_BUILD_ID:
        return read_build_ids(data, s);
    case FEATURE_HOST:
        note(data, "host", take_text(s));
        return true;
    case FEATURE_RELEASE:
        return read_release(data, s);
    case FEATURE_VERSION:
        note(data, "perf", take_text(s));
        return true;
    case FEATURE_ARCHITECTURE:
        read_architecture(data, s);
        return true;
    case FEATURE_PROCESSOR:
        note(data, "processor", take_text(s));
        return true;
    case FEATURE_COMMAND:
        return read_command(data, s);
    case FEATURE_EVENTS:
        return read_events(data, s);
    case FEATURE_SAMPLE_TIME:
        read_times(data, s);
        return true;
    default:
        return true;
    }
}

bool flm_perf_data_feature(struct flm_perf_data *data, unsigned feature, struct flm_bytes bytes)
{
    if (bytes.size == 0)
        bytes.at = ""; /* not NULL */
    struct section section = {data, bytes.at, bytes.at + bytes.size, false};
    if (!read_feature(data, feature, &section))
        return flm_error_memory(data->why);
    if (section.failed)
        flm_session_lost(data->session, "header features that cannot be read (host, command ...)",
                         1);
    return true;
}
