#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "viewer/input/actions.h"

static void every_entry_is_an_action_and_says_whether_it_asks_for_a_text(void **state)
{
    (void)state;
    const struct flm_menu_entry *entry, *before = NULL;
    for (size_t i = 0; (entry = flm_menu_at(i)); i++) {
        const struct flm_action *action = flm_action_named(flm_bytes_of(entry->action));
        assert_non_null(action);
        assert_true(!action->argument || strstr(entry->title, " \xE2\x80\xA6"));
        assert_true(entry->title[0] >= 'A' && entry->title[0] <= 'Z');
        assert_true(!before || entry->section == before->section ||
                    entry->section == before->section + 1);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(flm_menu_at(k)->action, entry->action);
        before = entry;
    }
    assert_non_null(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_an_action_and_says_whether_it_asks_for_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
