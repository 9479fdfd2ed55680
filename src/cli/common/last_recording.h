/* last_recording.h - the file that report, view and info take where none is named: the newest
 * recording in the current folder.
 *
 * Recordings are flamel.flm and other files whose name ends in .flm, and perf.data. The newest, and
 * not always flamel.flm, because whoever has just recorded with -o means that file. What was made
 * in the same moment (by a copy, from an archive) is taken in this order: flamel.flm, perf.data,
 * then by name. */
#ifndef FLAMEL_CLI_COMMON_LAST_RECORDING_H
#define FLAMEL_CLI_COMMON_LAST_RECORDING_H

#include "base/text/text.h"
#include "flamel/error.h"

/* Its path, terminated by 0, into `path`, which is to be cleared in any case. False, and `why`,
 * when there is none in `folder`. */
bool flm_last_recording(const char *folder, struct flm_text *path, struct flm_error *why);

/* The one in the current folder, after a message that says which (unless `quiet`). NULL when there
 * is none; the error was printed then. The answer is the text's. */
const char *flm_last_recording_taken(struct flm_text *path, bool quiet);

#endif
