/* sequential.c - three looks, at 8 + 8, 16 + 16 and 24 + 24 runs in blocks, each at its part of
 * alpha. */
#include "stats/sequential.h"
#include "parts.h"
#include "table.h"

enum { LOOKS = 3 };

/* Results: found at the first look, by the second, by the third; and by the third where each look
 * takes all of alpha. */
static void measure_looks(const struct experiment *e, uint64_t index, double *result)
{
    struct simulated_program base = simulated_program(seed_of(e->settings, SEED_PROGRAM, index));
    struct simulated_program new = simulated_changed(&base, e->change);
    struct simulated_runs *s =
        simulate(e, &base, &new, seed_of(e->settings, SEED_RUNS + 16 * (uint64_t)e->change, index));
    for (uint32_t spending = 0; spending < 2; spending++) {
        struct flm_gate_options how = options_of(e->settings, index);
        bool is_found = false;
        if (spending == 0)
            how.alpha = flm_pocock_level(how.alpha, LOOKS);
        for (uint32_t look = 1; look <= LOOKS; look++) {
            struct judged j;
            judge(&j, simulated_inputs(s), 2 * e->runs * look / LOOKS, &how);
            is_found |= simulated_verdict(&j.gate, &j.runs, &base, e->change).is_found;
            judged_clear(&j);
            if (spending == 0)
                result[look - 1] = is_found;
        }
        if (spending == 1)
            result[LOOKS] = is_found;
    }
    simulated_runs_free(s);
}

bool part_sequential(const struct settings *s)
{
    static const char *const columns[] = {"by the first", "by the second", "by the third",
                                          "all of alpha each time", NULL};
    static const enum simulated_change tried[] = {SIMULATED_NONE, SIMULATED_HOT, SIMULATED_APPEAR,
                                                  SIMULATED_DIFFUSE};
    struct table table = table_open(s, "sequential", columns);
    for (size_t c = 0; c < sizeof tried / sizeof tried[0]; c++) {
        if (!is_asked(s, (int)tried[c]) || !table_begins(&table, change_names[tried[c]]))
            continue;
        struct experiment e = {.settings = s,
                               .change = tried[c],
                               .machine = {SIMULATED_UNEVEN, SIMULATED_ABBA, 0},
                               .runs = 24};
        struct share share[LOOKS + 1];
        try_all(&e, LOOKS + 1, measure_looks, share);
        table_row(&table, share, "");
    }
    table_close(&table);
    return true;
}
