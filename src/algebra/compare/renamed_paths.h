/* renamed_paths.h - modules and files that have another name in the other recording: `flamel diff`
 * of ./old and ./new, of old.py and new.py, of main.3f2a.js and main.77b1.js.
 *
 * Of the paths that only one of both profiles has, two are one if three or more of their functions
 * have the same names, which are at least half of those that the one with fewer has, and if neither
 * has as many in common with a third. Frames without a symbol count nowhere. A library keeps its
 * name, but for the version: libz.so.1.2 may be libz.so.1.3, and not libpng.so. */
#ifndef FLAMEL_ALGEBRA_COMPARE_RENAMED_PATHS_H
#define FLAMEL_ALGEBRA_COMPARE_RENAMED_PATHS_H

#include "base/core/bytes.h"
#include "profile/columns.h"

/* The string of a frame that is its path. */
typedef uint32_t flm_path_of(const struct flm_frame_record *frame);

/* The paths of one profile that the other does not have. */
struct flm_unmatched_paths {
    const struct flm_profile *profile;
    const uint32_t *string; /* its strings */
    uint32_t count;
};

/* Fills `partner`, by path of `own`: an index of `others`, or FLM_NONE. False: memory ran out. */
bool flm_renamed_paths_find(const struct flm_unmatched_paths *own,
                            const struct flm_unmatched_paths *others, flm_path_of *path_of,
                            uint32_t *partner);

#endif
