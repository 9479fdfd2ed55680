/* front.h - functions that stand in front of libc's of the same name, in the shared library only.
 *
 *     FLM_BEHIND(read);
 *     FLM_FRONT ssize_t read(int file, void *bytes, size_t size)
 *     {
 *         ... FLM_REAL(read)(file, bytes, size) ...
 *
 * The real one is the next of this name after the library, so that others may stand in front too.
 * It is looked for when it is first called, since programs and the loader call before anything of
 * this library has run. Looking calls nothing that is stood in front of here, if the name
 * exists. */
#ifndef FLAMEL_PROBE_FRONT_H
#define FLAMEL_PROBE_FRONT_H

#include "internal.h"

#define FLM_FRONT __attribute__((visibility("default")))
#define FLM_BEHIND(function) static uintptr_t behind_##function
#define FLM_REAL(function) ((__typeof__(function) *)flm_behind(&behind_##function, #function))
#define FLM_CALLER() __builtin_return_address(0)

FLM_HIDDEN uintptr_t flm_behind_find(uintptr_t *at, const char *name);

/* Of another library than libc: what the caller would have called. The library may be one that only
 * the caller's has, loaded by dlopen(); several may have a function of this name. Not where locks
 * are taken: it asks the loader. */
FLM_HIDDEN uintptr_t flm_behind_of(const void *caller, const char *name);

static inline uintptr_t flm_behind(uintptr_t *at, const char *name)
{
    uintptr_t found = __atomic_load_n(at, __ATOMIC_RELAXED);
    return FLM_RARELY(found == 0) ? flm_behind_find(at, name) : found;
}

/* Whether a call of the program is measured: not one that the library makes. */
static inline bool flm_is_seen(enum flm_probe_signal signal)
{
    return flm_is_measured(signal) && !flm_is_inside;
}

#endif
