/* exact.h - metrics that have no noise: instructions, allocations, calls. Two runs of one program
 * have the same values, so one on each side is enough, and every change is real.
 *
 * That there is no noise is seen where there are several runs on a side: they have to agree, stack
 * by stack and to the last digit. */
#ifndef FLAMEL_GATE_VERDICT_EXACT_H
#define FLAMEL_GATE_VERDICT_EXACT_H

#include "gate/runs/runs.h"

/* False, and `why`, with the run that differs most from the first of its side and by how much, when
 * they do not agree; and when a side has no run. */
bool flm_runs_agree(const struct flm_runs *runs, struct flm_error *why);

#endif
