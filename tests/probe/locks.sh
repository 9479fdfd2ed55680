#!/bin/sh
# Locks: how often they are taken, who waits, for whom, how long they are held: locks.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
$cc -O1 -Iinclude tests/probe/programs/dump.c -o "$work/dump" || exit 1

cat > "$work/app.c" << 'END'
#include <errno.h>
#include <flamel/probe.h>
#include <flamel/probe_locks.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER, busy = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waiting;

static void must(int is, int should, const char *what)
{
    if (is != should) {
        printf("%s: %d, not %d\n", what, is, should);
        exit(1);
    }
}

static struct timespec soon(clockid_t clock, int ms)
{
    struct timespec now;
    clock_gettime(clock, &now);
    now.tv_nsec += ms * 1000000L;
    now.tv_sec += now.tv_nsec / 1000000000;
    now.tv_nsec %= 1000000000;
    return now;
}

/* Until a thread is in futex(): it waits for the lock. */
static void until_it_sleeps(int thread)
{
    for (;;) {
        char path[64], line[64] = "";
        snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
        FILE *file = fopen(path, "r");
        if (file && fgets(line, sizeof line, file) && (strncmp(line, "202 ", 4) == 0 || strncmp(line, "98 ", 3) == 0)) {
            fclose(file);
            return;
        }
        if (file)
            fclose(file);
        usleep(1000);
    }
}

static void *worker(void *unused)
{
    FLM_SCOPE("worker");
    __atomic_store_n(&waiting, gettid(), __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&busy);
    pthread_mutex_unlock(&busy);
    return unused;
}

/* One after the other they begin to wait for what this thread has. */
static void contend(void)
{
    FLM_SCOPE("holder");
    pthread_t thread[5];
    pthread_mutex_lock(&busy);
    for (int i = 0; i < 5; i++) {
        waiting = 0;
        pthread_create(&thread[i], NULL, worker, NULL);
        while (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) == 0)
            usleep(100);
        until_it_sleeps(waiting);
    }
    pthread_mutex_unlock(&busy);
    for (int i = 0; i < 5; i++)
        pthread_join(thread[i], NULL);
}

static void *signal_it(void *unused)
{
    pthread_mutex_lock(&busy);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&busy);
    return unused;
}

static void *die_with(void *lock)
{
    pthread_mutex_lock(lock);
    return NULL;
}

static void kinds(void)
{
    FLM_SCOPE("kinds");
    pthread_mutexattr_t kind;
    pthread_mutex_t lock;
    struct timespec then;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &kind);
    FLM_LOCK_NAME(&lock, "checked");
    must(pthread_mutex_lock(&lock), 0, "checked");
    must(pthread_mutex_lock(&lock), EDEADLK, "checked, again");
    must(pthread_mutex_trylock(&lock), EBUSY, "checked, tried");
    must(pthread_mutex_unlock(&lock), 0, "checked, let go");
    must(pthread_mutex_unlock(&lock), EPERM, "checked, let go again");
    then = soon(CLOCK_REALTIME, 10);
    then.tv_nsec = 1000000000;
    must(pthread_mutex_timedlock(&lock, &then), 0, "checked, free, and no time");
    must(pthread_mutex_unlock(&lock), 0, "checked, let go");
    must(pthread_mutex_destroy(&lock), 0, "checked, gone");

    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
    FLM_LOCK_NAME(&lock, "recursive");
    for (int i = 0; i < 3; i++)
        must(pthread_mutex_lock(&lock), 0, "recursive");
    must(pthread_mutex_trylock(&lock), 0, "recursive, tried");
    for (int i = 0; i < 4; i++)
        must(pthread_mutex_unlock(&lock), 0, "recursive, let go");
    must(pthread_mutex_unlock(&lock), EPERM, "recursive, let go again");
    must(pthread_mutex_destroy(&lock), 0, "recursive, gone");

    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &kind);
    FLM_LOCK_NAME(&lock, "robust");
    pthread_t thread;
    pthread_create(&thread, NULL, die_with, &lock);
    pthread_join(thread, NULL);
    must(pthread_mutex_lock(&lock), EOWNERDEAD, "robust");
    must(pthread_mutex_consistent(&lock), 0, "robust, consistent");
    must(pthread_mutex_unlock(&lock), 0, "robust, let go");
    pthread_create(&thread, NULL, die_with, &lock);
    pthread_join(thread, NULL);
    must(pthread_mutex_trylock(&lock), EOWNERDEAD, "robust, tried");
    must(pthread_mutex_unlock(&lock), 0, "robust, let go as it was");
    must(pthread_mutex_lock(&lock), ENOTRECOVERABLE, "robust, lost");
    must(pthread_mutex_destroy(&lock), 0, "robust, gone");

    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&lock, &kind);
    FLM_LOCK_NAME(&lock, "inheriting");
    must(pthread_mutex_lock(&lock), 0, "inheriting");
    then = soon(CLOCK_REALTIME, 10);
    int result = pthread_mutex_timedlock(&lock, &then);
    must(result == EDEADLK ? ETIMEDOUT : result, ETIMEDOUT, "inheriting, for a time");
    must(pthread_mutex_unlock(&lock), 0, "inheriting, let go");
    must(pthread_mutex_destroy(&lock), 0, "inheriting, gone");

    pthread_mutex_init(&lock, NULL);
    FLM_LOCK_NAME(&lock, "timed");
    must(pthread_mutex_lock(&lock), 0, "timed");
    then = soon(CLOCK_REALTIME, 10);
    must(pthread_mutex_timedlock(&lock, &then), ETIMEDOUT, "timed");
    then = soon(CLOCK_MONOTONIC, 10);
    must(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &then), ETIMEDOUT, "timed by a clock");
    must(pthread_mutex_unlock(&lock), 0, "timed, let go");
    must(pthread_mutex_destroy(&lock), 0, "timed, gone");

    pthread_rwlock_t both;
    pthread_rwlock_init(&both, NULL);
    FLM_LOCK_NAME(&both, "both");
    must(pthread_rwlock_rdlock(&both), 0, "to read");
    must(pthread_rwlock_tryrdlock(&both), 0, "to read, tried");
    must(pthread_rwlock_trywrlock(&both), EBUSY, "to write, tried");
    then = soon(CLOCK_REALTIME, 10);
    must(pthread_rwlock_timedwrlock(&both, &then), ETIMEDOUT, "to write, for a time");
    must(pthread_rwlock_unlock(&both), 0, "let go");
    must(pthread_rwlock_unlock(&both), 0, "let go");
    must(pthread_rwlock_wrlock(&both), 0, "to write");
    must(pthread_rwlock_rdlock(&both), EDEADLK, "to read what it writes");
    must(pthread_rwlock_unlock(&both), 0, "let go");
    must(pthread_rwlock_destroy(&both), 0, "gone");

    pthread_spinlock_t spin;
    pthread_spin_init(&spin, 0);
    FLM_LOCK_NAME((void *)&spin, "spin");
    must(pthread_spin_lock(&spin), 0, "spin");
    must(pthread_spin_trylock(&spin), EBUSY, "spin, tried");
    must(pthread_spin_unlock(&spin), 0, "spin, let go");

    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    FLM_LOCK_NAME(&semaphore, "semaphore");
    errno = 77;
    must(sem_wait(&semaphore), 0, "semaphore");
    must(errno, 77, "the number of the error");
    must(sem_trywait(&semaphore), -1, "semaphore, tried");
    must(errno, EAGAIN, "semaphore, tried: why");
    then = soon(CLOCK_REALTIME, 10);
    must(sem_timedwait(&semaphore, &then), -1, "semaphore, for a time");
    must(errno, ETIMEDOUT, "semaphore, for a time: why");

    mtx_t c11;
    mtx_init(&c11, mtx_timed);
    FLM_LOCK_NAME(&c11, "C11");
    must(mtx_lock(&c11), thrd_success, "C11");
    must(mtx_trylock(&c11), thrd_busy, "C11, tried");
    then = soon(CLOCK_REALTIME, 10);
    must(mtx_timedlock(&c11, &then), thrd_timedout, "C11, for a time");
    cnd_t c11_condition;
    cnd_init(&c11_condition);
    FLM_LOCK_NAME(&c11_condition, "C11 condition");
    then = soon(CLOCK_REALTIME, 10);
    must(cnd_timedwait(&c11_condition, &c11, &then), thrd_timedout, "C11 condition");
    must(mtx_unlock(&c11), thrd_success, "C11, let go");
    mtx_destroy(&c11);
}

/* Locks of one place are one; of another place another. */
static void places(void)
{
    FLM_SCOPE("places");
    for (int i = 0; i < 100; i++) {
        pthread_mutex_t *lock = malloc(sizeof *lock);
        pthread_mutex_init(lock, NULL);
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
        pthread_mutex_destroy(lock);
        free(lock);
    }
}

static void let_go(void *lock)
{
    pthread_mutex_unlock(lock);
}

static void *wait_forever(void *unused)
{
    FLM_SCOPE("canceled");
    pthread_mutex_lock(&busy);
    __atomic_store_n(&waiting, gettid(), __ATOMIC_SEQ_CST);
    pthread_cleanup_push(let_go, &busy);
    for (;;)
        pthread_cond_wait(&condition, &busy);
    pthread_cleanup_pop(1);
    return unused;
}

static void cancel(void)
{
    FLM_SCOPE("cancel");
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        void *result;
        waiting = 0;
        pthread_create(&thread, NULL, wait_forever, NULL);
        while (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) == 0)
            usleep(100);
        until_it_sleeps(waiting);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        must(result == PTHREAD_CANCELED, 1, "canceled");
        must(pthread_mutex_trylock(&busy), 0, "after it was canceled");
        pthread_mutex_unlock(&busy);
    }
}

int main(void)
{
    FLM_SCOPE("main");
    FLM_LOCK_NAME(&free_lock, "free");
    FLM_LOCK_NAME(&busy, "busy");
    FLM_LOCK_NAME(&condition, "condition");
    for (int i = 0; i < 100000; i++) {
        pthread_mutex_lock(&free_lock);
        pthread_mutex_unlock(&free_lock);
    }
    contend();
    {
        FLM_SCOPE("conditions");
        pthread_t thread;
        pthread_mutex_lock(&busy);
        pthread_create(&thread, NULL, signal_it, NULL);
        usleep(50000); /* it waits for the lock */
        pthread_cond_wait(&condition, &busy);
        struct timespec then = soon(CLOCK_REALTIME, 300);
        must(pthread_cond_timedwait(&condition, &busy, &then), ETIMEDOUT, "condition");
        pthread_mutex_unlock(&busy);
        pthread_join(thread, NULL);
    }
    kinds();
    places();
    cancel();
    puts("good");
    return 0;
}
END
$cc -O1 -D_GNU_SOURCE -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1
has()
{
    grep -qx "$1" "$work/told" || {
        echo "not: $1"
        bad=1
        grep -e "$(echo "$1" | cut -d' ' -f1-3 | sed 's/\[.*//')" "$work/told"
    }
}

[ "$("$work/app")" = good ] || complain "not measured: it fails"
for how in locks:hold locks locks:wait; do
    FLAMEL=$how,no-io,file:$work/file "$work/app" > "$work/out" || complain "$how: it fails"
    [ "$(cat "$work/out")" = good ] || complain "$how: $(cat "$work/out")"
    "$work/dump" "$work/file" > "$work/told" || complain "$how: no file"
    has 'node 4.1 free 100000 0 0 0 root;main'
    has 'node 4.1 busy 5 5 0 0 root;worker'
    has 'node 4.1 busy 1 0 0 0 root;main;holder'
    has 'node 11.1 holder_\[app\] 5 0 0 0 root;worker;busy'
    has 'node 4.5 condition 2 2 0 1 root;main;conditions'
    # What it has itself, and what has a time that is none, is for the real function to refuse.
    has 'node 4.1 checked 4 2 0 2 root;main;kinds'
    has 'node 4.1 recursive 4 0 0 0 root;main;kinds'
    has 'node 4.1 robust 3 0 0 1 root;main;kinds'
    has 'node 4.1 timed 3 2 0 2 root;main;kinds'
    has 'node 4.2 both 3 1 0 1 root;main;kinds'
    has 'node 4.3 both 3 1 0 2 root;main;kinds'
    has 'node 4.4 spin 2 0 0 1 root;main;kinds'
    has 'node 4.6 semaphore 3 1 0 2 root;main;kinds'
    has 'node 4.1 C11 3 1 0 2 root;main;kinds'
    has 'node 4.5 C11_condition 1 1 0 1 root;main;kinds'
    [ "$(grep -c ' 100 0 0 0 root;main;places$' "$work/told")" = 1 ] || complain "$how: not one lock of a place"
    # What was waiting when it was canceled has no end; the next is counted where it belongs.
    has 'node 4.1 busy 3 0 0 0 root;canceled'
    has 'node 4.1 busy 3 0 0 0 root;main;cancel'
done
grep '^meter 4\.[1-6] [a-zA-Z_]* 3 ' "$work/told" && complain "locks:wait: it says how long they were held"

# Each one: as often as it was taken and let go.
FLAMEL=locks:hold,no-io,file:$work/file "$work/app" > /dev/null || complain "it fails"
"$work/dump" "$work/file" > "$work/told"
held()
{
    [ "$(awk -v name="$1" '$1 == "meter" && $3 == name && $4 == 3 { sum += $5 } END { print sum + 0 }' "$work/told")" = "$2" ] ||
        { complain "$1 was held otherwise"; grep "^meter.* $1 " "$work/told"; }
}
held free 100000
held recursive 1
held checked 2
held both 2
held spin 1
held C11 2
# Main has it 2 times in "conditions", of which the time of the waits is none; and what is canceled
# had it until it waited, and has not got it for itself again.
held busy $((1 + 5 + 3 + 1 + 3 + 3))
rate=$(awk '$1 == "meter" && $3 == "condition" && $4 == 0 { print $6 / 0.35 }' "$work/told")
awk -v rate="$rate" '$1 == "meter" && $3 == "busy" && $4 == 3 && $8 > rate * 0.3 { exit 1 }' "$work/told" ||
    complain "waiting for a condition is holding"

# By a sample: about as often.
FLAMEL=locks,no-io,file:$work/file "$work/app" > /dev/null || complain "it fails"
"$work/dump" "$work/file" > "$work/told"
awk '$1 == "meter" && $3 == "free" && $4 == 3 { exit !($5 > 99900 && $5 < 100100) }' "$work/told" ||
    complain "a sample does not stand for all"
exit $bad
