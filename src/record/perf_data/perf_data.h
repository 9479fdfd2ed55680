/* perf_data.h - reads perf.data files: the header, the events, and all records.
 *
 * Both forms: a file with tables (attributes, features) at offsets in its header, and a stream
 * (`perf record -o -`), in which everything is a record. Records compressed with zstd are
 * decompressed. Either byte order. What a profile cannot have (AUX traces, statistics) is counted.
 *
 * flamel spools its own recordings as such streams (perf_stream.h), so what a killed
 * `flamel record` leaves is read here. */
#ifndef FLAMEL_RECORD_PERF_DATA_PERF_DATA_H
#define FLAMEL_RECORD_PERF_DATA_PERF_DATA_H

#include "base/text/source.h"
#include "record/session/session.h"

struct flm_input;

/* Reads the whole file into a session: its events in the order of time, build ids and notes. The
 * session is made here, because only the file says whether it is of this kernel.
 *
 * `source` is at the start of the file. `file` is the regular file behind it, whose tables are read
 * at their offsets; NULL for a pipe or a compressed file: then a file with tables is held in
 * memory, a stream never. */
struct flm_session *flm_perf_data_read(struct flm_source *source, const struct flm_input *file,
                                       const struct flm_session_options *options,
                                       struct flm_error *why);

#endif
