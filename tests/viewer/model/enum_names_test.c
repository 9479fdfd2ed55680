#include "viewer/model/enum_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

typedef const char *(*word_of)(int choice);
typedef int (*named)(struct flm_bytes word);

static void check(const struct flm_choice *choices, unsigned count, word_of word, named name)
{
    for (unsigned i = 0; i < count; i++) {
        assert_string_equal(word((int)i), choices[i].word);
        assert_int_equal(name(flm_bytes_of(choices[i].word)), i);
        assert_int_equal(flm_choice_named(choices, count, flm_bytes_of(choices[i].word)), i);
        assert_true(choices[i].title[0] != 0);
    }
    assert_int_equal(flm_choice_named(choices, count, flm_bytes_of("nonsense")), -1);
    assert_int_equal(flm_choice_named(choices, count, flm_bytes_of("")), -1);
    assert_int_equal(name(flm_bytes_of("nonsense")), 0); /* a link shows what it can */
}

static void every_word_is_read_as_what_it_was_written_for(void **state)
{
    (void)state;
    check(flm_view_choices, flm_view_count, flm_view_word, flm_view_named);
    check(flm_order_choices, flm_order_count, flm_order_word, flm_order_named);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_read_as_what_it_was_written_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
