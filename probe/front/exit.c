/* exit.c - in front of what ends a program without destructors: _exit and abort. What is written at
 * the end is written before. */
#include "front.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A child of vfork() has its parent's memory, and only leaves. */
__attribute__((visibility("default"), noreturn)) void _exit(int status)
{
    if (flm_run.number > 0 && flm_run.arena.header->pid == (uint32_t)getpid())
        flm_run_end();
    for (;;)
        syscall(SYS_exit_group, status);
}

__attribute__((visibility("default"), noreturn)) void _Exit(int status)
{
    _exit(status);
}

/* What aborts may hold locks of an allocator, so nothing is called here. */
FLM_BEHIND(abort);
FLM_FRONT __attribute__((noreturn)) void abort(void)
{
    if (flm_run.number > 0 && flm_run.arena.header->pid == (uint32_t)getpid())
        flm_run_leave();
    FLM_REAL(abort)();
    __builtin_unreachable();
}
