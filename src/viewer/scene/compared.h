/* compared.h - the differences of two profiles (model/comparing.h), as part of the scene. */
#ifndef FLAMEL_VIEWER_SCENE_COMPARED_H
#define FLAMEL_VIEWER_SCENE_COMPARED_H

#include "algebra/aggregate/lazy_call_tree.h"
#include "algebra/compare/comparable.h"
#include "draw/raster/boxes.h"
#include "draw/text/comparison_summary.h"
#include "viewer/scene/cached_tables.h"

struct flm_model;
struct flm_scene;
struct flm_pane;

/* Of a scene; NULL without a comparison. */
struct flm_compared {
    struct flm_comparison comparison;
    struct flm_metric_pair pair; /* of the shown profile */
    enum flm_normalize by;       /* NONE if the chosen one is not possible */
    struct flm_change_colors colors;
    double whole;
    struct flm_layout *shared_layout; /* side by side: the positions in both; or NULL */

    /* For tables, made at their first use. */
    struct flm_functions before;       /* of the shown profile, measured in "before" */
    struct flm_functions lost, gained; /* in the significant changes, where known */
    uint32_t *ranking;                 /* functions that have a value on either side */
    uint32_t ranking_count;
    struct flm_ranking_order ranked;
};

/* Measures the comparison of a model. *compared receives it, or NULL if there is none. */
bool flm_compared_new(struct flm_model *model, struct flm_compared **compared,
                      struct flm_error *why);
void flm_compared_free(struct flm_compared *compared);

/* The functions of "before", under the same numbers; and the change of a function. NULL, and `why`,
 * if memory ran out. */
const struct flm_functions *flm_compared_functions(const struct flm_model *model,
                                                   const struct flm_scene *scene,
                                                   struct flm_error *why);
struct flm_change flm_compared_function(const struct flm_scene *scene, uint32_t function,
                                        bool of_self);

/* The functions of a table: those of `ranking`, and behind them those that disappeared, the largest
 * first; in the orders of changes all of them, the largest change first. NULL, and `why`, if memory
 * ran out. */
const uint32_t *flm_compared_ranking(const struct flm_model *model, const struct flm_scene *scene,
                                     const uint32_t *ranking, struct flm_ranking_order order,
                                     uint32_t *count, struct flm_error *why);

/* How differences are described. */
struct flm_comparison_terms flm_compared_terms(const struct flm_model *model,
                                               const struct flm_compared *compared);

/* Before and after of a node of a lazy call tree, and the significant part: lost and gained. */
struct flm_compared_sum {
    struct flm_lazy_tree_sum all, significant;
};

/* For a lazy pane whose tree has grown: both values of its new nodes. */
bool flm_compared_sum(struct flm_pane *pane, struct flm_error *why);

/* The change of a node of a pane: of stacks as they are, of callers and callees the sum of their
 * occurrences. OF_SELF: without the nodes below it. */
struct flm_change flm_compared_change(const struct flm_pane *pane, struct flm_node node,
                                      enum flm_change_scope scope);

/* The tone of a node, and in `box` its mark, or the texture that represents the tone without
 * colors. */
const struct flm_tone *flm_compared_style(const struct flm_pane *pane, struct flm_node node,
                                          struct flm_box *box);

/* The meaning of the colors. */
enum { FLM_COMPARED_KEYS = 5 };
struct flm_compared_key {
    const char *title, *action; /* which filters by the kind */
    int step;                   /* of the tones */
    int kind;                   /* enum flm_change_kind; NONE: those that are the same */
    enum flm_mark mark;
};
void flm_compared_keys(const struct flm_compared *compared,
                       struct flm_compared_key keys[FLM_COMPARED_KEYS]);

#endif
