/* picture.h - what is seen now as a file of vectors, for a paper or a chat: SVG or PDF.
 *
 *     app.flm   Sandwich of =parse · cpu · hide:libc.so.6     the file; view, metric, operations
 *     panes                                                  all levels that there are under the
 *                                                             zoom, as wide as in the window
 *     legend                                                  colors, marks, searches
 *     1,204 stacks  12.4 s  drawn 531  ...                    the status line, as an SVG has it
 *
 * The same rectangles and the same looks as in the window (box_style.h), without what the pointer
 * marks. Lengths are CSS pixels; in a terminal the picture is FLM_PICTURE_WIDTH_PX wide. */
#ifndef FLAMEL_VIEWER_PAINT_PICTURE_H
#define FLAMEL_VIEWER_PAINT_PICTURE_H

#include "base/text/text.h"
#include "flamel/error.h"

struct flm_viewer;

enum { FLM_PICTURE_WIDTH_PX = 1200, FLM_PICTURE_LEAST_PX = 320 };
enum flm_picture_format { FLM_PICTURE_SVG, FLM_PICTURE_PDF };

/* Opens callers that are seen and not open yet. False, and `why`, if no profile is open, or memory
 * ran out. */
bool flm_picture_write(struct flm_viewer *viewer, enum flm_picture_format format,
                       struct flm_text *out, struct flm_error *why);

#endif
