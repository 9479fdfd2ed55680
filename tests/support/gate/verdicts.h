/* verdicts.h - gates for tests of their reports: eight runs of each side, which vary by 2 %.
 *
 *     main;a 1000 1000
 *     main;b 100 150            means of base and new */
#ifndef FLAMEL_TESTS_SUPPORT_GATE_VERDICTS_H
#define FLAMEL_TESTS_SUPPORT_GATE_VERDICTS_H

#include "report/gate/gate_report.h"
#include "support/gate/runs.h"

struct verdict {
    struct table_of_runs table;
    struct flm_runs runs;
    struct flm_gate_options options;
    struct flm_gate gate;
    struct flm_gate_report report;
};

/* The test fails when they cannot be judged. `options` NULL: the defaults. In place: the parts know
 * each other. */
void verdict_init(struct verdict *verdict, const char *means,
                  const struct flm_gate_options *options);
void verdict_clear(struct verdict *verdict);

/* The report in a form (enum flm_report_form, or JUnit); terminated, freed by the caller. The test
 * fails when memory ran out. */
enum { VERDICT_JUNIT = -1 };
char *verdict_written(struct verdict *verdict, int form);

/* Names that every form has something against: in Markdown, HTML, XML, JSON, terminals. */
extern const char verdict_of_odd_names[];

#endif
