/* events.c - allocations and monitors: what the VM tells in the thread that it happens to. */
#include <math.h>
#include <string.h>

#include "java/internal.h"

/* Half as many frames as elsewhere: the buffer is on the stack of a thread of the program. */
enum { MOST = FLM_JAVA_MOST_FRAMES / 2 };

/* The stack of the current thread, and the class of an object. */
struct own_stack {
    struct jvmti_frame found[MOST]; /* replaced by our own frames, in the same place */
    uint32_t count;
    char *class_name;
};

static struct flm_java_frame *frames_of(struct own_stack *o)
{
    _Static_assert(sizeof *o->found == sizeof(struct flm_java_frame),
                   "one is replaced by the other");
    return (struct flm_java_frame *)(void *)o->found;
}

static void read_stack(struct own_stack *o, object of)
{
    struct flm_java_frame *frames = frames_of(o);
    int32_t count = 0;
    jni *env = NULL;
    if (jvmti_stack(agent.ti, NULL, MOST, o->found, &count) != 0)
        count = 0;
    o->count = (uint32_t)count;
    for (uint32_t i = 0; i < o->count; i++) {
        const struct jvmti_frame frame = o->found[i];
        const struct flm_java_frame ours = frame_of(&frame);
        memcpy(&frames[i], &ours, sizeof ours);
    }
    if (vm_environment(agent.vm, &env, JNI_VERSION) == 0 && env)
        kinds_find_known(kinds_thread(env), frames, o->count);
    o->class_name = NULL;
    if (jvmti_class_signature(agent.ti, of, &o->class_name) != 0)
        o->class_name = NULL;
}

static void set_stack(struct flm_java_sample *s, const struct own_stack *o)
{
    s->thread = own_id();
    s->cpu = UINT32_MAX;
    s->frame_count = o->count;
    s->more_frames = o->count == MOST;
}

void sample_here(struct flm_java_sample *s, object of)
{
    struct own_stack stack;
    read_stack(&stack, of);
    set_stack(s, &stack);
    sample_write(s, frames_of(&stack), stack.class_name);
    jvmti_free(agent.ti, stack.class_name);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

/* The VM takes each byte with the same probability, so an object stands for its size divided by the
 * probability that one of its bytes is taken. */
static void on_allocation(jvmti *ti, jni *env, object thread, object o, object of, int64_t size)
{
    double bytes = (double)size, share = -expm1(-bytes / (double)agent.config.alloc_bytes);
    struct flm_java_sample s = {.metric = FLM_JAVA_ALLOC};
    struct own_stack stack;
    (void)ti;
    if (size <= 0 || !enter())
        return;
    s.time_ns = now_ns(CLOCK_MONOTONIC);
    s.value = (uint64_t)(bytes / share + 0.5);
    read_stack(&stack, of);
    set_stack(&s, &stack);
    s.virtual_thread = virtual_here(env, thread_of(own_id()), thread);
    if (agent.config.metrics & 1u << FLM_JAVA_LIVE)
        live_keep(env, o, &s, frames_of(&stack), stack.class_name);
    if (agent.config.metrics & 1u << FLM_JAVA_ALLOC)
        sample_write(&s, frames_of(&stack), stack.class_name);
    jvmti_free(agent.ti, stack.class_name);
    leave();
}

/* ---- Monitors -------------------------------------------------------------------------------- */

static void on_enter(jvmti *ti, jni *env, object thread, object monitor)
{
    (void)ti;
    (void)monitor;
    if (!enter())
        return;
    struct thread *t = thread_of(own_id());
    if (t) {
        t->waits_ns = now_ns(CLOCK_MONOTONIC);
        t->waiting = virtual_own_number(env, thread);
    }
    leave();
}

static void on_entered(jvmti *ti, jni *env, object thread, object monitor)
{
    struct flm_java_sample s = {.metric = FLM_JAVA_LOCK, .state = FLM_JAVA_BLOCKED};
    (void)ti;
    if (!enter())
        return;
    struct thread *t = thread_of(own_id());
    /* A virtual thread may have left its carrier meanwhile, and be on another one. */
    bool is_same = t && t->waits_ns && t->waiting == virtual_own_number(env, thread);
    object of = is_same ? jni_class_of(env, monitor) : NULL;
    if (of) {
        s.time_ns = now_ns(CLOCK_MONOTONIC);
        s.value = (uint64_t)(s.time_ns - t->waits_ns);
        s.virtual_thread = virtual_here(env, t, thread);
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
    if (agent.config.metrics & FLM_JAVA_ALLOCATED) {
        jvmti_heap_interval(agent.ti, (int32_t)agent.config.alloc_bytes);
        jvmti_notify(agent.ti, on, EVENT_SAMPLED_ALLOCATION);
    }
    if (agent.config.metrics & 1u << FLM_JAVA_LOCK) {
        jvmti_notify(agent.ti, on, EVENT_MONITOR_ENTER);
        jvmti_notify(agent.ti, on, EVENT_MONITOR_ENTERED);
    }
}
