#include "stats/maxt_sieve.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FLM_SIEVE_LANES, PART = 6, ROWS = 1 << PART, ALIGNMENT = 64 };

/* The factor that lowers bounds, by more than the rounding of a few operations in single
 * precision. */
static const double lowered = 1 - 1e-5;

/* The factor from a sum of squares to the squared standard error of the mean. */
static double share_of(double count)
{
    return count > 1 ? 1 / (count * (count - 1)) : 0;
}

uint32_t flm_sieve_part_count(uint32_t run_count)
{
    return (run_count + PART - 1) / PART;
}

/* Floats of a row: sums, and sums of squares. */
static size_t row_width(const struct flm_sieve *sieve)
{
    return sieve->has_squares ? 2 * LANES : LANES;
}

/* The start of the tables, aligned to a cache line. */
static float *aligned(const struct flm_sieve *sieve)
{
    uintptr_t at = (uintptr_t)sieve->table_memory;
    return (float *)((at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

bool flm_sieve_init(struct flm_sieve *sieve, uint32_t run_count, uint32_t new_count)
{
    assert(sieve && new_count <= run_count);
    double n1 = run_count - new_count, n2 = new_count;
    uint32_t parts = flm_sieve_part_count(run_count);
    *sieve = (struct flm_sieve){
        .run_count = run_count,
        .part_count = parts,
        .inverse_base = 1 / n1,
        .inverse_new = 1 / n2,
        .base_share = share_of(n1),
        .new_share = share_of(n2),
        /* A sum has at most PART + parts roundings, each of a number below the sum of all |x|,
         * which is at most sqrt(n) if the sum of squares is 1. */
        .slack = FLT_EPSILON * (PART + parts + 2) * sqrt(run_count),
    };
    double smaller = fmin(sieve->base_share, sieve->new_share);
    double larger = fmax(sieve->base_share, sieve->new_share);
    sieve->has_squares = larger > 2.5 * smaller;
    sieve->scaled = calloc((size_t)parts * PART + 1, LANES * sizeof *sieve->scaled);
    sieve->table_memory =
        malloc((size_t)parts * ROWS * row_width(sieve) * sizeof(float) + ALIGNMENT);
    if (sieve->scaled && sieve->table_memory)
        return true;
    flm_sieve_clear(sieve);
    return false;
}

void flm_sieve_clear(struct flm_sieve *sieve)
{
    free(sieve->scaled);
    free(sieve->table_memory);
    sieve->scaled = NULL;
    sieve->table_memory = NULL;
}

void flm_sieve_parts(const struct flm_permutations *permutations, unsigned char *row)
{
    uint32_t parts = flm_sieve_part_count(permutations->run_count);
    for (uint32_t l = 0; l < permutations->count; l++) {
        const uint64_t *bitmap = permutations->bitmaps + l * permutations->words_each;
        unsigned char *of_permutation = row + (size_t)l * parts;
        memset(of_permutation, 0, parts);
        for (uint32_t r = 0; r < permutations->run_count; r++)
            of_permutation[r / PART] |= (unsigned char)((bitmap[r / 64] >> r % 64 & 1) << r % PART);
    }
}

/* How a column was scaled. */
struct scaling {
    bool is_constant; /* equal in all runs */
    double mean, squares;
};

/* Centers a column and scales it to a sum of squares of 1. A constant column becomes 0. One whose
 * squares overflow or underflow becomes infinite, so it is above every bound. */
static struct scaling scale(const double *column, uint32_t run_count, float *scaled)
{
    double near = column[0], mean = 0, squares = 0;
    bool is_constant = true;
    for (uint32_t r = 0; r < run_count; r++) {
        mean += (column[r] - near) / run_count;
        is_constant &= column[r] == near;
    }
    for (uint32_t r = 0; r < run_count; r++)
        squares += (column[r] - near - mean) * (column[r] - near - mean);
    bool is_double = squares > 1e-280 && squares < 1e280;
    double factor = is_double ? 1 / sqrt(squares) : 0;
    for (uint32_t r = 0; r < run_count; r++)
        scaled[(size_t)r * LANES] =
            is_constant || is_double ? (float)((column[r] - near - mean) * factor) : INFINITY;
    return (struct scaling){is_constant, near + mean, is_double ? squares : INFINITY};
}

/* The sum of a subset is that of the subset without its last run, plus that run. Runs beyond the
 * last one are 0, and in no permutation. */
static void fill_table(struct flm_sieve *sieve)
{
    size_t width = row_width(sieve);
    for (uint32_t p = 0; p < sieve->part_count; p++) {
        float *table = aligned(sieve) + (size_t)p * ROWS * width;
        memset(table, 0, width * sizeof *table);
        for (uint32_t bit = 0; bit < PART; bit++) {
            const float *x = sieve->scaled + ((size_t)p * PART + bit) * LANES;
            size_t without = (size_t)1 << bit;
            for (size_t row = without; row < 2 * without; row++) {
                const float *smaller = table + (row - without) * width;
                float *sum = table + row * width;
                for (size_t c = 0; c < LANES; c++)
                    sum[c] = smaller[c] + x[c];
                for (size_t c = LANES; c < width; c++)
                    sum[c] = smaller[c] + x[c - LANES] * x[c - LANES];
            }
        }
    }
}

void flm_sieve_take(struct flm_sieve *sieve, const struct flm_matrix *matrix,
                    const uint32_t *columns, uint32_t count, double unit)
{
    assert(columns && count <= FLM_SIEVE_LANES && matrix->run_count == sieve->run_count);
    double h = sieve->inverse_base + sieve->inverse_new;
    memset(sieve->scaled, 0, (size_t)sieve->run_count * LANES * sizeof *sieve->scaled);
    for (uint32_t c = 0; c < LANES; c++) {
        /* An empty lane is treated as a constant column: t is 0. */
        struct scaling scaling = {.is_constant = true};
        if (c < count)
            scaling =
                scale(flm_matrix_column(matrix, columns[c]), sieve->run_count, sieve->scaled + c);
        double floor = fmax(0, unit > 0 ? unit * scaling.mean / scaling.squares : 0);
        if (!sieve->has_squares)
            floor = sqrt(floor / h);
        sieve->floor[c] = scaling.is_constant ? FLT_MAX : (float)(fmin(floor, 1e18) * lowered);
    }
    fill_table(sieve);
}

struct flm_sieve_bound flm_sieve_bound_of(const struct flm_sieve *sieve, double t)
{
    /* With the smaller of both shares for the whole variance,
     *     t^2 <= s^2 h^2 / (share (1 - h s^2)), and that is t^2 for s^2 = share / (h^2 / t^2 +
     * share h). */
    double h = sieve->inverse_base + sieve->inverse_new;
    double share = fmin(sieve->base_share, sieve->new_share);
    struct flm_sieve_bound bound = {0, 0};
    /* FLT_MAX times this is above every s, and no product with it is infinite. */
    double clamped = fmin(fmax(t, 1e-15), 1e15);
    if (sieve->has_squares) {
        bound.least = t < 0 ? NAN : (float)(clamped * clamped * lowered);
    } else if (t < 0) {
        bound = (struct flm_sieve_bound){-FLT_MAX, -1};
    } else {
        bound.least = (float)(sqrt(share / (h * h / (t * t) + share * h)) * lowered - sieve->slack);
        bound.per_floor = (float)(clamped * lowered);
        if (isinf(t))
            bound.least = INFINITY;
    }
    return bound;
}

/* ---- The loops ------------------------------------------------------------------------------- */

/* Four lanes: the width that every x86-64 and arm64 has. */
typedef float four __attribute__((vector_size(16)));
typedef int32_t four_bits __attribute__((vector_size(16)));

static inline four load(const float *at)
{
    four v;
    memcpy(&v, at, sizeof v);
    return v;
}

static inline four all(float x)
{
    return (four){x, x, x, x};
}

static inline four magnitude(four x)
{
    return (four)((four_bits)x & 0x7FFFFFFF);
}

static inline four larger(four a, four b)
{
    four_bits is_larger = a > b;
    return (four)((is_larger & (four_bits)a) | (~is_larger & (four_bits)b));
}

/* A bit for each lane that is set. */
static inline uint32_t set_lanes(four_bits low, four_bits high)
{
    uint32_t lanes = 0;
    for (int c = 0; c < 4; c++)
        lanes |= (uint32_t)(low[c] & 1) << c | (uint32_t)(high[c] & 1) << (c + 4);
    return lanes;
}

static inline bool is_any(four_bits v)
{
    uint64_t halves[2];
    memcpy(halves, &v, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

static uint32_t next_by_sums(const struct flm_sieve *sieve, const unsigned char *row,
                             const struct flm_sieve_bound *bound, uint32_t from, uint32_t to,
                             uint32_t *lanes)
{
    const float *tables = aligned(sieve);
    uint32_t parts = sieve->part_count;
    four floor_low = load(sieve->floor), floor_high = load(sieve->floor + 4);
    four slack = all((float)sieve->slack);
    for (uint32_t l = from; l < to; l++) {
        const unsigned char *of_permutation = row + (size_t)l * parts;
        const float *table = tables;
        four low = all(0), high = all(0);
        for (uint32_t p = 0; p < parts; p++, table += ROWS * LANES) {
            const float *sums = table + (size_t)of_permutation[p] * LANES;
            low += load(sums);
            high += load(sums + 4);
        }
        four least = all(bound[l].least), per_floor = all(bound[l].per_floor);
        low = magnitude(low);
        high = magnitude(high);
        four_bits above_low = (low > least) & (low > per_floor * floor_low - slack);
        four_bits above_high = (high > least) & (high > per_floor * floor_high - slack);
        if (is_any(above_low | above_high)) {
            *lanes = set_lanes(above_low, above_high);
            return l;
        }
    }
    return to;
}

/* The constants of a lower bound of the difference's standard error, from both sums. */
struct split {
    four h, slack, margin;
    four inverse_base, inverse_new, base_share, new_share;
};

static inline four_bits is_above(const struct split *split, four s, four squares, four floor,
                                 four least)
{
    four of_new = split->new_share * (squares - s * s * split->inverse_new);
    four of_base = split->base_share * (1 - squares - s * s * split->inverse_base);
    four error = larger(of_new, floor * split->inverse_new) +
                 larger(of_base, floor * split->inverse_base) - split->margin;
    four difference = (magnitude(s) + split->slack) * split->h;
    return ~(difference * difference <= least * error);
}

static uint32_t next_by_squares(const struct flm_sieve *sieve, const unsigned char *row,
                                const struct flm_sieve_bound *bound, uint32_t from, uint32_t to,
                                uint32_t *lanes)
{
    const float *tables = aligned(sieve);
    uint32_t parts = sieve->part_count;
    four floor_low = load(sieve->floor), floor_high = load(sieve->floor + 4);
    const struct split split = {
        .h = all((float)(sieve->inverse_base + sieve->inverse_new)),
        .slack = all((float)sieve->slack),
        .margin = all((float)((sieve->base_share + sieve->new_share) * 4 * sieve->slack)),
        .inverse_base = all((float)sieve->inverse_base),
        .inverse_new = all((float)sieve->inverse_new),
        .base_share = all((float)sieve->base_share),
        .new_share = all((float)sieve->new_share),
    };
    for (uint32_t l = from; l < to; l++) {
        const unsigned char *of_permutation = row + (size_t)l * parts;
        const float *table = tables;
        four low = all(0), high = all(0), squares_low = all(0), squares_high = all(0);
        for (uint32_t p = 0; p < parts; p++, table += 2 * ROWS * LANES) {
            const float *sums = table + 2 * (size_t)of_permutation[p] * LANES;
            low += load(sums);
            high += load(sums + 4);
            squares_low += load(sums + 8);
            squares_high += load(sums + 12);
        }
        four least = all(bound[l].least);
        four_bits above_low = is_above(&split, low, squares_low, floor_low, least);
        four_bits above_high = is_above(&split, high, squares_high, floor_high, least);
        if (is_any(above_low | above_high)) {
            *lanes = set_lanes(above_low, above_high);
            return l;
        }
    }
    return to;
}

uint32_t flm_sieve_next(const struct flm_sieve *sieve, const unsigned char *row,
                        const struct flm_sieve_bound *bound, uint32_t from, uint32_t to,
                        uint32_t *lanes)
{
    return sieve->has_squares ? next_by_squares(sieve, row, bound, from, to, lanes)
                              : next_by_sums(sieve, row, bound, from, to, lanes);
}
