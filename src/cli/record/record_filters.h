/* record_filters.h - what of a recording is kept: by thread, state and package. Each option is an
 * operation of --apply (flamel-expressions(7)) under a shorter name, so that what is left out of a
 * recording now can be left out of a complete one later.
 *
 *     --thread 'http-*'               thread:http-*
 *     --state runnable,blocked        state:runnable,blocked
 *     --include 'com.acme.*'          keep:com.acme.*      stacks that have such a frame
 *     --exclude 'java.*'              hide:java.*          these frames; their callees stay */
#ifndef FLAMEL_CLI_RECORD_RECORD_FILTERS_H
#define FLAMEL_CLI_RECORD_RECORD_FILTERS_H

#include "cli/common/options.h"
#include "flamel/profile.h"

struct flm_record_filters {
    const char *threads, *states, *include;
    struct flm_option_list exclude;
};

/* To be put into a command's table. */
#define FLM_RECORD_FILTER_OPTIONS(fields, member)                                                  \
    {"thread",        0,                                                                           \
     "NAMES",         "keep only threads with these names or numbers: 'http-*'",                   \
     FLM_OPTION_TEXT, offsetof(fields, member.threads)},                                           \
        {"state",         0,                                                                       \
         "STATES",        "keep only samples of threads in these states:\nrunnable,blocked",       \
         FLM_OPTION_TEXT, offsetof(fields, member.states)},                                        \
        {"include",       0,                                                                       \
         "PATTERN",       "keep only stacks with a matching frame: 'com.acme.*'",                  \
         FLM_OPTION_TEXT, offsetof(fields, member.include)},                                       \
    {                                                                                              \
        "exclude", 0, "PATTERN", "leave out matching frames, such as 'java.*'; may be repeated",   \
            FLM_OPTION_LIST, offsetof(fields, member.exclude)                                      \
    }

/* Whether any is given. */
bool flm_record_filters_given(const struct flm_record_filters *filters);

/* Whether they are well formed, before anything is recorded. */
bool flm_record_filters_check(const struct flm_record_filters *filters, struct flm_error *why);

/* Applies them in the order above to *profile, which is replaced. One that matches nothing is not
 * applied, and said with what there is: it would leave nothing of what was recorded. False, and
 * `why`, when one fails; *profile is then as it was. */
bool flm_record_filters_apply(const struct flm_record_filters *filters,
                              struct flm_profile **profile, struct flm_error *why);

#endif
