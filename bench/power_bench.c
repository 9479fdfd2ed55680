/* power_bench.c - how often the gate is wrong when nothing changed, and how often it finds what
 * did: on profiles whose changes are known, because they are simulated
 * (tests/support/gate/simulated_runs.h).
 *
 *     power_bench [OPTION VALUE]... [PART]...
 *
 *     --data-sets N     of each change: 200; twice as many without any
 *     --permutations N    999
 *     --runs N          in each group: 30 and 10
 *     --change NAME     null, big10, small30 ...: all
 *     --noise NAME      pois, nb, nbout, nested: all but pois
 *     --row N           of the part `sides`, from 1: all
 *     --alpha P         0.05
 *     --seed N          1
 *     --threads N       all processors
 *
 *     power        false positive rate and power
 *     mde          changes of the size that a gate calls detectable: found in four of five?
 *     blocks       a machine that drifts: base first, alternately, permuted inside of blocks
 *     sequential   three looks, each at its part of alpha
 *     sides        sides of unequal size and noise, improvements, recordings of a fixed time, noise
 *                  that is not normal, three stacks, twenty thousand (simulated_sides.h)
 *     series       change points in 60 runs
 *
 * Each data set is a program of its own, other subtrees that move together, other noise, and other
 * permutations: what is measured is the gate, not its luck with one tree. Behind each share is its
 * standard error, in percent of data sets as the share is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/verdict/gate.h"
#include "gate/verdict/series.h"
#include "os/threads.h"
#include "stats/random.h"
#include "stats/sequential.h"
#include "support/gate/simulated_sides.h"
#include "support/gate/simulated_verdict.h"

struct settings {
    uint32_t data_sets, permutations, runs;
    int noise, change, row; /* -1: all */
    double alpha;
    uint64_t seed;
    int threads;
};

static const char *const changes[] = {
    [SIMULATED_NONE] = "null",     [SIMULATED_HOT] = "big10",       [SIMULATED_SMALL] = "small30",
    [SIMULATED_APPEAR] = "appear", [SIMULATED_DIFFUSE] = "diffuse", [SIMULATED_SHIFT] = "shift",
    [SIMULATED_ALL] = "global2",   [SIMULATED_GONE] = "gone",       [SIMULATED_MIXED] = "mixed",
    [SIMULATED_RENAME] = "rename",
};
enum { CHANGES = sizeof changes / sizeof changes[0] };

static const char *const noises[] = {"pois", "nb", "nbout", "nested"};
enum { NOISES = sizeof noises / sizeof noises[0] };

/* ---- One data set ---------------------------------------------------------------------------- */

static void stop(const char *why)
{
    fprintf(stderr, "power_bench: %s\n", why);
    exit(1);
}

/* Seeds of what belongs to data set `index` of a kind, far apart from each other. */
static uint64_t seed_of(const struct settings *s, uint64_t kind, uint64_t index)
{
    struct flm_random random = {s->seed * 0x9E3779B97F4A7C15 + kind};
    random.state = flm_random_next(&random) + index;
    return flm_random_next(&random);
}

enum { SEED_PROGRAM, SEED_RUNS, SEED_PERMUTATIONS, SEED_AGAIN };

struct experiment {
    const struct settings *settings;
    enum simulated_change change;
    struct simulated_machine machine;
    uint32_t runs; /* in each group */
};

static struct flm_gate_options options_of(const struct experiment *e, uint64_t index)
{
    struct flm_gate_options how = flm_gate_defaults();
    how.alpha = e->settings->alpha;
    how.permutations = e->settings->permutations;
    how.seed = seed_of(e->settings, SEED_PERMUTATIONS, index);
    how.threads = 1;
    return how;
}

/* What is judged, and the verdict. */
struct judged {
    struct flm_runs runs;
    struct flm_gate gate;
};

static void judge(struct judged *j, const struct flm_run_input *inputs, uint32_t count,
                  const struct flm_gate_options *how)
{
    struct flm_error why = {0};
    if (!flm_runs_init(&j->runs, inputs, count, NULL, &why) ||
        !flm_gate_judge(&j->gate, &j->runs, how, &why))
        stop(why.text);
}

static void judged_clear(struct judged *j)
{
    flm_gate_clear(&j->gate);
    flm_runs_clear(&j->runs);
}

static struct simulated_runs *simulate(const struct experiment *e,
                                       const struct simulated_program *base,
                                       const struct simulated_program *new, uint64_t seed)
{
    struct simulated_runs *s = simulated_runs_new(base, new, e->runs, e->runs, &e->machine, seed);
    if (!s)
        stop("out of memory");
    return s;
}

static struct simulated_verdict try_change(const struct experiment *e, uint64_t index)
{
    struct simulated_program base = simulated_program(seed_of(e->settings, SEED_PROGRAM, index));
    struct simulated_program new = simulated_changed(&base, e->change);
    struct simulated_runs *s =
        simulate(e, &base, &new, seed_of(e->settings, SEED_RUNS + 16 * (uint64_t)e->change, index));
    struct flm_gate_options how = options_of(e, index);
    struct judged j;
    judge(&j, simulated_inputs(s), 2 * e->runs, &how);
    struct simulated_verdict verdict = simulated_verdict(&j.gate, &j.runs, &base, e->change);
    judged_clear(&j);
    simulated_runs_free(s);
    return verdict;
}

/* ---- Many of them ---------------------------------------------------------------------------- */

struct trying {
    const struct experiment *experiment;
    void (*one)(const struct experiment *e, uint64_t index, double *result);
    double *result;
    uint32_t width;
};

static void try_one(void *context, size_t i)
{
    const struct trying *t = context;
    t->one(t->experiment, i, t->result + i * t->width);
}

struct share {
    double mean, error;
};

/* Means of the `width` results of each data set, with their standard errors; of those that are no
 * NaN. */
static void summarize(const double *result, uint32_t data_sets, uint32_t width, struct share *share)
{
    for (uint32_t k = 0; k < width; k++) {
        double sum = 0, squares = 0, n = 0;
        for (size_t i = k; i < (size_t)data_sets * width; i += width) {
            sum += isnan(result[i]) ? 0 : result[i];
            n += !isnan(result[i]);
        }
        for (size_t i = k; i < (size_t)data_sets * width; i += width)
            squares += isnan(result[i]) ? 0 : pow(result[i] - sum / n, 2);
        share[k] = (struct share){sum / n, n > 1 ? sqrt(squares / (n - 1) / n) : NAN};
    }
}

static void try_all(const struct experiment *e, uint32_t data_sets, uint32_t width,
                    void (*one)(const struct experiment *, uint64_t, double *), struct share *share)
{
    struct trying t = {e, one, calloc((size_t)data_sets * width, sizeof(double)), width};
    if (!t.result)
        stop("out of memory");
    flm_threads_run(e->settings->threads, data_sets, try_one, &t);
    summarize(t.result, data_sets, width, share);
    free(t.result);
}

static bool is_asked(const struct settings *s, int change)
{
    return s->change < 0 || s->change == change;
}

static void print_share(struct share s)
{
    printf(" %6.1f ±%4.1f", 100 * s.mean, 100 * s.error);
}

/* ---- Power ----------------------------------------------------------------------------------- */

enum { FOUND, FAILS, NAMED, WITHIN, ABOVE, WRONG, MEASURED };

static void measure_power(const struct experiment *e, uint64_t index, double *result)
{
    struct simulated_verdict v = try_change(e, index);
    result[FOUND] = v.is_found;
    result[FAILS] = v.fails;
    result[NAMED] = v.places && v.named == v.places;
    result[WITHIN] = v.places && v.named_within == v.places;
    result[ABOVE] = v.above;
    result[WRONG] = v.wrong;
}

/* What has been promised, of 30 + 30 runs with the noise nb at 5 %. Where it is 100 %, that was all
 * of 80 data sets: 98 % and above cannot be told from it. */
static const struct {
    double least, most;
    const char *what;
} targets[CHANGES] = {
    [SIMULATED_NONE] = {0, 0.06, "at most 6 %"}, [SIMULATED_HOT] = {0.85, 1, "at least 85 %"},
    [SIMULATED_APPEAR] = {0.98, 1, "100 %"},     [SIMULATED_DIFFUSE] = {0.95, 1, "at least 95 %"},
    [SIMULATED_SHIFT] = {0.98, 1, "100 %"},
};

/* Missed is what is off by more than two standard errors. */
static bool print_target(const struct experiment *e, struct share found)
{
    bool is_promised = e->runs == 30 && e->machine.noise == SIMULATED_UNEVEN &&
                       e->settings->alpha == 0.05 && targets[e->change].what;
    bool holds = found.mean + 2 * found.error >= targets[e->change].least &&
                 found.mean - 2 * found.error <= targets[e->change].most;
    if (is_promised)
        printf("  %s%s", targets[e->change].what, holds ? "" : ": missed");
    return holds || !is_promised;
}

static bool part_power_of(const struct settings *s, uint32_t runs, enum simulated_noise noise)
{
    bool good = true;
    printf("%u + %u runs, noise %s, alpha %g %%, %u permutations; %u data sets, and %u of null\n",
           runs, runs, noises[noise], 100 * s->alpha, s->permutations, s->data_sets,
           2 * s->data_sets);
    printf("  %-8s %12s %12s %12s %12s  of 100: %-14s%s\n", "", "found", "FAIL", "named",
           "or its parts", "above it", "false items");
    for (int c = 0; c < CHANGES; c++) {
        if (!is_asked(s, c))
            continue;
        struct experiment e = {s, (enum simulated_change)c, {noise, SIMULATED_BASE_FIRST, 0}, runs};
        struct share share[MEASURED];
        try_all(&e, s->data_sets * (c == SIMULATED_NONE ? 2 : 1), MEASURED, measure_power, share);
        printf("  %-8s", changes[c]);
        for (int k = 0; k < MEASURED; k++) {
            bool has_place = c != SIMULATED_NONE && c != SIMULATED_ALL && c != SIMULATED_RENAME;
            if (!has_place && (k == NAMED || k == WITHIN || k == ABOVE))
                printf(" %12s", "-");
            else
                print_share(share[k]);
        }
        good &= print_target(&e, share[FOUND]);
        printf("\n");
        fflush(stdout);
    }
    return good;
}

static bool part_power(const struct settings *s)
{
    static const uint32_t runs[] = {30, 10};
    bool good = true;
    for (size_t r = 0; r < 2; r++)
        for (int noise = SIMULATED_UNEVEN; noise < NOISES; noise++)
            if ((s->runs == 0 || r == 0) && (s->noise < 0 || noise == SIMULATED_UNEVEN))
                good &= part_power_of(s, s->runs ? s->runs : runs[r],
                                      (enum simulated_noise)(s->noise < 0 ? noise : s->noise));
    return good;
}

/* ---- The smallest detectable change ---------------------------------------------------------- */

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
    struct flm_gate_options how = options_of(e, index);
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

static bool part_mde(const struct settings *s)
{
    static const uint32_t runs[] = {30, 10};
    printf(
        "changes as large as what the gate calls detectable: found in 80 of 100, if it is right\n");
    for (int noise = SIMULATED_UNEVEN; noise <= SIMULATED_OUTLIERS; noise++) {
        for (size_t r = 0; r < 2; r++) {
            struct experiment e = {
                s, SIMULATED_NONE, {(enum simulated_noise)noise, SIMULATED_BASE_FIRST, 0}, runs[r]};
            struct share share[2 * MDES];
            try_all(&e, s->data_sets, 2 * MDES, measure_mde, share);
            printf("  %u + %u runs, %s, %u data sets\n", runs[r], runs[r], noises[noise],
                   s->data_sets);
            for (int k = 0; k < MDES; k++) {
                printf("    %-6s stated %5.1f %%, found in", mde_names[k],
                       100 * share[2 * k + 1].mean);
                print_share(share[2 * k]);
                printf("\n");
            }
            fflush(stdout);
        }
    }
    return true;
}

/* ---- Drift ----------------------------------------------------------------------------------- */

static bool part_blocks(const struct settings *s)
{
    static const struct {
        enum simulated_order order;
        const char *name;
    } orders[] = {{SIMULATED_BASE_FIRST, "all of base, then all of new"},
                  {SIMULATED_ABBA_LOOSE, "alternately, not as blocks"},
                  {SIMULATED_ABBA, "alternately, in blocks"}};
    static const double drifts[] = {0, 0.05, 0.2};
    printf("a machine that gets slower, one subtree more so: 20 + 20 runs, nb, %u data sets\n",
           s->data_sets);
    printf("  %-32s %8s %12s %12s %12s\n", "", "slower", "null found", "null FAIL", "big10 found");
    for (size_t d = 0; d < sizeof drifts / sizeof drifts[0]; d++) {
        for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
            struct experiment e = {
                s, SIMULATED_NONE, {SIMULATED_UNEVEN, orders[o].order, drifts[d]}, 20};
            struct share null[MEASURED], hot[MEASURED];
            try_all(&e, s->data_sets, MEASURED, measure_power, null);
            e.change = SIMULATED_HOT;
            try_all(&e, s->data_sets, MEASURED, measure_power, hot);
            printf("  %-32s %6g %%", orders[o].name, 100 * drifts[d]);
            print_share(null[FOUND]);
            print_share(null[FAILS]);
            print_share(hot[FOUND]);
            printf("\n");
            fflush(stdout);
        }
    }
    return true;
}

/* ---- Looking more than once ------------------------------------------------------------------ */

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
        struct flm_gate_options how = options_of(e, index);
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

static bool part_sequential(const struct settings *s)
{
    static const enum simulated_change tried[] = {SIMULATED_NONE, SIMULATED_HOT, SIMULATED_APPEAR,
                                                  SIMULATED_DIFFUSE};
    printf(
        "three looks, at 8 + 8, 16 + 16 and 24 + 24 runs in blocks, each at %.2f %%: %u data sets, "
        "nb\n",
        100 * flm_pocock_level(s->alpha, LOOKS), s->data_sets);
    printf("  %-8s %12s %12s %12s  all of alpha each time\n", "", "first look", "second", "third");
    for (size_t c = 0; c < sizeof tried / sizeof tried[0]; c++) {
        if (!is_asked(s, (int)tried[c]))
            continue;
        struct experiment e = {s, tried[c], {SIMULATED_UNEVEN, SIMULATED_ABBA, 0}, 24};
        struct share share[LOOKS + 1];
        try_all(&e, s->data_sets, LOOKS + 1, measure_looks, share);
        printf("  %-8s", changes[tried[c]]);
        for (int k = 0; k <= LOOKS; k++)
            print_share(share[k]);
        printf("\n");
        fflush(stdout);
    }
    return true;
}

/* ---- Sides that are not alike ---------------------------------------------------------------- */

/* Where nothing grew, a verdict FAIL is wrong; `grows` are for power. */
static const struct side_row {
    const char *name;
    struct simulated_sides_options how;
    bool grows;
} side_rows[] = {
    {"null, 300 stacks, 5 + 5", {300, {5, .05}, {5, .05}}, false},
    {"null, 300 stacks, 10 + 10", {300, {10, .05}, {10, .05}}, false},
    {"null, 300 stacks, 30 + 30", {300, {30, .05}, {30, .05}}, false},
    {"null, 3 stacks, 10 + 10", {3, {10, .05}, {10, .05}}, false},
    {"null, 20,000 stacks, 10 + 10", {20000, {10, .05}, {10, .05}}, false},
    {"null, heavy tails, 10 + 10", {300, {10, .05}, {10, .05}, TAILS_HEAVY}, false},
    {"null, zero-inflated, 10 + 10", {300, {10, .05}, {10, .05}, TAILS_ZEROS}, false},
    {"null, collector, 10 + 10", {300, {10, .05}, {10, .05}, TAILS_COLLECTOR}, false},
    {"null, fixed time, 10 + 10", {300, {10, .05}, {10, .05}, .is_fixed = true}, false},
    {"null, 50 + 5", {300, {50, .05}, {5, .05}}, false},
    {"null, 50 + 5 of 3 x noise", {300, {50, .05}, {5, .15}}, false},
    {"null, 50 + 5 of 1/3 x noise", {300, {50, .15}, {5, .05}}, false},
    {"null, 5 + 50 of 3 x noise", {300, {5, .05}, {50, .15}}, false},
    {"null, 5 of 3 x noise + 50", {300, {5, .15}, {50, .05}}, false},
    {"null, 10 + 10 of 3 x noise", {300, {10, .05}, {10, .15}}, false},
    {"null, 5 + 5 of 3 x noise", {300, {5, .05}, {5, .15}}, false},
    {"null, 20 + 10 of 3 x noise", {300, {20, .05}, {10, .15}}, false},
    {"null, heavy, 50 + 5 of 3 x", {300, {50, .05}, {5, .15}, TAILS_HEAVY}, false},
    {"null, zeros, 50 + 5 of 3 x", {300, {50, .05}, {5, .15}, TAILS_ZEROS}, false},
    {"null, 3 stacks, 50 + 5 of 3 x", {3, {50, .05}, {5, .15}}, false},
    {"null, 50 + 5 of 1.5 x noise", {300, {50, .05}, {5, .075}}, false},
    {"null, 10 + 10 of 1.5 x noise", {300, {10, .05}, {10, .075}}, false},
    {"null, 50 + 10 of 1.5 x noise", {300, {50, .05}, {10, .075}}, false},
    {"60 % 20 % faster, 10 + 10", {300, {10, .05}, {10, .05}, .change = SIDES_MOST_FASTER}, false},
    {"60 % 20 % faster, 30 + 30", {300, {30, .05}, {30, .05}, .change = SIDES_MOST_FASTER}, false},
    {"60 % 20 % faster, 5 + 50", {300, {5, .05}, {50, .05}, .change = SIDES_MOST_FASTER}, false},
    {"60 % 20 % faster, heavy tails",
     {300, {10, .05}, {10, .05}, TAILS_HEAVY, .change = SIDES_MOST_FASTER},
     false},
    {"60 % 20 % faster, fixed time",
     {300, {10, .05}, {10, .05}, .change = SIDES_MOST_FASTER, .is_fixed = true},
     false},
    {"largest -50 %, 10 + 10", {300, {10, .05}, {10, .05}, .change = SIDES_HALF_LARGEST}, false},
    {"largest -50 %, fixed time",
     {300, {10, .05}, {10, .05}, .change = SIDES_HALF_LARGEST, .is_fixed = true},
     false},
    {"largest -50 %, fixed, 3 stacks",
     {3, {10, .05}, {10, .05}, .change = SIDES_HALF_LARGEST, .is_fixed = true},
     false},
    {"largest -50 %, fixed, 50 + 5",
     {300, {50, .05}, {5, .05}, .change = SIDES_HALF_LARGEST, .is_fixed = true},
     false},
    {"5 % stack +10 %, 10 + 10", {300, {10, .05}, {10, .05}, 0, SIDES_HOT, 1.1}, true},
    {"5 % stack +10 %, 30 + 30", {300, {30, .05}, {30, .05}, 0, SIDES_HOT, 1.1}, true},
    {"5 % stack +10 %, heavy tails",
     {300, {10, .05}, {10, .05}, TAILS_HEAVY, SIDES_HOT, 1.1},
     true},
    {"5 % stack +10 %, 5 + 50", {300, {5, .05}, {50, .05}, 0, SIDES_HOT, 1.1}, true},
    {"5 % stack +10 %, 50 + 5", {300, {50, .05}, {5, .05}, 0, SIDES_HOT, 1.1}, true},
    {"5 % stack +50 %, 50 + 5", {300, {50, .05}, {5, .05}, 0, SIDES_HOT, 1.5}, true},
    {"5 % stack +50 %, 50 + 5 of 3 x", {300, {50, .05}, {5, .15}, 0, SIDES_HOT, 1.5}, true},
    {"5 % stack +10 %, fixed time", {300, {10, .05}, {10, .05}, 0, SIDES_HOT, 1.1, true}, true},
    {"5 % stack +50 %, fixed time", {300, {10, .05}, {10, .05}, 0, SIDES_HOT, 1.5, true}, true},
};
enum { SIDE_ROWS = sizeof side_rows / sizeof side_rows[0] };
enum { SIDES_FOUND, SIDES_FAIL, SIDES_UNKNOWN, SIDES_MEASURED };

struct sides_experiment {
    const struct settings *settings;
    const struct side_row *row;
    double *result;
};

static void measure_sides(void *context, size_t index)
{
    const struct sides_experiment *e = context;
    uint64_t kind = 1000 + (uint64_t)(e->row - side_rows);
    struct simulated_sides *s =
        simulated_sides_new(&e->row->how, seed_of(e->settings, kind, index));
    if (!s)
        stop("out of memory");
    const struct experiment gate = {.settings = e->settings};
    struct flm_gate_options how = options_of(&gate, index);
    struct judged j;
    judge(&j, simulated_sides_inputs(s), e->row->how.base.runs + e->row->how.new.runs, &how);
    double *result = e->result + index * SIDES_MEASURED;
    result[SIDES_FOUND] = simulated_any_is_significant(&j.gate);
    result[SIDES_FAIL] = j.gate.verdict == FLM_VERDICT_FAIL;
    result[SIDES_UNKNOWN] = j.gate.verdict == FLM_VERDICT_INCONCLUSIVE;
    judged_clear(&j);
    simulated_sides_free(s);
}

static bool part_sides(const struct settings *s)
{
    bool good = true;
    printf("sides that are not alike: alpha %g %%, %u permutations, %u data sets\n", 100 * s->alpha,
           s->permutations, s->data_sets);
    printf("  %-32s %12s %12s %12s\n", "", "found", "FAIL", "INCONCLUSIVE");
    for (int i = 0; i < SIDE_ROWS; i++) {
        if (s->row >= 0 && s->row != i)
            continue;
        struct sides_experiment e = {s, &side_rows[i],
                                     calloc(s->data_sets, SIDES_MEASURED * sizeof(double))};
        if (!e.result)
            stop("out of memory");
        flm_threads_run(s->threads, s->data_sets, measure_sides, &e);
        struct share share[SIDES_MEASURED];
        summarize(e.result, s->data_sets, SIDES_MEASURED, share);
        free(e.result);
        printf("  %-32s", side_rows[i].name);
        for (int k = 0; k < SIDES_MEASURED; k++)
            print_share(share[k]);
        bool holds =
            side_rows[i].grows || share[SIDES_FAIL].mean - 2 * share[SIDES_FAIL].error <= s->alpha;
        printf("%s\n", holds ? "" : "  above alpha");
        fflush(stdout);
        good &= holds;
    }
    return good;
}

/* ---- Series ---------------------------------------------------------------------------------- */

enum { BY_COLUMNS, BY_DISTANCES, METHODS };
enum { SERIES_FOUND, SERIES_COUNT, SERIES_PLACED, SERIES_MEASURED };
static const uint32_t series_base = 40, series_new = 20;

static void measure_series(const struct experiment *e, uint64_t index, double *result)
{
    struct simulated_program base = simulated_program(seed_of(e->settings, SEED_PROGRAM, index));
    struct simulated_program new = simulated_changed(&base, e->change);
    struct simulated_runs *s =
        simulated_runs_new(&base, &new, series_base, series_new, &e->machine,
                           seed_of(e->settings, SEED_RUNS + 16 * (uint64_t)e->change, index));
    struct flm_runs runs;
    struct flm_error why = {0};
    if (!s || !flm_runs_init(&runs, simulated_inputs(s), series_base + series_new, NULL, &why))
        stop("out of memory");
    for (int method = 0; method < METHODS; method++) {
        struct flm_series_options how = flm_series_defaults();
        struct flm_series series;
        how.method = method == BY_COLUMNS ? FLM_SERIES_BY_COLUMNS : FLM_SERIES_BY_DISTANCES;
        how.alpha = e->settings->alpha;
        how.orders = e->settings->permutations;
        how.seed = seed_of(e->settings, SEED_PERMUTATIONS, index);
        how.threads = 1;
        if (!flm_series_init(&series, &runs, &how, &why))
            stop(why.text);
        double *to = result + method * SERIES_MEASURED;
        to[SERIES_FOUND] = series.count > 0;
        to[SERIES_COUNT] = series.count;
        for (uint32_t i = 0; i < series.count; i++)
            if (series.change[i].at + 2 >= series_base && series.change[i].at <= series_base + 2)
                to[SERIES_PLACED] = 1;
        flm_series_clear(&series);
    }
    flm_runs_clear(&runs);
    simulated_runs_free(s);
}

static bool part_series(const struct settings *s)
{
    static const enum simulated_change tried[] = {SIMULATED_NONE, SIMULATED_HOT, SIMULATED_APPEAR,
                                                  SIMULATED_DIFFUSE};
    uint32_t data_sets = s->data_sets / 2 + 1; /* each takes as long as ten gates */
    printf("change points: 60 runs, nb, changed from run 41 on; %u data sets\n", data_sets);
    printf("  %-8s %12s %12s %12s   %s\n", "", "by columns", "within two", "all places",
           "and by distances");
    for (size_t c = 0; c < sizeof tried / sizeof tried[0]; c++) {
        if (!is_asked(s, (int)tried[c]))
            continue;
        struct experiment e = {s, tried[c], {SIMULATED_UNEVEN, SIMULATED_BASE_FIRST, 0}, 30};
        struct share share[METHODS * SERIES_MEASURED];
        try_all(&e, data_sets, METHODS * SERIES_MEASURED, measure_series, share);
        printf("  %-8s", changes[tried[c]]);
        for (int m = 0; m < METHODS; m++) {
            print_share(share[m * SERIES_MEASURED + SERIES_FOUND]);
            print_share(share[m * SERIES_MEASURED + SERIES_PLACED]);
            print_share(share[m * SERIES_MEASURED + SERIES_COUNT]);
        }
        printf("\n");
        fflush(stdout);
    }
    return true;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*run)(const struct settings *s);
} parts[] = {{"power", part_power},           {"mde", part_mde},     {"blocks", part_blocks},
             {"sequential", part_sequential}, {"sides", part_sides}, {"series", part_series}};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int number_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static bool set(struct settings *s, const char *option, const char *value)
{
    double number = value ? strtod(value, NULL) : 0;
    if (!value)
        return false;
    if (strcmp(option, "--noise") == 0)
        return (s->noise = number_of(value, noises, NOISES)) >= 0;
    if (strcmp(option, "--change") == 0)
        return (s->change = number_of(value, changes, CHANGES)) >= 0;
    if (strcmp(option, "--data-sets") == 0)
        s->data_sets = (uint32_t)number;
    else if (strcmp(option, "--permutations") == 0)
        s->permutations = (uint32_t)number;
    else if (strcmp(option, "--runs") == 0)
        s->runs = (uint32_t)number;
    else if (strcmp(option, "--row") == 0)
        s->row = (int)number - 1;
    else if (strcmp(option, "--alpha") == 0)
        s->alpha = number;
    else if (strcmp(option, "--seed") == 0)
        s->seed = (uint64_t)number;
    else if (strcmp(option, "--threads") == 0)
        s->threads = (int)number;
    else
        return false;
    return number > 0 && s->runs <= SIMULATED_MOST_RUNS / 2;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int count, char **words)
{
    struct settings s = {200, 999, 0, -1, -1, -1, 0.05, 1, flm_processor_count()};
    bool asked[PARTS] = {false}, any = false, good = true;
    for (int i = 1; i < count; i++) {
        bool known = false;
        for (int k = 0; k < PARTS; k++)
            if (strcmp(words[i], parts[k].name) == 0)
                known = asked[k] = any = true;
        if (!known && !set(&s, words[i], i + 1 < count ? words[i + 1] : NULL)) {
            fprintf(stderr, "power_bench: %s: see bench/power_bench.c for what there is\n",
                    words[i]);
            return 2;
        }
        i += !known;
    }
    double start = now();
    for (int k = 0; k < PARTS; k++)
        if (!any || asked[k])
            good &= parts[k].run(&s);
    printf("%.1f minutes, %d threads\n", (now() - start) / 60, s.threads);
    return good ? 0 : 1;
}
