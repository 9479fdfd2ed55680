/* thread_costs.h - what some of the stacks cost by thread and by process.
 *
 *     process  thread      self    total        threads, processes and commands are those of
 *     make              2.10 ms  31.4 ms        profile/label_range.h; a sample without a thread's
 *              make 12  2.10 ms  31.4 ms        label is in no row
 *     cc1               0       12.0 ms
 *              cc1 13   0       12.0 ms
 *
 * One pass over the samples. */
#ifndef FLAMEL_ALGEBRA_AGGREGATE_THREAD_COSTS_H
#define FLAMEL_ALGEBRA_AGGREGATE_THREAD_COSTS_H

#include "profile/columns.h"

struct flm_thread_cost {
    uint32_t thread, process, command; /* strings; FLM_NONE: not known */
    double self, total;
    bool is_process; /* the sum of the threads that follow */
};

struct flm_thread_costs {
    struct flm_thread_cost *at; /* processes with their threads, the largest total first; with one
                                   process only its threads */
    uint32_t count, threads;
    struct flm_thread_cost without; /* of samples without a thread's label, which are in no row */
};

/* By node: whether a sample of it counts, and whether for self too. */
enum { FLM_COSTS_TOTAL = 1, FLM_COSTS_SELF = 2 };

/* `marks`: by node, of these; NULL: everything. Threads without any of it are left out. False, and
 * `why`, if memory ran out. */
bool flm_thread_costs_init(struct flm_thread_costs *costs, const struct flm_profile *p,
                           struct flm_metric metric, const unsigned char *marks,
                           struct flm_error *why);
void flm_thread_costs_clear(struct flm_thread_costs *costs);

#endif
