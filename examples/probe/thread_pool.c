/* thread_pool.c - jobs that wait in a queue and are run by threads: how long do they wait, how long
 * do they run, and who is blocked?
 *
 *     cc -O2 -pthread thread_pool.c -lflamel-probe -o thread_pool
 *     FLAMEL=report ./thread_pool */
#include <flamel/probe_flow.h>
#include <flamel/probe_tasks.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, ROOM = 16 };

struct job {
    void (*function)(int);
    int argument;
    struct flm_task task; /* begins where the job is made */
};

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job jobs[ROOM];
    unsigned first, count;
    int is_closed;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void put(struct job job)
{
    FLM_FUNC();
    pthread_mutex_lock(&pool.lock);
    if (pool.count == ROOM) {
        FLM_QUEUE_SEND_WAIT(&pool);
        while (pool.count == ROOM)
            pthread_cond_wait(&pool.changed, &pool.lock);
    }
    FLM_QUEUE_SEND(&pool, 1);
    pool.jobs[(pool.first + pool.count++) % ROOM] = job;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
}

static int take(struct job *job)
{
    pthread_mutex_lock(&pool.lock);
    if (pool.count == 0) {
        FLM_QUEUE_RECEIVE_WAIT(&pool);
        while (pool.count == 0 && !pool.is_closed)
            pthread_cond_wait(&pool.changed, &pool.lock);
    }
    int is_there = pool.count > 0;
    if (is_there) {
        *job = pool.jobs[pool.first++ % ROOM];
        pool.count--;
        FLM_QUEUE_RECEIVE(&pool, 1);
        pthread_cond_broadcast(&pool.changed);
    }
    pthread_mutex_unlock(&pool.lock);
    return is_there;
}

static void *work(void *nothing)
{
    struct job job;
    FLM_SCOPE("worker");
    while (take(&job)) {
        {
            FLM_TASK_RUN(job.task);
            job.function(job.argument);
        }
        flm_task_end(job.task);
    }
    return nothing;
}

static void compress(int size)
{
    FLM_FUNC();
    volatile unsigned sum = 0;
    for (int i = 0; i < size * 2000; i++)
        sum = sum * 31 + (unsigned)i;
}

static void checksum(int size)
{
    FLM_FUNC();
    volatile unsigned sum = 0;
    for (int i = 0; i < size * 200; i++)
        sum += (unsigned)i;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int jobs = argc > 1 ? atoi(argv[1]) : 1000;
    FLM_FUNC();
    FLM_QUEUE(&pool, "jobs");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < jobs; i++) {
        struct job job = {.argument = 50 + i % 50};
        if (i % 4 == 0) {
            job.function = compress;
            job.task = FLM_TASK("compress a file");
        } else {
            job.function = checksum;
            job.task = FLM_TASK("check a file");
        }
        put(job);
    }
    pthread_mutex_lock(&pool.lock);
    pool.is_closed = 1;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
