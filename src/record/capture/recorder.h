/* recorder.h - taking samples: events opened, rings drained, and a session fed, while a target
 * runs.
 *
 *     limits.h     what the system allows, and what would allow more
 *     request.h    which events, how often, with which stacks      "cycles:u" -> attributes
 *     target.h     a command to start, processes or threads to attach to, or the machine
 *     ring.h       one mapped ring for each processor, read in the order of time
 *     synthesized.h   what was mapped before recording began
 *
 * The recorder's thread sleeps until a ring is a quarter full or a tenth of a second has gone by,
 * and then reads all rings: each sample is unwound where it lies, written to disk as a call chain
 * (perf_stream.h), and added to the session. So nothing piles up, and what is left to do at the end
 * is symbols.
 *
 * Everything that may be refused (rights, limits, a kernel without the event) is tried before the
 * command starts, and is refused with what would allow it. */
#ifndef FLAMEL_RECORD_CAPTURE_RECORDER_H
#define FLAMEL_RECORD_CAPTURE_RECORDER_H

#include "flamel/record.h"
#include "record/session/session.h"

struct flm_recorder;

/* Copies the options of a caller, which may be of an older version. False, and `why`, for a size
 * that is not one of these options, and unless there is exactly one target. */
bool flm_record_options_copy(struct flm_record_options *to, const struct flm_record_options *from,
                             struct flm_error *why);

/* Opens everything, and starts the command stopped at its first instruction. NULL, and `why` with
 * what would allow it. Options have the size of this library; callbacks and `self` are not for the
 * recorder. */
struct flm_recorder *flm_recorder_new(const struct flm_record_options *options,
                                      struct flm_error *why);
void flm_recorder_free(struct flm_recorder *recorder);

/* What was found, for people, a line each: first what is recorded ("cpu-clock (no hardware counters
 * here), 999 Hz, stacks unwound, user space"), then what is not, and what would bring it. */
void flm_recorder_explain(const struct flm_recorder *recorder, struct flm_text *out);

/* Lets the target run, and drains the rings until it ends, the duration is over, or a tick says
 * stop. `tick` is called about ten times a second. */
typedef bool (*flm_recorder_tick)(void *context, struct flm_recorder *recorder);
bool flm_recorder_run(struct flm_recorder *recorder, flm_recorder_tick tick, void *context,
                      struct flm_error *why);

/* Asks a command that still runs to end (SIGTERM), and waits a second at most for it to do so. */
void flm_recorder_end_command(struct flm_recorder *recorder);

/* What it came to; while it runs, until now. */
struct flm_record_result flm_recorder_result(const struct flm_recorder *recorder);

/* The session that it fed; the recorder's. A live view may make profiles of it meanwhile. */
struct flm_session *flm_recorder_session(struct flm_recorder *recorder);

#endif
