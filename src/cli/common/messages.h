/* messages.h - messages of the commands on standard error, one line each: "flamel: ...". */
#ifndef FLAMEL_CLI_COMMON_MESSAGES_H
#define FLAMEL_CLI_COMMON_MESSAGES_H

#include <stdbool.h>

#include "flamel/error.h"

/* How every command ends. */
enum {
    FLM_EXIT_DONE = 0,
    FLM_EXIT_NO = 1,      /* gate: something got worse */
    FLM_EXIT_WRONG = 2,   /* the usage or the input was wrong */
    FLM_EXIT_UNKNOWN = 3, /* gate: inconclusive */
};

/* printf's formats. Bytes that a terminal would act on are shown as '?'. */
void flm_message(const char *format, ...) FLM_FORMAT(1, 2);

/* Prints the error and returns the exit status for it. */
int flm_message_error(const struct flm_error *why);

/* Prints why a command cannot be used like this, and returns the exit status. */
int flm_message_usage(const char *format, ...) FLM_FORMAT(1, 2);

/* Flushes standard output after printf: help, the version, a server's address. Errors, such as a
 * full disk, would go unnoticed otherwise. False, after a message, if writing fails or has failed
 * since the last call. */
bool flm_stdout_flush(void);

#endif
