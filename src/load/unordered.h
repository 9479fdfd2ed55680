/* unordered.h - profiles that are only added to others, as a store does with those that arrive.
 *
 * Strings and frames stand in the order of their coming, and children by their frames: sorting them
 * is a sixth of what it takes to read a small profile, and who adds it to a table of its own looks
 * each up in any case. Such a profile is none for anything else: it is not equal to another one of
 * the same stacks, and must not be aligned, written or shown. */
#ifndef FLAMEL_LOAD_UNORDERED_H
#define FLAMEL_LOAD_UNORDERED_H

#include "flamel/file.h"

/* As flm_load_memory. */
struct flm_profile *flm_load_unordered(const void *bytes, size_t size,
                                       const struct flm_load_options *options,
                                       struct flm_error *why);

#endif
