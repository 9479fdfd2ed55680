/* memory_limit.h - the memory that a command takes for profiles: a bound, and a sentence there.
 *
 * Linux promises more memory than there is: an allocation seldom fails, and whoever uses all of it
 * is killed without a word. So the process's own data are limited (RLIMIT_DATA), to FLAMEL_MEMORY
 * or to the room: what is free, with swap, or what the control groups that this process is in (a
 * container, a service) leave of their limits, whichever is less. Allocations fail there, and the
 * command ends with an error that says what the memory was needed for. */
#ifndef FLAMEL_CLI_COMMON_MEMORY_LIMIT_H
#define FLAMEL_CLI_COMMON_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "flamel/error.h"
#include "flamel/profile.h"

/* In bytes; UINT64_MAX where nothing says so. `root` is "", or a folder that has proc and sys of
 * some other machine. */
uint64_t flm_memory_room(const char *root);

/* Until it is ended; calls meanwhile do nothing. False, and `why`, where FLAMEL_MEMORY is no
 * size. */
bool flm_memory_limit_begin(struct flm_error *why);

/* Other programs do not inherit it: these are around what starts one, or flm_memory_limit_end is
 * alone in the process that becomes one; it is safe between fork and exec. */
void flm_memory_limit_end(void);
void flm_memory_limit_again(void);

/* A profile that was read, for errors; NULL: from here on others are counted. */
void flm_memory_limit_read(const struct flm_profile *profile);

/* Behind an error that says that memory ran out: what was read, and what to do, where the error
 * does not say what took it; and what the bound was, where there is one. */
void flm_memory_limit_explain(struct flm_error *why);

#endif
