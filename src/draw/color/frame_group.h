/* frame_group.h - what a frame has its color from: its module, or the package that its name begins
 * with (flm_name_package).
 *
 * A program is often one module, and a picture in one hue tells nothing. So a group that has most
 * of a profile's functions, apart from those of runtimes and the kernel, is split. Where a script
 * runs, its functions and native ones are two programs: a group is split
 * that has most of the one, or of the other. The first of these is taken that splits it well:
 *
 *     file        sort.c
 *     package     ext4 of ext4_read, app of app::sort
 *     class       app::Sorter of app::Sorter<int>::run
 *     function    run
 *
 * Modules of interpreters (node, libpython3.11.so) are always split, by file where a function has
 * one, else by package, whatever else is there: so node, v8 and uv have their own hues in a short
 * recording as in a long one, and in each moment of a live one.
 *
 * Colors depend on names, and not on what else is shown: what is split is decided on the profile as
 * it was opened, and kept while operations leave less of it. */
#ifndef FLAMEL_DRAW_COLOR_FRAME_GROUP_H
#define FLAMEL_DRAW_COLOR_FRAME_GROUP_H

#include "profile/columns.h"

enum flm_group_split {
    FLM_SPLIT_NONE,
    FLM_SPLIT_FILE,
    FLM_SPLIT_PACKAGE,
    FLM_SPLIT_CLASS,
    FLM_SPLIT_FUNCTION
};

enum flm_group_program { FLM_PROGRAM_NATIVE, FLM_PROGRAM_SCRIPT, FLM_PROGRAMS };

struct flm_grouping {
    struct {
        struct flm_bytes group; /* the one that is split; borrowed from the profile */
        enum flm_group_split by;
    } split[FLM_PROGRAMS];
    /* NULL, or memory of the caller, as 0 at first: by frame of the profile `of`, the groups that
     * have been found, before any is split. */
    struct flm_bytes *whole;
    const struct flm_profile *of; /* that decides what is split */
};

/* `whole` may be NULL; otherwise it lives as long as the grouping. False, and `why`, if memory ran
 * out. A few hundred ns per frame. */
bool flm_grouping_init(struct flm_grouping *grouping, const struct flm_profile *p,
                       struct flm_bytes *whole, struct flm_error *why);

/* What the main group is split by: of a script where one runs. */
enum flm_group_split flm_grouping_split(const struct flm_grouping *grouping);

/* The group of a frame, by its title: a range of strings of the profile. Empty only for a frame
 * that has neither a module nor a name. */
struct flm_bytes flm_frame_group(const struct flm_profile *p, uint32_t frame,
                                 const struct flm_grouping *grouping);

#endif
