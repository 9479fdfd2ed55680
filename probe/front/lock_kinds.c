/* lock_kinds.c - locks for readers and writers, spin locks, semaphores, and C11's mutexes and
 * condition variables. Stands in front of libc's.
 *
 * A semaphore is not held: who posts is often another thread. */
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "locks.h"

/* ---- Locks for readers and writers ----------------------------------------------------------- */

FLM_BEHIND(pthread_rwlock_init);
FLM_BEHIND(pthread_rwlock_destroy);
FLM_BEHIND(pthread_rwlock_rdlock);
FLM_BEHIND(pthread_rwlock_tryrdlock);
FLM_BEHIND(pthread_rwlock_timedrdlock);
FLM_BEHIND(pthread_rwlock_clockrdlock);
FLM_BEHIND(pthread_rwlock_wrlock);
FLM_BEHIND(pthread_rwlock_trywrlock);
FLM_BEHIND(pthread_rwlock_timedwrlock);
FLM_BEHIND(pthread_rwlock_clockwrlock);
FLM_BEHIND(pthread_rwlock_unlock);

/* Of a writer: who reads is not written down. */
static int writer_of(const pthread_rwlock_t *lock)
{
#ifdef __GLIBC__
    return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
#else
    (void)lock;
    return 0;
#endif
}

/* Taken at once, or tried; `lock`: NULL, if the time that it is held is not measured. */
static int taken(struct flm_call *call, const void *lock, int result)
{
    if (result != 0)
        flm_lock_failed(call);
    else if (lock)
        flm_lock_taken(call, lock);
    else
        call->node->calls++;
    return result;
}

static int waited(struct flm_call *call, struct flm_wait *wait, const void *lock, int result)
{
    flm_wait_end(wait, result == 0);
    if (lock && wait->open && result == 0 && call->until_timed-- == 0)
        flm_hold_begin(call, lock);
    return result;
}

FLM_FRONT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *kind)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_begins(lock, FLM_CALLER());
    return FLM_REAL(pthread_rwlock_init)(lock, kind);
}

FLM_FRONT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_ends(lock);
    return FLM_REAL(pthread_rwlock_destroy)(lock);
}

/* Six functions that differ in what is called, and with what. A time that is none is refused only
 * where it is needed, as libc does: by the real function. */
#define FLM_RWLOCK(name, try_name, operation, is_good, parameters, arguments)                      \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), operation);                      \
        if (!call)                                                                                 \
            return FLM_REAL(name) arguments;                                                       \
        int result = (is_good) ? FLM_REAL(try_name)(lock) : EBUSY;                                 \
        if (!FLM_RARELY(result == EBUSY))                                                          \
            return taken(call, lock, result);                                                      \
        struct flm_wait wait;                                                                      \
        flm_wait_begin(&wait, call, lock, writer_of(lock));                                        \
        return waited(call, &wait, lock, FLM_REAL(name) arguments);                                \
    }

static bool is_time(const struct timespec *until)
{
    return until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

static bool is_clock(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

FLM_RWLOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, FLM_PROBE_LOCK_READ, true,
           (pthread_rwlock_t * lock), (lock))
FLM_RWLOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, FLM_PROBE_LOCK_WRITE, true,
           (pthread_rwlock_t * lock), (lock))
FLM_RWLOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, FLM_PROBE_LOCK_READ,
           is_time(until), (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
FLM_RWLOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, FLM_PROBE_LOCK_WRITE,
           is_time(until), (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
FLM_RWLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, FLM_PROBE_LOCK_READ,
           is_time(until) && is_clock(clock),
           (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
           (lock, clock, until))
FLM_RWLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, FLM_PROBE_LOCK_WRITE,
           is_time(until) && is_clock(clock),
           (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
           (lock, clock, until))

FLM_FRONT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_READ);
    int result = FLM_REAL(pthread_rwlock_tryrdlock)(lock);
    return call ? taken(call, lock, result) : result;
}

FLM_FRONT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_WRITE);
    int result = FLM_REAL(pthread_rwlock_trywrlock)(lock);
    return call ? taken(call, lock, result) : result;
}

FLM_FRONT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    if (!flm_holds_some())
        return FLM_REAL(pthread_rwlock_unlock)(lock);
    struct flm_hold hold = flm_hold_end(lock);
    int result = FLM_REAL(pthread_rwlock_unlock)(lock);
    flm_hold_add(hold);
    return result;
}

/* ---- Spin locks ------------------------------------------------------------------------------ */

FLM_BEHIND(pthread_spin_init);
FLM_BEHIND(pthread_spin_destroy);
FLM_BEHIND(pthread_spin_lock);
FLM_BEHIND(pthread_spin_trylock);
FLM_BEHIND(pthread_spin_unlock);

FLM_FRONT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_begins((const void *)lock, FLM_CALLER());
    return FLM_REAL(pthread_spin_init)(lock, shared);
}

FLM_FRONT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_ends((const void *)lock);
    return FLM_REAL(pthread_spin_destroy)(lock);
}

FLM_FRONT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    struct flm_call *call = flm_lock_call((const void *)lock, FLM_CALLER(), FLM_PROBE_LOCK_SPIN);
    if (!call)
        return FLM_REAL(pthread_spin_lock)(lock);
    int result = FLM_REAL(pthread_spin_trylock)(lock);
    if (!FLM_RARELY(result == EBUSY))
        return taken(call, (const void *)lock, result);
    struct flm_wait wait;
    flm_wait_begin(&wait, call, (const void *)lock, 0);
    return waited(call, &wait, (const void *)lock, FLM_REAL(pthread_spin_lock)(lock));
}

FLM_FRONT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    struct flm_call *call = flm_lock_call((const void *)lock, FLM_CALLER(), FLM_PROBE_LOCK_SPIN);
    int result = FLM_REAL(pthread_spin_trylock)(lock);
    return call ? taken(call, (const void *)lock, result) : result;
}

FLM_FRONT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    if (!flm_holds_some())
        return FLM_REAL(pthread_spin_unlock)(lock);
    struct flm_hold hold = flm_hold_end((const void *)lock);
    int result = FLM_REAL(pthread_spin_unlock)(lock);
    flm_hold_add(hold);
    return result;
}

/* ---- Semaphores ------------------------------------------------------------------------------ */

FLM_BEHIND(sem_init);
FLM_BEHIND(sem_destroy);
FLM_BEHIND(sem_wait);
FLM_BEHIND(sem_trywait);
FLM_BEHIND(sem_timedwait);
FLM_BEHIND(sem_clockwait);

FLM_FRONT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_begins(semaphore, FLM_CALLER());
    return FLM_REAL(sem_init)(semaphore, shared, value);
}

FLM_FRONT int sem_destroy(sem_t *semaphore)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_ends(semaphore);
    return FLM_REAL(sem_destroy)(semaphore);
}

/* Waiting is where a thread is canceled, even if it would not have to wait: a try is no such place,
 * so who is to be canceled waits. */
#define FLM_SEMAPHORE(name, parameters, arguments)                                                 \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        struct flm_call *call = flm_lock_call(semaphore, FLM_CALLER(), FLM_PROBE_LOCK_SEMAPHORE);  \
        if (!call)                                                                                 \
            return FLM_REAL(name) arguments;                                                       \
        pthread_testcancel();                                                                      \
        int kept = errno;                                                                          \
        if (FLM_REAL(sem_trywait)(semaphore) == 0)                                                 \
            return taken(call, NULL, 0);                                                           \
        errno = kept;                                                                              \
        struct flm_wait wait;                                                                      \
        flm_wait_begin(&wait, call, semaphore, 0);                                                 \
        return waited(call, &wait, NULL, FLM_REAL(name) arguments);                                \
    }

FLM_SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore))
FLM_SEMAPHORE(sem_timedwait, (sem_t * semaphore, const struct timespec *until), (semaphore, until))
FLM_SEMAPHORE(sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *until),
              (semaphore, clock, until))

FLM_FRONT int sem_trywait(sem_t *semaphore)
{
    struct flm_call *call = flm_lock_call(semaphore, FLM_CALLER(), FLM_PROBE_LOCK_SEMAPHORE);
    int result = FLM_REAL(sem_trywait)(semaphore);
    return call ? taken(call, NULL, result) : result;
}

/* ---- C11 ------------------------------------------------------------------------------------- */

FLM_BEHIND(mtx_init);
FLM_BEHIND(mtx_destroy);
FLM_BEHIND(mtx_lock);
FLM_BEHIND(mtx_trylock);
FLM_BEHIND(mtx_timedlock);
FLM_BEHIND(mtx_unlock);
FLM_BEHIND(cnd_init);
FLM_BEHIND(cnd_destroy);
FLM_BEHIND(cnd_wait);
FLM_BEHIND(cnd_timedwait);

/* They are glibc's mutexes, in another type. */
#ifdef __GLIBC__
union both {
    const mtx_t *lock;
    const pthread_mutex_t *mutex;
};

static int owner_of(const mtx_t *lock)
{
    const union both both = {.lock = lock};
    return __atomic_load_n(&both.mutex->__data.__owner, __ATOMIC_RELAXED);
}

static bool is_nested(const mtx_t *lock)
{
    const union both both = {.lock = lock};
    return (both.mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP &&
           both.mutex->__data.__count > 1;
}
#else
static int owner_of(const mtx_t *lock)
{
    (void)lock;
    return 0;
}

static bool is_nested(const mtx_t *lock)
{
    (void)lock;
    return false;
}
#endif

FLM_FRONT int mtx_init(mtx_t *lock, int kind)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_begins(lock, FLM_CALLER());
    return FLM_REAL(mtx_init)(lock, kind);
}

FLM_FRONT void mtx_destroy(mtx_t *lock)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_ends(lock);
    FLM_REAL(mtx_destroy)(lock);
}

static const void *held_of(const mtx_t *lock, int result)
{
    return result == thrd_success && is_nested(lock) ? NULL : lock;
}

FLM_FRONT int mtx_lock(mtx_t *lock)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_MUTEX);
    if (!call)
        return FLM_REAL(mtx_lock)(lock);
    int result = FLM_REAL(mtx_trylock)(lock);
    if (!FLM_RARELY(result == thrd_busy))
        return taken(call, held_of(lock, result), result);
    struct flm_wait wait;
    flm_wait_begin(&wait, call, lock, owner_of(lock));
    return waited(call, &wait, lock, FLM_REAL(mtx_lock)(lock));
}

FLM_FRONT int mtx_trylock(mtx_t *lock)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_MUTEX);
    int result = FLM_REAL(mtx_trylock)(lock);
    return call ? taken(call, held_of(lock, result), result) : result;
}

FLM_FRONT int mtx_timedlock(mtx_t *restrict lock, const struct timespec *restrict until)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_MUTEX);
    if (!call)
        return FLM_REAL(mtx_timedlock)(lock, until);
    int result = is_time(until) ? FLM_REAL(mtx_trylock)(lock) : thrd_busy;
    if (result != thrd_busy)
        return taken(call, held_of(lock, result), result);
    struct flm_wait wait;
    flm_wait_begin(&wait, call, lock, owner_of(lock));
    return waited(call, &wait, lock, FLM_REAL(mtx_timedlock)(lock, until));
}

FLM_FRONT int mtx_unlock(mtx_t *lock)
{
    if (!flm_holds_some() || is_nested(lock))
        return FLM_REAL(mtx_unlock)(lock);
    struct flm_hold hold = flm_hold_end(lock);
    int result = FLM_REAL(mtx_unlock)(lock);
    flm_hold_add(hold);
    return result;
}

FLM_FRONT int cnd_init(cnd_t *condition)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_begins(condition, FLM_CALLER());
    return FLM_REAL(cnd_init)(condition);
}

FLM_FRONT void cnd_destroy(cnd_t *condition)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_ends(condition);
    FLM_REAL(cnd_destroy)(condition);
}

FLM_FRONT int cnd_wait(cnd_t *condition, mtx_t *lock)
{
    struct flm_call *call = flm_lock_call(condition, FLM_CALLER(), FLM_PROBE_LOCK_CONDITION);
    if (!call)
        return FLM_REAL(cnd_wait)(condition, lock);
    struct flm_condition_wait wait;
    flm_condition_begin(&wait, call, lock);
    int result = FLM_REAL(cnd_wait)(condition, lock);
    flm_condition_end(&wait, lock, result == thrd_success);
    return result;
}

FLM_FRONT int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict lock,
                            const struct timespec *restrict until)
{
    struct flm_call *call = flm_lock_call(condition, FLM_CALLER(), FLM_PROBE_LOCK_CONDITION);
    if (!call)
        return FLM_REAL(cnd_timedwait)(condition, lock, until);
    struct flm_condition_wait wait;
    flm_condition_begin(&wait, call, lock);
    int result = FLM_REAL(cnd_timedwait)(condition, lock, until);
    flm_condition_end(&wait, lock, result == thrd_success);
    return result;
}
