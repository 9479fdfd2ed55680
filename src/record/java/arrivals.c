/* arrivals.c - VMs that a command starts while it is recorded: an agent is loaded into each.
 *
 * Loading waits for the VM, which takes a part of a second to begin, or longer; the rings would be
 * full by then. So it is done by a thread for each VM, and the agent that is there then is taken by
 * the recorder. What the VM did before is recorded as of any program. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "record/java/attach.h"
#include "record/java/internal.h"

struct flm_java_arrival {
    struct flm_java_arrival *next;
    int32_t process;
    int64_t start_ticks;
    const char *library;
    struct flm_java_config config;
    const _Atomic bool *is_late;
    pthread_t thread;
    struct flm_java_agent *agent; /* NULL when it failed, and why */
    struct flm_error why;
    _Atomic bool is_over;
};

static void *load(void *context)
{
    struct flm_java_arrival *a = context;
    const struct flm_java_patience patience = {FLM_JAVA_PATIENCE_NS, a->is_late};
    a->agent = flm_java_agent_load(a->process, a->library, &a->config, patience, &a->why);
    atomic_store(&a->is_over, true);
    return NULL;
}

/* Not by its number alone, which may be that of a VM that has ended. */
static bool is_known(const struct flm_java *j, int32_t process, int64_t start_ticks)
{
    for (size_t i = 0; i < j->vms.count; i++)
        if (j->vms.at[i].process == process && j->vms.at[i].start_ticks == start_ticks)
            return true;
    for (const struct flm_java_arrival *a = j->arrivals; a; a = a->next)
        if (a->process == process && a->start_ticks == start_ticks)
            return true;
    return false;
}

static bool is_vm(struct flm_bytes path)
{
    static const char name[] = "/libjvm.so";
    size_t size = sizeof name - 1;
    return path.size >= size && memcmp(path.at + path.size - size, name, size) == 0;
}

void flm_java_mapped(void *attached, int32_t process, struct flm_bytes path)
{
    struct flm_java *j = attached;
    sigset_t all, before;
    if (!j->follows || !is_vm(path))
        return;
    int64_t start_ticks = flm_java_start_ticks(process);
    if (is_known(j, process, start_ticks))
        return;
    struct flm_java_arrival *a = calloc(1, sizeof *a);
    if (!a) {
        j->arrivals_refused++;
        return;
    }
    *a = (struct flm_java_arrival){.process = process,
                                   .start_ticks = start_ticks,
                                   .library = j->options.library,
                                   .config = j->config,
                                   .is_late = &j->is_late};
    a->config.signal = flm_java_signal_of(j, process);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&a->thread, NULL, load, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started) {
        free(a);
        j->arrivals_refused++;
        return;
    }
    a->next = j->arrivals;
    j->arrivals = a;
}

bool flm_java_welcome(struct flm_java *j, bool waits, struct flm_error *why)
{
    if (waits) /* they give up soon */
        atomic_store(&j->is_late, true);
    for (struct flm_java_arrival **at = &j->arrivals; *at;) {
        struct flm_java_arrival *a = *at;
        if (!waits && !atomic_load(&a->is_over)) {
            at = &a->next;
            continue;
        }
        pthread_join(a->thread, NULL);
        *at = a->next;
        struct flm_java_target *v = a->agent ? flm_java_add_vm(j, a->agent, a->process, why) : NULL;
        if (v) {
            v->in_our_namespace = flm_namespace_number(a->process, a->process) == a->process;
            v->start_ticks = a->start_ticks;
            v->has_said = true;
        } else if (!a->agent) {
            if (a->why.kind == FLM_ERROR_CANCELED || !flm_java_is_hotspot(a->process, NULL))
                j->arrivals_ended++; /* or the recording has: too short to be worth a word */
            else
                snprintf(j->trouble, sizeof j->trouble, "%.250s", a->why.text);
        }
        bool good = v || !a->agent;
        free(a);
        if (!good)
            return false;
    }
    return true;
}
