/* user_code.h - which frames are of code that the user did not write: the kernel, the C library and
 * others of the system, runtimes, interpreters, packages that were installed.
 *
 *     kernel         by the kind
 *     libraries      by the module: those that nearly every program has (flm_name_is_runtime),
 *                    and those in a system's folders
 *     packages       by the source file: site-packages, node_modules, usr/include, node: ...
 *     runtimes       by names that are certain: std::, java.lang., runtime., _start; the beginning
 *                    of a C name is not: alloc_node may be the user's
 *     interpreters   by the module, libpython3.11.so, node, libjvm.so; where modules are not known,
 *                    by not being code of the script. Only where a profile has code of a script, so
 *                    that a profile of the interpreter itself keeps it
 *
 * A frame is code of a script if its kind, its file or its name says so: "JS:*render app.js:12",
 * "render (app/page.py:12)". Threads and commands are nobody's code, and stay. */
#ifndef FLAMEL_ALGEBRA_OPERATION_USER_CODE_H
#define FLAMEL_ALGEBRA_OPERATION_USER_CODE_H

#include "profile/columns.h"

/* How many frames with code are the user's, and how many are not. */
struct flm_user_code {
    uint32_t others, own;
};

/* Sets marks[i] to 1 for each frame that is not the user's, 0 for the rest. False, and `why`, if
 * memory ran out. */
bool flm_user_code_mark(const struct flm_profile *p, unsigned char *marks,
                        struct flm_user_code *counts, struct flm_error *why);

/* Why the operation changes nothing: all frames are the user's, or none is. NULL where it
 * changes something. */
const char *flm_user_code_refusal(const struct flm_user_code *counts);

#endif
