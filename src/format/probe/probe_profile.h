/* probe_profile.h - the profile of a program that measured itself, of the bytes of its file. */
#ifndef FLAMEL_FORMAT_PROBE_PROBE_PROFILE_H
#define FLAMEL_FORMAT_PROBE_PROBE_PROFILE_H

#include "base/core/bytes.h"
#include "flamel/profile.h"

/* NULL, and `why`: the file is damaged, or memory ran out. */
struct flm_profile *flm_probe_profile(struct flm_bytes bytes, struct flm_error *why);

#endif
