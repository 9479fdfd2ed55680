/* store_rows.h - the values of one service and type over time, as columns.
 *
 * A row is a value of a stack, in a series (a set of labels: one process, say), at a time. Most
 * stacks come again in every profile of a process, so rows that differ only by time stand together,
 * a *run*, and what is the same in a run is written once:
 *
 *     node  series  time   value             nodes    3, +4                 differences
 *     3     0       0      20                runs     2, 1                  of each node
 *     3     0       15     10       =>       series   0, 1 | 0              differences in a node
 *     3     1       0      30                points   2, 1, 1               of each run
 *     7     0       15     10                times    0, +1 | 0 | 1         in units: 15
 *                                            values   2, 1 | 3 | 1          in units: 10
 *
 * Times are whole multiples of one unit, and so are values; values for which there is no such unit
 * are doubles. Each column is a row of varints, so that similar numbers stand together: 0.9 to 1.2
 * bytes a row on generated profiles of 800 processes (bench/store_bench.c). */
#ifndef FLAMEL_STORE_SEGMENT_STORE_ROWS_H
#define FLAMEL_STORE_SEGMENT_STORE_ROWS_H

#include "base/core/array.h"
#include "base/text/text.h"

struct flm_store_row {
    uint32_t node;
    uint32_t series;
    int64_t time_ms; /* from the beginning of the segment; not negative */
    double value;
};
struct flm_store_rows FLM_ARRAY(struct flm_store_row);

/* Sorts by node, series and time, and adds up rows of which all three are the same. Rows with the
 * value 0 stay: they say that something was seen. False when memory ran out. */
bool flm_store_rows_sort(struct flm_store_rows *rows);

/* Appends sorted rows as columns to `out`. */
void flm_store_rows_encode(const struct flm_store_row *rows, size_t count, struct flm_text *out);

/* Which rows are wanted. */
struct flm_store_range {
    int64_t from_ms, until_ms;   /* from <= time < until */
    const unsigned char *series; /* a byte for each: whether it is wanted; NULL: all are */
    uint32_t series_count;       /* rows of another series are damage */
    uint32_t node_count;         /* and so are those of another node */
};

/* Calls `add` for each run with the sum of its wanted rows, nodes ascending, and `count`, how many
 * they are; not for runs without one. False, and `why`, for what flm_store_rows_encode has not
 * made. */
typedef void (*flm_store_run_sink)(void *context, uint32_t node, uint32_t series, double sum);
bool flm_store_rows_sum(struct flm_bytes columns, const struct flm_store_range *range,
                        flm_store_run_sink add, void *context, struct flm_error *why);

/* Appends all rows to `rows`. */
bool flm_store_rows_decode(struct flm_bytes columns, const struct flm_store_range *range,
                           struct flm_store_rows *rows, struct flm_error *why);

#endif
