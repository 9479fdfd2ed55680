#include "os/thread/threads.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

int flm_processor_count(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? count : 1;
}

struct work {
    atomic_size_t next;
    size_t count;
    void (*work)(void *context, size_t i);
    void *context;
};

static void *run(void *argument)
{
    struct work *w = argument;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->count;)
        w->work(w->context, i);
    return NULL;
}

void flm_threads_run(int threads, size_t count, void (*work)(void *context, size_t i),
                     void *context)
{
    assert(work || count == 0);
    enum { MOST_THREADS = 64 };
    struct work w = {.next = 1, .count = count, .work = work, .context = context};
    pthread_t others[MOST_THREADS];
    int started = 0;
    while (started + 1 < threads && (size_t)started + 1 < count && started < MOST_THREADS &&
           pthread_create(&others[started], NULL, run, &w) == 0)
        started++;
    if (count > 0)
        work(context, 0); /* the others could have done all of it before our turn comes */
    run(&w);
    while (started > 0)
        pthread_join(others[--started], NULL);
}
