/* difference.h - the difference of two columns, and the parts that it is made of, each a graph of
 * its own: Tornetta, "On the Algebraic Properties of Flame Graphs", section 3.
 *
 *     stack     before  after   delta   appeared  grown  disappeared  shrunk   plus  minus
 *     a;gone    10      0       -10     -         -      10           -        -     10
 *     a;new     0       30      30      30        -      -            -        30    -
 *     a;more    20      25      5       -         5      -            -        5     -
 *     a;less    9       4       -5      -         -      -            5        -     5
 *
 * delta is signed; all others are flame graphs. appeared, grown, disappeared and shrunk have no
 * stack in common. delta = plus - minus, plus = appeared + grown, minus = disappeared + shrunk, and
 * |plus| - |minus| = |after| - |before|.
 *
 * A part is taken stack by stack, so the total of a frame in a part is not that part of the frame's
 * change: where lex lost as much as number gained, their caller parse did not change, but is
 * equally large in plus and in minus. */
#ifndef FLAMEL_ALGEBRA_COMPARE_DIFFERENCE_H
#define FLAMEL_ALGEBRA_COMPARE_DIFFERENCE_H

#include "algebra/compare/comparison.h"
#include "base/core/bytes.h"

enum flm_part {
    FLM_PART_APPEARED,
    FLM_PART_GROWN,
    FLM_PART_DISAPPEARED,
    FLM_PART_SHRUNK,
    FLM_PART_PLUS,
    FLM_PART_MINUS,
    FLM_PART_DELTA,
    FLM_PARTS
};

const char *flm_part_name(enum flm_part part);
bool flm_part_named(struct flm_bytes name, enum flm_part *part); /* false: there is none */

/* One part as a profile of one metric, called `name` and of `unit`. `comparison` is of two columns
 * of `profile`; the values are multiplied by `factor`: with 1 / total they are shares. */
struct flm_profile *flm_part_of(const struct flm_profile *profile,
                                const struct flm_comparison *comparison, enum flm_part part,
                                struct flm_bytes name, struct flm_bytes unit, double factor,
                                struct flm_error *why);

#endif
