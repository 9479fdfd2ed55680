/* gate_ab.h - `flamel gate --ab`: records the runs first, and, with several looks, records more of
 * them until a change is significant.
 *
 *     flm_gate_ab_open       options checked, before anything is recorded
 *     flm_gate_ab_record     the runs of the next look; ab.run has all so far     ab.h
 *     tested at flm_gate_ab_level; a significant change ends it      stats/sequential.h
 *     ... */
#ifndef FLAMEL_CLI_GATE_GATE_AB_H
#define FLAMEL_CLI_GATE_GATE_AB_H

#include "cli/common/load_options.h"
#include "cli/common/record_options.h"
#include "cli/gate/ab.h"

struct flm_gate_ab_fields {
    struct flm_option_words commands;
    int runs, warm_up, looks; /* -1: not given */
    bool sequential;
    const char *folder, *processors, *duration;
    struct flm_record_fields record;
};

#define FLM_GATE_AB_FIELDS_UNSET                                                                   \
    {                                                                                              \
        .runs = -1, .warm_up = -1, .looks = -1, .record = FLM_RECORD_FIELDS_UNSET                  \
    }

/* To be put into the command's table. */
#define FLM_GATE_AB_OPTIONS(fields, member)                                                        \
    {"", 0, NULL, "recording the runs first:", FLM_OPTION_TITLE, 0},                               \
        {"ab",                                                                                     \
         0,                                                                                        \
         "COMMAND...",                                                                             \
         "record two commands alternately, the old and the new one, each quoted as one argument, " \
         "and test these runs",                                                                    \
         FLM_OPTION_WORDS,                                                                         \
         offsetof(fields, member.commands)},                                                       \
        {"runs",                                                                                   \
         'n',                                                                                      \
         "N",                                                                                      \
         "runs of each command (default: 20, or 8 per look)",                                      \
         FLM_OPTION_COUNT,                                                                         \
         offsetof(fields, member.runs)},                                                           \
        {"warm-up",                                                                                \
         0,                                                                                        \
         "N",                                                                                      \
         "warm-up runs of each, which do not count (default: 1)",                                  \
         FLM_OPTION_COUNT,                                                                         \
         offsetof(fields, member.warm_up)},                                                        \
        {"sequential",                                                                             \
         0,                                                                                        \
         NULL,                                                                                     \
         "test after 8, 16 and 24 runs of each, and stop when a change "                           \
         "is significant",                                                                         \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.sequential)},                                                     \
        {"looks",                                                                                  \
         0,                                                                                        \
         "N",                                                                                      \
         "the same with at most N tests",                                                          \
         FLM_OPTION_COUNT,                                                                         \
         offsetof(fields, member.looks)},                                                          \
        {"keep",          0,                                                                       \
         "DIR",           "folder for the runs (default: flamel-ab, whose runs are replaced)",     \
         FLM_OPTION_TEXT, offsetof(fields, member.folder)},                                        \
        {"processors",    0,                                                                       \
         "LIST",          "CPUs that the commands may use: 2, or 2-3,6",                           \
         FLM_OPTION_TEXT, offsetof(fields, member.processors)},                                    \
        {"duration",      'd',                                                                     \
         "TIME",          "stop each run after TIME: 10s, 500ms",                                  \
         FLM_OPTION_TEXT, offsetof(fields, member.duration)},                                      \
        FLM_RECORD_OPTIONS(fields, member.record)

struct flm_gate_ab {
    struct flm_ab ab;
    struct flm_record_options recorder;
    struct flm_symbol_paths paths;
    uint32_t runs_each; /* at each look */
    uint32_t looks, look_count;
};

/* Whether an option is given that needs --ab. */
bool flm_gate_ab_is_given(const struct flm_gate_ab_fields *fields);

/* `load` has options that recording has too: symbols. `alpha` 0: no p is needed, so that few runs
 * will do. `allows_failed`: runs whose command fails count like others. False, and `why`; to be
 * cleared in any case. */
bool flm_gate_ab_open(struct flm_gate_ab *gate, const struct flm_gate_ab_fields *fields,
                      const struct flm_load_fields *load, double alpha, bool allows_failed,
                      struct flm_error *why);
void flm_gate_ab_clear(struct flm_gate_ab *gate);

/* False, and `why`, when a run failed. */
bool flm_gate_ab_record(struct flm_gate_ab *gate, struct flm_error *why);

/* The alpha of each look, so that all of them together have `alpha`. */
double flm_gate_ab_level(const struct flm_gate_ab *gate, double alpha);

#endif
