/* connect.h - requests of Connect whose fields are texts and numbers, in both encodings.
 *
 *     POST /querier.v1.QuerierService/LabelValues     application/proto or application/json
 *
 * A table says the fields of a message. What a request has becomes texts by name, numbers too; of a
 * list each item. A message in it is a request of its own. */
#ifndef FLAMEL_SERVE_QUERY_CONNECT_H
#define FLAMEL_SERVE_QUERY_CONNECT_H

#include "serve/core/serving.h"

enum { FLM_CONNECT_PARTS = 2 };

struct flm_connect_field {
    uint32_t number;
    const char *name; /* as JSON has it: "labelSelector" */
    enum {
        FLM_CONNECT_TEXT,
        FLM_CONNECT_INTEGER,
        FLM_CONNECT_DOUBLE,
        FLM_CONNECT_ENUM,    /* its name without PREFIX_: a request with another value is refused */
        FLM_CONNECT_REFUSED, /* what would change the answer, and is not known here */
        FLM_CONNECT_PART     /* a message: a number of `part` */
    } type;
    const char *values;                     /* of an enum: "SUM": those from 0 on that are taken */
    const struct flm_connect_field *fields; /* of a part, the first or the second */
};

struct flm_connect_request {
    struct flm_http_fields fields;
    bool is_json;
    struct flm_http_fields part[FLM_CONNECT_PARTS]; /* in the order of the table */
};

/* `fields` ends with a field without a name. False: the response says why. */
bool flm_connect_read(struct flm_serving *serving, const struct flm_http_request *request,
                      const struct flm_connect_field *fields, struct flm_connect_request *out,
                      struct flm_http_response *response);
void flm_connect_clear(struct flm_connect_request *request);

/* The answer of a route that ends in *, behind the methods that its service has. */
void flm_connect_unimplemented(struct flm_serving *serving, const struct flm_http_request *request,
                               struct flm_http_response *response);

/* NULL: it is not there. Of a list the first one. */
const char *flm_connect_text(const struct flm_http_fields *fields, const char *name);
/* 0: it is not there, or no number. */
int64_t flm_connect_integer(const struct flm_http_fields *fields, const char *name);
double flm_connect_double(const struct flm_http_fields *fields, const char *name);

#endif
