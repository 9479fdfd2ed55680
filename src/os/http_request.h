/* http_request.h - one request to an HTTP server, and its whole response in memory.
 *
 *     struct flm_http_call call = {.url = url, .body = body, .has_body = true};
 *     struct flm_http_reply reply;
 *     if (flm_http_call(&call, &reply, &why)) ... reply.status, reply.body
 *     flm_http_reply_clear(&reply);                                  also where that failed
 *
 * http and https, by libcurl, as os/download.h, which is for files that are read while they arrive.
 * No redirect is followed: a body, and a token, go to the server that was named. */
#ifndef FLAMEL_OS_HTTP_REQUEST_H
#define FLAMEL_OS_HTTP_REQUEST_H

#include "base/text/text.h"

struct flm_http_call {
    const char *url;
    const char *token;  /* Authorization: Bearer; NULL: none */
    const char *tenant; /* X-Scope-OrgID, flm_is_tenant; NULL: none */
    struct flm_bytes body;
    bool has_body;    /* POST, with application/octet-stream; else GET */
    int most_s;       /* seconds that it may take; 0: any time */
    size_t most_body; /* bytes of the response; 0: any number */

    /* Called several times a second; false gives up, as FLM_ERROR_CANCELED. It may be NULL. */
    bool (*waiting)(void *context);
    void *context;
};

struct flm_http_reply {
    int status; /* 0: there was none */
    struct flm_text body;
};

/* False, and `why`, where there is no response: no server, no libcurl, too late. A response of any
 * status is one. */
bool flm_http_call(const struct flm_http_call *call, struct flm_http_reply *reply,
                   struct flm_error *why);
void flm_http_reply_clear(struct flm_http_reply *reply);

/* What a refusal says: the text of {"error": "..."}, or the first line. Terminated, in `line`. */
void flm_http_reply_reason(const struct flm_http_reply *reply, char line[200]);

/* Whether a tenant has a name that can be one, for flamel serve and in a header: 1 to 128 letters,
 * digits, and _ - . */
bool flm_is_tenant(const char *name);

/* ---- URLs ------------------------------------------------------------------------------------ */

/* Appends URL, without slashes at its end, and the path. */
void flm_url_begin(struct flm_text *out, const char *url, const char *path);

/* Appends ?NAME=VALUE, or &NAME=VALUE where there is a parameter already, as URLs have them. */
void flm_url_parameter(struct flm_text *out, const char *name, struct flm_bytes value);

#endif
