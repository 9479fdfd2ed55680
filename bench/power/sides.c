/* sides.c - sides that are not alike: of unequal size and noise, improvements, recordings of a
 * fixed time, noise that is not normal, three stacks, twenty thousand. */
#include "support/gate/simulated_sides.h"

#include "parts.h"
#include "table.h"

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
    {"5 % stack +10 %, heavy, 30 + 30",
     {300, {30, .05}, {30, .05}, TAILS_HEAVY, SIDES_HOT, 1.1},
     true},
    {"5 % stack +50 %, heavy tails",
     {300, {10, .05}, {10, .05}, TAILS_HEAVY, SIDES_HOT, 1.5},
     true},
    {"5 % stack +50 %, zero-inflated",
     {300, {10, .05}, {10, .05}, TAILS_ZEROS, SIDES_HOT, 1.5},
     true},
    {"5 % stack +10 %, collector",
     {300, {10, .05}, {10, .05}, TAILS_COLLECTOR, SIDES_HOT, 1.1},
     true},
    {"second of 3 stacks +10 %, 10 + 10", {3, {10, .05}, {10, .05}, 0, SIDES_HOT, 1.1}, true},
    {"5 % stack +10 %, 20,000 stacks", {20000, {10, .05}, {10, .05}, 0, SIDES_HOT, 1.1}, true},
    {"5 % stack +10 %, 5 + 50", {300, {5, .05}, {50, .05}, 0, SIDES_HOT, 1.1}, true},
    {"5 % stack +10 %, 50 + 5", {300, {50, .05}, {5, .05}, 0, SIDES_HOT, 1.1}, true},
    {"5 % stack +50 %, 50 + 5", {300, {50, .05}, {5, .05}, 0, SIDES_HOT, 1.5}, true},
    {"5 % stack +50 %, 50 + 5 of 3 x", {300, {50, .05}, {5, .15}, 0, SIDES_HOT, 1.5}, true},
    {"5 % stack +10 %, fixed time", {300, {10, .05}, {10, .05}, 0, SIDES_HOT, 1.1, true}, true},
    {"5 % stack +50 %, fixed time", {300, {10, .05}, {10, .05}, 0, SIDES_HOT, 1.5, true}, true},
};
enum { SIDE_ROWS = sizeof side_rows / sizeof side_rows[0] };
enum { SIDES_FOUND, SIDES_FAIL, SIDES_UNKNOWN, SIDES_MEASURED };

static const char *const columns[] = {"found", "FAIL", "INCONCLUSIVE", NULL};

static void measure_sides(const struct experiment *e, uint64_t index, double *result)
{
    const struct simulated_sides_options *how = e->sides;
    struct simulated_sides *s = simulated_sides_new(how, seed_of(e->settings, e->kind, index));
    if (!s)
        stop("out of memory");
    struct flm_gate_options options = options_of(e->settings, index);
    struct judged j;
    judge(&j, simulated_sides_inputs(s), how->base.runs + how->new.runs, &options);
    result[SIDES_FOUND] = simulated_any_is_significant(&j.gate);
    result[SIDES_FAIL] = j.gate.verdict == FLM_VERDICT_FAIL;
    result[SIDES_UNKNOWN] = j.gate.verdict == FLM_VERDICT_INCONCLUSIVE;
    judged_clear(&j);
    simulated_sides_free(s);
}

/* Where nothing grew: whether FAIL may be at most alpha; and in the remark, whether what is found
 * may be. */
static bool measure_row(struct table *table, const struct experiment *e, const char *name,
                        bool grows)
{
    struct share share[SIDES_MEASURED];
    const struct simulated_sides_options *how = e->sides;
    if (!table_begins(table, name))
        return true;
    try_all(e, SIDES_MEASURED, measure_sides, share);
    double alpha = e->settings->alpha;
    bool fails = !grows && share[SIDES_FAIL].low > alpha;
    bool differs = !grows && how->change == SIDES_SAME && share[SIDES_FOUND].low > alpha;
    table_row(table, share, fails ? "FAIL above alpha" : differs ? "found above alpha" : "");
    return !fails;
}

bool part_sides(const struct settings *s)
{
    bool good = true;
    struct table table = table_open(s, "sides", columns);
    for (int i = 0; i < SIDE_ROWS; i++) {
        struct experiment e = {
            .settings = s, .sides = &side_rows[i].how, .kind = SEED_SIDES + (uint64_t)i};
        if (s->row < 0 || s->row == i)
            good &= measure_row(&table, &e, side_rows[i].name, side_rows[i].grows);
    }
    table_close(&table);
    return good;
}

/* ---- One program on sides of any size and noise ---------------------------------------------- */

bool part_unequal(const struct settings *s)
{
    static const uint32_t sizes[] = {5, 8, 10, 20, 50};
    static const double ratios[] = {1.25, 1.5, 1.75, 2, 3, 5};
    enum { SIZES = sizeof sizes / sizeof sizes[0], RATIOS = sizeof ratios / sizeof ratios[0] };
    bool good = true;
    struct table table = table_open(s, "unequal", columns);
    for (uint64_t i = 0; i < SIZES * SIZES * RATIOS; i++) {
        double noise = 0.05, times = ratios[i % RATIOS];
        uint32_t base = sizes[i / RATIOS / SIZES], new = sizes[i / RATIOS % SIZES];
        struct simulated_sides_options how = {
            300, {base, noise}, {new, noise *times}, .change = SIDES_SAME};
        struct experiment e = {.settings = s, .sides = &how, .kind = 2 * SEED_SIDES + i};
        char name[100];
        snprintf(name, sizeof name, "%u + %u of %g x noise", base, new, times);
        if (s->row < 0 || (uint64_t)s->row == i)
            good &= measure_row(&table, &e, name, false);
    }
    table_close(&table);
    return good;
}
