/* perf_stream.h - spools records to disk while they arrive: perf.data as a stream.
 *
 *     header           16 bytes: PERFILE2, 16
 *     HEADER_ATTR      64: for each event: its attributes, the ids of its samples
 *     EVENT_UPDATE     78: type 2 (a name), an id, the name of the event
 *     OWN              75: flamel's own records (event.h): code, notes, marks
 *     ...              records as the kernel wrote them, in the order of time
 *     FINISHED_ROUND   68: later records are not older than those before the previous round
 *
 * Samples are written with the complete call chain that flamel unwound, instead of registers and
 * stack dumps: 160 bytes instead of 8,400. perf can read such a file, and so can `flamel convert`
 * if flamel was killed: only what was not written yet is lost, at most a second's worth.
 *
 * Adding does not fail: the file is written once a round, and errors are reported then. */
#ifndef FLAMEL_RECORD_EVENTS_PERF_STREAM_H
#define FLAMEL_RECORD_EVENTS_PERF_STREAM_H

#include "record/perf/event.h"

struct perf_event_attr;
struct flm_perf_stream;

/* The first fields of every sample, after the header: they are copied as they are. */
#define FLM_STREAM_SAMPLE                                                                          \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
enum { FLM_STREAM_SAMPLE_SIZE = 48 };

/* Creates the file. */
struct flm_perf_stream *flm_perf_stream_open(const char *path, struct flm_error *why);

/* False, and `why` with the name of the file, when it could not be written. */
bool flm_perf_stream_close(struct flm_perf_stream *stream, struct flm_error *why);

/* An event, with the ids of its samples. Its sample type includes FLM_STREAM_SAMPLE; other fields
 * are dropped, except call chains, and the raw data of tracepoints that have it. */
void flm_perf_stream_attributes(struct flm_perf_stream *stream, const struct perf_event_attr *attr,
                                const uint64_t *ids, size_t id_count, const char *name);

/* Samples with that id only mark where threads leave the CPU (`only_marks` of event.h); before the
 * first of them. */
void flm_perf_stream_marks(struct flm_perf_stream *stream, uint64_t id);

/* A record as it is; and a sample with another call chain, without later fields but `raw`, which is
 * NULL where the event has none. */
void flm_perf_stream_record(struct flm_perf_stream *stream, const char *record, size_t size);
void flm_perf_stream_sample(struct flm_perf_stream *stream, const char *record, size_t size,
                            const uint64_t *chain, size_t count, struct flm_bytes raw);
void flm_perf_stream_code(struct flm_perf_stream *stream, const struct flm_event_code *code);
void flm_perf_stream_note(struct flm_perf_stream *stream, const char *key, struct flm_bytes value);

/* Notes that are features of perf.data; and the build id of a file whose mappings have none, with
 * at most 27 bytes of path ("[kernel.kallsyms]", "[vdso]"), so that it can be symbolized later. */
enum flm_stream_feature {
    FLM_STREAM_HOST = 3,
    FLM_STREAM_RELEASE = 4,
    FLM_STREAM_ARCHITECTURE = 6
};
void flm_perf_stream_feature(struct flm_perf_stream *stream, enum flm_stream_feature feature,
                             struct flm_bytes text);
void flm_perf_stream_build_id(struct flm_perf_stream *stream, const char *path, bool in_kernel,
                              const struct flm_build_id *id);

/* Writes everything up to here; called once a round. */
bool flm_perf_stream_round(struct flm_perf_stream *stream, struct flm_error *why);

/* Bytes so far. */
uint64_t flm_perf_stream_size(const struct flm_perf_stream *stream);

#endif
