/* perf_data.h - reads perf.data files (format/perf_data/perf_data_reader.h) with the symbols of
 * this machine. */
#ifndef FLAMEL_RECORD_PERF_DATA_PERF_DATA_H
#define FLAMEL_RECORD_PERF_DATA_PERF_DATA_H

#include "base/text/source.h"
#include "record/session/session.h"

struct flm_input;

/* Reads the whole file into a session. The session is made here, because only the file says whether
 * it is of this kernel.
 *
 * `source` is at the start of the file. `file` is the regular file behind it, whose tables are read
 * at their offsets; NULL for a pipe or a compressed file. */
struct flm_session *flm_perf_data_read(struct flm_source *source, const struct flm_input *file,
                                       const struct flm_session_options *options,
                                       struct flm_error *why);

#endif
