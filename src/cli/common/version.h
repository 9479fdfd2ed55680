/* version.h - what `flamel --version` prints: the version, and what this build leaves out. */
#ifndef FLAMEL_CLI_COMMON_VERSION_H
#define FLAMEL_CLI_COMMON_VERSION_H

/* "flamel 0.1.0" as a line on standard output; and as a second one what was not built in, if anything
 * was not. */
void flm_print_version(void);

#endif
