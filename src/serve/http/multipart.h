/* multipart.h - bodies of multipart/form-data (RFC 7578), part by part.
 *
 *     --BOUNDARY CRLF
 *     Content-Disposition: form-data; name="profile"; filename="profile.pprof" CRLF
 *     Content-Type: application/octet-stream CRLF
 *     CRLF
 *     bytes CRLF
 *     --BOUNDARY-- */
#ifndef FLAMEL_SERVE_HTTP_MULTIPART_H
#define FLAMEL_SERVE_HTTP_MULTIPART_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_multipart {
    struct flm_bytes rest, boundary; /* without the dashes */
    struct flm_error *why;
    bool failed;
    size_t size; /* of the whole body: for places in it */
};

struct flm_part {
    struct flm_bytes name, file_name; /* empty: not said */
    struct flm_bytes bytes;
};

/* Of a body and the value of its Content-Type. False, and `why`, where that names no boundary, or
 * the body does not begin with it. */
bool flm_multipart_init(struct flm_multipart *multipart, const char *type, struct flm_bytes body,
                        struct flm_error *why);

/* The next part: its texts are in the body. False after the last one, and where the body is
 * malformed: `failed`, and `why`, then. */
bool flm_multipart_next(struct flm_multipart *multipart, struct flm_part *part);

#endif
