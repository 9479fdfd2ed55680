/* units.h - units as other programs spell them, and as flamel does.
 *
 * A value is never converted: a profile in microseconds stays one, and its totals are those of the
 * program that wrote it. Only the name of the unit becomes ours, by which values are shown and
 * times are recognized:
 *
 *     nanoseconds, nanosecond, nsec    ns          byte, B                     bytes
 *     microseconds, usec, µs, μs       us          kilobytes, kB ...           as they are
 *     milliseconds, msec               ms          count, samples, none, ...   as they are
 *     seconds, second, sec             s
 *
 * And the notes on what was measured that formats have in common. */
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

/* The unit's long name, as pprof and OTLP have it: "nanoseconds" for "ns"; others as they are. */
struct flm_bytes flm_unit_long(struct flm_bytes unit);

/* "4096 bytes" is a number and its unit; false for a text that is none. */
bool flm_unit_parse(struct flm_bytes text, int64_t *number, struct flm_bytes *unit);

/* ---- Facts of a recording -------------------------------------------------------------------- */

/* When it was made, a date ("2026-11-20T17:58:21.25Z"); in nanoseconds since 1970 where that is no
 * time that a date stands for. */
#define FLM_NOTE_RECORDED "recorded"
#define FLM_NOTE_TIME "time_ns"

/* Adds one of the two; none for 0. And the time that a profile has; 0: it has none. */
void flm_recorded_note(struct flm_builder *builder, int64_t time_ns);
int64_t flm_recorded_time(const struct flm_profile *profile);

/* Whether `item` is one of a list with ", " between, as notes have it. */
bool flm_list_has(struct flm_bytes list, struct flm_bytes item);

/* The keys of labels whose values are numbers with a unit, joined by ", ". */
#define FLM_NOTE_NUMERIC "labels with numbers"

#endif
