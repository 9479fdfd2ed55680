/* number_set.h - a set of numbers below a limit, taken out in ascending order without sorting.
 *
 * It has a bit for each number, and above them a bit for each word that is not 0: one comparison
 * skips 4096 numbers that are not in the set.
 *
 *     summary    0 1 0 0 ...        word 1 is not 0
 *     word         0000 0010 ...    number 64 + 1 is in the set
 *
 * It is made for sets that are filled and emptied again and again: taking the smallest number
 * removes it, so an emptied set is ready for its next use and nothing has to be cleared. */
#ifndef FLAMEL_BASE_NUMBER_NUMBER_SET_H
#define FLAMEL_BASE_NUMBER_NUMBER_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct flm_number_set {
    uint64_t *word, *summary;
    uint32_t summary_count;
};

/* An empty set for numbers below `limit`. False when memory ran out; it can be cleared then, too.
 */
static inline bool flm_number_set_init(struct flm_number_set *set, uint32_t limit)
{
    set->summary_count = limit / 4096 + 1;
    set->summary = calloc(set->summary_count, sizeof *set->summary);
    set->word = calloc((size_t)set->summary_count * 64, sizeof *set->word);
    return set->summary && set->word;
}

static inline void flm_number_set_clear(struct flm_number_set *set)
{
    free(set->word);
    free(set->summary);
    *set = (struct flm_number_set){0};
}

static inline void flm_number_set_add(struct flm_number_set *set, uint32_t number)
{
    set->word[number / 64] |= (uint64_t)1 << number % 64;
    set->summary[number / 4096] |= (uint64_t)1 << number / 64 % 64;
}

/* Removes and returns the smallest number; UINT32_MAX when the set is empty. `*from`, at first 0,
 * is how far the search has come: a number that is added meanwhile may be missed. */
static inline uint32_t flm_number_set_take(struct flm_number_set *set, uint32_t *from)
{
    while (*from < set->summary_count && set->summary[*from] == 0)
        ++*from;
    if (*from == set->summary_count)
        return UINT32_MAX;
    uint32_t word = *from * 64 + (uint32_t)__builtin_ctzll(set->summary[*from]);
    uint32_t number = word * 64 + (uint32_t)__builtin_ctzll(set->word[word]);
    set->word[word] &= set->word[word] - 1;
    if (set->word[word] == 0)
        set->summary[*from] &= set->summary[*from] - 1;
    return number;
}

#endif
