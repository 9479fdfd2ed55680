/* http_calling.h - a request of net/http_request.h as libcurl has it: what one that is waited for
 * and many at once (net/fetches.h) share.
 *
 * Only where flamel is built with libcurl's headers: FLAMEL_CURL. */
#ifndef FLAMEL_NET_HTTP_CALLING_H
#define FLAMEL_NET_HTTP_CALLING_H

#include "net/curl.h"
#include "net/http_request.h"

struct flm_http_calling {
    const struct flm_http_call *call;
    struct flm_http_reply *reply;
    bool is_too_large, is_canceled;
    char reason[CURL_ERROR_SIZE];
    struct curl_slist *headers; /* owned */
};

/* A handle for it; `calling` stays where it is until it ends. NULL, and `why`. */
CURL *flm_http_calling_begin(const struct flm_curl *curl, struct flm_http_calling *calling,
                             struct flm_error *why);

/* What became of it: as flm_http_call. */
bool flm_http_calling_result(const struct flm_curl *curl, struct flm_http_calling *calling,
                             CURL *easy, CURLcode code, struct flm_error *why);

/* Frees the handle and the headers, not the reply. */
void flm_http_calling_end(const struct flm_curl *curl, struct flm_http_calling *calling,
                          CURL *easy);

#endif
