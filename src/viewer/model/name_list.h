/* name_list.h - names of processes or threads in one text, a line for each, which is what the URL
 * has: those that are collapsed to a row, those that show all of their rows. A line break within a
 * name is a blank here. */
#ifndef FLAMEL_VIEWER_MODEL_NAME_LIST_H
#define FLAMEL_VIEWER_MODEL_NAME_LIST_H

#include "base/text/text.h"

bool flm_name_list_has(const struct flm_text *list, struct flm_bytes name);

/* Adds it, or removes it. False, and the text as it was, if memory ran out. */
bool flm_name_list_toggle(struct flm_text *list, struct flm_bytes name);

#endif
