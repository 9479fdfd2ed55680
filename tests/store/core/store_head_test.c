#include "store/core/store_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/random_profile.h"

static const struct random_shape shape = {
    .stacks = 20, .names = 9, .deepest = 6, .metrics = 2, .modules = true, .kinds = true};

static double total_of(struct flm_head *head, uint32_t type)
{
    double *self = calloc(head->nodes.count, sizeof *self), total = 0;
    for (size_t i = 0; i < head->batches.count; i++)
        if (head->batches.at[i].type == type)
            assert_true(flm_head_sum(head, &head->batches.at[i], self, NULL));
    struct flm_profile *p = flm_head_profile(head, self, flm_head_type(head, type), NULL, NULL);
    assert_non_null(p);
    assert_true(flm_profile_check(p, NULL));
    total = flm_profile_total(p, (struct flm_metric){0});
    flm_profile_free(p);
    free(self);
    return total;
}

/* Entries of any number of profiles each, read in their order, make the same head. */
static void a_journal_makes_the_head_again(void **state)
{
    (void)state;
    uint64_t random = 3;
    struct flm_head head, again;
    assert_true(flm_head_init(&head, NULL) && flm_head_init(&again, NULL));
    double expected[2] = {0};
    for (int round = 0; round < 30; round++) {
        struct flm_head_mark mark = flm_head_mark_of(&head);
        struct flm_text entry = {0};
        for (unsigned i = random_below(&random, 4); i > 0; i--) {
            struct flm_profile *p = random_profile(&random, &shape);
            const char *series = random_below(&random, 2) ? "\0api\0" : "\0web\0";
            assert_true(flm_head_add(&head, p, (struct flm_bytes){series, 5}, round * 15000, NULL));
            for (uint32_t m = 0; m < 2; m++)
                expected[m] += flm_profile_total(p, (struct flm_metric){m});
            flm_profile_free(p);
        }
        flm_head_write(&head, &mark, &entry);
        assert_true(flm_head_read(&again, (struct flm_bytes){entry.at, entry.size}, NULL));
        flm_text_clear(&entry);
        struct flm_head_mark a = flm_head_mark_of(&head), b = flm_head_mark_of(&again);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(head.from_ms == again.from_ms && head.until_ms == again.until_ms);
    }
    assert_memory_equal(head.nodes.at, again.nodes.at, head.nodes.count * sizeof *head.nodes.at);
    assert_memory_equal(head.values.at, again.values.at, head.values.size);
    assert_int_equal(head.types.strings.count, 2);
    for (uint32_t type = 0; type < 2; type++) {
        bool first = flm_bytes_start_with(flm_head_type(&head, type), "m0");
        double error = total_of(&again, type) - expected[!first];
        assert_true(error < 1e-6 && error > -1e-6);
    }
    flm_head_clear(&head);
    flm_head_clear(&again);
}

static struct flm_text entry_of(uint64_t seed)
{
    struct flm_head head;
    struct flm_text entry = {0};
    assert_true(flm_head_init(&head, NULL));
    struct flm_head_mark mark = flm_head_mark_of(&head);
    struct flm_profile *p = random_profile(&seed, &shape);
    assert_true(flm_head_add(&head, p, (struct flm_bytes){"\0api\0", 5}, 15000, NULL));
    flm_head_write(&head, &mark, &entry);
    flm_profile_free(p);
    flm_head_clear(&head);
    return entry;
}

static void damaged_entries_are_refused_or_read(void **state)
{
    (void)state;
    struct flm_text entry = entry_of(5);
    for (size_t at = 0; at < entry.size; at++)
        for (int bit = -1; bit < 8; bit++) {
            struct flm_head head;
            struct flm_error why = {0};
            assert_true(flm_head_init(&head, NULL));
            entry.at[at] ^= (char)(bit < 0 ? 0 : 1 << bit);
            size_t size = bit < 0 ? at : entry.size;
            bool good = flm_head_read(&head, (struct flm_bytes){entry.at, size}, &why);
            entry.at[at] ^= (char)(bit < 0 ? 0 : 1 << bit);
            assert_true(good || why.kind == FLM_ERROR_FORMAT);
            assert_false(good && bit < 0);
            double *self = calloc(head.nodes.count, sizeof *self);
            for (size_t i = 0; good && i < head.batches.count; i++)
                flm_head_sum(&head, &head.batches.at[i], self, NULL);
            free(self);
            flm_head_clear(&head);
        }
    flm_text_clear(&entry);
}

static void dropped_batches_are_gone_and_names_stay(void **state)
{
    (void)state;
    uint64_t random = 7;
    struct flm_head head;
    assert_true(flm_head_init(&head, NULL));
    struct flm_head_mark empty = flm_head_mark_of(&head);
    struct flm_profile *p = random_profile(&random, &shape);
    assert_true(flm_head_add(&head, p, (struct flm_bytes){"\0api\0", 5}, 0, NULL));
    struct flm_head_mark full = flm_head_mark_of(&head);
    flm_head_drop_batches(&head, &empty);
    assert_int_equal(head.batches.count, 0);
    assert_int_equal(head.nodes.count, full.nodes);
    assert_true(flm_head_add(&head, p, (struct flm_bytes){"\0api\0", 5}, 0, NULL));
    struct flm_head_mark again = flm_head_mark_of(&head);
    assert_memory_equal(&again, &full, sizeof full);
    flm_profile_free(p);
    flm_head_clear(&head);
}

static bool fill(void *context, struct flm_error *why)
{
    const struct flm_text *entry = context;
    struct flm_head head;
    double *self = NULL;
    if (!flm_head_init(&head, why))
        return false;
    bool good = flm_head_read(&head, (struct flm_bytes){entry->at, entry->size}, why);
    if (good) {
        self = calloc(head.nodes.count, sizeof *self);
        good = self || flm_error_memory(why);
    }
    good = good && flm_head_sum(&head, &head.batches.at[0], self, why);
    struct flm_profile *p =
        good ? flm_head_profile(&head, self, flm_head_type(&head, 0), NULL, why) : NULL;
    free(self);
    flm_profile_free(p);
    flm_head_clear(&head);
    return p != NULL;
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    struct flm_text entry = entry_of(11);
    assert_true(assert_survives_failures(fill, &entry) > 20);
    flm_text_clear(&entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_makes_the_head_again),
        cmocka_unit_test(damaged_entries_are_refused_or_read),
        cmocka_unit_test(dropped_batches_are_gone_and_names_stay),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
