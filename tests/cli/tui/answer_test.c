#include "cli/tui/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"

static const char json[] =
    "{\"title\": \"gr\\u00fcn\", \"total\": 1.5, \"on\": true, \"none\": null,\n"
    " \"values\": [{\"name\": \"cpu\"}, {\"name\": \"wall\", \"of\": [1, 2]},"
    " [], {}], \"empty\": \"\"}\n";

static void values_are_found_by_their_keys(void **state)
{
    (void)state;
    struct flm_tui_answer a = {0};
    assert_true(flm_tui_answer_read(&a, flm_bytes_of(json), NULL));
    assert_true(flm_bytes_are(flm_tui_text_at(&a, FLM_TUI_ROOT, "title"), "gr\xC3\xBCn"));
    assert_true(flm_tui_number_at(&a, FLM_TUI_ROOT, "total", 0) == 1.5);
    assert_true(flm_tui_bool_at(&a, FLM_TUI_ROOT, "on"));
    uint32_t value = flm_tui_first(&a, flm_tui_at(&a, FLM_TUI_ROOT, "values"));
    assert_true(flm_bytes_are(flm_tui_text_at(&a, value, "name"), "cpu"));
    value = flm_tui_next(&a, value);
    assert_true(flm_bytes_are(flm_tui_text_at(&a, value, "name"), "wall"));
    uint32_t number = flm_tui_first(&a, flm_tui_at(&a, value, "of"));
    assert_int_not_equal(flm_tui_next(&a, number), FLM_TUI_NONE);
    assert_int_equal(flm_tui_next(&a, flm_tui_next(&a, number)), FLM_TUI_NONE);
    value = flm_tui_next(&a, value);
    assert_int_equal(flm_tui_first(&a, value), FLM_TUI_NONE);
    assert_int_not_equal(flm_tui_next(&a, value), FLM_TUI_NONE);
    flm_tui_answer_clear(&a);
}

static void what_is_not_there_is_none_all_the_way_down(void **state)
{
    (void)state;
    struct flm_tui_answer a = {0};
    for (int round = 0; round < 2; round++) {
        uint32_t none = flm_tui_at(&a, FLM_TUI_ROOT, "values of all");
        assert_int_equal(none, FLM_TUI_NONE);
        assert_int_equal(flm_tui_at(&a, none, "title"), FLM_TUI_NONE);
        assert_int_equal(flm_tui_first(&a, none), FLM_TUI_NONE);
        assert_int_equal(flm_tui_next(&a, none), FLM_TUI_NONE);
        assert_int_equal(flm_tui_text_at(&a, none, "title").size, 0);
        assert_true(flm_tui_number_at(&a, FLM_TUI_ROOT, "title", -1) == -1);
        assert_false(flm_tui_bool_at(&a, FLM_TUI_ROOT, "total"));
        assert_true(flm_tui_answer_read(&a, flm_bytes_of(json), NULL));
    }
    flm_tui_answer_clear(&a);
}

static void what_is_no_json_is_refused_and_nothing_is_kept(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "{", "{\"a\": }", "[1, 2", "{} {}", "nul"};
    struct flm_tui_answer a = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct flm_error why = {0};
        assert_true(flm_tui_answer_read(&a, flm_bytes_of(json), NULL));
        assert_false(flm_tui_answer_read(&a, flm_bytes_of(bad[i]), &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        assert_int_equal(flm_tui_text_at(&a, FLM_TUI_ROOT, "title").size, 0);
    }
    char deep[400];
    memset(deep, '[', 200);
    memset(deep + 200, ']', 200);
    assert_false(flm_tui_answer_read(&a, (struct flm_bytes){deep, sizeof deep}, NULL));
    flm_tui_answer_clear(&a);
}

static void without_memory_there_is_no_answer(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_tui_answer a = {0};
        struct flm_error why = {0};
        allocation_fail_from(nth);
        bool good = flm_tui_answer_read(&a, flm_bytes_of(json), &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(good, !failed);
        if (failed)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        flm_tui_answer_clear(&a);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_by_their_keys),
        cmocka_unit_test(what_is_not_there_is_none_all_the_way_down),
        cmocka_unit_test(what_is_no_json_is_refused_and_nothing_is_kept),
        cmocka_unit_test(without_memory_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
