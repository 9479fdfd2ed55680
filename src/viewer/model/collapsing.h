/* collapsing.h - the operations "collapse" of the list, by function: which are collapsed, and the
 * list after one function more, or one fewer, is.
 *
 *     collapse:direct        all functions     without lex  collapse:direct,!lex
 *     collapse:direct,!lex                     with lex     collapse:direct
 *     collapse:direct,lex    this one          without lex  nothing
 *
 * Each change becomes one of the list, which can be undone like any other. */
#ifndef FLAMEL_VIEWER_MODEL_COLLAPSING_H
#define FLAMEL_VIEWER_MODEL_COLLAPSING_H

#include "viewer/model/transforms.h"

/* Whether an operation that is on collapses recursion; and whether one ever did: it is in the list,
 * or in one that undo and redo lead to. */
bool flm_collapsing(const struct flm_operations *operations);
bool flm_collapsing_known(const struct flm_operations *operations);

/* The list as text (flm_operations_rewrite) in which a function is collapsed, or is not any more;
 * and that in which none is. `out` may fail. */
void flm_collapsing_change(const struct flm_operations *operations, struct flm_bytes function,
                           bool collapse, struct flm_text *out);
void flm_collapsing_none(const struct flm_operations *operations, struct flm_text *out);

#endif
