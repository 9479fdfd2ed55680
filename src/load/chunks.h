/* chunks.h - one file or block of memory, read in chunks in parallel, and merged.
 *
 * Each chunk begins where its format says that one may begin, and is read by a thread of its own
 * into a profile of its own; the profiles are merged in their order. Merging sorted trees costs
 * little (algebra/operation/align.c), and subtrees of only one chunk are copied. Together they take
 * more memory than one reader: up to 60 % where no two lines share a frame. */
#ifndef FLAMEL_LOAD_CHUNKS_H
#define FLAMEL_LOAD_CHUNKS_H

#include "flamel/file.h"
#include "format/core/format.h"
#include "os/input.h"

/* How many chunks to read a file of that size in; `threads` 0: one per processor. */
size_t flm_chunk_count(uint64_t size, int threads);

/* `whole` is a plain input of a format with `cut`, read from `start` on. Of the load options only
 * threads, progress and dropped_locations are used. Where a chunk is refused as FLM_ERROR_FORMAT,
 * the whole may still be fine: a chunk is read without the others. */
struct flm_profile *flm_read_chunks(struct flm_input *whole, uint64_t start, size_t count,
                                    const struct flm_format *format,
                                    const struct flm_read_options *read,
                                    const struct flm_load_options *options, struct flm_error *why);

#endif
