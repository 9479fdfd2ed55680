/* renames.h - functions that have another name in new: they did not disappear, and no new ones
 * appeared.
 *
 * Of frames that are in base alone and frames that are in new alone, two are one function under two
 * names where they
 *
 *     - have the same callees: the frames at any depth below that both have, with their self
 *       values, and the self value of the two; similarity (1 - |f - g| / (|f| + |g|)) at least 0.8,
 *       so that their totals differ by half at most;
 *     - and have the same callers, as similar, or spend most of their total in callees.
 *
 *     main  100             main  100            parse -> scan: below main in both, and the
 *       parse  100            scan  104          similarity of the callees is 0.98
 *         lex  60               lex  63          its self value is compared as one value, with
 *         tree  30              tree  31         that of other changed frames below it
 *
 * Where they have one name (another file or module: code that moved), 0.5 is enough.
 *
 * Then the same of occurrences: parse may be renamed below main alone, and keep its name elsewhere.
 * The outermost nodes that one side lacks are compared with those of the same caller; and again,
 * when the nodes below them have become comparable.
 *
 * Only significant changes are compared, each with the few that are nearest to it in size among
 * those with the same caller, the same main callee or the same name: so it costs n log n. The most
 * similar pairs are taken first, each frame once.
 *
 * The pair becomes one frame (a frame map: a quotient of every run), and all is tested again, as if
 * it had always had one name. So a rename excuses nothing: another change, also of a pair that was
 * wrongly taken for a rename, is found as before. */
#ifndef FLAMEL_GATE_RENAME_RENAMES_H
#define FLAMEL_GATE_RENAME_RENAMES_H

#include "gate/runs/runs.h"

struct flm_rename {
    struct flm_text from, to; /* names; with file or module where they have one */
    struct flm_text below;    /* the stack above it; empty: wherever it is called */
    uint32_t frame, node;     /* of the runs' tree: both as one; node: where `below` has it */
    double base, new;         /* means of their totals */
    double similarity;        /* of the frames below them */
    bool has_changed;         /* more than its name: gate.h fills it in */
};

struct flm_renames {
    struct flm_rename *rename; /* of frames, then of occurrences; the largest first */
    uint32_t count;
};

/* Finds renamed functions, and makes each pair one in the runs: these have another tree then.
 * `is_significant` has a byte for each node of the tree: whether it changed significantly.
 * False, and `why`, if memory ran out; the runs are good then too. */
bool flm_renames_init(struct flm_renames *renames, struct flm_runs *runs,
                      const unsigned char *is_significant, struct flm_error *why);
void flm_renames_clear(struct flm_renames *renames);

/* The rename that this node belongs to; FLM_NONE: none. */
uint32_t flm_rename_of(const struct flm_renames *renames, const struct flm_profile *tree,
                       uint32_t node);

/* "parse -> scan"; "next -> more below main;lex". */
void flm_rename_text(struct flm_text *out, const struct flm_rename *rename);

#endif
