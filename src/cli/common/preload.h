/* preload.h - the library that measures a program from inside, put in front of its libraries by the
 * dynamic linker (LD_PRELOAD), and whether a program has one. */
#ifndef FLAMEL_CLI_COMMON_PRELOAD_H
#define FLAMEL_CLI_COMMON_PRELOAD_H

#include "base/text/text.h"
#include "flamel/error.h"

/* Adds the path of libflamel-probe: in the folder of the command (a build), or in ../lib (an
 * installation). False, and `why`, if it is in neither. */
bool flm_preload_find(struct flm_text *path, struct flm_error *why);

/* The same of another library that is installed with flamel; `package` has it on Debian. */
bool flm_library_find(const char *name, const char *package, struct flm_text *path,
                      struct flm_error *why);

/* False, and `why`, with a sentence about `name`: nothing can be preloaded into the program at
 * `path`: it is static, or for another machine, or runs with the rights of another user. Of a
 * script that is asked of what it is run by. */
bool flm_preload_check(const char *path, const char *name, struct flm_error *why);

/* "library", or "library:others" with what the variable has. */
void flm_preload_add(struct flm_text *value, const char *library, const char *others);

#endif
