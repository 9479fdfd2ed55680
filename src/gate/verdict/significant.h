/* significant.h - which part of a change is significant, stack by stack: for pictures.
 *
 *     stack                base  new   explained by           lost  gained
 *     main;parse;lex       3800  4240  itself                 0     440
 *     main;write           910   940   nothing: noise         0     0
 *     main;encode;a        100   112   encode, spread         0     12
 *     main;encode;b        90    88    encode, spread         2     0
 *
 * It is the difference of the means, of those stacks that are explained: by an item of their own
 * (SELF), or by one of a node that they are below (SPREAD, REST). Below such a node no stack is
 * significant by itself, but all of them together are. Where the total alone has changed, that is
 * all. So below every item the two columns add up to its change in the report.
 *
 * A viewer shows both sides as two profiles, "before" and "after", each with the means and with its
 * part of the significant change: before has the loss, after the gain (comparison.h). */
#ifndef FLAMEL_GATE_VERDICT_SIGNIFICANT_H
#define FLAMEL_GATE_VERDICT_SIGNIFICANT_H

#include "gate/verdict/gate.h"
#include "gate/verdict/paper.h"

struct flm_significant {
    double *lost, *gained; /* by node, not below 0; owned */
};
bool flm_significant_init(struct flm_significant *significant, const struct flm_runs *runs,
                          const struct flm_gate *gate, struct flm_error *why);

/* By the test of the paper: the stacks that are responsible. */
bool flm_significant_init_paper(struct flm_significant *significant, const struct flm_runs *runs,
                                const struct flm_paper *paper, struct flm_error *why);
void flm_significant_clear(struct flm_significant *significant);

/* One side: the metric of the runs, FLM_METRIC_SIGNIFICANT, and the note FLM_NOTE_VERDICT. NULL,
 * and `why`, if memory ran out. */
struct flm_profile *flm_significant_side(const struct flm_significant *significant,
                                         const struct flm_runs *runs, bool of_new,
                                         struct flm_bytes verdict, struct flm_error *why);

#endif
