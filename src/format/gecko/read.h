/* read.h - JSON into the tables of a Gecko profile. */
#ifndef FLAMEL_FORMAT_GECKO_READ_H
#define FLAMEL_FORMAT_GECKO_READ_H

#include "base/text/json_read.h"
#include "format/gecko/tables.h"

/* Reads the value that is next: a profile, or an object that has one as its member "profile", as the
 * developer tools of Firefox write. The caller clears the profile in any case, and finishes the
 * JSON. */
void flm_gecko_read(struct flm_json *json, struct flm_gecko_profile *profile);

#endif
