/* transforms.h - the chips: operations on the opened profile, each on or off, in an order.
 *
 * Each is one operation of an expression (flamel-expressions(7)): "hide:libc.so.6". What is shown
 * is the opened profile after all that are on. Adding one at the end works on what is shown; every
 * other change starts again from the opened profile. Changes can be undone.
 *
 * Where two profiles are compared, each operation is carried out on both, and what is shown is one
 * profile with the metrics of both: flm_comparison_align. */
#ifndef FLAMEL_VIEWER_MODEL_TRANSFORMS_H
#define FLAMEL_VIEWER_MODEL_TRANSFORMS_H

#include "base/core/bytes.h"
#include "base/text/text.h"
#include "flamel/profile.h"

struct flm_operation {
    char *text; /* owned */
    bool on;
    char note[200]; /* "no frame matches 'x'", or "" */
};

struct flm_operations {
    struct flm_operation *at;
    size_t count, capacity;
    const struct flm_profile *opened; /* borrowed */
    const struct flm_profile *before; /* what it is compared with; borrowed, or NULL */
    struct flm_profile *result;       /* owned; NULL: nothing is on */
    struct flm_text undo, redo;       /* earlier and later lists, each a line */
};

void flm_operations_clear(struct flm_operations *operations);

/* Works on another profile from now on. Operations that cannot be done on it are switched off, and
 * their notes say why. */
bool flm_operations_open(struct flm_operations *operations, const struct flm_profile *opened,
                         const struct flm_profile *before, struct flm_error *why);

/* The profile that is shown. */
const struct flm_profile *flm_operations_shown(const struct flm_operations *operations);

/* Each leaves everything as it was when it fails. `expression` may be several operations. */
bool flm_operations_add(struct flm_operations *operations, struct flm_bytes expression,
                        struct flm_error *why);
bool flm_operations_toggle(struct flm_operations *operations, size_t index, struct flm_error *why);
bool flm_operations_remove(struct flm_operations *operations, size_t index, struct flm_error *why);
bool flm_operations_move(struct flm_operations *operations, size_t from, size_t to,
                         struct flm_error *why);
bool flm_operations_edit(struct flm_operations *operations, size_t index,
                         struct flm_bytes expression, struct flm_error *why);

/* All of them as text, those that are off behind a '!': "hide:a | !by:function"; and back, which is
 * a change like others: what becomes of it is undone by it too. */
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
