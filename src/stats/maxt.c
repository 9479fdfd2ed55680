#include "stats/maxt.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "os/thread/threads.h"
#include "stats/maxt_sieve.h"
#include "stats/welch.h"

static double statistic(double t, enum flm_side side)
{
    return side == FLM_SIDE_BOTH ? fabs(t) : t;
}

/* A permuted statistic counts from here on: equal ones must count, and they are rounded. */
static double threshold(double observed)
{
    return observed - fabs(observed) * 1e-9 - 1e-12;
}

struct observed {
    const double *t;
    enum flm_side side;
};

/* The least extreme first; of equal ones the last column first, so that the first column is tested
 * with all. */
static int by_statistic(const void *context, uint32_t a, uint32_t b)
{
    const struct observed *o = context;
    double of_a = statistic(o->t[a], o->side), of_b = statistic(o->t[b], o->side);
    int order = (of_a > of_b) - (of_a < of_b);
    return order ? order : (a < b) - (a > b);
}

/* The share of a thread: some of the permutations, all columns. */
struct share {
    uint32_t from, to; /* permutations */
    struct flm_sieve sieve;
    int32_t *change; /* of the counts, from each rank to the next; one more than columns */
};

struct work {
    struct flm_maxt *maxt;
    const struct flm_matrix *matrix;
    const struct flm_permutations *permutations;
    const struct flm_maxt_options *options;
    uint32_t *order;               /* of columns, the least extreme first */
    double *threshold;             /* by rank: ascending */
    unsigned char *row;            /* of all permutations: maxt_sieve.h */
    struct flm_sieve_bound *bound; /* by permutation: of the largest statistic so far */
    struct share *share;
    uint32_t share_count;
};

/* The number of columns, in order, that a statistic `largest` reaches. */
static uint32_t count_reached(const struct work *w, double largest)
{
    uint32_t low = 0, high = w->matrix->column_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->threshold[middle] <= largest)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From `rank` on, this is the largest statistic of the permutation so far. Thresholds ascend, so it
 * reaches the columns up to some rank; those that the previous largest reached are counted
 * already. */
static void raise(const struct work *w, struct share *share, uint32_t permutation, uint32_t rank,
                  double statistic)
{
    uint32_t before = count_reached(w, w->maxt->largest[permutation]);
    uint32_t after = count_reached(w, statistic);
    share->change[before > rank ? before : rank]++;
    share->change[after > rank ? after : rank]--;
    w->maxt->largest[permutation] = statistic;
    w->bound[permutation] = flm_sieve_bound_of(&share->sieve, statistic);
}

static void run_tile(const struct work *w, struct share *share, uint32_t first, uint32_t count)
{
    uint32_t lanes = 0;
    for (uint32_t l = share->from;; l++) {
        l = flm_sieve_next(&share->sieve, w->row, w->bound, l, share->to, &lanes);
        if (l == share->to)
            return;
        const uint64_t *bitmap = w->permutations->bitmaps + l * w->permutations->words_each;
        for (uint32_t c = 0; c < count; c++) {
            if (!(lanes >> c & 1))
                continue;
            double t = flm_welch_t(flm_matrix_column(w->matrix, w->order[first + c]),
                                   w->matrix->run_count, bitmap, w->options->unit);
            if (statistic(t, w->options->side) > w->maxt->largest[l])
                raise(w, share, l, first + c, statistic(t, w->options->side));
        }
    }
}

static void run_share(void *context, size_t i)
{
    struct work *w = context;
    struct share *share = &w->share[i];
    /* |t| is never below 0. */
    double least = w->options->side == FLM_SIDE_BOTH ? 0 : -INFINITY;
    struct flm_sieve_bound bound = flm_sieve_bound_of(&share->sieve, least);
    share->change[0] = (int32_t)(share->to - share->from);
    share->change[count_reached(w, least)] -= (int32_t)(share->to - share->from);
    for (uint32_t l = share->from; l < share->to; l++) {
        w->maxt->largest[l] = least;
        w->bound[l] = bound;
    }
    uint32_t columns = w->matrix->column_count;
    for (uint32_t first = 0; first < columns; first += FLM_SIEVE_LANES) {
        uint32_t count = columns - first < FLM_SIEVE_LANES ? columns - first : FLM_SIEVE_LANES;
        flm_sieve_take(&share->sieve, w->matrix, w->order + first, count, w->options->unit);
        run_tile(w, share, first, count);
    }
}

static int ascending(const void *a, const void *b)
{
    double of_a = *(const double *)a, of_b = *(const double *)b;
    return (of_a > of_b) - (of_a < of_b);
}

static void observe(struct work *w, const unsigned char *is_new, uint32_t *scratch)
{
    const struct flm_matrix *matrix = w->matrix;
    double *t = w->maxt->t;
    for (uint32_t c = 0; c < matrix->column_count; c++) {
        t[c] = flm_welch_test(flm_matrix_column(matrix, c), matrix->run_count, is_new,
                              w->options->unit)
                   .t;
        w->order[c] = c;
    }
    struct observed observed = {t, w->options->side};
    flm_sort(w->order, matrix->column_count, scratch, by_statistic, &observed);
    for (uint32_t i = 0; i < matrix->column_count; i++)
        w->threshold[i] = threshold(statistic(t[w->order[i]], w->options->side));
}

static void finish(struct work *w)
{
    struct flm_maxt *maxt = w->maxt;
    int64_t count = 0;
    for (uint32_t i = 0; i < maxt->column_count; i++) {
        for (uint32_t share = 0; share < w->share_count; share++)
            count += w->share[share].change[i];
        maxt->counts[w->order[i]] = (uint32_t)count;
    }
    double largest = 0;
    for (uint32_t i = maxt->column_count; i > 0; i--) {
        uint32_t c = w->order[i - 1];
        largest = fmax(largest, flm_permutations_p(w->permutations, maxt->counts[c]));
        maxt->p[c] = largest;
    }
    qsort(maxt->largest, maxt->permutation_count, sizeof *maxt->largest, ascending);
}

static bool take_shares(struct work *w)
{
    uint64_t permutations = w->permutations->count;
    bool good = true;
    for (uint32_t i = 0; i < w->share_count; i++) {
        struct share *share = &w->share[i];
        share->from = (uint32_t)(permutations * i / w->share_count);
        share->to = (uint32_t)(permutations * (i + 1) / w->share_count);
        share->change = calloc((size_t)w->matrix->column_count + 1, sizeof *share->change);
        good &=
            flm_sieve_init(&share->sieve, w->permutations->run_count, w->permutations->new_count);
        good &= share->change != NULL;
    }
    return good;
}

/* All memory except that of `maxt`. */
static bool work_init(struct work *w)
{
    size_t columns = w->matrix->column_count, permutations = w->permutations->count;
    w->order = calloc(columns + 1, sizeof *w->order);
    w->threshold = calloc(columns + 1, sizeof *w->threshold);
    w->row = calloc(permutations + 1, flm_sieve_part_count(w->permutations->run_count));
    w->bound = calloc(permutations + 1, sizeof *w->bound);
    w->share = calloc(w->share_count, sizeof *w->share);
    return w->order && w->threshold && w->row && w->bound && w->share && take_shares(w);
}

static void work_clear(struct work *w)
{
    for (uint32_t i = 0; w->share && i < w->share_count; i++) {
        flm_sieve_clear(&w->share[i].sieve);
        free(w->share[i].change);
    }
    free(w->order);
    free(w->threshold);
    free(w->row);
    free(w->bound);
    free(w->share);
}

/* Each share builds the tables of all columns, so few permutations get few shares. */
static uint32_t count_shares(uint32_t permutations, int threads)
{
    enum { LEAST_PERMUTATIONS = 16, MOST_SHARES = 64 };
    uint32_t most = permutations / LEAST_PERMUTATIONS + 1;
    most = most < MOST_SHARES ? most : MOST_SHARES;
    return threads <= 1 ? 1 : (uint32_t)threads < most ? (uint32_t)threads : most;
}

bool flm_maxt_init(struct flm_maxt *maxt, const struct flm_matrix *matrix,
                   const unsigned char *is_new, const struct flm_permutations *permutations,
                   const struct flm_maxt_options *options, struct flm_error *why)
{
    assert(maxt && is_new && options && matrix->run_count == permutations->run_count);
    size_t columns = (size_t)matrix->column_count + 1;
    *maxt = (struct flm_maxt){
        .column_count = matrix->column_count,
        .t = calloc(columns, sizeof *maxt->t),
        .p = calloc(columns, sizeof *maxt->p),
        .counts = calloc(columns, sizeof *maxt->counts),
        .largest = calloc((size_t)permutations->count + 1, sizeof *maxt->largest),
        .permutation_count = permutations->count,
        .is_complete = permutations->is_complete,
    };
    struct work work = {
        .maxt = maxt,
        .matrix = matrix,
        .permutations = permutations,
        .options = options,
        .share_count = count_shares(permutations->count, options->threads),
    };
    bool good = maxt->t && maxt->p && maxt->counts && maxt->largest && work_init(&work);
    if (good) {
        /* `counts` is not used yet: it is the scratch memory of the sort. */
        observe(&work, is_new, maxt->counts);
        flm_sieve_parts(permutations, work.row);
        flm_threads_run((int)work.share_count, work.share_count, run_share, &work);
        finish(&work);
    }
    work_clear(&work);
    if (good)
        return true;
    flm_maxt_clear(maxt);
    return flm_error_memory(why);
}

void flm_maxt_clear(struct flm_maxt *maxt)
{
    free(maxt->t);
    free(maxt->p);
    free(maxt->counts);
    free(maxt->largest);
    *maxt = (struct flm_maxt){0};
}

double flm_maxt_critical(const struct flm_maxt *maxt, double alpha)
{
    /* The number of permutations that may reach a significant column. The observed one always does:
     * it is among all permutations, and counted in addition to drawn ones. */
    double observed = maxt->is_complete ? 0 : 1;
    double allowed = floor(alpha * (maxt->permutation_count + observed) * (1 + 1e-12)) - observed;
    if (!(allowed >= 1 - observed))
        return INFINITY;
    if (allowed >= maxt->permutation_count)
        return -INFINITY;
    return maxt->largest[maxt->permutation_count - 1 - (uint32_t)allowed];
}
