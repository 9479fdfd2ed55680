/* memory_new.c - in front of C++'s new and delete. Runs inside malloc.
 *
 * Those of the C++ library call malloc and free, where they are counted. An allocator that brings
 * its own (jemalloc, mimalloc, tcmalloc) mostly does not, so they are counted here: if they are in
 * the same file as the malloc that is used, and did not come to what is counted by themselves.
 * Without that, this is a jump.
 *
 * The real ones are looked up at the first call. A library that is loaded later may have brought
 * them for itself alone, and then the one that calls says where they are. */
#include "memory.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { NEWS = 8, DELETES = 12 };

/* As they are called: with how many arguments behind the size or the block. */
#define NEW_FUNCTIONS(X)                                                                           \
    X(0, _Znwm)                                                                                    \
    X(1, _Znam)                                                                                    \
    X(2, _ZnwmRKSt9nothrow_t)                                                                      \
    X(3, _ZnamRKSt9nothrow_t)                                                                      \
    X(4, _ZnwmSt11align_val_t)                                                                     \
    X(5, _ZnamSt11align_val_t)                                                                     \
    X(6, _ZnwmSt11align_val_tRKSt9nothrow_t)                                                       \
    X(7, _ZnamSt11align_val_tRKSt9nothrow_t)
#define DELETE_FUNCTIONS(X)                                                                        \
    X(0, _ZdlPv)                                                                                   \
    X(1, _ZdaPv)                                                                                   \
    X(2, _ZdlPvm)                                                                                  \
    X(3, _ZdaPvm)                                                                                  \
    X(4, _ZdlPvRKSt9nothrow_t)                                                                     \
    X(5, _ZdaPvRKSt9nothrow_t)                                                                     \
    X(6, _ZdlPvSt11align_val_t)                                                                    \
    X(7, _ZdaPvSt11align_val_t)                                                                    \
    X(8, _ZdlPvmSt11align_val_t)                                                                   \
    X(9, _ZdaPvmSt11align_val_t)                                                                   \
    X(10, _ZdlPvSt11align_val_tRKSt9nothrow_t)                                                     \
    X(11, _ZdaPvSt11align_val_tRKSt9nothrow_t)

/* Arguments that are not there are not looked at. */
typedef void *new_function(size_t, size_t, const void *);
typedef void delete_function(void *, size_t, size_t);

#define NAME(number, name) [number] = #name,
static const char *const new_name[NEWS] = {NEW_FUNCTIONS(NAME)};
static const char *const delete_name[DELETES] = {DELETE_FUNCTIONS(NAME)};

static new_function *real_new[NEWS];
static delete_function *real_delete[DELETES];
static bool new_is_counted[NEWS], delete_is_counted[DELETES]; /* they are the allocator's */
static void *allocator;                                       /* where its file begins */

static bool is_of_allocator(void *function)
{
    Dl_info file;
    return allocator && dladdr(function, &file) && file.dli_fbase == allocator;
}

static void *find(const char *name, void *caller)
{
    void *function = dlsym(RTLD_NEXT, name);
    Dl_info file;
    if (!function && dladdr(caller, &file)) {
        void *handle = dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        function = handle ? dlsym(handle, name) : NULL;
    }
    return function;
}

/* Not found: as malloc does it. */
static void *new_by_malloc(size_t size, size_t unused, const void *unused_too)
{
    (void)unused, (void)unused_too;
    return malloc(size > 0 ? size : 1);
}
static void delete_by_free(void *block, size_t unused, size_t unused_too)
{
    (void)unused, (void)unused_too;
    free(block);
}

static __attribute__((noinline)) new_function *find_new(uint32_t number, void *caller)
{
    void *found = find(new_name[number], caller);
    new_function *function = (new_function *)(uintptr_t)found;
    new_is_counted[number] = is_of_allocator(found);
    return real_new[number] = function ? function : new_by_malloc;
}

static __attribute__((noinline)) delete_function *find_delete(uint32_t number, void *caller)
{
    void *found = find(delete_name[number], caller);
    delete_function *function = (delete_function *)(uintptr_t)found;
    delete_is_counted[number] = is_of_allocator(found);
    if (!function)
        function = delete_by_free;
    real_delete[number] = function;
    return function;
}

static __attribute__((noinline)) void *measured_new(new_function *real, size_t size, size_t second,
                                                    const void *third)
{
    struct flm_probe_node *node = flm_memory_node_now();
    uint64_t before = node ? node->value[FLM_PROBE_ALLOCATIONS] : 0;
    void *block = real(size, second, third); /* or it throws */
    if (block && node && node->value[FLM_PROBE_ALLOCATIONS] == before)
        flm_memory_allocated(block, size);
    return block;
}

static __attribute__((noinline)) void measured_delete(delete_function *real, void *block,
                                                      size_t second, size_t third)
{
    if (block)
        flm_memory_freed(block);
    struct flm_probe_open *top = flm_local_work();
    real(block, second, third);
    flm_local_rest(top);
}

#define NEW(number, name)                                                                          \
    FLM_EXPORT void *name(size_t size, size_t second, const void *third);                          \
    FLM_EXPORT void *name(size_t size, size_t second, const void *third)                           \
    {                                                                                              \
        new_function *real = real_new[number];                                                     \
        if (FLM_RARELY(!real))                                                                     \
            real = find_new(number, __builtin_return_address(0));                                  \
        return new_is_counted[number] && flm_is_measured(FLM_PROBE_MEMORY)                         \
                   ? measured_new(real, size, second, third)                                       \
                   : real(size, second, third);                                                    \
    }
NEW_FUNCTIONS(NEW)

#define DELETE(number, name)                                                                       \
    FLM_EXPORT void name(void *block, size_t second, size_t third);                                \
    FLM_EXPORT void name(void *block, size_t second, size_t third)                                 \
    {                                                                                              \
        delete_function *real = real_delete[number];                                               \
        if (FLM_RARELY(!real))                                                                     \
            real = find_delete(number, __builtin_return_address(0));                               \
        if (delete_is_counted[number] && flm_is_measured(FLM_PROBE_FREEING))                       \
            measured_delete(real, block, second, third);                                           \
        else                                                                                       \
            real(block, second, third);                                                            \
    }
DELETE_FUNCTIONS(DELETE)

/* Those that were called before are looked up again. */
void flm_new_start(void *malloc_address)
{
    Dl_info file;
    allocator = dladdr(malloc_address, &file) ? file.dli_fbase : NULL;
    for (uint32_t i = 0; i < NEWS; i++)
        real_new[i] = NULL;
    for (uint32_t i = 0; i < DELETES; i++)
        real_delete[i] = NULL;
}
