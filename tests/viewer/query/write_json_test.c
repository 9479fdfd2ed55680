#include "viewer/query/write_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/profiles.h"
#include "support/profile/viewing.h"

static void assert_range(const char *argument, uint32_t from, uint32_t count)
{
    struct flm_row_range range = flm_row_range_of(flm_bytes_of(argument));
    assert_int_equal(range.from, from);
    assert_int_equal(range.count, count);
}

static void rows_are_asked_for_by_two_numbers(void **state)
{
    (void)state;
    assert_range("20 40", 20, 40);
    assert_range("20", 20, 100);
    assert_range("", 0, 100);
    assert_range("x 5", 0, 100);
    assert_range("7 x", 7, 100);
    assert_range("99999999999 99999999999", UINT32_MAX, 10000);
}

static void values_are_words(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b 3\n;c 4\n");
    struct flm_telling t;
    struct flm_text out = {0};
    assert_true(flm_tell_begin(&t, v, &out, NULL));
    assert_true(t.all == 7);
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT_LINE);
    flm_tell_quantity(&t, "quantity", 3);
    flm_tell_share(&t, "share", 3, 7);
    flm_tell_share(&t, "nothing", 3, 0);
    flm_tell_count(&t, "count", 12345);
    flm_tell_string(&t, "string", 0);
    flm_tell_color(&t, "color", 0x0FA0B1);
    flm_tell_title(&t, "root", 0);
    flm_tell_title(&t, "nameless", 1);
    flm_tell_text(&t, "null", NULL);
    flm_json_end(&t.json);
    assert_true(flm_tell_end(&t, NULL));
    flm_text_putc(&out, 0);
    assert_string_equal(
        out.at,
        "{\"quantity\": \"3 samples\", \"share\": \"42.9 %\", \"nothing\": null, \"count\": "
        "\"12,345\", \"string\": null, \"color\": \"#0fa0b1\", \"root\": \"all\", "
        "\"nameless\": \"(no name)\", \"null\": null}\n");
    flm_text_clear(&out);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_asked_for_by_two_numbers),
        cmocka_unit_test(values_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
