#include "format/core/whole_values.h"

int64_t flm_whole_value(double value)
{
    if (!(value > -9223372036854775808.0))
        return INT64_MIN;
    if (value >= 9223372036854775808.0)
        return INT64_MAX;
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

static bool is_fraction(double value)
{
    return value < 9007199254740992.0 && value > -9007199254740992.0 &&
           (double)flm_whole_value(value) != value;
}

static uint32_t count_fractions(const double *values, size_t count)
{
    uint32_t fractions = 0;
    for (size_t i = 0; i < count; i++)
        fractions += is_fraction(values[i]);
    return fractions;
}

static uint32_t count_sample_fractions(const struct flm_profile *p, uint32_t metric)
{
    struct flm_sample_values values = flm_sample_values(p, metric);
    uint32_t fractions = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        fractions += is_fraction(flm_sample_value_of(&values, i));
    return fractions;
}

double flm_whole_factor(const struct flm_profile *p, uint32_t metric, uint32_t *rounded)
{
    static const struct {
        const char *unit;
        double factor;
    } times[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    uint32_t fractions = count_fractions(flm_self_column(p, metric), p->sizes.node_count);
    uint32_t of_samples = count_sample_fractions(p, metric);
    *rounded = 0;
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
