/* digest.h - SHA-256 by OpenSSL's libcrypto, which is loaded where there are tokens. */
#ifndef FLAMEL_SERVE_ACCESS_DIGEST_H
#define FLAMEL_SERVE_ACCESS_DIGEST_H

#include "base/core/bytes.h"
#include "flamel/error.h"

enum { FLM_DIGEST_SIZE = 32 };

/* False, and `why`, where there is no libcrypto. */
bool flm_digest(struct flm_bytes bytes, unsigned char digest[FLM_DIGEST_SIZE],
                struct flm_error *why);

#endif
