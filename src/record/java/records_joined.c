/* records_joined.c - samples that the recorder has taken, and stacks that the agent has taken
 * for them.
 *
 * A thread gets one signal for all samples until it returns from the kernel, so its next stack
 * is that of all of them; and what came before the signal before that has had its stack, or
 * never gets one. The kernel writes a sample before the thread has its signal. So when the rings
 * have been read up to the time of a stack, all samples that are its own are here. One that has
 * waited for five seconds goes on without a stack. */
#include <stdlib.h>
#include <string.h>

#include "record/java/internal.h"

/* ---- What waits ------------------------------------------------------------------------------ */

bool flm_java_keep_sample(struct flm_java_vm_thread *thread, const struct flm_event *event)
{
    const struct flm_event_sample *sample = &event->sample;
    uint32_t count = 0;
    while (count < sample->chain_count && sample->chain[count] != FLM_CONTEXT_USER)
        count++;
    struct flm_java_waiting_sample *s = malloc(sizeof *s + count * sizeof *s->chain);
    if (!s)
        return false;
    *s = (struct flm_java_waiting_sample){.time_ns = event->time_ns,
                                          .period = sample->period,
                                          .cpu = event->cpu,
                                          .chain_count = count};
    if (count > 0)
        memcpy(s->chain, sample->chain, count * sizeof *s->chain);
    if (thread->last)
        thread->last->next = s;
    else
        thread->first = s;
    thread->last = s;
    return true;
}

bool flm_java_keep_stack(struct flm_java_target *v, const struct flm_java_sample *record)
{
    struct flm_java_waiting_stack *s = malloc(sizeof *s + record->record.size);
    if (!s)
        return false;
    s->next = NULL;
    memcpy(s->record, record, record->record.size);
    if (v->last_stack)
        v->last_stack->next = s;
    else
        v->first_stack = s;
    v->last_stack = s;
    return true;
}

static void drop_sample(struct flm_java_vm_thread *thread)
{
    struct flm_java_waiting_sample *s = thread->first;
    thread->first = s->next;
    if (!thread->first)
        thread->last = NULL;
    free(s);
}

static void drop_stack(struct flm_java_target *v)
{
    struct flm_java_waiting_stack *s = v->first_stack;
    v->first_stack = s->next;
    if (!v->first_stack)
        v->last_stack = NULL;
    free(s);
}

void flm_java_forget_waiting(struct flm_java_target *v)
{
    while (v->first_stack)
        drop_stack(v);
    for (size_t i = 0; i < v->threads.count; i++)
        while (v->threads.at[i].first)
            drop_sample(&v->threads.at[i]);
}

/* ---- Joining --------------------------------------------------------------------------------- */

static bool pass_on_without(struct flm_java *j, const struct flm_java_target *v,
                            struct flm_java_vm_thread *thread, const struct flm_runtime_sinks *to,
                            struct flm_error *why)
{
    const struct flm_java_sample none = {.record = {.size = sizeof none, .kind = FLM_JAVA_SAMPLE},
                                         .thread = thread->inner,
                                         .error = -FLM_JAVA_NOT_TAKEN,
                                         .metric = FLM_JAVA_CPU};
    bool good = flm_java_take_sample(j, v, &none, thread->first, to, why);
    drop_sample(thread);
    return good;
}

static bool join_stack(struct flm_java *j, const struct flm_java_target *v,
                       const struct flm_java_sample *stack, const struct flm_runtime_sinks *to,
                       struct flm_error *why)
{
    struct flm_java_vm_thread *thread = flm_java_thread_inner(v, stack->thread);
    while (thread && thread->first && thread->first->time_ns <= stack->since_ns)
        if (!pass_on_without(j, v, thread, to, why))
            return false;
    while (thread && thread->first && thread->first->time_ns <= stack->time_ns) {
        bool good = flm_java_take_sample(j, v, stack, thread->first, to, why);
        drop_sample(thread);
        if (!good)
            return false;
    }
    return true;
}

/* A thread that blocks the signal for so long, or does not handle it any more, gets no stack. */
static const int64_t LONGEST_WAIT_NS = INT64_C(5000000000);

bool flm_java_join(struct flm_java *j, struct flm_java_target *v, int64_t until_ns,
                   const struct flm_runtime_sinks *to, struct flm_error *why)
{
    while (v->first_stack) {
        const struct flm_java_sample *stack =
            (const struct flm_java_sample *)(const void *)v->first_stack->record;
        if (stack->time_ns > until_ns)
            break;
        bool good = join_stack(j, v, stack, to, why);
        drop_stack(v);
        if (!good)
            return false;
    }
    int64_t oldest_ns = until_ns == INT64_MAX ? until_ns : until_ns - LONGEST_WAIT_NS;
    for (size_t i = 0; i < v->threads.count; i++)
        while (v->threads.at[i].first && v->threads.at[i].first->time_ns <= oldest_ns)
            if (!pass_on_without(j, v, &v->threads.at[i], to, why))
                return false;
    return true;
}
