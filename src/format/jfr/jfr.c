/* jfr.c - JFR as a format: the chunks of a file, and the events of a chunk.
 *
 *     0   magic "FLR\0"                     32  start, ns since 1970
 *     4   version: major, minor (u16)       40  duration, ns
 *     8   size of the chunk                 48  start, ticks
 *     16  offset of the last checkpoint     56  ticks per second
 *     24  offset of the metadata            64  0 finished, else being written (from 2.1 on)
 *                                           67  1: integers are compressed
 *
 * The numbers of the header are big-endian. A chunk that is being written has no size, and the last
 * chunk of a truncated file has one that is too large: their events are read as far as they go. */
#include "format/jfr/internal.h"

enum { HEADER_SIZE = 68, MOST_CHECKPOINTS = 100000 };

struct chunk {
    struct flm_bytes bytes;
    uint64_t offset; /* in the file */
    uint16_t major, minor;
    int64_t size, checkpoint_offset, metadata_offset;
    struct flm_jfr_clock clock;
    bool is_fixed;

    struct FLM_ARRAY(struct flm_jfr_cursor) metadata, checkpoints;
    size_t end; /* the end of the events that can be read one after the other */
};

static uint64_t fixed_at(struct flm_bytes bytes, size_t offset, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes.at + offset;
    return flm_jfr_fixed(&(struct flm_jfr_cursor){.at = at, .end = at + size}, size);
}

static bool starts_chunk(struct flm_bytes bytes)
{
    return bytes.size >= 4 && memcmp(bytes.at, "FLR\0", 4) == 0;
}

static void read_header(struct chunk *k, struct flm_bytes header)
{
    k->major = (uint16_t)fixed_at(header, 4, 2);
    k->minor = (uint16_t)fixed_at(header, 6, 2);
    k->size = (int64_t)fixed_at(header, 8, 8);
    k->checkpoint_offset = (int64_t)fixed_at(header, 16, 8);
    k->metadata_offset = (int64_t)fixed_at(header, 24, 8);
    k->clock.start_ns = (int64_t)fixed_at(header, 32, 8);
    k->clock.start_ticks = fixed_at(header, 48, 8);
    k->clock.ticks_per_second = fixed_at(header, 56, 8);
    k->is_fixed = (header.at[67] & 1) == 0;
    /* Times more than three hundred years from now are invalid. */
    if ((int64_t)k->clock.ticks_per_second <= 0 || k->clock.start_ns < 0 ||
        k->clock.start_ns > INT64_MAX / 4)
        k->clock.ticks_per_second = 0;
}

static bool check_version(const struct chunk *k, struct flm_error *why)
{
    if (k->major == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "byte %llu: this is a recording of Oracle's JDK 7 or 8 (JFR version "
                             "0.%u), which flamel does not read: JDK Mission Control does",
                             (unsigned long long)k->offset, (unsigned)k->minor);
    if (k->major > 2)
        return flm_error_set(
            why, FLM_ERROR_FORMAT,
            "byte %llu: JFR version %u.%u is not known: a newer flamel may read it",
            (unsigned long long)k->offset, (unsigned)k->major, (unsigned)k->minor);
    return true;
}

/* ---- Events ---------------------------------------------------------------------------------- */

struct event {
    struct flm_jfr_cursor whole, fields;
    uint64_t type;
};

/* Finds the event at *offset, and moves *offset behind it. False if there is no complete event:
 * `whole` then has the part of it that is there. */
static bool next_event(const struct chunk *k, size_t *offset, struct event *event)
{
    const unsigned char *at = (const unsigned char *)k->bytes.at + *offset;
    const unsigned char *end = (const unsigned char *)k->bytes.at + k->bytes.size;
    struct flm_jfr_cursor c = {.at = at, .end = end, .is_fixed = k->is_fixed};
    uint32_t size = flm_jfr_int(&c);
    event->type = flm_jfr_long(&c);
    event->whole = (struct flm_jfr_cursor){.at = at, .end = end, .is_fixed = k->is_fixed};
    if (c.failed || size < (size_t)(c.at - at)) {
        event->whole.end = at;
        return false;
    }
    if (size > (size_t)(end - at))
        return false;
    event->whole.end = c.end = at + size;
    event->fields = c;
    *offset += size;
    return true;
}

/* Finds the event at an offset that the header gives, if it has that type. It may be incomplete. */
static bool event_at(const struct chunk *k, int64_t at, uint64_t type, bool whole,
                     struct event *event)
{
    if (at < HEADER_SIZE || (uint64_t)at >= k->bytes.size)
        return false;
    size_t offset = (size_t)at;
    bool is_whole = next_event(k, &offset, event);
    return (is_whole || !whole) && event->type == type && event->whole.at < event->whole.end;
}

/* Moves k->end behind the short events that follow, which are no tables: size and type are a byte
 * each. */
static void pass_short_events(struct chunk *k)
{
    const unsigned char *bytes = (const unsigned char *)k->bytes.at;
    size_t at = k->end, size = k->bytes.size;
    while (!k->is_fixed && size - at >= 2 && bytes[at] - 2u < 0x7e && bytes[at + 1] - 2u < 0x7e &&
           bytes[at] <= size - at)
        at += bytes[at];
    k->end = at;
}

/* Finds metadata and checkpoints. False when memory ran out. */
static bool find_tables(struct chunk *k)
{
    struct event event;
    k->end = HEADER_SIZE;
    bool good = true, is_whole = true;
    while (good && is_whole && k->end < k->bytes.size) {
        is_whole = next_event(k, &k->end, &event);
        if (event.whole.at == event.whole.end)
            break;
        if (event.type == 0 && is_whole)
            good = FLM_ARRAY_ADD(&k->metadata, event.whole);
        else if (event.type == 1) /* the last one may be incomplete */
            good = FLM_ARRAY_ADD(&k->checkpoints, event.whole);
        pass_short_events(k);
    }
    if (good && k->metadata.count == 0 && event_at(k, k->metadata_offset, 0, true, &event))
        good = FLM_ARRAY_ADD(&k->metadata, event.whole);
    return good;
}

/* Finds checkpoints behind the events that can be read. Each has the distance to the checkpoint
 * before it, so they are followed from the last one, backward only. */
static void read_chain(const struct chunk *k, struct flm_jfr_constants *constants)
{
    struct event event;
    int64_t at = k->checkpoint_offset;
    for (size_t i = 0; i < MOST_CHECKPOINTS && at >= (int64_t)k->end && !constants->no_memory;
         i++) {
        int64_t delta = 0;
        if (!event_at(k, at, 1, false, &event))
            return;
        flm_jfr_constants_read(constants, event.whole, &delta);
        if (delta >= 0 || delta < -at)
            return;
        at += delta;
    }
}

static void read_constants(const struct chunk *k, struct flm_jfr_constants *constants)
{
    int64_t delta;
    if (k->end < k->bytes.size)
        read_chain(k, constants);
    for (size_t i = 0; i < k->checkpoints.count && !constants->no_memory; i++)
        flm_jfr_constants_read(constants, k->checkpoints.at[i], &delta);
}

static void read_events(const struct chunk *k, struct flm_jfr_events *events)
{
    struct event event;
    size_t offset = HEADER_SIZE;
    while (offset < k->end && next_event(k, &offset, &event))
        if (event.type > 1 && flm_jfr_events_process(events, event.type, event.fields))
            break;
    offset = HEADER_SIZE;
    while (offset < k->end && !flm_jfr_events_failed(events)) {
        size_t start = offset;
        if (!next_event(k, &offset, &event))
            break;
        if (event.type > 1)
            flm_jfr_events_add(events, event.type, start, event.fields);
    }
}

static void count_losses(const struct chunk *k, const struct flm_jfr_constants *constants,
                         struct flm_builder *builder)
{
    if (k->end < k->bytes.size)
        flm_builder_lost(builder, "bytes of a chunk that are no events", "byte", k->offset + k->end,
                         (double)(k->bytes.size - k->end));
    if (k->size > 0 && (uint64_t)k->size > k->bytes.size)
        flm_builder_lost(builder, "truncated chunks", "byte", k->offset, 1);
    if (k->clock.ticks_per_second == 0)
        flm_builder_lost(builder, "chunks without a clock", "byte", k->offset, 1);
    if (constants->unreadable)
        flm_builder_lost(builder, "checkpoints that could not be read to their end", "byte",
                         k->offset + constants->unreadable_offset, (double)constants->unreadable);
}

/* Reads a chunk whose bytes are in the window. `types` are those of the chunk before. *has_types:
 * it has metadata, without which nothing of it can be read. */
static bool read_chunk(struct chunk *k, struct flm_jfr_types *types, struct flm_jfr_events *events,
                       struct flm_builder *builder, bool *has_types)
{
    struct flm_jfr_constants constants = {0};
    bool good = find_tables(k) && flm_jfr_types_read(types, k->metadata.at, k->metadata.count);
    *has_types = types->types.count > 0;
    if (good && *has_types) {
        flm_jfr_constants_init(&constants, k->bytes, k->is_fixed, types);
        read_constants(k, &constants);
        flm_jfr_events_begin(events, &constants, &k->clock, k->offset);
        read_events(k, events);
        flm_jfr_events_end(events);
        count_losses(k, &constants, builder);
        good = !constants.no_memory;
    }
    flm_jfr_constants_clear(&constants);
    FLM_ARRAY_CLEAR(&k->metadata);
    FLM_ARRAY_CLEAR(&k->checkpoints);
    return good;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Fills the window with the chunk at its beginning; with the rest of the file if the size of the
 * chunk is unknown. */
static bool fill_chunk(struct flm_source *source, struct chunk *k, struct flm_error *why)
{
    bool has_size = k->size >= HEADER_SIZE;
    size_t size = has_size && (uint64_t)k->size < SIZE_MAX ? (size_t)k->size : SIZE_MAX;
    if (has_size ? !flm_source_fill(source, size, why) : !flm_source_all(source, why))
        return false;
    size_t there = (size_t)(source->end - source->at);
    k->bytes = (struct flm_bytes){source->at, there < size ? there : size};
    return true;
}

/* Counts the bytes that follow the last chunk. */
static bool skip_rest(struct flm_source *source, struct flm_builder *builder, uint64_t offset,
                      struct flm_error *why)
{
    double count = 0;
    for (;;) {
        count += (double)(source->end - source->at);
        source->at = source->end;
        if (source->last)
            break;
        if (!flm_source_more(source, why))
            return false;
    }
    flm_builder_lost(builder, "bytes behind the last chunk", "byte", offset, count);
    return true;
}

static bool read_chunks(struct flm_source *source, struct flm_jfr_types *types,
                        struct flm_jfr_events *events, struct flm_builder *builder,
                        struct flm_error *why)
{
    uint64_t offset = 0, good_chunks = 0;
    for (;;) {
        struct chunk k = {.offset = offset};
        if (!flm_source_fill(source, HEADER_SIZE, why))
            return false;
        struct flm_bytes there = {source->at, (size_t)(source->end - source->at)};
        if (there.size == 0 && offset > 0)
            break;
        if (there.size < HEADER_SIZE || !starts_chunk(there)) {
            if (offset == 0)
                return flm_error_set(why, FLM_ERROR_FORMAT,
                                     there.size < HEADER_SIZE
                                         ? "the recording ends within its header of 68 bytes: it "
                                           "was cut, or is being written"
                                         : "it does not begin as a JFR recording does");
            if (!skip_rest(source, builder, offset, why))
                return false;
            break;
        }
        read_header(&k, there);
        if (!check_version(&k, why) || !fill_chunk(source, &k, why))
            return false;
        bool has_types;
        if (!read_chunk(&k, types, events, builder, &has_types))
            return flm_error_memory(why);
        if (flm_jfr_events_failed(events))
            break; /* flm_builder_finish, or the caller, says why */
        good_chunks += has_types;
        if (!has_types)
            flm_builder_lost(builder, "chunks without metadata", "byte", offset, 1);
        offset += k.bytes.size;
        source->at += k.bytes.size;
        if (!flm_source_progress(source, k.bytes.size, why))
            return false;
    }
    if (good_chunks == 0 && !flm_jfr_events_failed(events))
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "byte 0: the recording has no metadata, which says what its events "
                             "are: it was cut, or is being written (jcmd PID JFR.dump writes a "
                             "whole one)");
    return true;
}

static bool read_jfr(struct flm_source *source, const struct flm_read_options *options,
                     struct flm_builder *builder, struct flm_error *why)
{
    struct flm_jfr_events *events = flm_jfr_events_new(options, builder);
    if (!events)
        return flm_error_memory(why);
    struct flm_jfr_types types = {0};
    bool good = read_chunks(source, &types, events, builder, why);
    flm_jfr_types_clear(&types);
    if (good && !flm_jfr_events_finish(events))
        good = flm_error_memory(why);
    flm_jfr_events_free(events);
    return good;
}

static int sniff_jfr(struct flm_bytes head, bool whole)
{
    (void)whole;
    return starts_chunk(head) ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

const struct flm_format flm_format_jfr = {
    .name = "jfr",
    .title = "JFR",
    .extensions = ".jfr",
    .description = "JFR recordings of Java VMs (8 to 25) and async-profiler: samples, waits, "
                   "allocations, events",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_jfr,
    .read = read_jfr,
};
