#include "stats/welch.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/core/sort.h"
#include "stats/distribution.h"

/* Which runs are new: either a byte or a bit for each run. */
struct groups {
    const unsigned char *is_new;
    const uint64_t *bitmap;
};

static inline int group_of(struct groups groups, uint32_t run)
{
    return groups.bitmap ? (int)(groups.bitmap[run / 64] >> run % 64 & 1) : groups.is_new[run] != 0;
}

/* [0]: base, [1]: new. */
struct moments {
    double count[2], mean[2], variance[2];
    double grand_mean;
};

/* Values are taken relative to one of their own group, so that a constant group has a variance of
 * exactly 0, whatever the rounding of the mean. */
static inline struct moments moments_of(const double *column, uint32_t run_count,
                                        struct groups groups)
{
    struct moments m = {0};
    double near[2] = {0, 0}, sum[2] = {0, 0}, squares[2] = {0, 0}, all = 0;
    for (uint32_t r = 0; r < run_count; r++) {
        int g = group_of(groups, r);
        if (m.count[g] == 0)
            near[g] = column[r];
        m.count[g]++;
        sum[g] += column[r] - near[g];
        all += column[r];
    }
    for (int g = 0; g < 2; g++)
        sum[g] = m.count[g] > 0 ? sum[g] / m.count[g] : 0;
    for (uint32_t r = 0; r < run_count; r++) {
        int g = group_of(groups, r);
        double distance = column[r] - near[g] - sum[g];
        squares[g] += distance * distance;
    }
    for (int g = 0; g < 2; g++) {
        m.mean[g] = near[g] + sum[g];
        m.variance[g] = m.count[g] > 1 ? squares[g] / (m.count[g] - 1) : 0;
    }
    m.grand_mean = run_count > 0 ? all / run_count : 0;
    return m;
}

/* The squared standard errors of both means. */
struct errors {
    double base, new;
};

static inline struct errors errors_of(const struct moments *m, double unit)
{
    double least = unit > 0 ? unit * m->grand_mean : 0;
    return (struct errors){fmax(m->variance[0], least) / m->count[0],
                           fmax(m->variance[1], least) / m->count[1]};
}

static inline double t_of(double difference, double error)
{
    return difference == 0 ? 0 : difference / error;
}

double flm_welch_t(const double *column, uint32_t run_count, const uint64_t *bitmap, double unit)
{
    struct moments m = moments_of(column, run_count, (struct groups){.bitmap = bitmap});
    struct errors e = errors_of(&m, unit);
    return t_of(m.mean[1] - m.mean[0], sqrt(e.base + e.new));
}

struct flm_welch flm_welch_test(const double *column, uint32_t run_count,
                                const unsigned char *is_new, double unit)
{
    assert((column && is_new) || run_count == 0);
    struct moments m = moments_of(column, run_count, (struct groups){.is_new = is_new});
    struct errors e = errors_of(&m, unit);
    struct flm_welch welch = {
        .base_mean = m.mean[0],
        .new_mean = m.mean[1],
        .base_variance = m.variance[0],
        .new_variance = m.variance[1],
        .error = sqrt(e.base + e.new),
    };
    welch.t = t_of(m.mean[1] - m.mean[0], welch.error);
    if (!(welch.error > 0)) {
        welch.p = welch.t == 0 ? 1 : 0;
        return welch;
    }
    /* As shares of the sum: the squares of large values could overflow. */
    double base = e.base / (e.base + e.new), new = e.new / (e.base + e.new);
    welch.nu = 1 / ((m.count[0] > 1 ? base * base / (m.count[0] - 1) : 0) +
                    (m.count[1] > 1 ? new *new / (m.count[1] - 1) : 0));
    welch.p = flm_t_two_sided(welch.t, welch.nu);
    return welch;
}

/* The noise beyond counting grows with the mean, and counting with its square root. */
static void keep_relative(struct moments *m, int group, double unit)
{
    double scale = m->mean[group] > 0 ? m->grand_mean / m->mean[group] : 0;
    if (!(scale > 1))
        return;
    scale = fmin(scale, 2);
    double counted = fmin(m->variance[group], fmax(unit, 0) * m->mean[group]);
    m->variance[group] = counted * scale + (m->variance[group] - counted) * scale * scale;
}

/* 1 / nu. */
static double uncertainty(const struct moments *m, double unit)
{
    struct errors e = errors_of(m, unit);
    double sum = 0;
    for (int g = 0; g < 2; g++) {
        double part = m->variance[g] / m->count[g] / (e.base + e.new);
        sum += part * part / fmax(m->count[g] - 2, 1);
    }
    return e.base + e.new > 0 ? sum : 0;
}

struct flm_welch flm_welch_cautious(const double *column, uint32_t run_count,
                                    const unsigned char *is_new, double unit)
{
    static const double most_nu = 1e6; /* as good as normal */
    assert((column && is_new) || run_count == 0);
    struct moments m = moments_of(column, run_count, (struct groups){.is_new = is_new});
    struct flm_welch welch = {.base_mean = m.mean[0],
                              .new_mean = m.mean[1],
                              .base_variance = m.variance[0],
                              .new_variance = m.variance[1]};
    double uncertain = uncertainty(&m, unit);
    keep_relative(&m, 0, unit);
    keep_relative(&m, 1, unit);
    struct errors e = errors_of(&m, unit);
    welch.error = sqrt(e.base + e.new);
    welch.t = t_of(m.mean[1] - m.mean[0], welch.error);
    if (!(welch.error > 0)) {
        welch.p = welch.t == 0 ? 1 : 0;
        return welch;
    }
    uncertain = fmax(uncertain, uncertainty(&m, unit));
    welch.nu = uncertain * most_nu > 1 ? 1 / uncertain : most_nu;
    welch.p = flm_t_two_sided(welch.t, welch.nu);
    return welch;
}

static int by_p(const void *context, uint32_t a, uint32_t b)
{
    const double *p = context;
    return (p[a] > p[b]) - (p[a] < p[b]);
}

/* The order of p, in the first half of `order`. */
static void sort_by_p(const double *p, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    flm_sort(order, count, order + count, by_p, p);
}

/* From the smallest p on: (count - i) p, and at least the previous one. */
void flm_adjust_holm(const double *p, double *adjusted, uint32_t *order, uint32_t count)
{
    assert((p && adjusted && order) || count == 0);
    double largest = 0;
    sort_by_p(p, order, count);
    for (uint32_t i = 0; i < count; i++) {
        largest = fmax(largest, fmin(1, p[order[i]] * (count - i)));
        adjusted[order[i]] = largest;
    }
}

/* From the largest p on: p count / (i + 1), and at most the previous one. */
void flm_adjust_benjamini_hochberg(const double *p, double *adjusted, uint32_t *order,
                                   uint32_t count)
{
    assert((p && adjusted && order) || count == 0);
    double smallest = 1;
    sort_by_p(p, order, count);
    for (uint32_t i = count; i > 0; i--) {
        smallest = fmin(smallest, p[order[i - 1]] * count / i);
        adjusted[order[i - 1]] = smallest;
    }
}
