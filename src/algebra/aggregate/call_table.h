/* call_table.h - who calls whom: stacks as one tree of functions, cut where too little is left to
 * matter.
 *
 *     from the root       the whole profile, callers above callees
 *     callees of some     what the functions of a pattern call: the subtrees of their outermost
 *                         occurrences, laid over each other
 *     callers of some     from where they are called: the paths from those occurrences to the root,
 *                         laid over each other from the function on
 *
 * Siblings of one function (functions.h) are merged; stacks without a value are left out. The tree
 * is opened (lazy_call_tree.h) as rows are made, in preorder: branches below the cut are counted
 * and never opened, so a profile of any size costs two passes over its nodes and the work for the
 * visible rows. Only `levels` limits the depth. */
#ifndef FLAMEL_ALGEBRA_AGGREGATE_CALL_TABLE_H
#define FLAMEL_ALGEBRA_AGGREGATE_CALL_TABLE_H

#include "algebra/aggregate/functions.h"

/* False, and `why`, if memory ran out. `size` of the options does not count. */
bool flm_calls_init(struct flm_calls *calls, const struct flm_profile *p,
                    const struct flm_functions *functions, const struct flm_calls_options *options,
                    struct flm_error *why);
void flm_calls_clear(struct flm_calls *calls);

#endif
