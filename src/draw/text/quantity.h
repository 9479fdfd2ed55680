/* quantity.h - values as people read them: 1.24 s, 318 ms, 12.4 MiB, 1,204,331 samples.
 *
 * Three significant digits, and the unit that gives them 1 to 3 places before the point; counts are
 * exact up to 10 million, and whole from 1,000 on. The exact form has all digits, in the unit of
 * the metric. */
#ifndef FLAMEL_DRAW_TEXT_QUANTITY_H
#define FLAMEL_DRAW_TEXT_QUANTITY_H

#include "base/text/text.h"

/* `unit` is a metric's: "ns" "us" "ms" "s" "bytes" are scaled, others follow the number unchanged,
 * "" does not. */
void flm_quantity_add(struct flm_text *out, double value, struct flm_bytes unit);

/* Every digit, in groups of three: 1,240,113,402 ns. */
void flm_quantity_add_exact(struct flm_text *out, double value, struct flm_bytes unit);

/* A count: 1,204,331. */
void flm_count_add(struct flm_text *out, uint64_t count);

/* value / whole: "12.3 %", "0.04 %", "100 %", "0 %"; "< 0.01 %" for smaller values that are not
 * 0. */
void flm_percent_add(struct flm_text *out, double value, double whole);

#endif
