/* libc.c - the functions of the C standard that pure code calls, for wasm without a system.
 *
 * Unaligned loads are free in wasm, so comparing and searching go eight bytes at a time. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef strlen
#undef floor
#undef ceil
#undef trunc
#undef rint
#undef fabs
#undef sqrt
#undef copysign

_Noreturn void abort(void)
{
    __builtin_trap();
}

/* With -mbulk-memory the three builtins are memory.copy and memory.fill, not calls of themselves.
 */
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    return __builtin_memmove(to, from, size);
}

void *memset(void *at, int byte, size_t size)
{
    return __builtin_memset(at, byte, size);
}

static uint64_t load(const unsigned char *at)
{
    uint64_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    for (; size >= 8; x += 8, y += 8, size -= 8) {
        if (load(x) == load(y))
            continue;
        /* The first byte decides, and it is the lowest: turn both around. */
        return __builtin_bswap64(load(x)) < __builtin_bswap64(load(y)) ? -1 : 1;
    }
    for (; size > 0; x++, y++, size--)
        if (*x != *y)
            return *x - *y;
    return 0;
}

void *memchr(const void *at, int byte, size_t size)
{
    const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    const unsigned char *x = at;
    uint64_t wanted = ones * (unsigned char)byte;
    for (; size >= 8; x += 8, size -= 8) {
        /* Zero bytes of `differs` are the hits. Borrowing can only mark bytes above a real one. */
        uint64_t differs = load(x) ^ wanted;
        uint64_t hits = (differs - ones) & ~differs & highs;
        if (hits)
            return (void *)(x + __builtin_ctzll(hits) / 8);
    }
    for (; size > 0; x++, size--)
        if (*x == (unsigned char)byte)
            return (void *)x;
    return NULL;
}

size_t strlen(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

double floor(double x)
{
    return __builtin_floor(x);
}

double ceil(double x)
{
    return __builtin_ceil(x);
}

double trunc(double x)
{
    return __builtin_trunc(x);
}

double rint(double x)
{
    return __builtin_rint(x);
}

double fabs(double x)
{
    return __builtin_fabs(x);
}

double sqrt(double x)
{
    return __builtin_sqrt(x);
}

double copysign(double size, double sign)
{
    return __builtin_copysign(size, sign);
}

/* Half away from zero. Adding a half first would round 0.49999999999999994 up. */
double round(double x)
{
    double whole = __builtin_trunc(x);
    if (__builtin_fabs(x - whole) >= 0.5)
        whole += __builtin_copysign(1, x);
    return __builtin_copysign(whole, x);
}

double fmin(double a, double b)
{
    return __builtin_isnan(a) || b < a ? b : a;
}

double fmax(double a, double b)
{
    return __builtin_isnan(a) || b > a ? b : a;
}

/* Functions that clang calls for 128-bit arithmetic, as in number conversion and hashing. */
__extension__ typedef __int128 int128;
int128 __multi3(int128 a, int128 b);
int128 __ashlti3(int128 value, int shift);
int128 __lshrti3(int128 value, int shift);

union halves {
    int128 whole;
    struct {
        uint64_t low, high;
    };
};

int128 __multi3(int128 a, int128 b)
{
    union halves x = {.whole = a}, y = {.whole = b}, product;
    uint64_t x0 = (uint32_t)x.low, x1 = x.low >> 32;
    uint64_t y0 = (uint32_t)y.low, y1 = y.low >> 32;
    uint64_t middle = x1 * y0 + (x0 * y0 >> 32); /* cannot overflow, nor can the next sum */
    uint64_t other = x0 * y1 + (uint32_t)middle;
    product.low = other << 32 | (uint32_t)(x0 * y0);
    product.high = x1 * y1 + (middle >> 32) + (other >> 32) + x.high * y.low + x.low * y.high;
    return product.whole;
}

int128 __ashlti3(int128 value, int shift)
{
    union halves x = {.whole = value};
    if (shift >= 64) {
        x.high = x.low << (shift - 64);
        x.low = 0;
    } else if (shift > 0) {
        x.high = x.high << shift | x.low >> (64 - shift);
        x.low <<= shift;
    }
    return x.whole;
}

int128 __lshrti3(int128 value, int shift)
{
    union halves x = {.whole = value};
    if (shift >= 64) {
        x.low = x.high >> (shift - 64);
        x.high = 0;
    } else if (shift > 0) {
        x.low = x.low >> shift | x.high << (64 - shift);
        x.high >>= shift;
    }
    return x.whole;
}
