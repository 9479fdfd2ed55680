/* input.h - a file, a pipe or standard input as a source of bytes, decompressed where it must be.
 *
 * The bytes come through a window that holds what the reader has not passed yet, so a text of any
 * size is read in the memory of its longest line. Plain files are read, not mapped: on 335 MB both
 * take 22 ms on one core, reading scales better to two (13 ms against 17), does not count the file
 * as memory in use, and a file that is cut off meanwhile is an error instead of a signal. Only .flm
 * files are mapped, because they are used in place. */
#ifndef FLAMEL_OS_INPUT_H
#define FLAMEL_OS_INPUT_H

#include "base/text/source.h"

struct flm_input;

struct flm_input *flm_input_open(const char *path, struct flm_error *why);

/* The bytes [start, end) of a plain file that is open already, as an input of their own: for a
 * thread that reads a chunk. The file must stay open. */
struct flm_input *flm_input_open_chunk(const struct flm_input *whole, uint64_t start, uint64_t end,
                                       struct flm_error *why);
void flm_input_close(struct flm_input *input);

struct flm_source *flm_input_source(struct flm_input *input);

/* Whether it is a plain file whose bytes are its content: then it can be mapped and cut in chunks.
 */
bool flm_input_is_plain_file(const struct flm_input *input);

/* The whole content of a plain file, good until the input is closed; at NULL when it cannot be had.
 */
struct flm_bytes flm_input_map(struct flm_input *input);

/* Size of the file as it lies on disk; 0 for a pipe. And how much of it was read. */
uint64_t flm_input_size(const struct flm_input *input);
uint64_t flm_input_consumed(const struct flm_input *input);

#endif
