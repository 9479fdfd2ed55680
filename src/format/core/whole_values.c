#include "format/core/whole_values.h"

#include <math.h>

#include "base/number/number.h"
#include "profile/sample_span.h"

int64_t flm_whole_value(double value)
{
    if (!(value > -9223372036854775808.0))
        return INT64_MIN;
    if (value >= 9223372036854775808.0)
        return INT64_MAX;
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* Of a value in nanoseconds that was a fraction of a longer time: 0.1 ms are 100,000.00000000001
 * ns. */
static bool is_nearly_whole(double value)
{
    double room = fabs(value) * 1e-13;
    return fabs(value - (double)flm_whole_value(value)) <= (room > 1e-6 ? room : 1e-6);
}

static bool is_fraction(double value, double factor)
{
    if (!(fabs(value) < FLM_EXACT_LIMIT) || (double)flm_whole_value(value) == value)
        return false;
    return factor == 1 || !is_nearly_whole(value * factor);
}

static uint32_t count_fractions(const struct flm_profile *p, uint32_t metric, double factor)
{
    const double *self = flm_self_column(p, metric);
    struct flm_sample_values values = flm_sample_values(p, metric);
    uint32_t of_stacks = 0, of_samples = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        of_stacks += is_fraction(self[i], factor);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        of_samples += is_fraction(flm_sample_value_of(&values, i), factor);
    return of_stacks > of_samples ? of_stacks : of_samples;
}

double flm_whole_factor(const struct flm_profile *p, uint32_t metric, uint32_t *rounded)
{
    double factor = flm_time_unit_ns(flm_string_bytes(p, p->metrics[metric].unit));
    double total = flm_profile_total(p, (struct flm_metric){metric});
    *rounded = count_fractions(p, metric, 1);
    if (*rounded == 0 || factor <= 1 || fabs(total) * factor >= 4611686018427387904.0)
        return 1;
    *rounded = count_fractions(p, metric, factor);
    return factor;
}

int64_t flm_whole_next(struct flm_whole_series *series, double value)
{
    int64_t whole = flm_whole_value(value);
    if (!(fabs(value) < FLM_EXACT_LIMIT) || is_nearly_whole(value))
        return whole;
    double wanted = value + series->rest;
    whole = flm_whole_value(wanted);
    if ((value > 0 && whole < 0) || (value < 0 && whole > 0))
        whole = 0; /* the rest was half of one, and the value next to nothing */
    series->rest = wanted - (double)whole;
    return whole;
}

double flm_whole_rest(double self, double taken)
{
    double rest = self - taken;
    return fabs(rest) <= fabs(self) * 1e-12 ? 0 : rest;
}
