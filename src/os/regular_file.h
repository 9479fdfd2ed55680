/* regular_file.h - opens a file whose name comes from input: from a perf.data, from debug
 * information, from what another process has mapped.
 *
 * Such a name may be that of anything. Opening a pipe waits for its other end; opening a device
 * may do what it is for (a watchdog restarts the machine); some files of the kernel's own file
 * systems (/proc/kmsg, trace_pipe) are regular and wait when they are read. None of them is
 * opened: the name is resolved without opening what it leads to (O_PATH), and what it has led to
 * is opened then, so nobody can exchange it in between. */
#ifndef FLAMEL_OS_REGULAR_FILE_H
#define FLAMEL_OS_REGULAR_FILE_H

#include <stdbool.h>

/* A descriptor for reading. -1, and errno: EINVAL where it is no regular file on a disk. */
int flm_regular_file_open(const char *path);

/* The same for a file below a folder, which no link and no ".." leads out of: -1 and EXDEV where
 * one does. `path` is relative to the folder; a link below it may lead elsewhere below it, by a
 * relative path. */
int flm_regular_file_open_beneath(const char *folder, const char *path);

/* Whether that would be opened now; for libraries that open by name. */
bool flm_is_regular_file(const char *path);

#endif
