/* programs.h - programs that a test compiles, and what other tools say of them. */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_PROGRAMS_H
#define FLAMEL_TESTS_SUPPORT_CORE_PROGRAMS_H

#include "base/text/text.h"

/* Runs the command in a folder of its own for this process (temporary_path), after `cd` to it; the
 * test fails when it does. The format is that of flm_text_format. */
void shell(const char *format, ...) FLM_FORMAT(1, 2);

/* What the command prints; to be cleared. */
struct flm_text shell_output(const char *format, ...) FLM_FORMAT(1, 2);

/* Whether there is such a command. */
bool has_command(const char *name);

/* small.c in that folder: functions of all kinds, none of which is left out. */
void write_small_program(void);

#endif
