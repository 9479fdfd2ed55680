/* script_target.h - a program that has said a line and waits, with the files that it has mapped. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_SCRIPT_TARGET_H
#define FLAMEL_TESTS_SUPPORT_RECORD_SCRIPT_TARGET_H

#include "record/process/process_map.h"

struct script_target {
    int32_t process;
    int to, from; /* its standard input and output */
    struct flm_modules *modules;
    struct flm_symbolizer *symbolizer;
    struct flm_processes *processes;
    const struct flm_process *mappings;
};

/* The first word is searched in PATH. */
void script_start(struct script_target *target, char *const *command);

/* Until it stands still: what it says comes a moment before. */
void script_wait(const struct script_target *target);

void script_end(struct script_target *target);

#endif
