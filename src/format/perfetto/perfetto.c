#include "base/deflate/inflate.h"
#include "base/zstd/unzstd.h"
#include "format/perfetto/internal.h"

/* ---- Packets --------------------------------------------------------------------------------- */

/* Fields of a packet that are numbers; all others are messages and texts. */
static bool is_number(uint32_t field)
{
    static const uint8_t fields[] = {3, 8, 10, 13, 41, 42, 58, 79, 87, 98};
    return memchr(fields, (int)field, sizeof fields) != NULL && field < 256;
}

/* What says how it was recorded, and is nothing to show. */
static bool is_silent(uint32_t field)
{
    static const uint8_t fields[] = {33, 34, 35, 36, 45, 46,  67,  69,  72,  78,
                                     82, 84, 89, 90, 51, 113, 124, 126, 128, 131};
    return memchr(fields, (int)field, sizeof fields) != NULL && field < 256;
}

/* A message that holds packets, compressed. */
static void read_compressed(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);

static const struct {
    uint8_t field;
    bool has_time; /* it means nothing without */
    void (*read)(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);
} readers[] = {
    {11, false, flm_perfetto_read_event}, /* it may have a time of its own */
    {1, false, flm_perfetto_read_ftrace},        {66, true, flm_perfetto_read_perf_sample},
    {60, false, flm_perfetto_read_track},        {2, false, flm_perfetto_read_process_tree},
    {37, false, flm_perfetto_read_heap},         {43, false, flm_perfetto_read_process},
    {44, false, flm_perfetto_read_thread},       {50, false, read_compressed},
    {53, false, flm_perfetto_read_gpu},          {54, false, flm_perfetto_read_streaming},
    {61, false, flm_perfetto_read_symbols},      {133, false, read_compressed},
    {135, true, flm_perfetto_read_stack_sample},
};

static void dispatch(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i].field != packet->field)
            continue;
        if (readers[i].has_time && !packet->has_time)
            p->losses[FLM_PERFETTO_TIMELESS]++;
        else
            readers[i].read(p, packet);
        return;
    }
    if (packet->field != 0 && !is_silent(packet->field))
        p->others[packet->field < 256 ? packet->field : 0]++;
}

/* Packets that wait for a clock are kept as they are, up to this many bytes. */
enum { MOST_WAITING = 64 << 20 };

/* Finds the time of a packet; false: it waits. */
static bool find_time(struct flm_perfetto *p, struct flm_perfetto_packet *packet,
                      struct flm_bytes whole)
{
    struct flm_perfetto_sequence *s = packet->sequence;
    uint32_t clock = (uint32_t)(packet->clock ? packet->clock : s->clock);
    if (!packet->has_time ||
        flm_perfetto_trace_time(p, clock, s->id, packet->timestamp, &packet->time_ns))
        return true;
    uint32_t size = (uint32_t)whole.size;
    if (p->at_end || p->waiting.size + size > MOST_WAITING) {
        p->losses[FLM_PERFETTO_UNRELATED_CLOCK]++;
        return true;
    }
    flm_text_add(&p->waiting, (struct flm_bytes){(const char *)&size, sizeof size});
    flm_text_add(&p->waiting, whole);
    if (p->waiting.failed)
        flm_perfetto_no_memory(p);
    return false;
}

struct head {
    uint64_t sequence, flags, dropped;
    struct flm_bytes interned, defaults, snapshot;
};

/* What a packet changes in its sequence. False: it needs what was lost. */
static bool use_head(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                     const struct head *head)
{
    enum { CLEARED = 1, NEEDED = 2 };
    if (head->flags & CLEARED) {
        flm_perfetto_clear_state(s);
    } else if (head->dropped) {
        p->losses[FLM_PERFETTO_DROPPED] += s->has_state;
        s->has_state = s->has_reference = false;
    }
    if (head->defaults.at)
        flm_perfetto_read_defaults(p, s, head->defaults);
    if (head->interned.at)
        flm_perfetto_read_interned(p, s, head->interned);
    if (head->snapshot.at)
        flm_perfetto_read_snapshot(p, s->id, head->snapshot);
    return s->has_state || !(head->flags & NEEDED);
}

static void read_packet(struct flm_perfetto *p, struct flm_bytes bytes, uint64_t offset)
{
    struct flm_wire m = flm_perfetto_message(p, bytes);
    struct flm_perfetto_packet packet = {.offset = offset};
    struct head head = {0};
    while (flm_wire_next(&m)) {
        switch (m.field) {
        case 8:
            packet.has_time = true;
            packet.timestamp = m.number;
            break;
        case 10:
            head.sequence = m.number;
            break;
        case 12:
            head.interned = m.bytes;
            break;
        case 13:
            head.flags |= m.number;
            break;
        case 41:
            head.flags |= m.number != 0;
            break;
        case 42:
            head.dropped = m.number;
            break;
        case 58:
            packet.clock = m.number;
            break;
        case 59:
            head.defaults = m.bytes;
            break;
        case 6:
            head.snapshot = m.bytes;
            break;
        default:
            if (m.type == FLM_WIRE_BYTES) {
                packet.field = m.field;
                packet.data = m.bytes;
            }
            break;
        }
    }
    uint32_t sequence = flm_perfetto_find_sequence(p, (uint32_t)head.sequence);
    if (flm_perfetto_stopped(p))
        return;
    packet.sequence = &p->sequences.at[sequence];
    packet.has_sequence = head.sequence != 0;
    if (!p->at_end && !use_head(p, packet.sequence, &head)) {
        p->losses[FLM_PERFETTO_NEEDS_STATE]++;
        return;
    }
    if (packet.field != 0 && find_time(p, &packet, bytes) && !flm_perfetto_stopped(p))
        dispatch(p, &packet);
}

/* An error belongs to the packet, which is left out where the options say so; its parts that were
 * read before stay. */
void flm_perfetto_read_packet(struct flm_perfetto *p, struct flm_bytes bytes, uint64_t offset)
{
    struct flm_wire_input *outer = p->input, input = flm_wire_input_of(bytes);
    p->input = &input;
    p->packet_count++;
    read_packet(p, bytes, offset);
    p->input = outer;
    if (!input.reason)
        return;
    if (p->options->lenient) {
        p->losses[FLM_PERFETTO_DAMAGED]++;
    } else if (!outer->reason) {
        outer->reason = input.reason;
        outer->offset = offset + input.offset;
    }
}

static void read_waiting(struct flm_perfetto *p)
{
    uint32_t size;
    p->at_end = true;
    flm_perfetto_settle_clocks(p);
    for (size_t at = 0; at < p->waiting.size && !flm_perfetto_stopped(p); at += size) {
        memcpy(&size, p->waiting.at + at, sizeof size);
        at += sizeof size;
        p->packet_count--;
        flm_perfetto_read_packet(p, (struct flm_bytes){p->waiting.at + at, size}, 0);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

/* The size of the packet that begins there, and of its head; 0: it is none. */
static size_t packet_size(struct flm_bytes bytes, size_t *head)
{
    struct flm_wire_input input = flm_wire_input_of(bytes);
    struct flm_wire m = flm_wire_all(&input);
    const unsigned char *at = input.begin;
    uint64_t tag, size;
    enum { TAG = 1 << 3 | FLM_WIRE_BYTES };
    *head = 0;
    if (!flm_wire_varint(&m, &at, &tag) || tag != TAG || !flm_wire_varint(&m, &at, &size) ||
        size > SIZE_MAX / 2)
        return 0;
    *head = (size_t)(at - input.begin);
    return (size_t)size;
}

static bool read_file(struct flm_perfetto *p, struct flm_source *source, struct flm_error *why)
{
    enum { MOST_HEAD = 20, PROGRESS = 1 << 22 };
    uint64_t offset = 0, reported = 0;
    for (;;) {
        size_t head, left = (size_t)(source->end - source->at);
        if (left < MOST_HEAD && !source->last && !flm_source_fill(source, MOST_HEAD, why))
            return false;
        left = (size_t)(source->end - source->at);
        if (left == 0 || flm_perfetto_stopped(p))
            return true;
        size_t size = packet_size((struct flm_bytes){source->at, left}, &head);
        if (head == 0) {
            if (left >= MOST_HEAD && !p->options->lenient)
                return flm_error_byte(why, FLM_ERROR_FORMAT, offset,
                                      "no packet begins here (a file that was damaged?)");
        } else if (left < head + size && !source->last) {
            if (!flm_source_fill(source, head + size, why))
                return false;
            left = (size_t)(source->end - source->at);
        }
        if (head == 0 || left < head + size) {
            if (!flm_source_all(source, why))
                return false;
            p->losses[FLM_PERFETTO_CUT] = (uint64_t)(source->end - source->at);
            return true;
        }
        flm_perfetto_read_packet(p, (struct flm_bytes){source->at + head, size}, offset + head);
        source->at += head + size;
        offset += head + size;
        if (offset - reported >= PROGRESS) {
            if (!flm_source_progress(source, offset - reported, why))
                return false;
            reported = offset;
        }
    }
}

static bool read_perfetto(struct flm_source *source, const struct flm_read_options *options,
                          struct flm_builder *builder, struct flm_error *why)
{
    struct flm_wire_input input = {0};
    struct flm_perfetto p = {.builder = builder,
                             .options = options,
                             .input = &input,
                             .last_thread = FLM_NONE,
                             .last_track = FLM_NONE};
    bool good = read_file(&p, source, why);
    if (good && !flm_perfetto_stopped(&p))
        read_waiting(&p);
    if (good && !flm_perfetto_stopped(&p)) {
        if (p.packet_count == 0)
            good = flm_error_set(why, FLM_ERROR_FORMAT,
                                 p.losses[FLM_PERFETTO_CUT]
                                     ? "its first packet is cut off: nothing can be read"
                                     : "it has no packets: nothing was recorded");
        else
            flm_perfetto_finish(&p);
    }
    good = good && (flm_builder_failed(builder) || flm_wire_end(&input, why));
    flm_perfetto_clear(&p);
    return good; /* flm_builder_finish reports that memory ran out */
}

/* ---- Compressed packets ---------------------------------------------------------------------- */

static void read_packets(struct flm_perfetto *p, struct flm_bytes bytes, uint64_t offset)
{
    struct flm_wire m = flm_perfetto_message(p, bytes);
    while (!flm_perfetto_stopped(p) && flm_wire_next(&m))
        if (m.field == 1 && m.type == FLM_WIRE_BYTES)
            flm_perfetto_read_packet(p, m.bytes, offset);
}

/* One packet of them is what the recorder had at once: a megabyte, mostly less. */
enum { MOST_DECOMPRESSED = 64 << 20 };

static const char *decompress_zstd(struct flm_perfetto *p, struct flm_bytes bytes,
                                   struct flm_text *out)
{
    struct flm_source source = flm_source_of(bytes);
    struct flm_error why = {0};
    struct flm_bytes block = {0};
    struct flm_unzstd *unzstd = flm_unzstd_new(&source, &why);
    bool good = unzstd != NULL;
    if (!unzstd)
        flm_perfetto_no_memory(p);
    while (good && !out->failed && out->size <= MOST_DECOMPRESSED &&
           (good = flm_unzstd_next(unzstd, &block, &why)) && block.size > 0)
        flm_text_add(out, block);
    if (why.kind == FLM_ERROR_MEMORY)
        flm_perfetto_no_memory(p);
    flm_unzstd_free(unzstd);
    return !good ? "its compressed bytes (zstd) are damaged"
           : out->size > MOST_DECOMPRESSED
               ? "its compressed bytes (zstd) become more than 64 MiB, which no recorder writes"
               : NULL;
}

/* Packets in these may be compressed again, by no recorder: once is enough. */
static void read_compressed(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    enum { DEFLATED = 50 };
    struct flm_text out = {0};
    if (p->is_inside) {
        flm_wire_fail(p->input, (const unsigned char *)packet->data.at,
                      "compressed packets are inside compressed packets");
        return;
    }
    const char *reason = packet->field == DEFLATED
                             ? flm_inflate(packet->data, &out, MOST_DECOMPRESSED)
                             : decompress_zstd(p, packet->data, &out);
    if (out.failed)
        flm_perfetto_no_memory(p);
    if (reason) {
        flm_wire_fail(p->input, (const unsigned char *)packet->data.at, reason);
    } else {
        struct flm_wire_input *outer = p->input;
        struct flm_wire_input input = flm_wire_input_of((struct flm_bytes){out.at, out.size});
        p->is_inside = true;
        p->input = &input;
        read_packets(p, (struct flm_bytes){out.at, out.size}, packet->offset);
        p->input = outer;
        p->is_inside = false;
        if (input.reason && !outer->reason) { /* the place is that of the compressed bytes */
            outer->reason = input.reason;
            outer->offset = (uint64_t)(packet->data.at - (const char *)outer->begin);
        }
    }
    flm_text_clear(&out);
}

/* ---- Recognition ----------------------------------------------------------------------------- */

/* How many of a packet's fields only a packet has: numbers in the fields of numbers, and data in
 * those of messages; -1: it is no packet. The last one may be cut off, by the end of the head. */
static int count_fields(struct flm_wire m, bool is_cut)
{
    int count = 0;
    while (flm_wire_next(&m)) {
        bool is_bytes = m.type == FLM_WIRE_BYTES;
        if (m.field > 2000 || (!is_bytes && m.type != FLM_WIRE_VARINT) ||
            is_bytes == is_number(m.field))
            return -1;
        count += !is_bytes || m.field > 7;
    }
    return m.input->reason && !is_cut ? -1 : count;
}

/* Fields 1 of messages are many formats' beginning: pprof has numbers in them, OpenTelemetry has
 * messages alone, in fields 1 and 2. Nearly every packet has a time or a sequence, numbers in
 * fields from 8 on. */
static int sniff(struct flm_bytes head, bool whole)
{
    int fields = 0;
    size_t packets = 0;
    (void)whole;
    while (head.size > 0 && packets < 1000) {
        size_t start, size = packet_size(head, &start), there = head.size - start;
        bool is_cut = there < size;
        if (start == 0) {
            if (head.size > 12 || packets == 0)
                return FLM_SNIFF_NO;
            break;
        }
        struct flm_wire_input input =
            flm_wire_input_of((struct flm_bytes){head.at + start, is_cut ? there : size});
        int found = count_fields(flm_wire_all(&input), is_cut);
        if (found < 0)
            return fields > 8 ? FLM_SNIFF_LIKELY : FLM_SNIFF_NO;
        fields += found;
        packets++;
        if (is_cut && fields < 2) /* a text that begins with an empty line */
            return FLM_SNIFF_NO;
        head = flm_bytes_from(head, start + (is_cut ? there : size));
    }
    return packets == 0 ? FLM_SNIFF_NO : fields > 1 ? FLM_SNIFF_SURE + 1 : FLM_SNIFF_MIXED;
}

const struct flm_format flm_format_perfetto = {
    .name = "perfetto",
    .title = "Perfetto",
    .extensions = ".perfetto-trace .pftrace",
    .description =
        "traces of Perfetto: samples, heaps, track events, states of threads, counters, GPU",
    .has_times = true,
    .keeps_labels = true,
    .needs_symbols = true,
    .sniff = sniff,
    .read = read_perfetto,
};
