/* record_options.h - what commands that record have in common: words of their options, as the
 * recorder takes them. */
#ifndef FLAMEL_CLI_COMMON_RECORD_OPTIONS_H
#define FLAMEL_CLI_COMMON_RECORD_OPTIONS_H

#include <math.h>

#include "base/text/text.h"
#include "cli/common/load_options.h"
#include "flamel/record.h"

/* Events and stack settings, as given on the command line. */
struct flm_record_fields {
    const char *call_graph;
    struct flm_option_list events;
    const char *frequency; /* a number, or "max"; NULL: not given */
    double period;
    int ring_mib, stack_size; /* -1, and no number above: not given */
    bool off_cpu, no_kernel, no_inherit, per_thread, python, no_runtime, call_stacks, clones;
    const char *java; /* what the agent in Java VMs measures; "": CPU time; NULL: not given */
};

#define FLM_RECORD_FIELDS_UNSET                                                                    \
    {                                                                                              \
        .period = NAN, .ring_mib = -1, .stack_size = -1                                            \
    }

/* To be put into a command's table: `fields` is the struct, `member` its struct flm_record_fields.
 */
#define FLM_RECORD_OPTIONS(fields, member)                                                         \
    {"frequency",                                                                                  \
     'F',                                                                                          \
     "HZ",                                                                                         \
     "samples per second of CPU time, or max (default: 999)",                                      \
     FLM_OPTION_TEXT,                                                                              \
     offsetof(fields, member.frequency)},                                                          \
        {"rate", 0, "HZ", NULL, FLM_OPTION_TEXT, offsetof(fields, member.frequency)},              \
        {"count",                                                                                  \
         'c',                                                                                      \
         "N",                                                                                      \
         "take a sample every N events instead",                                                   \
         FLM_OPTION_NUMBER,                                                                        \
         offsetof(fields, member.period)},                                                         \
        {"event",                                                                                  \
         'e',                                                                                      \
         "NAME",                                                                                   \
         "what to sample: cycles, cpu-clock, page-faults,\nsched:sched_switch ... "                \
         "(default: cycles, else cpu-clock)",                                                      \
         FLM_OPTION_LIST,                                                                          \
         offsetof(fields, member.events)},                                                         \
        {"off-cpu",                                                                                \
         0,                                                                                        \
         NULL,                                                                                     \
         "record off-CPU time too: where threads wait for something\nor for a CPU, and how long",  \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.off_cpu)},                                                        \
        {"call-graph",                                                                             \
         0,                                                                                        \
         "HOW",                                                                                    \
         "how to get stacks: auto, dwarf (unwind stack dumps),\nfp (frame pointers), lbr "         \
         "(last branch records), none",                                                            \
         FLM_OPTION_TEXT,                                                                          \
         offsetof(fields, member.call_graph)},                                                     \
        {"call-stacks",                                                                            \
         'g',                                                                                      \
         NULL,                                                                                     \
         "no effect: stacks are always recorded",                                                  \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.call_stacks)},                                                    \
        {"stack-size",     0,                                                                      \
         "BYTES",          "size of a stack dump (default: 16384)",                                \
         FLM_OPTION_COUNT, offsetof(fields, member.stack_size)},                                   \
        {"no-kernel",                                                                              \
         0,                                                                                        \
         NULL,                                                                                     \
         "record user space only",                                                                 \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.no_kernel)},                                                      \
        {"no-inherit",                                                                             \
         0,                                                                                        \
         NULL,                                                                                     \
         "do not record what the target starts",                                                   \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.no_inherit)},                                                     \
        {"per-thread",                                                                             \
         0,                                                                                        \
         NULL,                                                                                     \
         "add the thread as a frame, below the command",                                           \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.per_thread)},                                                     \
        {"no-runtime",                                                                             \
         0,                                                                                        \
         NULL,                                                                                     \
         "leave interpreters alone: their own functions, which are\nread from outside, do not "    \
         "show",                                                                                   \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.no_runtime)},                                                     \
        {"python", 0, NULL, NULL, FLM_OPTION_FLAG, offsetof(fields, member.python)},               \
    {                                                                                              \
        "ring-size", 0, "MIB", "size of the ring buffer for each CPU", FLM_OPTION_COUNT,           \
            offsetof(fields, member.ring_mib)                                                      \
    }

/* Whether the numbers make sense, and all of it as the recorder takes it. What it points to is the
 * fields'. */
bool flm_record_fields_read(const struct flm_record_fields *fields,
                            struct flm_record_options *options, struct flm_error *why);

/* The agent in Java VMs, where it is asked for, or where the command is java and nothing else is
 * recorded: once all other options are set. `library` receives its path, and is the caller's, as
 * the options point to it. False, and `why`, when it is asked for and there is none. */
bool flm_record_java_read(const struct flm_record_fields *fields,
                          struct flm_record_options *options, struct flm_text *library,
                          struct flm_error *why);

/* Where symbols are looked for: `dirs` were given on the command line; the paths are filled in, and
 * own what the options point to. */
bool flm_record_symbols_read(const struct flm_option_list *dirs, bool debuginfod,
                             struct flm_symbol_paths *paths, struct flm_record_options *options,
                             struct flm_error *why);

/* "10s", "500ms", "2m": a millisecond at least. `option` is its name, for what is said of others.
 */
bool flm_record_parse_time(const char *option, const char *text, int64_t *time_ns,
                           struct flm_error *why);

/* "4711,4712", or with a space or the end of a line between two: as many numbers as there are,
 * owned by the caller, also after a failure. */
bool flm_record_parse_ids(const char *option, const char *text, int32_t **ids, size_t *count,
                          struct flm_error *why);

/* How stacks are found: auto, dwarf, dwarf,BYTES, fp, lbr or none; NULL: auto. `stack_size`: -1
 * where it was not given. */
bool flm_record_parse_stacks(const char *word, int stack_size, struct flm_record_options *options,
                             struct flm_error *why);

/* The operands as a command that can be started: terminated by NULL, to be freed; the words are the
 * caller's. NULL, and `why`, when memory ran out. */
char **flm_record_command_of(char **words, int count, struct flm_error *why);

#endif
