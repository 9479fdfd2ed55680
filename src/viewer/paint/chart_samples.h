/* chart_samples.h - what a chart shows where samples are narrower than a pixel. Neighbors in time
 * are not to be added up, so of each pixel the stack in its middle is painted, over the gray box
 * that stands for all of them. */
#ifndef FLAMEL_VIEWER_SCENE_CHART_SAMPLES_H
#define FLAMEL_VIEWER_SCENE_CHART_SAMPLES_H

#include "viewer/paint/box_style.h"

/* One level of merged frames, in pixels of the viewport: the part of it in [first, last). Neighbors
 * of one color are painted as one. */
typedef void (*flm_sample_paint)(void *context, int left, int right, uint32_t rgb);
void flm_samples_level(const struct flm_box_styles *styles, const struct flm_viewport *view,
                       uint32_t level, int first, int last, flm_sample_paint paint, void *context);

/* The pixels whose middle is in merged frames, within [least, most). */
void flm_samples_range(const struct flm_rectangle *merged, double least, double most, int *first,
                       int *last);

#endif
