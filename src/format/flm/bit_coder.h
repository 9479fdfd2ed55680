/* bit_coder.h - decisions and numbers at the cost of their surprise: an adaptive range coder.
 *
 * A model says how likely a 1 is, learns from each bit that it is asked for, and a bit costs as
 * much as it was unexpected: of what is foreseen in 99 of 100 cases 0.08 bits each, where a byte
 * under Huffman's code takes one at least. Who codes chooses the model by what both sides know.
 *
 * One function serves both sides: writing takes a value and returns it; reading ignores it and
 * returns the one that was written. Both compute the same with integers.
 *
 *     a number    0, 1, 2 to 3, 4 to 7, 8 to 15 ...: which, two decisions, then a tree of four, and
 *                 for the longest one of six more; the three bits after the highest; the lowest
 *                 two, which tell how addresses are aligned; those in between as they are
 *
 * A bit takes about 5 ns, what is between the highest and the lowest bits 4 ns together. Reading
 * past the end gives zeros, and is remembered. */
#ifndef FLAMEL_FORMAT_FLM_BIT_CODER_H
#define FLAMEL_FORMAT_FLM_BIT_CODER_H

#include "format/flm/varints.h"

/* All zero: a 1 is as likely as a 0. */
struct flm_bit_model {
    uint16_t likely; /* of a 1, of 2^16, with the highest bit the other way round */
    uint16_t age;    /* how often it was asked, up to a limit: a young one learns faster */
};

enum { FLM_BIT_SHORT = 2, FLM_BIT_LONG = FLM_BIT_SHORT + 15, FLM_BIT_LONGEST = 24 };

struct flm_number_model {
    struct flm_bit_model is_longer[FLM_BIT_SHORT]; /* by length in bits so far */
    struct flm_bit_model length[16];               /* from FLM_BIT_SHORT on; the last: longer */
    struct flm_bit_model long_length[64];          /* from FLM_BIT_LONG on */
    struct flm_bit_model highest[FLM_BIT_LONGEST][8];
    struct flm_bit_model lowest[4];
    struct flm_bit_model sign;
};

struct flm_bit_coder {
    struct flm_text *out;  /* when writing, else NULL */
    struct flm_cursor *in; /* when reading */
    uint64_t low;          /* of the range, when writing */
    uint32_t range, code;
    uint64_t held; /* bytes that a carry may still change */
    uint8_t held_first;
};

void flm_bit_writer_init(struct flm_bit_coder *c, struct flm_text *out);
/* What is written is complete only then. */
void flm_bit_writer_finish(struct flm_bit_coder *c);
void flm_bit_reader_init(struct flm_bit_coder *c, struct flm_cursor *in);

bool flm_bit_coder_bit(struct flm_bit_coder *c, struct flm_bit_model *model, bool bit);
uint64_t flm_bit_coder_number(struct flm_bit_coder *c, struct flm_number_model *model,
                              uint64_t number);
int64_t flm_bit_coder_signed(struct flm_bit_coder *c, struct flm_number_model *model,
                             int64_t number);

#endif
