/* api.h - what the files of our own API share: api.c has lists and sums, api_timeline.c values over
 * time, api_views.c what the page saves. */
#ifndef FLAMEL_SERVE_QUERY_API_H
#define FLAMEL_SERVE_QUERY_API_H

#include "serve/core/serving.h"

/* The query of the parameters selector, type, from and until. False, and `why`, also where there is
 * a parameter that is not one of `known`, "from, until". */
bool flm_api_query(const struct flm_http_request *request, const char *known,
                   struct flm_store_query *query, struct flm_error *why);

/* The response is {"error": "..."}. */
void flm_api_fail(const struct flm_http_request *request, struct flm_http_response *response,
                  const struct flm_error *why);

void flm_api_timeline(struct flm_serving *serving, const struct flm_http_request *request,
                      struct flm_http_response *response);
void flm_api_views(struct flm_serving *serving, const struct flm_http_request *request,
                   struct flm_http_response *response);
void flm_api_save_view(struct flm_serving *serving, const struct flm_http_request *request,
                       struct flm_http_response *response);
void flm_api_remove_view(struct flm_serving *serving, const struct flm_http_request *request,
                         struct flm_http_response *response);

#endif
