/* internal.h - the reader of perf.data.
 *
 *     perf_data_reader.c   the header and the tables, losses
 *     events.c             attributes and names of events
 *     features.c           features: build ids, host, command line, descriptions of events
 *     records.c            records in sequence, decompressed if necessary */
#ifndef FLAMEL_FORMAT_PERF_DATA_INTERNAL_H
#define FLAMEL_FORMAT_PERF_DATA_INTERNAL_H

#include "base/text/source.h"
#include "base/text/text.h"
#include "base/zstd/unzstd.h"
#include "format/perf_data/perf_data_reader.h"
#include "record/session/order.h"
#include "record/session/session.h"

/* What an event has in addition to its layout. */
struct flm_perf_data_event {
    struct flm_text name; /* terminated; empty: unknown */
};

/* The largest table that is accepted; those that perf writes are much smaller. */
enum { LARGEST_TABLE = 64 << 20 };

struct flm_perf_data {
    struct flm_error *why;
    struct flm_session *session;
    struct flm_order *order;
    struct flm_event_layouts layouts;
    struct FLM_ARRAY(struct flm_perf_data_event) events; /* as many as there are layouts */
    bool swapped;
    int machine; /* enum flm_machine of the layouts, from the file */
    bool machine_is_known;

    struct flm_source *source;
    const struct flm_perf_data_system *system;
    struct flm_bytes memory; /* the whole file, if it cannot be read in parts */
    uint64_t size;           /* of the file; 0: unknown */

    struct flm_unzstd *zstd;      /* NULL until the first compressed record */
    struct flm_source compressed; /* what it has not decompressed yet, in `packed` */
    struct flm_text packed;
    struct flm_text unpacked; /* decompressed records, the last one incomplete */

    struct flm_text release;       /* of the recorded kernel */
    struct flm_build_id kernel_id; /* size 0: unknown */
    bool has_set_kernel;           /* flm_session_kernel was called */
    uint64_t lost_events;          /* of full ring buffers */
    uint64_t lost_samples;         /* of the record at the end, which may count the same */
    uint64_t trace_bytes;          /* of AUX traces */
    uint32_t trace_type;
    uint64_t unknown_records;
};

/* A text in a field of that size, up to its NUL. */
static inline struct flm_bytes flm_perf_data_text(const char *at, size_t size)
{
    const char *end = size > 0 ? memchr(at, 0, size) : NULL;
    return (struct flm_bytes){at, end ? (size_t)(end - at) : size};
}

/* Lets go of what is decompressed, and begins anew. */
void flm_perf_data_end_zstd(struct flm_perf_data *data);

/* Numbers in the byte order of the file. */
uint64_t flm_perf_data_u64(const struct flm_perf_data *data, const char *at);
uint32_t flm_perf_data_u32(const struct flm_perf_data *data, const char *at);

/* An event: its attributes, which may be shorter than the size they declare, and its ids in the
 * byte order of the file. */
bool flm_perf_data_add_event(struct flm_perf_data *data, struct flm_bytes attributes,
                             struct flm_bytes ids);

/* Names an event, by its number. */
bool flm_perf_data_name_event(struct flm_perf_data *data, size_t event, struct flm_bytes name);

/* A feature, from its section or record. A malformed one is counted: features are not needed to
 * read samples. False when memory ran out. */
bool flm_perf_data_feature(struct flm_perf_data *data, unsigned feature, struct flm_bytes bytes);

/* The kernel's descriptions of tracepoints, as text among other bytes: where the fields of the
 * scheduler's lie. */
void flm_perf_data_tracing(struct flm_perf_data *data, struct flm_bytes descriptions);

/* A record with the build id of a file. */
bool flm_perf_data_build_id(struct flm_perf_data *data, struct flm_bytes record);

/* Reads the records of a source, which starts at `offset` of the file: `size` bytes, or up to its
 * end (UINT64_MAX). */
bool flm_perf_data_records(struct flm_perf_data *data, struct flm_source *source, uint64_t offset,
                           uint64_t size);

#endif
