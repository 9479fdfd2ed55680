/* thread_stack.c - where the stack of a thread is, as far as it is used. Runs inside malloc and in
 * signal handlers. */
#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* The kernel looks at the memory before it sees that it is asked for nonsense. */
bool flm_is_readable(uintptr_t address)
{
    enum { NONSENSE = 12345, SIZE = 8 };
    return syscall(SYS_rt_sigprocmask, NONSENSE, address / PAGE * PAGE, NULL, (size_t)SIZE) != 0 &&
           errno != EFAULT;
}

extern void *__libc_stack_end __attribute__((weak));

/* What pthread_self returns is above the thread's stack. pthread_getattr_np would know where that
 * is, but allocates while it holds a lock. */
static void find_stack(struct flm_local *local)
{
    bool is_main = &__libc_stack_end && syscall(SYS_gettid) == getpid();
    local->stack_end = is_main ? (uintptr_t)__libc_stack_end : (uintptr_t)pthread_self();
    local->stack_low = local->stack_end / PAGE * PAGE;
}

/* Below a page that is not readable are other stacks. */
void flm_stack_reach(struct flm_local *local, uintptr_t sp)
{
    const uintptr_t most = (uintptr_t)64 << 20;
    if (local->stack_end == 0)
        find_stack(local);
    if (sp >= local->stack_low || sp < local->stack_guard || local->stack_low - sp > most)
        return;
    while (local->stack_low > sp) {
        if (!flm_is_readable(local->stack_low - PAGE)) {
            local->stack_guard = local->stack_low;
            return;
        }
        local->stack_low -= PAGE;
    }
}

bool flm_is_own_stack(struct flm_local *local, uintptr_t address)
{
    int kept = errno;
    flm_stack_reach(local, address);
    errno = kept;
    return address >= local->stack_low && address < local->stack_end;
}
