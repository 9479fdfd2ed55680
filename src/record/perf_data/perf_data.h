/* perf_data.h - perf.data files: the header, the events that were asked for, and every record.
 *
 * Both shapes: a file with tables (attributes, features) whose locations a header tells, and a
 * stream (`perf record -o -`), in which everything is a record. Compressed records (zstd) are taken
 * apart. Either byte order. What is in no profile (auxiliary traces, statistics) is counted and
 * said.
 *
 * flamel's own recordings on their way to a profile are streams of this kind too (perf_stream.h),
 * so what a killed `flamel record` leaves is read here. */
#ifndef FLAMEL_RECORD_PERF_DATA_PERF_DATA_H
#define FLAMEL_RECORD_PERF_DATA_PERF_DATA_H

#include "base/text/source.h"
#include "record/session/session.h"

struct flm_input;

/* Reads the whole file into a session: its events in the order of time, its build ids, its info.
 * The session is made here, because the file says whether it is of this kernel.
 *
 * `source` stands at the beginning of it. `file`: the plain file that it is of, whose tables are
 * then read where they are; NULL for anything else, a pipe or something compressed: of a file with
 * tables all is then held in memory, a stream never is. */
struct flm_session *flm_perf_data_read(struct flm_source *source, const struct flm_input *file,
                                       const struct flm_session_options *options,
                                       struct flm_error *why);

#endif
