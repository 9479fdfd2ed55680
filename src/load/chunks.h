/* chunks.h - one file read in chunks, side by side, and merged.
 *
 * Each chunk begins where its format says one may begin, is read by a thread of its own into a
 * profile of its own, and the profiles are merged in their order. Merging sorted trees costs little
 * (algebra/operation/align.c), and what only one chunk has is copied. */
#ifndef FLAMEL_LOAD_CHUNKS_H
#define FLAMEL_LOAD_CHUNKS_H

#include "flamel/file.h"
#include "format/core/format.h"
#include "os/input.h"

/* How many chunks a file of that size is worth; `threads` 0: as many as there are processors. */
size_t flm_chunk_count(uint64_t size, int threads);

/* `whole` is a plain file of a format with `cut`, read from `start` on. Of the options only threads
 * and progress are used. Where it is refused as FLM_ERROR_FORMAT, the whole may still be fine: a
 * chunk does not know what is in the others. */
struct flm_profile *flm_read_chunks(struct flm_input *whole, uint64_t start, size_t count,
                                    const struct flm_format *format,
                                    const struct flm_read_options *read,
                                    const struct flm_load_options *options, struct flm_error *why);

#endif
