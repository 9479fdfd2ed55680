/* chain_coder.h - chains, locations and the chains of samples, coded at the cost of their surprise.
 *
 * What is left of chains after they are foreseen (chain_walk.h) goes through a bit coder, with a
 * model for each situation. Then locations, in the order of their first use:
 *
 *     addresses   inlined code: that of its caller, which is one bit; the first of a function, less
 *                 where the function begins, or if that is not known, less the one before in the
 *                 module; others less the one before in the function, with a model for how large
 *                 the function is known to be
 *     lines       function by function, by ascending address: less the line before, with a model
 *                 for how far its address is; the first of a function, less that of the function
 *                 before in the file
 *
 * Addresses are most of it, and cost about as many bits as the function has instructions: 13 each
 * in gcc. */
#ifndef FLAMEL_FORMAT_FLM_CHAIN_CODER_H
#define FLAMEL_FORMAT_FLM_CHAIN_CODER_H

#include "format/flm/bit_coder.h"
#include "format/flm/chain_walk.h"

struct flm_chain_coder {
    struct flm_bit_coder bits;
    struct flm_chain_models *models;
    bool damaged; /* what was read refers to what is not there */
};

/* `out` when writing, `in` when reading; the other is NULL. False when memory ran out. Cleared in
 * any case. */
bool flm_chain_coder_init(struct flm_chain_coder *coder, struct flm_text *out,
                          struct flm_cursor *in);
void flm_chain_coder_clear(struct flm_chain_coder *coder);

/* `code` of a walk, whose context is the coder. */
uint32_t flm_chain_coder_symbol(void *coder, enum flm_chain_symbol kind, uint32_t situation,
                                uint32_t symbol);

/* All locations by first use: given when writing, filled when reading. False when memory ran
 * out. */
bool flm_chain_coder_locations(struct flm_chain_coder *coder, const struct flm_profile *p,
                               const struct flm_chain_walk *walk, struct flm_location *locations);

/* Which chain of its node each sample has. Reading fills sample_chain, and is told of what is no
 * chain by `damaged`. */
void flm_chain_coder_samples(struct flm_chain_coder *coder, const struct flm_profile *p);

#endif
