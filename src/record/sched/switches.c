#include "record/sched/switches.h"

#include <stdlib.h>

#include "base/core/bytes.h"
#include "base/core/hash.h"
#include "flamel/builder.h"

/* The time between a mark and leaving the CPU is shorter than this, even if an interrupt comes in
 * between; an older mark belongs to another switch. */
enum { MARK_LASTS_NS = 10 * 1000 * 1000 };

void flm_switches_clear(struct flm_switches *s)
{
    flm_index_clear(&s->index);
    free(s->threads.at);
    *s = (struct flm_switches){0};
}

static struct flm_off_cpu_thread *find(const struct flm_switches *s, int32_t thread)
{
    for (struct flm_probe at = flm_index_probe(&s->index, flm_hash_numbers((uint32_t)thread, 0));
         flm_index_next(&s->index, &at);)
        if (s->threads.at[at.found].thread == thread)
            return &s->threads.at[at.found];
    return NULL;
}

static struct flm_off_cpu_thread nothing_of(int32_t process, int32_t thread)
{
    return (struct flm_off_cpu_thread){.process = process,
                                       .thread = thread,
                                       .left_ns = FLM_NO_TIME,
                                       .marked_ns = FLM_NO_TIME,
                                       .ended_ns = FLM_NO_TIME,
                                       .woken_ns = FLM_NO_TIME,
                                       .came_ns = FLM_NO_TIME};
}

static struct flm_off_cpu_thread *get(struct flm_switches *s, int32_t process, int32_t thread)
{
    struct flm_off_cpu_thread *found = find(s, thread);
    if (found)
        return found;
    if (!FLM_ARRAY_RESERVE(&s->threads, 1))
        return NULL;
    if (!flm_index_add(&s->index, flm_hash_numbers((uint32_t)thread, 0),
                       (uint32_t)s->threads.count))
        return NULL;
    found = &s->threads.at[s->threads.count++];
    *found = nothing_of(process, thread);
    return found;
}

bool flm_switches_mark(struct flm_switches *s, int32_t process, int32_t thread, int64_t time_ns,
                       uint32_t node, enum flm_sched_state state)
{
    struct flm_off_cpu_thread *t = get(s, process, thread);
    if (!t)
        return false;
    t->process = process;
    t->marked_ns = time_ns;
    t->woken_ns = FLM_NO_TIME;
    t->node = node;
    t->marked_state = state;
    t->name = t->wait = (struct flm_bytes){"", 0};
    memset(t->labels, 0, sizeof t->labels);
    return true;
}

void flm_switches_explain(struct flm_switches *s, int32_t thread,
                          const struct flm_event_sample *sample)
{
    struct flm_off_cpu_thread *t = find(s, thread);
    if (!t)
        return;
    t->name = sample->thread_name;
    t->wait = sample->state;
    memcpy(t->labels, sample->labels, sizeof t->labels);
}

bool flm_switches_leave(struct flm_switches *s, int32_t process, int32_t thread, int64_t time_ns,
                        bool preempted)
{
    struct flm_off_cpu_thread *t = get(s, process, thread);
    if (!t || t->ended_ns != FLM_NO_TIME)
        return t;
    if (t->marked_ns != FLM_NO_TIME &&
        (t->marked_ns > time_ns || time_ns - t->marked_ns > MARK_LASTS_NS))
        t->marked_ns = FLM_NO_TIME;
    t->process = process;
    t->left_ns = time_ns;
    t->came_ns = FLM_NO_TIME;
    t->may_be_back = false;
    if (t->marked_ns == FLM_NO_TIME || t->woken_ns < t->marked_ns)
        t->woken_ns = FLM_NO_TIME;
    t->state = preempted ? FLM_STATE_RUNNABLE : FLM_STATE_WAITING;
    if (t->marked_ns != FLM_NO_TIME && t->marked_state != FLM_STATE_WAITING)
        t->state = t->marked_state;
    return true;
}

void flm_switches_trust(struct flm_switches *s, int32_t thread, bool is_seen)
{
    struct flm_off_cpu_thread *t = find(s, thread);
    if (t)
        t->may_be_back = !is_seen;
}

void flm_switches_wake(struct flm_switches *s, int32_t thread, int64_t time_ns)
{
    struct flm_off_cpu_thread *t = find(s, thread);
    if (t && t->woken_ns == FLM_NO_TIME &&
        (t->left_ns != FLM_NO_TIME || t->marked_ns != FLM_NO_TIME))
        t->woken_ns = time_ns;
}

bool flm_switches_see(struct flm_switches *s, int32_t process, int32_t thread, int64_t time_ns)
{
    struct flm_off_cpu_thread *t = get(s, process, thread);
    if (!t || t->ended_ns != FLM_NO_TIME || t->came_ns != FLM_NO_TIME)
        return t;
    if (t->left_ns != FLM_NO_TIME) {
        if (time_ns - t->left_ns <= MARK_LASTS_NS && !t->may_be_back)
            return true;
        t->left_ns = t->marked_ns = t->woken_ns = FLM_NO_TIME;
    }
    t->process = process;
    t->came_ns = time_ns;
    return true;
}

const struct flm_off_cpu_thread *flm_switches_find(const struct flm_switches *s, int32_t thread)
{
    return find(s, thread);
}

bool flm_switches_return(struct flm_switches *s, int32_t process, int32_t thread, int64_t time_ns,
                         struct flm_off_cpu_thread *left)
{
    struct flm_off_cpu_thread *t = get(s, process, thread);
    if (!t)
        return false;
    *left = *t;
    t->left_ns = t->marked_ns = t->woken_ns = FLM_NO_TIME;
    t->came_ns = t->ended_ns == FLM_NO_TIME ? time_ns : FLM_NO_TIME;
    return true;
}

bool flm_switches_end(struct flm_switches *s, int32_t process, int32_t thread, int64_t time_ns)
{
    struct flm_off_cpu_thread *t = get(s, process, thread);
    if (!t)
        return false;
    t->left_ns = t->marked_ns = t->woken_ns = t->came_ns = FLM_NO_TIME;
    /* Without a time it is kept for ever. */
    t->ended_ns = time_ns == FLM_NO_TIME ? INT64_MAX : time_ns;
    return true;
}

bool flm_switches_begin(struct flm_switches *s, int32_t process, int32_t thread, int64_t time_ns)
{
    struct flm_off_cpu_thread *t =
        time_ns == FLM_NO_TIME ? find(s, thread) : get(s, process, thread);
    if (!t)
        return time_ns == FLM_NO_TIME;
    *t = nothing_of(process, thread);
    t->left_ns = time_ns;
    t->state = FLM_STATE_RUNNABLE;
    t->may_be_back = true;
    return true;
}

bool flm_switches_forget(struct flm_switches *s, int64_t before_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->threads.count; i++)
        if (s->threads.at[i].ended_ns == FLM_NO_TIME || s->threads.at[i].ended_ns >= before_ns)
            s->threads.at[kept++] = s->threads.at[i];
    if (kept == s->threads.count)
        return true;
    flm_index_clear(&s->index);
    for (s->threads.count = 0; s->threads.count < kept; s->threads.count++)
        if (!flm_index_add(&s->index,
                           flm_hash_numbers((uint32_t)s->threads.at[s->threads.count].thread, 0),
                           (uint32_t)s->threads.count))
            return false;
    return true;
}
