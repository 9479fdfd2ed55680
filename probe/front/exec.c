/* exec.c - in front of exec, which makes a program another one: when that is, and what is in memory
 * only, is written to the file before. */
#include "front.h"

#include <stdarg.h>
#include <unistd.h>

/* A child of vfork() has its parent's memory, and files of its own. */
static bool is_measured(void)
{
    return flm_run.number > 0 && flm_run.arena.header->pid == (uint32_t)getpid();
}

/* In a signal handler only the time. */
static void write_before(void)
{
    if (!is_measured())
        return;
    if (!flm_is_in_handler())
        flm_probe_do_write();
    flm_run_leave();
}

/* It could not become another one, and goes on. */
static int failed(int result)
{
    if (is_measured())
        flm_run.arena.header->is_final = 0;
    return result;
}

FLM_BEHIND(execve);
FLM_FRONT int execve(const char *path, char *const *argv, char *const *environment)
{
    write_before();
    return failed(FLM_REAL(execve)(path, argv, environment));
}

FLM_BEHIND(execv);
FLM_FRONT int execv(const char *path, char *const *argv)
{
    write_before();
    return failed(FLM_REAL(execv)(path, argv));
}

FLM_BEHIND(execvp);
FLM_FRONT int execvp(const char *file, char *const *argv)
{
    write_before();
    return failed(FLM_REAL(execvp)(file, argv));
}

FLM_BEHIND(execvpe);
FLM_FRONT int execvpe(const char *file, char *const *argv, char *const *environment)
{
    write_before();
    return failed(FLM_REAL(execvpe)(file, argv, environment));
}

FLM_BEHIND(fexecve);
FLM_FRONT int fexecve(int file, char *const *argv, char *const *environment)
{
    write_before();
    return failed(FLM_REAL(fexecve)(file, argv, environment));
}

/* ---- With arguments one by one --------------------------------------------------------------- */

/* By pointers: execle() reads on behind the NULL, and where a va_list is a structure (arm64) a
 * function that is given one by value advances a copy. */
static size_t count_arguments(va_list *from)
{
    size_t count = 1;
    while (va_arg(*from, char *))
        count++;
    return count;
}

/* All of them and the NULL, in room for `count` and that. */
static void copy_arguments(char **argv, size_t count, const char *first, va_list *from)
{
    argv[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i <= count; i++)
        argv[i] = va_arg(*from, char *);
}

/* On the stack, as libc has them: after vfork() nothing else may be used. */
#define ARGUMENTS(argv, first)                                                                     \
    va_list from;                                                                                  \
    va_start(from, first);                                                                         \
    size_t count = count_arguments(&from);                                                         \
    va_end(from);                                                                                  \
    char **argv = __builtin_alloca((count + 1) * sizeof *argv);                                    \
    va_start(from, first);                                                                         \
    copy_arguments(argv, count, first, &from)

FLM_FRONT int execl(const char *path, const char *first, ...)
{
    ARGUMENTS(argv, first);
    va_end(from);
    return execv(path, argv);
}

FLM_FRONT int execlp(const char *file, const char *first, ...)
{
    ARGUMENTS(argv, first);
    va_end(from);
    return execvp(file, argv);
}

/* The environment is behind the NULL. */
FLM_FRONT int execle(const char *path, const char *first, ...)
{
    ARGUMENTS(argv, first);
    char *const *environment = va_arg(from, char *const *);
    va_end(from);
    return execve(path, argv, environment);
}
