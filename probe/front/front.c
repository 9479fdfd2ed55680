/* front.c - where the real functions are. */
#include "front.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "entries.h"

/* Of several versions of a function dlsym() finds the oldest behind this library, before glibc 2.36
 * (its bug 14932). It makes a difference for condition variables only, which got another form in
 * 2.3.2, on machines that are older than that. */
static void *find_next(const char *name)
{
#if defined(__x86_64__)
    if (strncmp(name, "pthread_cond_", 13) == 0 && strcmp(name + 13, "clockwait") != 0)
        return dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
    return dlsym(RTLD_NEXT, name);
}

/* What is not there is none of libc's, and the program cannot have called it. */
uintptr_t flm_behind_find(uintptr_t *at, const char *name)
{
    int kept = errno;
    uintptr_t found = (uintptr_t)find_next(name);
    if (found == 0)
        dlerror(); /* the program would be told */
    __atomic_store_n(at, found, __ATOMIC_RELAXED);
    errno = kept;
    return found;
}

/* Programs compiled with -pg call what we have in front of libc's, which gprof needs where nothing
 * is measured. */
static void __attribute__((constructor)) find_entries(void)
{
    flm_behind_entry = (uintptr_t)dlsym(RTLD_NEXT, "__fentry__");
    flm_behind_mcount = (uintptr_t)dlsym(RTLD_NEXT, "mcount");
    if (flm_behind_entry == 0 || flm_behind_mcount == 0)
        dlerror(); /* the program would be told */
}

/* ---- Of other libraries ---------------------------------------------------------------------- */

/* By the file that calls, and the name, which is a text of this library: once for each pair.
 * Written in two words; torn, it does not fit together. */
enum { BITS = 8 };
static struct {
    uintptr_t key_and_found, found;
} all_found[1 << BITS];

/* A program that only asks whether there is such a function finds ours, and may call it. */
static long missing(void)
{
    return 0;
}

/* The caller may be linked with this library, too. */
static bool is_ours(uintptr_t function)
{
    Dl_info theirs, ours;
    return dladdr((const void *)function, &theirs) != 0 && // NOLINT(performance-no-int-to-ptr)
           dladdr((const void *)(uintptr_t)flm_behind_find, &ours) != 0 &&
           theirs.dli_fbase == ours.dli_fbase;
}

static uintptr_t find_by(const void *caller, const char *name)
{
    uintptr_t found = (uintptr_t)dlsym(RTLD_NEXT, name);
    if (found != 0)
        return found;
    dlerror();
    Dl_info file;
    if (dladdr(caller, &file) == 0 || !file.dli_fname)
        return (uintptr_t)missing;
    void *handle = dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    found = handle ? (uintptr_t)dlsym(handle, name) : 0;
    if (handle)
        dlclose(handle);
    if (found == 0)
        dlerror();
    return found != 0 && !is_ours(found) ? found : (uintptr_t)missing;
}

/* What calls: the file, where the loader says so without its lock; else the place itself. */
static uintptr_t place_of(const void *caller)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    struct dl_find_object file;
    if (_dl_find_object((void *)(uintptr_t)caller, &file) == 0)
        return (uintptr_t)file.dlfo_map_start;
#endif
    return (uintptr_t)caller;
}

uintptr_t flm_behind_of(const void *caller, const char *name)
{
    uintptr_t key = (place_of(caller) ^ (uintptr_t)name) * 0x9E3779B97F4A7C15u;
    uintptr_t at = key >> (sizeof key * 8 - BITS);
    uintptr_t found = __atomic_load_n(&all_found[at].found, __ATOMIC_ACQUIRE);
    uintptr_t both = __atomic_load_n(&all_found[at].key_and_found, __ATOMIC_ACQUIRE);
    if (found != 0 && both == (key ^ found))
        return found;
    int kept = errno;
    found = find_by(caller, name);
    __atomic_store_n(&all_found[at].found, found, __ATOMIC_RELEASE);
    __atomic_store_n(&all_found[at].key_and_found, key ^ found, __ATOMIC_RELEASE);
    errno = kept;
    return found;
}

/* Another copy of this library, from another path, comes before this one: that one measures. */
bool flm_is_second(void)
{
    void *first = dlsym(RTLD_DEFAULT, "flm_probe_do_start");
    Dl_info its, own;
    return first && dladdr(first, &its) && dladdr(&flm_run, &own) && its.dli_fbase != own.dli_fbase;
}
