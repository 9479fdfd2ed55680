/* status_line.h - the status line of a still picture: what is drawn, and what is missing. */
#ifndef FLAMEL_DRAW_TEXT_STATUS_LINE_H
#define FLAMEL_DRAW_TEXT_STATUS_LINE_H

#include "draw/text/comparison_summary.h"

/* The script of an interactive SVG updates the parts that depend on its view: drawn, merged. */
enum flm_status_part {
    FLM_STATUS_STACKS,
    FLM_STATUS_TOTAL,
    FLM_STATUS_DRAWN,
    FLM_STATUS_MERGED,
    FLM_STATUS_LOST,
    FLM_STATUS_UNSYMBOLIZED,
    FLM_STATUS_LEVELS,
    FLM_STATUS_PARTS, /* the following are of comparisons, each a line of its own */
    FLM_STATUS_LEGEND,
    FLM_STATUS_COUNT
};

struct flm_status {
    struct flm_bytes unit;
    double factor; /* values are multiplied by it */
    uint64_t stack_count;
    double total;
    uint64_t drawn, merged; /* boxes of one frame, and of several */
    double merged_total, merged_of;
    double unsymbolized, unsymbolized_of;
    double lost;
    struct flm_bytes lost_what; /* if all losses are of one kind */
    uint32_t levels_cut, level_limit;
    const struct flm_comparison *comparison; /* or NULL; with its terms */
    struct flm_comparison_terms terms;
    const struct flm_change_colors *colors;
};

/* Adds a part; nothing if it is empty. The text may contain names from the profile, not plain. */
void flm_status_add(struct flm_text *out, const struct flm_status *status,
                    enum flm_status_part part);

/* "3 letters are not in the font and are shown as ?". */
void flm_status_add_unknown(struct flm_text *out, uint64_t count);

#endif
