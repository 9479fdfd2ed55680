/* algebra.h - operations on profiles: each makes a new one and leaves its inputs as they are.
 *
 * Six primitives, and everything else is made of them:
 *
 *     align      P1 .. Pn      one tree over all stacks of all; columns side by side, or added up
 *     combine    P, weights    new columns that are linear combinations of the old
 *     restrict   P, stacks     only some stacks, by frames, labels or time
 *     quotient   P, frame->    frames renamed or left out; stacks that become equal are one
 *     invert     P             leaf first: callers below their callees
 *     focus      P, frames     re-rooted at the outermost occurrence of a frame
 *
 * All are linear in the columns: op(f + g) = op(f) + op(g), tested so. Units must agree where
 * columns are added; nothing is rounded. Samples, notes and losses go with the stacks that stay.
 *
 * Costs are in nodes: one pass for combine and restrict, a merge of sorted children for align, one
 * hash probe a node for quotient and focus, and the sum of all depths for invert.
 *
 * Every function returns NULL, and `why`, when it fails. */
#ifndef FLAMEL_ALGEBRA_H
#define FLAMEL_ALGEBRA_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One profile over the union of the stacks of all `count` inputs.
 *
 * ADD: metrics of the same name are one column, the sum; they must have the same unit.
 * SIDE_BY_SIDE: every input keeps its columns; names[i] is put in front of those of input i
 * ("before", or "before:cpu" when inputs have several metrics). Samples are left out. Notes
 * on which two inputs disagree get the name too ("before:recorded"); of more than two they are left
 * out. */
enum flm_align_mode { FLM_ALIGN_ADD, FLM_ALIGN_SIDE_BY_SIDE };
struct flm_profile *flm_align(const struct flm_profile *const *profiles, size_t count,
                              enum flm_align_mode mode, const char *const *names,
                              struct flm_error *why);

/* A new column: sum over m of weight[m] x column m of the input. */
struct flm_combination {
    const char *name, *unit;
    const double *weights; /* one for each metric of the input */
};

/* The same tree with `count` new columns in place of the old ones. All columns with a weight other
 * than 0 in one combination must have one unit, and no two may have the same name. Stacks and
 * samples that are 0 in every new column are dropped. */
struct flm_profile *flm_combine(const struct flm_profile *profile,
                                const struct flm_combination *combinations, size_t count,
                                struct flm_error *why);

/* The four parts of the difference between two columns (after - before), for each stack exactly
 * one: appeared and grown with what was gained, disappeared and shrunk with what was lost. Four
 * metrics of these names, none negative. after - before = (appeared + grown) - (disappeared +
 * shrunk). Tornetta, "On the Algebraic Properties of Flame Graphs", section 3. */
struct flm_profile *flm_difference_parts(const struct flm_profile *profile,
                                         struct flm_metric before, struct flm_metric after,
                                         struct flm_error *why);

/* Sum over stacks of |value|. */
double flm_norm(const struct flm_profile *profile, struct flm_metric metric);

/* Sum over stacks of |a - b|. */
double flm_distance(const struct flm_profile *profile, struct flm_metric a, struct flm_metric b);

/* 1 - |a - b| / (|a| + |b|): 1 for equal columns, 0 for columns without a common stack; 1 for two
 * empty ones. Depends on the length of the recordings; flm_shape_similarity compares the columns
 * divided by their totals. NaN when a column has negative values. */
double flm_similarity(const struct flm_profile *profile, struct flm_metric a, struct flm_metric b);
double flm_shape_similarity(const struct flm_profile *profile, struct flm_metric a,
                            struct flm_metric b);

/* Comparing two columns, before and after: how wide each stack is drawn. MAX shows all stacks;
 * AFTER hides stacks that disappeared, BEFORE those that appeared. */
enum flm_comparison_widths {
    FLM_WIDTHS_MAX, /* the larger of both */
    FLM_WIDTHS_AFTER,
    FLM_WIDTHS_BEFORE,
    FLM_WIDTHS_SUM
};

/* What both sides are scaled to first: before is multiplied until this is equal. */
enum flm_normalize {
    FLM_NORMALIZE_NONE,
    FLM_NORMALIZE_TOTAL,
    FLM_NORMALIZE_DURATION, /* how long they were recorded */
    FLM_NORMALIZE_FUNCTION  /* the total of one function */
};

/* Two profiles as one that compares them, like SIDE_BY_SIDE: of the metrics that both have (by name
 * and unit, or the only one of each), as "before" and "after", or "before:cpu", "after:cpu" and so
 * on where there are several. */
struct flm_profile *flm_comparison_align(const struct flm_profile *before,
                                         const struct flm_profile *after, struct flm_error *why);

/* Leaf first: the children of the root are the functions that have self value, below each its
 * callers. Totals of the first level are self values. */
struct flm_profile *flm_invert(const struct flm_profile *profile, struct flm_error *why);

/* Operations as text: "focus:parse | hide:module=libc.so.6 | by:function", as
 * flamel-expressions(7) describes them. NULL, and `why` with the byte offset and a sentence, for a
 * malformed expression (FLM_ERROR_USAGE), and for one whose result is beyond a limit, as names that
 * rules make longer each time (FLM_ERROR_RANGE). An operation that changes nothing, because its
 * pattern matches no frame, say, is no failure: `note` (200 bytes, or NULL) then receives a
 * sentence, else "". */
struct flm_profile *flm_apply(const struct flm_profile *profile, const char *expression, char *note,
                              struct flm_error *why);

/* Whether flm_apply would take it for some profile: whoever is about to read a large one knows
 * before. False, and `why` with the byte offset and a sentence, for a malformed expression. */
bool flm_expression_check(const char *expression, struct flm_error *why);

/* A note: how many stacks an operation "nodes:..." has merged into frames "[other]": "812". */
#define FLM_NOTE_MERGED "merged stacks"

/* The frames that a pattern of expressions matches ("module=libc.so.6"): marks[i] becomes 1 or 0, a
 * byte for each frame; *matched receives how many. `note` as above. False, and `why`, for a
 * malformed pattern. */
bool flm_frames_match(const struct flm_profile *profile, const char *pattern, unsigned char *marks,
                      uint32_t *matched, char *note, struct flm_error *why);

/* The other name under which expressions know a label's key: "tid" for "thread", and the other way
 * round; NULL where there is none, or the profile has labels of that name too. A static string. */
const char *flm_label_alias(const struct flm_profile *profile, const char *key, size_t size);

/* The operations that expressions may name, for help and completion: index 0, 1, 2 ... The name is
 * NULL behind the last one; the others need an index for which there is a name. Static strings. */
const char *flm_operation_name(size_t index);    /* "focus" */
const char *flm_operation_summary(size_t index); /* one line, without a period */
const char *flm_operation_example(size_t index); /* "focus:parse_json" */

/* The name of its argument number `argument`, from 0: "pattern"; NULL behind the last. */
const char *flm_operation_argument(size_t index, size_t argument);

#ifdef __cplusplus
}
#endif

#endif
