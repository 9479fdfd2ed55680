/* message.h - an HTTP request as its answer needs it, and the response: without a server.
 *
 *     request     method, path, query parameters (decoded), headers, body (decompressed)
 *     response    status, type, body
 *
 * Names and values are terminated texts; a request in which one has a NUL is refused before it
 * comes here. They are good until the request is cleared. */
#ifndef FLAMEL_SERVE_HTTP_MESSAGE_H
#define FLAMEL_SERVE_HTTP_MESSAGE_H

#include "base/core/array.h"
#include "base/text/text.h"

/* A query parameter, or a header. Both texts are in one block, which `name` owns. */
struct flm_http_field {
    char *name;
    const char *value;
};
struct flm_http_fields FLM_ARRAY(struct flm_http_field);

struct flm_http_request {
    char *method, *path; /* owned */
    struct flm_http_fields query, headers;
    struct flm_bytes body; /* borrowed */

    /* Who asks, and what for: set by whoever checks it (serve/access). */
    const char *tenant; /* "" where there is none */
    void *admitted;     /* of the server's user: what `admit` wants `answer` to know */
};

struct flm_http_response {
    unsigned status;          /* 0: 200 */
    const char *type;         /* Content-Type; NULL: text */
    const char *policy;       /* Content-Security-Policy; NULL: nothing is allowed */
    const char *authenticate; /* WWW-Authenticate; NULL: none */
    const char *cache;        /* Cache-Control; NULL: no-store */
    const char *verdict;      /* Flamel-Verdict: PASS, FAIL, INCONCLUSIVE; NULL: none */
    unsigned retry_after_s;   /* 0: not said */
    struct flm_text body;
};

/* False when memory ran out. */
bool flm_http_field_add(struct flm_http_fields *fields, struct flm_bytes name,
                        struct flm_bytes value);
void flm_http_fields_clear(struct flm_http_fields *fields);
bool flm_http_fields_have(const struct flm_http_fields *fields, struct flm_bytes name);
void flm_http_request_clear(struct flm_http_request *request);

/* The value of a parameter: NULL where there is none; of several the first. Upper and lower case
 * are different in parameters, and are the same in headers. */
const char *flm_http_parameter(const struct flm_http_request *request, const char *name);
const char *flm_http_header(const struct flm_http_request *request, const char *name);

/* Whether the type of the body is this one, whatever its parameters are: "multipart/form-data". */
bool flm_http_has_type(const struct flm_http_request *request, const char *type);

/* A response that is a sentence. */
void flm_http_say(struct flm_http_response *response, unsigned status, const char *format, ...)
    FLM_FORMAT(3, 4);

#endif
