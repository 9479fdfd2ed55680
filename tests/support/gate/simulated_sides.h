/* simulated_sides.h - runs of a simulated program as a gate gets them when things are not as they
 * should be: sides of different size and noise, noise that is not normal, recordings of a fixed
 * time, programs of three stacks or of twenty thousand. (simulated_runs.h has one program of 300
 * stacks, and many kinds of changes.)
 *
 *     program   main, groups below it, and in each some stacks; sizes log-normal. From ten stacks
 *               on the largest has 32 % of all, and the second 5 %
 *     a run     mean x size of the run x of its group x its own, and what comes out is counted:
 *               33 samples a stack, 10,000 at least
 *     noise     of a stack; that of a group is nine tenths of it, and of a run four tenths, as in
 *               simulated_runs.h
 *
 *                 NORMAL      log-normal
 *                 HEAVY       t with 2 degrees of freedom
 *                 ZEROS       each stack is in half of the runs only
 *                 COLLECTOR   in three of ten runs a collector takes up to 30 % of all others
 *
 *     fixed     every run has the same number of samples, whatever the program needs: what one
 *               stack does not take the others do
 */
#ifndef FLAMEL_TESTS_SUPPORT_GATE_SIMULATED_SIDES_H
#define FLAMEL_TESTS_SUPPORT_GATE_SIMULATED_SIDES_H

#include "gate/runs/runs.h"

enum simulated_tails { TAILS_NORMAL, TAILS_HEAVY, TAILS_ZEROS, TAILS_COLLECTOR };

enum simulated_side_change {
    SIDES_SAME,
    SIDES_MOST_FASTER,  /* 60 % of the stacks, which ones by chance, need 20 % less */
    SIDES_HALF_LARGEST, /* the largest stack needs half */
    SIDES_HOT           /* the second stack needs `hot` times as much */
};

struct simulated_sides_options {
    uint32_t stacks;
    struct {
        uint32_t runs;
        double noise;
    } base, new;
    enum simulated_tails tails;
    enum simulated_side_change change;
    double hot;
    bool is_fixed;
};

/* NULL where memory ran out. The inputs are as long as both sides, base first. */
struct simulated_sides;
struct simulated_sides *simulated_sides_new(const struct simulated_sides_options *options,
                                            uint64_t seed);
void simulated_sides_free(struct simulated_sides *sides);
const struct flm_run_input *simulated_sides_inputs(const struct simulated_sides *sides);

#endif
