/* python_target.h - interpreters of CPython that are installed here, and a process of one. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_PYTHON_TARGET_H
#define FLAMEL_TESTS_SUPPORT_RECORD_PYTHON_TARGET_H

#include "record/process/process_map.h"

/* Paths of interpreters 3.8 to 3.13, one of each version and place; returns how many. */
size_t python_interpreters(char (*paths)[512], size_t capacity);

/* An interpreter that runs a script, which has said a line. */
struct python_target {
    int32_t process;
    int to, from; /* its standard input and output */
    struct flm_modules *modules;
    struct flm_symbolizer *symbolizer;
    struct flm_processes *processes;
    const struct flm_process *mappings;
};

void python_start(struct python_target *target, const char *interpreter, const char *script);
void python_end(struct python_target *target);

#endif
