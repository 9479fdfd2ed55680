/* input.h - a file, a pipe, standard input, memory or a caller's stream as a source of bytes,
 * decompressed (gzip, zstd) where it is compressed.
 *
 * The bytes come through a window that holds what the reader has not passed yet, so a text of any
 * size is read in the memory of its longest line. Plain files are read, not mapped: on 335 MB both
 * take 22 ms on one core, reading scales better to two (13 ms against 17), does not count the file
 * as memory in use, and a file that is truncated meanwhile is an error instead of a signal. Only
 * .flm files are mapped, because they are used in place. */
#ifndef FLAMEL_OS_INPUT_H
#define FLAMEL_OS_INPUT_H

#include "base/text/source.h"
#include "flamel/file.h"

struct flm_input;

/* The file `path`, or standard input ("-"). Of a folder that `perf record --threads` has written the
 * file "data" is opened; the others are its parts. Other folders are refused. */
struct flm_input *flm_input_open(const char *path, struct flm_error *why);

/* Whether a path is that of such a folder. */
bool flm_input_is_recording(const char *path);

/* The file "data.NUMBER" of such a folder. NULL: there is none (the kind of `why` stays NONE), or it
 * cannot be read. */
struct flm_input *flm_input_open_part(const struct flm_input *whole, unsigned number,
                                      struct flm_error *why);

/* Bytes that stay as they are until the input is closed. */
struct flm_input *flm_input_open_memory(struct flm_bytes bytes, struct flm_error *why);

/* What `read` returns, until that is nothing. */
struct flm_input *flm_input_open_stream(flm_stream_read read, void *context, struct flm_error *why);

/* The bytes [start, end) of a plain input as an input of their own: for a thread that reads a
 * chunk. `whole` must stay open. */
struct flm_input *flm_input_open_chunk(const struct flm_input *whole, uint64_t start, uint64_t end,
                                       struct flm_error *why);
void flm_input_close(struct flm_input *input);

struct flm_source *flm_input_source(struct flm_input *input);

/* Whether it is a file or memory that is not compressed: any part of it can be read at any time. */
bool flm_input_is_plain(const struct flm_input *input);

/* The whole content of a plain file, mapped, until the input is closed; `at` is NULL when it cannot
 * be mapped, and of memory, which is not the input's. */
struct flm_bytes flm_input_map(struct flm_input *input);

/* Size as it is stored, and how much of that was read. The size is 0 where it is not known: of a
 * pipe, a stream. */
uint64_t flm_input_size(const struct flm_input *input);
uint64_t flm_input_consumed(const struct flm_input *input);

/* When a file was written last, in nanoseconds since 1970; 0: unknown, or no file. */
int64_t flm_input_written_ns(const struct flm_input *input);

#endif
