/* standard_files.h - other standard files for a command that is started.
 *
 * A command inherits what is open at that moment: so our own are others while it is started, and
 * are what they were right after it. */
#ifndef FLAMEL_CLI_COMMON_STANDARD_FILES_H
#define FLAMEL_CLI_COMMON_STANDARD_FILES_H

struct flm_standard_files {
    int kept[3];
};

/* -1 leaves one as it is. The files stay the caller's. */
void flm_standard_files_lend(struct flm_standard_files *files, int input, int output, int errors);

void flm_standard_files_take_back(struct flm_standard_files *files);

#endif
