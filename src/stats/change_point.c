#include "stats/change_point.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/random.h"

/* ---- Distances ------------------------------------------------------------------------------- */

/* The sum over all pairs of [i, i + rows) and [k, k + columns). */
static double sum_of(const struct flm_distances *d, uint32_t i, uint32_t rows, uint32_t k,
                     uint32_t columns)
{
    double sum = 0;
    for (uint32_t row = i; row < i + rows; row++)
        for (uint32_t column = k; column < k + columns; column++)
            sum += d->distance[(size_t)row * d->count + column];
    return sum;
}

double flm_energy(const struct flm_distances *distances, uint32_t from, uint32_t at, uint32_t to)
{
    double left = at - from, right = to - at;
    return 2 * sum_of(distances, from, at - from, at, to - at) / (left * right) -
           sum_of(distances, from, at - from, from, at - from) / (left * left) -
           sum_of(distances, at, to - at, at, to - at) / (right * right);
}

/* From the sums of distances over pairs, each counted once: across, within left, within right. */
static double weighted_q(double across, double within_left, double within_right, double left,
                         double right)
{
    double mean = 2 * across / (left * right);
    if (left > 1)
        mean -= within_left / (left * (left - 1) / 2);
    if (right > 1)
        mean -= within_right / (right * (right - 1) / 2);
    return left * right / (left + right) * mean;
}

double flm_energy_q(const struct flm_distances *distances, uint32_t from, uint32_t at, uint32_t to)
{
    return weighted_q(sum_of(distances, from, at - from, at, to - at),
                      sum_of(distances, from, at - from, from, at - from) / 2,
                      sum_of(distances, at, to - at, at, to - at) / 2, at - from, to - at);
}

/* ---- Permutations of distances --------------------------------------------------------------- */

static void shuffle(uint32_t *order, uint32_t count, struct flm_random *random)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t other = i + (uint32_t)flm_random_below(random, count - i);
        uint32_t run = order[i];
        order[i] = order[other];
        order[other] = run;
    }
}

/* Equal statistics must count, and sums are rounded. */
static bool reaches(double statistic, double observed)
{
    return statistic >= observed - fabs(observed) * 1e-9 - 1e-12;
}

/* The best split of the runs in this order; split k has k + 1 runs on its left. `within` has room
 * for a number of each run. */
static double best_q(const struct flm_distances *d, const uint32_t *order, uint32_t count,
                     uint32_t least, double *within, uint32_t *at)
{
    /* The sums within the right sides: from the end, each run adds its distances to the later
     * runs. */
    double total = 0;
    for (uint32_t i = count; i-- > 0;) {
        const double *row = d->distance + (size_t)order[i] * d->count;
        within[i] = total;
        for (uint32_t k = i + 1; k < count; k++)
            total += row[order[k]];
    }
    double best = -INFINITY, left = 0;
    for (uint32_t i = 0; i + least < count; i++) {
        const double *row = d->distance + (size_t)order[i] * d->count;
        for (uint32_t k = 0; k < i; k++)
            left += row[order[k]];
        if (i + 1 < least)
            continue;
        double q = weighted_q(total - left - within[i], left, within[i], i + 1, count - i - 1);
        if (q > best) {
            best = q;
            *at = i + 1;
        }
    }
    return best;
}

/* Whether there are enough runs. Without a split p is 1. */
static bool has_split(uint32_t from, uint32_t to, uint32_t *least, struct flm_split *split)
{
    *least = *least > 0 ? *least : 1;
    *split = (struct flm_split){.at = to, .p = 1};
    return to > from && (to - from) / 2 >= *least;
}

bool flm_split_by_distances(const struct flm_distances *distances, uint32_t from, uint32_t to,
                            uint32_t least, uint32_t permutations, uint64_t seed,
                            struct flm_split *split, struct flm_error *why)
{
    assert(from <= to && to <= distances->count);
    if (!has_split(from, to, &least, split))
        return true;
    uint32_t count = to - from, at = 0;
    uint32_t *order = malloc(count * sizeof *order);
    double *within = malloc(count * sizeof *within);
    if (order && within) {
        struct flm_random random = {seed};
        for (uint32_t i = 0; i < count; i++)
            order[i] = from + i;
        split->statistic = best_q(distances, order, count, least, within, &at);
        split->at = from + at;
        uint32_t reached = 0;
        for (uint32_t i = 0; i < permutations; i++) {
            shuffle(order, count, &random);
            reached +=
                reaches(best_q(distances, order, count, least, within, &at), split->statistic);
        }
        split->p = (1.0 + reached) / (1.0 + permutations);
    }
    bool good = order && within;
    free(order);
    free(within);
    return good || flm_error_memory(why);
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Columns that are computed together: the compiler vectorizes the loops over them. */
enum { LANES = 8 };

struct lanes {
    double of[LANES];
};

/* The runs on one side of a split: means, and sums of squared deviations from them (Welford, "Note
 * on a method for calculating corrected sums of squares and products", 1962). Values that are all
 * the same have squares of exactly 0: a deterministic change is infinite, as it should be. */
struct side {
    struct lanes mean, squares;
};

static inline void take_run(struct side *side, const struct lanes *run, double inverse_count)
{
    for (int c = 0; c < LANES; c++) {
        double distance = run->of[c] - side->mean.of[c];
        side->mean.of[c] += distance * inverse_count;
        side->squares.of[c] += distance * (run->of[c] - side->mean.of[c]);
    }
}

struct series {
    uint32_t count, least;
    double *inverse;    /* 1 / n; 0 for n = 0 */
    struct lanes *run;  /* by run: the values of this tile's columns */
    struct lanes floor; /* of the variance */
    struct side *left;  /* by split */
    uint32_t *order;    /* the permutations, the observed order first */
    double *best;       /* by permutation: the largest t^2 so far */
    void *memory[5];
};

/* The best split of the observed order. */
struct best_split {
    uint32_t at, column;
};

static double squared_error(const struct series *s, const struct side *left,
                            const struct side *right, uint32_t at, int c)
{
    double of_left = left->squares.of[c] * s->inverse[at - 1];
    double of_right = right->squares.of[c] * s->inverse[s->count - at - 1];
    double floor = s->floor.of[c];
    of_left = of_left > floor ? of_left : floor;
    of_right = of_right > floor ? of_right : floor;
    return of_left * s->inverse[at] + of_right * s->inverse[s->count - at];
}

/* All splits of one permutation. t^2 is only computed if it is larger than the best so far: a
 * division for each would be most of the work. */
static void try_order(struct series *s, const uint32_t *order, double *best, uint32_t first_column,
                      uint32_t lane_count, struct best_split *split)
{
    struct side side = {{{0}}, {{0}}};
    for (uint32_t i = 0; i + s->least < s->count; i++) {
        take_run(&side, &s->run[order[i]], s->inverse[i + 1]);
        s->left[i + 1] = side;
    }
    side = (struct side){{{0}}, {{0}}};
    for (uint32_t at = s->count - 1; at >= s->least; at--) {
        take_run(&side, &s->run[order[at]], s->inverse[s->count - at]);
        if (s->count - at < s->least)
            continue;
        const struct side *left = &s->left[at];
        int is_better = 0;
        for (int c = 0; c < LANES; c++) {
            double difference = side.mean.of[c] - left->mean.of[c];
            is_better |= difference * difference > *best * squared_error(s, left, &side, at, c);
        }
        for (uint32_t c = 0; is_better && c < lane_count; c++) {
            double difference = side.mean.of[c] - left->mean.of[c];
            double squared = difference * difference / squared_error(s, left, &side, at, (int)c);
            if (squared > *best) {
                *best = squared;
                *split = (struct best_split){at, first_column + c};
            }
        }
    }
}

/* Interleaves the columns from `first` on; lanes without a column stay 0. */
static uint32_t take_tile(struct series *s, const struct flm_matrix *matrix, uint32_t from,
                          uint32_t first, double unit)
{
    uint32_t lane_count = matrix->column_count - first;
    lane_count = lane_count < LANES ? lane_count : LANES;
    memset(s->run, 0, s->count * sizeof *s->run);
    s->floor = (struct lanes){{0}};
    for (uint32_t c = 0; c < lane_count; c++) {
        const double *column = flm_matrix_column(matrix, first + c) + from;
        double sum = 0;
        for (uint32_t r = 0; r < s->count; r++) {
            s->run[r].of[c] = column[r];
            sum += column[r];
        }
        s->floor.of[c] = unit > 0 && sum > 0 ? unit * sum / s->count : 0;
    }
    return lane_count;
}

static bool take_permutations(struct series *s, uint32_t permutations, uint64_t seed)
{
    size_t count = s->count, each = (size_t)permutations + 1;
    s->memory[0] = s->inverse = malloc((count + 1) * sizeof *s->inverse);
    s->memory[1] = s->run = malloc(count * sizeof *s->run);
    s->memory[2] = s->left = malloc(count * sizeof *s->left);
    s->memory[3] = s->order =
        each > SIZE_MAX / sizeof *s->order / count ? NULL : malloc(each * count * sizeof *s->order);
    s->memory[4] = s->best = calloc(each, sizeof *s->best);
    for (int i = 0; i < 5; i++)
        if (!s->memory[i])
            return false;
    struct flm_random random = {seed};
    s->inverse[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        s->inverse[i + 1] = 1.0 / (i + 1);
        s->order[i] = i;
    }
    for (uint32_t i = 1; i <= permutations; i++) {
        memcpy(s->order + i * count, s->order + (i - 1) * count, count * sizeof *s->order);
        shuffle(s->order + i * count, s->count, &random);
    }
    return true;
}

bool flm_split_by_columns(const struct flm_matrix *matrix, uint32_t from, uint32_t to,
                          uint32_t least, double unit, uint32_t permutations, uint64_t seed,
                          struct flm_split *split, struct flm_error *why)
{
    assert(from <= to && to <= matrix->run_count);
    if (!has_split(from, to, &least, split) || matrix->column_count == 0)
        return true;
    struct series s = {.count = to - from, .least = least};
    bool good = take_permutations(&s, permutations, seed);
    if (good) {
        struct best_split best = {least, 0}, of_permuted;
        for (uint32_t first = 0; first < matrix->column_count; first += LANES) {
            uint32_t lane_count = take_tile(&s, matrix, from, first, unit);
            try_order(&s, s.order, &s.best[0], first, lane_count, &best);
            for (uint32_t i = 1; i <= permutations; i++)
                try_order(&s, s.order + (size_t)i * s.count, &s.best[i], first, lane_count,
                          &of_permuted);
        }
        uint32_t reached = 0;
        for (uint32_t i = 1; i <= permutations; i++)
            reached += reaches(sqrt(s.best[i]), sqrt(s.best[0]));
        *split = (struct flm_split){from + best.at, sqrt(s.best[0]), best.column,
                                    (1.0 + reached) / (1.0 + permutations)};
    }
    for (int i = 0; i < 5; i++)
        free(s.memory[i]);
    return good || flm_error_memory(why);
}
