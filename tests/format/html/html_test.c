#include "format/html/html.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "load/all_formats.h"

static void a_part_is_found_with_its_size(void **state)
{
    (void)state;
    struct flm_text page = {0};
    flm_text_puts(&page, "<!DOCTYPE html>\n");
    struct flm_html_part script = {flm_bytes_of("abc="), 12};
    flm_html_part_add(&page, "script", NULL, &script);
    struct flm_html_part after = {flm_bytes_of("xyz/"), 4000000000u};
    flm_html_part_add(&page, "after", "a \"<b>\" & c.perf", &after);
    flm_text_puts(&page, "</html>");
    struct flm_bytes all = {page.at, page.size};
    struct flm_html_part part;
    assert_true(flm_html_part_find(all, "script", &part));
    assert_int_equal(part.size, 12);
    assert_true(flm_bytes_are(part.base91, "abc="));
    assert_true(flm_html_part_find(all, "after", &part));
    assert_int_equal(part.size, 4000000000u);
    assert_true(flm_bytes_are(part.base91, "xyz/"));
    assert_false(flm_html_part_find(all, "before", &part));

    size_t end = page.size - sizeof "</script>\n</html>" + sizeof "</script>";
    for (all.size = 0; all.size < page.size; all.size++)
        assert_int_equal(flm_html_part_find(all, "after", &part), all.size >= end);
    flm_text_clear(&page);
}

static void a_size_that_is_none_is_no_part(void **state)
{
    (void)state;
    struct flm_html_part part;
    assert_false(flm_html_part_find(
        flm_bytes_of("<script type=\"text/plain\" id=\"flamel-after\" data-size=\"x\">a</script>"),
        "after", &part));
    assert_false(flm_html_part_find(
        flm_bytes_of("<script type=\"text/plain\" id=\"flamel-after\" data-size=\"\">a</script>"),
        "after", &part));
}

static void texts_are_shown_as_they_are(void **state)
{
    (void)state;
    struct flm_text out = {0};
    flm_html_escape(&out, (struct flm_bytes){"a<b>&\"\0'", 8});
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, "a&lt;b&gt;&amp;&quot;\xEF\xBF\xBD'");
    flm_text_clear(&out);
}

static void pages_of_flamel_are_recognized_and_no_others(void **state)
{
    (void)state;
    struct flm_bytes ours = flm_bytes_of(FLM_HTML_BEGINS "\n" FLM_HTML_GENERATOR "1\">");
    assert_ptr_equal(flm_format_recognize(&flm_formats_all, ours, false, NULL), &flm_format_html);
    struct flm_error why = {0};
    assert_null(flm_format_recognize(&flm_formats_all, flm_bytes_of("<!DOCTYPE html>\n<html>"),
                                     false, &why));
    assert_string_equal(why.text, "this is a web page, not a profile");
    struct flm_bytes inner = flm_bytes_of(FLM_HTML_GENERATOR "1\">");
    assert_ptr_not_equal(flm_format_recognize(&flm_formats_all, inner, false, NULL),
                         &flm_format_html);
    assert_ptr_equal(flm_format_for_file(&flm_formats_all, "a.html"), &flm_format_html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_found_with_its_size),
        cmocka_unit_test(a_size_that_is_none_is_no_part),
        cmocka_unit_test(texts_are_shown_as_they_are),
        cmocka_unit_test(pages_of_flamel_are_recognized_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
