/* heatmap.h - the samples of a profile by second and by offset in the second, as FlameScope draws
 * them.
 *
 *     1 s    | . . # . . . |      a column is a second, a row is an offset in it. What happens
 *            | # # # # # # |      every 100 ms makes ten lines from left to right, a pause a gap,
 *     0 s    | . . # # . . |      and a burst a dark column.
 *              0 s   5 s
 *
 * Time runs up a column and continues at the bottom of the next one. So a range of cells is a range
 * of time (`time:` of flamel-expressions(7)), also across columns.
 *
 * A column is a second if that gives enough columns and all of them fit. A recording of two seconds
 * has columns of 200 ms, one of an hour columns of 10 s, and their rows are offsets in these.
 *
 * The samples are read once. A sample with a duration is spread over the cells that it covers. */
#ifndef FLAMEL_LAYOUT_HEATMAP_H
#define FLAMEL_LAYOUT_HEATMAP_H

#include "flamel/profile.h"

/* Cells are numbered in the order of time: column * row_count + row. */
struct flm_heatmap_shape {
    double column_ns, row_ns, length_ns;
    uint32_t column_count, row_count; /* 0: the profile has no times */
};

/* The finest shape for a length of time with at most so many columns and rows; it may have 2
 * columns and 5 rows in any case. `column_ns` is the wanted length of a column; 0: a second, or
 * what fits. The columns become longer where so many do not fit. */
struct flm_heatmap_shape flm_heatmap_shape_of(double length_ns, double column_ns,
                                              uint32_t most_columns, uint32_t most_rows);

/* The next longer and the next shorter round length of a column; at the ends of the table the
 * same. */
double flm_heatmap_longer(double column_ns);
double flm_heatmap_shorter(double column_ns);

/* Values are divided into steps of equal size from 0 to `top`, one color each. `top` is the largest
 * value, or, if a few cells are far above all others, the 99th percentile of the cells that are not
 * empty; the last step then has all values above it too. */
enum { FLM_HEAT_STEPS = 7 };

struct flm_heatmap {
    struct flm_heatmap_shape shape;
    double *cell; /* owned: sums of |value| */
    double top, most, total;
    uint32_t filled_count, above_count;   /* cells that are not empty; and those above `top` */
    double most_of_step[FLM_HEAT_STEPS];  /* the largest value in each; 0: no cell is in it */
    double least_of_step[FLM_HEAT_STEPS]; /* likewise */
};

/* `first_ns`: the time at which the first cell begins. The metric {FLM_NONE} counts samples. False,
 * and `why`, if memory ran out. */
bool flm_heatmap_init(struct flm_heatmap *map, const struct flm_profile *profile,
                      struct flm_metric metric, int64_t first_ns, struct flm_heatmap_shape shape,
                      struct flm_error *why);
void flm_heatmap_clear(struct flm_heatmap *map);

/* The step of a cell; -1 if it is empty. */
int flm_heatmap_step(const struct flm_heatmap *map, uint32_t cell);

/* Calls `run` for each run of cells with one step in a column, with its rows [from, to). */
typedef void (*flm_heatmap_run)(void *context, uint32_t column, uint32_t from, uint32_t to,
                                int step);
void flm_heatmap_walk(const struct flm_heatmap *map, flm_heatmap_run run, void *context);

/* The time from one cell to another, both included, in any order. */
struct flm_heatmap_time {
    double from_ns, to_ns;
};
struct flm_heatmap_time flm_heatmap_time_of(const struct flm_heatmap_shape *shape, uint32_t cell,
                                            uint32_t other);

/* The cell of a time, the last one for a later time. */
uint32_t flm_heatmap_cell_at(const struct flm_heatmap_shape *shape, double ns);

#endif
