/* events.c - allocations and monitors: what the VM tells in the thread that it happens to. */
#include <math.h>
#include <string.h>

#include "java/internal.h"

/* Half as many as elsewhere: they are on the stack of a thread of the program. */
enum { MOST = FLM_JAVA_MOST_FRAMES / 2 };

void sample_here(struct flm_java_sample *s, object of)
{
    struct jvmti_frame there[MOST];
    struct flm_java_frame *frames = (struct flm_java_frame *)(void *)there;
    char *class_name = NULL;
    int32_t count = 0;
    _Static_assert(sizeof *there == sizeof *frames, "one takes the place of the other");
    if (jvmti_stack(agent.ti, NULL, MOST, there, &count) != 0)
        count = 0;
    for (int32_t i = 0; i < count; i++) {
        const struct jvmti_frame frame = there[i];
        const struct flm_java_frame ours = frame_of(&frame);
        memcpy(&frames[i], &ours, sizeof ours);
    }
    if (jvmti_class_signature(agent.ti, of, &class_name) != 0)
        class_name = NULL;
    s->thread = own_id();
    s->cpu = UINT32_MAX;
    s->frame_count = (uint32_t)count;
    s->more_frames = count == MOST;
    sample_write(s, frames, class_name);
    jvmti_free(agent.ti, class_name);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

/* The VM takes each byte with the same probability, so an object stands for its size divided by the
 * probability that one of its bytes is taken. */
static void on_allocation(jvmti *ti, jni *env, object thread, object o, object of, int64_t size)
{
    double bytes = (double)size, share = -expm1(-bytes / (double)agent.config.alloc_bytes);
    struct flm_java_sample s = {.metric = FLM_JAVA_ALLOC};
    (void)ti;
    (void)env;
    (void)thread;
    (void)o;
    if (size <= 0 || !enter())
        return;
    s.time_ns = now_ns(CLOCK_MONOTONIC);
    s.value = (uint64_t)(bytes / share + 0.5);
    sample_here(&s, of);
    leave();
}

/* ---- Monitors -------------------------------------------------------------------------------- */

static void on_enter(jvmti *ti, jni *env, object thread, object monitor)
{
    (void)ti;
    (void)env;
    (void)thread;
    (void)monitor;
    if (!enter())
        return;
    struct thread *t = thread_of(own_id());
    if (t)
        t->waits_ns = now_ns(CLOCK_MONOTONIC);
    leave();
}

static void on_entered(jvmti *ti, jni *env, object thread, object monitor)
{
    struct flm_java_sample s = {.metric = FLM_JAVA_LOCK, .state = FLM_JAVA_BLOCKED};
    (void)ti;
    (void)thread;
    if (!enter())
        return;
    struct thread *t = thread_of(own_id());
    object of = t && t->waits_ns ? jni_class_of(env, monitor) : NULL;
    if (of) {
        s.time_ns = now_ns(CLOCK_MONOTONIC);
        s.value = (uint64_t)(s.time_ns - t->waits_ns);
        sample_here(&s, of);
        jni_delete_local(env, of);
    }
    if (t)
        t->waits_ns = 0;
    leave();
}

/* ---- Both ------------------------------------------------------------------------------------ */

void events_set(function callbacks[EVENTS_COUNT])
{
    callbacks[EVENT_SAMPLED_ALLOCATION - EVENTS_FIRST] = (function)on_allocation;
    callbacks[EVENT_MONITOR_ENTER - EVENTS_FIRST] = (function)on_enter;
    callbacks[EVENT_MONITOR_ENTERED - EVENTS_FIRST] = (function)on_entered;
}

void events_notify(bool on)
{
    if (agent.config.metrics & 1u << FLM_JAVA_ALLOC) {
        jvmti_heap_interval(agent.ti, (int32_t)agent.config.alloc_bytes);
        jvmti_notify(agent.ti, on, EVENT_SAMPLED_ALLOCATION);
    }
    if (agent.config.metrics & 1u << FLM_JAVA_LOCK) {
        jvmti_notify(agent.ti, on, EVENT_MONITOR_ENTER);
        jvmti_notify(agent.ti, on, EVENT_MONITOR_ENTERED);
    }
}
