#include "os/library.h"

#ifndef FLAMEL_STATIC /* library_static.c has all that a static program has */
#include <assert.h>
#include <dlfcn.h>
#include <string.h>

/* dlsym returns pointers to data, by their type; POSIX has both of one size. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "pointers to functions are as others");

static bool system_error(struct flm_error *why)
{
    const char *text = dlerror();
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s", text ? text : "the library cannot be loaded");
}

static void *load(const char *file)
{
    return dlopen(file, RTLD_LAZY | RTLD_LOCAL);
}

static bool find_function(void *library, const char *function, void *pointer)
{
    void *found = dlsym(library, function);
    if (found)
        memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

bool flm_library_open(const char *const *files, const char *const *functions, void *pointers,
                      struct flm_error *why)
{
    assert(files && files[0] && functions && pointers);
    struct flm_error first = {0};
    void *library = load(files[0]);
    if (!library)
        system_error(&first);
    for (size_t i = 1; !library && files[i]; i++)
        library = load(files[i]);
    if (!library) {
        if (why)
            *why = first;
        return false;
    }
    for (size_t i = 0; functions[i]; i++)
        if (!find_function(library, functions[i], (char *)pointers + i * sizeof(void *)))
            return system_error(why);
    return true;
}

bool flm_library_loaded_function(const char *file, const char *function, void *pointer)
{
    assert(file && function && pointer);
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    bool found = library && find_function(library, function, pointer);
    if (library)
        dlclose(library);
    return found;
}
#endif
