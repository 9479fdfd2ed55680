/* serving.h - what every protocol of the server has: the store, limits, counters, and how errors
 * are said.
 *
 * A protocol is a file with entries of the table of routes (serve/routes.c). It reads a request,
 * makes batches or a query of it, and writes what its clients expect. */
#ifndef FLAMEL_SERVE_CORE_SERVING_H
#define FLAMEL_SERVE_CORE_SERVING_H

#include <stdatomic.h>

#include "flamel/store.h"
#include "load/stored_addresses.h"
#include "serve/access/series_limit.h"
#include "serve/access/tokens.h"
#include "serve/http/body.h"
#include "serve/http/message.h"

/* What /metrics tells. */
struct flm_serve_counters {
    atomic_ullong requests[6]; /* by the first digit of their status */
    atomic_ullong profiles, refused_profiles, received_bytes, plain_bytes;
    atomic_ullong seals, compacted_segments, removed_segments, background_failures;
};

struct flm_store_page;
struct flm_scraper;
struct flm_watch;

struct flm_serving {
    struct flm_store *store;
    const char *folder; /* of the store, or its URL */
    struct flm_tokens tokens;
    struct flm_series_limit series;
    struct flm_serve_counters count;
    int64_t keep_ms;                /* 0: for ever */
    size_t most_plain;              /* bytes of a body, decompressed */
    struct flm_budget decompressed; /* of all requests together */
    atomic_bool is_ready;
    const struct flm_store_page *page;    /* serve/page; NULL: there is none */
    struct flm_scraper *scraper;          /* serve/scrape; NULL: nothing is scraped */
    struct flm_addresses_options symbols; /* of frames without names; texts are the server's */
    struct flm_watch *watch;              /* serve/watch; NULL: nobody looks for changes */

    /* Called after each append: it may be time to seal. */
    void (*appended)(void *context);
    void *appended_context;
};

struct flm_route;

/* Writes a failure as the clients of a protocol expect it. */
typedef void (*flm_serve_fail)(const struct flm_http_request *request,
                               struct flm_http_response *response, unsigned status,
                               const char *message);

/* The method of calls by gRPC, whose answer is a message, and whose failure a sentence. */
#define FLM_GRPC_METHOD "GRPC"

struct flm_route {
    const char *method, *path; /* a path that ends in * stands for all that begin so */
    enum flm_right right;
    void (*answer)(struct flm_serving *serving, const struct flm_http_request *request,
                   struct flm_http_response *response);
    flm_serve_fail fail;
    bool is_of_all; /* tenants together: not for a token of one */
};

/* A sentence; {"error": "..."}; and as Connect has it, {"code": ..., "message": ...}. */
void flm_fail_text(const struct flm_http_request *request, struct flm_http_response *response,
                   unsigned status, const char *message);
void flm_fail_json(const struct flm_http_request *request, struct flm_http_response *response,
                   unsigned status, const char *message);
void flm_fail_connect(const struct flm_http_request *request, struct flm_http_response *response,
                      unsigned status, const char *message);

/* The HTTP status for an error: of what a client sent (`invalid`: 400, or as its protocol has it),
 * or of ours. */
unsigned flm_status_of(const struct flm_error *why, unsigned invalid);

/* Whether the query has only these parameters, "from, until": a misspelled one would be ignored,
 * and the answer be another than the one that was asked for. */
bool flm_serve_parameters(const struct flm_http_request *request, const char *known,
                          struct flm_error *why);

/* The body without compression: body->plain. False: the response says why. The caller clears `body`
 * in any case. */
bool flm_serve_body(struct flm_serving *serving, const struct flm_http_request *request,
                    struct flm_body *body, flm_serve_fail fail, struct flm_http_response *response);

/* flm_store_merge, with addresses named by the symbols that there are now. NULL, and `why`. */
struct flm_profile *flm_serve_merge(struct flm_serving *serving,
                                    const struct flm_store_query *query, struct flm_error *why);

/* Appends name="value", a label of a metric of Prometheus. */
void flm_metric_label(struct flm_text *out, const char *name, const char *value);

#endif
