#include "stats/permutations.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/json_tree.h"

static bool is_new_in(const struct flm_permutations *permutations, uint32_t permutation,
                      uint32_t run)
{
    return permutations->bitmaps[permutation * permutations->words_each + run / 64] >> run % 64 & 1;
}

static const unsigned char last_four_of_ten[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};

static void drawn_permutations_are_those_of_the_golden_data(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/08_maxT_seeded.json");
    const struct json_tree *expected = json_tree_get(golden, "labels_n10_n2_4");
    struct flm_permutations permutations;
    assert_true(flm_permutations_init(&permutations, 10, last_four_of_ten, NULL,
                                      (uint32_t)expected->count,
                                      (uint64_t)json_tree_get(golden, "seed")->number, NULL));
    assert_false(permutations.is_complete);
    assert_int_equal(permutations.count, expected->count);
    assert_int_equal(permutations.new_count, 4);
    assert_true(permutations.possible_count == 210);
    for (uint32_t l = 0; l < permutations.count; l++) {
        uint64_t word = 0;
        for (size_t i = 0; i < expected->items[l].count; i++)
            word |= (uint64_t)1 << (int)expected->items[l].items[i].number;
        assert_int_equal(permutations.bitmaps[l], word);
    }
    flm_permutations_clear(&permutations);
    json_tree_free(golden);
}

static int compare_words(const void *a, const void *b)
{
    uint64_t of_a = *(const uint64_t *)a, of_b = *(const uint64_t *)b;
    return (of_a > of_b) - (of_a < of_b);
}

static int count_bits(uint64_t word)
{
    int count = 0;
    for (; word; word &= word - 1)
        count++;
    return count;
}

static void all_permutations_are_different_and_the_given_one_is_among_them(void **state)
{
    (void)state;
    struct flm_permutations permutations;
    assert_true(flm_permutations_init(&permutations, 10, last_four_of_ten, NULL, 210, 1, NULL));
    assert_true(permutations.is_complete);
    assert_int_equal(permutations.count, 210);
    qsort(permutations.bitmaps, permutations.count, sizeof *permutations.bitmaps, compare_words);
    for (uint32_t l = 0; l < permutations.count; l++) {
        assert_int_equal(count_bits(permutations.bitmaps[l]), 4);
        assert_true(l == 0 || permutations.bitmaps[l] != permutations.bitmaps[l - 1]);
    }
    /* The last runs are new: the largest word. */
    assert_int_equal(permutations.bitmaps[209], 0x3C0);
    flm_permutations_clear(&permutations);
}

/* Old new new old, four blocks, told in any order: and one block of one kind. */
enum { BLOCK_RUNS = 15 };
static const uint32_t block_of[BLOCK_RUNS] = {9, 9, 9, 9, 2, 2, 5, 5, 2, 2, 5, 5, 7, 7, 7};
static const unsigned char new_of[BLOCK_RUNS] = {0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1};

static void assert_blocks_keep_their_number(const struct flm_permutations *permutations)
{
    for (uint32_t l = 0; l < permutations->count; l++) {
        int news[10] = {0};
        for (uint32_t r = 0; r < BLOCK_RUNS; r++)
            news[block_of[r]] += is_new_in(permutations, l, r) - new_of[r];
        for (int b = 0; b < 10; b++)
            assert_int_equal(news[b], 0);
    }
}

static void runs_are_never_exchanged_between_blocks(void **state)
{
    (void)state;
    struct flm_permutations permutations;
    assert_true(flm_permutations_init(&permutations, BLOCK_RUNS, new_of, block_of, 100, 7, NULL));
    assert_false(permutations.is_complete);
    assert_true(permutations.possible_count == 6 * 6 * 4);
    assert_int_equal(permutations.count, 100);
    assert_blocks_keep_their_number(&permutations);
    flm_permutations_clear(&permutations);

    assert_true(flm_permutations_init(&permutations, BLOCK_RUNS, new_of, block_of, 144, 7, NULL));
    assert_true(permutations.is_complete);
    assert_int_equal(permutations.count, 144);
    assert_blocks_keep_their_number(&permutations);
    bool has_given = false;
    for (uint32_t l = 0; l < permutations.count; l++) {
        bool same = true;
        for (uint32_t r = 0; r < BLOCK_RUNS; r++)
            same &= is_new_in(&permutations, l, r) == new_of[r];
        has_given |= same;
    }
    assert_true(has_given);
    qsort(permutations.bitmaps, permutations.count, sizeof *permutations.bitmaps, compare_words);
    for (uint32_t l = 1; l < permutations.count; l++)
        assert_true(permutations.bitmaps[l] != permutations.bitmaps[l - 1]);
    flm_permutations_clear(&permutations);
}

static void every_run_of_a_block_is_as_often_new(void **state)
{
    (void)state;
    enum { DRAWN = 20000 };
    struct flm_permutations permutations;
    /* 130 runs: three words each. */
    unsigned char many[130] = {0};
    memset(many + 90, 1, 40);
    assert_true(flm_permutations_init(&permutations, 130, many, NULL, DRAWN, 2, NULL));
    assert_int_equal(permutations.words_each, 3);
    assert_true(isinf(permutations.possible_count));
    int frequency[130] = {0};
    for (uint32_t l = 0; l < permutations.count; l++)
        for (uint32_t r = 0; r < 130; r++)
            frequency[r] += is_new_in(&permutations, l, r);
    for (int r = 0; r < 130; r++) /* five standard deviations */
        assert_in_range(frequency[r], DRAWN * 40 / 130 - 327, DRAWN * 40 / 130 + 327);
    flm_permutations_clear(&permutations);
}

static void the_same_seed_draws_the_same(void **state)
{
    (void)state;
    struct flm_permutations one, same, other;
    assert_true(flm_permutations_init(&one, 10, last_four_of_ten, NULL, 100, 11, NULL));
    assert_true(flm_permutations_init(&same, 10, last_four_of_ten, NULL, 100, 11, NULL));
    assert_true(flm_permutations_init(&other, 10, last_four_of_ten, NULL, 100, 12, NULL));
    assert_memory_equal(one.bitmaps, same.bitmaps, 100 * sizeof *one.bitmaps);
    assert_memory_not_equal(one.bitmaps, other.bitmaps, 100 * sizeof *one.bitmaps);
    flm_permutations_clear(&one);
    flm_permutations_clear(&same);
    flm_permutations_clear(&other);
}

static void how_many_there_are_is_exact_below_two_to_the_53(void **state)
{
    (void)state;
    unsigned char is_new[60] = {0};
    struct flm_permutations permutations;
    memset(is_new, 1, 26);
    assert_true(flm_permutations_init(&permutations, 54, is_new, NULL, 1, 1, NULL));
    assert_true(permutations.possible_count == 1877405874732108.0); /* 54 over 26 */
    flm_permutations_clear(&permutations);
    memset(is_new, 1, 30);
    assert_true(flm_permutations_init(&permutations, 60, is_new, NULL, 1, 1, NULL));
    assert_true(isinf(permutations.possible_count));
    flm_permutations_clear(&permutations);
    unsigned char *most = calloc(10000, 1);
    assert_non_null(most);
    memset(most, 1, 9998);
    assert_true(flm_permutations_init(&permutations, 10000, most, NULL, 1, 1, NULL));
    assert_true(permutations.possible_count == 49995000.0);
    flm_permutations_clear(&permutations);
    memset(most, 0, 5000);
    assert_true(flm_permutations_init(&permutations, 10000, most, NULL, 1, 1, NULL));
    assert_true(isinf(permutations.possible_count));
    flm_permutations_clear(&permutations);
    free(most);
}

static void p_of_all_permutations_counts_the_given_one_once(void **state)
{
    (void)state;
    struct flm_permutations permutations;
    assert_true(flm_permutations_init(&permutations, 10, last_four_of_ten, NULL, 210, 1, NULL));
    assert_true(flm_permutations_p(&permutations, 21) == 0.1);
    flm_permutations_clear(&permutations);
    assert_true(flm_permutations_init(&permutations, 10, last_four_of_ten, NULL, 99, 1, NULL));
    assert_true(flm_permutations_p(&permutations, 0) == 0.01);
    assert_true(flm_permutations_p(&permutations, 99) == 1);
    flm_permutations_clear(&permutations);
}

static void what_cannot_be_permuted_is_refused(void **state)
{
    (void)state;
    struct flm_permutations permutations;
    struct flm_error why = {0};
    const unsigned char alike[4] = {1, 1, 1, 1}, halves[4] = {0, 0, 1, 1};
    const uint32_t blocks[4] = {1, 1, 2, 2};
    assert_false(flm_permutations_init(&permutations, 4, alike, NULL, 10, 1, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "all runs are in one group"));
    assert_false(flm_permutations_init(&permutations, 0, alike, NULL, 10, 1, &why));
    assert_non_null(strstr(why.text, "all runs are in one group"));
    assert_false(flm_permutations_init(&permutations, 4, halves, blocks, 10, 1, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "no block has runs of both groups"));
}

static bool label(void *context, struct flm_error *why)
{
    struct flm_permutations permutations;
    if (!flm_permutations_init(&permutations, BLOCK_RUNS, new_of, block_of, *(uint32_t *)context, 7,
                               why)) {
        assert_null(permutations.bitmaps);
        return false;
    }
    flm_permutations_clear(&permutations);
    return true;
}

static void permutation_survives_every_failing_allocation(void **state)
{
    (void)state;
    uint32_t drawn = 100, all = 1000;
    assert_true(assert_survives_failures(label, &drawn) >= 2);
    assert_true(assert_survives_failures(label, &all) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_permutations_are_those_of_the_golden_data),
        cmocka_unit_test(all_permutations_are_different_and_the_given_one_is_among_them),
        cmocka_unit_test(runs_are_never_exchanged_between_blocks),
        cmocka_unit_test(every_run_of_a_block_is_as_often_new),
        cmocka_unit_test(the_same_seed_draws_the_same),
        cmocka_unit_test(how_many_there_are_is_exact_below_two_to_the_53),
        cmocka_unit_test(p_of_all_permutations_counts_the_given_one_once),
        cmocka_unit_test(what_cannot_be_permuted_is_refused),
        cmocka_unit_test(permutation_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
