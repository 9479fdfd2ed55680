/* block.c - a compressed block: literals, and the sequences that use them (RFC 8878, section
 * 3.1.1.3). */
#include "base/zstd/internal.h"

/* What is written to beyond the bytes of a copy: it is done in steps. */
enum { STEP = 16 };

static uint32_t little(struct flm_bytes in, unsigned size)
{
    uint32_t value = 0;
    memcpy(&value, in.at, size);
    return value;
}

/* ---- Literals -------------------------------------------------------------------------------- */

enum literals { RAW, REPEATED, COMPRESSED, TREELESS };

static bool decode_streams(const struct flm_zstd_huffman *code, struct flm_bytes in, bool one,
                           unsigned char *out, size_t size)
{
    if (one)
        return flm_zstd_huffman_decode(code, in, out, size);
    /* Four streams of equally many literals; the sizes of the first three. */
    size_t each = (size + 3) / 4, sizes = 6;
    if (in.size < sizes || 3 * each > size)
        return false;
    struct flm_bytes head = in, rest = flm_bytes_from(in, sizes);
    for (int i = 0; i < 3; i++, head = flm_bytes_from(head, 2)) {
        struct flm_bytes stream = {rest.at, little(head, 2)};
        if (stream.size > rest.size || !flm_zstd_huffman_decode(code, stream, out, each))
            return false;
        rest = flm_bytes_from(rest, stream.size);
        out += each;
    }
    return flm_zstd_huffman_decode(code, rest, out, size - 3 * each);
}

/* Returns how many literals there are, and moves `in` behind them; -1: they are malformed. */
static long decode_literals(struct flm_zstd_block *block, struct flm_bytes *in)
{
    if (in->size == 0)
        return -1;
    unsigned first = (unsigned char)in->at[0], format = first >> 2 & 3;
    enum literals kind = first & 3;
    if (kind == RAW || kind == REPEATED) {
        static const uint8_t head_size[] = {1, 2, 1, 3};
        unsigned head = head_size[format];
        if (in->size < head)
            return -1;
        size_t size = little(*in, head) >> (head == 1 ? 3 : 4);
        *in = flm_bytes_from(*in, head);
        size_t stored = kind == RAW ? size : 1;
        if (size > FLM_ZSTD_BLOCK || stored > in->size)
            return -1;
        if (kind == RAW)
            memcpy(block->literals, in->at, size);
        else
            memset(block->literals, in->at[0], size);
        *in = flm_bytes_from(*in, stored);
        return (long)size;
    }
    static const uint8_t head_size[] = {3, 3, 4, 5}, size_bits[] = {10, 10, 14, 18};
    unsigned head = head_size[format], bits = size_bits[format];
    if (in->size < head)
        return -1;
    uint64_t sizes = flm_load64(in->at) >> 4;
    size_t size = sizes & ((1u << bits) - 1), stored = sizes >> bits & ((1u << bits) - 1);
    *in = flm_bytes_from(*in, head);
    if (size > FLM_ZSTD_BLOCK || stored > in->size)
        return -1;
    struct flm_bytes body = {in->at, stored};
    *in = flm_bytes_from(*in, stored);
    if (kind == COMPRESSED && !flm_zstd_huffman_read(&block->huffman, &block->scratch, &body))
        return -1;
    if (block->huffman.log == 0 ||
        !decode_streams(&block->huffman, body, format == 0, block->literals, size))
        return -1;
    return (long)size;
}

/* ---- Sequences ------------------------------------------------------------------------------- */

/* The numbers 0 to 15 and more have codes of their own; then a code is a range of 1 << bits. */
static const uint8_t literal_length_bits[36] = {[16] = 1, 1, 1, 1,  2,  2,  3,  3,  4,  6,
                                                7,        8, 9, 10, 11, 12, 13, 14, 15, 16};
static const uint8_t match_length_bits[53] = {[32] = 1, 1, 1, 1,  2,  2,  3,  3,  4,  4, 5,
                                              7,        8, 9, 10, 11, 12, 13, 14, 15, 16};
enum { LEAST_MATCH = 3 };

static const int16_t literal_length_counts[36] = {
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
    2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
};
static const int16_t offset_counts[29] = {
    1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
};
static const int16_t match_length_counts[53] = {
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1,  1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
};

static const struct {
    const int16_t *counts; /* where a block has no table of its own */
    uint8_t count, log, most_log, most_symbols;
} numbers[FLM_ZSTD_NUMBERS] = {
    [FLM_ZSTD_LITERAL_LENGTH] = {literal_length_counts, 36, 6, 9, 36},
    [FLM_ZSTD_OFFSET] = {offset_counts, 29, 5, 8, 32},
    [FLM_ZSTD_MATCH_LENGTH] = {match_length_counts, 53, 6, 9, 53},
};

enum mode { PREDEFINED, ONE_SYMBOL, TABLE, AGAIN };

static bool read_table(struct flm_zstd_fse *fse, int number, enum mode mode, struct flm_bytes *in)
{
    switch (mode) {
    case PREDEFINED:
        flm_zstd_fse_build(fse, numbers[number].log, numbers[number].counts, numbers[number].count);
        return true;
    case ONE_SYMBOL:
        if (in->size == 0 || (unsigned char)in->at[0] >= numbers[number].most_symbols)
            return false;
        fse->log = fse->cell[0].bits = 0;
        fse->cell[0].base = 0;
        fse->cell[0].symbol = (uint8_t)in->at[0];
        fse->valid = true;
        *in = flm_bytes_from(*in, 1);
        return true;
    case TABLE:
        return flm_zstd_fse_read(fse, numbers[number].most_log, numbers[number].most_symbols, in);
    default:
        return fse->valid;
    }
}

static void make_bases(uint32_t *bases, const uint8_t *bits, unsigned count, uint32_t first)
{
    for (unsigned i = 0; i < count; i++, first += 1u << bits[i - 1])
        bases[i] = first;
}

/* The offset that a value stands for: 1 to 3 are the last ones, or, behind no literals, the second,
 * the third, and one less than the first. 0: there is none. */
static uint32_t offset_of(uint32_t *last, uint64_t value, bool no_literals)
{
    uint32_t offset;
    uint64_t which = value + no_literals - 1;
    if (value > 3) {
        offset = value - 3 > UINT32_MAX ? 0 : (uint32_t)(value - 3);
        which = 2;
    } else {
        offset = which < 3 ? last[which] : last[0] - 1;
    }
    if (which > 1)
        last[2] = last[1];
    if (which > 0)
        last[1] = last[0];
    last[0] = offset;
    return offset;
}

static void copy(unsigned char *to, const unsigned char *from, size_t size)
{
    for (size_t i = 0; i < size; i += STEP)
        memcpy(to + i, from + i, STEP);
}

/* A match may overlap what it makes. */
static void repeat(unsigned char *to, size_t offset, size_t size)
{
    const unsigned char *from = to - offset;
    if (offset >= STEP)
        copy(to, from, size);
    else
        for (size_t i = 0; i < size; i++)
            to[i] = from[i];
}

/* How many sequences there are; moves `in` behind the number. */
static bool read_count(struct flm_bytes *in, unsigned *count)
{
    const unsigned char *at = (const unsigned char *)in->at;
    unsigned size = in->size == 0 || at[0] < 128 ? 1 : at[0] < 255 ? 2 : 3;
    if (in->size < size)
        return false;
    *count = size == 1   ? at[0]
             : size == 2 ? ((at[0] - 128u) << 8) + at[1]
                         : at[1] + ((unsigned)at[2] << 8) + 0x7F00;
    *in = flm_bytes_from(*in, size);
    return true;
}

/* Reads the tables of the three numbers. */
static bool read_tables(struct flm_zstd_block *block, struct flm_bytes *in)
{
    if (in->size == 0)
        return false;
    unsigned modes = (unsigned char)in->at[0];
    *in = flm_bytes_from(*in, 1);
    for (int i = 0; i < FLM_ZSTD_NUMBERS; i++)
        if (!read_table(&block->fse[i], i, modes >> (6 - 2 * i) & 3, in))
            return false;
    return (modes & 3) == 0;
}

long flm_zstd_block_decode(struct flm_zstd_block *block, struct flm_bytes in, unsigned char *out,
                           size_t reach, size_t most)
{
    unsigned count;
    long literal_count = decode_literals(block, &in);
    if (literal_count < 0 || !read_count(&in, &count))
        return -1;
    size_t left = (size_t)literal_count, size = 0;
    const unsigned char *literals = block->literals;
    if (count > 0) {
        uint32_t literal_base[36], match_base[53];
        struct flm_zstd_bits bits;
        size_t state[FLM_ZSTD_NUMBERS];
        if (!read_tables(block, &in) ||
            !flm_zstd_bits_open(&bits, (const unsigned char *)in.at, in.size))
            return -1;
        in.size = 0;
        make_bases(literal_base, literal_length_bits, 36, 0);
        make_bases(match_base, match_length_bits, 53, LEAST_MATCH);
        for (int i = 0; i < FLM_ZSTD_NUMBERS; i++)
            state[i] = (size_t)flm_zstd_bits_read(&bits, block->fse[i].log);
        for (;;) {
            unsigned code[FLM_ZSTD_NUMBERS];
            for (int i = 0; i < FLM_ZSTD_NUMBERS; i++)
                code[i] = block->fse[i].cell[state[i]].symbol;
            unsigned length = code[FLM_ZSTD_LITERAL_LENGTH], match = code[FLM_ZSTD_MATCH_LENGTH];
            unsigned offset_bits = code[FLM_ZSTD_OFFSET];
            uint64_t value = ((uint64_t)1 << offset_bits) + flm_zstd_bits_read(&bits, offset_bits);
            size_t match_size =
                match_base[match] + flm_zstd_bits_read(&bits, match_length_bits[match]);
            size_t literal_size =
                literal_base[length] + flm_zstd_bits_read(&bits, literal_length_bits[length]);
            uint32_t offset = offset_of(block->offsets, value, literal_size == 0);
            if (literal_size > left || literal_size + match_size > most - size || offset == 0 ||
                offset > reach + size + literal_size)
                return -1;
            copy(out + size, literals, literal_size);
            literals += literal_size;
            left -= literal_size;
            size += literal_size;
            repeat(out + size, offset, match_size);
            size += match_size;
            if (--count == 0)
                break;
            static const uint8_t order[] = {FLM_ZSTD_LITERAL_LENGTH, FLM_ZSTD_MATCH_LENGTH,
                                            FLM_ZSTD_OFFSET};
            for (int i = 0; i < FLM_ZSTD_NUMBERS; i++) {
                const struct flm_zstd_fse *fse = &block->fse[order[i]];
                size_t now = state[order[i]];
                state[order[i]] =
                    fse->cell[now].base + (size_t)flm_zstd_bits_read(&bits, fse->cell[now].bits);
            }
            if (bits.left < FLM_ZSTD_NO_BITS)
                return -1;
        }
        if (bits.left != FLM_ZSTD_NO_BITS)
            return -1;
    }
    if (in.size > 0 || left > most - size)
        return -1;
    memcpy(out + size, literals, left);
    return (long)(size + left);
}

void flm_zstd_block_begin_frame(struct flm_zstd_block *block)
{
    block->huffman.log = 0;
    for (int i = 0; i < FLM_ZSTD_NUMBERS; i++)
        block->fse[i].valid = false;
    block->offsets[0] = 1;
    block->offsets[1] = 4;
    block->offsets[2] = 8;
}
