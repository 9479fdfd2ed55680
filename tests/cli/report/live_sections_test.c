#include "cli/report/live_sections.h"

#include <stdio.h>

#include "support/probe/probe_image.h"

/* One second later there are 40 calls of parse more, which took half of it. */
static void change(struct image *image)
{
    const uint64_t second = 1000000000;
    header_of(image)->now_ticks += second;
    node_of(image, 2)->calls += 40;
    node_of(image, 2)->total += second / 2;
    node_of(image, 1)->total += second / 2;
}

static void add(struct flm_sections *sections, const struct image *image, double at_s)
{
    struct flm_error why;
    struct flm_report *report = flm_report_probe(image->at, sizeof image->at, NULL, &why);
    assert_non_null(report);
    flm_sections_add(sections, report, at_s);
}

static const char *written(const struct flm_sections *sections, struct flm_section_view *view)
{
    static char text[4000];
    const struct flm_table_style style = {0};
    struct flm_text out = {0};
    flm_sections_write(sections, view, &style, &out);
    assert_true(!out.failed && out.size < sizeof text);
    memcpy(text, out.at, out.size);
    text[out.size] = 0;
    flm_text_clear(&out);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in: %s", part, text);
}

static void rates_are_what_came_since_the_look_before(void **state)
{
    (void)state;
    struct flm_sections sections = {0};
    struct image *image = make_image();
    struct flm_section_view view = {.tab = flm_sections_tab(0)};
    add(&sections, image, 10);
    assert_null(strstr(written(&sections, &view), "/s")); /* there was no look before */
    change(image);
    add(&sections, image, 12);
    has(written(&sections, &view), "/s");
    has(written(&sections, &view), "44  20"); /* calls, and per second */
    has(written(&sections, &view), "25 %");   /* half a second in two */
    assert_int_equal(view.found, 2);
    assert_int_equal(view.hidden, 0);
    flm_sections_clear(&sections);
    free(image);
}

/* It may have had time before, in scopes that were open: what it has is not of the interval. */
static void a_row_that_is_new_has_no_rate(void **state)
{
    (void)state;
    struct flm_sections sections = {0};
    struct image *image = make_image();
    struct flm_section_view view = {.tab = flm_sections_tab(0)};
    *node_of(image, 2) = (struct flm_probe_node){.parent = node_place(1), .site = 2};
    add(&sections, image, 10);
    assert_null(strstr(written(&sections, &view), "parse"));
    change(image);
    add(&sections, image, 12);
    const char *text = written(&sections, &view);
    has(text, "scope\n"); /* what the rows are */
    has(text, "parse");
    has(text, "25 %"); /* main */
    assert_null(strstr(text, "40  20"));
    flm_sections_clear(&sections);
    free(image);
}

/* Waiting has no bytes, and so no bytes per second. */
static void what_has_no_value_has_no_rate(void **state)
{
    (void)state;
    struct flm_sections sections = {0};
    struct image *image = make_image();
    struct flm_section_view view = {.tab = flm_sections_tab(6)};
    struct flm_probe_site *site = place(image, SITES);
    site[2].kind = FLM_PROBE_FILE;
    site[2].operation = FLM_PROBE_FILE_WAIT;
    add(&sections, image, 10);
    change(image);
    add(&sections, image, 12);
    const char *text = written(&sections, &view);
    has(text, "44  20");
    assert_null(strstr(text, "0 bytes"));
    flm_sections_clear(&sections);
    free(image);
}

static void rows_are_sorted_searched_and_cut(void **state)
{
    (void)state;
    struct flm_sections sections = {0};
    struct image *image = make_image();
    struct flm_section_view view = {.tab = flm_sections_tab(0), .rows = 1};
    add(&sections, image, 10);
    has(written(&sections, &view), "main");
    assert_null(strstr(written(&sections, &view), "parse"));
    assert_int_equal(view.hidden, 1);
    flm_sections_sort(&sections, &view, 1);
    assert_string_equal(view.sort, "calls");
    has(written(&sections, &view), "parse");
    has(written(&sections, &view), "calls v");
    view.is_reversed = true;
    has(written(&sections, &view), "main");
    has(written(&sections, &view), "calls ^");
    flm_sections_sort(&sections, &view, -1);
    assert_string_not_equal(view.sort, "calls");
    view.search = "PAR";
    assert_null(strstr(written(&sections, &view), "main"));
    assert_int_equal(view.found, 1);
    view.search = "nowhere";
    written(&sections, &view);
    assert_int_equal(view.found, 0);
    view = (struct flm_section_view){.tab = flm_sections_tab(0), .first = 1};
    assert_null(strstr(written(&sections, &view), "main"));
    flm_sections_clear(&sections);
    free(image);
}

static void a_section_without_rows_says_why(void **state)
{
    (void)state;
    struct flm_sections sections = {0};
    struct image *image = make_image();
    struct flm_section_view view = {.tab = flm_sections_tab(1)};
    assert_string_equal(written(&sections, &view), "Memory: nothing was measured yet\n");
    add(&sections, image, 10);
    assert_string_equal(written(&sections, &view),
                        "Memory is not measured: FLAMEL=memory asks for it\n");
    assert_true(flm_sections_has(&sections, view.tab));
    assert_false(flm_sections_has_rows(&sections, view.tab));
    assert_true(flm_sections_has_rows(&sections, flm_sections_tab(0)));
    const struct flm_section_tab *tab;
    size_t shown = 0;
    for (size_t i = 0; (tab = flm_sections_tab(i)) != NULL; i++)
        shown += flm_sections_has(&sections, tab);
    assert_int_equal(shown, 9); /* those of the signals; the others have nothing */
    flm_sections_clear(&sections);
    free(image);
}

static void json_has_every_digit_and_the_rates(void **state)
{
    (void)state;
    struct flm_sections sections = {0};
    struct image *image = make_image();
    struct flm_text out = {0};
    struct flm_json_writer json = {.out = &out};
    add(&sections, image, 10);
    change(image);
    add(&sections, image, 12);
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_sections_write_json(&sections, 0, &json);
    flm_json_end(&json);
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    has(out.at, "\"time\": [{\"name\": \"main\", ");
    has(out.at, "\"calls\": 44, ");
    has(out.at, "\"calls/s\": 20");
    has(out.at, "\"total_ns/s\": 250000000");
    flm_text_clear(&out);
    flm_sections_clear(&sections);
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_what_came_since_the_look_before),
        cmocka_unit_test(a_row_that_is_new_has_no_rate),
        cmocka_unit_test(what_has_no_value_has_no_rate),
        cmocka_unit_test(rows_are_sorted_searched_and_cut),
        cmocka_unit_test(a_section_without_rows_says_why),
        cmocka_unit_test(json_has_every_digit_and_the_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
