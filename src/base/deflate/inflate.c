#include "base/deflate/inflate.h"

enum {
    MOST_BITS = 15,
    QUICK_BITS = 9, /* codes up to this length are found at once: nearly all */
    LITERALS = 288,
    DISTANCES = 32,
    END_OF_BLOCK = 256
};

struct code {
    uint16_t quick[1 << QUICK_BITS]; /* symbol << 4 | length; 0: a longer code */
    uint16_t count[MOST_BITS + 1];   /* codes of each length */
    uint16_t symbols[LITERALS];      /* in the order of their codes */
};

struct inflation {
    const unsigned char *at, *end;
    uint64_t bits;
    unsigned bit_count;
    bool is_cut;
    struct flm_text *out;
    size_t start, most;
    struct code literals, distances;
};

static const char damaged[] = "its compressed bytes (deflate) are damaged";
static const char too_large[] =
    "its compressed bytes (deflate) become more than its format allows: they are damaged";

/* ---- Bits ------------------------------------------------------------------------------------ */

/* At least 32 bits, or all that are left and zeros. */
static void fill(struct inflation *f)
{
    while (f->bit_count <= 56 && f->at < f->end) {
        f->bits |= (uint64_t)*f->at++ << f->bit_count;
        f->bit_count += 8;
    }
}

static void drop(struct inflation *f, unsigned count)
{
    f->is_cut = f->is_cut || count > f->bit_count;
    f->bit_count = count > f->bit_count ? 0 : f->bit_count - count;
    f->bits >>= count;
}

static unsigned take(struct inflation *f, unsigned count)
{
    fill(f);
    unsigned value = (unsigned)(f->bits & ((UINT64_C(1) << count) - 1));
    drop(f, count);
    return value;
}

/* ---- Codes ----------------------------------------------------------------------------------- */

static unsigned reversed(unsigned value, unsigned count)
{
    unsigned result = 0;
    for (; count > 0; count--, value >>= 1)
        result = result << 1 | (value & 1);
    return result;
}

/* False for lengths that are no code: more codes than there are, or fewer, but for a single one. */
static bool make_code(struct code *code, const uint8_t *lengths, unsigned count)
{
    unsigned offsets[MOST_BITS + 2] = {0}, next[MOST_BITS + 2] = {0}, used = 0;
    int left = 1;
    memset(code, 0, sizeof *code);
    for (unsigned i = 0; i < count; i++)
        code->count[lengths[i]]++;
    code->count[0] = 0;
    for (unsigned bits = 1; bits <= MOST_BITS; bits++) {
        left = 2 * left - code->count[bits];
        used += code->count[bits];
        if (left < 0)
            return false;
        offsets[bits + 1] = offsets[bits] + code->count[bits];
        next[bits + 1] = (next[bits] + code->count[bits]) << 1;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned bits = lengths[i];
        if (bits == 0)
            continue;
        code->symbols[offsets[bits]++] = (uint16_t)i;
        unsigned value = reversed(next[bits]++, bits);
        for (; bits <= QUICK_BITS && value < 1 << QUICK_BITS; value += 1u << bits)
            code->quick[value] = (uint16_t)(i << 4 | bits);
    }
    return left == 0 || used <= 1;
}

/* -1: there is no such code. */
static int decode(struct inflation *f, const struct code *code)
{
    fill(f);
    unsigned quick = code->quick[f->bits & ((1 << QUICK_BITS) - 1)];
    if (quick) {
        drop(f, quick & 15);
        return (int)(quick >> 4);
    }
    int first = 0, index = 0, value = 0;
    for (unsigned bits = 1; bits <= MOST_BITS; bits++) {
        value |= (int)(f->bits >> (bits - 1) & 1);
        int count = code->count[bits];
        if (value - count < first) {
            drop(f, bits);
            return code->symbols[index + (value - first)];
        }
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    return -1;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The lengths of both codes, which are under a code themselves. */
static bool read_codes(struct inflation *f)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + DISTANCES] = {0};
    unsigned literals = take(f, 5) + 257, distances = take(f, 5) + 1, count = take(f, 4) + 4;
    for (unsigned i = 0; i < count; i++)
        lengths[order[i]] = (uint8_t)take(f, 3);
    if (literals > 286 || distances > 30 || !make_code(&f->literals, lengths, 19))
        return false;
    memset(lengths, 0, sizeof lengths);
    for (unsigned i = 0; i < literals + distances;) {
        int symbol = decode(f, &f->literals);
        unsigned times = symbol == 16   ? 3 + take(f, 2)
                         : symbol == 17 ? 3 + take(f, 3)
                         : symbol == 18 ? 11 + take(f, 7)
                                        : 1;
        if (symbol < 0 || f->is_cut || i + times > literals + distances || (symbol == 16 && i == 0))
            return false;
        uint8_t length = symbol < 16 ? (uint8_t)symbol : symbol == 16 ? lengths[i - 1] : 0;
        memset(lengths + i, length, times);
        i += times;
    }
    return lengths[END_OF_BLOCK] > 0 && make_code(&f->literals, lengths, literals) &&
           make_code(&f->distances, lengths + literals, distances);
}

static void make_fixed_codes(struct inflation *f)
{
    uint8_t lengths[LITERALS];
    memset(lengths, 8, sizeof lengths);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    make_code(&f->literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(&f->distances, lengths, DISTANCES);
}

/* Lengths and distances come in groups, each twice as wide as the last (of `step` groups). */
static unsigned take_group(struct inflation *f, unsigned symbol, unsigned step)
{
    unsigned extra = symbol < 2 * step ? 0 : symbol / step - 1;
    unsigned base = symbol < 2 * step ? symbol : (step + symbol % step) << extra;
    return base + take(f, extra);
}

static const char *read_compressed(struct inflation *f)
{
    enum { LONGEST = 258, LONGEST_SYMBOL = 285 };
    for (;;) {
        char *to = flm_text_reserve(f->out, LONGEST);
        int symbol = decode(f, &f->literals);
        if (!to)
            return NULL;
        if (symbol < 0 || f->is_cut)
            return damaged;
        if (f->out->size - f->start > f->most)
            return too_large;
        if (symbol == END_OF_BLOCK)
            return NULL;
        if (symbol < END_OF_BLOCK) {
            *to = (char)symbol;
            f->out->size++;
            continue;
        }
        if (symbol > LONGEST_SYMBOL)
            return damaged;
        size_t length =
            symbol == LONGEST_SYMBOL ? LONGEST : 3 + take_group(f, (unsigned)symbol - 257, 4);
        int group = decode(f, &f->distances);
        if (group < 0 || group > 29)
            return damaged;
        size_t distance = 1 + take_group(f, (unsigned)group, 2);
        if (distance > f->out->size - f->start || f->is_cut)
            return damaged;
        for (size_t i = 0; i < length; i++) /* they may overlap */
            to[i] = (to - distance)[i];
        f->out->size += length;
    }
}

static const char *read_stored(struct inflation *f)
{
    drop(f, f->bit_count & 7);
    size_t size = take(f, 16), complement = take(f, 16);
    if (f->is_cut || (size ^ complement) != 0xFFFF)
        return damaged;
    if (f->out->size - f->start + size > f->most)
        return too_large;
    for (; size > 0 && !f->is_cut; size--)
        flm_text_putc(f->out, (char)take(f, 8));
    return f->is_cut ? damaged : NULL;
}

static uint32_t adler32(const char *at, size_t size)
{
    uint32_t a = 1, b = 0;
    enum { MOST_SUMMED = 5552 }; /* as many as 32 bits hold */
    while (size > 0) {
        size_t count = size < MOST_SUMMED ? size : MOST_SUMMED;
        size -= count;
        for (; count > 0; count--) {
            a += (unsigned char)*at++;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

const char *flm_inflate(struct flm_bytes bytes, struct flm_text *out, size_t most)
{
    struct inflation f = {.at = (const unsigned char *)bytes.at,
                          .end = (const unsigned char *)bytes.at + bytes.size,
                          .out = out,
                          .start = out->size,
                          .most = most};
    unsigned method = take(&f, 8), flags = take(&f, 8);
    enum { DEFLATE = 8, DICTIONARY = 32, STORED = 0, FIXED = 1, DYNAMIC = 2 };
    if ((method & 15) != DEFLATE || (method << 8 | flags) % 31 != 0 || flags & DICTIONARY)
        return "its compressed bytes are not of zlib";
    bool is_last;
    do {
        is_last = take(&f, 1);
        unsigned type = take(&f, 2);
        const char *reason = NULL;
        if (type == FIXED)
            make_fixed_codes(&f);
        if (type > DYNAMIC || f.is_cut || (type == DYNAMIC && !read_codes(&f)))
            return damaged;
        reason = type == STORED ? read_stored(&f) : read_compressed(&f);
        if (reason)
            return reason;
        if (out->failed)
            return NULL;
    } while (!is_last);
    drop(&f, f.bit_count & 7);
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum = sum << 8 | take(&f, 8);
    return f.is_cut || sum != adler32(out->at + f.start, out->size - f.start) ? damaged : NULL;
}
