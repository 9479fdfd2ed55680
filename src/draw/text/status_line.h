/* status_line.h - the status line of a still picture: what is drawn of what, and what is not. */
#ifndef FLAMEL_DRAW_TEXT_STATUS_LINE_H
#define FLAMEL_DRAW_TEXT_STATUS_LINE_H

#include "draw/text/comparison_summary.h"

/* The page of an SVG tells anew what depends on the view: drawn, merged. */
enum flm_picture_fact {
    FLM_FACT_STACKS,
    FLM_FACT_TOTAL,
    FLM_FACT_DRAWN,
    FLM_FACT_MERGED,
    FLM_FACT_LOST,
    FLM_FACT_UNSYMBOLIZED,
    FLM_FACT_LEVELS,
    FLM_FACT_PARTS, /* from here on: of comparisons, each a line of its own */
    FLM_FACT_LOOK,
    FLM_FACT_COUNT
};

struct flm_picture_info {
    struct flm_bytes unit;
    double factor; /* which values are multiplied by */
    uint64_t stack_count;
    double total;
    uint64_t drawn, merged; /* boxes of one frame, and of several */
    double merged_total, merged_of;
    double unsymbolized, unsymbolized_of;
    double lost;
    struct flm_bytes lost_what; /* where it is of one kind */
    uint32_t levels_cut, level_limit;
    const struct flm_comparison *comparison; /* or NULL; then what it needs */
    struct flm_comparison_terms terms;
    const struct flm_change_colors *colors;
};

/* Nothing where there is nothing to tell. May hold names as the profile has them: not plain. */
void flm_picture_fact_add(struct flm_text *out, const struct flm_picture_info *info,
                          enum flm_picture_fact fact);

/* "3 letters are not in the font, and stand as ?". */
void flm_picture_unknown_add(struct flm_text *out, uint64_t count);

#endif
