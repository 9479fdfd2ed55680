/* changes.h - two profiles compared, as numbers for a program: how much changed in all, and which
 * functions and stacks changed most. For reports (text, tables, JSON), and for several runs of each
 * side, see compare.h.
 *
 *     struct flm_profile_changes_options options = {.size = sizeof options, .rows = 10};
 *     struct flm_profile_changes *changes = flm_profile_changes_new(before, after, &options, &why);
 *     uint32_t count;
 *     const struct flm_function_change *change = flm_profile_changes_functions(changes, &count);
 *     for (uint32_t i = 0; i < count; i++)                     the largest change of self first
 *         row(flm_profile_changes_function_name(changes, change[i].function, NULL),
 *             change[i].self.before, change[i].self.after);
 *     flm_profile_changes_free(changes);
 *
 * Both profiles become one tree with two columns (flm_comparison_align of algebra.h), so that a
 * stack of one and the same stack of the other are one node:
 *
 *     stack     before  after    kind
 *     a;gone    10      0        disappeared
 *     a;new     0       30       appeared
 *     a;more    20      25       grown
 *     a;less    9       4        shrunk
 *
 * A profile of one run says how much changed, and not whether it would change as much without any
 * reason. The noise that is reported here is that of counting samples, an estimate that does not
 * include how runs differ: for a verdict, record several runs of each (gate.h). A picture of the
 * difference is flm_save of the tree as "svg" (file.h). */
#ifndef FLAMEL_CHANGES_H
#define FLAMEL_CHANGES_H

#include "flamel/aggregate.h"
#include "flamel/algebra.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How long a profile was recorded, in nanoseconds: by its note "duration_ns", or from its first to
 * its last sample. 0: not known. */
double flm_profile_duration_ns(const struct flm_profile *profile);

struct flm_profile_changes;

/* `size` is sizeof (struct flm_profile_changes_options); all others may be 0. Texts are borrowed
 * until the call returns. */
struct flm_profile_changes_options {
    size_t size;
    const char *metric; /* of both; NULL: the first that both have. Where each has only one, and of
                         * the same unit, these are compared, whatever they are called */

    /* Before is multiplied so that both have an equal total, duration, or total of the functions
     * that the pattern `normalize_function` matches. */
    enum flm_normalize normalize;
    const char *normalize_function;

    enum flm_function_order sort; /* of functions: by the change of self or of total, or by name */
    uint32_t rows;                /* functions and stacks that are listed, at most; 0: all */
    bool without_noise_test;      /* no change is called noise */
};

/* NULL, and `why`: FLM_ERROR_UNIT where they have no metric in common, FLM_ERROR_USAGE where they
 * cannot be normalized so, and if memory ran out. The profiles are not needed afterwards. One pass
 * over both, and about 100 bytes for each node of their union. */
struct flm_profile_changes *flm_profile_changes_new(
    const struct flm_profile *before, const struct flm_profile *after,
    const struct flm_profile_changes_options *options, struct flm_error *why);

/* Accepts NULL. Everything below is good until then. */
void flm_profile_changes_free(struct flm_profile_changes *changes);

/* Both as one profile, and the two metrics of it that were compared. */
const struct flm_profile *flm_profile_changes_tree(const struct flm_profile_changes *changes,
                                                   struct flm_metric *before,
                                                   struct flm_metric *after);

/* ---- Changes --------------------------------------------------------------------------------- */

/* What happened to a stack, to all of a subtree, or to a function. */
enum flm_change_kind {
    FLM_CHANGE_NONE, /* the same */
    FLM_CHANGE_APPEARED,
    FLM_CHANGE_GROWN,
    FLM_CHANGE_DISAPPEARED,
    FLM_CHANGE_SHRUNK,
    FLM_CHANGE_KINDS
};

/* "appeared" ...; "same" for NONE. */
const char *flm_change_kind_name(enum flm_change_kind kind);

/* In the unit of the metric. This struct and the next stay as they are: they are members of others
 * and of arrays. */
struct flm_change {
    double before; /* scaled: after - before is the change */
    double after;
    enum flm_change_kind kind;
    bool noise;         /* it cannot be distinguished from no change */
    double significant; /* the part of it that several runs have shown to be significant; all of it
                         * where there were no such runs */
};

/* A function that changed in self or total. */
struct flm_function_change {
    uint32_t function; /* an index for flm_profile_changes_function_name */
    struct flm_change self, total;
};

/* *count of them in the order of the options: the largest change first, whatever its sign; equal
 * ones in name order. */
const struct flm_function_change *flm_profile_changes_functions(
    const struct flm_profile_changes *changes, uint32_t *count);

/* The function's name, and its module (or else file; "": not known) in *module unless that is
 * NULL. */
struct flm_name flm_profile_changes_function_name(const struct flm_profile_changes *changes,
                                                  uint32_t function, struct flm_name *module);

/* The nodes of the tree whose own value, of exactly this stack, changed: *count of them, the
 * largest change first. */
const uint32_t *flm_profile_changes_stacks(const struct flm_profile_changes *changes,
                                           uint32_t *count);

/* Whether values are the node's own or those of its subtree. */
enum flm_change_scope { FLM_CHANGE_OF_SUBTREE, FLM_CHANGE_OF_SELF };

/* The change of any node of the tree; node 0, as a subtree, is everything. */
struct flm_change flm_profile_changes_node(const struct flm_profile_changes *changes,
                                           struct flm_node node, enum flm_change_scope scope);

/* ---- In all ---------------------------------------------------------------------------------- */

struct flm_profile_changes_summary {
    size_t size;                /* in: sizeof (struct flm_profile_changes_summary) */
    double before, after;       /* totals as recorded */
    double scale;               /* what before was multiplied by: 1 unless normalized */
    double distance;            /* the sum over stacks of |after - before|, before scaled */
    double similarity;          /* 1 - distance / (|after| + |before|): 1 for equal profiles, 0 for
                                  * profiles without a common stack; NaN: some values < 0 */
    uint32_t changed_functions; /* in all, listed or not */
    uint32_t changed_stacks;    /* likewise */
    double before_sample, after_sample; /* how much of the metric one sample stands for; 0: not
                                         * known, and then nothing is called noise */
};

/* False, and `why`, where the size is 0 or larger than this library's. */
bool flm_profile_changes_sums(const struct flm_profile_changes *changes,
                              struct flm_profile_changes_summary *summary, struct flm_error *why);

/* The sum of |after - before| over all stacks of one kind, before scaled; *stack_count receives how
 * many there are, unless it is NULL. */
double flm_profile_changes_kind(const struct flm_profile_changes *changes,
                                enum flm_change_kind kind, uint32_t *stack_count);

#ifdef __cplusplus
}
#endif

#endif
