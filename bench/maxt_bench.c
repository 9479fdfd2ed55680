/* maxt_bench.c - step-down max-T of 30 and 30 runs, 9999 permutations, for a growing number of
 * columns.
 *
 *     maxt_bench [BASE NEW]      so many runs instead
 *
 * "independent" columns have nothing to do with each other. "tree" columns are totals and self
 * values of the nodes of a tree, as a gate has them: most of them are nearly the sum of others, one
 * in fifty is deterministic and one in twenty is empty in most runs. "one by one" is the same test
 * as its definition says, with a t for every column and permutation, of 99 permutations: time for
 * each t. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "os/thread/threads.h"
#include "stats/maxt.h"
#include "stats/random.h"
#include "stats/welch.h"

enum { PERMUTATIONS = 9999 };

static double seconds(clockid_t of)
{
    struct timespec t;
    clock_gettime(of, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct flm_random state = {1};

static double uniform(void)
{
    return (double)(flm_random_next(&state) >> 11) / 0x1p53;
}

static double noise(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

static double count_of(double mean)
{
    double value = floor(mean + sqrt(mean) * noise() + 0.5);
    return value > 0 ? value : 0;
}

static void fill_independent(struct flm_matrix *m)
{
    for (uint32_t c = 0; c < m->column_count; c++) {
        double mean = exp(7 * uniform());
        for (uint32_t r = 0; r < m->run_count; r++)
            flm_matrix_column(m, c)[r] = count_of(mean);
    }
}

/* Column c is below column parent < c, and adds its values to those of all above it. */
static void fill_tree(struct flm_matrix *m, uint32_t base_count)
{
    uint32_t *parent = calloc(m->column_count, sizeof *parent);
    if (!parent)
        abort();
    for (uint32_t c = 0; c < m->column_count; c++) {
        uint32_t back = c < 8 ? c : 8;
        parent[c] = c ? c - 1 - (uint32_t)flm_random_below(&state, back ? back : 1) : 0;
        double mean = exp(5 * uniform());
        for (uint32_t r = 0; r < m->run_count; r++) {
            double value = count_of(mean);
            if (c % 20 == 1)
                value = uniform() < 0.1 ? value : 0;
            if (c % 50 == 2)
                value = r < base_count ? 5 : 7;
            flm_matrix_column(m, c)[r] = value;
        }
    }
    for (uint32_t c = m->column_count; c-- > 1;)
        for (uint32_t r = 0; r < m->run_count; r++)
            flm_matrix_column(m, parent[c])[r] += flm_matrix_column(m, c)[r];
    free(parent);
}

struct took {
    double wall, cpu;
};

static int by_cpu(const void *a, const void *b)
{
    double of_a = ((const struct took *)a)->cpu, of_b = ((const struct took *)b)->cpu;
    return (of_a > of_b) - (of_a < of_b);
}

static struct took median_of_five(const struct flm_matrix *m, const unsigned char *is_new,
                                  const struct flm_permutations *permutations, int threads)
{
    struct flm_maxt_options options = {.unit = 1, .threads = threads};
    struct took took[5];
    for (int i = 0; i < 5; i++) {
        struct flm_maxt maxt;
        double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (!flm_maxt_init(&maxt, m, is_new, permutations, &options, NULL))
            abort();
        took[i].wall = seconds(CLOCK_MONOTONIC) - wall;
        took[i].cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        flm_maxt_clear(&maxt);
    }
    qsort(took, 5, sizeof *took, by_cpu);
    return took[2];
}

static void measure(const char *what, const struct flm_matrix *m, const unsigned char *is_new)
{
    struct flm_permutations permutations;
    if (!flm_permutations_init(&permutations, m->run_count, is_new, NULL, PERMUTATIONS, 1, NULL))
        abort();
    double each = (double)m->column_count * PERMUTATIONS;
    struct took one = median_of_five(m, is_new, &permutations, 1);
    printf("  %-12s %6u columns   1 thread: CPU %7.1f ms, wall %7.1f ms, %5.2f ns/t", what,
           m->column_count, one.cpu * 1e3, one.wall * 1e3, one.cpu / each * 1e9);
    int threads = flm_processor_count();
    if (threads > 1) {
        struct took many = median_of_five(m, is_new, &permutations, threads);
        printf("   %d threads: CPU %7.1f ms, wall %7.1f ms", threads, many.cpu * 1e3,
               many.wall * 1e3);
    }
    putchar('\n');
    flm_permutations_clear(&permutations);
}

static void measure_one_by_one(const struct flm_matrix *m, const unsigned char *is_new)
{
    struct flm_permutations permutations;
    if (!flm_permutations_init(&permutations, m->run_count, is_new, NULL, 99, 1, NULL))
        abort();
    double largest = 0, start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t l = 0; l < permutations.count; l++)
        for (uint32_t c = 0; c < m->column_count; c++)
            largest = fmax(
                largest, fabs(flm_welch_t(flm_matrix_column(m, c), m->run_count,
                                          permutations.bitmaps + l * permutations.words_each, 1)));
    double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    printf("  one by one   %6u columns   %.0f ns/t (largest %.1f)\n", m->column_count,
           took / m->column_count / permutations.count * 1e9, largest);
    flm_permutations_clear(&permutations);
}

int main(int count, char **words)
{
    static const uint32_t sizes[] = {200, 600, 3000, 20000, 60000};
    uint32_t base = count > 2 ? (uint32_t)atoi(words[1]) : 30;
    uint32_t new = count > 2 ? (uint32_t)atoi(words[2]) : 30;
    uint32_t most = sizes[sizeof sizes / sizeof *sizes - 1];
    struct flm_matrix m = {base + new, most, malloc((size_t)most * (base + new) * sizeof(double))};
    unsigned char *is_new = calloc(base + new + 1, 1);
    if (!m.value || !is_new || base < 1 || new < 1)
        return 1;
    memset(is_new + base, 1, new);
    printf("max-T, %u and %u runs, %d permutations\n", base, new, PERMUTATIONS);
    for (int tree = 0; tree < 2; tree++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            m.column_count = sizes[i];
            if (tree)
                fill_tree(&m, base);
            else
                fill_independent(&m);
            measure(tree ? "tree" : "independent", &m, is_new);
            if (sizes[i] == 600)
                measure_one_by_one(&m, is_new);
        }
    free(m.value);
    free(is_new);
    return 0;
}
