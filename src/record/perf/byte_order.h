/* byte_order.h - numbers in files: at any address, and perhaps in the other byte order. */
#ifndef FLAMEL_RECORD_PERF_BYTE_ORDER_H
#define FLAMEL_RECORD_PERF_BYTE_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t flm_word64(const char *at, bool swapped)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return swapped ? __builtin_bswap64(word) : word;
}

static inline uint32_t flm_word32(const char *at, bool swapped)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return swapped ? __builtin_bswap32(word) : word;
}

static inline uint16_t flm_word16(const char *at, bool swapped)
{
    uint16_t word;
    memcpy(&word, at, sizeof word);
    return swapped ? __builtin_bswap16(word) : word;
}

#endif
