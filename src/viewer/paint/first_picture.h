/* first_picture.h - the flame graph as markup, which a page shows until its viewer has started: a
 * browser paints it before any script runs, and where none may run it is what there is.
 *
 *     <div id="flamel-first" role="img" aria-label="..."><svg>boxes</svg><svg>labels</svg></div>
 *
 * Boxes of one color are one path, in a coordinate system that is stretched to the width of the
 * window, with rows of whole pixels: thick lines would be half as long, and take the browser twice
 * as long to draw. A label is cut off where its box ends. A color is `fill` in a light theme and
 * `color` in a dark one: the policy of the page allows no style attributes, web/start.css chooses.
 * So a picture costs the browser some forty elements and a label each, and 18 bytes a box. The
 * outermost FLM_FIRST_ROWS rows are drawn, and of these the boxes that are wide enough for the
 * picture to have FLM_FIRST_BOXES; the others are merged, in the color of the widest: the window's
 * own replaces it. That of a comparison has the class "compared". */
#ifndef FLAMEL_VIEWER_PAINT_FIRST_PICTURE_H
#define FLAMEL_VIEWER_PAINT_FIRST_PICTURE_H

#include "base/text/text.h"
#include "flamel/error.h"

struct flm_viewer;

enum { FLM_FIRST_ROWS = 60, FLM_FIRST_BOXES = 1000 };

/* Of a viewer that nothing was done with: its window, theme and view are those of a page that is
 * opened. Nothing, where the view has no boxes. False, and `why`, if memory ran out; `out` may fail
 * too. */
bool flm_first_picture_write(struct flm_viewer *viewer, struct flm_text *out,
                             struct flm_error *why);

#endif
