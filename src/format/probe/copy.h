/* copy.h - a copy of a file that was written while it was copied.
 *
 * Threads come before their nodes, so a scope that ended in between is open in the copy, and in the
 * total of its node: it would count twice, by as much as it took. So what was open is looked at
 * once more: scopes that are not any more are closed in the copy, their nodes copied again. */
#ifndef FLAMEL_FORMAT_PROBE_COPY_H
#define FLAMEL_FORMAT_PROBE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the file as they are now; false: they cannot be read. */
typedef bool (*flm_probe_read_again)(void *context, uint64_t offset, void *to, size_t size);

/* `began` is a moment before the copy was made. What is damaged is left to its reader. */
void flm_probe_copy_settle(char *copy, size_t size, uint64_t began, flm_probe_read_again read,
                           void *context);

#endif
