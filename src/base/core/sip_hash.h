/* sip_hash.h - SipHash-2-4: a hash that nobody can compute, or undo by trying names, without its
 * key.
 *
 * Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), section 2. */
#ifndef FLAMEL_BASE_CORE_SIP_HASH_H
#define FLAMEL_BASE_CORE_SIP_HASH_H

#include "base/core/bytes.h"

enum { FLM_SIP_KEY_SIZE = 16 };

uint64_t flm_sip_hash(const unsigned char key[FLM_SIP_KEY_SIZE], struct flm_bytes text);

#endif
