/* internal.h - one place of a source file: opened, read (read_source.c). */
#ifndef FLAMEL_SOURCE_INTERNAL_H
#define FLAMEL_SOURCE_INTERNAL_H

#include "base/text/text.h"

/* Appends all of a file, and closes it. NULL; or why its text cannot be shown, a few words. */
const char *flm_source_read(int file, size_t most_bytes, struct flm_text *text,
                            int64_t *changed_ns);

#endif
