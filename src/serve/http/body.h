/* body.h - what a client sends, decompressed, in bounded memory.
 *
 * A few kilobytes of gzip are gigabytes of zeros, and profiles come compressed several times over:
 * pprof, which is gzip, under Content-Encoding: gzip. So all layers are undone here, with one limit
 * for what comes out of each, before any reader sees the bytes; and what all requests hold of such
 * bytes together is bounded, for as long as they hold it.
 *
 *     struct flm_body body = {.budget = &budget};
 *     flm_body_read(&body, bytes, most, &why)            body.plain
 *     flm_body_clear(&body);                             also where that failed */
#ifndef FLAMEL_SERVE_HTTP_BODY_H
#define FLAMEL_SERVE_HTTP_BODY_H

#include <stdatomic.h>

#include "base/text/text.h"

/* Whether it is gzip or zstd, by its first bytes. */
bool flm_body_is_compressed(struct flm_bytes bytes);

/* Bytes that may still be decompressed. */
struct flm_budget {
    atomic_size_t left;
};

struct flm_body {
    struct flm_bytes
        plain; /* the bytes as they came where they were not compressed; or in `text` */
    struct flm_text text;
    struct flm_budget *budget; /* NULL: there is none */
    size_t taken;              /* of the budget */
};

/* The bytes under all compression, of which there are `most` at most. False, and `why`:
 * FLM_ERROR_RANGE where they are more, or there are more than four layers; FLM_ERROR_SYSTEM where
 * other requests have the budget. */
bool flm_body_read(struct flm_body *body, struct flm_bytes bytes, size_t most,
                   struct flm_error *why);
void flm_body_clear(struct flm_body *body);

#endif
