/* collapsed.h - the processes of a flame chart that are one row each, by the value of the label
 * that they are by: a line for each in one text, which is what the URL has. */
#ifndef FLAMEL_VIEWER_MODEL_COLLAPSED_H
#define FLAMEL_VIEWER_MODEL_COLLAPSED_H

#include "base/text/text.h"

bool flm_collapsed_has(const struct flm_text *collapsed, struct flm_bytes process);

/* Adds it, or removes it. False, and the text as it was, if memory ran out. */
bool flm_collapsed_toggle(struct flm_text *collapsed, struct flm_bytes process);

#endif
