/* internal.h - who answers what: the functions behind the table of query.c. */
#ifndef FLAMEL_VIEWER_QUERY_INTERNAL_H
#define FLAMEL_VIEWER_QUERY_INTERNAL_H

#include "viewer/query/query.h"

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

#endif
