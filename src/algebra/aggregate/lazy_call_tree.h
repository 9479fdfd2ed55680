/* lazy_call_tree.h - callers and callees as a tree that is built as it is opened.
 *
 * An inverted profile can have ten times the nodes of the profile, and most of them are never
 * displayed. Here a node is a set of occurrences in the profile; opening it follows all of them one
 * step, to the callers or into the calls, and puts occurrences with equal frames together:
 *
 *     INVERTED   every stack from its leaf: level 1 are the frames that have self values
 *     CALLERS    from the outermost occurrences of marked frames to the root
 *     CALLEES    what those occurrences call
 *     CALLS      callees of the root: the profile itself
 *
 * Occurrences are an array. Those of a node are a range of it, and its children divide that range
 * among them, so opening is a counting sort by frame, stable, in which occurrences stay in the
 * order of the profile and memory is read almost in order:
 *
 *     array      [  write  |  read  read  read  |  copy  copy  ]      level 1
 *                             opened: one step up, sorted by frame
 *                          | parse | main  main |                     below read
 *
 * Climbing, an occurrence stays one occurrence to the root, so the array never grows. Going down,
 * an occurrence becomes its children, which are added at the end.
 *
 * A node that was not opened has all of its total as its own width, and nothing below it. So the
 * tree is right at any time, only not complete, and nodes narrower than a pixel are never opened.
 * Totals are sums of |self|, as a layout has them.
 *
 * Costs: new: one pass over the profile, 15 ns a node. Opening: a few ns for each occurrence that
 * moves. bench/unfold_bench.c measures it again. */
#ifndef FLAMEL_ALGEBRA_AGGREGATE_LAZY_CALL_TREE_H
#define FLAMEL_ALGEBRA_AGGREGATE_LAZY_CALL_TREE_H

#include "flamel/profile.h"

enum flm_lazy_tree_kind {
    FLM_LAZY_TREE_INVERTED,
    FLM_LAZY_TREE_CALLERS,
    FLM_LAZY_TREE_CALLEES,
    FLM_LAZY_TREE_CALLS
};

struct flm_lazy_tree;

/* `marks` has a byte for each frame; only CALLERS and CALLEES use it, and not that of the root's
 * frame. Level 1 is there, nothing else is open. The profile is borrowed, `marks` is not. NULL, and
 * `why`, if memory ran out. */
struct flm_lazy_tree *flm_lazy_tree_new(const struct flm_profile *profile, struct flm_metric metric,
                                        enum flm_lazy_tree_kind kind, const unsigned char *marks,
                                        struct flm_error *why);

/* The same with frames put together: `group_of` has a number below `group_count` for each frame, 0
 * for the root's alone. Nodes then have a group where others have a frame. Borrowed. */
struct flm_lazy_tree *flm_lazy_tree_new_grouped(const struct flm_profile *profile,
                                                struct flm_metric metric,
                                                enum flm_lazy_tree_kind kind,
                                                const unsigned char *marks,
                                                const uint32_t *group_of, uint32_t group_count,
                                                struct flm_error *why);

/* The same of values that are no metric of the profile, as those of a comparison: nodes that have a
 * value on either side are in the tree, also those whose width is 0 (a stack that disappeared,
 * where the width is the value after). Columns by node, borrowed. */
struct flm_lazy_tree_values {
    const double *self;       /* |it| is a node's width */
    const double *present[2]; /* nodes that are not 0 in either are in the tree; NULL: all 0 */
};
struct flm_lazy_tree *flm_lazy_tree_new_valued(const struct flm_profile *profile,
                                               const struct flm_lazy_tree_values *values,
                                               enum flm_lazy_tree_kind kind,
                                               const unsigned char *marks, struct flm_error *why);
void flm_lazy_tree_free(struct flm_lazy_tree *lazy);

/* A node by a number that stays the same while the tree grows: 0 is the root. A parent's is less
 * than its children's. */
struct flm_lazy_ref {
    uint32_t index;
};

/* Opens `node` if it is not open yet, and all below it that are at least `narrowest` wide (in the
 * unit of the metric; INFINITY: only itself), level by level, until about `budget` occurrences have
 * moved (0: no limit); *more, which may be NULL, says whether something is left to be opened. What
 * was open stays open. False, and `why`, if memory ran out: the tree is whole then, too, and may
 * have grown. */
bool flm_lazy_tree_open(struct flm_lazy_tree *lazy, struct flm_lazy_ref node, double narrowest,
                        uint64_t budget, bool *more, struct flm_error *why);

/* The tree as it is now, in preorder, siblings in the profile's order of frames. Columns stay as
 * they are until the next call. */
struct flm_lazy_tree_columns {
    uint32_t node_count;
    const uint32_t *frame, *end;
    const double *width;
    const uint32_t *number;       /* by node: its struct flm_lazy_ref */
    const unsigned char *is_open; /* 0: it may have children that are not there yet */
};
bool flm_lazy_tree_columns(struct flm_lazy_tree *lazy, struct flm_lazy_tree_columns *tree,
                           struct flm_error *why);

/* The node of a number in the columns of the last call. */
struct flm_node flm_lazy_tree_node(const struct flm_lazy_tree *lazy, struct flm_lazy_ref number);

/* One node by its number. */
struct flm_lazy_tree_node {
    uint32_t frame;       /* or group */
    double total;         /* |self| of all of its occurrences */
    double own;           /* total less that of its children; if it is not open: total */
    uint32_t first_child; /* its children have numbers from here on, in the order of frames */
    uint32_t child_count;
    bool is_open;
};
struct flm_lazy_tree_node flm_lazy_tree_at(const struct flm_lazy_tree *lazy,
                                           struct flm_lazy_ref number);

/* The occurrences of a node in the profile. `of` are distinct nodes of the profile; their totals
 * (INVERTED: their self values) add up to the node's. `at` is the node that an occurrence has
 * climbed to by now; going down, it is `of`. The first `ended_count` of an open node have reached
 * the root: they are its own value. Going down, the root has no occurrences, except for CALLS. Good
 * until the next opening. */
struct flm_lazy_tree_occurrence {
    uint32_t at, of;
};
struct flm_lazy_tree_occurrences {
    const struct flm_lazy_tree_occurrence *occurrence;
    uint32_t count, ended_count;
};
struct flm_lazy_tree_occurrences flm_lazy_tree_occurrences(const struct flm_lazy_tree *lazy,
                                                           struct flm_lazy_ref number);

/* The node of the profile that stands at `level` (1: below the root) for an occurrence `of` of a
 * node there, however far its descendants have been opened. Takes a step for each level. */
uint32_t flm_lazy_tree_place(const struct flm_lazy_tree *lazy, uint32_t of, uint32_t level);

/* The values of a node in two other columns, signed: sums over its occurrences. `own` is the total
 * less that of the children, whether it is open or not. `value` receives both values of a node of
 * the profile: its self values, or its totals. Takes a step for each occurrence. */
typedef void flm_lazy_tree_value(const void *context, uint32_t node, bool of_self, double value[2]);
struct flm_lazy_tree_sum {
    double total[2], own[2];
};
struct flm_lazy_tree_sum flm_lazy_tree_sum(const struct flm_lazy_tree *lazy,
                                           struct flm_lazy_ref number, flm_lazy_tree_value *value,
                                           const void *context);

#endif
