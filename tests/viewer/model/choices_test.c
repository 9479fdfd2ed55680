#include "viewer/model/choices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void every_name_is_found_again(void **state)
{
    (void)state;
    struct flm_choice choice;
    size_t count = 0;
    for (; (choice = flm_order_choice(count)).name; count++) {
        assert_int_equal(flm_choice_named(flm_order_choice, flm_bytes_of(choice.name)), count);
        assert_true(choice.title[0] != 0);
    }
    assert_int_equal(count, 3);
    assert_int_equal(flm_choice_named(flm_order_choice, flm_bytes_of("nonsense")), -1);
    assert_int_equal(flm_choice_named(flm_order_choice, flm_bytes_of("")), -1);
}

static void names_are_listed_in_order(void **state)
{
    (void)state;
    struct flm_text names = {0};
    flm_choices_add_names(flm_order_choice, "|", &names);
    flm_text_putc(&names, 0);
    assert_string_equal(names.at, "name|total|seen");
    flm_text_clear(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found_again),
        cmocka_unit_test(names_are_listed_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
