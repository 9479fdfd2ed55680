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
#include <semaphore.h>
#include <unistd.h>
#if defined __x86_64__
#include <x86intrin.h>
#endif

#include "batches.h"

enum { CALLS = 10000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

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

int main(void)
{
    static const struct measured rows[] = {{"mutex", pair_of_mutex},
                                           {"rwlock, reading", pair_of_reading},
                                           {"rwlock, writing", pair_of_writing},
                                           {"spin", pair_of_spin},
                                           {"semaphore", pair_of_semaphore},
                                           {"the clock, twice", pair_of_clocks}};
    stay_on_one_processor();
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 1);
    pthread_t other;
    pthread_create(&other, NULL, sleep_on, NULL);
    print_measured(rows, sizeof rows / sizeof *rows, CALLS);
    return 0;
}
