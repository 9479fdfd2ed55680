/* node_values.h - what a node of a pane has in a metric, with its sign, whatever its width is.
 *
 * Widths are sizes: |self|, or of a comparison the larger side. What is told of a node is its
 * value: of stacks the sum of what is below it; of callers and calls that of all the places that a
 * node stands for (algebra/aggregate/lazy_call_tree.h); of a chart its width, which is time. */
#ifndef FLAMEL_VIEWER_SCENE_NODE_VALUES_H
#define FLAMEL_VIEWER_SCENE_NODE_VALUES_H

#include "viewer/scene/scene.h"

struct flm_value {
    double total, self;
    bool has_self; /* else it is not known: of a chart, and of callers and calls whose widths are
                      their values */
};

/* Of stacks in any metric, of other panes in the shown one. Where two are compared it is what
 * there is after. Takes a step for each node below, or place. */
struct flm_value flm_value_of(const struct flm_scene *scene, const struct flm_pane *pane,
                              struct flm_node node, uint32_t metric);

#endif
