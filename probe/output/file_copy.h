/* file_copy.h - what is measured by now, for a report while other threads go on. */
#ifndef FLAMEL_PROBE_FILE_COPY_H
#define FLAMEL_PROBE_FILE_COPY_H

#include "base/text/text.h"
#include "internal.h"

/* The part of the file that is used, appended to a text. Blocks that are given out meanwhile are
 * copied too, so what the copy refers to is in it. False: it cannot be read, or there is no
 * memory. */
FLM_HIDDEN bool flm_file_copy(struct flm_text *copy);

#endif
