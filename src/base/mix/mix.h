/* mix.h - compression by prediction (context mixing): slow, and as small as it gets.
 *
 * Every bit is predicted from what came after the same bytes before: the last one, two, three, and
 * the two before the last one. Each of these contexts has a table of counters, which say how
 * likely a 1 is; one more prediction comes from the longest match. A neuron weighs them and learns
 * from each bit, and an arithmetic coder writes the bit at the cost of its surprise. Both sides
 * compute the same with integers, so the decoder is the encoder but for a few lines.
 *
 * Pages of one file carry the readers of other tools' files so (mk/wasm.mk), which few who open a
 * page need. That module is 380,843 bytes, and 168,000 with gzip, 147,500 with LZMA, 131,751 so;
 * with three more contexts and two neurons it was 130,597 in twice the time.
 *
 *     size, 4 bytes, lowest first | the number that the arithmetic coder wrote */
#ifndef FLAMEL_BASE_MIX_MIX_H
#define FLAMEL_BASE_MIX_MIX_H

#include "base/text/text.h"

/* Appends the compressed bytes; at most 4 GB. out->failed says that memory ran out. */
void flm_mix_pack(struct flm_bytes bytes, struct flm_text *out);

/* The memory that unpacking takes, which has to be zeros. */
size_t flm_mix_memory_size(void);

/* The size of what was packed; SIZE_MAX if `size` bytes cannot be packed ones. */
size_t flm_mix_unpacked_size(const unsigned char *packed, size_t size);

/* Writes flm_mix_unpacked_size bytes to `to`. What is damaged becomes other bytes: whoever must
 * know keeps a checksum. */
void flm_mix_unpack(const unsigned char *packed, size_t size, unsigned char *to, void *memory);

#endif
