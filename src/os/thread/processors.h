/* processors.h - the processors of the machine, and which unit counts the events of each. */
#ifndef FLAMEL_OS_THREAD_PROCESSORS_H
#define FLAMEL_OS_THREAD_PROCESSORS_H

#include "base/core/bytes.h"
#include "base/text/text.h"

enum { FLM_PROCESSORS_MOST = 8192 };

/* Parses a list of processors as sysfs has it, "0-3,6", into their numbers. Returns how many; 0 for
 * a text that is no such list. */
size_t flm_processors_parse(struct flm_bytes list, int *processors, size_t capacity);

/* The processors that are online, `capacity` at most, the lowest first; where there is no sysfs, as
 * many as sysconf counts. Any may be missing: on many machines the first one can be switched off
 * too. `root` is put in front of the paths that are read: "" but in tests. */
size_t flm_processors_find(const char *root, int *processors, size_t capacity);

/* The processors that this process may use, the lowest first, `capacity` at most. */
size_t flm_processors_allowed(int *processors, size_t capacity);

/* Adds ascending numbers as a list that flm_processors_parse reads: "0-3,6". */
void flm_processors_add(struct flm_text *out, const int *processors, size_t count);

/* Where cores are of several kinds (hybrid processors), each kind is a performance monitoring unit
 * with its own number, and a general event counts on one of them only, unless that number is in the
 * upper half of its configuration. Returns the number of the unit of this processor; 0: there is
 * only the general one. */
uint64_t flm_processors_unit(const char *root, int processor);

#endif
