/* recorder.h - opens events, reads the rings, and feeds a session, while a target runs.
 *
 *     limits.h       what the system permits, and what would permit more
 *     request.h      which events, how often, with which stacks: "cycles:u" -> attributes
 *     target.h       a command to start, processes or threads to attach to, or the machine
 *     ring.h         one mapped ring for each CPU, read in the order of time
 *     synthesized.h  the mappings from before the recording
 *
 * The recorder sleeps until a ring is a quarter full or a tenth of a second has passed, and then
 * reads all rings: each sample is unwound in place, spooled to disk as a call chain
 * (perf_stream.h), and added to the session. So nothing piles up, and only symbols are left for the
 * end.
 *
 * Everything that may be refused (privileges, limits, a kernel without the event) is tried before
 * the command starts; a refusal says what would permit it. */
#ifndef FLAMEL_RECORD_CAPTURE_RECORDER_H
#define FLAMEL_RECORD_CAPTURE_RECORDER_H

#include "flamel/record.h"
#include "record/session/session.h"

struct flm_recorder;

/* Copies the options of a caller, which may be of an older version. False, and `why`, for a size
 * that is not one of these options, an empty command, and for more than one target. */
bool flm_record_options_copy(struct flm_record_options *to, const struct flm_record_options *from,
                             struct flm_error *why);

/* Opens everything, and starts the command stopped before its first instruction. NULL, and `why`
 * with what would permit it; FLM_ERROR_USAGE without a target. `options` have the size of this
 * library; its callbacks and `self` are not used here. */
struct flm_recorder *flm_recorder_new(const struct flm_record_options *options,
                                      struct flm_error *why);
void flm_recorder_free(struct flm_recorder *recorder);

/* Describes the recording for users, in lines: first what is recorded ("cpu-clock (no hardware
 * counters here), 999 Hz, DWARF unwinding, user space"), then what is not, and what would permit
 * it. */
void flm_recorder_explain(const struct flm_recorder *recorder, struct flm_text *out);

/* Lets the target run, and reads the rings until it ends, the duration is over, or `tick` returns
 * false. `tick` is called about ten times a second. */
typedef bool (*flm_recorder_tick)(void *context, struct flm_recorder *recorder);
bool flm_recorder_run(struct flm_recorder *recorder, flm_recorder_tick tick, void *context,
                      struct flm_error *why);

/* Ends a command that still runs, with what it has started (ending.h). */
void flm_recorder_end_command(struct flm_recorder *recorder);

/* The result; while it runs, until now. */
struct flm_record_result flm_recorder_result(const struct flm_recorder *recorder);

/* The recorder's session, from which profiles may be taken while it runs. */
struct flm_session *flm_recorder_session(struct flm_recorder *recorder);

#endif
