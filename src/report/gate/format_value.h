/* format_value.h - numbers and stacks in the sentences of verdicts: of `flamel gate`, `flamel
 * series`. */
#ifndef FLAMEL_REPORT_GATE_FORMAT_VALUE_H
#define FLAMEL_REPORT_GATE_FORMAT_VALUE_H

#include "base/text/text.h"
#include "gate/runs/runs.h"

struct flm_bytes flm_runs_unit(const struct flm_runs *runs);

/* A mean of counts without digits that say nothing: whole, or three digits. */
double flm_format_mean(double value);

/* In the unit of the runs: "1.24 s"; with a sign: "+1.24 s", "0 ns". */
void flm_format_quantity(struct flm_text *out, const struct flm_runs *runs, double value);
void flm_format_signed(struct flm_text *out, const struct flm_runs *runs, double value);

/* "+12 %"; "of 0" where `whole` is nothing. */
void flm_format_share(struct flm_text *out, double value, double whole);

/* So many digits that are not 0: "0.0019". */
void flm_format_rounded(struct flm_text *out, double value, int digits);

/* Of a share, with two digits: "0.1 %". */
void flm_format_percent(struct flm_text *out, double share);

/* "main;parse;lex" */
void flm_format_stack(struct flm_text *out, const struct flm_profile *tree, uint32_t node);

#endif
