#include "record/capture/priority.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

bool flm_priority_may_rise(void)
{
    int before = getpriority(PRIO_PROCESS, 0);
    if (before <= FLM_PRIORITY_AHEAD)
        return true;
    return setpriority(PRIO_PROCESS, 0, FLM_PRIORITY_AHEAD) == 0 &&
           setpriority(PRIO_PROCESS, 0, before) == 0;
}

int flm_priority_raise(void)
{
    int before = getpriority(PRIO_PROCESS, 0);
    if (before > FLM_PRIORITY_AHEAD)
        setpriority(PRIO_PROCESS, 0, FLM_PRIORITY_AHEAD);
    return before;
}

void flm_priority_restore(int priority)
{
    setpriority(PRIO_PROCESS, 0, priority);
}

/* struct sched_attr, which not all C libraries have. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

static bool take_real_time(void)
{
    const struct sched_param first = {.sched_priority = 1};
    return sched_setscheduler(0, SCHED_FIFO, &first) == 0;
}

bool flm_priority_step_back(void)
{
    const struct sched_param usual = {0};
    return sched_getscheduler(0) == SCHED_FIFO && sched_setscheduler(0, SCHED_OTHER, &usual) == 0;
}

void flm_priority_step_forward(void)
{
    take_real_time();
}

void flm_priority_take_cpu(int cpu)
{
    enum { SHORTEST_NS = 100000 };
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    if (take_real_time())
        return;
    flm_priority_raise();
    const struct attributes attributes = {
        .size = sizeof attributes,
        .nice = getpriority(PRIO_PROCESS, 0),
        .runtime_ns = SHORTEST_NS,
    };
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

size_t flm_load_factor_of(double load, long processors)
{
    double each = load / (double)processors;
    return each < 2 ? 1 : each < 4 ? 2 : 4;
}

size_t flm_load_factor(void)
{
    double load;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return getloadavg(&load, 1) == 1 && processors > 0 ? flm_load_factor_of(load, processors) : 1;
}
