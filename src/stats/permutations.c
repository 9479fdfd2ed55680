#include "stats/permutations.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/sort.h"
#include "base/number/number.h"
#include "stats/random.h"

/* The runs sorted by block: those of block b are run[start[b]] .. run[start[b + 1] - 1], and each
 * permutation marks new_count[b] of them as new. */
struct blocks {
    uint32_t count;
    uint32_t *run;
    uint32_t *start;
    uint32_t *new_count;
    uint32_t *chosen; /* indices in a block: new_count[b] of them from start[b] on */
    uint32_t *memory; /* of all these arrays */
};

static int by_block(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *block = context;
    return (block[a] > block[b]) - (block[a] < block[b]);
}

static bool find_blocks(struct blocks *blocks, uint32_t run_count, const unsigned char *is_new,
                        const uint32_t *block)
{
    size_t each = (size_t)run_count + 1;
    blocks->memory = calloc(4 * each, sizeof *blocks->memory);
    if (!blocks->memory)
        return false;
    blocks->run = blocks->memory;
    blocks->start = blocks->run + each;
    blocks->new_count = blocks->start + each;
    blocks->chosen = blocks->new_count + each;
    for (uint32_t r = 0; r < run_count; r++)
        blocks->run[r] = r;
    if (block)
        flm_sort(blocks->run, run_count, blocks->chosen, by_block, block);
    uint32_t b = 0;
    for (uint32_t i = 0; i < run_count; i++) {
        uint32_t r = blocks->run[i];
        if (i > 0 && block && block[r] != block[blocks->run[i - 1]])
            blocks->start[++b] = i;
        blocks->new_count[b] += is_new[r] != 0;
    }
    blocks->count = run_count > 0 ? b + 1 : 0;
    blocks->start[blocks->count] = run_count;
    return true;
}

/* The binomial coefficient; INFINITY from 2^53 on. If an intermediate product overflows, the result
 * is above 2^53 too: the product is at most n times the result, and overflow with n >= 2^11 only
 * happens for results that are far too large. */
static double choose(uint32_t n, uint32_t k)
{
    k = k < n - k ? k : n - k;
    uint64_t ways = 1;
    for (uint32_t i = 1; i <= k; i++) {
        uint64_t factor = n - k + i;
        if (ways > UINT64_MAX / factor)
            return INFINITY;
        ways = ways * factor / i;
        if ((double)ways >= FLM_EXACT_LIMIT)
            return INFINITY;
    }
    return (double)ways;
}

static double count_possible(const struct blocks *blocks)
{
    double possible = 1;
    for (uint32_t b = 0; b < blocks->count; b++) {
        possible *= choose(blocks->start[b + 1] - blocks->start[b], blocks->new_count[b]);
        if (possible >= FLM_EXACT_LIMIT)
            return INFINITY;
    }
    return possible;
}

static void set_new(uint64_t *bitmap, uint32_t run)
{
    bitmap[run / 64] |= (uint64_t)1 << run % 64;
}

static void write_chosen(const struct blocks *blocks, uint64_t *bitmap)
{
    for (uint32_t b = 0; b < blocks->count; b++)
        for (uint32_t i = 0; i < blocks->new_count[b]; i++)
            set_new(bitmap, blocks->run[blocks->start[b] + blocks->chosen[blocks->start[b] + i]]);
}

static void choose_first(const struct blocks *blocks, uint32_t b)
{
    for (uint32_t i = 0; i < blocks->new_count[b]; i++)
        blocks->chosen[blocks->start[b] + i] = i;
}

/* The next combination of a block, in lexicographic order; false after the last one. */
static bool choose_next(const struct blocks *blocks, uint32_t b)
{
    uint32_t *chosen = blocks->chosen + blocks->start[b];
    uint32_t n = blocks->start[b + 1] - blocks->start[b], k = blocks->new_count[b];
    uint32_t i = k;
    while (i > 0 && chosen[i - 1] == n - k + i - 1)
        i--;
    if (i == 0)
        return false;
    chosen[i - 1]++;
    for (; i < k; i++)
        chosen[i] = chosen[i - 1] + 1;
    return true;
}

/* All combinations of all blocks; that of the first block changes fastest. */
static void take_all(struct flm_permutations *permutations, const struct blocks *blocks)
{
    for (uint32_t b = 0; b < blocks->count; b++)
        choose_first(blocks, b);
    for (uint32_t i = 0; i < permutations->count; i++) {
        write_chosen(blocks, permutations->bitmaps + i * permutations->words_each);
        uint32_t b = 0;
        while (b < blocks->count && !choose_next(blocks, b))
            choose_first(blocks, b++);
        assert((b == blocks->count) == (i + 1 == permutations->count));
    }
}

static void draw(struct flm_permutations *permutations, const struct blocks *blocks, uint64_t seed)
{
    struct flm_random random = {seed};
    for (uint32_t i = 0; i < permutations->count; i++) {
        uint64_t *bitmap = permutations->bitmaps + i * permutations->words_each;
        for (uint32_t b = 0; b < blocks->count; b++) {
            uint32_t n = blocks->start[b + 1] - blocks->start[b];
            const uint32_t *run = blocks->run + blocks->start[b];
            uint32_t *index = blocks->chosen + blocks->start[b];
            for (uint32_t k = 0; k < n; k++)
                index[k] = k;
            for (uint32_t k = 0; k < blocks->new_count[b]; k++) {
                uint32_t other = k + (uint32_t)flm_random_below(&random, n - k);
                uint32_t taken = index[other];
                index[other] = index[k];
                index[k] = taken;
                set_new(bitmap, run[taken]);
            }
        }
    }
}

bool flm_permutations_init(struct flm_permutations *permutations, uint32_t run_count,
                           const unsigned char *is_new, const uint32_t *block, uint32_t requested,
                           uint64_t seed, struct flm_error *why)
{
    assert(permutations && (is_new || run_count == 0));
    struct blocks blocks;
    *permutations = (struct flm_permutations){.run_count = run_count};
    if (!find_blocks(&blocks, run_count, is_new, block))
        return flm_error_memory(why);
    for (uint32_t b = 0; b < blocks.count; b++)
        permutations->new_count += blocks.new_count[b];
    permutations->possible_count = count_possible(&blocks);
    if (permutations->possible_count <= 1) {
        free(blocks.memory);
        return flm_error_set(why, FLM_ERROR_USAGE,
                             permutations->new_count == 0 || permutations->new_count == run_count
                                 ? "all runs are in one group: there is nothing to compare"
                                 : "no block has runs of both groups: there is nothing to compare "
                                   "inside of a block");
    }
    permutations->is_complete = permutations->possible_count <= requested;
    permutations->count =
        permutations->is_complete ? (uint32_t)permutations->possible_count : requested;
    permutations->words_each = ((size_t)run_count + 63) / 64;
    size_t count = permutations->count > 0 ? permutations->count : 1;
    permutations->bitmaps = calloc(count, permutations->words_each * sizeof *permutations->bitmaps);
    if (permutations->bitmaps && permutations->is_complete)
        take_all(permutations, &blocks);
    else if (permutations->bitmaps)
        draw(permutations, &blocks, seed);
    free(blocks.memory);
    if (permutations->bitmaps)
        return true;
    flm_permutations_clear(permutations);
    return flm_error_memory(why);
}

void flm_permutations_clear(struct flm_permutations *permutations)
{
    free(permutations->bitmaps);
    *permutations = (struct flm_permutations){0};
}

double flm_permutations_p(const struct flm_permutations *permutations, uint64_t count)
{
    return permutations->is_complete ? (double)count / permutations->count
                                     : (double)(count + 1) / ((double)permutations->count + 1);
}
