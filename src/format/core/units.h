/* units.h - units as other programs spell them, and as flamel does.
 *
 * A value is never converted: a profile in microseconds stays one, and its totals are those of the
 * program that wrote it. Only the name of the unit becomes ours, by which values are shown and
 * times are recognized:
 *
 *     nanoseconds, nanosecond, nsec    ns          byte, B                     bytes
 *     microseconds, usec, µs, μs       us          kilobytes, kB ...           as they are
 *     milliseconds, msec               ms          count, samples, none, ...   as they are
 *     seconds, second, sec             s */
#ifndef FLAMEL_FORMAT_CORE_UNITS_H
#define FLAMEL_FORMAT_CORE_UNITS_H

#include "base/text/text.h"
#include "flamel/builder.h"

/* The unit's name here: of `name` itself where there is no other. */
struct flm_bytes flm_unit_named(struct flm_bytes name);

/* Appends a blank and the unit to a number; nothing, if the unit is empty. */
void flm_unit_append(struct flm_text *text, struct flm_bytes unit);

/* Adds a note, "period" "10 ms"; none for 0, which stands for a fact that the file does not have. */
void flm_unit_note(struct flm_builder *builder, const char *key, int64_t number,
                   struct flm_bytes unit);

#endif
