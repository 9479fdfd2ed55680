/* gate_report.h - what a gate found, told: as plain text for the log of a job, as Markdown for a
 * comment, as JSON for programs, as JUnit XML for the page of a build.
 *
 * All of them say first what happened, in the same sentence; then what changed, then what these
 * runs could have found. */
#ifndef FLAMEL_CLI_REPORT_GATE_REPORT_H
#define FLAMEL_CLI_REPORT_GATE_REPORT_H

#include "draw/text/table.h"
#include "gate/verdict/gate.h"

struct flm_gate_report {
    const struct flm_runs *runs;
    const struct flm_gate_options *options;
    const struct flm_gate *gate; /* NULL: of runs that cannot be tested */
    struct flm_table_style look; /* of text */
    uint32_t rows;               /* items at most; 0: all; JSON has all */
    struct flm_text *out;
};

/* All add to `out`, which then says whether memory ran out. */
void flm_gate_text(const struct flm_gate_report *report);
void flm_gate_markdown(const struct flm_gate_report *report);
void flm_gate_json(const struct flm_gate_report *report);
void flm_gate_junit(const struct flm_gate_report *report);

/* For runs that cannot be tested: the difference of the totals, and the stacks that changed most.
 * False, and `why`, if memory ran out. */
bool flm_gate_text_difference(const struct flm_gate_report *report, struct flm_error *why);

/* ---- Sentences: gate_sentences.c ------------------------------------------------------------- */

/* "FAIL" ... */
const char *flm_verdict_name(enum flm_verdict verdict);

/* Without the name and without a full stop: "lex grew by 440 samples (4.88 % of base)". */
void flm_gate_add_verdict(struct flm_text *out, const struct flm_gate_report *report);

/* "9,019 samples in base (8 runs), 9,550 samples in new (8): +531 samples (+5.89 %)" */
void flm_gate_add_total(struct flm_text *out, const struct flm_gate_report *report, double base,
                        double new);

/* "grown, spread below": what happened to an item, in a few words. */
void flm_gate_add_kind(struct flm_text *out, const struct flm_gate_report *report,
                       const struct flm_item *item);

/* "+262 to +619": the unit only where it is part of the number ("+1.2 ms"). Nothing of REST. */
void flm_gate_add_interval(struct flm_text *out, const struct flm_gate_report *report,
                           const struct flm_item *item);

/* "a change of the total by 2.9 % is found in 80 of 100 gates; by 1 %: with about 70 runs ..." */
void flm_gate_add_detectable(struct flm_text *out, const struct flm_gate_report *report);

/* Sentences, each with a full stop: what was tested, how, and what a sample is. */
void flm_gate_add_method(struct flm_text *out, const struct flm_gate_report *report);

/* How many items are told, and what of noise: row 0 is that of the total. */
uint32_t flm_gate_shown(const struct flm_gate_report *report);
uint32_t flm_gate_noise_rows(const struct flm_gate_report *report);
const struct flm_noise_row *flm_gate_noise_row(const struct flm_gate_report *report, uint32_t row);

/* The cells of a row of noise: between runs, sampling, found from; the caller adds where. */
void flm_gate_add_noise_cells(struct flm_table *table, const struct flm_noise_row *row);

#endif
