/* hues.h - tells the largest groups of a picture apart by hue.
 *
 * The hue of a group follows from its name, so that it is the same in every profile. Two names may
 * have hues that are hardly different, and where these are what most of the picture consists of, a
 * person sees one group. So of the largest groups, those whose hue is next to that of a larger one
 * get the nearest hue that is not. All others keep theirs, and so does the largest. Those that are
 * moved may have another hue in another profile, in which other groups are larger, and in pictures
 * that a command writes, where no hue is moved. */
#ifndef FLAMEL_DRAW_COLOR_HUES_H
#define FLAMEL_DRAW_COLOR_HUES_H

#include <stdint.h>

/* So many groups are told apart: as the legend of the page has. */
enum { FLM_HUES_APART = 6 };

/* hue[i] is below FLM_HUES, or a gray, which stays; `weight` is used up. */
void flm_hues_tell_apart(uint32_t *hue, double *weight, uint32_t count);

#endif
