/* transforms.h - the chips: operations on the opened profile, each on or off, in order.
 *
 * Each is one operation of an expression (flamel-expressions(7)): "hide:libc.so.6". The shown
 * profile is the opened one after all operations that are on. An operation added at the end is
 * applied to the shown profile; every other change starts again from the opened one. Changes can be
 * undone.
 *
 * In a comparison each operation is applied to both sides, and the shown profile has the metrics of
 * both: flm_comparison_align. */
#ifndef FLAMEL_VIEWER_MODEL_TRANSFORMS_H
#define FLAMEL_VIEWER_MODEL_TRANSFORMS_H

#include "base/core/bytes.h"
#include "base/text/text.h"
#include "flamel/profile.h"

struct flm_operation {
    char *text; /* owned */
    bool on;
    char note[200]; /* "no frame matches 'x'", or "" */

    /* What it took away, of one that is on: by metric of the profile that it was applied to the sum
     * of |self|, owned, NULL where its metrics are others afterward; and frames of the table. */
    double *removed;
    uint32_t metric_count, removed_frames, removed_levels;
};

struct flm_operations {
    struct flm_operation *at;
    size_t count, capacity;
    const struct flm_profile *opened; /* borrowed */
    const struct flm_profile *before; /* the other side of a comparison; borrowed, or NULL */
    struct flm_profile *result;       /* owned; NULL: nothing is on */
    struct flm_text undo, redo;       /* earlier and later lists, each a line */
};

void flm_operations_clear(struct flm_operations *operations);

/* Another profile was opened. Operations that are not possible on it are switched off, and their
 * notes say why. */
bool flm_operations_open(struct flm_operations *operations, const struct flm_profile *opened,
                         const struct flm_profile *before, struct flm_error *why);

/* The profile that is shown. */
const struct flm_profile *flm_operations_shown(const struct flm_operations *operations);

/* One side of a comparison after the operations, before it is aligned with the other. The caller
 * frees it. NULL, and `why`: there is no such side, or no memory. */
struct flm_profile *flm_operations_side(const struct flm_operations *operations, bool before,
                                        struct flm_error *why);

/* Each leaves everything as it was when it fails. `expression` may be several operations; add and
 * edit refuse one that matches nothing, with its note, as the command does. */
bool flm_operations_add(struct flm_operations *operations, struct flm_bytes expression,
                        struct flm_error *why);
bool flm_operations_toggle(struct flm_operations *operations, size_t index, struct flm_error *why);
bool flm_operations_remove(struct flm_operations *operations, size_t index, struct flm_error *why);
bool flm_operations_move(struct flm_operations *operations, size_t from, size_t to,
                         struct flm_error *why);
bool flm_operations_edit(struct flm_operations *operations, size_t index,
                         struct flm_bytes expression, struct flm_error *why);

/* All of them as text, those that are off after a '!': "hide:a | !by:function"; and back, which is
 * a change that can be undone like others. */
void flm_operations_write(const struct flm_operations *operations, struct flm_text *out);
bool flm_operations_set(struct flm_operations *operations, struct flm_bytes text,
                        struct flm_error *why);

/* The same as one change that can be undone, and that fails as a whole. */
bool flm_operations_rewrite(struct flm_operations *operations, struct flm_bytes text,
                            struct flm_error *why);

bool flm_operations_can_undo(const struct flm_operations *operations);
bool flm_operations_can_redo(const struct flm_operations *operations);
bool flm_operations_undo(struct flm_operations *operations, struct flm_error *why);
bool flm_operations_redo(struct flm_operations *operations, struct flm_error *why);

#endif
