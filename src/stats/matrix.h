/* matrix.h - what was measured: a column for each thing, a value of it for each run.
 *
 *     value[column * run_count + run]
 *
 * The runs of a column stand together, because almost everything is done column by column. */
#ifndef FLAMEL_STATS_MATRIX_H
#define FLAMEL_STATS_MATRIX_H

#include <stdint.h>

struct flm_matrix {
    uint32_t run_count;
    uint32_t column_count;
    double *value;
};

static inline double *flm_matrix_column(const struct flm_matrix *m, uint32_t column)
{
    return m->value + (uint64_t)column * m->run_count;
}

#endif
