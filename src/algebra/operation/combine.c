/* combine.c - linear combinations of columns, and norms and distances of two of them. */
#include "algebra/operation/algebra.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/rebuild.h"
#include "algebra/operation/subset.h"
#include "base/number/sum.h"

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

/* The unit that all weighted columns share; `name` is given where the combination gives none. */
static bool common_unit(const struct flm_profile *p, const struct flm_combination *c,
                        struct flm_bytes *unit, struct flm_error *why)
{
    uint32_t first = FLM_NONE;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        if (c->weights[m] == 0)
            continue;
        if (first != FLM_NONE && p->metrics[m].unit != p->metrics[first].unit) {
            struct flm_bytes a = flm_string_bytes(p, p->metrics[first].unit);
            struct flm_bytes b = flm_string_bytes(p, p->metrics[m].unit);
            return flm_error_set(why, FLM_ERROR_UNIT,
                                 "'%s' would add '%.*s' and '%.*s': units must be the same",
                                 c->name, (int)a.size, a.at, (int)b.size, b.at);
        }
        if (first == FLM_NONE)
            first = m;
    }
    if (c->unit)
        *unit = flm_bytes_of(c->unit);
    else if (first != FLM_NONE)
        *unit = flm_string_bytes(p, p->metrics[first].unit);
    return true;
}

/* sum over m of weight[m] x column m, for `count` rows; the columns lie one after the other. */
static double *combine_column(const double *columns, size_t rows, const struct flm_combination *c,
                              uint32_t metric_count)
{
    double *sum = calloc(rows + 1, sizeof *sum);
    for (uint32_t m = 0; sum && m < metric_count; m++) {
        const double *column = columns + m * rows;
        double weight = c->weights[m];
        for (size_t i = 0; weight != 0 && i < rows; i++)
            sum[i] += weight * column[i];
    }
    return sum;
}

/* The same of the values of samples. */
static double *combine_samples(const struct flm_profile *p, const struct flm_combination *c)
{
    double *sum = calloc(p->sizes.sample_count, sizeof *sum);
    for (uint32_t m = 0; sum && m < p->sizes.metric_count; m++) {
        struct flm_sample_values values = flm_sample_values(p, m);
        for (uint32_t i = 0; c->weights[m] != 0 && i < p->sizes.sample_count; i++)
            sum[i] += c->weights[m] * flm_sample_value_of(&values, i);
    }
    return sum;
}

/* Marks the samples that are not 0 in every column: the others go, as stacks do. */
static unsigned char *samples_with_a_value(const struct flm_profile *p,
                                           const struct flm_column *columns, size_t count)
{
    unsigned char *kept = calloc(p->sizes.sample_count, 1);
    for (size_t c = 0; kept && c < count; c++)
        for (uint32_t i = 0; i < p->sizes.sample_count; i++)
            kept[i] |= columns[c].sample[i] != 0;
    return kept;
}

struct combining {
    const struct flm_combination *combinations;
    size_t count;
};

static struct flm_profile *combine_all(const struct flm_profile *p, void *context,
                                       struct flm_error *why)
{
    const struct flm_combination *combinations = ((struct combining *)context)->combinations;
    size_t count = ((struct combining *)context)->count;
    struct flm_column *columns = calloc(count + 1, sizeof *columns);
    bool good = columns || flm_error_memory(why);
    unsigned char *kept = NULL;
    for (size_t i = 0; good && i < count; i++) {
        const struct flm_combination *c = &combinations[i];
        columns[i].name = flm_bytes_of(c->name);
        for (size_t j = 0; good && j < i; j++)
            if (flm_bytes_equal(columns[i].name, columns[j].name))
                good = flm_error_set(why, FLM_ERROR_USAGE, "two columns are called '%s'", c->name);
        for (uint32_t m = 0; good && m < p->sizes.metric_count; m++)
            if (c->weights[m] - c->weights[m] != 0)
                good = flm_error_set(why, FLM_ERROR_USAGE,
                                     "a weight of '%s' is not a finite number", c->name);
        good = good && common_unit(p, c, &columns[i].unit, why);
        if (!good)
            break;
        columns[i].self = combine_column(p->self, p->sizes.node_count, c, p->sizes.metric_count);
        if (p->sizes.sample_count > 0)
            columns[i].sample = combine_samples(p, c);
        if (!columns[i].self || (p->sizes.sample_count > 0 && !columns[i].sample))
            good = flm_error_memory(why);
    }
    if (good && p->sizes.sample_count > 0) {
        kept = samples_with_a_value(p, columns, count);
        good = kept || flm_error_memory(why);
    }
    struct flm_profile *result = good ? flm_subset(p, columns, count, kept, why) : NULL;
    flm_columns_free(columns, count);
    free(kept);
    return result;
}

struct flm_profile *flm_combine(const struct flm_profile *p,
                                const struct flm_combination *combinations, size_t count,
                                struct flm_error *why)
{
    assert(p && (combinations || count == 0));
    struct combining combining = {combinations, count};
    return flm_with_chains(p, combine_all, &combining, why);
}

/* Where a stack's difference belongs, and how much it is. */
enum part { APPEARED, GROWN, DISAPPEARED, SHRUNK, PART_COUNT };

static enum part part_of(double before, double after)
{
    if (after > before)
        return before == 0 ? APPEARED : GROWN;
    return after == 0 ? DISAPPEARED : SHRUNK;
}

struct flm_profile *flm_difference_parts(const struct flm_profile *p, struct flm_metric before,
                                         struct flm_metric after, struct flm_error *why)
{
    static const char *const names[PART_COUNT] = {"appeared", "grown", "disappeared", "shrunk"};
    if (p->metrics[before.index].unit != p->metrics[after.index].unit) {
        flm_error_set(why, FLM_ERROR_UNIT, "columns of different units have no difference");
        return NULL;
    }
    struct flm_column *columns = calloc(PART_COUNT, sizeof *columns);
    bool room = columns != NULL;
    for (int i = 0; room && i < PART_COUNT; i++) {
        columns[i].name = flm_bytes_of(names[i]);
        columns[i].unit = flm_string_bytes(p, p->metrics[before.index].unit);
        columns[i].self = calloc(p->sizes.node_count, sizeof(double));
        room = columns[i].self != NULL;
    }
    struct flm_profile *result = NULL;
    if (room) {
        const double *x = flm_self_column(p, before.index), *y = flm_self_column(p, after.index);
        for (uint32_t i = 0; i < p->sizes.node_count; i++)
            if (x[i] != y[i])
                columns[part_of(x[i], y[i])].self[i] = magnitude(y[i] - x[i]);
        result = flm_subset(p, columns, PART_COUNT, NULL, why);
    } else {
        flm_error_memory(why);
    }
    flm_columns_free(columns, columns ? PART_COUNT : 0);
    return result;
}

double flm_norm(const struct flm_profile *p, struct flm_metric metric)
{
    const double *self = flm_self_column(p, metric.index);
    struct flm_sum sum = {0};
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        flm_sum_add(&sum, magnitude(self[i]));
    return flm_sum_of(&sum);
}

double flm_distance(const struct flm_profile *p, struct flm_metric a, struct flm_metric b)
{
    const double *x = flm_self_column(p, a.index), *y = flm_self_column(p, b.index);
    struct flm_sum sum = {0};
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        flm_sum_add(&sum, magnitude(x[i] - y[i]));
    return flm_sum_of(&sum);
}

static double not_a_number(void)
{
    return __builtin_nan("");
}

double flm_similarity(const struct flm_profile *p, struct flm_metric a, struct flm_metric b)
{
    if (flm_has_negative(flm_self_column(p, a.index), p->sizes.node_count) ||
        flm_has_negative(flm_self_column(p, b.index), p->sizes.node_count))
        return not_a_number();
    double norms = flm_norm(p, a) + flm_norm(p, b);
    /* Not 1 - distance / norms: of integers this is exact but for one division. */
    return norms == 0 ? 1 : (norms - flm_distance(p, a, b)) / norms;
}

double flm_shape_similarity(const struct flm_profile *p, struct flm_metric a, struct flm_metric b)
{
    const double *x = flm_self_column(p, a.index), *y = flm_self_column(p, b.index);
    if (flm_has_negative(x, p->sizes.node_count) || flm_has_negative(y, p->sizes.node_count))
        return not_a_number();
    double norm_x = flm_norm(p, a), norm_y = flm_norm(p, b);
    if (norm_x == 0 || norm_y == 0)
        return norm_x == norm_y ? 1 : 0;
    /* The sum of the smaller shares is 1 - half the sum of their differences. The former keeps all
     * its digits where little is similar, the latter is exactly 1 where nothing differs. */
    struct flm_sum both = {0};
    bool differ = false;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        double share = x[i] / norm_x, other = y[i] / norm_y;
        flm_sum_add(&both, share < other ? share : other);
        differ |= share != other;
    }
    return differ ? flm_sum_of(&both) : 1;
}
