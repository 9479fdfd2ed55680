/* commands.h - the commands: one file each, one line each in the table of commands.c. */
#ifndef FLAMEL_CLI_COMMAND_COMMANDS_H
#define FLAMEL_CLI_COMMAND_COMMANDS_H

#include "cli/common/options.h"

extern const struct flm_command flm_command_record;
extern const struct flm_command flm_command_probe;
extern const struct flm_command flm_command_top;
extern const struct flm_command flm_command_view;
extern const struct flm_command flm_command_convert;
extern const struct flm_command flm_command_info;
extern const struct flm_command flm_command_report;
extern const struct flm_command flm_command_annotate;
extern const struct flm_command flm_command_diff;
extern const struct flm_command flm_command_similarity;
extern const struct flm_command flm_command_merge;
extern const struct flm_command flm_command_filter;
extern const struct flm_command flm_command_note;
extern const struct flm_command flm_command_gate;
extern const struct flm_command flm_command_series;
extern const struct flm_command flm_command_store;
extern const struct flm_command flm_command_query;
extern const struct flm_command flm_command_serve;
extern const struct flm_command flm_command_agent;
extern const struct flm_command flm_command_formats;
extern const struct flm_command flm_command_mcp;
extern const struct flm_command flm_command_completion;

/* All of them, in the order in which help lists them; `count` receives how many. */
const struct flm_command *const *flm_commands(size_t *count);

/* Whether flamel has a command of that name, but not for the system that this program is for. */
bool flm_command_is_left_out(const char *name);

/* NULL if there is none of that name. */
const struct flm_command *flm_command_named(const char *name);

/* How every command starts: flm_options_parse, with its error or help printed. Returns the number
 * of operands; -1 where there is nothing left to do but to return *status. */
int flm_command_start(const struct flm_command *command, void *fields, int count, char **words,
                      int *status);

/* `flamel view` of one file that another command has just written: its exit status. */
int flm_view_file(const char *path);

#endif
