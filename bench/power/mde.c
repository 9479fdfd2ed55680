/* mde.c - the smallest detectable change: are changes of the size that a gate calls detectable
 * found in four of five? */
#include <math.h>

#include "parts.h"
#include "table.h"

enum { MDE_LARGEST, MDE_HOT, MDE_WARM, MDE_TOTAL, MDES };

static const char *const mde_names[MDES] = {"32 %", "5 %", "3 %", "total"};

/* What the gate says of two groups of the same program. */
static void read_mde(const struct judged *j, const struct simulated_program *p, double *mde)
{
    const uint32_t places[] = {p->largest, p->hot, p->warm};
    for (int k = 0; k < MDES; k++)
        mde[k] = NAN;
    for (uint32_t i = 0; i < j->gate.noise.count; i++) {
        const struct flm_noise_row *row = &j->gate.noise.row[i];
        uint32_t node = simulated_node(j->runs.tree, j->gate.columns.key[row->column].node);
        for (int k = 0; k < MDE_TOTAL; k++)
            if (node == places[k])
                mde[k] = row->mde / row->mean;
    }
    mde[MDE_TOTAL] = j->gate.noise.total.mde / j->gate.noise.total.mean;
}

static bool total_is_found(const struct judged *j)
{
    uint32_t column = j->gate.columns.total_column[0];
    return j->gate.total.is_significant ||
           (column != FLM_NONE && j->gate.column[column].is_significant);
}

/* Results: for each, the power at what was stated for other runs of the same, and what it was. */
static void measure_mde(const struct experiment *e, uint64_t index, double *result)
{
    struct simulated_program p = simulated_program(seed_of(e->settings, SEED_PROGRAM, index));
    struct simulated_runs *s = simulate(e, &p, &p, seed_of(e->settings, SEED_RUNS, index));
    struct flm_gate_options how = options_of(e->settings, index);
    struct judged j;
    double mde[MDES];
    judge(&j, simulated_inputs(s), 2 * e->runs, &how);
    read_mde(&j, &p, mde);
    judged_clear(&j);
    simulated_runs_free(s);
    const uint32_t places[] = {p.largest, p.hot, p.warm};
    for (int k = 0; k < MDES; k++) {
        struct simulated_program grown = p;
        result[2 * k] = result[2 * k + 1] =
            NAN; /* it is not among the largest, so nothing is said */
        if (isnan(mde[k]))
            continue;
        if (k == MDE_TOTAL)
            simulated_grow(&grown, 0, 1 + mde[k]);
        else
            grown.mean[places[k]] *= 1 + mde[k];
        s = simulate(e, &p, &grown, seed_of(e->settings, SEED_AGAIN + 16 * (uint64_t)k, index));
        judge(&j, simulated_inputs(s), 2 * e->runs, &how);
        result[2 * k] = k == MDE_TOTAL ? total_is_found(&j)
                                       : simulated_is_significant(&j.gate, &j.runs, places[k]);
        result[2 * k + 1] = mde[k];
        judged_clear(&j);
        simulated_runs_free(s);
    }
}

bool part_mde(const struct settings *s)
{
    static const char *const columns[] = {"stated", "found", NULL};
    static const uint32_t runs[] = {30, 10};
    struct table table = table_open(s, "mde", columns);
    for (int noise = SIMULATED_UNEVEN; noise <= SIMULATED_OUTLIERS; noise++) {
        for (size_t r = 0; r < 2; r++) {
            struct experiment e = {
                .settings = s, .machine = {(enum simulated_noise)noise, 0, 0}, .runs = runs[r]};
            struct share share[2 * MDES];
            char name[MDES][100];
            for (int k = 0; k < MDES; k++)
                snprintf(name[k], sizeof name[k], "%u + %u, %s, %s", runs[r], runs[r],
                         noise_names[noise], mde_names[k]);
            if (!table_begins(&table, name[0]))
                continue;
            /* Four rows of one measurement; the first one has its time. */
            try_all(&e, 2 * MDES, measure_mde, share);
            for (int k = 0; k < MDES; k++)
                if (k == 0 || table_begins(&table, name[k]))
                    table_row(&table, (const struct share[]){share[2 * k + 1], share[2 * k]}, "");
        }
    }
    table_close(&table);
    return true;
}
