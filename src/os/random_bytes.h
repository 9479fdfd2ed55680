/* random_bytes.h - bytes that nobody can guess: for tokens and keys. */
#ifndef FLAMEL_OS_RANDOM_BYTES_H
#define FLAMEL_OS_RANDOM_BYTES_H

#include <stddef.h>

#include "flamel/error.h"

/* At most 256 bytes. False, and `why`, where the system has none. */
bool flm_random_bytes(void *bytes, size_t size, struct flm_error *why);

#endif
