/* querier.h - what the files of querier.v1 share: querier.c has most methods, querier_series.c
 * values over time. */
#ifndef FLAMEL_SERVE_QUERY_QUERIER_H
#define FLAMEL_SERVE_QUERY_QUERIER_H

#include "serve/query/querier_query.h"

/* The response is the error, as Connect has it. */
void flm_querier_fail(const struct flm_http_request *request, struct flm_http_response *response,
                      const struct flm_error *why);

/* Adds a text as the name of a field: a flm_store_text over `struct flm_http_fields`. */
bool flm_querier_keep(void *fields, struct flm_name name);

/* SelectSeries */
void flm_querier_select_series(struct flm_serving *serving, const struct flm_http_request *request,
                               struct flm_http_response *response);

#endif
