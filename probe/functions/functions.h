/* functions.h - functions that enter and leave by themselves: -finstrument-functions, -mfentry,
 * XRay. */
#ifndef FLAMEL_PROBE_FUNCTIONS_H
#define FLAMEL_PROBE_FUNCTIONS_H

#include "internal.h"

/* Reads which functions are wanted. */
FLM_HIDDEN void flm_functions_start(void);

/* After code was unloaded: another function may come to where one was. Before it, names are taken:
 * flm_names_add. */
FLM_HIDDEN void flm_functions_unload(void);

/* ---- By what they are told apart ------------------------------------------------------------- */

/* A key is an address in the function that is the same at each call. */
struct flm_function {
    uintptr_t address; /* the key; 0: free; 1: it was unloaded */
    struct flm_site *site;
};

struct flm_functions {
    uint32_t shift, count;
    size_t size;
    struct flm_function at[];
};
extern FLM_HIDDEN struct flm_functions *flm_functions; /* older ones stay: others look into them */

/* The site of all that are not wanted. */
extern FLM_HIDDEN struct flm_site flm_left_out;

/* NULL: it was not called yet. */
static inline struct flm_site *flm_function_find(uintptr_t key)
{
    const struct flm_functions *table = __atomic_load_n(&flm_functions, __ATOMIC_ACQUIRE);
    if (FLM_RARELY(!table))
        return NULL;
    size_t mask = table->size - 1;
    for (size_t i = key * 0x9E3779B97F4A7C15u >> table->shift;; i++) {
        const struct flm_function *function = &table->at[i & mask];
        uintptr_t found = __atomic_load_n(&function->address, __ATOMIC_ACQUIRE);
        if (__builtin_expect(found == key, 1))
            return function->site;
        if (found == 0)
            return NULL;
    }
}

/* By its name, and what FLAMEL says. The caller holds the lock. */
FLM_HIDDEN bool flm_function_is_wanted(uintptr_t address);

/* The site, which is made when it is needed; of a function that is only counted it says so. NULL:
 * there is no memory, or the thread is not measured. */
FLM_HIDDEN struct flm_site *flm_function_site(uintptr_t key, uintptr_t address, bool is_counted);

/* Where a function begins: `stack` tells the frame, less in what the function calls. One that is
 * inlined has the frame of the function that it is in, and returns to the same place (`caller`),
 * but begins elsewhere in the code (`began_at`). */
struct flm_frame {
    uintptr_t stack;
    uint32_t caller, began_at; /* the lower halves; 0: no function is inlined in another */
};

/* Frames that have ended end here, too. False: it is not open, since it is too deep. */
FLM_HIDDEN bool flm_function_enter(uintptr_t key, struct flm_site *site,
                                   const struct flm_frame *frame);

/* The function with this frame ends, if it is open, and what has ended before it. */
FLM_HIDDEN void flm_function_leave(uintptr_t stack);

#define FLM_CALLED_BY_COMPILERS __attribute__((visibility("default")))
FLM_CALLED_BY_COMPILERS void __cyg_profile_func_enter(void *function, void *caller);
FLM_CALLED_BY_COMPILERS void __cyg_profile_func_exit(void *function, void *caller);

#endif
