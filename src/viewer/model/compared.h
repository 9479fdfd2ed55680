/* comparison.h - two profiles in the viewer: which they are, and how they are compared.
 *
 *     after    the opened file | its expression --+-- operations --+
 *                                                 |                +-- aligned: what is shown
 *     before   the other file  | its expression --+-- operations --+
 *
 * Without another file both sides come from the one: two labels, two threads, two ranges of time,
 * each side chosen by an expression ("label:thread=main", "time:0..2s"). The operations (chips) are
 * carried out on each side before they are aligned, so that those which ask for samples work too.
 * The shown profile then has the metrics of both sides, "before:cpu" and "after:cpu" (or only
 * "before" and "after"), and everything that shows one profile shows its "after".
 *
 * What is measured between the two is part of the scene, and made with it. */
#ifndef FLAMEL_VIEWER_MODEL_COMPARED_H
#define FLAMEL_VIEWER_MODEL_COMPARED_H

#include "algebra/aggregate/lazy_call_tree.h"
#include "algebra/compare/comparable.h"
#include "base/text/json_write.h"
#include "draw/raster/boxes.h"
#include "draw/text/comparison_summary.h"
#include "viewer/scene/cached_tables.h"

struct flm_viewer;
struct flm_scene;
struct flm_pane;

/* State: what the person chose. */
struct flm_comparing {
    struct flm_text expression[2]; /* by enum flm_viewer_side; "": all of the file */
    enum flm_comparison_widths widths;
    enum flm_change_palette palette;
    enum flm_change_scope scope;
    bool absolute;
    enum flm_normalize normalize;
    struct flm_text function; /* FUNCTION: a pattern */
    unsigned kinds;           /* bits of enum flm_change_kind; 0: all */
    bool shows_noise;         /* what cannot be told from noise is colored too */
    bool side_by_side;

    /* What follows. */
    struct flm_profile *side[2]; /* after the expression; NULL where there is none */
    double duration_ns[2];       /* of each side; 0: not known */
    char note[200];              /* why something of it cannot be done now; or "" */
};

/* Of a scene: NULL where nothing is compared. */
struct flm_compared {
    struct flm_comparison is;
    struct flm_metric_pair pair; /* of the shown profile */
    enum flm_normalize by;       /* NONE where what was chosen cannot be done */
    struct flm_change_colors colors;
    double whole;
    struct flm_layout *places; /* side by side: where nodes stand in both; or NULL */

    /* For tables, made when they are first asked for. */
    struct flm_functions before;       /* of the shown profile, measured in "before" */
    struct flm_functions lost, gained; /* and in what was significant, where that is known */
    uint32_t *ranking;                 /* functions that have a value on either side */
    uint32_t ranking_count;
    struct flm_ranking_order ranked;
};

void flm_comparing_clear(struct flm_comparing *comparing);

/* Whether there are two sides. */
bool flm_viewer_compares(const struct flm_viewer *viewer);

/* Makes the two sides and what is shown of them, from the files that are open and the expressions.
 * False, and `why`: everything is as it was. */
bool flm_comparing_open(struct flm_viewer *viewer, struct flm_error *why);

/* The metric of the shown profile that is looked at: of a pair its "after". */
uint32_t flm_comparing_metric(const struct flm_viewer *viewer, uint32_t metric);

/* What a metric is called: where two are compared, "after:cpu" is "cpu". */
struct flm_bytes flm_comparing_metric_name(const struct flm_viewer *viewer, uint32_t metric);

/* For the scene: what is compared, measured. *compared receives it, or NULL. */
bool flm_compared_new(struct flm_viewer *viewer, struct flm_compared **compared,
                      struct flm_error *why);
void flm_compared_free(struct flm_compared *compared);

/* Every function as it was before, under the same numbers; and how much of it changed. NULL, and
 * `why`, if memory ran out. */
const struct flm_functions *flm_compared_functions(struct flm_viewer *viewer,
                                                   struct flm_error *why);
struct flm_change flm_compared_function(const struct flm_viewer *viewer, uint32_t function,
                                        bool of_self);

/* The functions of a table: those of `ranking`, and behind them those that disappeared, the largest
 * first; in the order "change" all of them, the largest change first. NULL, and `why`, if memory
 * ran out. */
const uint32_t *flm_compared_ranking(struct flm_viewer *viewer, const uint32_t *ranking,
                                     struct flm_ranking_order order, uint32_t *count,
                                     struct flm_error *why);

/* How values are told. */
struct flm_comparison_terms flm_compared_terms(const struct flm_viewer *viewer,
                                               const struct flm_compared *compared);

/* Before and after of an unfolded node, and what was significant of it: lost and gained. */
struct flm_compared_sum {
    struct flm_lazy_tree_sum is, significant;
};

/* For an unfolded pane whose tree has grown: both values of its new nodes. */
bool flm_compared_sum(struct flm_pane *pane, struct flm_error *why);

/* How a node of a pane changed: of stacks as they are, of callers and calls as the sum of their
 * places. OF_SELF is what the nodes below it do not have. */
struct flm_change flm_compared_change(const struct flm_pane *pane, struct flm_node node,
                                      enum flm_change_scope scope);

/* The tone of a node, and in `box` its mark, or the texture that stands for the tone where there
 * are no colors. */
const struct flm_tone *flm_compared_look(const struct flm_pane *pane, struct flm_node node,
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

/* "max", "after" ...; "none", "total", "duration", "function". False for another word; "function"
 * is none that is read. */
const char *flm_comparison_width_word(enum flm_comparison_widths widths);
bool flm_comparison_width_named(struct flm_bytes word, enum flm_comparison_widths *widths);
const char *flm_normalize_word(enum flm_normalize by);
bool flm_normalize_named(struct flm_bytes word, enum flm_normalize *by);

/* The choices as words for the URL ("after,self,green-red,side-by-side"; "" for the defaults); and
 * back: words that make no sense are ignored. */
void flm_comparing_write(const struct flm_comparing *comparing, struct flm_text *out);
void flm_comparing_read(struct flm_comparing *comparing, struct flm_bytes words);

/* ---- Answers: query/comparison.c ----------------------------------------------------------- */

/* The member "comparison" of "tools": null, or an object. */
void flm_compared_add_tools(struct flm_viewer *viewer, struct flm_json_writer *json);

/* The items of "legend" (an array "items"), where the picture is colored by changes. */
void flm_compared_add_legend(struct flm_viewer *viewer, struct flm_json_writer *json);

/* Members of a row or of the detail: "total_before", "total_after", "total_change" for `prefix`
 * "total_". `scale` is what before was multiplied by: it is told as recorded; `unit` the metric's.
 */
void flm_compared_add_change(struct flm_json_writer *json, const char *prefix,
                             const struct flm_change *change, double scale, struct flm_bytes unit);

/* The change of a node in any metric that is the "after" of a pair: as the picture tells it in the
 * shown one, as recorded in others. False where there is no pair, and of callers and calls in
 * another metric than the shown one. */
bool flm_compared_change_in(const struct flm_viewer *viewer, const struct flm_pane *pane,
                            uint32_t metric, struct flm_node node, enum flm_change_scope scope,
                            struct flm_change *change, double *scale);

/* Whether a metric is told beside another: the "before" of a pair is, and what was significant. */
bool flm_compared_is_aside(const struct flm_viewer *viewer, uint32_t metric);

/* A sentence: "10 ms before, 12 ms after: +2 ms (+20 %)". */
void flm_compared_add_sentence(struct flm_viewer *viewer, struct flm_text *out,
                               const struct flm_change *change);

#endif
