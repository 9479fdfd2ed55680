#include "format/core/whole_values.h"

int64_t flm_whole_value(double value)
{
    if (!(value > -9223372036854775808.0))
        return INT64_MIN;
    if (value >= 9223372036854775808.0)
        return INT64_MAX;
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

static uint32_t count_fractions(const double *values, uint32_t count)
{
    uint32_t fractions = 0;
    for (uint32_t i = 0; i < count; i++)
        fractions += values[i] < 9007199254740992.0 && values[i] > -9007199254740992.0 &&
                     (double)flm_whole_value(values[i]) != values[i];
    return fractions;
}

double flm_whole_factor(const struct flm_profile *p, uint32_t metric, uint32_t *rounded)
{
    static const struct {
        const char *unit;
        double factor;
    } times[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    uint32_t fractions = count_fractions(flm_self_column(p, metric), p->sizes.node_count);
    uint32_t of_samples = 0;
    *rounded = 0;
    if (p->sizes.sample_count > 0)
        of_samples = count_fractions(flm_sample_column(p, metric), p->sizes.sample_count);
    if (fractions + of_samples == 0)
        return 1;
    double total = flm_profile_total(p, (struct flm_metric){metric});
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->metrics[metric].unit), times[i].unit) &&
            total * times[i].factor < 4611686018427387904.0)
            return times[i].factor;
    *rounded = fractions > of_samples ? fractions : of_samples;
    return 1;
}
