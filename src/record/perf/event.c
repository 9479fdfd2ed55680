#include "record/perf/event.h"

#include "flamel/builder.h"
#include "record/perf/byte_order.h"
#include "record/perf/kernel_abi.h"

/* ---- Byte order ------------------------------------------------------------------------------ */

static void swap64(char *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = flm_word64(at + 8 * i, true);
        memcpy(at + 8 * i, &word, sizeof word);
    }
}

struct flm_record_header flm_record_header(const char *record, bool swapped)
{
    struct flm_record_header header;
    memcpy(&header, record, sizeof header);
    if (swapped) {
        header.type = __builtin_bswap32(header.type);
        header.misc = __builtin_bswap16(header.misc);
        header.size = __builtin_bswap16(header.size);
    }
    return header;
}

/* ---- The event of a record ------------------------------------------------------------------- */

/* The fields at the end of every record except samples, in this order. */
static const uint64_t trailer_fields[] = {FLM_PERF_SAMPLE_TID, FLM_PERF_SAMPLE_TIME,
                                          FLM_PERF_SAMPLE_ID,  FLM_PERF_SAMPLE_STREAM_ID,
                                          FLM_PERF_SAMPLE_CPU, FLM_PERF_SAMPLE_IDENTIFIER};
enum { TRAILER_FIELDS = sizeof trailer_fields / sizeof trailer_fields[0] };

static size_t trailer_size(const struct flm_event_layout *layout)
{
    size_t size = 0;
    if (layout->sample_id_all)
        for (size_t i = 0; i < TRAILER_FIELDS; i++)
            size += layout->sample_type & trailer_fields[i] ? 8 : 0;
    return size;
}

/* The offset of the id in a sample, from the end of its header; SIZE_MAX: none. */
static size_t id_in_sample(uint64_t sample_type)
{
    static const uint64_t before[] = {FLM_PERF_SAMPLE_IP, FLM_PERF_SAMPLE_TID, FLM_PERF_SAMPLE_TIME,
                                      FLM_PERF_SAMPLE_ADDR};
    if (sample_type & FLM_PERF_SAMPLE_IDENTIFIER)
        return 0;
    if (!(sample_type & FLM_PERF_SAMPLE_ID))
        return SIZE_MAX;
    size_t at = 0;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        at += sample_type & before[i] ? 8 : 0;
    return at;
}

/* The offset of the id in another record, back from its end. */
static size_t id_in_trailer(uint64_t sample_type)
{
    if (sample_type & FLM_PERF_SAMPLE_IDENTIFIER)
        return 8;
    if (!(sample_type & FLM_PERF_SAMPLE_ID))
        return SIZE_MAX;
    return 8 + (sample_type & FLM_PERF_SAMPLE_STREAM_ID ? 8 : 0) +
           (sample_type & FLM_PERF_SAMPLE_CPU ? 8 : 0);
}

/* The kernel puts the id at the same offset for all events of a recording, so the first layout says
 * where it is. Records made by perf itself have the id 0: the first event is taken for them. */
static const struct flm_event_layout *find_layout(const struct flm_event_layouts *layouts,
                                                  const char *record, size_t size, bool is_sample)
{
    if (layouts->items.count == 0)
        return NULL;
    const struct flm_event_layout *first = &layouts->items.at[0];
    if (layouts->items.count == 1 || (!is_sample && !first->sample_id_all))
        return first;
    size_t at = is_sample ? id_in_sample(first->sample_type) : id_in_trailer(first->sample_type);
    if (at == SIZE_MAX)
        return first;
    if (is_sample ? 8 + at + 8 > size : 8 + at > size)
        return first; /* decoding will refuse it */
    at = is_sample ? 8 + at : size - at;
    uint64_t id = flm_word64(record + at, layouts->swapped);
    const struct flm_event_layout *found = flm_event_layouts_find(layouts, id);
    return found ? found : first;
}

static bool has_trailer(uint32_t type)
{
    return type < 64 && type != FLM_PERF_RECORD_SAMPLE;
}

int64_t flm_event_time(const struct flm_event_layouts *layouts, const char *record, size_t size)
{
    uint32_t type = flm_record_header(record, layouts->swapped).type;
    bool is_sample = type == FLM_PERF_RECORD_SAMPLE;
    const struct flm_event_layout *layout = find_layout(layouts, record, size, is_sample);
    if (!layout || !(layout->sample_type & FLM_PERF_SAMPLE_TIME) ||
        (!is_sample && (!has_trailer(type) || !layout->sample_id_all)))
        return FLM_NO_TIME;
    size_t at = 8;
    if (is_sample) {
        at += layout->sample_type & FLM_PERF_SAMPLE_IDENTIFIER ? 8 : 0;
        at += layout->sample_type & FLM_PERF_SAMPLE_IP ? 8 : 0;
        at += layout->sample_type & FLM_PERF_SAMPLE_TID ? 8 : 0;
    } else {
        size_t trailer = trailer_size(layout);
        if (trailer + 8 > size)
            return FLM_NO_TIME;
        at = size - trailer + (layout->sample_type & FLM_PERF_SAMPLE_TID ? 8 : 0);
    }
    if (at + 8 > size)
        return FLM_NO_TIME;
    uint64_t time = flm_word64(record + at, layouts->swapped);
    return time <= INT64_MAX ? (int64_t)time : FLM_NO_TIME;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* The rest of a record; `failed` after a read past its end. */
struct body {
    char *at, *end;
    bool swapped, failed;
};

static char *take(struct body *body, uint64_t size)
{
    if (body->failed || size > (uint64_t)(body->end - body->at)) {
        body->failed = true;
        return NULL;
    }
    char *at = body->at;
    body->at += size;
    return at;
}

static uint64_t take64(struct body *body)
{
    const char *at = take(body, 8);
    return at ? flm_word64(at, body->swapped) : 0;
}

static uint32_t take32(struct body *body)
{
    const char *at = take(body, 4);
    return at ? flm_word32(at, body->swapped) : 0;
}

/* `count` words, converted to our byte order in place. */
static const uint64_t *take_words(struct body *body, uint64_t count)
{
    if (count > (uint64_t)(body->end - body->at) / 8 || (uintptr_t)body->at % 8) {
        body->failed = true;
        return NULL;
    }
    char *at = take(body, count * 8);
    if (at && body->swapped)
        swap64(at, (size_t)count);
    return (const uint64_t *)(const void *)at;
}

/* A text up to its NUL, in the rest of the record. */
static struct flm_bytes take_text(struct body *body)
{
    if (body->failed)
        return (struct flm_bytes){0};
    size_t room = (size_t)(body->end - body->at);
    const char *nul = memchr(body->at, 0, room);
    struct flm_bytes text = {body->at, nul ? (size_t)(nul - body->at) : room};
    body->at = body->end;
    return text;
}

static unsigned count_bits(uint64_t bits)
{
    return (unsigned)__builtin_popcountll(bits);
}

/* The counters of an event, or of a group, with their times and ids. */
static void take_read(struct body *body, const struct flm_event_layout *layout,
                      struct flm_event_sample *sample)
{
    uint64_t format = layout->read_format;
    unsigned times = (format & FLM_PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0) +
                     (format & FLM_PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0);
    unsigned more = (format & FLM_PERF_FORMAT_ID ? 1 : 0) + (format & FLM_PERF_FORMAT_LOST ? 1 : 0);
    if (!(format & FLM_PERF_FORMAT_GROUP)) {
        take_words(body, 1 + times + more);
        return;
    }
    uint64_t count = take64(body);
    take_words(body, times);
    if (count > UINT16_MAX) {
        body->failed = true;
        return;
    }
    const uint64_t *values = take_words(body, count * (1 + more));
    if (values && format & FLM_PERF_FORMAT_ID) {
        sample->counts = values;
        sample->count_count = (size_t)count;
        sample->count_stride = 1 + more;
    }
}

static void take_branches(struct body *body, const struct flm_event_layout *layout,
                          struct flm_event_sample *sample)
{
    uint64_t count = take64(body);
    if (layout->branch_type & FLM_PERF_SAMPLE_BRANCH_HW_INDEX)
        take64(body);
    if (count > UINT16_MAX) {
        body->failed = true;
        return;
    }
    sample->branches = take_words(body, count * 3);
    sample->branch_count = sample->branches ? (size_t)count : 0;
    if (layout->branch_type & (UINT64_C(1) << 19)) /* counters of each branch, since 6.8 */
        take_words(body, count);
}

static void take_raw(struct body *body, struct flm_event_sample *sample)
{
    uint32_t size = take32(body);
    sample->raw = (struct flm_bytes){take(body, size), size};
    if (body->failed)
        sample->raw.size = 0;
    /* The kernel pads the size and the bytes together to 8 bytes. */
}

static void take_stack(struct body *body, struct flm_event_sample *sample)
{
    uint64_t size = take64(body);
    if (size == 0)
        return;
    const char *bytes = take(body, size);
    uint64_t used = take64(body);
    if (body->failed)
        return;
    if (used > size)
        used = size;
    sample->stack = (struct flm_bytes){bytes, (size_t)used};
    sample->stack_is_cut = used == size;
}

static enum flm_privilege privilege_of(uint16_t misc)
{
    switch (misc & FLM_PERF_RECORD_MISC_CPUMODE_MASK) {
    case FLM_PERF_RECORD_MISC_KERNEL:
        return FLM_IN_KERNEL;
    case FLM_PERF_RECORD_MISC_USER:
        return FLM_IN_USER;
    case FLM_PERF_RECORD_MISC_HYPERVISOR:
        return FLM_IN_HYPERVISOR;
    case FLM_PERF_RECORD_MISC_GUEST_KERNEL:
    case FLM_PERF_RECORD_MISC_GUEST_USER:
        return FLM_IN_GUEST;
    default:
        return FLM_IN_UNKNOWN;
    }
}

static int64_t as_time(uint64_t time)
{
    return time <= INT64_MAX ? (int64_t)time : FLM_NO_TIME;
}

static void take_sample(struct body *body, uint16_t misc, struct flm_event *event)
{
    struct flm_event_sample *s = &event->sample;
    const struct flm_event_layout *layout = s->layout;
    uint64_t type = layout->sample_type;
    s->privilege = privilege_of(misc);
    s->period = layout->period ? layout->period : 1;

    if (type & FLM_PERF_SAMPLE_IDENTIFIER)
        take64(body);
    if (type & FLM_PERF_SAMPLE_IP)
        s->ip = take64(body);
    if (type & FLM_PERF_SAMPLE_TID) {
        event->process = (int32_t)take32(body);
        event->thread = (int32_t)take32(body);
    }
    if (type & FLM_PERF_SAMPLE_TIME)
        event->time_ns = as_time(take64(body));
    if (type & FLM_PERF_SAMPLE_ADDR)
        s->address = take64(body);
    if (type & FLM_PERF_SAMPLE_ID)
        take64(body);
    if (type & FLM_PERF_SAMPLE_STREAM_ID)
        take64(body);
    if (type & FLM_PERF_SAMPLE_CPU) {
        event->cpu = take32(body);
        take32(body);
    }
    if (type & FLM_PERF_SAMPLE_PERIOD)
        s->period = take64(body);
    if (type & FLM_PERF_SAMPLE_READ)
        take_read(body, layout, s);
    if (type & FLM_PERF_SAMPLE_CALLCHAIN) {
        uint64_t count = take64(body);
        s->chain = take_words(body, count);
        s->chain_count = s->chain ? (size_t)count : 0;
    }
    if (type & FLM_PERF_SAMPLE_RAW)
        take_raw(body, s);
    if (type & FLM_PERF_SAMPLE_BRANCH_STACK)
        take_branches(body, layout, s);
    if (type & FLM_PERF_SAMPLE_REGS_USER) {
        s->register_abi = take64(body);
        if (s->register_abi != FLM_PERF_SAMPLE_REGS_ABI_NONE)
            s->registers = take_words(body, count_bits(layout->user_registers));
    }
    if (type & FLM_PERF_SAMPLE_STACK_USER)
        take_stack(body, s);
    /* Fields that are not needed, and newer ones, follow. */
}

static void take_trailer(struct body *body, const struct flm_event_layout *layout,
                         struct flm_event *event)
{
    size_t size = trailer_size(layout);
    if (size > (size_t)(body->end - body->at)) {
        body->failed = true;
        return;
    }
    body->end -= size;
    struct body trailer = {body->end, body->end + size, body->swapped, false};
    uint64_t type = size ? layout->sample_type : 0;
    if (type & FLM_PERF_SAMPLE_TID) {
        event->process = (int32_t)take32(&trailer);
        event->thread = (int32_t)take32(&trailer);
    }
    if (type & FLM_PERF_SAMPLE_TIME)
        event->time_ns = as_time(take64(&trailer));
    if (type & FLM_PERF_SAMPLE_ID)
        take64(&trailer);
    if (type & FLM_PERF_SAMPLE_STREAM_ID)
        take64(&trailer);
    if (type & FLM_PERF_SAMPLE_CPU)
        event->cpu = take32(&trailer);
}

static void take_thread(struct body *body, struct flm_event *event)
{
    event->process = (int32_t)take32(body);
    event->thread = (int32_t)take32(body);
}

static void take_map(struct body *body, uint16_t misc, bool is_map2, struct flm_event *event)
{
    struct flm_event_map *m = &event->map;
    take_thread(body, event);
    m->start = take64(body);
    m->size = take64(body);
    m->file_offset = take64(body);
    m->is_code = !(misc & FLM_PERF_RECORD_MISC_MMAP_DATA);
    m->in_kernel = event->process == -1 || privilege_of(misc) == FLM_IN_KERNEL;
    if (is_map2) {
        struct body which_file = *body;
        const char *which = take(body, 24); /* device and inode, or the build id */
        uint32_t protection = take32(body);
        take32(body);
        if (!m->in_kernel)
            m->is_code = protection & 4; /* PROT_EXEC */
        if (which && misc & FLM_PERF_RECORD_MISC_MMAP_BUILD_ID) {
            unsigned size = (unsigned char)which[0];
            m->build_id.size = (uint8_t)(size <= 20 ? size : 20);
            memcpy(m->build_id.bytes, which + 4, m->build_id.size);
        } else if (which) {
            m->file.major = take32(&which_file);
            m->file.minor = take32(&which_file);
            m->file.inode = take64(&which_file);
            m->file.generation = take64(&which_file);
        }
    }
    m->path = take_text(body);
}

static void take_kernel_symbol(struct body *body, struct flm_event *event)
{
    event->kernel_symbol.start = take64(body);
    event->kernel_symbol.size = take32(body);
    uint32_t rest = take32(body); /* u16 of the type, u16 of flags */
    uint16_t flags;
    memcpy(&flags, (char *)&rest + (body->swapped ? 0 : 2), sizeof flags);
    event->kernel_symbol.gone = flags & FLM_PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
    event->kernel_symbol.name = take_text(body);
}

static struct flm_bytes take_bytes(struct body *body, uint32_t size)
{
    const char *at = take(body, size);
    return (struct flm_bytes){at, at ? size : 0};
}

static void take_code(struct body *body, struct flm_event_code *code)
{
    code->line = take32(body);
    code->frame_kind = take32(body);
    uint32_t function_size = take32(body), file_size = take32(body), module_size = take32(body);
    code->address = take64(body);
    code->function = take_bytes(body, function_size);
    code->file = take_bytes(body, file_size);
    code->module = take_bytes(body, module_size);
}

static void take_own(struct body *body, struct flm_event *event)
{
    event->kind = FLM_EVENT_OTHER;
    event->type = FLM_RECORD_OWN;
    if (body->end - body->at < 24 || take64(body) != 0 || take64(body) != FLM_OWN_MAGIC)
        return;
    uint32_t kind = take32(body);
    if (kind == FLM_OWN_CODE) {
        event->kind = FLM_EVENT_CODE;
        take_code(body, &event->code);
    } else if (kind == FLM_OWN_NOTE) {
        event->kind = FLM_EVENT_NOTE;
        uint32_t key_size = take32(body), value_size = take32(body);
        take32(body);
        event->note.key = take_bytes(body, key_size);
        event->note.value = take_bytes(body, value_size);
    }
}

static void take_record(struct body *body, struct flm_record_header header, struct flm_event *event)
{
    switch (header.type) {
    case FLM_PERF_RECORD_MMAP:
    case FLM_PERF_RECORD_MMAP2:
        event->kind = FLM_EVENT_MAP;
        event->map = (struct flm_event_map){0};
        take_map(body, header.misc, header.type == FLM_PERF_RECORD_MMAP2, event);
        break;
    case FLM_PERF_RECORD_COMM:
        event->kind = FLM_EVENT_NAME;
        take_thread(body, event);
        event->name.text = take_text(body);
        event->name.is_exec = header.misc & FLM_PERF_RECORD_MISC_COMM_EXEC;
        break;
    case FLM_PERF_RECORD_FORK:
    case FLM_PERF_RECORD_EXIT:
        event->kind = header.type == FLM_PERF_RECORD_FORK ? FLM_EVENT_FORK : FLM_EVENT_EXIT;
        event->process = (int32_t)take32(body);
        event->fork.parent_process = (int32_t)take32(body);
        event->thread = (int32_t)take32(body);
        event->fork.parent_thread = (int32_t)take32(body);
        event->time_ns = as_time(take64(body));
        break;
    case FLM_PERF_RECORD_LOST:
        event->kind = FLM_EVENT_LOST;
        take64(body);
        event->lost.count = take64(body);
        break;
    case FLM_PERF_RECORD_LOST_SAMPLES:
        event->kind = FLM_EVENT_LOST_SAMPLES;
        event->lost.count = take64(body);
        break;
    case FLM_PERF_RECORD_THROTTLE:
    case FLM_PERF_RECORD_UNTHROTTLE:
        event->kind =
            header.type == FLM_PERF_RECORD_THROTTLE ? FLM_EVENT_THROTTLE : FLM_EVENT_UNTHROTTLE;
        break;
    case FLM_PERF_RECORD_SWITCH:
    case FLM_PERF_RECORD_SWITCH_CPU_WIDE:
        event->kind = FLM_EVENT_SWITCH;
        event->change.out = header.misc & FLM_PERF_RECORD_MISC_SWITCH_OUT;
        event->change.preempted = header.misc & FLM_PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
        break;
    case FLM_PERF_RECORD_KSYMBOL:
        event->kind = FLM_EVENT_KERNEL_SYMBOL;
        take_kernel_symbol(body, event);
        break;
    case FLM_RECORD_ROUND:
        event->kind = FLM_EVENT_ROUND;
        break;
    case FLM_RECORD_OWN:
        take_own(body, event);
        break;
    default:
        event->kind = FLM_EVENT_OTHER;
        event->type = header.type;
    }
}

bool flm_event_decode(const struct flm_event_layouts *layouts, char *record, size_t size,
                      uint64_t offset, struct flm_event *event, struct flm_error *why)
{
    /* Other members are only read in samples, and cleared there. */
    event->kind = FLM_EVENT_OTHER;
    event->process = event->thread = -1;
    event->time_ns = FLM_NO_TIME;
    event->cpu = UINT32_MAX;
    event->offset = offset;
    struct flm_record_header header = {0};
    if (size >= 8)
        header = flm_record_header(record, layouts->swapped);
    struct body body = {record + 8, record + size, layouts->swapped, size < 8};
    if (!body.failed && header.type == FLM_PERF_RECORD_SAMPLE) {
        event->kind = FLM_EVENT_SAMPLE;
        event->sample = (struct flm_event_sample){
            .layout = find_layout(layouts, record, size, true), .layouts = layouts};
        if (!event->sample.layout)
            return flm_error_byte(why, FLM_ERROR_FORMAT, offset,
                                  "a sample before the attributes of any event");
        take_sample(&body, header.misc, event);
    } else if (!body.failed) {
        const struct flm_event_layout *layout = find_layout(layouts, record, size, false);
        if (layout && has_trailer(header.type))
            take_trailer(&body, layout, event);
        take_record(&body, header, event);
    }
    return !body.failed || flm_error_byte(why, FLM_ERROR_FORMAT, offset,
                                          "a record of type %u is too short", header.type);
}
