/* unordered.h - profiles that are only added to others, as a store does with those that arrive.
 *
 * Strings and frames are in the order of the file, and may be there twice; nodes may have several
 * children of one frame. Sorting them and finding them again took two thirds of the time to read a
 * small profile, and the table that it is added to looks each up in any case. Such a profile is no
 * good for anything else: it is not equal to another one of the same stacks, and must not be
 * aligned, written or shown. */
#ifndef FLAMEL_LOAD_UNORDERED_H
#define FLAMEL_LOAD_UNORDERED_H

#include "flamel/file.h"

/* As flm_load_memory. */
struct flm_profile *flm_load_unordered(const void *bytes, size_t size,
                                       const struct flm_load_options *options,
                                       struct flm_error *why);

#endif
