/* unload.c - in front of dlclose, in the shared library only. */
#include <dlfcn.h>

#include "functions.h"
#include "memory.h"
#include "names.h"

__attribute__((visibility("default"))) int dlclose(void *handle)
{
    static int (*real)(void *);
    if (!real)
        real = (int (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "dlclose");
    bool is_run = flm_run.number > 0;
    if (is_run)
        flm_names_add();
    int result = real(handle);
    flm_unwind_forget(); /* other code may be loaded there */
    if (is_run)
        flm_functions_unload();
    return result;
}
