/* cached_tables.h - the data behind tables and details: made at its first use, and kept while it is
 * valid.
 *
 *     functions   which frames are one function         until another profile is shown
 *     measures    self, total and samples of each, in   until another metric is shown
 *                 how many nodes it is, the scale of
 *                 columns
 *     summary     stacks, kinds, times                  until another profile is shown
 *     rankings    functions in the order of a table     until another metric is shown
 *     chain       the deepest recursion                 until another metric is shown
 *     presets     expressions that are offered          until another profile is shown
 *     call tree   the rows that the user has opened     until another profile is shown
 *
 * The first use after a change takes a pass or two over the profile (15 ns a node in all); after
 * that nothing here depends on its size. */
#ifndef FLAMEL_VIEWER_SCENE_CACHED_TABLES_H
#define FLAMEL_VIEWER_SCENE_CACHED_TABLES_H

#include "algebra/aggregate/functions.h"
#include "algebra/aggregate/summary.h"
#include "draw/text/quantity.h"
#include "layout/chain.h"
#include "viewer/model/choices.h"
#include "viewer/model/presets.h"
#include "viewer/scene/call_tree.h"

/* How the table of functions is sorted. */
enum flm_ranking_key {
    FLM_RANK_SELF,
    FLM_RANK_TOTAL,
    FLM_RANK_SAMPLES,     /* where they are known; else as TOTAL */
    FLM_RANK_CHANGE,      /* of total, where two are compared (comparison.h); else as TOTAL */
    FLM_RANK_SELF_CHANGE, /* likewise of self */
    FLM_RANK_NAME,
    FLM_RANK_MODULE,
    FLM_RANK_FILE,
    FLM_RANK_KEYS
};
struct flm_ranking_order {
    enum flm_ranking_key key;
    bool down; /* the largest, or last, first */
};

/* Functions that have a value, in an order. */
struct flm_ranked {
    uint32_t *function;
    uint32_t count;
};

struct flm_cached_tables {
    struct flm_functions functions;
    bool has_functions, is_measured, has_summary, has_presets, has_chain;
    struct flm_chain chain;
    uint32_t *occurrences; /* by function: how many nodes with a value in or below them */
    double *samples;       /* by function: those with it on their stack; NULL: not known, or what is
                              shown */
    struct flm_scale scale; /* of columns of self and total (draw/text/quantity.h) */
    struct flm_summary summary;
    struct flm_ranked ranking[FLM_RANK_KEYS][2]; /* [1] down; NULL: not made yet */
    struct flm_ranked shown_names; /* by the names as a column has them: query/tables.c */
    const uint32_t *shown_of;      /* the ranking that they are of */
    double shown_room;             /* of that column */
    bool shown_down;
    struct flm_presets presets;
    struct flm_call_tree *call_tree;
};

/* Another profile is shown, or another metric. */
void flm_cached_tables_clear(struct flm_cached_tables *tables);
void flm_cached_tables_forget_measures(struct flm_cached_tables *tables);

/* Each is NULL, and `why`, if memory ran out. `p` and `metric` are what is shown. */
const struct flm_functions *flm_cached_tables_functions(struct flm_cached_tables *tables,
                                                        const struct flm_profile *p,
                                                        struct flm_error *why);
const struct flm_functions *flm_cached_tables_measured(struct flm_cached_tables *tables,
                                                       const struct flm_profile *p,
                                                       struct flm_metric metric,
                                                       struct flm_error *why);
const struct flm_summary *flm_cached_tables_summary(struct flm_cached_tables *tables,
                                                    const struct flm_profile *p,
                                                    struct flm_error *why);
const uint32_t *flm_cached_tables_ranking(struct flm_cached_tables *tables,
                                          const struct flm_profile *p, struct flm_metric metric,
                                          struct flm_ranking_order order, uint32_t *count,
                                          struct flm_error *why);
const struct flm_presets *flm_cached_tables_presets(struct flm_cached_tables *tables,
                                                    const struct flm_profile *p,
                                                    struct flm_error *why);
const struct flm_chain *flm_cached_tables_chain(struct flm_cached_tables *tables,
                                                const struct flm_profile *p,
                                                struct flm_metric metric, struct flm_error *why);
struct flm_call_tree *flm_cached_tables_call_tree(struct flm_cached_tables *tables,
                                                  const struct flm_pane *pane,
                                                  struct flm_error *why);

/* "self", "-self" ... the argument of the action "sort": a '-' reverses the usual order of a column
 * (the largest first, names from A). An unknown column is self. */
struct flm_ranking_order flm_ranking_order_of(struct flm_bytes text);
const char *flm_ranking_key_name(enum flm_ranking_key key);

/* The i-th key, for people: {NULL} behind the last one. */
struct flm_choice flm_ranking_choice(size_t i);

/* Whether the columns of a comparison are of self, by which it is sorted, and not of total. */
static inline bool flm_ranking_is_of_self(struct flm_ranking_order order)
{
    return order.key == FLM_RANK_SELF || order.key == FLM_RANK_SELF_CHANGE;
}

#endif
