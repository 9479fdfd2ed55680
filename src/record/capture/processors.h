/* processors.h - the processors of the machine, and which unit counts the events of each. */
#ifndef FLAMEL_RECORD_CAPTURE_PROCESSORS_H
#define FLAMEL_RECORD_CAPTURE_PROCESSORS_H

#include "base/core/bytes.h"

enum { FLM_PROCESSORS_MOST = 8192 };

/* Processors as sysfs lists them, "0-3,6": their numbers. Returns how many; 0 for what is no list.
 */
size_t flm_processors_parse(struct flm_bytes list, int *processors, size_t capacity);

/* Those that are running, `capacity` at most, the lowest first; by their count where there is no
 * sysfs. Any may be missing: on many machines the first one can be switched off too. `root` is in
 * front of the paths that are read. */
size_t flm_processors_find(const char *root, int *processors, size_t capacity);

/* Where cores are of several kinds, each kind is a unit with its own number, and a general event
 * belongs to one of them unless the number is said in its upper half. 0: no other unit has the
 * processor. */
uint64_t flm_processors_unit(const char *root, int processor);

#endif
