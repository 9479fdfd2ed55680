#include "load/all_formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "support/core/files.h"

static void every_entry_is_listed_for_other_programs(void **state)
{
    (void)state;
    const struct flm_format *format;
    struct flm_format_info info = {.size = sizeof info};
    size_t i = 0;
    for (; (format = flm_formats_at(&flm_formats_all, i)) != NULL; i++) {
        assert_true(flm_format_at(i, &info));
        assert_int_equal(info.size, sizeof info);
        assert_string_equal(info.name, format->name);
        assert_string_equal(info.title, format->title);
        assert_string_equal(info.extensions, format->extensions);
        assert_true(!format->write || format->display != FLM_FORMAT_DATA ||
                    (strstr(info.loses, "modules") != NULL) ==
                        !(format->holds & FLM_HOLDS_MODULES));
        assert_int_equal(info.reads, format->read || format->open || format->load);
        assert_int_equal(info.has_times, format->has_times);
        assert_int_equal(info.keeps_labels, format->keeps_labels);
        assert_int_equal(info.metrics, format->metrics);
        assert_int_equal(info.needs_symbols, format->needs_symbols);
        assert_int_equal(info.takes_baseline, strcmp(info.name, "html") == 0);
    }
    assert_false(flm_format_at(i, &info));
}

static void an_older_caller_gets_the_members_that_it_knows(void **state)
{
    (void)state;
    struct flm_format_info info = {.size = offsetof(struct flm_format_info, title)};
    const char *untouched = "untouched";
    info.title = untouched;
    assert_true(flm_format_at(0, &info));
    assert_string_equal(info.name, "flm");
    assert_ptr_equal(info.title, untouched);
    info.size = 0;
    assert_false(flm_format_at(0, &info));
    info.size = sizeof info + 1;
    assert_false(flm_format_at(0, &info));
    struct flm_error why = {0};
    assert_false(flm_format_to_save("flm", NULL, &info, &why));
    assert_non_null(strstr(why.text, "struct flm_format_info"));
}

static void a_writer_is_found_by_name_and_by_extension(void **state)
{
    (void)state;
    static const struct {
        const char *name, *path, *found;
    } good[] = {{"svg", NULL, "svg"},       {NULL, "a.b.svg", "svg"}, {NULL, "/x/a.pdf", "pdf"},
                {"flm", "a.folded", "flm"}, {NULL, ".htm", "html"},   {NULL, "a.txt", "folded"}};
    struct flm_format_info info = {.size = sizeof info};
    struct flm_error why = {0};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const struct flm_format *format = flm_format_find_writer(good[i].name, good[i].path, &why);
        if (!format) { /* built without what it needs */
            assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
            continue;
        }
        assert_string_equal(format->name, good[i].found);
        assert_true(flm_format_to_save(good[i].name, good[i].path, &info, &why));
        assert_string_equal(info.name, good[i].found);
        assert_true(info.writes);
    }
    static const struct {
        const char *name, *path;
    } bad[] = {{"perf-data", NULL}, {"none", "a.svg"}, {NULL, "svg"}, {NULL, "a.png.gz"}, {"", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(flm_format_find_writer(bad[i].name, bad[i].path, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_non_null(strstr(why.text, "is not a format that can be written"));
        assert_false(flm_format_to_save(bad[i].name, bad[i].path, &info, NULL));
    }
}

/* docs/man/flamel-formats.1 has an item for each, in the same order, with its description. */
static void the_manual_page_lists_every_format(void **state)
{
    (void)state;
    struct flm_text page = read_file("docs/man/flamel-formats.1");
    flm_text_putc(&page, 0);
    const char *at = strstr(page.at, "\n.Sh FORMATS\n"), *end = strstr(page.at, "\n.Sh OPTIONS\n");
    assert_non_null(at);
    assert_non_null(end);
    struct flm_format_info info = {.size = sizeof info};
    for (size_t i = 0; flm_format_at(i, &info); i++) {
        struct flm_text item = {0};
        flm_text_format(&item, "\n.It Cm %s%s%s\n", info.name, *info.extensions ? " Pq Li " : "",
                        info.extensions);
        flm_text_putc(&item, 0);
        at = strstr(at, item.at);
        if (!at || at >= end)
            fail_msg("there is no%s", item.at);
        assert_memory_equal(at + item.size - 1, info.description, strlen(info.description));
        flm_text_clear(&item);
    }
    assert_null(strstr(at + 1, "\n.It Cm ")); /* and no other */
    flm_text_clear(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_listed_for_other_programs),
        cmocka_unit_test(an_older_caller_gets_the_members_that_it_knows),
        cmocka_unit_test(a_writer_is_found_by_name_and_by_extension),
        cmocka_unit_test(the_manual_page_lists_every_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
