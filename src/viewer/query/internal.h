/* internal.h - the functions behind the table of query.c, by file; and descriptions of changes. */
#ifndef FLAMEL_VIEWER_QUERY_INTERNAL_H
#define FLAMEL_VIEWER_QUERY_INTERNAL_H

#include "viewer/input/actions.h"
#include "viewer/query/values.h"

/* Makes the response; false, and `why`, if it cannot be made. */
typedef bool flm_query_make(struct flm_viewer *viewer, struct flm_bytes argument,
                            struct flm_response *response, struct flm_error *why);

flm_query_make flm_query_hello, flm_query_tools, flm_query_chips;             /* tools.c */
flm_query_make flm_query_searches;                                            /* search.c */
flm_query_make flm_query_legend;                                              /* legend.c */
flm_query_make flm_query_hover;                                               /* hover.c */
flm_query_make flm_query_detail;                                              /* detail.c */
flm_query_make flm_query_top, flm_query_list, flm_query_tree, flm_query_aria; /* tables.c */
flm_query_make flm_query_status, flm_query_overlay;                           /* status.c */
flm_query_make flm_query_tracks;                                              /* time.c */
flm_query_make flm_query_complete;                                            /* complete.c */
flm_query_make flm_query_palette, flm_query_menu;                             /* palette.c */
flm_query_make flm_query_code, flm_query_code_wanted;                         /* code.c */
flm_query_make flm_query_notes;                                               /* notes.c */
flm_query_make flm_query_code_rows;                                           /* code_rows.c */

/* What can be done with the selected frame now, section by section, up to `last`: into room for
 * flm_query_menu_size() entries. Returns how many there are. */
size_t flm_query_menu_size(void);
size_t flm_query_list_menu(struct flm_query *q, enum flm_menu_section last,
                           struct flm_response_entry *entries);

/* As a file: export.c. */
bool flm_query_export(struct flm_viewer *viewer, struct flm_bytes kind, struct flm_text *out,
                      struct flm_error *why);

/* ---- code_rows.c ----------------------------------------------------------------------------- */

/* The argument of the action "code-at": a function, and a line of it unless that is 0. All but the
 * line are strings of the profile. */
struct flm_bytes flm_query_code_place(struct flm_query *q, uint32_t function, uint32_t module,
                                      uint32_t file, uint32_t line);

/* Takes the first word off an argument. */
struct flm_bytes flm_query_take_word(struct flm_bytes *argument);

/* ---- moment.c: when, of a flame chart -------------------------------------------------------- */

/* State, start and end, and thread of a node, or of merged ones, `total` wide. NULL, and *count is
 * 0, for other panes, and if memory ran out. */
struct flm_response_moment *flm_query_moment(struct flm_query *q, const struct flm_pane *pane,
                                             struct flm_node node, bool is_merged, double total,
                                             size_t *count);

/* The marker or the counter under the pointer; NULL if there is none, or memory ran out. */
struct flm_response_hover *flm_query_hovered_event(struct flm_query *q);

/* ---- notes.c --------------------------------------------------------------------------------- */

/* The notes on a subject (subject.h), or all of them where that is NULL. NULL, and *count is 0, if
 * there are none, or memory ran out. */
struct flm_subject;
struct flm_response_written *flm_query_written(struct flm_query *q, const struct flm_subject *s,
                                               size_t *count);
bool flm_query_is_noted(const struct flm_subject *s, const struct flm_written_note *note);

/* ---- heatmap.c ------------------------------------------------------------------------------- */

/* The cell of a heatmap under the pointer; NULL likewise. */
struct flm_response_hover *flm_query_hovered_cell(struct flm_query *q);

/* ---- comparison.c: descriptions of changes --------------------------------------------------- */

/* For "tools"; NULL without a comparison. */
struct flm_response_comparison *flm_query_comparison(struct flm_query *q);

/* The items of "legend", where the picture is colored by changes. */
void flm_query_compared_legend(struct flm_query *q, struct flm_response_legend *legend);

/* Before and after of a value, and its change, in the unit of the query. `scale`: the factor of the
 * normalization; before is shown as recorded. */
struct flm_response_change {
    struct flm_bytes before, after, change;
};
struct flm_response_change flm_query_change(struct flm_query *q, const struct flm_change *change,
                                            double scale);

/* The change of a node in any metric that is the "after" of a pair: as the picture has it in the
 * shown one, as recorded in others. False where there is no pair, and of callers and callees in
 * another metric than the shown one. */
bool flm_compared_change_in(const struct flm_viewer *viewer, const struct flm_pane *pane,
                            uint32_t metric, struct flm_node node, enum flm_change_scope scope,
                            struct flm_change *change, double *scale);

/* Whether a metric is shown as part of another one: the "before" of a pair, and the significant
 * part. */
bool flm_compared_is_aside(const struct flm_viewer *viewer, uint32_t metric);

/* A sentence: "10 ms before, 12 ms after: +2 ms (+20 %)". */
void flm_compared_add_sentence(struct flm_viewer *viewer, struct flm_text *out,
                               const struct flm_change *change);

#endif
