#include "base/core/sort_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile/interner.h"
#include "support/core/failures.h"
#include "support/core/random.h"

/* Few letters, NUL among them, and beginnings that many have: what decides comes late, at the
 * end of a piece of eight, or never. */
static void add_strings(struct flm_interner *v, unsigned count, uint64_t *random)
{
    static const char letters[] = {0, 'a', 'b', (char)0xC3};
    char text[64];
    for (unsigned i = 0; i < count; i++) {
        size_t size = 0, shared = random_below(random, 4) * 8, own = random_below(random, 20);
        for (; size < shared; size++)
            text[size] = "github.com/acme/service/a"[size];
        for (; own > 0; own--)
            text[size++] = letters[random_below(random, 4)];
        assert_true(flm_interner_string(v, (struct flm_bytes){text, size}) != FLM_NONE);
    }
}

static struct flm_bytes text_of(const void *context, uint32_t string)
{
    return flm_interner_text(context, string);
}

static void texts_ascend_by_their_bytes(void **state)
{
    (void)state;
    uint64_t random = 23;
    for (int round = 0; round < 60; round++) {
        struct flm_interner v;
        assert_true(flm_interner_init(&v, NULL));
        add_strings(&v, random_below(&random, round < 50 ? 60 : 3000), &random);
        size_t count = v.string_count;
        uint32_t *list = malloc(count * sizeof *list);
        unsigned char *seen = calloc(count, 1);
        for (uint32_t i = 0; i < count; i++)
            list[i] = i;
        for (int again = 0; again < 2; again++) {
            assert_true(flm_sort_texts(list, count, text_of, &v));
            for (size_t i = 1; i < count; i++)
                assert_true(flm_bytes_compare(flm_interner_text(&v, list[i - 1]),
                                              flm_interner_text(&v, list[i])) < 0);
        }
        for (size_t i = 0; i < count; i++)
            assert_false(seen[list[i]]++);
        free(list);
        free(seen);
        flm_interner_clear(&v);
    }
}

static bool sort_some(void *context, struct flm_error *why)
{
    const struct flm_interner *v = context;
    uint32_t list[100];
    for (uint32_t i = 0; i < 100; i++)
        list[i] = 99 - i;
    return flm_sort_texts(list, 100, text_of, v) || flm_error_memory(why);
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct flm_interner v;
    assert_true(flm_interner_init(&v, NULL));
    while (v.string_count < 100)
        add_strings(&v, 10, &random);
    assert_true(assert_survives_failures(sort_some, &v) > 2);
    flm_interner_clear(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_ascend_by_their_bytes),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
