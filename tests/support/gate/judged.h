/* judged.h - gates with small numbers of permutations, for tests of verdicts: of a table of runs,
 * and of many sets of simulated sides. */
#ifndef FLAMEL_TESTS_SUPPORT_GATE_JUDGED_H
#define FLAMEL_TESTS_SUPPORT_GATE_JUDGED_H

#include "gate/verdict/gate.h"
#include "support/gate/runs.h"
#include "support/gate/simulated_sides.h"

struct judged {
    struct table_of_runs table;
    struct flm_runs runs;
    struct flm_gate gate;
};

/* The usual options, with alpha 5 %, 999 permutations and one thread. */
struct flm_gate_options judged_usual(void);

/* Takes the table. The test fails when it cannot be judged. */
struct judged judged_table(struct table_of_runs table, struct flm_gate_options how);
void judged_clear(struct judged *judged);

/* Of so many sets, with alpha 5 % and 199 permutations: the verdicts, in how many the total was
 * recognized as fixed, and in how many anything is significant. */
struct judged_sets {
    unsigned count[FLM_VERDICT_INCONCLUSIVE + 1], fixed, found;
};
struct judged_sets judged_sides(const struct simulated_sides_options *options, unsigned sets,
                                uint64_t first_seed);

#endif
