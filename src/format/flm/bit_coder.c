#include "format/flm/bit_coder.h"

enum {
    LEAST_RANGE = 1 << 24,
    OLDEST = 60,
    MOST_PLAIN = 16 /* bits at once */
};

/* ---- The range ------------------------------------------------------------------------------- */

void flm_bit_writer_init(struct flm_bit_coder *c, struct flm_text *out)
{
    *c = (struct flm_bit_coder){.out = out, .range = UINT32_MAX};
}

/* The highest byte of `low` goes out when no carry can change it: bytes of 0xFF before it would
 * pass a carry on. */
static void put_byte(struct flm_bit_coder *c)
{
    if (c->held == 0 || c->low < 0xFF000000u || c->low > UINT32_MAX) {
        uint8_t carry = (uint8_t)(c->low >> 32);
        if (c->held > 0) {
            flm_text_putc(c->out, (char)(c->held_first + carry));
            for (; c->held > 1; c->held--)
                flm_text_putc(c->out, (char)(0xFF + carry));
        }
        c->held = 0;
        c->held_first = (uint8_t)(c->low >> 24);
    }
    c->held++;
    c->low = (uint32_t)c->low << 8;
}

void flm_bit_writer_finish(struct flm_bit_coder *c)
{
    for (unsigned i = 0; i < 5; i++)
        put_byte(c);
}

static uint32_t take_byte(struct flm_bit_coder *c)
{
    if (c->in->at < c->in->end)
        return *c->in->at++;
    c->in->bad = true;
    return 0;
}

void flm_bit_reader_init(struct flm_bit_coder *c, struct flm_cursor *in)
{
    *c = (struct flm_bit_coder){.in = in, .range = UINT32_MAX};
    for (unsigned i = 0; i < 4; i++)
        c->code = c->code << 8 | take_byte(c);
}

static void narrow(struct flm_bit_coder *c)
{
    while (c->range < LEAST_RANGE) {
        c->range <<= 8;
        if (c->out)
            put_byte(c);
        else
            c->code = c->code << 8 | take_byte(c);
    }
}

/* ---- Bits ------------------------------------------------------------------------------------ */

/* 2^16 / (age + 1.5) */
static const uint16_t rates[OLDEST + 1] = {
    43690, 26214, 18724, 14563, 11915, 10082, 8738, 7710, 6898, 6241, 5698, 5242, 4854,
    4519,  4228,  3971,  3744,  3542,  3360,  3196, 3048, 2912, 2788, 2674, 2570, 2473,
    2383,  2299,  2221,  2148,  2080,  2016,  1956, 1899, 1846, 1795, 1747, 1702, 1659,
    1618,  1579,  1542,  1506,  1472,  1440,  1409, 1379, 1351, 1323, 1297, 1272, 1248,
    1224,  1202,  1180,  1159,  1139,  1120,  1101, 1083, 1065};

/* Neither end is reached: the step is less than what is left, and none at the last 61 of 2^16. */
static uint32_t learned(uint32_t likely, uint32_t rate, bool bit)
{
    return bit ? likely + ((65536 - likely) * rate >> 16) : likely - (likely * rate >> 16);
}

static inline bool code_bit(struct flm_bit_coder *c, struct flm_bit_model *model, bool bit)
{
    uint32_t likely = model->likely ^ 0x8000u, part = (c->range >> 16) * likely;
    if (!c->out)
        bit = c->code < part;
    if (bit) {
        c->range = part;
    } else {
        c->range -= part;
        c->low += c->out ? part : 0;
        c->code -= c->out ? 0 : part;
    }
    model->likely = (uint16_t)(learned(likely, rates[model->age], bit) ^ 0x8000u);
    model->age += model->age < OLDEST;
    if (c->range < LEAST_RANGE)
        narrow(c);
    return bit;
}

bool flm_bit_coder_bit(struct flm_bit_coder *c, struct flm_bit_model *model, bool bit)
{
    return code_bit(c, model, bit);
}

/* As many bits as they are, each as likely as not. */
static uint64_t code_plain(struct flm_bit_coder *c, unsigned count, uint64_t bits)
{
    uint64_t all = 0;
    while (count > 0) {
        unsigned some = count < MOST_PLAIN ? count : MOST_PLAIN;
        count -= some;
        c->range >>= some;
        uint32_t mask = (1u << some) - 1, part = (uint32_t)(bits >> count) & mask;
        if (c->out) {
            c->low += (uint64_t)part * c->range;
        } else {
            part = c->code / c->range;
            part = part > mask ? mask : part; /* of damaged bytes */
            c->code -= part * c->range;
        }
        all = all << some | part;
        narrow(c);
    }
    return all;
}

/* The lowest `count` bits of `value`, from the highest of them on, each by those before it. */
static uint64_t code_tree(struct flm_bit_coder *c, struct flm_bit_model *tree, unsigned count,
                          uint64_t value)
{
    uint32_t node = 1;
    for (unsigned i = count; i-- > 0;)
        node = node << 1 | code_bit(c, &tree[node], value >> i & 1);
    return node - (1u << count);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static unsigned code_length(struct flm_bit_coder *c, struct flm_number_model *model,
                            uint64_t number)
{
    unsigned actual = 0, length = 0;
    while (c->out && actual < 64 && number >> actual > 0)
        actual++;
    while (length < FLM_BIT_SHORT && code_bit(c, &model->is_longer[length], actual > length))
        length++;
    if (length < FLM_BIT_SHORT)
        return length;
    unsigned most = FLM_BIT_LONG - FLM_BIT_SHORT;
    length += (unsigned)code_tree(c, model->length, 4,
                                  actual < FLM_BIT_LONG ? actual - FLM_BIT_SHORT : most);
    if (length == FLM_BIT_LONG)
        length += (unsigned)code_tree(c, model->long_length, 6, actual - FLM_BIT_LONG);
    return length < 64 ? length : 64; /* of damaged bytes */
}

uint64_t flm_bit_coder_number(struct flm_bit_coder *c, struct flm_number_model *model,
                              uint64_t number)
{
    unsigned length = code_length(c, model, number);
    if (length <= 1)
        return length;
    unsigned left = length - 1, high = left < 3 ? left : 3;
    left -= high;
    unsigned low = left < 2 ? left : 2;
    left -= low;
    uint64_t value = 1;
    struct flm_bit_model *tree =
        model->highest[length < FLM_BIT_LONGEST ? length : FLM_BIT_LONGEST - 1];
    value = value << high | code_tree(c, tree, high, number >> (left + low));
    value = value << left | code_plain(c, left, number >> low);
    return value << low | code_tree(c, model->lowest, low, number);
}

int64_t flm_bit_coder_signed(struct flm_bit_coder *c, struct flm_number_model *model,
                             int64_t number)
{
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size = flm_bit_coder_number(c, model, size);
    if (size == 0 || !flm_bit_coder_bit(c, &model->sign, number < 0))
        return (int64_t)size;
    return (int64_t)(0 - size);
}
