/* command_line.h - a command line in one argument: './old --size 10', as gate --ab takes two.
 *
 * It is split as a shell does: at blanks, with quotes and backslashes. A line with anything that
 * needs a shell (a variable, a pipe) is passed to sh -c as it is, and NAME=value in front to env.
 * So a plain command is started directly, and no shell is in its profile: make does the same. */
#ifndef FLAMEL_CLI_COMMON_COMMAND_LINE_H
#define FLAMEL_CLI_COMMON_COMMAND_LINE_H

#include <stdbool.h>

#include "flamel/error.h"

struct flm_command_line {
    char **words;       /* terminated by NULL */
    char *bytes;        /* that they are in */
    const char *target; /* the word that is started in the end; NULL: only the shell knows */
};

/* False, and `why`, when there is no word in it, a quote is not closed, or memory ran out. */
bool flm_command_line_init(struct flm_command_line *line, const char *text, struct flm_error *why);
void flm_command_line_clear(struct flm_command_line *line);

#endif
