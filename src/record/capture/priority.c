#include "record/capture/priority.h"

#include <stdlib.h>
#include <sys/resource.h>
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
