/* scan.h - searching text 16 bytes at a time.
 *
 * These are the inner loops of the text readers, where calling memchr for every name costs more
 * than the search. They use SSE2 or NEON (which every x86-64 and arm64 has), 128-bit SIMD in the
 * browser, or single bytes elsewhere. None reads outside of its arguments. */
#ifndef FLAMEL_BASE_CORE_SCAN_H
#define FLAMEL_BASE_CORE_SCAN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#if defined(__SSE2__)
#define FLM_SCAN_BITS 1 /* bits of a mask per byte */
typedef uint32_t flm_scan_mask;

static inline flm_scan_mask flm_scan_either(const char *at, char a, char b)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(a)),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b))));
}

static inline flm_scan_mask flm_scan_different(const char *x, const char *y)
{
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)x);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)y);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) ^ 0xFFFFu;
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define FLM_SCAN_BITS 4
typedef uint64_t flm_scan_mask;

static inline flm_scan_mask flm_scan_pack(uint8x16_t equal)
{
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(equal), 4)), 0);
}

static inline flm_scan_mask flm_scan_either(const char *at, char a, char b)
{
    uint8x16_t bytes = vld1q_u8((const uint8_t *)at);
    return flm_scan_pack(
        vorrq_u8(vceqq_u8(bytes, vdupq_n_u8((uint8_t)a)), vceqq_u8(bytes, vdupq_n_u8((uint8_t)b))));
}

static inline flm_scan_mask flm_scan_different(const char *x, const char *y)
{
    return ~flm_scan_pack(vceqq_u8(vld1q_u8((const uint8_t *)x), vld1q_u8((const uint8_t *)y)));
}
#elif defined(__wasm_simd128__)
#define FLM_SCAN_BITS 1
typedef uint32_t flm_scan_mask;

static inline flm_scan_mask flm_scan_either(const char *at, char a, char b)
{
    v128_t bytes = wasm_v128_load(at);
    return wasm_i8x16_bitmask(wasm_v128_or(wasm_i8x16_eq(bytes, wasm_i8x16_splat(a)),
                                           wasm_i8x16_eq(bytes, wasm_i8x16_splat(b))));
}

static inline flm_scan_mask flm_scan_different(const char *x, const char *y)
{
    return wasm_i8x16_bitmask(wasm_i8x16_ne(wasm_v128_load(x), wasm_v128_load(y)));
}
#endif

/* ---- 64 bytes at once ------------------------------------------------------------------------ */

#ifdef FLM_SCAN_BITS
#define FLM_SCAN_64 64 /* these functions are there */

/* Which of the 64 bytes at `at` are `wanted`, or decimal digits: a bit each, the lowest is the
 * first. For text in which many of them are looked for, where one after the other would wait for
 * the one before it. */
static inline uint64_t flm_scan64_equal(const char *at, char wanted);
static inline uint64_t flm_scan64_digits(const char *at);
#endif

#if defined(__SSE2__)
static inline uint64_t flm_scan64_equal(const char *at, char wanted)
{
    uint64_t mask = 0;
    for (int i = 48; i >= 0; i -= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        __m128i found = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted));
        mask = mask << 16 | (uint32_t)_mm_movemask_epi8(found);
    }
    return mask;
}

static inline uint64_t flm_scan64_digits(const char *at)
{
    uint64_t mask = 0;
    for (int i = 48; i >= 0; i -= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        __m128i values = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
        mask = mask << 16 | (uint32_t)_mm_movemask_epi8(found);
    }
    return mask;
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
static inline uint64_t flm_scan64_pack(const uint8x16_t found[4])
{
    const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t low = vpaddq_u8(vandq_u8(found[0], bits), vandq_u8(found[1], bits));
    uint8x16_t high = vpaddq_u8(vandq_u8(found[2], bits), vandq_u8(found[3], bits));
    low = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}

static inline uint64_t flm_scan64_equal(const char *at, char wanted)
{
    uint8x16_t found[4];
    for (int i = 0; i < 4; i++)
        found[i] = vceqq_u8(vld1q_u8((const uint8_t *)at + 16 * i), vdupq_n_u8((uint8_t)wanted));
    return flm_scan64_pack(found);
}

static inline uint64_t flm_scan64_digits(const char *at)
{
    uint8x16_t found[4];
    for (int i = 0; i < 4; i++)
        found[i] = vcleq_u8(vsubq_u8(vld1q_u8((const uint8_t *)at + 16 * i), vdupq_n_u8('0')),
                            vdupq_n_u8(9));
    return flm_scan64_pack(found);
}
#elif defined(__wasm_simd128__)
static inline uint64_t flm_scan64_equal(const char *at, char wanted)
{
    uint64_t mask = 0;
    for (int i = 48; i >= 0; i -= 16)
        mask = mask << 16 | (uint32_t)wasm_i8x16_bitmask(
                                wasm_i8x16_eq(wasm_v128_load(at + i), wasm_i8x16_splat(wanted)));
    return mask;
}

static inline uint64_t flm_scan64_digits(const char *at)
{
    uint64_t mask = 0;
    for (int i = 48; i >= 0; i -= 16)
        mask = mask << 16 | (uint32_t)wasm_i8x16_bitmask(wasm_u8x16_le(
                                wasm_i8x16_sub(wasm_v128_load(at + i), wasm_i8x16_splat('0')),
                                wasm_i8x16_splat(9)));
    return mask;
}
#endif

/* ---- Searching ------------------------------------------------------------------------------- */

/* The first `a` or `b` in [at, end); `end` when there is none. */
static inline const char *flm_find_either(const char *at, const char *end, char a, char b)
{
#ifdef FLM_SCAN_BITS
    for (; end - at >= 16; at += 16) {
        flm_scan_mask mask = flm_scan_either(at, a, b);
        if (mask)
            return at + __builtin_ctzll(mask) / FLM_SCAN_BITS;
    }
#endif
    while (at < end && *at != a && *at != b)
        at++;
    return at;
}

static inline const char *flm_find(const char *at, const char *end, char wanted)
{
    return flm_find_either(at, end, wanted, wanted);
}

/* How many bytes at the beginning of x and y are the same: at most `limit`. */
static inline size_t flm_common_prefix(const char *x, const char *y, size_t limit)
{
    size_t shared = 0;
#ifdef FLM_SCAN_BITS
    for (; limit - shared >= 16; shared += 16) {
        flm_scan_mask mask = flm_scan_different(x + shared, y + shared);
        if (mask)
            return shared + (size_t)__builtin_ctzll(mask) / FLM_SCAN_BITS;
    }
#endif
    while (shared < limit && x[shared] == y[shared])
        shared++;
    return shared;
}

#endif
