/* internal.h - reading perf.data from inside.
 *
 *     perf_data.c             the header, where what is, what became of it
 *     events.c      attributes: which events there are, and what they are called
 *     features.c    facts: build ids, host, command line, descriptions of events
 *     records.c     records, one after the other, decompressed where they must be */
#ifndef FLAMEL_RECORD_PERF_DATA_INTERNAL_H
#define FLAMEL_RECORD_PERF_DATA_INTERNAL_H

#include <zstd.h>

#include "base/text/source.h"
#include "base/text/text.h"
#include "record/session/order.h"
#include "record/session/session.h"

struct flm_input;

/* What is known of an event beside its layout. */
struct flm_perf_data_event {
    struct flm_text name; /* terminated; empty: not said */
};

/* Tables that are held in memory are never larger: none that perf writes comes near it. */
enum { LARGEST_TABLE = 64 << 20 };

struct flm_perf_data {
    struct flm_error *why;
    struct flm_session *session;
    struct flm_order *order;
    struct flm_event_layouts layouts;
    struct FLM_ARRAY(struct flm_perf_data_event) events; /* as many as there are layouts */
    bool swapped;
    int machine; /* enum flm_machine; of `layouts`, once the file has said so */
    bool machine_is_known;

    struct flm_source *source;
    const struct flm_input *file;
    struct flm_bytes memory; /* all of the file, where it cannot be read by parts */
    uint64_t size;           /* of the file; 0: not known */

    ZSTD_DStream *zstd;
    char *unpacked; /* records, and the beginning of one */
    size_t unpacked_size;
    bool inside_unpacked;

    struct flm_text release;       /* of the kernel it was recorded on */
    struct flm_build_id kernel_id; /* size 0: not known */
    bool has_set_kernel;           /* to the session, whether it is ours */
    uint64_t lost_events;          /* of rings that were full */
    uint64_t lost_samples;         /* as perf told at the end: perhaps the same ones */
    uint64_t trace_bytes;          /* of auxiliary traces */
    uint32_t trace_type;
    uint64_t unknown_records;
};

/* Numbers as the file has them. The bytes must be there. */
uint64_t flm_perf_data_u64(const struct flm_perf_data *data, const char *at);
uint32_t flm_perf_data_u32(const struct flm_perf_data *data, const char *at);

/* An event: `attributes` of the size that they say, or as far as they go, and its ids as the file
 * has them. */
bool flm_perf_data_add_event(struct flm_perf_data *data, struct flm_bytes attributes,
                             struct flm_bytes ids);

/* The name of an event, by its number. */
bool flm_perf_data_name_event(struct flm_perf_data *data, size_t event, struct flm_bytes name);

/* One section of the table of features, or a record of it. What cannot be read is counted: nothing
 * in it is needed to read samples. False when memory ran out. */
bool flm_perf_data_feature(struct flm_perf_data *data, unsigned feature, struct flm_bytes bytes);

/* A record that tells the build id of a file. */
bool flm_perf_data_build_id(struct flm_perf_data *data, struct flm_bytes record);

/* All records of a source, which begins at `offset` of the file; `size` of them, or until it ends
 * (UINT64_MAX). */
bool flm_perf_data_records(struct flm_perf_data *data, struct flm_source *source, uint64_t offset,
                           uint64_t size);

#endif
