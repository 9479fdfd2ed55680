/* probe_tasks.h - work that does not stay in one thread: coroutines, callbacks, jobs of a pool.
 *
 *     struct flm_task task = FLM_TASK("fetch");  it begins, and does not run yet
 *     flm_task_resume(task);                     it runs, in this thread
 *     flm_task_suspend(task);                    it waits, and may go on in another thread
 *     flm_task_end(task);                        it ends; flm_task_cancel: before it is done
 *
 * A call of a task is the time from resume to suspend, in the call tree of the thread that runs it,
 * in the scope that is open there (the scheduler's): what is allocated in between belongs to it,
 * and nothing else. How long tasks ran at a time, how long they were suspended, how long they
 * waited for being run first, and how long they took as a whole, are distributions.
 *
 * Scopes that a task has open when it is suspended are suspended with it: a function that awaits
 * has one call, whose duration is the time that it ran, on however many threads.
 *
 *     void coroutine(void)
 *     {
 *         FLM_FUNC();
 *         ...
 *         { FLM_TASK_AWAY(task); swapcontext(&mine, &scheduler); }    suspended meanwhile
 *     }
 *     void run(struct job *job)
 *     {
 *         FLM_TASK_RUN(job->task);               resumed until the end of the block
 *         job->function(job);
 *     }
 *
 * A task may run inside another one. It is suspended with it then, and resumed with it.
 *
 * Who resumes a task on another thread has to see that it was suspended on the first: what hands
 * the coroutine over does that. A task that was ended is not used any more. One that ends where it
 * is suspended in a scope, or before it ran, was canceled. A coroutine whose scopes are left while
 * it is destroyed is resumed before.
 *
 * probe.hpp does this for C++20 coroutines. */
#ifndef FLAMEL_PROBE_TASKS_H
#define FLAMEL_PROBE_TASKS_H

#include "flamel/probe.h"
#include "flamel/probe_format.h"

struct flm_task {
    void *task; /* the library's; NULL: it is not measured */
};

#if !defined(FLM_PROBE) || FLM_PROBE

#ifdef __cplusplus
extern "C" {
#endif

extern FLM_PROBE_WEAK void *flm_probe_task_begin(struct flm_site *site);
extern FLM_PROBE_WEAK void *flm_probe_task_named(const char *name);
extern FLM_PROBE_WEAK void flm_probe_task_resume(void *task);
extern FLM_PROBE_WEAK void flm_probe_task_suspend(void *task);
extern FLM_PROBE_WEAK void flm_probe_task_end(void *task);
extern FLM_PROBE_WEAK void flm_probe_task_cancel(void *task);
extern FLM_PROBE_WEAK void *flm_probe_task_now(void);

static inline struct flm_task flm_task_begin(struct flm_site *site)
{
    struct flm_task task = {0};
    if (FLM_PROBE_IS_ON)
        task.task = flm_probe_task_begin(site);
    return task;
}

/* Of a name that is known at run time, and is copied. */
static inline struct flm_task flm_task_named(const char *name)
{
    struct flm_task task = {0};
    if (FLM_PROBE_IS_ON)
        task.task = flm_probe_task_named(name);
    return task;
}

static inline void flm_task_resume(struct flm_task task)
{
    if (__builtin_expect(task.task != 0, 0))
        flm_probe_task_resume(task.task);
}

static inline void flm_task_suspend(struct flm_task task)
{
    if (__builtin_expect(task.task != 0, 0))
        flm_probe_task_suspend(task.task);
}

static inline void flm_task_end(struct flm_task task)
{
    if (__builtin_expect(task.task != 0, 0))
        flm_probe_task_end(task.task);
}

static inline void flm_task_cancel(struct flm_task task)
{
    if (__builtin_expect(task.task != 0, 0))
        flm_probe_task_cancel(task.task);
}

/* The innermost one that runs in this thread. */
static inline struct flm_task flm_task_now(void)
{
    struct flm_task task = {0};
    if (FLM_PROBE_IS_ON)
        task.task = flm_probe_task_now();
    return task;
}

#define FLM_TASK(name)                                                                             \
    __extension__({                                                                                \
        FLM_SITE_OF(flm_task_site, name, FLM_PROBE_TASK);                                          \
        flm_task_begin(&flm_task_site);                                                            \
    })

#define FLM_TASK_RUN(task) FLM_PROBE_DURING_(task, resume, suspend)
#define FLM_TASK_AWAY(task) FLM_PROBE_DURING_(task, suspend, resume)

#ifdef __cplusplus
}

template <void (*do_first)(struct flm_task), void (*do_last)(struct flm_task)>
struct flm_task_guard {
    struct flm_task task;
    explicit flm_task_guard(struct flm_task of) : task(of)
    {
        do_first(task);
    }
    ~flm_task_guard()
    {
        do_last(task);
    }
    flm_task_guard(const flm_task_guard &) = delete;
    flm_task_guard &operator=(const flm_task_guard &) = delete;
};
#define FLM_PROBE_DURING_(task, first, last)                                                       \
    flm_task_guard<flm_task_##first, flm_task_##last> FLM_PROBE_JOIN(flm_at_, __COUNTER__)(task)

#else

static inline struct flm_task flm_task_resume_first(struct flm_task task)
{
    flm_task_resume(task);
    return task;
}
static inline struct flm_task flm_task_suspend_first(struct flm_task task)
{
    flm_task_suspend(task);
    return task;
}
static inline void flm_task_resume_last(const struct flm_task *task)
{
    flm_task_resume(*task);
}
static inline void flm_task_suspend_last(const struct flm_task *task)
{
    flm_task_suspend(*task);
}
#define FLM_PROBE_DURING_(task, first, last)                                                       \
    __attribute__((cleanup(flm_task_##last##_last), unused)) const struct flm_task FLM_PROBE_JOIN( \
        flm_at_, __COUNTER__) = flm_task_##first##_first(task)
#endif

#else /* compiled out */

static inline struct flm_task flm_task_none(void)
{
    struct flm_task task = {0};
    return task;
}
static inline struct flm_task flm_task_begin(struct flm_site *site)
{
    (void)site;
    return flm_task_none();
}
static inline struct flm_task flm_task_named(const char *name)
{
    (void)name;
    return flm_task_none();
}
static inline struct flm_task flm_task_now(void)
{
    return flm_task_none();
}
static inline void flm_task_resume(struct flm_task task)
{
    (void)task;
}
static inline void flm_task_suspend(struct flm_task task)
{
    (void)task;
}
static inline void flm_task_end(struct flm_task task)
{
    (void)task;
}
static inline void flm_task_cancel(struct flm_task task)
{
    (void)task;
}
#define FLM_TASK(name) flm_task_none()
#define FLM_TASK_RUN(task) ((void)sizeof(task))
#define FLM_TASK_AWAY(task) ((void)sizeof(task))

#endif

#endif
