/* parts.h - what power_bench measures: a function a part. False where a promise does not hold. */
#ifndef FLAMEL_BENCH_POWER_PARTS_H
#define FLAMEL_BENCH_POWER_PARTS_H

#include "experiment.h"

bool part_power(const struct settings *s);
bool part_mde(const struct settings *s);
bool part_blocks(const struct settings *s);
bool part_sequential(const struct settings *s);
bool part_sides(const struct settings *s);
bool part_unequal(const struct settings *s);
bool part_series(const struct settings *s);

/* Of a data set whose change is known: results of measure_power. */
enum { FOUND, FAILS, NAMED, WITHIN, ABOVE, WRONG, MEASURED };
void measure_power(const struct experiment *e, uint64_t index, double *result);

#endif
