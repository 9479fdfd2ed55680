/* gpu.c - stages of work on GPUs: vertices, fragments, kernels, copies.
 *
 * A stage is a call with a duration on a track of its queue. A queue may work on several at one
 * time, as on the fragments of a frame and the vertices of the next: a stage that overlaps with
 * others, and is not inside one, is on the queue's next track, "GPU queue 2". */
#include "format/perfetto/internal.h"

/* Names of an older trace, by their place: lists of messages with a name in field 1. */
static void read_names(struct flm_perfetto *p, struct flm_bytes message, uint32_t field,
                       void *names)
{
    struct flm_wire m = flm_perfetto_message(p, message);
    struct flm_bytes description;
    struct flm_perfetto_fields f;
    while (flm_perfetto_next(p, &m, field, &description)) {
        flm_perfetto_read(p, description, &f);
        uint32_t name = flm_perfetto_text_string(p, &f, 1);
        flm_perfetto_push(p, names, &name, sizeof name);
    }
}

/* Field `iid` names it in a table of the sequence, or `number` in the lists of an older trace. */
static uint32_t name_of(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                        const struct flm_perfetto_fields *f, unsigned iid, unsigned number)
{
    if (flm_perfetto_has(f, iid))
        return flm_perfetto_name(p, s, FLM_PERFETTO_GPU_SPECIFICATION, flm_perfetto_number(f, iid));
    uint64_t i = flm_perfetto_number(f, number);
    if (iid == 13)
        return i < p->gpu_queues.count ? p->gpu_queues.at[i] : 0;
    return i < p->gpu_stages.count ? p->gpu_stages.at[i] : 0;
}

/* "GPU 1 Vulkan queue": the number only of the second GPU on. */
static uint32_t track_name(struct flm_perfetto *p, uint64_t gpu, uint32_t queue, uint64_t number)
{
    p->text.size = 0;
    flm_text_puts(&p->text, "GPU ");
    if (gpu > 0)
        flm_text_format(&p->text, "%llu ", (unsigned long long)gpu);
    if (queue != 0)
        flm_text_add(&p->text, flm_interner_text(&p->builder->interner, queue));
    else
        flm_text_format(&p->text, "queue %llu", (unsigned long long)number);
    if (p->text.failed) {
        flm_perfetto_no_memory(p);
        return 0;
    }
    return flm_perfetto_string(p, (struct flm_bytes){p->text.at, p->text.size});
}

/* The track on which it fits, behind all that is there; FLM_NONE: out of memory. The last of many
 * takes what is left, whose calls are cut where they cross. */
static uint32_t find_lane(struct flm_perfetto *p, uint64_t queue, int64_t time_ns, int64_t end_ns)
{
    enum { MOST = 64 };
    struct flm_perfetto_gpu_lane *last = NULL;
    uint64_t number = 0;
    for (size_t i = 0; i < p->gpu_lanes.count; i++) {
        struct flm_perfetto_gpu_lane *lane = &p->gpu_lanes.at[i];
        if (lane->queue != queue)
            continue;
        last = lane;
        number++;
        if (lane->end_ns <= time_ns || lane->end_ns >= end_ns) {
            lane->end_ns = lane->end_ns > end_ns ? lane->end_ns : end_ns;
            return lane->track;
        }
    }
    if (number >= MOST || (p->gpu_lanes.count >= 16 * MOST && last))
        return last->track;
    struct flm_perfetto_gpu_lane added = {queue, end_ns, 0};
    added.track = flm_perfetto_find_track(p, flm_mix(queue, number + 1));
    if (added.track == FLM_NONE || !flm_perfetto_push(p, &p->gpu_lanes, &added, sizeof added))
        return FLM_NONE;
    return added.track;
}

void flm_perfetto_read_gpu(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    enum {
        DURATION = 2,
        QUEUE_NUMBER = 3,
        STAGE_NUMBER = 4,
        NAMES = 7,
        GPU = 11,
        QUEUE = 13,
        STAGE = 14,
        NAME = 17,
        NAME_IID = 20
    };
    struct flm_perfetto_sequence *s = packet->sequence;
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, packet->data, &f);
    if (flm_perfetto_has(&f, NAMES)) {
        p->gpu_queues.count = p->gpu_stages.count = 0;
        read_names(p, flm_perfetto_text(&f, NAMES), 2, &p->gpu_queues);
        read_names(p, flm_perfetto_text(&f, NAMES), 3, &p->gpu_stages);
    }
    uint64_t duration = flm_perfetto_number(&f, DURATION);
    if (!packet->has_time && !flm_perfetto_has(&f, DURATION))
        return; /* names alone */
    if (!packet->has_time || duration > INT64_MAX / 2 || packet->time_ns > INT64_MAX / 2) {
        p->losses[FLM_PERFETTO_TIMELESS]++;
        return;
    }
    uint64_t gpu = (uint32_t)flm_perfetto_number(&f, GPU);
    uint64_t number = flm_perfetto_number(&f, flm_perfetto_has(&f, QUEUE) ? QUEUE : QUEUE_NUMBER);
    uint32_t queue = name_of(p, s, &f, QUEUE, QUEUE_NUMBER);
    uint32_t name = flm_perfetto_text_string(p, &f, NAME);
    if (name == 0 && flm_perfetto_has(&f, NAME_IID))
        name = flm_perfetto_name(p, s, FLM_PERFETTO_EVENT_NAME, flm_perfetto_number(&f, NAME_IID));
    if (name == 0)
        name = name_of(p, s, &f, STAGE, STAGE_NUMBER);
    if (name == 0)
        name = flm_perfetto_string(p, flm_bytes_of("render stage"));
    uint32_t title = track_name(p, gpu, queue, number);
    int64_t end_ns = packet->time_ns + (int64_t)duration;
    uint32_t track =
        find_lane(p, flm_mix((uint64_t)title << 32 | gpu, number + 1), packet->time_ns, end_ns);
    if (track == FLM_NONE || flm_perfetto_stopped(p))
        return;
    p->tracks.at[track].name = title;
    struct flm_call call = {.time_ns = packet->time_ns,
                            .duration_ns = (int64_t)duration,
                            .frame = flm_perfetto_call_frame(p, name, 0),
                            .name = name,
                            .mark = FLM_NONE};
    flm_perfetto_add_call(p, (struct flm_perfetto_lane){track, true}, &call);
}
