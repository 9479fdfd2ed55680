/* attribution.h - from hundreds of significant columns to a short list that adds up.
 *
 * A change in lex is in the totals of parse and of main too. From the leaves up, a significant node
 * whose change is not explained by its callees is an item:
 *
 *     main  +107            explained by parse
 *       parse  +107         explained by lex and number
 *         lex  +66          item, SELF: its self value is significant (and it is a leaf)
 *         number  +41       item, SPREAD: none of its callees is significant by itself
 *
 * Below a node that is not significant there may be items too: a new stack in a large noisy
 * subtree. Where the items below explain less than 70 % of a significant node (all of them added
 * up, grown and shrunk), the rest is an item of that node, REST: with it, the items at and
 * below the node add up to its change, as they do below SPREAD. So no change is reported twice.
 *
 * A move is not a regression. Where growths and shrinkings below one node that has not changed
 * significantly itself cancel each other but for half of the smaller sum, they are
 * reported as moved below that node, the innermost one. (The total of the node is no measure of how
 * well they cancel: it has the noise of all else below it.)
 *
 * Costs a backward pass over the tree. */
#ifndef FLAMEL_GATE_VERDICT_ATTRIBUTION_H
#define FLAMEL_GATE_VERDICT_ATTRIBUTION_H

#include "gate/runs/test_columns.h"

enum flm_item_scope {
    FLM_ITEM_SELF,   /* the stack itself */
    FLM_ITEM_SPREAD, /* everything below the node together */
    FLM_ITEM_REST    /* the part of the node that its items do not explain */
};

struct flm_item {
    uint32_t node;
    uint32_t column; /* the one that it was found by */
    enum flm_item_scope scope;
    double change;                /* in the unit of the metric; REST: of that part */
    uint32_t base_seen, new_seen; /* in how many runs of each group there is a value */
    uint32_t moved_below;         /* node; FLM_NONE: it was not moved */
    uint32_t rename;              /* its index in renames.h; FLM_NONE: not renamed */
    bool is_failing;              /* why a gate fails; gate.h fills it in */
};

struct flm_attribution {
    struct flm_item *item; /* the largest change first */
    uint32_t count;
};

/* By column: whether it is significant, and its change. */
struct flm_column_finding {
    bool is_significant;
    double change;
};

bool flm_attribution_init(struct flm_attribution *attribution, const struct flm_runs *runs,
                          const struct flm_columns *columns,
                          const struct flm_column_finding *finding, struct flm_error *why);
void flm_attribution_clear(struct flm_attribution *attribution);

#endif
