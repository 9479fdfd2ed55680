/* time_ticks.h - the ticks of an axis of time, and their labels. Times are in ns. */
#ifndef FLAMEL_DRAW_TEXT_TIME_TICKS_H
#define FLAMEL_DRAW_TEXT_TIME_TICKS_H

#include "base/text/text.h"

/* How far ticks of an axis are from each other: 1, 2 or 5 times a power of ten, so that labels are
 * at least so far `apart`. */
double flm_tick_step(double duration, double width, double apart);

/* The same of `count` columns, which are `column` long: at least so far apart as columns are, in
 * which a place to the right is no later time. */
double flm_tick_column_step(double column, double count, double width, double apart);

/* The next tick; INFINITY where a step is too small for a number of this size to change. */
double flm_tick_next(double at, double step);

/* The label of a tick, in ns: in the unit of the whole axis, which is `longest`, and with as many
 * digits as distinguish ticks that are a step apart: "1.2335 s". */
void flm_tick_label_add(struct flm_text *out, double at, double step, double longest);

#endif
