/* http_request.h - one request to an HTTP server, and its whole response in memory.
 *
 *     struct flm_http_call call = {.url = url, .body = body, .has_body = true};
 *     struct flm_http_reply reply;
 *     if (flm_http_call(&call, &reply, &why)) ... reply.status, reply.body
 *     flm_http_reply_clear(&reply);                                  also where that failed
 *
 * http and https, by libcurl, as net/download.h, which is for files that are read while they
 * arrive. No redirect is followed: a body, and a token, go to the server that was named. */
#ifndef FLAMEL_NET_HTTP_REQUEST_H
#define FLAMEL_NET_HTTP_REQUEST_H

#include "base/text/text.h"

struct flm_http_call {
    const char *url;
    const char *token;  /* Authorization: Bearer; one line. NULL: none */
    const char *tenant; /* X-Scope-OrgID; one line. NULL: none */
    struct flm_bytes body;
    bool has_body;           /* POST; else GET */
    const char *type;        /* of the body; NULL: application/octet-stream */
    const char *authorities; /* a file of certificates (PEM) to trust; NULL: those of the system */
    const char *wanted_header; /* of the response: "Retry-After"; NULL: none */
    int most_s;                /* seconds that it may take; 0: any time */
    size_t most_body;          /* bytes of the response; 0: any number */

    /* Called several times a second; false gives up, as FLM_ERROR_CANCELED. It may be NULL. */
    bool (*waiting)(void *context);
    void *context;
};

struct flm_http_reply {
    int status;                   /* 0: there was none */
    struct flm_text body, header; /* header: the value of the wanted one */
};

/* False, and `why`, where there is no response: no server, no libcurl, too late. A response of any
 * status is one. */
bool flm_http_call(const struct flm_http_call *call, struct flm_http_reply *reply,
                   struct flm_error *why);
void flm_http_reply_clear(struct flm_http_reply *reply);

#endif
