/* arrow.h - streams of Apache Arrow's IPC format: columns of record batches, read cell by cell.
 *
 *     ff ff ff ff, size, metadata (FlatBuffers), body     a schema, dictionaries, record batches
 *     ff ff ff ff, 0                                      the end
 *
 * What a column holds and how it is encoded are two things: writers encode the same texts as
 * buffers, views, dictionaries or runs, and lists by offsets or by offsets and sizes. A cell hides
 * that:
 *
 *     struct flm_arrow_array *column = flm_arrow_column(arrow, "producer");
 *     for (uint64_t row = 0; row < flm_arrow_rows(arrow); row++)
 *         if (flm_arrow_text(flm_arrow_cell(column, row), &text)) ...
 *
 * Every size and offset is checked when a batch is read, or, where there is one for each row, when
 * the cell is. Unions, dictionaries that grow (deltas) and big-endian streams are refused by name.
 * Buffers may be compressed with lz4 or zstd: all of a stream together are bounded. */
#ifndef FLAMEL_FORMAT_ARROW_ARROW_H
#define FLAMEL_FORMAT_ARROW_ARROW_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_arrow;
struct flm_arrow_array;

/* The bytes are borrowed. `most` is how many bytes its buffers may have, decompressed. NULL, and
 * `why`, if the stream does not begin with a valid schema. */
struct flm_arrow *flm_arrow_open(struct flm_bytes stream, size_t most, struct flm_error *why);
void flm_arrow_close(struct flm_arrow *arrow);

/* The next record batch. False at the end; and where the stream is malformed, which
 * flm_arrow_finish tells. */
bool flm_arrow_next(struct flm_arrow *arrow);
bool flm_arrow_finish(const struct flm_arrow *arrow, struct flm_error *why);

/* Of the current batch. A name that is none is NULL; columns have numbers from 0 on. */
uint64_t flm_arrow_rows(const struct flm_arrow *arrow);
const struct flm_arrow_array *flm_arrow_column(const struct flm_arrow *arrow, const char *name);
const struct flm_arrow_array *flm_arrow_column_at(const struct flm_arrow *arrow, size_t index);

/* The member of a struct, by name or number. NULL: there is none. */
const struct flm_arrow_array *flm_arrow_member(const struct flm_arrow_array *array,
                                               const char *name);
const struct flm_arrow_array *flm_arrow_member_at(const struct flm_arrow_array *array,
                                                  size_t index);
struct flm_bytes flm_arrow_name(const struct flm_arrow_array *array);

/* Behind dictionaries and runs; {NULL, 0} where it is null, there is no such row, or no column. */
struct flm_arrow_cell {
    const struct flm_arrow_array *array;
    uint64_t row;
};
struct flm_arrow_cell flm_arrow_cell(const struct flm_arrow_array *array, uint64_t row);

/* Each returns false for a cell of another type, and for null. A text is UTF-8 or any bytes; a
 * number any integer, which may be a time (then in nanoseconds where the schema says its unit). */
bool flm_arrow_text(struct flm_arrow_cell cell, struct flm_bytes *text);
bool flm_arrow_integer(struct flm_arrow_cell cell, int64_t *value);

/* A list: `count` rows of *items from *first on. */
bool flm_arrow_list(struct flm_arrow_cell cell, const struct flm_arrow_array **items,
                    uint64_t *first, uint64_t *count);

/* Of the rows of a list, which all are in one array of structs or values. */
bool flm_arrow_is_struct(struct flm_arrow_cell cell);

#endif
