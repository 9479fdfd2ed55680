/* previous_file.h - a recording takes the place of the one before.
 *
 *     OUTPUT          samples now                     nothing was sampled
 *     samples         becomes OUTPUT.old (keeps)      stays as it is (spares), or OUTPUT.old
 *     anything else   becomes OUTPUT.old (keeps)      the same
 *     an empty one    is replaced                     is replaced
 *
 * Meanwhile the previous file has a second name, OUTPUT.old.PID, so there is a file called OUTPUT
 * at any time. Where the new one cannot be written everything is as it was. Where OUTPUT.old cannot
 * be replaced, the new one is written, and the previous one keeps its second name, which the error
 * has. */
#ifndef FLAMEL_CLI_RECORD_PREVIOUS_FILE_H
#define FLAMEL_CLI_RECORD_PREVIOUS_FILE_H

#include "flamel/profile.h"

struct flm_previous_file {
    bool keeps, spares;
    bool was_spared;   /* receives whether nothing was written for that reason */
    bool was_replaced; /* receives whether it had samples, is OUTPUT.old, and there are none now */
};

/* Writes the profile in the format that the end of `output` says. */
bool flm_save_over_previous(const struct flm_profile *profile, const char *output,
                            struct flm_previous_file *previous, struct flm_error *why);

#endif
