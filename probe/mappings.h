/* mappings.h - which file is mapped where, in the measured file: readers find names of addresses by
 * it, of functions that are instrumented and of stacks, also of a program that was killed. */
#ifndef FLAMEL_PROBE_MAPPINGS_H
#define FLAMEL_PROBE_MAPPINGS_H

#include "internal.h"

/* A file that is mapped from `start` on, whose ELF header is there. "" is the program. */
FLM_HIDDEN void flm_mapping_of(const void *start, const char *name);

/* All files that are mapped now and are not in the list yet. Not inside malloc, and not under the
 * lock. */
FLM_HIDDEN void flm_mappings_add(void);

#endif
