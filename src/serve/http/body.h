/* body.h - what a client sends, decompressed, in bounded memory.
 *
 * A few kilobytes of gzip are gigabytes of zeros, and profiles come compressed several times over:
 * pprof, which is gzip, under Content-Encoding: gzip. So all layers are undone here, with one limit
 * for what comes out of each, before any reader sees the bytes. */
#ifndef FLAMEL_SERVE_HTTP_BODY_H
#define FLAMEL_SERVE_HTTP_BODY_H

#include "base/text/text.h"

/* Whether it is gzip or zstd, by its first bytes. */
bool flm_body_is_compressed(struct flm_bytes bytes);

/* The bytes under all compression, of which there are `most` at most: `plain` is in `bytes` where
 * they were not compressed, in `out` otherwise. False, and `why`: FLM_ERROR_RANGE where they are
 * more, or there are more than four layers. */
bool flm_body_plain(struct flm_bytes bytes, size_t most, struct flm_text *out,
                    struct flm_bytes *plain, struct flm_error *why);

#endif
