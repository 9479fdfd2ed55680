/* renames.h - a function that has another name now did not get faster, nor did a new one appear.
 *
 * Frames that are in base alone have vanished, frames that are in new alone have arrived. Two of
 * them are one function under two names where they
 *
 *     - have the same called by them: the frames that they have both, at any depth below, with the
 *       self values of these, and their own; similarity (1 - |f - g| / (|f| + |g|)) at least 0.8,
 *       so that their totals differ by half at most;
 *     - and stand below the same callers, as similar, or have called the most of what they are.
 *
 *     main  100             main  100            parse -> scan: below main in both, and what is
 *       parse  100            scan  104          similarity below: 0.98
 *         lex  60               lex  63          what is its own is compared as one value, with
 *         tree  30              tree  31         that of other changed frames below it
 *
 * Where they have one name (another file or module: code that moved), 0.5 is enough.
 *
 * Then the same of places: a frame may be called parse below main alone, and still be there
 * elsewhere. The outermost nodes that one side has not are compared with those of the same caller;
 * and again, when what is below them has become comparable.
 *
 * Only what changed significantly is looked at, and each is compared with the few that are nearest
 * to it in size among those with the same caller, the same most called or the same name: so it
 * costs n log n. The most similar are taken first, each once.
 *
 * The pair becomes one frame (a frame map: a quotient of every run), and all is tested again, as if
 * it had always had one name. So nothing is excused by a rename: another change, also of one
 * taken for a rename that is none, is found as it would have been. */
#ifndef FLAMEL_GATE_RENAME_RENAMES_H
#define FLAMEL_GATE_RENAME_RENAMES_H

#include "gate/runs/runs.h"

struct flm_rename {
    struct flm_text from, to; /* names; with file or module where they have one */
    struct flm_text below;    /* the stack above it; empty: wherever it is called */
    uint32_t frame, node;     /* of the runs' tree: both as one; node: where `below` has it */
    double base, new;         /* means of their totals */
    double similarity;        /* of what is below them */
    bool has_changed;         /* more than its name: gate.h fills it in */
};

struct flm_renames {
    struct flm_rename *rename; /* of frames, then of places; the largest first */
    uint32_t count;
};

/* Finds what was renamed, and makes each pair one in the runs: these have another tree then.
 * `is_significant` has a byte for each node of the tree: whether what happened there is significant.
 * False, and `why`, if memory ran out; the runs are good then too. */
bool flm_renames_init(struct flm_renames *renames, struct flm_runs *runs,
                      const unsigned char *is_significant, struct flm_error *why);
void flm_renames_clear(struct flm_renames *renames);

/* Whether this node is what was renamed; FLM_NONE, or which. */
uint32_t flm_rename_of(const struct flm_renames *renames, const struct flm_profile *tree,
                       uint32_t node);

/* "parse -> scan"; "next -> more below main;lex". */
void flm_rename_text(struct flm_text *out, const struct flm_rename *rename);

#endif
