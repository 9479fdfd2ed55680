/* gate_paper.h - what `flamel gate --method=paper` says: the verdict, the test, and the stacks that
 * are responsible. */
#ifndef FLAMEL_CLI_REPORT_GATE_PAPER_H
#define FLAMEL_CLI_REPORT_GATE_PAPER_H

#include "draw/text/table.h"
#include "gate/verdict/paper.h"

struct flm_gate_paper_text {
    const struct flm_runs *runs;
    const struct flm_paper_options *options;
    struct flm_table_style look;
    uint32_t rows; /* stacks at most; 0: all */
    struct flm_text *out;
};

/* Adds to `out`, which then says whether memory ran out; false then too. */
bool flm_gate_paper_write(const struct flm_gate_paper_text *text, const struct flm_paper *paper);

#endif
