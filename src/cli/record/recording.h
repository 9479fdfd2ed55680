/* recording.h - one recording, from its start to its file: what `flamel record` makes once, and
 * `flamel gate --ab` again and again.
 *
 *     spool      OUTPUT.part is written while the command runs: what is left of a recording that
 *                was cut off. One that another recording has left is kept as OUTPUT.part.old
 *     signals    Ctrl-C ends the command, and what was recorded is a profile; twice ends at once:
 *                while symbols are read too, and then only the spool is left
 *     finish     symbols, then OUTPUT, in the format that its end says; the spool is removed. The
 *                file that was OUTPUT is kept as OUTPUT.old, where that is wanted */
#ifndef FLAMEL_CLI_RECORD_RECORDING_H
#define FLAMEL_CLI_RECORD_RECORDING_H

#include <sched.h>

#include "cli/common/signals.h"
#include "cli/record/record_filters.h"
#include "cli/report/record_summary.h"

/* A note of the profile. */
struct flm_recorded_note {
    const char *key, *value;
};

struct flm_recorded_options {
    struct flm_record_options recorder; /* its spool is chosen here */
    const char *output;
    bool quiet; /* nothing is said but errors */
    bool keep_raw;
    bool keeps_previous;  /* what OUTPUT was is OUTPUT.old afterward, if it was not empty */
    bool spares_previous; /* OUTPUT stays as it is where nothing was sampled now, but was then */
    const struct flm_record_filters *filters; /* what is kept of it; NULL: all */
    const struct flm_recorded_note *notes;
    size_t note_count;

    /* Of a command. */
    bool is_muted;               /* it reads nothing, and prints to `log` */
    int log;                     /* a file */
    const cpu_set_t *processors; /* that it may run on; NULL: as we */
};

struct flm_recorded {
    struct flm_recording *recording;
    struct flm_profile *profile;
    struct flm_record_summary summary; /* borrows from here and from the options */
    int stopped_by;                    /* a signal that we got; 0: none */
    bool ended_command;                /* by us, when the recording was over before it */
    bool kept_previous;                /* OUTPUT was not written: see spares_previous */
    bool replaced_previous;            /* OUTPUT has no samples now; OUTPUT.old has some */
    uint32_t filtered_out;             /* samples that the filters left out */
    struct flm_text spool;
    struct flm_signals caught;
};

/* Records, and writes the profile. False, and `why`, when either failed; `recorded` is to be
 * cleared in any case. */
bool flm_recorded_make(struct flm_recorded *recorded, const struct flm_recorded_options *options,
                       struct flm_error *why);
void flm_recorded_clear(struct flm_recorded *recorded);

/* Of a recording that was made: as its command ended, 128 and the signal where that ended it, as
 * perf and shells have it. 0 where there was no command, and where we ended it; if we were stopped
 * before it ended, 128 and that signal. */
int flm_recorded_exit_status(const struct flm_recorded *recorded);

#endif
