#include "base/mix/mix.h"

#include <stdlib.h>
#include <string.h>

/* A context and four bits of a byte have a slot: which they are, and a counter for each of the 15
 * places in the tree of four bits. A counter is a probability of 12 bits, and 4 bits of how often
 * it was asked: a young one learns faster. */
enum { CONTEXTS = 4, INPUTS = CONTEXTS + 1, SLOT = 16, TABLE_BITS = 20, TABLE = 1 << TABLE_BITS };
enum { OLDEST = 6, FRESH = 2048 << 4 };

/* The weights of the inputs are those for the last byte, and whether there is a match, or a long
 * one. */
enum { ROWS = 3 * 256, RATE = 24, ONE = 1 << 14, MOST_WEIGHT = 4 * ONE };

/* Of matches: the last place of each hash of five bytes. */
enum { HASH_BITS = 18, LONGEST = 63 };

struct mix {
    uint16_t tables[CONTEXTS][TABLE];
    int32_t weights[ROWS][INPUTS];
    uint32_t places[1 << HASH_BITS];
    uint16_t of_length[LONGEST + 1]; /* how likely a match of a length goes on, of 2^16 */
    int16_t stretched[4096];
    uint32_t match, length;
};

/* What is predicted of one bit, for learning from it. */
struct guess {
    uint16_t *counters[CONTEXTS];
    int32_t inputs[INPUTS], *weights;
    int expected; /* the bit by the match; -1: none */
    uint32_t p;   /* of a 1, of 2^16 */
};

/* 65536 / (1 + e^-x), x = (i - 16) / 2. */
static const uint16_t squashed[33] = {22,    36,    60,    99,    162,   267,   439,   720,   1179,
                                      1921,  3108,  4972,  7812,  11955, 17625, 24743, 32768, 40793,
                                      47911, 53581, 57724, 60564, 62428, 63615, 64357, 64816, 65097,
                                      65269, 65374, 65437, 65476, 65500, 65514};

/* A probability of 2^16 from a logarithm of odds with 8 bits behind the point, and back. */
static int32_t squash(int32_t x)
{
    x = x > 2047 ? 2047 : x < -2047 ? -2047 : x;
    int32_t i = (x + 2048) >> 7, part = (x + 2048) & 127;
    return (squashed[i] * (128 - part) + squashed[i + 1] * part) >> 7;
}

static void start(struct mix *m)
{
    for (int32_t x = -2047, from = 0; x <= 2047; x++)
        for (int32_t to = x == 2047 ? 4095 : squash(x) >> 4; from <= to; from++)
            m->stretched[from] = (int16_t)x;
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < INPUTS; i++)
            m->weights[row][i] = ONE * 3 / 10;
    for (int i = 0; i <= LONGEST; i++)
        m->of_length[i] = 48000;
}

static uint32_t before(const unsigned char *bytes, size_t at, size_t back)
{
    return at >= back ? bytes[at - back] : 0;
}

/* The longest match of what is before `at`. */
static void find_match(struct mix *m, const unsigned char *bytes, size_t at, uint32_t four)
{
    bool goes_on = m->length > 0 && bytes[m->match] == bytes[at - 1];
    m->match += goes_on;
    m->length = goes_on ? m->length + (m->length < LONGEST) : 0;
    uint32_t hash = (four * 0x9E3779B1u + before(bytes, at, 5) * 0x85EBCA6Bu) >> (32 - HASH_BITS);
    if (m->length == 0) {
        uint32_t length = 0, match = m->places[hash];
        while (length < 32 && match > length && bytes[match - 1 - length] == bytes[at - 1 - length])
            length++;
        m->match = match;
        m->length = length;
    }
    m->places[hash] = (uint32_t)at;
}

static void hash_contexts(uint32_t four, uint32_t hashes[CONTEXTS])
{
    const uint32_t contexts[CONTEXTS] = {four & 0xFF, four & 0xFFFF, four & 0xFFFFFF,
                                         four & 0xFFFF00};
    for (uint32_t i = 0; i < CONTEXTS; i++)
        hashes[i] = (contexts[i] + i * 0x27D4EB2Fu) * 0x9E3779B1u;
}

/* The slots of a context hash and the bits of the byte so far, 1 in front: at its begin and its
 * middle. */
static void find_slots(struct mix *m, const uint32_t hashes[CONTEXTS], uint32_t bits,
                       uint16_t *slots[CONTEXTS])
{
    for (int i = 0; i < CONTEXTS; i++) {
        uint32_t hash = (hashes[i] + bits * 0x2545F491u) * 0x9E3779B1u;
        hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
        uint16_t *slot = m->tables[i] + (hash >> (32 - TABLE_BITS) & ~(uint32_t)(SLOT - 1));
        uint16_t owner = (uint16_t)(hash | 1);
        if (slot[0] != owner) {
            slot[0] = owner;
            for (int j = 1; j < SLOT; j++)
                slot[j] = FRESH;
        }
        slots[i] = slot;
    }
}

/* `bits`: of the byte so far, 1 in front; `count` of them. */
static void guess(struct mix *m, uint16_t *const slots[CONTEXTS], const unsigned char *bytes,
                  uint32_t bits, int count, uint32_t last, struct guess *g)
{
    int low = count & 3;
    uint32_t node = 1u << low | (bits & ((1u << low) - 1));
    for (int i = 0; i < CONTEXTS; i++) {
        g->counters[i] = slots[i] + node;
        uint32_t counter = *g->counters[i];
        g->inputs[i] = counter & 15 ? m->stretched[counter >> 4] : 0;
    }
    g->expected = -1;
    if (m->length > 0 && (bytes[m->match] | 256u) >> (8 - count) == bits)
        g->expected = bytes[m->match] >> (7 - count) & 1;
    int32_t sure = m->stretched[m->of_length[m->length] >> 4];
    g->inputs[CONTEXTS] = g->expected < 0 ? 0 : g->expected ? sure : -sure;
    uint32_t matched = g->expected < 0 ? 0 : m->length > 15 ? 2 : 1;
    g->weights = m->weights[matched * 256 + last];
    int32_t sum = 0;
    for (int i = 0; i < INPUTS; i++)
        sum += g->inputs[i] * g->weights[i] >> 2;
    g->p = (uint32_t)squash(sum >> 12);
}

static void learn(struct mix *m, const struct guess *g, uint32_t bit)
{
    static const uint16_t steps[OLDEST + 1] = {43690, 26214, 18724, 12365, 9497, 7710, 6488};
    int32_t error = ((int32_t)bit << 16) - (int32_t)bit - (int32_t)g->p;
    for (int i = 0; i < INPUTS; i++) {
        int32_t step = ((g->inputs[i] * error >> 10) * RATE + 0x8000) >> 16;
        int32_t weight = g->weights[i] + step;
        g->weights[i] = weight > MOST_WEIGHT    ? MOST_WEIGHT
                        : weight < -MOST_WEIGHT ? -MOST_WEIGHT
                                                : weight;
    }
    for (int i = 0; i < CONTEXTS; i++) {
        int32_t p = *g->counters[i] >> 4, age = *g->counters[i] & 15;
        p += (((int32_t)bit << 12) - (int32_t)bit - p) * steps[age] >> 16;
        *g->counters[i] = (uint16_t)(p << 4 | (age + (age < OLDEST)));
    }
    uint16_t *chance = &m->of_length[m->length];
    if (g->expected >= 0)
        *chance = (uint16_t)(g->expected == (int)bit ? *chance + ((65535 - *chance) >> 6)
                                                     : *chance - (*chance >> 6));
}

/* ---- The coder ------------------------------------------------------------------------------- */

/* The interval in which the written number lies: each bit takes its part of it. */
struct coder {
    uint32_t low, high;
};

static uint32_t split(const struct coder *c, uint32_t p)
{
    return c->low + (uint32_t)((uint64_t)(c->high - c->low) * p >> 16);
}

static void narrow(struct coder *c, uint32_t middle, uint32_t bit)
{
    if (bit)
        c->high = middle;
    else
        c->low = middle + 1;
}

/* The highest byte of both ends is the same: it is known. */
static bool is_known(const struct coder *c)
{
    return (c->low ^ c->high) >> 24 == 0;
}

static void shift(struct coder *c)
{
    c->low <<= 8;
    c->high = c->high << 8 | 255;
}

struct side {
    struct coder coder;
    struct flm_text *out; /* NULL: it unpacks */
    const unsigned char *packed, *end;
    uint32_t number; /* what is unpacked, at the place of the coder */
};

static uint32_t next_byte(struct side *s)
{
    return s->packed < s->end ? *s->packed++ : 0;
}

/* A function of its own, because browsers replace slow code by fast code between two calls. */
__attribute__((noinline)) static void code_byte(struct mix *m, struct side *s, unsigned char *bytes,
                                                size_t at)
{
    uint16_t *slots[CONTEXTS] = {0};
    struct guess g;
    uint32_t hashes[CONTEXTS], bits = 1, last = before(bytes, at, 1);
    uint32_t four =
        last | before(bytes, at, 2) << 8 | before(bytes, at, 3) << 16 | before(bytes, at, 4) << 24;
    hash_contexts(four, hashes);
    find_match(m, bytes, at, four);
    for (int count = 0; count < 8; count++) {
        if (count % 4 == 0)
            find_slots(m, hashes, bits, slots);
        guess(m, slots, bytes, bits, count, last, &g);
        uint32_t middle = split(&s->coder, g.p);
        uint32_t bit = s->out ? bytes[at] >> (7 - count) & 1u : s->number <= middle;
        learn(m, &g, bit);
        bits = bits << 1 | bit;
        for (narrow(&s->coder, middle, bit); is_known(&s->coder); shift(&s->coder))
            if (s->out)
                flm_text_putc(s->out, (char)(s->coder.high >> 24));
            else
                s->number = s->number << 8 | next_byte(s);
    }
    if (!s->out)
        bytes[at] = (unsigned char)bits;
}

void flm_mix_pack(struct flm_bytes bytes, struct flm_text *out)
{
    struct mix *m = calloc(1, sizeof *m);
    unsigned char *copy = malloc(bytes.size + 1);
    out->failed |= !m || !copy;
    if (!out->failed) {
        memcpy(copy, bytes.at, bytes.size);
        for (int i = 0; i < 4; i++)
            flm_text_putc(out, (char)(bytes.size >> i * 8));
        struct side side = {.coder = {0, UINT32_MAX}, .out = out};
        start(m);
        for (size_t at = 0; at < bytes.size; at++)
            code_byte(m, &side, copy, at);
        for (int i = 0; i < 4; i++, shift(&side.coder))
            flm_text_putc(out, (char)(side.coder.high >> 24));
    }
    free(copy);
    free(m);
}

size_t flm_mix_memory_size(void)
{
    return sizeof(struct mix);
}

size_t flm_mix_unpacked_size(const unsigned char *packed, size_t size)
{
    if (size < 8)
        return SIZE_MAX;
    return packed[0] | (uint32_t)packed[1] << 8 | (uint32_t)packed[2] << 16 |
           (uint32_t)packed[3] << 24;
}

void flm_mix_unpack(const unsigned char *packed, size_t size, unsigned char *to, void *memory)
{
    size_t unpacked = flm_mix_unpacked_size(packed, size);
    if (unpacked == SIZE_MAX)
        return;
    struct side side = {.coder = {0, UINT32_MAX}, .packed = packed + 4, .end = packed + size};
    for (int i = 0; i < 4; i++)
        side.number = side.number << 8 | next_byte(&side);
    start(memory);
    for (size_t at = 0; at < unpacked; at++)
        code_byte(memory, &side, to, at);
}
