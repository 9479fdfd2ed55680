/* pid_namespace.h - the numbers that processes and threads have among themselves.
 *
 * In a container a process sees itself by another number than we do, and so do the files that it
 * names after it, and what it remembers of its threads. */
#ifndef FLAMEL_RECORD_RUNTIME_PID_NAMESPACE_H
#define FLAMEL_RECORD_RUNTIME_PID_NAMESPACE_H

#include <stdint.h>

/* The number that a thread of a process (its first one: the same number) has in the namespace it
 * lives in. Ours, when it is gone. */
int32_t flm_namespace_number(int32_t process, int32_t thread);

#endif
