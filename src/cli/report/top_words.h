/* top_words.h - what `flamel top` says about what it shows. */
#ifndef FLAMEL_CLI_REPORT_TOP_WORDS_H
#define FLAMEL_CLI_REPORT_TOP_WORDS_H

#include "base/text/text.h"
#include "record/live/live.h"

/* How many processors were busy, as far as samples tell: by the time that they stand for, or at
 * `hz` (0: not known) each; negative where that cannot be told. */
double flm_top_busy(const struct flm_profile *profile, const struct flm_live_info *info, double hz);

/* "last 10 s: 9,870 samples, 1.9 processors busy, 0 lost, own cost 0.6 % and
 * 41.2 MiB" */
void flm_top_tell(const struct flm_live_state *state, double busy, struct flm_text *out);

/* "nothing ran in the last 10 s" */
void flm_top_tell_empty(const struct flm_live_state *state, struct flm_text *out);

/* "ended at 15:04:05, exit status 0"; of one that still runs: "live". */
void flm_top_tell_phase(const struct flm_live_state *state, const char *time, struct flm_text *out);

/* A name for a file without what shells and file systems do not like: "top-app-150405.flm". */
void flm_top_propose(const char *name, const char *time, struct flm_text *out);

#endif
