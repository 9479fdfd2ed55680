/* comparison_summary.h - what a comparison says of itself, whatever it is shown in: how much
 * changed in all, how like the two are, what was made equal first, what widths, colors and grays
 * mean. None of that may be left to be guessed, so whoever shows a comparison shows these words.
 *
 *     sum     +12.4 % in all · similarity 0.86 · before × 1.08, so that the totals are equal
 *     parts   appeared 30 samples (60 %) in 1 stack · grown ... · shares of before
 *             significant: grown 20 samples (40 %) ...     where that is known: all that has color
 *     look    as wide as the larger of both · colored by the change of the subtree, ... */
#ifndef FLAMEL_DRAW_TEXT_COMPARISON_SUMMARY_H
#define FLAMEL_DRAW_TEXT_COMPARISON_SUMMARY_H

#include "base/text/text.h"
#include "draw/color/change_colors.h"

/* How values are told, and what `scale` came from. */
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

/* One kind: "30 samples (60 %) in 1 stack", the share is that of before; and all that are not 0. */
void flm_comparison_add_part(struct flm_text *out, const struct flm_comparison *comparison,
                             enum flm_change_kind kind, const struct flm_comparison_terms *terms);
void flm_comparison_add_parts(struct flm_text *out, const struct flm_comparison *comparison,
                              const struct flm_comparison_terms *terms);

void flm_comparison_add_look(struct flm_text *out, const struct flm_comparison *comparison,
                             const struct flm_change_colors *colors);

/* "10 samples before, 30 samples after: +20 (+200 %)"; where before is scaled, what it is then. */
void flm_comparison_add_change(struct flm_text *out, const struct flm_comparison *comparison,
                               const struct flm_change *change,
                               const struct flm_comparison_terms *terms);

/* "0.86": two decimals, and 1 and 0 only for what is exactly that. */
void flm_similarity_add(struct flm_text *out, double similarity);

/* "normalized: before x 1.2, so that the totals are equal", or "not normalized". */
void flm_comparison_add_normalized(struct flm_text *out, const struct flm_comparison *comparison,
                                   const struct flm_comparison_terms *terms);

/* "+200 %", "-3 %", "0 %", "new", "gone": of the value before. */
void flm_change_add_percent(struct flm_text *out, const struct flm_change *change);

#endif
