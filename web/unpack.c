/* unpack.c - the smallest module: it unpacks the large one.
 *
 * A page of one file carries the viewer, and LZMA makes that 14 % smaller than gzip does, which is
 * what browsers know. The same in JavaScript takes 35 ms before the browser has made it quick, this
 * takes 8, and is smaller.
 *
 * The format is LZMA as its public specification has it (Igor Pavlov, 2015), with lc=2, lp=0, pb=0,
 * behind the 13 bytes of an .lzma file's head: src/load/page_assets.sh makes it. */
#include "module_parts.h"

#include <stddef.h>
#include <stdint.h>

enum { STATES = 12, TOP = 1 << 24, HEAD = 13, LITERALS = 0x300, LEAST_MATCH = 2 };

/* What is likely is learned: 11 bits each, one half at first. */
typedef uint16_t odds;

struct lengths {
    odds beyond_low, beyond_middle;
    odds low[8], middle[8], high[256];
};

static struct {
    odds match[STATES], rep[STATES], rep0[STATES], rep1[STATES], rep2[STATES], rep0_long[STATES];
    odds slot[4][64], far[128], align[16];
    struct lengths match_length, rep_length;
    odds literal[4][LITERALS];
} model;

static const uint8_t *at, *end;
static uint32_t range, code;

static void refill(void)
{
    if (range < TOP) {
        range <<= 8;
        code = code << 8 | (at < end ? *at++ : 0);
    }
}

static unsigned bit(odds *of)
{
    uint32_t bound = (range >> 11) * *of;
    unsigned one = code >= bound;
    if (one) {
        range -= bound;
        code -= bound;
        *of = (odds)(*of - (*of >> 5));
    } else {
        range = bound;
        *of = (odds)(*of + ((2048 - *of) >> 5));
    }
    refill();
    return one;
}

static unsigned tree(odds *of, int bits)
{
    unsigned node = 1;
    for (int i = 0; i < bits; i++)
        node = node << 1 | bit(&of[node]);
    return node - (1u << bits);
}

static unsigned low_bits_first(odds *of, int bits)
{
    unsigned node = 1, value = 0;
    for (int i = 0; i < bits; i++) {
        unsigned one = bit(&of[node]);
        node = node << 1 | one;
        value |= one << i;
    }
    return value;
}

static unsigned length(struct lengths *of)
{
    if (!bit(&of->beyond_low))
        return LEAST_MATCH + tree(of->low, 3);
    if (!bit(&of->beyond_middle))
        return LEAST_MATCH + 8 + tree(of->middle, 3);
    return LEAST_MATCH + 16 + tree(of->high, 8);
}

static uint32_t distance(unsigned slot)
{
    if (slot < 4)
        return slot;
    int bits = (int)(slot >> 1) - 1;
    uint32_t base = (2 | (slot & 1)) << bits;
    if (slot < 14)
        return base + low_bits_first(&model.far[base - slot], bits);
    uint32_t direct = 0;
    for (int i = 4; i < bits; i++) {
        range >>= 1;
        unsigned one = code >= range;
        code -= one ? range : 0;
        direct = direct << 1 | one;
        refill();
    }
    return base + (direct << 4) + low_bits_first(model.align, 4);
}

/* `like`: the byte that a match would have had here, or -1. */
static uint8_t literal(odds *of, int like)
{
    unsigned letter = 1;
    while (letter < 256) {
        unsigned same = like < 0 ? 0 : (unsigned)like >> 7;
        unsigned one = bit(&of[(like < 0 ? 0 : 256u << same) + letter]);
        letter = letter << 1 | one;
        like = like < 0 || same != one ? -1 : like << 1 & 255;
    }
    return (uint8_t)letter;
}

/* Unpacks `size` bytes to `out`, of the `in_size` at `in`. Returns 0 for what is damaged. */
__attribute__((export_name("unpack"))) int unpack(const uint8_t *in, uint32_t in_size, uint8_t *out,
                                                  uint32_t size);

int unpack(const uint8_t *in, uint32_t in_size, uint8_t *out, uint32_t size)
{
    odds *all = (odds *)(void *)&model;
    for (size_t i = 0; i < sizeof model / sizeof *all; i++)
        all[i] = 1024;
    at = in + HEAD;
    end = in + in_size;
    range = UINT32_MAX;
    for (int i = 0; i < 5; i++)
        code = code << 8 | (at < end ? *at++ : 0);
    unsigned state = 0;
    uint32_t rep[4] = {0};
    for (uint32_t to = 0; to < size;) {
        if (!bit(&model.match[state])) {
            out[to] = literal(model.literal[to ? out[to - 1] >> 6 : 0],
                              state < 7 ? -1 : out[to - rep[0] - 1]);
            to++;
            state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
            continue;
        }
        unsigned count = 1;
        if (!bit(&model.rep[state])) {
            count = length(&model.match_length);
            rep[3] = rep[2], rep[2] = rep[1], rep[1] = rep[0];
            rep[0] = distance(tree(model.slot[count < 6 ? count - LEAST_MATCH : 3], 6));
            state = state < 7 ? 7 : 10;
        } else {
            int which = !bit(&model.rep0[state])   ? 0
                        : !bit(&model.rep1[state]) ? 1
                                                   : 2 + (int)bit(&model.rep2[state]);
            if (which > 0 || bit(&model.rep0_long[state])) {
                uint32_t chosen = rep[which];
                for (; which > 0; which--)
                    rep[which] = rep[which - 1];
                rep[0] = chosen;
                count = length(&model.rep_length);
                state = state < 7 ? 8 : 11;
            } else {
                state = state < 7 ? 9 : 11;
            }
        }
        if (rep[0] >= to || count > size - to)
            return 0;
        for (; count > 0; count--, to++)
            out[to] = out[to - rep[0] - 1];
    }
    return 1;
}

/* They may overlap. With an instruction of wasm. */
static uint8_t *copy(uint8_t *to, const uint8_t *from, uint32_t size)
{
    __builtin_memmove(to, from, size);
    return to + size;
}

/* Joins the module of `size` bytes whose parts are the `size` bytes at `in` (module_parts.h).
 * Returns 0 for what is damaged. */
__attribute__((export_name("join"))) int join(uint8_t *in, uint8_t *out, uint32_t size);

int join(uint8_t *in, uint8_t *out, uint32_t size)
{
    static struct module_walk walk;
    uint32_t numbers[NUMBERS];
    uint64_t used = MODULE_HEAD;
    if (size < MODULE_HEAD)
        return 0;
    for (int i = 0; i < NUMBERS; i++) {
        numbers[i] = 0;
        for (int shift = 0; shift < 32; shift += 8)
            numbers[i] |= (uint32_t)*in++ << shift;
        used += i == FUNCTIONS ? 0 : numbers[i];
    }
    if (used > size)
        return 0;
    uint8_t *out_end = out + size;
    walk.code = copy(out, in, numbers[BEFORE]);
    in += numbers[BEFORE];
    for (int i = 0; i < PARTS; i++) {
        walk.part[i] = in;
        in += numbers[PART_SIZES + i];
        walk.part_end[i] = in;
    }
    walk.code_end = out_end - numbers[BEHIND];
    walk.joins = true;
    walk.failed = false;
    for (uint32_t i = 0; i < numbers[FUNCTIONS] && !walk.failed; i++) {
        /* Its size stands before it, and is known behind it. */
        uint8_t *start = walk.code;
        walk_function(&walk);
        uint32_t length = (uint32_t)(walk.code - start);
        uint8_t digits[5];
        uint32_t count = 0;
        for (uint32_t rest = length; count == 0 || rest > 0; rest >>= 7)
            digits[count++] = (uint8_t)((rest & 127) | (rest > 127 ? 128 : 0));
        if ((size_t)(walk.code_end - walk.code) < count)
            return 0;
        copy(start + count, start, length);
        copy(start, digits, count);
        walk.code += count;
    }
    copy(walk.code_end, in, numbers[BEHIND]);
    return !walk.failed && walk.code == walk.code_end;
}
