/* record_summary.h - what `flamel record` says when it is done: what it found, how well it was
 * recorded, and how to look at it. */
#ifndef FLAMEL_CLI_REPORT_RECORD_SUMMARY_H
#define FLAMEL_CLI_REPORT_RECORD_SUMMARY_H

#include "base/text/text.h"
#include "draw/text/table.h"
#include "flamel/record.h"

struct flm_record_summary {
    const struct flm_profile *profile;
    struct flm_record_result result;
    const char *command; /* NULL: there was none */
    bool goes_on;        /* the command runs on */
    const char *output;
    uint64_t output_size;
    const char *spool; /* that was kept; NULL: none */
    double finish_s;   /* from the end of recording to the finished file */
};

/* Text for people; one JSON object for programs. False, and `why`, if memory ran out. */
bool flm_record_summary_text(const struct flm_record_summary *summary,
                             const struct flm_table_style *look, struct flm_text *out,
                             struct flm_error *why);
bool flm_record_summary_json(const struct flm_record_summary *summary, struct flm_text *out,
                             struct flm_error *why);

/* How a command ended, as waitpid has it: "ended with status 3". */
void flm_exit_status_add(struct flm_text *out, int status);

#endif
