/* locks_bench.c - what measuring a lock costs: a pair of lock and unlock that nobody waits for.
 *
 *     for what in "" locks:wait locks locks:hold; do
 *         FLAMEL=${what:-off} LD_PRELOAD=build/libflamel-probe.so.0 locks_bench
 *     done
 *
 * ns per pair, net of an empty loop: the least and the middle of many short batches, on one
 * processor. There is a second thread, which sleeps: with only one, libc locks without atomic
 * operations. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#if defined __x86_64__
#include <x86intrin.h>
#endif

enum { BATCHES = 400, CALLS = 10000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

static void nothing(void)
{
    __asm__ volatile("");
}

static void pair_of_mutex(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void pair_of_reading(void)
{
    pthread_rwlock_rdlock(&both);
    pthread_rwlock_unlock(&both);
}

static void pair_of_writing(void)
{
    pthread_rwlock_wrlock(&both);
    pthread_rwlock_unlock(&both);
}

static void pair_of_spin(void)
{
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
}

static void pair_of_semaphore(void)
{
    sem_wait(&semaphore);
    sem_post(&semaphore);
}

static void pair_of_clocks(void)
{
#if defined __x86_64__
    __rdtsc();
    __rdtsc();
#endif
}

static void *sleep_on(void *unused)
{
    (void)unused;
    for (;;)
        pause();
    return NULL;
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ns per call of each batch, sorted. */
static void measure(void (*what)(void), double *ns)
{
    for (int b = 0; b < BATCHES; b++) {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            what();
        ns[b] = (now_ns() - start) / CALLS;
    }
    qsort(ns, BATCHES, sizeof *ns, compare);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*what)(void);
    } rows[] = {{"mutex", pair_of_mutex},
                {"rwlock, reading", pair_of_reading},
                {"rwlock, writing", pair_of_writing},
                {"spin", pair_of_spin},
                {"semaphore", pair_of_semaphore},
                {"the clock, twice", pair_of_clocks}};
    static double empty[BATCHES], ns[BATCHES];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 1);
    pthread_t other;
    pthread_create(&other, NULL, sleep_on, NULL);
    measure(nothing, empty);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        measure(rows[i].what, ns);
        printf("%-18s %6.1f %6.1f\n", rows[i].name, ns[0] - empty[0],
               ns[BATCHES / 2] - empty[BATCHES / 2]);
    }
    return 0;
}
