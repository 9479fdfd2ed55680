#include "format/perf_data/perf_data_reader.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "format/perf_data/internal.h"

#define MAGIC UINT64_C(0x32454C4946524550) /* "PERFILE2", where the first byte is the lowest */

/* The header of a file; that of a stream is its first two words. */
enum header_offset {
    AT_HEADER_SIZE = 8,
    STREAM_HEADER = 16,
    AT_ATTRIBUTE_SIZE = 16,
    AT_ATTRIBUTES = 24,
    AT_DATA = 40,
    AT_FEATURES = 72,
    FEATURE_COUNT = 256,
    FILE_HEADER = 104
};

struct part {
    uint64_t offset, size;
};

static struct part part_at(const struct flm_perf_data *data, const char *at)
{
    return (struct part){flm_perf_data_u64(data, at), flm_perf_data_u64(data, at + 8)};
}

/* ---- Parts of a file ------------------------------------------------------------------------- */

static bool is_file(const struct flm_perf_data *data)
{
    return data->system && data->system->is_file;
}

static uint64_t end_of(const struct flm_perf_data *data, struct part part)
{
    uint64_t left = part.offset < data->size ? data->size - part.offset : 0;
    return part.offset + (part.size < left ? part.size : left);
}

static bool is_inside(const struct flm_perf_data *data, struct part part)
{
    return part.offset <= data->size && part.size <= data->size - part.offset;
}

/* The bytes of a part that is inside of the file. */
static bool read_part(struct flm_perf_data *data, struct part part, struct flm_text *out)
{
    out->size = 0;
    if (part.size > LARGEST_TABLE)
        return flm_error_byte(data->why, FLM_ERROR_FORMAT, part.offset,
                              "a table of %llu bytes is too large", (unsigned long long)part.size);
    if (!is_file(data)) {
        flm_text_add(out, (struct flm_bytes){data->memory.at + part.offset, (size_t)part.size});
        return !out->failed || flm_error_memory(data->why);
    }
    struct flm_source *source =
        data->system->open(data->system->context, part.offset, part.offset + part.size, data->why);
    if (!source)
        return false;
    bool good = part.size == 0 || flm_source_all(source, data->why);
    if (good)
        flm_text_add(out, (struct flm_bytes){source->at, (size_t)(source->end - source->at)});
    data->system->close(data->system->context);
    return good && (!out->failed || flm_error_memory(data->why));
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static bool read_events(struct flm_perf_data *data, const char *header)
{
    enum { LEAST = 64 + 16, MOST = 4096 };
    uint64_t each = flm_perf_data_u64(data, header + AT_ATTRIBUTE_SIZE);
    struct part part = part_at(data, header + AT_ATTRIBUTES);
    if (each < LEAST || each > MOST)
        return flm_error_byte(data->why, FLM_ERROR_FORMAT, AT_ATTRIBUTE_SIZE,
                              "implausible size of event attributes: %llu bytes",
                              (unsigned long long)each);
    if (!is_inside(data, part) || part.size < each)
        return flm_error_byte(data->why, FLM_ERROR_FORMAT, AT_ATTRIBUTES,
                              "the event table lies outside of the file");
    struct flm_text table = {0}, ids = {0};
    bool good = read_part(data, part, &table);
    uint64_t left = data->size; /* tables of ids do not overlap */
    for (uint64_t at = 0; good && at + each <= part.size; at += each) {
        struct part of_ids = part_at(data, table.at + at + each - 16);
        good = (is_inside(data, of_ids) && of_ids.size <= left) ||
               flm_error_byte(data->why, FLM_ERROR_FORMAT, part.offset + at + each - 16,
                              "the ids of an event lie outside of the file, or overlap");
        left -= good ? of_ids.size : 0;
        good = good && read_part(data, of_ids, &ids) &&
               flm_perf_data_add_event(data, (struct flm_bytes){table.at + at, (size_t)each - 16},
                                       (struct flm_bytes){ids.at, ids.size});
    }
    flm_text_clear(&table);
    flm_text_clear(&ids);
    return good;
}

static bool lose_features(struct flm_perf_data *data)
{
    flm_session_lost(data->session, "header features that cannot be read (host, command ...)", 1);
    return true;
}

/* After the records: a table of the features whose bits are set, then the features. */
static bool read_features(struct flm_perf_data *data, const char *header, uint64_t offset)
{
    struct flm_text table = {0}, feature = {0};
    uint64_t count = 0;
    for (size_t i = 0; i < FEATURE_COUNT / 8; i++)
        count += (uint64_t)__builtin_popcount((unsigned char)header[AT_FEATURES + i]);
    struct part part = {offset, count * 16};
    if (count == 0)
        return true;
    if (!is_inside(data, part))
        return lose_features(data);
    bool good = read_part(data, part, &table);
    size_t next = 0;
    for (unsigned i = 0; good && i < FEATURE_COUNT; i++) {
        uint64_t word = flm_perf_data_u64(data, header + AT_FEATURES + i / 64 * 8);
        if (!(word >> i % 64 & 1))
            continue;
        struct part of_feature = part_at(data, table.at + 16 * next++);
        if (!is_inside(data, of_feature) || of_feature.size > LARGEST_TABLE)
            good = lose_features(data);
        else
            good = read_part(data, of_feature, &feature) &&
                   flm_perf_data_feature(data, i, (struct flm_bytes){feature.at, feature.size});
    }
    flm_text_clear(&table);
    flm_text_clear(&feature);
    return good;
}

/* ---- Files and streams ----------------------------------------------------------------------- */

static bool read_data(struct flm_perf_data *data, struct part part)
{
    uint64_t end = end_of(data, part);
    bool is_cut = end - part.offset < part.size;
    if (!is_file(data)) {
        struct flm_source source = flm_source_of(
            (struct flm_bytes){data->memory.at + part.offset, (size_t)(end - part.offset)});
        return flm_perf_data_records(data, &source, part.offset,
                                     is_cut ? part.size : end - part.offset);
    }
    if (end == part.offset)
        return true;
    struct flm_source *source =
        data->system->open(data->system->context, part.offset, end, data->why);
    if (!source)
        return false;
    bool good =
        flm_perf_data_records(data, source, part.offset, is_cut ? part.size : end - part.offset);
    data->system->close(data->system->context);
    return good;
}

/* The files of the other threads of perf record --threads, which are of the same time: all of their
 * events wait in the queue, up to a limit. */
static bool read_parts(struct flm_perf_data *data)
{
    const size_t most = (size_t)2 << 30;
    bool good = true;
    for (unsigned i = 0; good; i++) {
        struct flm_error why = {0};
        struct flm_source *part =
            is_file(data) ? data->system->open_part(data->system->context, i, &why) : NULL;
        if (!part) {
            if (why.kind != FLM_ERROR_NONE && data->why)
                *data->why = why;
            return why.kind == FLM_ERROR_NONE;
        }
        if (i == 0)
            flm_event_order_limit(data->order, most);
        flm_perf_data_end_zstd(data); /* each thread has compressed its own */
        good = flm_perf_data_records(data, part, 0, UINT64_MAX);
        data->system->close(data->system->context);
    }
    return good;
}

static bool read_file(struct flm_perf_data *data)
{
    char header[FILE_HEADER] = {0};
    if (is_file(data)) {
        data->size = data->system->size;
    } else {
        if (!flm_source_all(data->source, data->why))
            return false;
        data->memory =
            (struct flm_bytes){data->source->at, (size_t)(data->source->end - data->source->at)};
        data->size = data->memory.size;
    }
    struct part whole = {0, data->size < FILE_HEADER ? data->size : FILE_HEADER};
    struct flm_text text = {0};
    bool good = read_part(data, whole, &text);
    if (good)
        memcpy(header, text.at, text.size);
    flm_text_clear(&text);
    if (!good)
        return false;
    uint64_t header_size = flm_perf_data_u64(data, header + AT_HEADER_SIZE);
    if (data->size < FILE_HEADER || header_size < AT_FEATURES)
        return flm_error_set(data->why, FLM_ERROR_FORMAT, "the file ends within its header");
    struct part records = part_at(data, header + AT_DATA);
    if (records.offset > data->size)
        return flm_error_byte(data->why, FLM_ERROR_FORMAT, AT_DATA,
                              "the records lie outside of the file");
    if (!read_events(data, header))
        return false;
    if (records.size == 0) {
        /* perf writes their size when it ends. */
        records.size = data->size - records.offset;
        flm_session_lost(data->session,
                         "end of the recording (perf was killed before it wrote all)", 1);
    } else if (is_inside(data, records) && header_size >= FILE_HEADER &&
               !read_features(data, header, records.offset + records.size)) {
        return false;
    }
    return read_data(data, records) && read_parts(data);
}

static bool read_stream(struct flm_perf_data *data)
{
    data->source->at += STREAM_HEADER;
    return flm_perf_data_records(data, data->source, STREAM_HEADER, UINT64_MAX);
}

static bool read_all(struct flm_perf_data *data)
{
    if (!flm_source_fill(data->source, STREAM_HEADER, data->why))
        return false;
    if (data->source->end - data->source->at < STREAM_HEADER)
        return flm_error_set(data->why, FLM_ERROR_FORMAT, "the file ends within its header");
    uint64_t magic = flm_load64(data->source->at);
    data->swapped = data->layouts.swapped = magic == __builtin_bswap64(MAGIC);
    if (magic != MAGIC && !data->swapped)
        return flm_error_set(data->why, FLM_ERROR_FORMAT,
                             "not a perf.data file of version 2 (PERFILE2)");
    uint64_t size = flm_perf_data_u64(data, data->source->at + AT_HEADER_SIZE);
    return (size == STREAM_HEADER ? read_stream(data) : read_file(data)) &&
           flm_event_order_finish(data->order, data->why);
}

/* ---- Losses, and the session ----------------------------------------------------------------- */

static bool report_losses(struct flm_perf_data *data)
{
    static const char *const traces[] = {
        [0] = "bytes of an AUX trace (not decoded)", [1] = "bytes of Intel PT (not decoded)",
        [2] = "bytes of Intel BTS (not decoded)",    [3] = "bytes of ARM CoreSight (not decoded)",
        [4] = "bytes of ARM SPE (not decoded)",
    };
    size_t type = data->trace_type < sizeof traces / sizeof *traces ? data->trace_type : 0;
    struct flm_order_damage damage = flm_event_order_damage(data->order);
    flm_session_lost(data->session, traces[type], (double)data->trace_bytes);
    if (data->lost_samples > data->lost_events)
        flm_session_lost(data->session, "samples (dropped by the kernel)",
                         (double)(data->lost_samples - data->lost_events));
    flm_session_lost(data->session, "records of unknown types", (double)data->unknown_records);
    flm_session_lost(data->session, "order of events that came too late to be sorted",
                     (double)flm_event_order_late(data->order));
    return damage.count == 0 ||
           flm_session_lose_at(data->session, "malformed records", (double)damage.count,
                               damage.first_offset) ||
           flm_error_memory(data->why);
}

static void set_kernel(struct flm_perf_data *data)
{
    struct flm_bytes release = {data->release.at, data->release.size};
    uint64_t start = flm_session_kernel_start(data->session);
    if (data->system && data->system->kernel_is_ours)
        flm_session_kernel(data->session,
                           data->system->kernel_is_ours(release, &data->kernel_id, start));
}

/* At the end of a recording perf adds how many samples each event lost, without a time. LOST
 * records have counted most of them already, except those after the last record of a ring.
 *
 * Whether the vdso is that of our kernel must be known when it is mapped, since stacks are unwound
 * through it. The records that say so come before, at the beginning. */
static bool take_event(void *context, struct flm_event *event, struct flm_error *why)
{
    struct flm_perf_data *data = context;
    if (event->kind == FLM_EVENT_MAP && !data->has_set_kernel &&
        flm_bytes_are(event->map.path, "[vdso]")) {
        data->has_set_kernel = true;
        set_kernel(data);
    }
    if (event->kind == FLM_EVENT_LOST)
        data->lost_events += event->lost.count;
    if (event->kind == FLM_EVENT_LOST_SAMPLES && event->time_ns == 0) {
        data->lost_samples += event->lost.count;
        return true;
    }
    return flm_session_add(data->session, event, why);
}

static bool read_into_session(struct flm_perf_data *data)
{
    if (!read_all(data) || !report_losses(data))
        return false;
    if (data->layouts.items.count == 0)
        return flm_error_set(data->why, FLM_ERROR_FORMAT, "no events: the file is cut off");
    uint64_t lost = data->lost_samples > data->lost_events ? data->lost_samples : data->lost_events;
    if (!flm_session_has_samples(data->session) && lost > 0)
        return flm_error_set(data->why, FLM_ERROR_FORMAT,
                             "no samples: %llu were lost while it was recorded",
                             (unsigned long long)lost);
    if (!flm_session_has_samples(data->session))
        return flm_error_set(data->why, FLM_ERROR_FORMAT, "no samples");
    set_kernel(data);
    return true;
}

bool flm_perf_data_add(struct flm_session *session, struct flm_source *source,
                       const struct flm_perf_data_system *system, struct flm_error *why)
{
    assert(session && source);
    struct flm_perf_data data = {
        .why = why, .session = session, .source = source, .system = system};
    data.order = flm_event_order_new(&data.layouts, take_event, &data, why);
    bool good = data.order && read_into_session(&data);
    flm_event_order_free(data.order);
    for (size_t i = 0; i < data.layouts.items.count; i++)
        flm_text_clear(&data.events.at[i].name);
    flm_event_layouts_clear(&data.layouts);
    flm_perf_data_end_zstd(&data);
    free(data.events.at);
    flm_text_clear(&data.release);
    return good;
}
