/* python_interpreters.h - interpreters of CPython that are installed here, and a process of one. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_PYTHON_INTERPRETERS_H
#define FLAMEL_TESTS_SUPPORT_RECORD_PYTHON_INTERPRETERS_H

#include "support/record/script_target.h"

/* Paths of interpreters 3.8 to 3.15, one of each version and place; returns how many. */
size_t python_interpreters(char (*paths)[512], size_t capacity);

/* Runs a script, which waits when it has said a line. */
void python_start(struct script_target *target, const char *interpreter, const char *name,
                  const char *script);

#endif
