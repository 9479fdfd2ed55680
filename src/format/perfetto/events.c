/* events.c - track events, and the older events inside them: what each becomes. */
#include "format/perfetto/internal.h"

enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4, STATE = 5 };

struct event {
    const struct flm_perfetto_packet *packet;
    struct flm_perfetto_sequence *sequence;
    struct flm_perfetto_fields *f, *legacy;
    uint64_t type, track;
    char phase; /* of an older event */
    int64_t time_ns;
    uint32_t name, category; /* strings */
    struct flm_perfetto_lane lane;
};

/* Fields of an event, and of the older event inside it. */
enum {
    DELTA_US = 1,
    CATEGORY_IIDS = 3,
    LEGACY = 6,
    TYPE = 9,
    NAME_IID = 10,
    TRACK = 11,
    ABSOLUTE_US = 16,
    CATEGORIES = 22,
    NAME = 23,
    VALUE = 30,
    REAL_VALUE = 44,
    STACK = 55,
    STACK_IID = 56,
    WEIGHT = 57
};
enum {
    LEGACY_NAME_IID = 1,
    PHASE = 2,
    DURATION_US = 3,
    UNSCOPED_ID = 6,
    ID_SCOPE = 7,
    LOCAL_ID = 10,
    GLOBAL_ID = 11,
    PID = 18,
    TID = 19
};

static double real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- What is kept ---------------------------------------------------------------------------- */

void flm_perfetto_add_call(struct flm_perfetto *p, struct flm_perfetto_lane lane,
                           const struct flm_call *call)
{
    if (flm_builder_failed(p->builder))
        return;
    struct flm_calls *calls =
        lane.is_track ? &p->tracks.at[lane.index].calls : &p->threads.at[lane.index].calls;
    if (!FLM_ARRAY_ADD(calls, *call))
        flm_perfetto_no_memory(p);
}

void flm_perfetto_add_marker(struct flm_perfetto *p, const struct flm_perfetto_marker *marker)
{
    if (p->options->keep_times)
        flm_perfetto_push(p, &p->markers, marker, sizeof *marker);
}

void flm_perfetto_add_point(struct flm_perfetto *p, const struct flm_perfetto_point *point)
{
    if (p->options->keep_times)
        flm_perfetto_push(p, &p->points, point, sizeof *point);
}

/* The owner of the event is an index of a thread, or that of a track with the highest bit set. */
void flm_perfetto_add_async(struct flm_perfetto *p, bool begins, struct flm_async_event *event)
{
    enum { OWNED_BY_TRACK = 31 };
    struct flm_async_event begun;
    if (!p->options->keep_times)
        return;
    if (begins) {
        if (!flm_async_begin(&p->async, event))
            flm_perfetto_no_memory(p);
        return;
    }
    if (!flm_async_end(&p->async, event->key, &begun)) {
        p->losses[FLM_PERFETTO_NO_BEGIN]++;
        return;
    }
    int64_t duration = 0;
    if (event->time_ns > begun.time_ns &&
        __builtin_sub_overflow(event->time_ns, begun.time_ns, &duration))
        duration = INT64_MAX;
    struct flm_perfetto_marker marker = {
        begun.time_ns,
        duration,
        begun.name,
        begun.detail,
        {begun.owner & (UINT32_MAX >> 1), begun.owner >> OWNED_BY_TRACK}};
    flm_perfetto_add_marker(p, &marker);
}

uint32_t flm_perfetto_call_frame(struct flm_perfetto *p, uint32_t name, uint32_t category)
{
    struct flm_frame_record frame = {.function = name, .module = category};
    if (frame.function == 0)
        frame.function = flm_perfetto_string(p, flm_bytes_of("(unnamed)"));
    return flm_builder_frame(p->builder, &frame).index;
}

/* ---- Its parts ------------------------------------------------------------------------------- */

/* Several categories are one name: "a,b". */
static uint32_t add_category(struct flm_perfetto *p, uint32_t all, uint32_t category)
{
    if (all == 0)
        return category;
    p->text.size = 0;
    flm_text_add(&p->text, flm_interner_text(&p->builder->interner, all));
    flm_text_putc(&p->text, ',');
    flm_text_add(&p->text, flm_interner_text(&p->builder->interner, category));
    if (p->text.failed)
        flm_perfetto_no_memory(p);
    if (p->text.failed || p->text.size > 1000) /* a hostile list, which never ends */
        return all;
    return flm_perfetto_string(p, (struct flm_bytes){p->text.at, p->text.size});
}

static uint32_t read_category(struct flm_perfetto *p, const struct event *e)
{
    bool is_one = !((e->f->again | e->f->texts) >> CATEGORY_IIDS & 1);
    uint32_t all = 0;
    if (is_one && !flm_perfetto_has(e->f, CATEGORIES))
        return e->f->numbers >> CATEGORY_IIDS & 1
                   ? flm_perfetto_name(p, e->sequence, FLM_PERFETTO_CATEGORY,
                                       e->f->number[CATEGORY_IIDS])
                   : 0;
    struct flm_perfetto_list list = flm_perfetto_list_of(p, e->packet->data, CATEGORY_IIDS, false);
    struct flm_wire m = flm_perfetto_message(p, e->packet->data);
    struct flm_bytes text;
    uint64_t iid;
    while (flm_perfetto_next_number(&list, &iid))
        all = add_category(p, all, flm_perfetto_name(p, e->sequence, FLM_PERFETTO_CATEGORY, iid));
    while (flm_perfetto_next(p, &m, CATEGORIES, &text))
        all = add_category(p, all, flm_perfetto_string(p, text));
    return all;
}

static void read_fields(struct flm_perfetto *p, struct event *e)
{
    flm_perfetto_read(p, e->packet->data, e->f);
    flm_perfetto_read(p, flm_perfetto_text(e->f, LEGACY), e->legacy);
    uint64_t phase = flm_perfetto_number(e->legacy, PHASE);
    uint64_t name = flm_perfetto_number(e->f, NAME_IID);
    if (name == 0)
        name = flm_perfetto_number(e->legacy, LEGACY_NAME_IID);
    e->phase = phase < 128 ? (char)phase : 0;
    e->type = flm_perfetto_number(e->f, TYPE);
    e->name = name ? flm_perfetto_name(p, e->sequence, FLM_PERFETTO_EVENT_NAME, name)
                   : flm_perfetto_text_string(p, e->f, NAME);
    e->category = read_category(p, e);
    e->track =
        flm_perfetto_has(e->f, TRACK) ? flm_perfetto_number(e->f, TRACK) : e->sequence->track;
}

/* False: it has none. Older writers have times of CLOCK_MONOTONIC in the event. */
static bool find_time(struct flm_perfetto *p, struct event *e)
{
    struct flm_perfetto_sequence *s = e->sequence;
    bool has_delta = flm_perfetto_has(e->f, DELTA_US);
    int64_t ns, us = (int64_t)flm_perfetto_number(e->f, has_delta ? DELTA_US : ABSOLUTE_US);
    e->time_ns = e->packet->time_ns;
    if (!has_delta && us == 0)
        return e->packet->has_time;
    if (__builtin_mul_overflow(us, 1000, &ns))
        return false;
    if (has_delta) {
        if (!s->has_reference || __builtin_add_overflow(s->reference_ns, ns, &ns))
            return false;
        s->reference_ns = ns;
    }
    flm_perfetto_trace_time(p, FLM_PERFETTO_MONOTONIC, 0, (uint64_t)ns, &e->time_ns);
    return true;
}

/* The track of an event, or the thread of its sequence: where it has no track, or an older event
 * names another thread. */
static void find_lane(struct flm_perfetto *p, struct event *e)
{
    const struct flm_perfetto_sequence *s = e->sequence;
    bool has_pid = flm_perfetto_has(e->legacy, PID), has_tid = flm_perfetto_has(e->legacy, TID);
    bool of_thread = s->has_thread && (!flm_perfetto_has(e->f, TRACK) || e->type == 0 || has_tid);
    if (e->track == 0 && (of_thread || has_pid)) {
        int64_t pid = has_pid ? (int64_t)(uint32_t)e->legacy->number[PID] : s->pid;
        int64_t tid = has_tid ? (int64_t)(uint32_t)e->legacy->number[TID] : has_pid ? -1 : s->tid;
        e->lane = (struct flm_perfetto_lane){flm_perfetto_find_thread(p, pid, tid), false};
    } else {
        e->lane = (struct flm_perfetto_lane){flm_perfetto_find_track(p, e->track), true};
    }
}

/* ---- Counters -------------------------------------------------------------------------------- */

static void add_value(struct flm_perfetto *p, const struct event *e, uint64_t uuid, double value)
{
    uint32_t index = flm_perfetto_find_track(p, uuid);
    if (flm_perfetto_stopped(p))
        return;
    struct flm_perfetto_track *track = &p->tracks.at[index];
    value *= track->multiplier;
    if (track->is_incremental) {
        double *total = flm_perfetto_total(p, e->sequence, uuid);
        value = total ? *total += value : 0;
    }
    struct flm_perfetto_point point = {
        e->time_ns, value, track->is_described ? 0 : e->name, {index, true}};
    flm_perfetto_add_point(p, &point);
}

/* The values of other counters at the time of the event; as many as there are tracks. */
static void add_values(struct flm_perfetto *p, const struct event *e, uint32_t values_field,
                       uint32_t tracks_field, const struct flm_perfetto_numbers *defaults)
{
    enum { REAL_VALUES = 46 };
    bool is_real = values_field == REAL_VALUES, has_tracks = flm_perfetto_has(e->f, tracks_field);
    struct flm_perfetto_list values =
        flm_perfetto_list_of(p, e->packet->data, values_field, is_real);
    struct flm_perfetto_list tracks = flm_perfetto_list_of(p, e->packet->data, tracks_field, false);
    uint64_t number, uuid;
    for (size_t i = 0; flm_perfetto_next_number(&values, &number); i++) {
        if (has_tracks ? !flm_perfetto_next_number(&tracks, &uuid) : i >= defaults->count)
            return;
        if (!has_tracks)
            uuid = defaults->at[i];
        add_value(p, e, uuid, is_real ? real_of(number) : (double)(int64_t)number);
    }
}

/* ---- What it becomes ------------------------------------------------------------------------- */

static void add_call(struct flm_perfetto *p, struct event *e, int64_t duration_ns)
{
    struct flm_call call = {.time_ns = e->time_ns,
                            .duration_ns = duration_ns,
                            .name = e->name ? e->name : FLM_NONE,
                            .mark = FLM_NONE};
    if (duration_ns != FLM_CALL_END) {
        call.frame = flm_perfetto_call_frame(p, e->name, e->category);
        call.name = e->name;
        if (e->lane.is_track && p->tracks.at[e->lane.index].name == 0)
            p->tracks.at[e->lane.index].name = e->name;
    }
    flm_perfetto_add_call(p, e->lane, &call);
}

static void add_instant(struct flm_perfetto *p, struct event *e)
{
    if (!p->options->keep_times)
        return;
    struct flm_perfetto_marker marker = {
        e->time_ns, 0, e->name, flm_perfetto_detail(p, e->sequence, e->packet->data), e->lane};
    flm_perfetto_add_marker(p, &marker);
}

/* The field of the id of an event: the last of these that it has is a process's own. */
static const uint8_t ids[] = {UNSCOPED_ID, GLOBAL_ID, LOCAL_ID};

static int kind_of_id(const struct event *e)
{
    int kind = 0;
    while (kind < 2 && !flm_perfetto_has(e->legacy, ids[kind]))
        kind++;
    return kind;
}

/* Asynchronous events of one category and id are one; the oldest form, of one name and id. */
static void add_async(struct flm_perfetto *p, struct event *e)
{
    bool begins = e->phase == 'b' || e->phase == 'S', is_old = e->phase == 'S' || e->phase == 'F';
    int kind = kind_of_id(e);
    int64_t pid = ids[kind] == LOCAL_ID && !e->lane.is_track ? p->threads.at[e->lane.index].pid : 0;
    struct flm_bytes scope = flm_perfetto_text(e->legacy, ID_SCOPE);
    uint64_t id = flm_perfetto_number(e->legacy, ids[kind]);
    struct flm_async_event event = {
        .key = flm_mix(id ^ (uint64_t)(is_old ? e->name : e->category) << 32,
                       (flm_hash(scope.at, scope.size) ^ (uint64_t)pid) | 1),
        .time_ns = e->time_ns,
        .name = e->name,
        .detail = begins ? flm_perfetto_detail(p, e->sequence, e->packet->data) : 0,
        .owner = e->lane.index | (uint32_t)e->lane.is_track << 31};
    flm_perfetto_add_async(p, begins, &event);
}

/* Names of threads and processes. */
static void use_metadata(struct flm_perfetto *p, struct event *e)
{
    struct flm_bytes name = flm_interner_text(&p->builder->interner, e->name);
    struct flm_bytes text = flm_perfetto_first_text(p, e->sequence, e->packet->data);
    if (e->lane.is_track || text.size == 0)
        return;
    if (flm_bytes_are(name, "thread_name"))
        flm_perfetto_name_thread(p, e->lane.index, text, FLM_PERFETTO_DESCRIBED);
    else if (flm_bytes_are(name, "process_name"))
        flm_perfetto_name_process(p, p->threads.at[e->lane.index].pid, text,
                                  FLM_PERFETTO_DESCRIBED);
}

static void use_phase(struct flm_perfetto *p, struct event *e)
{
    int64_t duration, us = (int64_t)flm_perfetto_number(e->legacy, DURATION_US);
    switch (e->phase) {
    case 'B':
        add_call(p, e, FLM_CALL_BEGIN);
        break;
    case 'E':
        add_call(p, e, FLM_CALL_END);
        break;
    case 'X':
        if (__builtin_mul_overflow(us, 1000, &duration))
            duration = us < 0 ? -1 : INT64_MAX;
        p->losses[FLM_PERFETTO_NEGATIVE] += duration < 0;
        add_call(p, e, duration < 0 ? 0 : duration);
        break;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
    case 'T':
    case 'p':
        add_instant(p, e);
        break;
    case 'b':
    case 'e':
    case 'S':
    case 'F':
        if (p->options->keep_times)
            add_async(p, e);
        break;
    case 'M':
        use_metadata(p, e);
        break;
    case 'P':
        if (!flm_perfetto_read_cpu_profile(p, e->sequence, e->name,
                                           flm_perfetto_number(e->legacy, ids[kind_of_id(e)]),
                                           e->packet->data))
            p->losses[FLM_PERFETTO_OTHER_EVENTS]++;
        break;
    default:
        p->losses[FLM_PERFETTO_OTHER_EVENTS]++;
        break;
    }
}

/* The stack of an event is a sample; it is at the end of a call too. */
static void add_stack(struct flm_perfetto *p, struct event *e)
{
    uint64_t iid = flm_perfetto_number(e->f, STACK_IID);
    bool has_weight = flm_perfetto_has(e->f, WEIGHT);
    uint32_t stack = iid ? flm_perfetto_find_stack(p, e->sequence, iid)
                         : flm_perfetto_inline_stack(p, flm_perfetto_text(e->f, STACK));
    if (stack == FLM_NONE || flm_perfetto_stopped(p))
        return;
    const char *name = has_weight ? "callstack weight" : "callstacks";
    struct flm_perfetto_sample sample = {
        .time_ns = e->time_ns,
        .value = has_weight ? real_of(flm_perfetto_number(e->f, WEIGHT)) : 1,
        .stack = stack,
        .metric =
            flm_perfetto_find_metric(p, flm_bytes_of(name), has_weight ? "" : "samples", true),
        .lane = e->lane};
    flm_perfetto_add_sample(p, &sample);
}

void flm_perfetto_read_event(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    static const char phases[] = {[BEGIN] = 'B', [END] = 'E', [INSTANT] = 'i'};
    struct flm_perfetto_fields f, legacy;
    struct event e = {.packet = packet, .sequence = packet->sequence, .f = &f, .legacy = &legacy};
    read_fields(p, &e);
    if (!flm_perfetto_stopped(p))
        find_lane(p, &e);
    if (flm_perfetto_stopped(p))
        return;
    if (!find_time(p, &e)) {
        p->losses[FLM_PERFETTO_TIMELESS]++;
        return;
    }
    if (p->options->keep_times && flm_perfetto_has(e.f, 12))
        add_values(p, &e, 12, 31, &e.sequence->counters);
    if (p->options->keep_times && flm_perfetto_has(e.f, 46))
        add_values(p, &e, 46, 45, &e.sequence->double_counters);
    if (flm_perfetto_has(e.f, STACK) || flm_perfetto_has(e.f, STACK_IID))
        add_stack(p, &e);
    if (e.type == COUNTER) {
        if (p->options->keep_times && flm_perfetto_has(e.f, REAL_VALUE))
            add_value(p, &e, e.track, real_of(flm_perfetto_number(e.f, REAL_VALUE)));
        else if (p->options->keep_times && flm_perfetto_has(e.f, VALUE))
            add_value(p, &e, e.track, (double)(int64_t)flm_perfetto_number(e.f, VALUE));
        return;
    }
    if (e.phase == 0 && e.type < sizeof phases)
        e.phase = phases[e.type];
    if (!flm_perfetto_stopped(p))
        use_phase(p, &e);
}
