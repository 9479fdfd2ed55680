/* write.h - profiles for the Firefox Profiler. */
#ifndef FLAMEL_FORMAT_GECKO_WRITE_H
#define FLAMEL_FORMAT_GECKO_WRITE_H

#include "format/core/format.h"

bool flm_gecko_write(const struct flm_profile *profile, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why);

#endif
