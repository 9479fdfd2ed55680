/* internal.h - the candidates of a rename: frames, or occurrences of frames in the tree, that are
 * in base or in new alone. */
#ifndef FLAMEL_GATE_RENAME_INTERNAL_H
#define FLAMEL_GATE_RENAME_INTERNAL_H

#include "gate/rename/renames.h"

/* Values by frame; those of changed ones themselves are one, with FLM_SHARE_OWN. Callers of
 * occurrences are nodes. */
#define FLM_SHARE_OWN UINT32_MAX
struct flm_share {
    uint32_t of, key; /* changed one; frame or node, ascending */
    double value;     /* mean of its side */
};
struct flm_shares {
    const struct flm_share *share;
    uint32_t count;
};

enum flm_presence { FLM_IS_NOWHERE, FLM_IS_IN_BASE, FLM_IS_IN_NEW, FLM_IS_IN_BOTH };

struct flm_changed {
    enum flm_presence kind;
    bool is_significant, is_taken;
    uint32_t frame, node;    /* node: where it is first */
    uint32_t depth;          /* of that */
    double total;            /* mean of its side */
    struct flm_shares below; /* self values of the frames in its subtrees */
    struct flm_shares above; /* its totals, by the nearest caller that has not changed */
};

struct flm_changes_found {
    struct flm_changed *changed; /* by frame of the tree; by node, with `of_occurrences` */
    uint32_t count;
    bool has_both; /* some that disappeared and some that appeared */
    struct flm_share *below, *above;
};

/* With `of_occurrences`, the outermost nodes that only one side has, whatever their frames have
 * elsewhere. A node counts for the eight innermost changed frames above it: frames that are nested
 * deeper are compared by a part of their subtrees. False if memory ran out. */
bool flm_changes_find(struct flm_changes_found *found, const struct flm_runs *runs,
                      const unsigned char *is_significant, bool of_occurrences);
void flm_changes_found_clear(struct flm_changes_found *found);

/* The runs over a tree in which node i has the frame frame[i] of the old tree. *moved receives by
 * old node where it is now; the caller frees it. False, and `why`, if memory ran out: the runs are
 * then as they were. No two values of a run may meet. */
bool flm_runs_rename(struct flm_runs *runs, const uint32_t *frame, uint32_t **moved,
                     struct flm_error *why);

#endif
