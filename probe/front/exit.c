/* exit.c - in front of _exit(), which runs no destructors: the report is written before. */
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

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
