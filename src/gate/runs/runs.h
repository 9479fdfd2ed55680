/* runs.h - the runs that are judged, over one tree.
 *
 *     tree     the union of the stacks of all runs, one column: the sum
 *     run      which group, which block; its values, sparse: stacks of the tree in preorder
 *
 *     node     value          a thousand runs of ten thousand stacks that have most of them in
 *     17       3              common are one tree of maybe fifteen thousand, and 12 bytes for each
 *     204      1              value that is not 0
 *
 * Every node of the tree has a value somewhere below it, in at least one run. Runs of different
 * units are refused, and so are values below 0: they would be differences. A run may be empty. */
#ifndef FLAMEL_GATE_RUNS_RUNS_H
#define FLAMEL_GATE_RUNS_RUNS_H

#include "algebra/compare/paths.h"
#include "base/core/bytes.h"
#include "base/text/text.h"
#include "flamel/algebra.h"

struct flm_run {
    struct flm_bytes name; /* borrowed: of the file, for sentences */
    bool is_new;
    uint32_t block; /* runs of one block were recorded one after the other */

    /* Filled in. */
    size_t first; /* its values: node[first] .. node[first + count - 1] */
    uint32_t count;
    double total;
};

struct flm_runs {
    struct flm_profile *tree;
    struct flm_metric metric; /* of the tree */
    struct flm_run *run;
    uint32_t run_count, base_count, new_count;
    uint32_t *node; /* of all runs, run by run */
    double *value;
    double unit; /* the value of one sample (flm_comparison_sample has the rule); 0: not known */
    struct flm_same_paths same; /* of a run, at most: modules and files at other paths than those of
                                   the last run, which are taken for the same */
};

/* The input of a run. The profile is borrowed until flm_runs_init returns. */
struct flm_run_input {
    const struct flm_profile *profile;
    const char *name;
    bool is_new;
    uint32_t block;
};

/* The metric is that of this name. NULL: the first one of the first run that all have, by name and
 * unit; or the only one that each has, where these have the same unit. There is one run at least.
 * False, and `why` with the name of the run, when one has no such metric, another unit than the
 * first, or values below 0. */
bool flm_runs_init(struct flm_runs *runs, const struct flm_run_input *inputs, uint32_t count,
                   const char *metric, struct flm_error *why);
void flm_runs_clear(struct flm_runs *runs);

/* Self values of one run on all nodes of the tree; `self` has node_count doubles. */
void flm_runs_self(const struct flm_runs *runs, uint32_t run, double *self);

/* By node: in how many of the base runs, and of the new ones, the stack (its subtree) has a value.
 * Arrays of node_count; False, and `why`, if memory ran out. */
bool flm_runs_seen(const struct flm_runs *runs, bool of_subtree, uint32_t *base, uint32_t *new,
                   struct flm_error *why);

/* "main;parse;lex"; "(root)". */
void flm_stack_text(struct flm_text *out, const struct flm_profile *tree, uint32_t node);

#endif
