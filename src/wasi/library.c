/* library.c - os/library.h where no library can be loaded. */
#include "os/library.h"

bool flm_library_open(const char *const *files, const char *const *functions, void *pointers,
                      struct flm_error *why)
{
    (void)functions, (void)pointers;
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: no library can be loaded here", files[0]);
}

bool flm_library_loaded_function(const char *file, const char *function, void *pointer)
{
    (void)file, (void)function, (void)pointer;
    return false;
}
