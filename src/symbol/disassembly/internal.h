/* internal.h - between the rows of a disassembly (disassembly.c), what makes their text
 * (capstone.c) and what reads where they lead (control_flow.c). */
#ifndef FLAMEL_SYMBOL_DISASSEMBLY_INTERNAL_H
#define FLAMEL_SYMBOL_DISASSEMBLY_INTERNAL_H

#include "symbol/disassembly/disassembly.h"

/* ---- capstone.c ------------------------------------------------------------------------------ */

struct flm_decoder;

/* NULL, and `why`, where there is no libcapstone, or it does not know the machine. */
struct flm_decoder *flm_decoder_new(enum flm_machine machine, enum flm_assembly_syntax syntax,
                                    struct flm_error *why);
void flm_decoder_free(struct flm_decoder *decoder);

/* The first instruction of the bytes; its texts are valid until the next one. Sets bytes, address,
 * mnemonic and operands. False: the bytes do not begin with an instruction. */
bool flm_decoder_next(struct flm_decoder *decoder, struct flm_bytes bytes, uint64_t address,
                      struct flm_instruction *instruction);

/* ---- att_suffix.c ---------------------------------------------------------------------------- */

/* How much of a mnemonic of AT&T's syntax is shown: all, or all but its last letter. */
size_t flm_att_mnemonic_size(struct flm_bytes mnemonic, struct flm_bytes operands);

/* ---- unknown_size.c -------------------------------------------------------------------------- */

/* The size of an x86-64 instruction that libcapstone does not know, by the rules of its encoding.
 * 0: they do not tell. */
size_t flm_unknown_instruction_size(struct flm_bytes bytes);

/* ---- control_flow.c -------------------------------------------------------------------------- */

/* Sets kind, place and its flags, by the bytes and the operands. */
void flm_instruction_classify(enum flm_machine machine, struct flm_instruction *instruction);

#endif
