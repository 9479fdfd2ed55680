/* run_files.h - the files of a gate, a series or a matrix, read one after the other. */
#ifndef FLAMEL_CLI_REPORT_RUN_FILES_H
#define FLAMEL_CLI_REPORT_RUN_FILES_H

#include "cli/common/load_options.h"
#include "flamel/compare.h"

struct flm_run_files {
    struct flm_gate_run *run; /* named by their paths */
    struct flm_profile **profile;
    char (*date)[24]; /* room for a date of each */
    uint32_t count;
};

/* The profiles of the files. `is_new`: for each; NULL: none is. `normalized`: by
 * flm_run_normalize, so that no more than one is in memory as it was recorded. False when one
 * cannot be read; the error was printed then, and there is nothing to be cleared. */
bool flm_run_files_load(struct flm_run_files *files, const char *const *paths, uint32_t count,
                        const bool *is_new, bool normalized, const struct flm_load_fields *load);
void flm_run_files_clear(struct flm_run_files *files);

#endif
