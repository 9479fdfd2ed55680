/* internal.h - shared by the reports of several profiles: runs over one tree; numbers and stacks in
 * sentences. */
#ifndef FLAMEL_REPORT_GATE_INTERNAL_H
#define FLAMEL_REPORT_GATE_INTERNAL_H

#include "base/text/text.h"
#include "flamel/compare.h"
#include "gate/runs/runs.h"
#include "report/core/blocks.h"

/* ---- Runs: run_set.c ------------------------------------------------------------------------- */

struct flm_run_set {
    struct flm_runs runs; /* in their order */
    char **names;         /* by run; owned */
    char (*dates)[21];    /* by run: "2026-11-20T17:58:21Z", or "" */
    enum flm_run_order order;
    uint32_t undated; /* runs without a date, where the order that was wanted needs one */
};

/* ---- Parts of a report: format_value.c ------------------------------------------------------- */

/* Of each node of the runs' tree; the caller frees it. NULL, and `why`, if memory ran out. */
uint32_t *flm_runs_parents(const struct flm_runs *runs, struct flm_error *why);

struct flm_bytes flm_runs_metric_name(const struct flm_runs *runs);
struct flm_bytes flm_runs_unit(const struct flm_runs *runs);

/* Columns in the order of `names`, NULL at the end. */
void flm_report_add_columns(struct flm_report *report, const char *const *names, unsigned forms);

/* The next cell: the stack of a node; null of FLM_NONE. */
void flm_report_cell_node(struct flm_report *report, const struct flm_runs *runs,
                          const uint32_t *parent, uint32_t node);

/* ---- Sentences: format_value.c --------------------------------------------------------------- */

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

struct flm_bytes flm_text_bytes(const struct flm_text *text);

/* "main;parse;lex" */
void flm_format_stack(struct flm_text *out, const struct flm_profile *tree, uint32_t node);

/* For sentences: only its innermost functions, where it is long. */
void flm_format_short_stack(struct flm_text *out, const struct flm_profile *tree, uint32_t node);

/* "old" and "new", of other runs, that are compared as the same: a sentence. */
void flm_format_same_names(struct flm_text *out, const struct flm_same_paths *same);

/* "9,019 samples in base (8 runs), 9,550 samples in new (8): +531 samples (+5.89 %)" */
void flm_format_totals(struct flm_text *out, const struct flm_runs *runs, double base, double new);

#endif
