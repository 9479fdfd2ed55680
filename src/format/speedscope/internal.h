/* internal.h - a profile as speedscope's JSON.
 *
 * A metric is a profile of the type "sampled"; where there are single samples, it is one for each
 * thread, in the order of time, with the gaps between them as empty stacks. Units that speedscope
 * does not know become "none". Where there are several metrics, a profile has a member that
 * speedscope passes over:
 *
 *     "name": "CPU 0 (alloc_space)",
 *     "flamel": {"metric": "alloc_space", "unit": "bytes", "name": "CPU 0"} */
#ifndef FLAMEL_FORMAT_SPEEDSCOPE_INTERNAL_H
#define FLAMEL_FORMAT_SPEEDSCOPE_INTERNAL_H

#include "format/core/format.h"

bool flm_speedscope_write(const struct flm_profile *profile,
                          const struct flm_write_options *options, struct flm_text *out,
                          struct flm_error *why);

#endif
