/* internal.h - who answers what: the functions behind the table of query.c. */
#ifndef FLAMEL_VIEWER_QUERY_INTERNAL_H
#define FLAMEL_VIEWER_QUERY_INTERNAL_H

#include "base/text/json_write.h"
#include "viewer/query/query.h"
#include "viewer/scene/compared.h"

/* Writes the answer; false, and `why`, if it cannot be given. */
typedef bool flm_answer_write(struct flm_viewer *viewer, struct flm_bytes argument,
                              struct flm_text *out, struct flm_error *why);

flm_answer_write flm_answer_hello, flm_answer_tools, flm_answer_chips;              /* tools.c */
flm_answer_write flm_answer_searches;                                               /* search.c */
flm_answer_write flm_answer_legend;                                                 /* legend.c */
flm_answer_write flm_answer_hover, flm_answer_detail;                               /* detail.c */
flm_answer_write flm_answer_top, flm_answer_list, flm_answer_tree, flm_answer_aria; /* tables.c */
flm_answer_write flm_answer_status, flm_answer_overlay;                             /* status.c */
flm_answer_write flm_answer_tracks;                                                 /* time.c */
flm_answer_write flm_answer_complete;                                               /* complete.c */
flm_answer_write flm_answer_export;                                                 /* export.c */

/* ---- What is said about changes: comparison.c ---- */

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
