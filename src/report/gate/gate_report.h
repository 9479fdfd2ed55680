/* gate_report.h - the report of a gate: what happened, in one sentence; then what changed, then
 * what these runs could have found.
 *
 *     gate_report.c     as a report (flamel/report.h): text for the log of a job, Markdown for a
 *                       comment, JSON for programs
 *     gate_tables.c     its tables that only programs get
 *     paper_report.c    the same of the test of the paper
 *     difference.c      of runs that cannot be tested
 *     junit.c           as JUnit XML, for the page of a build
 *     sentences.c       the sentences of all */
#ifndef FLAMEL_REPORT_GATE_GATE_REPORT_H
#define FLAMEL_REPORT_GATE_GATE_REPORT_H

#include "flamel/report.h"
#include "gate/verdict/gate.h"
#include "gate/verdict/paper.h"
#include "report/core/blocks.h"

struct flm_gate_report {
    const struct flm_runs *runs;
    const struct flm_gate_options *options;
    const struct flm_gate *gate;
    uint32_t rows; /* items at most; 0: all; JSON has all */
};

/* Tables "items", "renames", "moves", "significant", "base", "new", in JSON documented by
 * flamel-gate(1). */
struct flm_report *flm_gate_report_make(const struct flm_gate_report *gate, struct flm_error *why);

/* The test of the paper. Tables "items", "base", "new"; `rows` as above. */
struct flm_report *flm_paper_report_make(const struct flm_runs *runs, const struct flm_paper *paper,
                                         const struct flm_paper_options *options, uint32_t rows,
                                         struct flm_error *why);

/* Of runs that cannot be tested: the difference of the totals, and the stacks that changed most,
 * `rows` of them at most (0: all). Table "stacks". */
struct flm_report *flm_gate_report_difference(const struct flm_runs *runs, uint32_t rows,
                                              struct flm_error *why);

/* A report on its way. */
struct flm_gate_making {
    const struct flm_gate_report *r;
    struct flm_report *report;
    uint32_t *parent; /* of the nodes of the tree */
};

/* Its tables for programs (gate_tables.c): renames, moves, tolerance, significant columns; and the
 * options, the test and the runs. */
void flm_gate_add_change_tables(const struct flm_gate_making *m);
void flm_gate_add_test_tables(const struct flm_gate_making *m);

/* A change as a share of base's total. */
double flm_gate_share(const struct flm_gate_making *m, double change);

/* The objects that the reports of every method begin with: "total" with base, new, change and
 * share; "options" with alpha, side and min_effect. The caller adds what its method has beyond
 * these, and ends the object. */
void flm_gate_begin_total(struct flm_report *report, enum flm_json_shape shape, double base,
                          double new);
void flm_gate_begin_options(struct flm_report *report, double alpha, enum flm_side side,
                            double min_effect);

/* Facts "metric", and tables "base" and "new" with the columns file, total and, where they are not
 * NULL, size and block. */
void flm_gate_add_metric(struct flm_report *report, const struct flm_runs *runs, double sample);
void flm_gate_add_runs(struct flm_report *report, const struct flm_runs *runs,
                       const double *size_factor);

/* Adds to `out`, which then says whether memory ran out. */
void flm_gate_junit(const struct flm_gate_report *report, struct flm_text *out);
void flm_paper_junit(const struct flm_runs *runs, const struct flm_paper *paper,
                     const struct flm_paper_options *options, struct flm_text *out);

/* ---- Sentences: sentences.c ------------------------------------------------------------------ */

/* "FAIL" ... */
const char *flm_verdict_name(enum flm_verdict verdict);

/* Without the name and without a full stop: "lex grew by 440 samples (4.88 % of base)". */
void flm_gate_add_verdict(struct flm_text *out, const struct flm_gate_report *report);

void flm_paper_add_verdict(struct flm_text *out, const struct flm_paper *paper,
                           const struct flm_paper_options *options);

/* "grown, spread below": the kind of change of an item. */
void flm_gate_add_kind(struct flm_text *out, const struct flm_gate_report *report,
                       const struct flm_item *item);

/* "+262 to +619": the unit only where it is part of the number ("+1.2 ms"). Nothing of REST. */
void flm_gate_add_interval(struct flm_text *out, const struct flm_gate_report *report,
                           const struct flm_item *item);

/* "MDE: the minimum detectable effect, at a power of 80 %. To detect 1 % of the total ..." */
void flm_gate_add_detectable(struct flm_text *out, const struct flm_gate_report *report);

/* Sentences, each with a full stop: the columns, the test, the size of a sample. */
void flm_gate_add_method(struct flm_text *out, const struct flm_gate_report *report);

/* Sentences, a line each: "Renamed: parse -> scan, no change." "Moved below main;parse: ..." "Of
 * the total and the frames that have 1 % of it, ..." Or nothing. */
void flm_gate_add_more(struct flm_text *out, const struct flm_gate_report *report);

/* For the verdict, in the form of its other reasons: why PASS, why INCONCLUSIVE. */
void flm_gate_add_significant(struct flm_text *out, const struct flm_gate_report *report);
void flm_gate_add_not_significant(struct flm_text *out, const struct flm_gate_report *report);

#endif
