/* records.c - the records of a perf.data file, decompressed where they must be. */
#include "format/perf_data/internal.h"

#include <stdlib.h>

enum { HEADER_SIZE = 8, FIRST_OF_PERF = 64, LAST_OF_PERF = 83 };

/* ---- Records added by perf ------------------------------------------------------------------- */

static bool cannot_read(struct flm_perf_data *data)
{
    flm_session_lost(data->session, "malformed records of perf's own", 1);
    return true;
}

static bool read_attributes(struct flm_perf_data *data, struct flm_bytes record)
{
    if (record.size < HEADER_SIZE + 8)
        return cannot_read(data);
    struct flm_bytes attributes = {record.at + HEADER_SIZE, record.size - HEADER_SIZE};
    uint32_t size = flm_perf_data_u32(data, attributes.at + 4);
    if (size == 0)
        size = 64; /* as the first version is */
    if (size > attributes.size)
        return cannot_read(data);
    struct flm_bytes ids = {attributes.at + size, attributes.size - size};
    attributes.size = size;
    return flm_perf_data_add_event(data, attributes, ids);
}

/* An update of an event; only names are needed. */
static bool read_update(struct flm_perf_data *data, struct flm_bytes record)
{
    enum { AT_KIND = HEADER_SIZE, AT_ID = 16, AT_NAME = 24, NAME = 2 };
    if (record.size < AT_NAME)
        return cannot_read(data);
    if (flm_perf_data_u64(data, record.at + AT_KIND) != NAME)
        return true;
    const struct flm_event_layout *layout =
        flm_event_layouts_find(&data->layouts, flm_perf_data_u64(data, record.at + AT_ID));
    struct flm_bytes name = flm_perf_data_text(record.at + AT_NAME, record.size - AT_NAME);
    return !layout || name.size == 0 || flm_perf_data_name_event(data, layout->number, name);
}

static bool read_feature(struct flm_perf_data *data, struct flm_bytes record)
{
    if (record.size < 16)
        return cannot_read(data);
    uint64_t feature = flm_perf_data_u64(data, record.at + HEADER_SIZE);
    struct flm_bytes bytes = {record.at + 16, record.size - 16};
    return feature > 255 || flm_perf_data_feature(data, (unsigned)feature, bytes);
}

/* The kind of a record of flamel; 0 for another record. */
static uint32_t own_kind(const struct flm_perf_data *data, struct flm_bytes record)
{
    enum { AT_MAGIC = 16, AT_KIND = 24 };
    bool is_own = record.size >= AT_KIND + 8 &&
                  flm_perf_data_u64(data, record.at + HEADER_SIZE) == 0 &&
                  flm_perf_data_u64(data, record.at + AT_MAGIC) == FLM_OWN_MAGIC;
    return is_own ? flm_perf_data_u32(data, record.at + AT_KIND) : 0;
}

/* Applied at once, before the samples are sorted. */
static bool read_marks(struct flm_perf_data *data, struct flm_bytes record)
{
    enum { AT_ID = 32 };
    if (record.size < AT_ID + 8)
        return cannot_read(data);
    const struct flm_event_layout *layout =
        flm_event_layouts_find(&data->layouts, flm_perf_data_u64(data, record.at + AT_ID));
    if (layout)
        data->layouts.items.at[layout->number].only_marks = true;
    return true;
}

/* The bytes that follow the record, and are not in its size. */
static uint64_t bytes_behind(const struct flm_perf_data *data, struct flm_bytes record,
                             uint32_t type)
{
    if (type == FLM_RECORD_AUXTRACE && record.size >= 16)
        return flm_perf_data_u64(data, record.at + HEADER_SIZE);
    if (type == FLM_RECORD_TRACING_DATA && record.size >= 12)
        return ((uint64_t)flm_perf_data_u32(data, record.at + HEADER_SIZE) + 7) & ~UINT64_C(7);
    return 0;
}

static bool unpack(struct flm_perf_data *data, struct flm_bytes packed, uint64_t offset);

/* One complete record. */
static bool read_record(struct flm_perf_data *data, struct flm_bytes record, uint64_t offset)
{
    uint32_t type = flm_record_header(record.at, data->swapped).type;
    if (type == FLM_RECORD_OWN && own_kind(data, record) == FLM_OWN_MARKS)
        return read_marks(data, record);
    if (type < FIRST_OF_PERF || type == FLM_RECORD_ROUND || type == FLM_RECORD_OWN)
        return flm_event_order_add(data->order, record.at, record.size, offset, data->why);
    switch (type) {
    case FLM_RECORD_ATTRIBUTES:
        return read_attributes(data, record);
    case FLM_RECORD_EVENT_UPDATE:
        return read_update(data, record);
    case FLM_RECORD_FEATURE:
        return read_feature(data, record);
    case FLM_RECORD_BUILD_ID:
        return flm_perf_data_build_id(data, record);
    case FLM_RECORD_COMPRESSED:
        return unpack(data, (struct flm_bytes){record.at + HEADER_SIZE, record.size - HEADER_SIZE},
                      offset);
    case FLM_RECORD_COMPRESSED2: {
        uint64_t size = record.size >= 16 ? flm_perf_data_u64(data, record.at + HEADER_SIZE) : 0;
        if (record.size < 16 || size > record.size - 16)
            return cannot_read(data);
        return unpack(data, (struct flm_bytes){record.at + 16, (size_t)size}, offset);
    }
    case FLM_RECORD_AUXTRACE_INFO:
        if (record.size >= 12)
            data->trace_type = flm_perf_data_u32(data, record.at + HEADER_SIZE);
        return true;
    case FLM_RECORD_AUXTRACE:
        data->trace_bytes += bytes_behind(data, record, type);
        return true;
    default:
        data->unknown_records += type > LAST_OF_PERF + 16;
        return true;
    }
}

/* ---- Compressed records ---------------------------------------------------------------------- */

/* Reads the complete records among the decompressed bytes, and keeps the rest. */
static bool read_unpacked(struct flm_perf_data *data, uint64_t offset, bool *damaged)
{
    struct flm_text *unpacked = &data->unpacked;
    size_t at = 0;
    while (unpacked->size - at >= HEADER_SIZE) {
        struct flm_record_header header = flm_record_header(unpacked->at + at, data->swapped);
        if (header.size < HEADER_SIZE) {
            *damaged = true;
            return true;
        }
        if (header.size > unpacked->size - at)
            break;
        bool is_packed =
            header.type == FLM_RECORD_COMPRESSED || header.type == FLM_RECORD_COMPRESSED2;
        if (is_packed
                ? !cannot_read(data)
                : !read_record(data, (struct flm_bytes){unpacked->at + at, header.size}, offset))
            return false;
        at += header.size;
    }
    if (at > 0) {
        unpacked->size -= at;
        memmove(unpacked->at, unpacked->at + at, unpacked->size);
    }
    return true;
}

void flm_perf_data_end_zstd(struct flm_perf_data *data)
{
    flm_unzstd_free(data->zstd);
    data->zstd = NULL;
    flm_text_clear(&data->packed);
    flm_text_clear(&data->unpacked);
}

/* All compressed records are one zstd stream: a block of it may begin in one and end in the next,
 * and so may a record in it. */
static bool unpack(struct flm_perf_data *data, struct flm_bytes packed, uint64_t offset)
{
    size_t left = data->packed.size > 0 ? (size_t)(data->compressed.end - data->compressed.at) : 0;
    struct flm_bytes bytes;
    bool damaged = false;
    if (left > 0)
        memmove(data->packed.at, data->compressed.at, left);
    data->packed.size = left;
    flm_text_add(&data->packed, packed);
    if (!data->zstd)
        data->zstd = flm_unzstd_new(&data->compressed, data->why);
    if (!data->zstd || data->packed.failed)
        return flm_error_memory(data->why);
    data->compressed = flm_source_of((struct flm_bytes){data->packed.at, data->packed.size});
    do {
        struct flm_error why = {0};
        if (!flm_unzstd_next_whole(data->zstd, &bytes, &why)) {
            if (why.kind == FLM_ERROR_MEMORY)
                return flm_error_memory(data->why);
            damaged = true;
            break;
        }
        flm_text_add(&data->unpacked, bytes);
        if (data->unpacked.failed)
            return flm_error_memory(data->why);
        if (!read_unpacked(data, offset, &damaged))
            return false;
    } while (!damaged && bytes.size > 0);
    if (damaged) {
        flm_session_lost(data->session, "compressed records (damaged)", 1);
        flm_perf_data_end_zstd(data);
    }
    return true;
}

/* ---- All records ----------------------------------------------------------------------------- */

/* Skips `size` bytes, or up to the end of the input. */
static bool skip(struct flm_perf_data *data, struct flm_source *source, uint64_t size)
{
    while (size > 0) {
        if (!flm_source_fill(source, 1, data->why))
            return false;
        uint64_t there = (uint64_t)(source->end - source->at);
        if (there == 0)
            return true;
        uint64_t passed = there < size ? there : size;
        source->at += passed;
        size -= passed;
    }
    return true;
}

static bool stop_at(struct flm_perf_data *data, uint64_t offset, const char *what)
{
    return flm_session_lose_at(data->session, what, 1, offset) || flm_error_memory(data->why);
}

bool flm_perf_data_records(struct flm_perf_data *data, struct flm_source *source, uint64_t offset,
                           uint64_t size)
{
    enum { REPORT_EVERY = 4 << 20 };
    uint64_t left = size, reported = offset;
    while (left >= HEADER_SIZE) {
        if (!flm_source_fill(source, HEADER_SIZE, data->why))
            return false;
        if (source->end - source->at < HEADER_SIZE) {
            if (source->end > source->at)
                return stop_at(data, offset, "last record (cut off)");
            break;
        }
        uint16_t record_size = flm_record_header(source->at, data->swapped).size;
        if (record_size < HEADER_SIZE)
            return stop_at(data, offset, "everything after a record with an invalid size");
        if (!flm_source_fill(source, record_size, data->why))
            return false;
        if (source->end - source->at < record_size || left < record_size)
            return stop_at(data, offset, "last record (cut off)");
        struct flm_bytes record = {source->at, record_size};
        uint32_t type = flm_record_header(record.at, data->swapped).type;
        uint64_t behind = bytes_behind(data, record, type);
        if (!read_record(data, record, offset))
            return false;
        source->at += record_size;
        if (behind > left - record_size)
            behind = left - record_size;
        if (type == FLM_RECORD_TRACING_DATA && behind <= LARGEST_TABLE) {
            if (!flm_source_fill(source, (size_t)behind, data->why))
                return false;
            size_t there = (size_t)(source->end - source->at);
            there = there < behind ? there : (size_t)behind;
            flm_perf_data_tracing(data, (struct flm_bytes){source->at, there});
        }
        if (!skip(data, source, behind))
            return false;
        offset += record_size + behind;
        left -= size == UINT64_MAX ? 0 : record_size + behind;
        if (offset - reported >= REPORT_EVERY) {
            if (!flm_source_progress(data->source, offset - reported, data->why))
                return false;
            reported = offset;
        }
    }
    if (size != UINT64_MAX && left > 0 && source->end == source->at)
        return stop_at(data, offset, "end of the recording (the file is cut off)");
    return true;
}
