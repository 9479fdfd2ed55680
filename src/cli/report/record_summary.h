/* record_summary.h - what `flamel record` prints when it is done: the top functions, data quality
 * (rate, losses, truncated stacks, symbols), and how to view the profile. */
#ifndef FLAMEL_CLI_REPORT_RECORD_SUMMARY_H
#define FLAMEL_CLI_REPORT_RECORD_SUMMARY_H

#include "base/text/text.h"
#include "flamel/record.h"
#include "flamel/report.h"

struct flm_record_summary {
    const struct flm_profile *profile;
    struct flm_record_result result;
    const char *command; /* NULL: none */
    bool still_runs;     /* so does the command */
    bool off_cpu;        /* off-CPU time was recorded too */
    const char *output;
    bool kept_previous;     /* nothing was sampled, and `output` is still the file from before */
    bool replaced_previous; /* nor was anything, but it is written; OUTPUT.old is from before */
    uint64_t output_size;
    const char *spool;     /* kept, where asked for; NULL: none */
    uint32_t filtered_out; /* samples that are not in the profile, for --thread, --state ... */
    double finish_s;       /* from the end of recording to the finished file */
};

/* Text for people; one JSON object for programs. False, and `why`, if memory ran out. */
bool flm_record_summary_text(const struct flm_record_summary *summary,
                             const struct flm_report_style *style, struct flm_text *out,
                             struct flm_error *why);
bool flm_record_summary_json(const struct flm_record_summary *summary, struct flm_text *out,
                             struct flm_error *why);

/* How a command ended, as waitpid has it: "ended with status 3". */
void flm_exit_status_add(struct flm_text *out, int status);

#endif
