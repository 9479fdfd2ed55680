/* off_cpu.c - off-CPU time of a session, and time on a CPU: what switches and wake-ups say of
 * threads (switches.h) becomes intervals in the profile, each with the state of its thread. */
#include "flamel/builder.h"
#include "record/sched/sched_event.h"
#include "record/session/internal.h"

/* One part of a wait. */
static bool count_interval(struct flm_session *s, const struct flm_off_cpu_thread *thread,
                           enum flm_sched_state state, int64_t from_ns, int64_t until_ns)
{
    if (until_ns <= from_ns)
        return true;
    const struct flm_event event = {.process = thread->process, .thread = thread->thread};
    struct flm_bytes command = flm_session_command(s, thread->thread);
    uint32_t node = thread->node;
    if (thread->marked_ns == FLM_NO_TIME)
        node = flm_session_label(s, flm_session_root(s, &event, command),
                                 flm_bytes_of("[off-CPU: unknown stack]"));
    if (node == UINT32_MAX)
        return false;
    struct flm_sample_attributes attributes = {.command = command,
                                               .process = thread->process,
                                               .thread = thread->thread,
                                               .cpu = UINT32_MAX,
                                               .event = FLM_EVENT_OFF_CPU,
                                               .state = state};
    if (thread->marked_ns != FLM_NO_TIME) {
        attributes.thread_name = thread->name;
        memcpy(attributes.labels, thread->labels, sizeof attributes.labels);
        if (state != FLM_STATE_RUNNABLE)
            attributes.runtime_state = thread->wait;
    }
    return flm_aggregation_add(&s->aggregation, from_ns, node, &attributes,
                               (double)(until_ns - from_ns));
}

/* A wait up to the wake-up, and the way to a CPU from then on. */
static bool count_off_cpu(struct flm_session *s, const struct flm_off_cpu_thread *thread,
                          int64_t until_ns)
{
    int64_t woken_ns = until_ns;
    if (thread->woken_ns != FLM_NO_TIME && thread->woken_ns < until_ns)
        woken_ns = thread->woken_ns > thread->left_ns ? thread->woken_ns : thread->left_ns;
    return count_interval(s, thread, thread->state, thread->left_ns, woken_ns) &&
           count_interval(s, thread, FLM_STATE_RUNNABLE, woken_ns, until_ns);
}

bool flm_session_count_busy(struct flm_session *s, int32_t thread, int64_t until_ns)
{
    const struct flm_off_cpu_thread *ran = flm_switches_find(&s->switches, thread);
    return !s->options.keep_times || !ran || ran->came_ns == FLM_NO_TIME ||
           flm_busy_add(&s->markers.switched, ran->came_ns, until_ns);
}

static bool leave(struct flm_session *s, int32_t process, int32_t thread, int64_t time_ns,
                  bool preempted)
{
    return thread <= 0 || (flm_session_count_busy(s, thread, time_ns) &&
                           flm_switches_leave(&s->switches, process, thread, time_ns, preempted));
}

static bool come(struct flm_session *s, int32_t process, int32_t thread, int64_t time_ns)
{
    struct flm_off_cpu_thread left;
    if (thread <= 0)
        return true;
    s->sees_switches = true;
    flm_busy_begin(&s->markers.switched, time_ns);
    return flm_switches_return(&s->switches, process, thread, time_ns, &left) &&
           (left.left_ns == FLM_NO_TIME || count_off_cpu(s, &left, time_ns));
}

bool flm_session_add_switch(struct flm_session *s, const struct flm_event *event)
{
    if (event->time_ns == FLM_NO_TIME)
        return true;
    return event->change.out
               ? leave(s, event->process, event->thread, event->time_ns, event->change.preempted)
               : come(s, event->process, event->thread, event->time_ns);
}

bool flm_session_saw_switch(const struct flm_session *s, int32_t thread)
{
    return flm_switches_find(&s->switches, thread) != NULL;
}

bool flm_session_end_off_cpu(struct flm_session *s)
{
    for (size_t i = 0; i < s->switches.threads.count; i++) {
        struct flm_off_cpu_thread thread = s->switches.threads.at[i];
        /* Of a thread that has no event of its own nobody sees it leave. */
        if (thread.process >= 0 && !flm_session_count_busy(s, thread.thread, s->newest_ns))
            return false;
        if (thread.came_ns != FLM_NO_TIME)
            s->switches.threads.at[i].came_ns = s->newest_ns; /* it may run on */
        if (thread.left_ns == FLM_NO_TIME || thread.left_ns >= s->newest_ns || thread.may_be_back)
            continue;
        if (!count_off_cpu(s, &thread, s->newest_ns))
            return false;
        s->switches.threads.at[i].left_ns = s->newest_ns; /* it may stay off-CPU */
    }
    return true;
}

/* Whether the recording has SWITCH records, which say who comes and leaves. */
static bool has_switches(const struct flm_event_layouts *layouts)
{
    for (size_t i = 0; i < layouts->items.count; i++)
        if (layouts->items.at[i].has_switches)
            return true;
    return false;
}

bool flm_session_mark_switch(struct flm_session *s, const struct flm_event *event, uint32_t node)
{
    struct flm_sched_switch change;
    enum flm_sched_state state = FLM_STATE_WAITING;
    bool is_known = flm_sched_switch_read(&event->sample, &change);
    /* A thread that has ended has no number in the records any more. */
    s->is_in_namespace |= is_known && event->thread > 0 && change.leaves != event->thread;
    if (is_known)
        state = flm_sched_state_of_scheduler(change.state);
    if (event->time_ns == FLM_NO_TIME)
        return true;
    if (!flm_switches_mark(&s->switches, event->process, event->thread, event->time_ns, node,
                           state))
        return false;
    flm_switches_explain(&s->switches, event->thread, &event->sample);
    if (!is_known || s->is_in_namespace || has_switches(event->sample.layouts))
        return true;
    const struct flm_off_cpu_thread *ran = flm_switches_find(&s->switches, event->thread);
    bool was_seen = ran->came_ns != FLM_NO_TIME; /* else others bring it back unseen, too */
    if (!leave(s, event->process, event->thread, event->time_ns, false))
        return false;
    flm_switches_trust(&s->switches, event->thread, was_seen);
    return come(s, -1, change.comes, event->time_ns);
}

void flm_session_add_wake(struct flm_session *s, const struct flm_event *event)
{
    int32_t thread;
    if (event->time_ns != FLM_NO_TIME && !s->is_in_namespace &&
        flm_sched_wake_read(&event->sample, &thread))
        flm_switches_wake(&s->switches, thread, event->time_ns);
}

bool flm_session_see_running(struct flm_session *s, const struct flm_event *event)
{
    if (event->time_ns == FLM_NO_TIME || event->thread <= 0 || s->is_in_namespace ||
        !has_switches(event->sample.layouts))
        return true;
    flm_busy_begin(&s->markers.switched, event->time_ns);
    return flm_switches_see(&s->switches, event->process, event->thread, event->time_ns);
}
