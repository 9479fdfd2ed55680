/* runs.h - runs for tests: made of stacks with a value for each run.
 *
 *     main;a 10 12   9  0        base, base, new, new
 *     main;b  0  0   4  4 */
#ifndef FLAMEL_TESTS_SUPPORT_GATE_RUNS_H
#define FLAMEL_TESTS_SUPPORT_GATE_RUNS_H

#include "gate/runs/runs.h"
#include "profile/columns.h"

/* The profiles of one such table, those of base first, called "base 1", "base 2", "new 1" ... */
struct table_of_runs {
    struct flm_run_input *input;
    struct flm_profile **profile;
    char (*name)[16];
    uint32_t count;
};

/* From text; the test fails when it is malformed. `metric` and `unit`: "samples" for both, say. */
struct table_of_runs runs_table_parse(const char *text, uint32_t base_count, uint32_t new_count,
                                      const char *metric, const char *unit);
/* From a file, whose first line has both counts, in samples. */
struct table_of_runs runs_table_read(const char *path);
/* From a file with few values for each stack, in us: both counts and that of frames, the frames, a
 * line each, and behind them for each stack the frames by number, from 0 on, and its runs:
 *     0;3;3;17 4:1082 71:2164                          a value of run 4, and one of run 71 */
struct table_of_runs runs_table_read_sparse(const char *path);
void runs_table_clear(struct table_of_runs *table);

/* Stacks with a mean in base and one in new, and how much they vary (shares). Every run is also
 * larger or smaller as a whole, by up to `scale`. */
struct run_stack {
    const char *path;
    double base, new, noise;
};
struct table_of_runs runs_table_drawn(const struct run_stack *stacks, size_t count, uint32_t base,
                                      uint32_t new, double scale, uint64_t seed);

/* The test fails when they are refused. */
struct flm_runs runs_of_table(const struct table_of_runs *table);

/* parse and of_table and clear: samples. */
struct flm_runs runs_of(const char *text, uint32_t base_count, uint32_t new_count);

/* Runs by chance: a few functions, whose values vary; some stacks are in some runs only. Integers.
 */
struct table_of_runs runs_by_chance(uint64_t *random, uint32_t base_count, uint32_t new_count,
                                    unsigned stacks);

/* "main;parse" of a node; the caller frees it. */
char *runs_path(const struct flm_profile *tree, uint32_t node);
/* The node of "main;parse", or FLM_NONE. "" is the root. */
uint32_t runs_node(const struct flm_profile *tree, const char *path);

#endif
