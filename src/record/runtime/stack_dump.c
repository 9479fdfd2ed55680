#include "record/runtime/stack_dump.h"

#include <asm/perf_regs.h>

#include "flamel/profile.h"
#include "record/runtime/proc_stat.h"

/* The kernel's number of the stack pointer. */
#if defined(__aarch64__)
enum { STACK_POINTER = PERF_REG_ARM64_SP };
#else
enum { STACK_POINTER = PERF_REG_X86_SP };
#endif

struct flm_stack_dump flm_stack_dump_of(const struct flm_event_sample *sample)
{
    uint64_t wanted = UINT64_C(1) << STACK_POINTER, mask = sample->layout->user_registers;
    if (!sample->registers || !(mask & wanted))
        return (struct flm_stack_dump){0};
    size_t at = (size_t)__builtin_popcountll(mask & (wanted - 1));
    return (struct flm_stack_dump){sample->stack, sample->registers[at]};
}

bool flm_thread_is_blocked(int32_t process, int32_t thread)
{
    struct flm_proc_stat stat;
    return flm_proc_stat_read("", process, thread, &stat) &&
           (stat.state == 'S' || stat.state == 'D');
}

bool flm_sample_is_late(const struct flm_event *event, int64_t now_ns, int64_t oldest_ns)
{
    enum { OLDEST_OF_BLOCKED_NS = 1000000000 };
    if (event->time_ns == FLM_NO_TIME)
        return true;
    int64_t age_ns = now_ns - event->time_ns;
    return age_ns > oldest_ns &&
           (!event->sample.layout->only_marks || age_ns > OLDEST_OF_BLOCKED_NS ||
            !flm_thread_is_blocked(event->process, event->thread));
}
