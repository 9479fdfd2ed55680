/* messages.h - what the commands say on standard error: one line, "flamel: ...". */
#ifndef FLAMEL_CLI_COMMON_MESSAGES_H
#define FLAMEL_CLI_COMMON_MESSAGES_H

#include "flamel/error.h"

/* printf's formats. Bytes that a terminal would act on are shown as '?'. */
void flm_message(const char *format, ...) FLM_FORMAT(1, 2);

/* Prints the error and returns the exit status for it. */
int flm_message_error(const struct flm_error *why);

#endif
