/* thread_dumps_summary.h - what `flamel record --threads-of` prints when it is done: the top
 * functions, the rate, states, what dumps cost the VM, and what they cannot show. */
#ifndef FLAMEL_CLI_REPORT_THREAD_DUMPS_SUMMARY_H
#define FLAMEL_CLI_REPORT_THREAD_DUMPS_SUMMARY_H

#include "base/text/text.h"
#include "flamel/record.h"
#include "flamel/report.h"

struct flm_thread_dumps_summary {
    const struct flm_profile *profile;
    const struct flm_thread_dumps_result *result;
    int32_t process;
    double interval_s;
    const char *output;
    uint64_t output_size;
};

/* Text for people; one JSON object for programs. False, and `why`, if memory ran out. */
bool flm_thread_dumps_summary_text(const struct flm_thread_dumps_summary *summary,
                                   const struct flm_report_style *style, struct flm_text *out,
                                   struct flm_error *why);
bool flm_thread_dumps_summary_json(const struct flm_thread_dumps_summary *summary,
                                   struct flm_text *out, struct flm_error *why);

#endif
