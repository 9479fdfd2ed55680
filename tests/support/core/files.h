/* files.h - test data, and files that a test makes. Tests run in the repository's root. */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_FILES_H
#define FLAMEL_TESTS_SUPPORT_CORE_FILES_H

#include "base/text/text.h"

/* The content of a file; the test fails where there is none. The caller clears it. */
struct flm_text read_file(const char *path);

/* Calls `visit` for every file of a folder whose name ends so, in the order of names; returns how
 * many there were. */
size_t each_file(const char *folder, const char *ending,
                 void (*visit)(const char *path, void *context), void *context);

/* "NAME" in a folder of this process, which is removed with its content when the process ends. Good
 * until the thread has called it four times more. Any thread may. */
const char *temporary_path(const char *name);
const char *write_temporary(const char *name, struct flm_bytes content);

#endif
