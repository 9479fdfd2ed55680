/* gate_words.h - numbers and places in the words of verdicts: of `flamel gate`, `flamel series`. */
#ifndef FLAMEL_CLI_REPORT_GATE_WORDS_H
#define FLAMEL_CLI_REPORT_GATE_WORDS_H

#include "base/text/text.h"
#include "gate/runs/runs.h"

struct flm_bytes flm_runs_unit(const struct flm_runs *runs);

/* A mean of counts as it is worth telling: whole, or three digits. */
double flm_words_mean(double value);

/* In the unit of the runs: "1.24 s"; with a sign: "+1.24 s", "0 ns". */
void flm_words_quantity(struct flm_text *out, const struct flm_runs *runs, double value);
void flm_words_signed(struct flm_text *out, const struct flm_runs *runs, double value);

/* "+12 %"; "of 0" where `whole` is nothing. */
void flm_words_share(struct flm_text *out, double value, double whole);

/* So many digits that are not 0: "0.0019". */
void flm_words_rounded(struct flm_text *out, double value, int digits);

/* Of a share, with two digits: "0.1 %". */
void flm_words_percent(struct flm_text *out, double share);

/* "main;parse;lex" */
void flm_words_stack(struct flm_text *out, const struct flm_profile *tree, uint32_t node);

#endif
