/* losses.h - what a file of a format leaves out of a profile, because the format cannot hold it.
 *
 *     "2 other metrics (cycles, samples), times of 482 samples, modules of 60 frames"
 *
 * Formats say what they hold in their entries (format/core/format.h); this counts what a profile
 * has of the rest. tests/load/losses_test.c reads every format back to see that its entry is
 * right. */
#ifndef FLAMEL_LOAD_LOSSES_H
#define FLAMEL_LOAD_LOSSES_H

#include "format/core/format.h"

/* Adds that list to `out`; nothing where nothing is lost. */
void flm_losses_add(struct flm_text *out, const struct flm_profile *profile,
                    const struct flm_format *format, const struct flm_write_options *options);

#endif
