/* call_table.h - who calls whom: stacks as one tree of functions, cut where too little is left to
 * matter.
 *
 *     from the root       the whole profile, callers above callees
 *     callees of some     what the functions of a pattern call: the subtrees of their outermost
 *                         occurrences, laid over each other
 *     callers of some     from where they are called: the paths from those occurrences to the root,
 *                         laid over each other from the function on
 *
 * Siblings of one function (functions.h) are one; stacks without a value are not there. The tree is
 * unfolded (lazy_call_tree.h) as it is shown, rows in preorder: what is below the cut is counted and never
 * looked into, so a profile of any size is two passes over its nodes and work for what is seen.
 * Depth is limited by `levels` and by nothing else. */
#ifndef FLAMEL_ALGEBRA_AGGREGATE_CALL_TABLE_H
#define FLAMEL_ALGEBRA_AGGREGATE_CALL_TABLE_H

#include "algebra/aggregate/functions.h"

enum flm_calls_view { FLM_CALLS_FROM_ROOT, FLM_CALLS_CALLEES, FLM_CALLS_CALLERS };

struct flm_calls_options {
    enum flm_calls_view view;
    struct flm_metric metric;
    const unsigned char *marks; /* by frame: whose callees or callers; not used from the root */
    double cut;                 /* rows whose size is below are not shown */
    uint32_t levels;            /* how many are shown at most */
};

/* A row. Its size, for the cut and the order, is the sum of |self| below it: where nothing is
 * negative that is the total. */
struct flm_call {
    uint32_t function;
    uint32_t level;   /* from 0 */
    uint32_t sibling; /* its place among the shown siblings, from 0 */
    uint32_t sibling_count;
    double total;          /* callers: how much of the functions' total came this way */
    double self;           /* callers: how much of it has no further caller */
    uint32_t hidden_count; /* branches below it that are not shown */
    double hidden;         /* their total */
};

struct flm_calls {
    struct flm_call *call;
    size_t count;
    double total;          /* of all rows of level 0, hidden ones too */
    uint32_t hidden_count; /* in all */
    double hidden;
    uint32_t hidden_top_count; /* of these, how many on level 0 */
    double hidden_top;
    uint32_t deeper_count; /* and how many for the levels alone */
    double deeper;
};

/* The largest first; equal ones in name order. False, and `why`, if memory ran out. */
bool flm_calls_init(struct flm_calls *calls, const struct flm_profile *p,
                    const struct flm_functions *functions, const struct flm_calls_options *options,
                    struct flm_error *why);
void flm_calls_clear(struct flm_calls *calls);

#endif
