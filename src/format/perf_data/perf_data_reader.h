/* perf_data_reader.h - reads perf.data: the header, the events, and all records.
 *
 * Both forms: a file with tables (attributes, features) at offsets in its header, and a stream
 * (`perf record -o -`), in which everything is a record. Records compressed with zstd are
 * decompressed. Either byte order. What a profile cannot have (AUX traces, statistics) is counted.
 *
 * flamel spools its own recordings as such streams (perf_stream.h), so what a killed
 * `flamel record` leaves is read here. */
#ifndef FLAMEL_FORMAT_PERF_DATA_PERF_DATA_READER_H
#define FLAMEL_FORMAT_PERF_DATA_PERF_DATA_READER_H

#include "base/text/source.h"
#include "format/core/format.h"
#include "record/session/session.h"

/* What the system knows of the file behind a source. */
struct flm_perf_data_system {
    void *context;

    /* Whether a recording is of the running kernel, since it was booted; may be NULL. */
    bool (*kernel_is_ours)(struct flm_bytes release, const struct flm_build_id *id, uint64_t start);

    /* Of a regular file, whose tables are read at their offsets: its size, and when it was written
     * last, in nanoseconds since 1970 (0: unknown). `open` opens some bytes, and `open_part` the
     * file of another thread of perf record --threads, until `close`. NULL, and `why` unless there
     * is no such part. */
    bool is_file;
    uint64_t size;
    int64_t written_ns;
    struct flm_source *(*open)(void *context, uint64_t from, uint64_t to, struct flm_error *why);
    struct flm_source *(*open_part)(void *context, unsigned number, struct flm_error *why);
    void (*close)(void *context);
};

/* Adds the whole file to a session: its events in the order of time, build ids and notes. `source`
 * is at the start of the file. Without a regular file behind it (a pipe, a compressed file; NULL: a
 * page), a file with tables is held in memory, a stream never. */
bool flm_perf_data_add(struct flm_session *session, struct flm_source *source,
                       const struct flm_perf_data_system *system, struct flm_error *why);

/* How certain it is that a file is perf.data: enum flm_sniff. */
int flm_perf_data_sniff(struct flm_bytes head, bool whole);

/* perf.data as a format of a page of one file: addresses without names. */
extern const struct flm_format flm_format_perf_addresses;

#endif
