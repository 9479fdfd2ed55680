/* gate_more.h - what a gate says beside its table: what was renamed, what was moved, and what is
 * not significant. All add lines to `out`, or nothing. */
#ifndef FLAMEL_CLI_REPORT_GATE_MORE_H
#define FLAMEL_CLI_REPORT_GATE_MORE_H

#include "cli/report/gate_report.h"

/* Sentences, a line each: "Renamed: parse -> scan, no change." "Moved below main;parse: ..." "Of
 * the total and the frames that have 1 % of it, ..." */
void flm_gate_add_more(struct flm_text *out, const struct flm_gate_report *report);

/* For the verdict, in the form of its other reasons: why PASS, why INCONCLUSIVE. */
void flm_gate_add_significant(struct flm_text *out, const struct flm_gate_report *report);
void flm_gate_add_not_significant(struct flm_text *out, const struct flm_gate_report *report);

#endif
