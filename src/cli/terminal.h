/* terminal.h - what standard output is, for those who draw tables on it. */
#ifndef FLAMEL_CLI_TERMINAL_H
#define FLAMEL_CLI_TERMINAL_H

#include "draw/table.h"

/* A file or a pipe: plain, whatever the environment says. A terminal: as wide as its window, in
 * UTF-8 where the locale says so, with as many colours as TERM promises; none with NO_COLOR or on a
 * "dumb" one. */
struct flm_look flm_look_of_output(void);

#endif
