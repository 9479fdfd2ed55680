#include "layout/heatmap.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "layout/tracks.h"

/* ---- The shape ------------------------------------------------------------------------------- */

#define SECOND 1e9

/* With fewer columns no pattern can be seen. */
enum { FEWEST_COLUMNS = 10 };

/* Lengths of columns, from a microsecond to a day. */
static const double columns[] = {
    1e3,          2e3,          5e3,          1e4,           2e4,           5e4,
    1e5,          2e5,          5e5,          1e6,           2e6,           5e6,
    1e7,          2e7,          5e7,          1e8,           2e8,           5e8,
    SECOND,       2 * SECOND,   5 * SECOND,   10 * SECOND,   30 * SECOND,   60 * SECOND,
    120 * SECOND, 300 * SECOND, 600 * SECOND, 1800 * SECOND, 3600 * SECOND, 86400 * SECOND};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

double flm_heatmap_longer(double column_ns)
{
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i] > column_ns * 1.0001)
            return columns[i];
    return column_ns;
}

double flm_heatmap_shorter(double column_ns)
{
    for (int i = COLUMNS; i-- > 0;)
        if (columns[i] < column_ns * 0.9999)
            return columns[i];
    return column_ns;
}

static double columns_in(double length_ns, double column_ns)
{
    return fmax(1, ceil(length_ns / column_ns - 1e-9));
}

/* A second, or less if the recording is too short for enough columns. */
static double usual_column(double length_ns)
{
    double column = SECOND;
    while (columns_in(length_ns, column) < FEWEST_COLUMNS && flm_heatmap_shorter(column) < column)
        column = flm_heatmap_shorter(column);
    return column;
}

/* A row is a round part of its column: a round number of ms, or of seconds in columns of 30 s and
 * more. */
static uint32_t rows_of(double column_ns, uint32_t most)
{
    static const uint32_t parts[2][5] = {{50, 25, 20, 10, 5}, {60, 30, 20, 10, 5}};
    const uint32_t *part = parts[column_ns >= 30 * SECOND];
    int i = 0;
    while (i < 4 && part[i] > most)
        i++;
    return part[i];
}

struct flm_heatmap_shape flm_heatmap_shape_of(double length_ns, double column_ns,
                                              uint32_t most_columns, uint32_t most_rows)
{
    struct flm_heatmap_shape shape = {.length_ns = length_ns};
    double most = most_columns < 2 ? 2 : most_columns;
    if (!(length_ns > 0))
        return shape;
    shape.column_ns = column_ns > 0 ? fmax(column_ns, columns[0]) : usual_column(length_ns);
    while (columns_in(length_ns, shape.column_ns) > most) {
        double longer = flm_heatmap_longer(shape.column_ns);
        shape.column_ns = longer > shape.column_ns ? longer : 2 * longer;
    }
    shape.column_count = (uint32_t)columns_in(length_ns, shape.column_ns);
    shape.row_count = rows_of(shape.column_ns, most_rows);
    shape.row_ns = shape.column_ns / shape.row_count;
    return shape;
}

struct flm_heatmap_time flm_heatmap_time_of(const struct flm_heatmap_shape *shape, uint32_t cell,
                                            uint32_t other)
{
    uint32_t first = cell < other ? cell : other, last = cell < other ? other : cell,
             next = last + 1;
    double from = first / shape->row_count * shape->column_ns +
                  first % shape->row_count * shape->row_ns,
           to =
               next / shape->row_count * shape->column_ns + next % shape->row_count * shape->row_ns;
    return (struct flm_heatmap_time){from, to};
}

uint32_t flm_heatmap_cell_at(const struct flm_heatmap_shape *shape, double ns)
{
    double all = (double)shape->column_count * shape->row_count;
    double cell = floor(fmax(ns, 0) / shape->row_ns + 1e-6);
    return (uint32_t)fmin(cell, all - 1);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* The 99th percentile of the cells that are not empty, rounded up to a thousandth of the
 * largest. */
static double usual_most(const struct flm_heatmap *map, uint32_t count)
{
    enum { PARTS = 1000 };
    uint32_t in[PARTS] = {0}, above = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t part = (uint32_t)(map->cell[i] / map->most * PARTS);
        in[part < PARTS ? part : PARTS - 1] += map->cell[i] > 0;
    }
    for (uint32_t part = PARTS; part-- > 0;) {
        above += in[part];
        if (above > map->filled_count / 100)
            return map->most * (part + 1) / PARTS;
    }
    return map->most;
}

static void measure(struct flm_heatmap *map)
{
    enum { FEW_CELLS = 100, FAR_ABOVE = 2 };
    uint32_t count = map->shape.column_count * map->shape.row_count;
    for (uint32_t i = 0; i < count; i++) {
        map->most = fmax(map->most, map->cell[i]);
        map->total += map->cell[i];
        map->filled_count += map->cell[i] > 0;
    }
    map->top = map->most;
    double usual = map->filled_count < FEW_CELLS ? map->most : usual_most(map, count);
    if (usual * FAR_ABOVE < map->most)
        map->top = usual;
    for (uint32_t i = 0; i < count; i++) {
        int step = flm_heatmap_step(map, i);
        if (step < 0)
            continue;
        double *least = &map->least_of_step[step], *most = &map->most_of_step[step];
        *least = *most > 0 ? fmin(*least, map->cell[i]) : map->cell[i];
        *most = fmax(*most, map->cell[i]);
        map->above_count += map->cell[i] > map->top;
    }
}

/* The time at which the last cell ends, INT64_MAX at most. */
static int64_t end_of(int64_t first_ns, const struct flm_heatmap_shape *shape)
{
    double length = shape->column_ns * shape->column_count;
    double room = (double)INT64_MAX - (double)first_ns;
    if (length < room && length < 0x1p63)
        return first_ns + (int64_t)length;
    return INT64_MAX;
}

bool flm_heatmap_init(struct flm_heatmap *map, const struct flm_profile *profile,
                      struct flm_metric metric, int64_t first_ns, struct flm_heatmap_shape shape,
                      struct flm_error *why)
{
    assert(map && profile);
    size_t count = (size_t)shape.column_count * shape.row_count;
    *map = (struct flm_heatmap){.shape = shape, .cell = malloc((count + 1) * sizeof *map->cell)};
    if (!map->cell)
        return flm_error_memory(why);
    flm_tracks_bars(profile, metric, NULL, 0, first_ns, end_of(first_ns, &shape), map->cell,
                    (uint32_t)count);
    measure(map);
    return true;
}

void flm_heatmap_clear(struct flm_heatmap *map)
{
    free(map->cell);
    *map = (struct flm_heatmap){.cell = NULL};
}

int flm_heatmap_step(const struct flm_heatmap *map, uint32_t cell)
{
    double value = map->cell[cell];
    if (!(value > 0))
        return -1;
    int step = (int)ceil(fmin(value / map->top, 1) * FLM_HEAT_STEPS) - 1;
    return step < 0 ? 0 : step;
}

void flm_heatmap_walk(const struct flm_heatmap *map, flm_heatmap_run run, void *context)
{
    uint32_t rows = map->shape.row_count;
    for (uint32_t column = 0; column < map->shape.column_count; column++)
        for (uint32_t row = 0, next; row < rows; row = next) {
            int step = flm_heatmap_step(map, column * rows + row);
            for (next = row + 1;
                 next < rows && flm_heatmap_step(map, column * rows + next) == step;)
                next++;
            if (step >= 0)
                run(context, column, row, next, step);
        }
}
