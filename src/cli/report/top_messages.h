/* top_messages.h - the lines of `flamel top`: its status, why there is nothing to show, how the
 * recording ended. */
#ifndef FLAMEL_CLI_REPORT_TOP_MESSAGES_H
#define FLAMEL_CLI_REPORT_TOP_MESSAGES_H

#include "base/text/text.h"
#include "flamel/live.h"

/* "last 10 s: 9,870 samples, 1.9 CPUs busy, 0 lost, own cost 0.6 % and
 * 41.2 MiB" */
void flm_top_write_status(const struct flm_live_state *state, struct flm_text *out);

/* "nothing ran in the last 10 s" */
void flm_top_write_empty(const struct flm_live_state *state, struct flm_text *out);

/* "ended at 15:04:05, exit status 0"; of one that still runs: "live". */
void flm_top_write_phase(const struct flm_live_state *state, const char *time,
                         struct flm_text *out);

/* A file name without characters that are special to shells and file systems:
 * "top-app-150405.flm". */
void flm_top_write_file_name(const char *name, const char *time, struct flm_text *out);

#endif
