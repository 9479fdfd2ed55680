/* front.c - where the real functions are. */
#include "front.h"

#include <dlfcn.h>
#include <errno.h>

/* What is not there is none of libc's, and the program cannot have called it. */
uintptr_t flm_behind_find(uintptr_t *at, const char *name)
{
    int kept = errno;
    uintptr_t found = (uintptr_t)dlsym(RTLD_NEXT, name);
    if (found == 0)
        dlerror(); /* the program would be told */
    __atomic_store_n(at, found, __ATOMIC_RELAXED);
    errno = kept;
    return found;
}
