/* matrix.h - measurements: a column for each variable, with a value for each run.
 *
 *     value[column * run_count + run]
 *
 * The values of a column are contiguous, because almost everything is computed column by column. */
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
