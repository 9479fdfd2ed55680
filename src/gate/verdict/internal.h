/* internal.h - a gate on its way: shared by gate.c, which tests, and decide.c, which judges. */
#ifndef FLAMEL_GATE_VERDICT_INTERNAL_H
#define FLAMEL_GATE_VERDICT_INTERNAL_H

#include "gate/verdict/gate.h"

/* Runs that a column must be in. */
enum { FLM_GATE_LEAST_RUNS = 3 };

/* With fewer runs on a side nothing is known of its noise: 4 + 50 runs of one program that differ
 * in noise can be told apart however the test is made. */
enum { FLM_GATE_LEAST_OF_SIDE = 5 };

struct flm_judging {
    struct flm_gate *gate;
    const struct flm_runs *runs;
    const struct flm_gate_options *options;
    unsigned char *is_new; /* by run */
    struct flm_permutations permutations;
    struct flm_error *why;

    /* By size a run of new is so many times as large as one of base, with an interval of that;
     * logarithms. */
    double size, size_width;
    double reference; /* fixed_total.h */
};

/* The smallest change that fails. */
double flm_gate_least_change(const struct flm_judging *j);

/* The items of the significant columns; false when memory ran out. */
bool flm_gate_find_items(struct flm_judging *j);

/* The verdict of what was tested. */
void flm_gate_decide(struct flm_judging *j);

/* Of FAIL: items that are large enough by themselves; where none is, those that are part of one
 * that is. False when memory ran out. */
bool flm_gate_mark_failing(struct flm_judging *j);

#endif
