/* read_value.h - single values in the JSON of a Gecko profile. A value of an unexpected type is
 * skipped, as other versions of the format may have it. */
#ifndef FLAMEL_FORMAT_GECKO_READ_VALUE_H
#define FLAMEL_FORMAT_GECKO_READ_VALUE_H

#include "base/text/json_read.h"
#include "format/gecko/tables.h"

/* Adds a string to the profile's texts, or a number as it is written; sets its index, or 0. */
void flm_gecko_read_text(struct flm_json *json, struct flm_gecko_profile *p, uint32_t *index);

/* Sets `value` if a number is next. */
void flm_gecko_read_number(struct flm_json *json, double *value);

/* A number, true or false as 1 or 0, null as NaN; anything else is an error. */
double flm_gecko_read_cell(struct flm_json *json);

/* Enters an object or array, if that is next. */
bool flm_gecko_enter_if(struct flm_json *json, enum flm_json_type type);

/* Replaces what `out` has by a copy of the text. */
void flm_gecko_copy_text(struct flm_json *json, struct flm_text *out, struct flm_bytes text);

#endif
