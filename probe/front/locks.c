/* locks.c - pthread mutexes and condition variables. Stands in front of libc's.
 *
 * A mutex that is taken again by the thread that has it (a recursive one) is held from the first to
 * the last. Its state is that of glibc's structure; elsewhere such a mutex is held from the last
 * taking that was timed. */
#include <pthread.h>
#include <time.h>

#include "locks.h"

FLM_BEHIND(pthread_mutex_init);
FLM_BEHIND(pthread_mutex_destroy);
FLM_BEHIND(pthread_mutex_lock);
FLM_BEHIND(pthread_mutex_trylock);
FLM_BEHIND(pthread_mutex_timedlock);
FLM_BEHIND(pthread_mutex_clocklock);
FLM_BEHIND(pthread_mutex_unlock);
FLM_BEHIND(pthread_cond_init);
FLM_BEHIND(pthread_cond_destroy);
FLM_BEHIND(pthread_cond_signal);
FLM_BEHIND(pthread_cond_broadcast);
FLM_BEHIND(pthread_cond_wait);
FLM_BEHIND(pthread_cond_timedwait);
FLM_BEHIND(pthread_cond_clockwait);

#ifdef __GLIBC__
static int owner_of(const pthread_mutex_t *lock)
{
    return __atomic_load_n(&lock->__data.__owner, __ATOMIC_RELAXED);
}

static bool is_nested(const pthread_mutex_t *lock)
{
    return (lock->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP && lock->__data.__count > 1;
}
#else
static int owner_of(const pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}

static bool is_nested(const pthread_mutex_t *lock)
{
    (void)lock;
    return false;
}
#endif

/* ---- Mutexes --------------------------------------------------------------------------------- */

FLM_FRONT int pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *kind)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_begins(lock, FLM_CALLER());
    return FLM_REAL(pthread_mutex_init)(lock, kind);
}

FLM_FRONT int pthread_mutex_destroy(pthread_mutex_t *lock)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_ends(lock);
    return FLM_REAL(pthread_mutex_destroy)(lock);
}

/* Taken, at once or after waiting; another result is no lock. */
static inline __attribute__((always_inline)) int taken(struct flm_call *call,
                                                       const pthread_mutex_t *lock, int result)
{
    if (!flm_is_got(result))
        flm_lock_failed(call);
    else if (FLM_RARELY(call->until_timed == 0 && is_nested(lock)))
        call->node->calls++;
    else
        flm_lock_taken(call, lock);
    return result;
}

static int waited(struct flm_call *call, struct flm_wait *wait, const pthread_mutex_t *lock,
                  int result)
{
    flm_wait_end(wait, flm_is_got(result));
    if (wait->open && flm_is_got(result) && call->until_timed-- == 0)
        flm_hold_begin(call, lock);
    return result;
}

static __attribute__((noinline)) int wait_for(struct flm_call *call, pthread_mutex_t *lock)
{
    struct flm_wait wait;
    flm_wait_begin(&wait, call, lock, owner_of(lock));
    return waited(call, &wait, lock, FLM_REAL(pthread_mutex_lock)(lock));
}

FLM_FRONT int pthread_mutex_lock(pthread_mutex_t *lock)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_MUTEX);
    if (!call)
        return FLM_REAL(pthread_mutex_lock)(lock);
    int result = FLM_REAL(pthread_mutex_trylock)(lock);
    return FLM_RARELY(result == EBUSY) ? wait_for(call, lock) : taken(call, lock, result);
}

FLM_FRONT int pthread_mutex_trylock(pthread_mutex_t *lock)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_MUTEX);
    int result = FLM_REAL(pthread_mutex_trylock)(lock);
    return call ? taken(call, lock, result) : result;
}

/* They would refuse a time that is none even where the lock is free: so they are asked when there
 * is to be waited, and else only when the time is good. */
static bool is_time(const struct timespec *until)
{
    return until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

FLM_FRONT int pthread_mutex_timedlock(pthread_mutex_t *lock, const struct timespec *until)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_MUTEX);
    int result = call && is_time(until) ? FLM_REAL(pthread_mutex_trylock)(lock) : EBUSY;
    if (!call)
        return FLM_REAL(pthread_mutex_timedlock)(lock, until);
    if (result != EBUSY)
        return taken(call, lock, result);
    struct flm_wait wait;
    flm_wait_begin(&wait, call, lock, owner_of(lock));
    return waited(call, &wait, lock, FLM_REAL(pthread_mutex_timedlock)(lock, until));
}

FLM_FRONT int pthread_mutex_clocklock(pthread_mutex_t *lock, clockid_t clock,
                                      const struct timespec *until)
{
    struct flm_call *call = flm_lock_call(lock, FLM_CALLER(), FLM_PROBE_LOCK_MUTEX);
    bool is_good = is_time(until) && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC);
    int result = call && is_good ? FLM_REAL(pthread_mutex_trylock)(lock) : EBUSY;
    if (!call)
        return FLM_REAL(pthread_mutex_clocklock)(lock, clock, until);
    if (result != EBUSY)
        return taken(call, lock, result);
    struct flm_wait wait;
    flm_wait_begin(&wait, call, lock, owner_of(lock));
    return waited(call, &wait, lock, FLM_REAL(pthread_mutex_clocklock)(lock, clock, until));
}

static __attribute__((noinline)) int unlock_held(pthread_mutex_t *lock)
{
    struct flm_hold hold = {0};
    if (!is_nested(lock))
        hold = flm_hold_end(lock);
    int result = FLM_REAL(pthread_mutex_unlock)(lock);
    flm_hold_add(hold);
    return result;
}

FLM_FRONT int pthread_mutex_unlock(pthread_mutex_t *lock)
{
    return flm_holds_some() ? unlock_held(lock) : FLM_REAL(pthread_mutex_unlock)(lock);
}

/* ---- Condition variables --------------------------------------------------------------------- */

FLM_FRONT int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *kind)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_begins(condition, FLM_CALLER());
    return FLM_REAL(pthread_cond_init)(condition, kind);
}

/* Who asks for no version of these (what valgrind preloads, say) gets the oldest from libc, whose
 * condition variables are others than those that are initialized and waited for here. */
FLM_FRONT int pthread_cond_signal(pthread_cond_t *condition)
{
    return FLM_REAL(pthread_cond_signal)(condition);
}

FLM_FRONT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return FLM_REAL(pthread_cond_broadcast)(condition);
}

FLM_FRONT int pthread_cond_destroy(pthread_cond_t *condition)
{
    if (flm_is_seen(FLM_PROBE_LOCKS))
        flm_lock_ends(condition);
    return FLM_REAL(pthread_cond_destroy)(condition);
}

/* The mutex is not held meanwhile. Where the thread is canceled, the wait ends with the scope
 * around it, and the mutex's cleanup is not timed. */
FLM_FRONT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    struct flm_call *call = flm_lock_call(condition, FLM_CALLER(), FLM_PROBE_LOCK_CONDITION);
    if (!call)
        return FLM_REAL(pthread_cond_wait)(condition, lock);
    struct flm_condition_wait wait;
    flm_condition_begin(&wait, call, lock);
    int result = FLM_REAL(pthread_cond_wait)(condition, lock);
    flm_condition_end(&wait, lock, flm_is_got(result));
    return result;
}

FLM_FRONT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                     const struct timespec *until)
{
    struct flm_call *call = flm_lock_call(condition, FLM_CALLER(), FLM_PROBE_LOCK_CONDITION);
    if (!call)
        return FLM_REAL(pthread_cond_timedwait)(condition, lock, until);
    struct flm_condition_wait wait;
    flm_condition_begin(&wait, call, lock);
    int result = FLM_REAL(pthread_cond_timedwait)(condition, lock, until);
    flm_condition_end(&wait, lock, flm_is_got(result));
    return result;
}

FLM_FRONT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                     clockid_t clock, const struct timespec *until)
{
    struct flm_call *call = flm_lock_call(condition, FLM_CALLER(), FLM_PROBE_LOCK_CONDITION);
    if (!call)
        return FLM_REAL(pthread_cond_clockwait)(condition, lock, clock, until);
    struct flm_condition_wait wait;
    flm_condition_begin(&wait, call, lock);
    int result = FLM_REAL(pthread_cond_clockwait)(condition, lock, clock, until);
    flm_condition_end(&wait, lock, flm_is_got(result));
    return result;
}

void flm_locks_start(void)
{
    flm_signal_is(FLM_PROBE_LOCKS, FLM_PROBE_ACTIVE, NULL);
}
