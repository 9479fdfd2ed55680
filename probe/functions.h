/* functions.h - functions that enter and leave by themselves: -finstrument-functions. */
#ifndef FLAMEL_PROBE_FUNCTIONS_H
#define FLAMEL_PROBE_FUNCTIONS_H

#include "internal.h"

/* Reads which functions are wanted. */
FLM_HIDDEN void flm_functions_start(void);

/* After code was unloaded: another function may come to where one was. Before it, names are taken:
 * flm_names_add. */
FLM_HIDDEN void flm_functions_unload(void);

#define FLM_CALLED_BY_COMPILERS __attribute__((visibility("default")))
FLM_CALLED_BY_COMPILERS void __cyg_profile_func_enter(void *function, void *caller);
FLM_CALLED_BY_COMPILERS void __cyg_profile_func_exit(void *function, void *caller);

#endif
