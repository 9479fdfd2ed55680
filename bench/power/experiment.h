/* experiment.h - the same experiment with many sets of simulated profiles, and shares of them.
 *
 * A set is a number: seeds of its program, of its runs and of the permutations come from it, so it
 * is the same in every row that has the same kind, and whatever thread takes it. */
#ifndef FLAMEL_BENCH_POWER_EXPERIMENT_H
#define FLAMEL_BENCH_POWER_EXPERIMENT_H

#include "gate/verdict/gate.h"
#include "support/gate/simulated_verdict.h"

struct settings {
    uint32_t data_sets, permutations, runs; /* runs 0: what the part says */
    int noise, change, row;                 /* -1: all */
    double alpha;
    uint64_t seed;
    int threads;
    const char *rows; /* a folder; NULL: nothing is written */
};

extern const char *const change_names[]; /* by enum simulated_change */
extern const char *const noise_names[];  /* by enum simulated_noise */
enum { CHANGES = SIMULATED_RENAME + 1, NOISES = SIMULATED_NESTED + 1 };

/* Ends the program. */
void stop(const char *why);

/* Seeds of what belongs to data set `index` of a kind, far apart from each other. Sides have the
 * kinds from SEED_SIDES on. */
enum { SEED_PROGRAM, SEED_RUNS, SEED_PERMUTATIONS, SEED_AGAIN, SEED_SIDES = 1000 };
uint64_t seed_of(const struct settings *s, uint64_t kind, uint64_t index);

struct experiment {
    const struct settings *settings;
    enum simulated_change change;
    struct simulated_machine machine;
    uint32_t runs;     /* in each group */
    const void *sides; /* struct simulated_sides_options, in parts that are about those */
    uint64_t kind;     /* of their seeds */
};

struct flm_gate_options options_of(const struct settings *s, uint64_t index);

/* What is judged, and the verdict. */
struct judged {
    struct flm_runs runs;
    struct flm_gate gate;
};
void judge(struct judged *j, const struct flm_run_input *inputs, uint32_t count,
           const struct flm_gate_options *how);
void judged_clear(struct judged *j);

struct simulated_runs *simulate(const struct experiment *e, const struct simulated_program *base,
                                const struct simulated_program *new, uint64_t seed);

/* Of data set `index`, as the experiment says. */
struct simulated_verdict try_change(const struct experiment *e, uint64_t index);

/* A mean of data sets, and its 95 % confidence interval: that of Wilson ("Probable inference, the
 * law of succession, and statistical inference", 1927) where all values are 0 or 1, of the normal
 * distribution elsewhere. */
struct share {
    double mean, low, high;
};

/* `one` writes `width` results of a data set, NaN where there is none; `share` has as many. */
typedef void (*measuring)(const struct experiment *e, uint64_t index, double *result);
void try_all(const struct experiment *e, uint32_t width, measuring one, struct share *share);

bool is_asked(const struct settings *s, int change);

#endif
