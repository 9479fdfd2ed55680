/* file_bytes.h - small files as a whole: appended to a text, written from bytes. */
#ifndef FLAMEL_OS_FILE_BYTES_H
#define FLAMEL_OS_FILE_BYTES_H

#include "base/text/text.h"

bool flm_file_read(const char *path, struct flm_text *text, struct flm_error *why);
bool flm_file_write(const char *path, struct flm_bytes bytes, struct flm_error *why);

#endif
