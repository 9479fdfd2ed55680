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

/* ---- In columns ------------------------------------------------------------------------------ */

/* Numbers that stand one above the other share a unit and a precision, so that the longer one is
 * the larger one:
 *
 *     2,964.0 ms      and not   2.96 s        104.13 M      and not   104 M
 *        21.0 ms                21 ms           8.02 M                8,016,032
 *         0.4 ms                400 us         <0.01 M                512
 *
 * The unit is the largest in which the largest number is 10 or more; counts below 10 million are
 * exact. Decimals are as many as show so many digits of the largest number, and no more than any
 * number of the column needs. Tables with percentages of one decimal have 4, those with two 5: both
 * tell apart what the other does. */
enum { FLM_DIGITS_OF_REPORTS = 4, FLM_DIGITS_OF_TABLES = 5 };

struct flm_scale {
    double size;           /* of the unit that is shown, in the unit of the metric */
    int decimals, most;    /* that are shown, and at most */
    const char *name;      /* "ms", "MiB", "M", "" */
    struct flm_bytes unit; /* behind it: of a metric whose values are counts; borrowed */
};

/* For numbers of up to `largest`, whatever its sign. Then each number, or a sample of them, is
 * added: decimals are as many as those need. False when more numbers make no difference. */
void flm_scale_init(struct flm_scale *scale, double largest, int digits, struct flm_bytes unit);
bool flm_scale_add(struct flm_scale *scale, double value);

/* "2,964.0": the number without its unit; "0", and "<0.1" for what is less. */
void flm_scale_add_number(const struct flm_scale *scale, double value, struct flm_text *out);

/* "ms", "M cycles", "samples", of a number (1 sample, 2 samples; NAN: of a column). */
void flm_scale_add_unit(const struct flm_scale *scale, double value, struct flm_text *out);

/* value / whole with two decimals: "12.30 %", "<0.01 %"; "100.00 %" is all. */
void flm_scale_add_percent(struct flm_text *out, double value, double whole);

/* ---- Percentages ----------------------------------------------------------------------------- */

/* value / whole: "12.3 %", "0.04 %", "100 %", "0 %"; "< 0.01 %" for smaller values that are not
 * 0. */
void flm_percent_add(struct flm_text *out, double value, double whole);

#endif
