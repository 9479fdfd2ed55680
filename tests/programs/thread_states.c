/* Threads whose states are known, by name: "locker" waits for a mutex, "sleeper" for a time,
 * "reader" for a pipe; "first" and "second" share one processor. Ends with status 3. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, WAIT = 200, SPIN = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;
static int ends[2];

static void sleep_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * MS};
    nanosleep(&time, NULL);
}

static void *wait_for_lock(void *unused)
{
    pthread_setname_np(pthread_self(), "locker");
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *wait_for_time(void *unused)
{
    pthread_setname_np(pthread_self(), "sleeper");
    sleep_ms(WAIT);
    return unused;
}

static void *wait_for_pipe(void *unused)
{
    char byte;
    pthread_setname_np(pthread_self(), "reader");
    return read(ends[0], &byte, 1) == 1 ? unused : NULL;
}

static void *spin(void *name)
{
    struct timespec used = {0};
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        CPU_SET(processor, &one); /* the first that there is */
        if (sched_setaffinity(0, sizeof one, &one) == 0)
            break;
        CPU_ZERO(&one);
    }
    pthread_setname_np(pthread_self(), name);
    pthread_barrier_wait(&together);
    while (used.tv_sec == 0 && used.tv_nsec < SPIN * MS)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return NULL;
}

int main(void)
{
    pthread_t waiting[3], spinning[2];
    if (pipe(ends) != 0)
        return 1;
    pthread_mutex_lock(&lock);
    pthread_create(&waiting[0], NULL, wait_for_lock, NULL);
    pthread_create(&waiting[1], NULL, wait_for_time, NULL);
    pthread_create(&waiting[2], NULL, wait_for_pipe, NULL);
    sleep_ms(WAIT);
    pthread_mutex_unlock(&lock);
    if (write(ends[1], "", 1) != 1)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(waiting[i], NULL);
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&spinning[0], NULL, spin, (char[]){"first"});
    pthread_create(&spinning[1], NULL, spin, (char[]){"second"});
    for (int i = 0; i < 2; i++)
        pthread_join(spinning[i], NULL);
    return 3;
}
