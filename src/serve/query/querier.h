/* querier.h - what the files of querier.v1 share: querier.c has flame graphs, querier_labels.c
 * types, labels and series, querier_series.c values over time. */
#ifndef FLAMEL_SERVE_QUERY_QUERIER_H
#define FLAMEL_SERVE_QUERY_QUERIER_H

#include "serve/query/flamebearer.h"
#include "serve/query/querier_query.h"

/* The response is the error, as Connect has it. */
void flm_querier_fail(const struct flm_http_request *request, struct flm_http_response *response,
                      const struct flm_error *why);

/* Two profiles as one flame graph that compares them; a side may be empty. Returns the profile
 * whose names it has, which the caller frees when it is done with them. */
struct flm_profile *flm_querier_compare(struct flm_profile *const profiles[2], size_t most_nodes,
                                        struct flm_flamebearer *out, struct flm_error *why);

#define FLM_QUERIER_ANSWER(name)                                                                   \
    void name(struct flm_serving *serving, const struct flm_http_request *request,                 \
              struct flm_http_response *response)
FLM_QUERIER_ANSWER(flm_querier_types);
FLM_QUERIER_ANSWER(flm_querier_label_names);
FLM_QUERIER_ANSWER(flm_querier_label_values);
FLM_QUERIER_ANSWER(flm_querier_series);
FLM_QUERIER_ANSWER(flm_querier_select_series);

#endif
