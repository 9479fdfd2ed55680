/* answer_parts.h - who answers what: the functions behind the table of answers.c. */
#ifndef FLAMEL_VIEW_ANSWER_PARTS_H
#define FLAMEL_VIEW_ANSWER_PARTS_H

#include "view/answers.h"

/* Writes the answer; false, and `why`, if it cannot be given. */
typedef bool flm_answer_write(struct flm_viewer *viewer, struct flm_bytes argument,
                              struct flm_text *out, struct flm_error *why);

flm_answer_write flm_answer_hello, flm_answer_tools, flm_answer_chips; /* answers_tools.c */
flm_answer_write flm_answer_searches;                                  /* answers_search.c */
flm_answer_write flm_answer_legend;                                    /* answers_legend.c */
flm_answer_write flm_answer_hover, flm_answer_detail;                  /* answers_detail.c */
flm_answer_write flm_answer_top, flm_answer_list, flm_answer_tree,
    flm_answer_aria;                                    /* answers_tables.c */
flm_answer_write flm_answer_status, flm_answer_overlay; /* answers_status.c */
flm_answer_write flm_answer_tracks;                     /* answers_time.c */
flm_answer_write flm_answer_complete;                   /* answers_complete.c */
flm_answer_write flm_answer_export;                     /* answers_export.c */

#endif
