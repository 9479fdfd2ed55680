/* arrival.h - profiles on their way from a request into the store.
 *
 *     flm_arrivals_init(&arrivals, serving, request);
 *     flm_arrivals_add(&arrivals, profile, time_ms, &why);             takes the profile
 *     flm_arrival_label(&arrivals, name, value);                       of the last one
 *     status = flm_arrivals_append(&arrivals, &why);                   durable when it is 200
 *     flm_arrivals_clear(&arrivals);
 *
 * All of a request are appended together, or none. */
#ifndef FLAMEL_SERVE_CORE_ARRIVAL_H
#define FLAMEL_SERVE_CORE_ARRIVAL_H

#include "serve/core/serving.h"

struct flm_arrival {
    struct flm_profile *profile; /* owned */
    int64_t time_ms;
    struct flm_http_fields labels;
    struct flm_text id; /* terminated; empty: none */
};

struct flm_arrivals {
    struct flm_serving *serving;
    const char *tenant;
    struct FLM_ARRAY(struct flm_arrival) items;
    bool failed;     /* memory ran out */
    bool is_durable; /* those that were not when they are cleared were refused */
};

void flm_arrivals_init(struct flm_arrivals *arrivals, struct flm_serving *serving,
                       const struct flm_http_request *request);
void flm_arrivals_clear(struct flm_arrivals *arrivals);

/* The time that the profile says, or now. */
#define FLM_ARRIVAL_NO_TIME INT64_MIN

/* Takes the profile in any case. False, and `why`, where the request has too many: its reader stops
 * then, so that no more than these are in memory. */
bool flm_arrivals_add(struct flm_arrivals *arrivals, struct flm_profile *profile, int64_t time_ms,
                      struct flm_error *why);

/* A label of the one that was added last. The first value of a name holds. One that is too many, or
 * too long, is refused when they are appended. */
void flm_arrival_label(struct flm_arrivals *arrivals, struct flm_bytes name,
                       struct flm_bytes value);

bool flm_arrival_has(const struct flm_arrivals *arrivals, const char *name);

/* 200 when all are durable. Otherwise a status, and `why`: 400 for labels and profiles that cannot
 * be, 422 for times that are not kept, 429 for too many series, 503 where the disk fails. */
unsigned flm_arrivals_append(struct flm_arrivals *arrivals, struct flm_error *why);

/* The profile in `bytes`, of one of these formats: names with blanks between, of which one is
 * recognized; none other is read. Compressed bytes are decompressed, within the limits of bodies.
 * It is only good for the store (load/unordered.h), but for an ordered one. */
struct flm_profile *flm_arrival_read(struct flm_serving *serving, struct flm_bytes bytes,
                                     const char *formats, struct flm_error *why);
struct flm_profile *flm_arrival_read_ordered(struct flm_serving *serving, struct flm_bytes bytes,
                                             const char *formats, struct flm_error *why);

/* Folded stacks whose last word alone is the value: in "a;f 10 3" a frame is "f 10". */
struct flm_profile *flm_arrival_read_folded(struct flm_serving *serving, struct flm_bytes bytes,
                                            struct flm_error *why);

/* ---- Names of Pyroscope ---------------------------------------------------------------------- */

/* A type of a profile as Pyroscope and Grafana name it is NAME:TYPE:UNIT:PERIOD_TYPE:PERIOD_UNIT,
 * "process_cpu:cpu:nanoseconds:cpu:nanoseconds". TYPE and UNIT are a metric of the profile; the
 * others are labels of its series, which are not shown. */
#define FLM_LABEL_NAME "__name__"
#define FLM_LABEL_PERIOD "__period__" /* "cpu:nanoseconds" */

/* Adds these two to the last arrival, if it has none, as Pyroscope derives them. */
void flm_arrival_name(struct flm_arrivals *arrivals);

/* The id that its client gave the last one, with a checksum of it, of the labels, of the time as
 * its client wrote it (it may be "-1h", or "") and of the bytes: a client that gives everything the
 * same id loses nothing. After all labels. Without an id, "", none is kept. */
void flm_arrival_id(struct flm_arrivals *arrivals, struct flm_bytes id, struct flm_bytes time,
                    struct flm_bytes bytes);

/* The NAME of profiles with such a metric: "process_cpu" for "cpu". */
const char *flm_profile_kind(struct flm_bytes metric);

#endif
