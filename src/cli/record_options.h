/* record_options.h - what commands that record have in common: words of their options, as the
 * recorder takes them. */
#ifndef FLAMEL_CLI_RECORD_OPTIONS_H
#define FLAMEL_CLI_RECORD_OPTIONS_H

#include "base/text.h"
#include "record/recorder.h"

/* "10s", "500ms", "2m": a millisecond at least. `option` is its name, for what is said of others.
 */
bool flm_record_parse_time(const char *option, const char *text, int64_t *time_ns,
                           struct flm_error *why);

/* "4711,4712": as many numbers as there are, owned by the caller, also after a failure. */
bool flm_record_parse_ids(const char *option, const char *text, int32_t **ids, size_t *count,
                          struct flm_error *why);

/* How stacks are found: auto, dwarf, dwarf,BYTES, fp, lbr or none; NULL: auto. `stack_size`: -1
 * where it was not given. */
bool flm_record_parse_stacks(const char *word, int stack_size, struct flm_recorder_options *options,
                             struct flm_error *why);

/* The operands as a command that can be started: terminated by NULL, to be freed; the words are the
 * caller's. NULL, and `why`, when memory ran out. */
char **flm_record_command_of(char **words, int count, struct flm_error *why);

#endif
