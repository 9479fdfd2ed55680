/* heatmap.h - the samples of a profile by the second, and by where in the second they are, as
 * FlameScope draws them.
 *
 *     1 s    | . . # . . . |      a column is a second, a row an offset in it: what happens every
 *            | # # # # # # |      100 ms is ten lines from left to right, a pause a gap, a burst a
 *     0 s    | . . # # . . |      dark column
 *              0 s   5 s
 *
 * Time goes up a column and on at the foot of the next one, so cells that follow each other are one
 * interval, and a range of them is a range of time (`time:` of flamel-expressions(7)).
 *
 * A column is a second where that makes enough columns and they all have room. A recording of two
 * seconds has columns of 100 ms, one of an hour columns of 10 s, whose rows are offsets in these:
 * nothing is left out, it is only coarser, and the shape says how coarse.
 *
 * It takes one pass over the samples; one that has a duration is spread over the cells it lies in.
 */
#ifndef FLAMEL_LAYOUT_HEATMAP_H
#define FLAMEL_LAYOUT_HEATMAP_H

#include "flamel/profile.h"

/* Cells are numbered in the order of time: column * row_count + row. */
struct flm_heatmap_shape {
    double column_ns, row_ns, length_ns;
    uint32_t column_count, row_count; /* 0: there is no time */
};

/* The finest shape for so much time, with at least 2 columns and 5 rows at most. `column_ns` is how
 * long a column should be; 0: a second, or what fits. One for which there is no room becomes
 * longer. */
struct flm_heatmap_shape flm_heatmap_shape_of(double length_ns, double column_ns,
                                              uint32_t most_columns, uint32_t most_rows);

/* The next longer and shorter columns of a table of round ones; the same at its ends. */
double flm_heatmap_longer(double column_ns);
double flm_heatmap_shorter(double column_ns);

/* Colors are steps of equal size up to `top`, which is the largest value, or, where a few are far
 * above all others, what 99 in 100 cells do not exceed: the last step is then open. */
enum { FLM_HEAT_STEPS = 7 };

struct flm_heatmap {
    struct flm_heatmap_shape shape;
    double *cell; /* owned: sums of |value| */
    double top, most, total;
    uint32_t filled_count, above_count;   /* cells that are not empty; and those above `top` */
    double most_of_step[FLM_HEAT_STEPS];  /* the largest value in each; 0: no cell is in it */
    double least_of_step[FLM_HEAT_STEPS]; /* likewise */
};

/* `first_ns`: where the time begins. {FLM_NONE}: samples are counted. False, and `why`, if memory
 * ran out. */
bool flm_heatmap_init(struct flm_heatmap *map, const struct flm_profile *profile,
                      struct flm_metric metric, int64_t first_ns, struct flm_heatmap_shape shape,
                      struct flm_error *why);
void flm_heatmap_clear(struct flm_heatmap *map);

/* The step of a cell; -1: it is empty. */
int flm_heatmap_step(const struct flm_heatmap *map, uint32_t cell);

/* Runs of cells of one step in a column: each is called with its rows [from, to). */
typedef void (*flm_heatmap_run)(void *context, uint32_t column, uint32_t from, uint32_t to,
                                int step);
void flm_heatmap_walk(const struct flm_heatmap *map, flm_heatmap_run run, void *context);

/* When the cells from one to another, in any order, begin and end. */
struct flm_heatmap_time {
    double from_ns, to_ns;
};
struct flm_heatmap_time flm_heatmap_time_of(const struct flm_heatmap_shape *shape, uint32_t cell,
                                            uint32_t other);

/* The cell of a time, the last one for a later time. */
uint32_t flm_heatmap_cell_at(const struct flm_heatmap_shape *shape, double ns);

#endif
