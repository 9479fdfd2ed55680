/* comparison_summary.h - the texts that explain a comparison, the same in every report and picture:
 * how much changed, how similar the two are, how they were normalized, what widths, colors and
 * grays mean. A reader must not have to guess any of that, so everything that shows a comparison
 * shows them.
 *
 *     sum     +12.4 % in total · similarity 0.86 · before × 1.08, so that the totals are equal
 *     parts   appeared 30 samples (60 %) in 1 stack · grown ... · shares of before
 *             significant: grown 20 samples (40 %) ...     where that is known: all colored frames
 *     legend  width: the larger of both · color: change of the subtree, ... */
#ifndef FLAMEL_DRAW_TEXT_COMPARISON_SUMMARY_H
#define FLAMEL_DRAW_TEXT_COMPARISON_SUMMARY_H

#include "base/text/text.h"
#include "draw/color/change_colors.h"

/* Unit and factor of values, and the origin of `scale`. */
struct flm_comparison_terms {
    struct flm_bytes unit;
    double factor;
    enum flm_normalize by;
    struct flm_bytes function; /* FUNCTION: the pattern */
};

/* SHORT leaves out the two totals. */
void flm_comparison_add_short(struct flm_text *out, const struct flm_comparison *comparison,
                              const struct flm_comparison_terms *terms);
void flm_comparison_add_sum(struct flm_text *out, const struct flm_comparison *comparison,
                            const struct flm_comparison_terms *terms);

/* Adds one kind: "30 samples (60 %) in 1 stack", as a share of before; and all kinds that are not
 * 0. */
void flm_comparison_add_part(struct flm_text *out, const struct flm_comparison *comparison,
                             enum flm_change_kind kind, const struct flm_comparison_terms *terms);
void flm_comparison_add_parts(struct flm_text *out, const struct flm_comparison *comparison,
                              const struct flm_comparison_terms *terms);

void flm_comparison_add_legend(struct flm_text *out, const struct flm_comparison *comparison,
                               const struct flm_change_colors *colors);

/* "10 samples before, 30 samples after: +20 (+200 %)"; with the normalized value if before is
 * scaled. */
void flm_comparison_add_change(struct flm_text *out, const struct flm_comparison *comparison,
                               const struct flm_change *change,
                               const struct flm_comparison_terms *terms);

/* "0.86": two decimals; "1" and "0" only for exactly these. */
void flm_similarity_add(struct flm_text *out, double similarity);

/* "normalized: before x 1.2, so that the totals are equal", or "not normalized". */
void flm_comparison_add_normalized(struct flm_text *out, const struct flm_comparison *comparison,
                                   const struct flm_comparison_terms *terms);

/* "+200 %", "-3 %", "0 %", "new", "gone": of the value before. */
void flm_change_add_percent(struct flm_text *out, const struct flm_change *change);

#endif
