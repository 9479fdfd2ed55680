/* simulated_runs.h - a program that does not exist, on a machine that is not quiet: profiles whose
 * changes are known.
 *
 *     program   one random call tree of 300 stacks; sizes log-normal, but for those that a change
 * is about, which have the share of the total that the change is described by
 *
 *                 largest      32 %
 *                 hot           5 %      HOT      10 % more of it                   +0.5 % of all
 *                 warm          3 %      SHIFT    12 % of it are where `other` is   +0
 *                 other         3 %
 *                 small         1 %      SMALL    30 % more                         +0.3 %
 *                 below `frame` 10.7 %   DIFFUSE  40 stacks or so, 6 % more each    +0.6 %
 *                                                 (half of them, or fewer, below one callee)
 *                 appeared      0        APPEAR   0.3 %                             +0.3 %
 *                                        ALL      everything 2 % more               +2 %
 *                 leaving       0.4 %    GONE     nothing of it                     -0.4 %
 *                                        MIXED    all of these but SMALL and ALL, HOT with 20 %
 *                                        RENAME   `frame` has another name, and nothing else
 *
 *     machine   a run's values: mean x size of the run x what moves with others x its own, counted
 *
 *                 counting     Poisson, 10,000 samples in a run
 *                 the run      2 %, log-normal
 *                 subtrees     three of the program, 5 % each, log-normal: of 20 to 40 stacks,
 *                              beside each other; one has `warm` and `other`, none has what else
 *                              is above
 *                 each stack   5.5 %, gamma
 *                 nested       the same, but any three subtrees: they may be one in the other,
 *                              hold what changes, or half of everything
 *                 outlier runs    one in twenty is larger by an exponential of 15 %, and has one
 *                              subtree twice
 *                 drift        the machine gets slower from the first run to the last, and one
 *                              subtree more so
 *
 * A data set is its two seeds: of the program, with which subtrees move together, and of the runs.
 */
#ifndef FLAMEL_TESTS_SUPPORT_GATE_SIMULATED_RUNS_H
#define FLAMEL_TESTS_SUPPORT_GATE_SIMULATED_RUNS_H

#include "gate/runs/runs.h"

enum {
    SIMULATED_STACKS = 300,
    SIMULATED_NODES = 316, /* 15 inner ones have no self value, and one appears */
    SIMULATED_LATENT = 3,
    SIMULATED_MOST_RUNS = 200
};

enum simulated_change {
    SIMULATED_NONE,
    SIMULATED_HOT,
    SIMULATED_SMALL,
    SIMULATED_APPEAR,
    SIMULATED_DIFFUSE,
    SIMULATED_SHIFT,
    SIMULATED_ALL,
    SIMULATED_GONE,
    SIMULATED_MIXED,
    SIMULATED_RENAME
};

enum simulated_noise { SIMULATED_COUNTING, SIMULATED_UNEVEN, SIMULATED_OUTLIERS, SIMULATED_NESTED };

/* Node 0 is main; callers come before what they call. */
struct simulated_program {
    uint32_t parent[SIMULATED_NODES]; /* FLM_NONE of main */
    double mean[SIMULATED_NODES];     /* samples in a run, of the stack itself */
    uint32_t largest, hot, warm, other, small, frame, appeared, leaving;
    uint32_t latent[SIMULATED_LATENT]; /* subtrees that move as one: UNEVEN and WILD */
    uint32_t nested[SIMULATED_LATENT]; /* NESTED */
    uint32_t renamed;                  /* has another name; FLM_NONE: none has */
    uint32_t drifting;                 /* and the one of the drift */
};

struct simulated_program simulated_program(uint64_t seed);

/* Everything of the node and below it is as many times as large. */
void simulated_grow(struct simulated_program *program, uint32_t node, double times);

/* The program after the change. */
struct simulated_program simulated_changed(const struct simulated_program *program,
                                           enum simulated_change change);

/* The places that the change is to be found at; how many there are. None of ALL, nor of
 * RENAME. */
enum { SIMULATED_MOST_PLACES = 6 };
uint32_t simulated_places(const struct simulated_program *program, enum simulated_change change,
                          uint32_t *place);

bool simulated_is_below(const struct simulated_program *program, uint32_t node, uint32_t above);

/* In which order the runs are made: each is base or new, and in a block. */
enum simulated_order {
    SIMULATED_BASE_FIRST, /* all of base, then all of new; one block */
    SIMULATED_ABBA,       /* base new new base; four are a block */
    SIMULATED_ABBA_LOOSE  /* the same, as one block */
};

struct simulated_machine {
    enum simulated_noise noise;
    enum simulated_order order;
    double drift; /* how much slower it is at the end: 0.1 */
};

/* The runs of both, in the order in which they were made. NULL where memory ran out. */
struct simulated_runs;
struct simulated_runs *simulated_runs_new(const struct simulated_program *base,
                                          const struct simulated_program *new, uint32_t base_count,
                                          uint32_t new_count,
                                          const struct simulated_machine *machine, uint64_t seed);
void simulated_runs_free(struct simulated_runs *simulated);

/* They, as a gate takes them. */
const struct flm_run_input *simulated_inputs(const struct simulated_runs *simulated);

/* The node of the program at a node of the tree of runs; FLM_NONE of the root. */
uint32_t simulated_node(const struct flm_profile *tree, uint32_t node);

#endif
