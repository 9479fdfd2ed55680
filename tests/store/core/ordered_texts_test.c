/* Texts in any order, handed over once each, ascending. */
#include "store/core/ordered_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "store/labels/series_labels.h"

static bool see(void *context, struct flm_name text)
{
    struct flm_text *seen = context;
    flm_text_add(seen, (struct flm_bytes){text.at, text.size});
    flm_text_putc(seen, ';');
    return text.at[0] != 'c';
}

static void texts_are_handed_over_once_and_ascending(void **state)
{
    struct flm_texts texts;
    struct flm_text seen = {0};
    (void)state;
    assert_true(flm_texts_init(&texts, NULL));
    const char *added[] = {"b", "d", "a", "b", "", "c", "ab"};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        flm_texts_add(&texts, flm_bytes_of(added[i]));
    assert_true(flm_texts_hand_over(&texts, true, see, &seen, NULL));
    flm_text_putc(&seen, 0);
    assert_string_equal(seen.at, "a;ab;b;c;");
    flm_text_clear(&seen);
}

static void after_a_failure_nothing_is_handed_over(void **state)
{
    struct flm_texts texts;
    struct flm_text seen = {0};
    (void)state;
    assert_true(flm_texts_init(&texts, NULL));
    flm_texts_add(&texts, flm_bytes_of("a"));
    assert_false(flm_texts_hand_over(&texts, false, see, &seen, NULL));
    assert_int_equal(seen.size, 0);
}

static bool see_typed(void *context, const struct flm_store_label_text *labels, size_t count,
                      struct flm_name type)
{
    struct flm_text *seen = context;
    for (size_t i = 0; i < count; i++)
        flm_text_format(seen, "%s=%s ", labels[i].key, labels[i].value);
    flm_text_format(seen, "%.*s;", (int)type.size, type.at);
    return true;
}

static void a_series_comes_with_each_of_its_types(void **state)
{
    const struct flm_store_label labels[] = {{flm_bytes_of("host"), flm_bytes_of("a7")},
                                             {flm_bytes_of("service"), flm_bytes_of("api")}};
    struct flm_texts texts;
    struct flm_text seen = {0}, series = {0}, line = {0};
    (void)state;
    assert_true(flm_texts_init(&texts, NULL));
    assert_true(flm_series_write(flm_bytes_of("t"), labels, 2, &series, NULL));
    const struct flm_bytes text = {series.at, series.size};
    flm_texts_add_typed(&texts, text, flm_bytes_of("wall:ns"));
    flm_texts_add_typed(&texts, text, flm_bytes_of("cpu:ns"));
    flm_texts_add_typed(&texts, text, flm_bytes_of("cpu:ns"));
    assert_true(flm_texts_hand_typed(&texts, true, see_typed, &seen, NULL));
    flm_text_putc(&seen, 0);
    assert_string_equal(seen.at,
                        "service_name=api host=a7 cpu:ns;service_name=api host=a7 wall:ns;");
    flm_series_line(text, &line);
    flm_text_putc(&line, 0);
    assert_string_equal(line.at, "service_name=api host=a7");
    flm_text_clear(&seen);
    flm_text_clear(&series);
    flm_text_clear(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_handed_over_once_and_ascending),
        cmocka_unit_test(after_a_failure_nothing_is_handed_over),
        cmocka_unit_test(a_series_comes_with_each_of_its_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
