/* cpu_profiles.c - V8's CPU profiles in traces of Chrome: JSON in an argument of events.
 *
 *     Profile        on the thread that is sampled: {"startTime": 50180473256}
 *     ProfileChunk   of another thread of the process: {"cpuProfile": {"nodes": [...],
 *                    "samples": [...]}, "timeDeltas": [...]}
 *
 * Both have the id of the profile, which is one of their process. */
#include "format/perfetto/internal.h"

/* The track of the thread that writes a sequence. */
static struct flm_perfetto_lane lane_of(struct flm_perfetto *p,
                                        const struct flm_perfetto_sequence *s)
{
    if (s->track != 0)
        return (struct flm_perfetto_lane){flm_perfetto_find_track(p, s->track), true};
    return (struct flm_perfetto_lane){
        flm_perfetto_find_thread(p, s->has_thread ? s->pid : -1, s->has_thread ? s->tid : -1),
        false};
}

/* A track of a thread is the thread. */
static struct flm_perfetto_lane thread_of(const struct flm_perfetto *p,
                                          struct flm_perfetto_lane lane)
{
    if (lane.is_track && p->tracks.at[lane.index].has_thread)
        return (struct flm_perfetto_lane){p->tracks.at[lane.index].thread, false};
    return lane;
}

static int64_t process_of(const struct flm_perfetto *p, struct flm_perfetto_lane lane)
{
    lane = thread_of(p, lane);
    return lane.is_track ? p->tracks.at[lane.index].pid : p->threads.at[lane.index].pid;
}

static bool read_json(struct flm_perfetto *p, struct flm_bytes text, struct flm_v8_profile *part)
{
    struct flm_source source = flm_source_of(text);
    struct flm_error ignored;
    struct flm_json json;
    flm_json_init(&json, &source, &ignored);
    flm_v8_read_part(part, &json);
    bool good = flm_json_finish(&json);
    p->losses[FLM_PERFETTO_DAMAGED] += !good;
    return good;
}

bool flm_perfetto_read_cpu_profile(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                   uint32_t name, uint64_t id, struct flm_bytes event)
{
    struct flm_bytes called = flm_interner_text(&p->builder->interner, name);
    bool begins = flm_bytes_are(called, "Profile");
    if (!begins && !flm_bytes_are(called, "ProfileChunk"))
        return false;
    struct flm_v8_profile part = {.builder = p->builder};
    struct flm_perfetto_lane lane = lane_of(p, s);
    if (!flm_perfetto_stopped(p) && read_json(p, flm_perfetto_first_text(p, s, event), &part)) {
        struct flm_perfetto_cpu_profile profile = {lane, {.builder = p->builder}};
        uint32_t index =
            flm_perfetto_entry(p, &p->cpu_profile_keys, id, (uint64_t)process_of(p, lane),
                               &p->cpu_profiles, &profile, sizeof profile);
        if (index != FLM_NONE && begins)
            p->cpu_profiles.at[index].lane = lane;
        if (index != FLM_NONE && !flm_v8_append(&p->cpu_profiles.at[index].profile, &part))
            flm_perfetto_no_memory(p);
    }
    flm_v8_clear(&part);
    return true;
}

void flm_perfetto_add_cpu_profiles(struct flm_perfetto *p)
{
    if (p->cpu_profiles.count == 0)
        return;
    struct flm_metric time = flm_builder_metric(p->builder, "time", "us");
    for (size_t i = 0; i < p->cpu_profiles.count && !flm_builder_failed(p->builder); i++) {
        struct flm_perfetto_lane lane = thread_of(p, p->cpu_profiles.at[i].lane);
        struct flm_v8_profile *profile = &p->cpu_profiles.at[i].profile;
        struct flm_node root = flm_perfetto_root(p, lane);
        int64_t start_ns;
        if (!(profile->start_us >= 0 && profile->start_us < 9e15))
            profile->start_us = 0;
        flm_perfetto_trace_time(p, FLM_PERFETTO_MONOTONIC, 0, (uint64_t)(profile->start_us * 1000),
                                &start_ns);
        profile->start_us = (double)start_ns / 1000;
        if (flm_v8_make_stacks(profile, root, false, NULL))
            flm_v8_add_samples(profile, root, time, p->options, flm_perfetto_labels(p, lane));
        else
            p->losses[FLM_PERFETTO_CIRCLE]++;
    }
}

void flm_perfetto_free_cpu_profiles(struct flm_perfetto *p)
{
    for (size_t i = 0; i < p->cpu_profiles.count; i++)
        flm_v8_clear(&p->cpu_profiles.at[i].profile);
    FLM_ARRAY_CLEAR(&p->cpu_profiles);
    flm_perfetto_clear_keys(&p->cpu_profile_keys);
}
