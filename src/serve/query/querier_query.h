/* querier_query.h - what a request of querier.v1 asks the store for.
 *
 *     profileTypeID   process_cpu:cpu:nanoseconds:cpu:nanoseconds, as NAME:TYPE:UNIT:PERIOD
 *     labelSelector   {service_name="api"}
 *     start, end      milliseconds; the end is a part of the range
 *
 * Name and period of a type are labels of the series here (core/arrival.h). What came in without
 * them, by flamel store add, is found by those that it would have had. */
#ifndef FLAMEL_SERVE_QUERY_QUERIER_QUERY_H
#define FLAMEL_SERVE_QUERY_QUERIER_QUERY_H

#include "serve/query/connect.h"

struct flm_querier_query {
    struct flm_store_query query; /* its texts are those below */
    struct flm_text selector, type;
};

/* False, and `why`; cleared by flm_querier_clear in any case. */
bool flm_querier_read(const struct flm_http_request *request, const struct flm_http_fields *fields,
                      struct flm_querier_query *out, struct flm_error *why);
void flm_querier_clear(struct flm_querier_query *query);

/* The range alone; without an end it is all. */
bool flm_querier_range(const struct flm_http_fields *fields, struct flm_store_query *query,
                       struct flm_error *why);

/* The type of a metric, "cpu:ns", of a series: NAME and PERIOD are those of its labels, "" where it
 * has none. */
void flm_querier_type_write(struct flm_bytes type, const char *name, const char *period,
                            struct flm_text *out);

/* How this label, which no series has, is called where Pyroscope's clients ask for types. */
#define FLM_QUERIER_TYPE_LABEL "__profile_type__"

#endif
