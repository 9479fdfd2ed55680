/* running.h - the processes that have a name: `flamel top nginx` may mean the one that runs. */
#ifndef FLAMEL_CLI_TOP_RUNNING_H
#define FLAMEL_CLI_TOP_RUNNING_H

#include <stddef.h>
#include <stdint.h>

/* How many processes below `root`/proc are called `name`, as /proc/PID/comm has it: of a longer
 * name the first 15 bytes. *first receives the smallest number of them, which others may be
 * children of. */
size_t flm_running_named(const char *root, const char *name, int32_t *first);

#endif
