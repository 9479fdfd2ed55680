/* api.h - what the files of our own API share: api.c has lists and sums, api_timeline.c values over
 * time, api_reports.c tables and verdicts, api_views.c what the page saves. */
#ifndef FLAMEL_SERVE_QUERY_API_H
#define FLAMEL_SERVE_QUERY_API_H

#include "serve/core/serving.h"

/* The query of the parameters selector, type, from and until. False, and `why`, also where there is
 * a parameter that is not one of `known`, "from, until". */
bool flm_api_query(const struct flm_http_request *request, const char *known,
                   struct flm_store_query *query, struct flm_error *why);

/* The query for the side before of a comparison: `query` with the time of the parameter `compare`
 * and the selector of `compare_selector`, where they are given. */
bool flm_api_compared(const struct flm_http_request *request, const struct flm_store_query *query,
                      struct flm_store_query *other, struct flm_error *why);

/* Any number; `*value` stays where the parameter is not there. */
bool flm_api_number(const struct flm_http_request *request, const char *name, double *value,
                    struct flm_error *why);

/* The same, a whole number in a range. */
bool flm_api_count(const struct flm_http_request *request, const char *name, uint32_t least,
                   uint32_t most, uint32_t *value, struct flm_error *why);

/* Nodes of a sum, where it is not said how many, and at most; the others are counted. */
enum { FLM_SERVE_NODES = 200000, FLM_SERVE_MOST_NODES = 2000000 };

/* The sum of what a query wants, or NULL, and the response says why: with status 404 where nothing
 * matches. */
struct flm_profile *flm_api_merge(struct flm_serving *serving,
                                  const struct flm_http_request *request,
                                  const struct flm_store_query *query,
                                  struct flm_http_response *response);

/* The response is {"error": "..."}. */
void flm_api_fail(const struct flm_http_request *request, struct flm_http_response *response,
                  const struct flm_error *why);

void flm_api_timeline(struct flm_serving *serving, const struct flm_http_request *request,
                      struct flm_http_response *response);
void flm_api_top(struct flm_serving *serving, const struct flm_http_request *request,
                 struct flm_http_response *response);
void flm_api_gate(struct flm_serving *serving, const struct flm_http_request *request,
                  struct flm_http_response *response);
void flm_api_changes(struct flm_serving *serving, const struct flm_http_request *request,
                     struct flm_http_response *response);
void flm_api_views(struct flm_serving *serving, const struct flm_http_request *request,
                   struct flm_http_response *response);
void flm_api_save_view(struct flm_serving *serving, const struct flm_http_request *request,
                       struct flm_http_response *response);
void flm_api_remove_view(struct flm_serving *serving, const struct flm_http_request *request,
                         struct flm_http_response *response);

#endif
