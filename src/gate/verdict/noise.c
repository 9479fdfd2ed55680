#include "gate/verdict/noise.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "stats/distribution.h"
#include "stats/welch.h"

/* What 80 of 100 normal values lie below, in standard deviations. */
static const double power_80 = 0.8416212335729143;

struct measuring {
    const struct flm_runs *runs;
    const struct flm_noise_options *options;
    unsigned char *is_new;
    double *value, *scratch; /* a value for each run */
};

/* Between runs of one group, of both groups. */
static double relative_variance(const struct flm_welch *w, const struct flm_runs *runs)
{
    double base_free = runs->base_count - 1.0, new_free = runs->new_count - 1.0;
    double base = w->base_mean > 0 ? w->base_variance / (w->base_mean * w->base_mean) : 0;
    double new = w->new_mean > 0 ? w->new_variance / (w->new_mean * w->new_mean) : 0;
    base_free = w->base_mean > 0 ? base_free : 0;
    new_free = w->new_mean > 0 ? new_free : 0;
    double both = base_free + new_free;
    return both > 0 ? (base_free * base + new_free * new) / both : 0;
}

/* The z of z = power_80 * sqrt(1 + (critical + z)^2 / 2 d), d degrees of freedom. */
static double reserve(double critical, double free)
{
    double share = power_80 * power_80 / (2 * free), part = share * critical;
    double root = part * part + (1 - share) * (power_80 * power_80 + part * critical);
    return critical < INFINITY ? (part + sqrt(root)) / (1 - share) : 0;
}

/* The x of x = size * sqrt(1 + x / mean). */
static double grown_too(double size, double mean)
{
    double half = size * size / mean / 2;
    return half + sqrt(half * half + size * size);
}

/* Of the values in m->value; they are winsorized after it. */
static struct flm_noise_row measure(const struct measuring *m, uint32_t column, double critical)
{
    const struct flm_runs *runs = m->runs;
    double unit = m->options->unit;
    struct flm_welch raw = flm_welch_test(m->value, runs->run_count, m->is_new, unit);
    const struct flm_winsorizing how = {unit, flm_runs_most_outliers(runs)};
    flm_column_winsorize(m->value, runs->run_count, how, m->scratch);
    struct flm_welch tested = flm_welch_test(m->value, runs->run_count, m->is_new, unit);
    struct flm_noise_row row = {.column = column, .mean = raw.base_mean};
    if (!(row.mean > 0))
        return row;
    row.cv = sqrt(relative_variance(&raw, runs));
    row.counted = sqrt(unit / row.mean);
    if (m->options->tests > 0) {
        bool is_total = column == FLM_NONE;
        double tail =
            is_total ? m->options->total_alpha / 2 : m->options->alpha / 2 / m->options->tests;
        tested = flm_welch_cautious(m->value, runs->run_count, m->is_new, unit);
        critical = tested.error > 0 ? fmax(critical, flm_t_quantile(tail, tested.nu)) : critical;
    }
    double z = reserve(critical, runs->run_count - 2.0);
    row.mde = grown_too((critical + z) * tested.error, row.mean);
    double base_part = fmax(tested.base_variance, unit * tested.base_mean) / runs->base_count;
    double new_part = fmax(tested.new_variance, unit * tested.new_mean) / runs->new_count;
    row.new_part = base_part + new_part > 0 ? new_part / (base_part + new_part) : 0.5;
    double each = 2 / (1.0 / runs->base_count + 1.0 / runs->new_count);
    double times = row.mde / (m->options->wanted * row.mean);
    row.runs_needed = each * times * times;
    return row;
}

static int by_mean(const void *context, uint32_t a, uint32_t b)
{
    const double *mean = context;
    return mean[a] != mean[b] ? (mean[a] > mean[b] ? -1 : 1) : (a > b) - (a < b);
}

/* The columns of self values that base has, the largest first, to the front of `order`. */
static uint32_t largest(const struct measuring *m, const struct flm_columns *columns, double *mean,
                        uint32_t *order, uint32_t *scratch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < columns->matrix.column_count; i++) {
        const double *value = flm_matrix_column(&columns->matrix, i);
        mean[i] = 0;
        for (uint32_t run = 0; columns->key[i].is_self && run < m->runs->run_count; run++)
            mean[i] += m->is_new[run] ? 0 : value[run];
        if (mean[i] > 0)
            order[count++] = i;
    }
    flm_sort(order, count, scratch, by_mean, mean);
    return count < m->options->most_rows ? count : m->options->most_rows;
}

static bool measure_rows(struct flm_noise *noise, const struct measuring *m,
                         const struct flm_columns *columns)
{
    size_t count = columns->matrix.column_count + (size_t)1;
    double *mean = malloc(count * sizeof *mean);
    uint32_t *order = malloc(2 * count * sizeof *order);
    noise->row = malloc((m->options->most_rows + (size_t)1) * sizeof *noise->row);
    bool good = mean && order && noise->row;
    if (good)
        noise->count = largest(m, columns, mean, order, order + count);
    for (uint32_t i = 0; good && i < noise->count; i++) {
        memcpy(m->value, flm_matrix_column(&columns->matrix, order[i]),
               m->runs->run_count * sizeof(double));
        noise->row[i] = measure(m, order[i], m->options->critical);
    }
    free(mean);
    free(order);
    return good;
}

bool flm_noise_init(struct flm_noise *noise, const struct flm_runs *runs,
                    const struct flm_columns *columns, const struct flm_noise_options *options,
                    struct flm_error *why)
{
    assert(noise && runs && options && columns && columns->matrix.run_count == runs->run_count);
    struct measuring m = {.runs = runs,
                          .options = options,
                          .is_new = malloc(runs->run_count),
                          .value = malloc(2 * runs->run_count * sizeof(double))};
    *noise = (struct flm_noise){.wanted = options->wanted};
    bool good = m.is_new && m.value;
    for (uint32_t i = 0; good && i < runs->run_count; i++) {
        m.is_new[i] = runs->run[i].is_new;
        m.value[i] = runs->run[i].total;
    }
    if (good) {
        m.scratch = m.value + runs->run_count;
        noise->total = measure(&m, FLM_NONE, options->total_critical);
        good = measure_rows(noise, &m, columns);
    }
    free(m.is_new);
    free(m.value);
    if (good)
        return true;
    flm_noise_clear(noise);
    return flm_error_memory(why);
}

void flm_noise_clear(struct flm_noise *noise)
{
    free(noise->row);
    *noise = (struct flm_noise){0};
}
