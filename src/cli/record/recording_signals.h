/* recording_signals.h - what signals do while a command is recorded, or run with the probe: the
 * first one ends the command, and what was recorded is kept; the second one does not wait for it.
 *
 * There is one recording at a time: what the handler writes is the program's. */
#ifndef FLAMEL_CLI_RECORD_RECORDING_SIGNALS_H
#define FLAMEL_CLI_RECORD_RECORDING_SIGNALS_H

#include "cli/common/signals.h"

/* From now on; flm_signals_restore gives them back. */
void flm_recording_signals_catch(struct flm_signals *caught);

/* From now on the second signal ends the program at once, and says that the recording is in
 * `spool`; or it does no longer. */
void flm_recording_signals_may_end(const char *spool, const char *output);
void flm_recording_signals_wait(void);

/* The last signal that came, 0: none; and how many did. */
int flm_recording_signal(void);
int flm_recording_signal_count(void);

struct flm_recording_stopping {
    int process;      /* of the command; 0: there is none */
    int64_t since_ns; /* of the first signal; 0: none yet */
};

/* For the recorder's tick: whether it shall go on. */
bool flm_recording_goes_on(struct flm_recording_stopping *stopping);

#endif
