/* compared.h - what changed between two profiles (model/comparing.h), measured: part of the scene,
 * and made with it. */
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

/* Of a scene: NULL where nothing is compared. */
struct flm_compared {
    struct flm_comparison comparison;
    struct flm_metric_pair pair; /* of the shown profile */
    enum flm_normalize by;       /* NONE where what was chosen cannot be done */
    struct flm_change_colors colors;
    double whole;
    struct flm_layout *shared_layout; /* side by side: where nodes stand in both; or NULL */

    /* For tables, made when they are first asked for. */
    struct flm_functions before;       /* of the shown profile, measured in "before" */
    struct flm_functions lost, gained; /* and in what was significant, where that is known */
    uint32_t *ranking;                 /* functions that have a value on either side */
    uint32_t ranking_count;
    struct flm_ranking_order ranked;
};

/* For the scene: what is compared, measured. *compared receives it, or NULL. */
bool flm_compared_new(struct flm_model *model, struct flm_compared **compared,
                      struct flm_error *why);
void flm_compared_free(struct flm_compared *compared);

/* Every function as it was before, under the same numbers; and how much of it changed. NULL, and
 * `why`, if memory ran out. */
const struct flm_functions *flm_compared_functions(const struct flm_model *model,
                                                   const struct flm_scene *scene,
                                                   struct flm_error *why);
struct flm_change flm_compared_function(const struct flm_scene *scene, uint32_t function,
                                        bool of_self);

/* The functions of a table: those of `ranking`, and behind them those that disappeared, the largest
 * first; in the order "change" all of them, the largest change first. NULL, and `why`, if memory
 * ran out. */
const uint32_t *flm_compared_ranking(const struct flm_model *model, const struct flm_scene *scene,
                                     const uint32_t *ranking, struct flm_ranking_order order,
                                     uint32_t *count, struct flm_error *why);

/* How values are told. */
struct flm_comparison_terms flm_compared_terms(const struct flm_model *model,
                                               const struct flm_compared *compared);

/* Before and after of an unfolded node, and what was significant of it: lost and gained. */
struct flm_compared_sum {
    struct flm_lazy_tree_sum all, significant;
};

/* For an unfolded pane whose tree has grown: both values of its new nodes. */
bool flm_compared_sum(struct flm_pane *pane, struct flm_error *why);

/* How a node of a pane changed: of stacks as they are, of callers and calls as the sum of their
 * places. OF_SELF is what the nodes below it do not have. */
struct flm_change flm_compared_change(const struct flm_pane *pane, struct flm_node node,
                                      enum flm_change_scope scope);

/* The tone of a node, and in `box` its mark, or the texture that stands for the tone where there
 * are no colors. */
const struct flm_tone *flm_compared_style(const struct flm_pane *pane, struct flm_node node,
                                          struct flm_box *box);

/* What the colors mean. */
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
