/* sha256.h - SHA-256 (FIPS 180-4): what is kept of a token, which cannot be found from it. */
#ifndef FLAMEL_BASE_CORE_SHA256_H
#define FLAMEL_BASE_CORE_SHA256_H

#include "base/core/bytes.h"

enum { FLM_SHA256_SIZE = 32 };

void flm_sha256(struct flm_bytes bytes, unsigned char digest[FLM_SHA256_SIZE]);

#endif
