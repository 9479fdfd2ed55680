/* maxt_sieve.h - finds the columns and permutations whose t may be the largest so far. Private to
 * maxt.c.
 *
 * Of two hundred million t of a gate, some hundred thousand are larger than all before them in
 * their permutation. Only these are computed by welch.h. The others are sieved out here, in single
 * precision, by an upper bound of t. So the sieve cannot change a result, however machine and
 * compiler round.
 *
 * Columns are centered, and scaled to a sum of squares of 1. With s, the sum of the new runs, and
 * h = 1/n1 + 1/n2, the difference of the means is s h, and the sum of squares within both groups is
 * 1 - h s^2. If a floor is higher, t is s h / sqrt(h floor). So, without a square root or a
 * division for each,
 *
 *     |t| > u   only if   |s| > a function of u   and   |s| > u sqrt(floor / h)
 *
 * If n1 and n2 differ much this bound is far too high, because it does not include how the variance
 * is divided between the groups. Then the sum of the squares of the new runs is used too.
 *
 * Sums come from tables: runs are divided into parts of six, and each part has a table with the sum
 * of every subset of its runs, for all columns of a tile:
 *
 *     permutation   100101 110010 ...     a row of eight columns for each part, added up
 *     tables      part 0, row 100101: | c0 | c1 | ... | c7 |  +  part 1, row 110010: ...
 *
 * A tile's tables are 20 KB for 60 runs, which fits into a first level cache. The loop over
 * permutations takes 0.5 ns for a t of 60 runs. Parts of eight runs, with tables of 64 KB, were
 * measured to take 0.45, and vectors twice as wide 0.25: not worth a second version for the
 * machines that have these. */
#ifndef FLAMEL_STATS_MAXT_SIEVE_H
#define FLAMEL_STATS_MAXT_SIEVE_H

#include "stats/matrix.h"
#include "stats/permutations.h"

enum { FLM_SIEVE_LANES = 8 };

/* The lower limits of |s| for t above a number; none for numbers below 0. */
struct flm_sieve_bound {
    float least, per_floor;
};

struct flm_sieve {
    uint32_t run_count, part_count;
    bool has_squares;
    double inverse_base, inverse_new; /* 1 / n1, 1 / n2 */
    double base_share, new_share;     /* of a sum of squares, in the square of the error */
    double slack;                     /* of s, for rounding */
    float *scaled;                    /* by run and lane: the columns of the tile */
    void *table_memory;           /* by part, row and lane; with squares, those follow each row */
    float floor[FLM_SIEVE_LANES]; /* sqrt(floor / h); with squares, the floor */
};

/* A sieve is used for one tile after the other. False when memory ran out. */
bool flm_sieve_init(struct flm_sieve *sieve, uint32_t run_count, uint32_t new_count);
void flm_sieve_clear(struct flm_sieve *sieve);

/* Permutations as indices of rows: by permutation and part. */
uint32_t flm_sieve_part_count(uint32_t run_count);
void flm_sieve_parts(const struct flm_permutations *permutations, unsigned char *row);

/* Makes these columns the tile, FLM_SIEVE_LANES at most. `unit` as in welch.h. */
void flm_sieve_take(struct flm_sieve *sieve, const struct flm_matrix *matrix,
                    const uint32_t *columns, uint32_t count, double unit);

struct flm_sieve_bound flm_sieve_bound_of(const struct flm_sieve *sieve, double t);

/* The first permutation of [from, to) in which |t| of any lane may be above the bound of the
 * permutation; `to` when there is none. `lanes` receives a bit for each such lane. */
uint32_t flm_sieve_next(const struct flm_sieve *sieve, const unsigned char *row,
                        const struct flm_sieve_bound *bound, uint32_t from, uint32_t to,
                        uint32_t *lanes);

#endif
