/* codes.c - the two entropy codes of zstd: RFC 8878, sections 4.1 and 4.2. */
#include "base/zstd/internal.h"

/* ---- ANS ------------------------------------------------------------------------------------- */

void flm_zstd_fse_build(struct flm_zstd_fse *fse, unsigned log, const int16_t *counts,
                        unsigned symbols)
{
    uint16_t next[FLM_ZSTD_SYMBOLS];
    unsigned size = 1u << log, end = size, at = 0;
    for (unsigned symbol = 0; symbol < symbols; symbol++) {
        next[symbol] = counts[symbol] < 0 ? 1 : (uint16_t)counts[symbol];
        if (counts[symbol] < 0)
            fse->cell[--end].symbol = (uint8_t)symbol;
    }
    /* The step is odd, so it comes to every cell; those at the end are taken. */
    for (unsigned symbol = 0; symbol < symbols; symbol++)
        for (int i = 0; i < counts[symbol]; i++) {
            fse->cell[at].symbol = (uint8_t)symbol;
            do
                at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1);
            while (at >= end);
        }
    for (unsigned i = 0; i < size; i++) {
        unsigned state = next[fse->cell[i].symbol]++;
        fse->cell[i].bits = (uint8_t)(log - flm_zstd_log2(state));
        fse->cell[i].base = (uint16_t)((state << fse->cell[i].bits) - size);
    }
    fse->log = log;
    fse->valid = true;
}

bool flm_zstd_fse_read(struct flm_zstd_fse *fse, unsigned most_log, unsigned most_symbols,
                       struct flm_bytes *in)
{
    int16_t counts[FLM_ZSTD_SYMBOLS];
    unsigned symbols = 0;
    if (in->size == 0)
        return false;
    unsigned log = ((unsigned char)in->at[0] & 15) + 5;
    size_t at = 4; /* in bits */
    int left = 1 << log;
    if (log > most_log)
        return false;
    while (left > 0) {
        /* A count is one of 0 to left + 1, in as few bits as that takes; the smaller of them in one
         * bit less. */
        unsigned bits = flm_zstd_log2((uint32_t)left + 1) + 1, half = 1u << (bits - 1);
        if (at / 8 >= in->size || symbols >= most_symbols)
            return false;
        unsigned value = flm_load32(in->at + at / 8) >> at % 8 & (2 * half - 1);
        unsigned shorter = 2 * half - 1 - ((unsigned)left + 1);
        at += bits;
        if ((value & (half - 1)) < shorter) {
            value &= half - 1;
            at--;
        } else if (value >= half) {
            value -= shorter;
        }
        int count = (int)value - 1;
        left -= count < 0 ? 1 : count;
        counts[symbols++] = (int16_t)count;
        /* Behind a 0, how many more there are: 2 bits, again and again while they are 3. */
        for (unsigned more = count == 0 ? 3 : 0; more == 3;) {
            if (at / 8 >= in->size)
                return false;
            more = flm_load32(in->at + at / 8) >> at % 8 & 3;
            at += 2;
            if (symbols + more > most_symbols)
                return false;
            for (unsigned i = 0; i < more; i++)
                counts[symbols++] = 0;
        }
    }
    size_t size = (at + 7) / 8;
    if (left < 0 || size > in->size)
        return false;
    *in = flm_bytes_from(*in, size);
    flm_zstd_fse_build(fse, log, counts, symbols);
    return true;
}

/* ---- Huffman --------------------------------------------------------------------------------- */

enum { MOST_WEIGHTS = FLM_ZSTD_SYMBOLS - 1, WEIGHT_LOG = 6, MOST_WEIGHT = FLM_ZSTD_HUFFMAN_LOG };

/* Two states take turns, until the bits are used up. Returns how many weights there are, 0 if they
 * are malformed. */
static unsigned read_weights(struct flm_zstd_fse *fse, struct flm_bytes in, uint8_t *weights)
{
    struct flm_zstd_bits bits;
    if (!flm_zstd_fse_read(fse, WEIGHT_LOG, MOST_WEIGHT + 1, &in) ||
        !flm_zstd_bits_open(&bits, (const unsigned char *)in.at, in.size))
        return 0;
    size_t state[2];
    for (int i = 0; i < 2; i++)
        state[i] = (size_t)flm_zstd_bits_read(&bits, fse->log);
    if (bits.left < FLM_ZSTD_NO_BITS)
        return 0;
    for (unsigned count = 0; count + 2 <= MOST_WEIGHTS; count++) {
        size_t now = state[count % 2];
        weights[count] = fse->cell[now].symbol;
        state[count % 2] = fse->cell[now].base + flm_zstd_bits_read(&bits, fse->cell[now].bits);
        if (bits.left < FLM_ZSTD_NO_BITS) {
            weights[count + 1] = fse->cell[state[(count + 1) % 2]].symbol;
            return count + 2;
        }
    }
    return 0;
}

/* A symbol of weight w > 0 has 1 << (w - 1) cells; together they have a power of two, from which
 * follows the last weight, which is not written. */
static bool build(struct flm_zstd_huffman *code, uint8_t *weights, unsigned count)
{
    uint32_t sum = 0, start[MOST_WEIGHT + 2] = {0};
    for (unsigned i = 0; i < count; i++) {
        if (weights[i] > MOST_WEIGHT)
            return false;
        sum += weights[i] > 0 ? 1u << (weights[i] - 1) : 0;
    }
    if (sum == 0)
        return false;
    unsigned log = flm_zstd_log2(sum) + 1;
    uint32_t rest = (1u << log) - sum;
    if (log > FLM_ZSTD_HUFFMAN_LOG || (rest & (rest - 1)) != 0)
        return false;
    weights[count++] = (uint8_t)(flm_zstd_log2(rest) + 1);
    for (unsigned i = 0; i < count; i++)
        if (weights[i] > 0)
            start[weights[i] + 1] += 1u << (weights[i] - 1);
    for (unsigned weight = 1; weight <= MOST_WEIGHT; weight++)
        start[weight + 1] += start[weight];
    for (unsigned i = 0; i < count; i++)
        for (uint32_t n = weights[i] > 0 ? 1u << (weights[i] - 1) : 0; n > 0; n--) {
            uint32_t at = start[weights[i]]++;
            code->cell[at].symbol = (uint8_t)i;
            code->cell[at].bits = (uint8_t)(log + 1 - weights[i]);
        }
    code->log = log;
    return true;
}

bool flm_zstd_huffman_read(struct flm_zstd_huffman *code, struct flm_zstd_fse *scratch,
                           struct flm_bytes *in)
{
    uint8_t weights[FLM_ZSTD_SYMBOLS] = {0};
    if (in->size == 0)
        return false;
    unsigned head = (unsigned char)in->at[0], count = head - 127;
    size_t size = head < 128 ? head : (count + 1) / 2;
    if (size >= in->size)
        return false;
    struct flm_bytes body = {in->at + 1, size};
    *in = flm_bytes_from(*in, 1 + size);
    if (head < 128)
        count = read_weights(scratch, body, weights);
    else
        for (unsigned i = 0; i < count; i++)
            weights[i] = (unsigned char)body.at[i / 2] >> (i % 2 ? 0 : 4) & 15;
    code->log = 0;
    return count > 0 && build(code, weights, count);
}

bool flm_zstd_huffman_decode(const struct flm_zstd_huffman *code, struct flm_bytes in,
                             unsigned char *out, size_t count)
{
    struct flm_zstd_bits bits;
    const unsigned log = code->log, mask = (1u << log) - 1;
    if (!flm_zstd_bits_open(&bits, (const unsigned char *)in.at, in.size))
        return false;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        if (bits.left < FLM_ZSTD_NO_BITS)
            return false;
        /* 4 symbols of at most 11 bits in one load. */
        uint64_t word = flm_zstd_bits_peek(&bits, 4 * FLM_ZSTD_HUFFMAN_LOG);
        unsigned left = 4 * FLM_ZSTD_HUFFMAN_LOG;
        for (int n = 0; n < 4; n++) {
            size_t at = word >> (left - log) & mask;
            out[i + (size_t)n] = code->cell[at].symbol;
            left -= code->cell[at].bits;
        }
        bits.left -= 4 * FLM_ZSTD_HUFFMAN_LOG - left;
    }
    for (; i < count; i++) {
        if (bits.left < FLM_ZSTD_NO_BITS)
            return false;
        size_t at = (size_t)flm_zstd_bits_peek(&bits, log);
        out[i] = code->cell[at].symbol;
        bits.left -= code->cell[at].bits;
    }
    return bits.left == FLM_ZSTD_NO_BITS;
}
