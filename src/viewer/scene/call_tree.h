/* call_tree.h - the rows of the call tree: the nodes that the user has opened, the widest first.
 *
 *     row 0   main             open    below 5     a node has the number of rows below it; 0
 *     row 1     read           open    below 2     if it is closed. Row N is found by skipping
 *     row 2       copy                             whole siblings, so rows outside of the window
 *     row 3       decode                           cost nothing, and closed nodes are never
 *     row 4     write                              visited.
 *     row 5     close          closed  below 0
 *
 * The root is always open and has no row. Nodes without a width and gaps have no rows.
 *
 * Open nodes are remembered by the numbers that nodes keep while callers are opened (scene.h), so
 * the table of an inverted tree stays as it was. 4 bytes a node and 1 a number; opening and closing
 * take the children and the depth, a tree that changed one pass over its nodes. */
#ifndef FLAMEL_VIEWER_SCENE_CALL_TREE_H
#define FLAMEL_VIEWER_SCENE_CALL_TREE_H

#include "viewer/scene/pane.h"

struct flm_call_tree;

/* NULL if memory ran out. */
struct flm_call_tree *flm_call_tree_new(void);
void flm_call_tree_free(struct flm_call_tree *tree);

/* Shows a pane from now on. Called before anything else, and whenever the pane may have another
 * tree or layout; it finds out whether it has. At first the heaviest path is open: from the root on
 * the widest child of each, as long as it is 1 % of everything. False, and `why`, if memory ran
 * out: there are no rows then. */
bool flm_call_tree_show(struct flm_call_tree *tree, const struct flm_pane *pane,
                        struct flm_error *why);

/* How many rows there are. */
uint32_t flm_call_tree_count(const struct flm_call_tree *tree);

bool flm_call_tree_is_open(const struct flm_call_tree *tree, struct flm_node node);
void flm_call_tree_open(struct flm_call_tree *tree, struct flm_node node);
void flm_call_tree_close(struct flm_call_tree *tree, struct flm_node node);

/* Everything below a node, and the node. One pass over what is below it. */
void flm_call_tree_open_all(struct flm_call_tree *tree, struct flm_node node);

/* Opens the ancestors of a node, so that it has a row. */
void flm_call_tree_reveal(struct flm_call_tree *tree, struct flm_node node);

/* The same, unless it is the node that was followed last: nodes that the user closed since stay
 * closed. */
void flm_call_tree_follow(struct flm_call_tree *tree, struct flm_node node);

struct flm_call_row {
    struct flm_node node;
    uint32_t level;              /* from 0: children of the root */
    uint32_t set_size, position; /* among the siblings that have a row; from 1 */
    bool has_children, is_open;
};

/* `count` rows from row `from` on; *got receives how many there are. False, and `why`, if memory
 * ran out. */
bool flm_call_tree_rows(struct flm_call_tree *tree, uint32_t from, uint32_t count,
                        struct flm_call_row *rows, uint32_t *got, struct flm_error *why);

/* The row of a node; FLM_NONE where it has none, or memory ran out. */
uint32_t flm_call_tree_row_of(struct flm_call_tree *tree, struct flm_node node);

#endif
