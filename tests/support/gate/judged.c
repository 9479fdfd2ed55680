#include "support/gate/judged.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/gate/simulated_verdict.h"

struct flm_gate_options judged_usual(void)
{
    struct flm_gate_options how = flm_gate_defaults();
    how.permutations = 999;
    how.threads = 1;
    how.alpha = 0.05;
    return how;
}

struct judged judged_table(struct table_of_runs table, struct flm_gate_options how)
{
    struct judged judged = {.table = table};
    struct flm_error why = {0};
    judged.runs = runs_of_table(&judged.table);
    if (!flm_gate_init(&judged.gate, &judged.runs, &how, &why))
        fail_msg("%s", why.text);
    return judged;
}

void judged_clear(struct judged *judged)
{
    flm_gate_clear(&judged->gate);
    flm_runs_clear(&judged->runs);
    runs_table_clear(&judged->table);
}

struct judged_sets judged_sides(const struct simulated_sides_options *options, unsigned sets,
                                uint64_t first_seed)
{
    struct judged_sets all = {0};
    for (unsigned i = 0; i < sets; i++) {
        struct flm_gate_options how = judged_usual();
        struct flm_runs runs;
        struct flm_gate gate;
        how.permutations = 199;
        how.seed = i + 1;
        struct simulated_sides *s = simulated_sides_new(options, first_seed + i);
        assert_non_null(s);
        assert_true(flm_runs_init(&runs, simulated_sides_inputs(s),
                                  options->base.runs + options->new.runs, NULL, NULL));
        assert_true(flm_gate_init(&gate, &runs, &how, NULL));
        all.count[gate.verdict]++;
        all.fixed += gate.total_is_fixed;
        all.found += simulated_any_is_significant(&gate);
        flm_gate_clear(&gate);
        flm_runs_clear(&runs);
        simulated_sides_free(s);
    }
    return all;
}
