/* gprof.c - programs compiled with -pg call what we have in front of libc's, which gprof needs
 * where nothing is measured. */
#include <dlfcn.h>

#include "entries.h"

static void __attribute__((constructor)) find_real_ones(void)
{
    flm_behind_entry = (uintptr_t)dlsym(RTLD_NEXT, "__fentry__");
    flm_behind_mcount = (uintptr_t)dlsym(RTLD_NEXT, "mcount");
    if (flm_behind_entry == 0 || flm_behind_mcount == 0)
        dlerror(); /* the program would be told */
}
