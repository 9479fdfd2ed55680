/* races.c - what several threads measure at once, while reports are written and signals come, and a
 * child after it; tests/probe/races.sh runs it under the thread sanitizer. It says what else is
 * wrong: errno that a handler's scope has changed. */
#include <errno.h>
#include <flamel/probe.h>
#include <flamel/probe_flow.h>
#include <flamel/probe_tasks.h>
#include <flamel/probe_values.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 1500, MOST_HANDED = 64, REPORTS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct flm_task handed[MOST_HANDED];
static int handed_count;
static atomic_int spoiled;

static void on_signal(int number)
{
    int before = errno;
    (void)number;
    {
        FLM_SCOPE("handler");
    }
    spoiled += errno != before;
}

static __attribute__((noinline)) void leaf(int i)
{
    FLM_FUNC();
    FLM_VALUE("i", i);
    FLM_COUNT("n", 1);
}

/* A task that another thread goes on with, or nobody. */
static void hand_on(struct flm_task task)
{
    pthread_mutex_lock(&lock);
    int is_room = handed_count < MOST_HANDED;
    if (is_room) {
        FLM_QUEUE_SEND(&handed, 1);
        handed[handed_count++] = task;
    }
    pthread_mutex_unlock(&lock);
    if (!is_room)
        flm_task_end(task);
}

static struct flm_task handed_on(void)
{
    struct flm_task task = {0};
    pthread_mutex_lock(&lock);
    if (handed_count > 0) {
        task = handed[--handed_count];
        FLM_QUEUE_RECEIVE(&handed, 1);
    }
    pthread_mutex_unlock(&lock);
    return task;
}

static void *once(void *nothing)
{
    FLM_SCOPE("once");
    leaf(3);
    return nothing;
}

static void *work(void *number)
{
    FLM_SCOPE("worker");
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];
        FLM_FRAME("frame");
        snprintf(name, sizeof name, "GET /%d", i % 50);
        {
            FLM_REQUEST(name);
            leaf(i);
        }
        snprintf(name, sizeof name, "%d of %d", i % 7, *(int *)number);
        {
            FLM_SCOPE_NAMED(name);
            leaf(i);
        }
        FLM_GAUGE_ADD("busy", 1);
        struct flm_task task = i % 3 ? FLM_TASK("job") : handed_on();
        flm_task_resume(task);
        leaf(i);
        flm_task_suspend(task);
        if (i % 2)
            hand_on(task);
        else
            flm_task_end(task);
        FLM_STREAM("items", 2);
        FLM_GAUGE_ADD("busy", -1);
        if (i % 500 == 0) {
            pthread_t other;
            pthread_create(&other, NULL, once, NULL);
            pthread_join(other, NULL);
        }
    }
    flm_frame_end();
    return NULL;
}

int main(void)
{
    FLM_FUNC();
    pthread_t thread[THREADS];
    int number[THREADS];
    signal(SIGUSR1, on_signal);
    FLM_QUEUE(&handed, "handed");
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, work, &number[i]);
    }
    for (int i = 0; i < REPORTS; i++) {
        for (int k = 0; k < THREADS; k++)
            pthread_kill(thread[k], SIGUSR1);
        flm_probe_report();
        flm_probe_write();
        flm_probe_start(NULL);
        usleep(1000);
        flm_probe_stop();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    /* Not before: the sanitizer takes the parent's threads for the child's. */
    pid_t child = fork();
    if (child == 0) {
        leaf(7);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    if (spoiled > 0)
        printf("errno was changed %d times\n", spoiled);
    return 0;
}
