/* probe_locks.h - names for locks, in programs that measure themselves (probe.h).
 *
 *     pthread_mutex_t lock;
 *     FLM_LOCK_NAME(&lock, "connections");
 *
 * Locks are measured without it, in programs that are linked with the shared library or run under
 * it. One without a name is called by the variable that it is, or where it was initialized, or
 * where it was first taken. The name is good until the lock is destroyed or initialized again.
 * Name a lock when it is initialized: a thread that used it before may keep its earlier name.
 * Locks of the same name are one. */
#ifndef FLAMEL_PROBE_LOCKS_H
#define FLAMEL_PROBE_LOCKS_H

#include "flamel/probe.h"

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(FLM_PROBE) || FLM_PROBE

extern FLM_PROBE_WEAK void flm_probe_name_lock(const void *lock, const char *name);

/* The name is copied. */
static inline void flm_lock_name(const void *lock, const char *name)
{
    if (FLM_PROBE_IS_LINKED)
        flm_probe_name_lock(lock, name);
}

#else

static inline void flm_lock_name(const void *lock, const char *name)
{
    (void)lock, (void)name;
}

#endif

#define FLM_LOCK_NAME(lock, name) flm_lock_name(lock, name)

#ifdef __cplusplus
}
#endif

#endif
