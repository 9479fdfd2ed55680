#include "layout/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

/* A root and its children; one in about `rare` of them is wide. */
static struct flm_slots flat(uint32_t count, unsigned rare, uint64_t *seed)
{
    struct flm_slots slots;
    assert_true(flm_slots_init(&slots, count, NULL));
    double sum = 0;
    for (uint32_t s = count; s-- > 0;) {
        slots.at[s].node = s;
        slots.at[s].first_child = s == 0 ? 1 : count;
        slots.at[s].total =
            s == 0 ? sum : 1 + random_below(seed, 10) * (random_below(seed, rare) == 0);
        sum += slots.at[s].total;
    }
    flm_slots_place(&slots);
    return slots;
}

static const uint32_t sizes[] = {1, 2, 63, 64, 65, 128, 129, 4095, 4096, 4097, 70000};

static void the_next_wide_slot_is_the_one_that_a_plain_search_finds(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (unsigned rare = 1; rare <= 100000; rare *= 10) {
            struct flm_slots slots = flat(sizes[k], rare, &seed);
            for (int i = 0; i < 300; i++) {
                uint32_t from = random_below(&seed, sizes[k] + 1);
                uint32_t to = from + random_below(&seed, sizes[k] + 1 - from);
                double width = random_below(&seed, 12);
                uint32_t plain = from;
                while (plain < to && slots.at[plain].total < width)
                    plain++;
                uint64_t visited = 0;
                assert_int_equal(flm_slots_next(&slots, from, to, width, &visited), plain);
                assert_true(visited <= 2 * FLM_BLOCK * slots.tier_count + 1);
            }
            flm_slots_clear(&slots);
        }
}

static void every_child_finds_its_parent(void **state)
{
    (void)state;
    /* 0 has 1 2 3; 1 has none; 2 has 4 5; 3 has 6; 5 has 7 */
    static const uint32_t first_child[] = {1, 4, 4, 6, 7, 7, 8, 8};
    static const uint32_t parent[] = {0, 0, 0, 0, 2, 2, 3, 5};
    struct flm_slots slots;
    assert_true(flm_slots_init(&slots, 8, NULL));
    for (uint32_t s = 0; s < 8; s++)
        slots.at[s].first_child = first_child[s];
    for (uint32_t s = 1; s < 8; s++)
        assert_int_equal(flm_slots_parent(&slots, s), parent[s]);
    flm_slots_clear(&slots);
}

static void offsets_keep_small_values_next_to_large_ones(void **state)
{
    (void)state;
    /* Two children of the root, the first huge; the second has a thousand that are tiny. */
    enum { COUNT = 1003 };
    struct flm_slots slots;
    assert_true(flm_slots_init(&slots, COUNT, NULL));
    slots.at[0].first_child = 1;
    slots.at[1].first_child = slots.at[2].first_child = 3;
    for (uint32_t s = 3; s < COUNT; s++) {
        slots.at[s].first_child = COUNT;
        slots.at[s].total = 0.1;
    }
    slots.at[1].total = 1e15;
    slots.at[2].total = 100;
    slots.at[0].total = 1e15 + 100;
    flm_slots_place(&slots);
    /* Added up one by one at 1e15, where doubles are 0.125 apart, the last would begin at 124.9. */
    assert_true(slots.at[COUNT - 1].offset - 1e15 == 99.875);
    flm_slots_clear(&slots);
}

static void without_memory_there_are_no_slots(void **state)
{
    (void)state;
    struct flm_slots slots;
    struct flm_error why;
    allocation_fail_from(1);
    assert_false(flm_slots_init(&slots, 100, &why));
    allocation_fail_from(0);
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_wide_slot_is_the_one_that_a_plain_search_finds),
        cmocka_unit_test(every_child_finds_its_parent),
        cmocka_unit_test(offsets_keep_small_values_next_to_large_ones),
        cmocka_unit_test(without_memory_there_are_no_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
