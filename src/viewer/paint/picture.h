/* picture.h - the visible picture as a vector file, for a paper or a chat: SVG or PDF.
 *
 * It is a document (draw/document/document.h) of the same rectangles and box styles as the window,
 * without the marks of the pointer: all levels below the zoom, as wide as the window or, for paper,
 * as the caller says. Its title is the file; its subtitle view, metric, operations and zoom; its
 * legend colors, marks and searches. Lengths are CSS pixels; in a terminal it is
 * FLM_PICTURE_WIDTH_PX wide. */
#ifndef FLAMEL_VIEWER_PAINT_PICTURE_H
#define FLAMEL_VIEWER_PAINT_PICTURE_H

#include "base/text/text.h"
#include "flamel/error.h"

struct flm_viewer;

enum { FLM_PICTURE_WIDTH_PX = 1200, FLM_PICTURE_LEAST_PX = 320, FLM_PICTURE_MOST_PX = 32767 };
enum flm_picture_format { FLM_PICTURE_SVG, FLM_PICTURE_PDF };

/* `width_px` 0: as wide as the window. Opens visible callers that are not open yet. False, and
 * `why`, if no profile is open, or memory ran out. */
bool flm_picture_write(struct flm_viewer *viewer, enum flm_picture_format format, double width_px,
                       struct flm_text *out, struct flm_error *why);

#endif
