/* picture_key.h - the titles and the legend of a picture (picture.h): what it is of, and what its
 * colors mean. */
#ifndef FLAMEL_VIEWER_PAINT_PICTURE_KEY_H
#define FLAMEL_VIEWER_PAINT_PICTURE_KEY_H

#include "draw/document/document.h"
#include "viewer/internal.h"

/* "app.flm", "app.flm, compared with old.flm". As the profile has it: not plain. */
void flm_picture_title(const struct flm_viewer *viewer, struct flm_text *out);

/* "Sandwich of =parse · cpu · hide:libc.so.6 · in read, 12 % of all". */
void flm_picture_subtitle(struct flm_viewer *viewer, struct flm_text *out);

/* `marks`: those that are in the picture, bit 1 << mark. False, and `why`, if memory ran out; the
 * document may fail (its `failed`) too. */
bool flm_picture_add_keys(struct flm_viewer *viewer, unsigned marks, struct flm_document *document,
                          struct flm_error *why);

#endif
