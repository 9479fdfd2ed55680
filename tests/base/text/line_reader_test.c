#include "base/text/line_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "support/core/windows.h"

static void lines_come_without_their_ends_from_windows_of_any_size(void **state)
{
    (void)state;
    static const char *const expected[] = {"one", "", "two", "\rthree", ""};
    for (size_t step = 1; step < 24; step++) {
        struct windows w;
        windows_init(&w, flm_bytes_of("one\n\ntwo\r\n\rthree\r\n\nlast"), step);
        struct flm_line_reader lines = {.source = &w.source};
        struct flm_bytes line;
        for (size_t i = 0; i < 5; i++) {
            assert_true(flm_line_next(&lines, &line));
            assert_true(flm_bytes_are(line, expected[i]));
            assert_int_equal(lines.number, i + 1);
        }
        assert_true(flm_line_next(&lines, &line));
        assert_true(flm_bytes_are(line, "last"));
        assert_false(flm_line_next(&lines, &line) || lines.failed);
        assert_false(flm_line_next(&lines, &line));
        windows_clear(&w);
    }
}

static void a_line_is_repeated_once(void **state)
{
    (void)state;
    struct flm_source source = flm_source_of(flm_bytes_of("a\nb\n"));
    struct flm_line_reader lines = {.source = &source};
    struct flm_bytes line;
    assert_true(flm_line_next(&lines, &line));
    flm_line_repeat(&lines);
    assert_true(flm_line_next(&lines, &line) && flm_bytes_are(line, "a"));
    assert_int_equal(lines.number, 1);
    assert_true(flm_line_next(&lines, &line) && flm_bytes_are(line, "b"));
    assert_false(flm_line_next(&lines, &line));
}

static bool count_bytes(void *context, uint64_t bytes)
{
    *(uint64_t *)context += bytes;
    return true;
}

static bool stop(void *context, uint64_t bytes)
{
    (void)context, (void)bytes;
    return false;
}

static void every_byte_is_reported_and_a_reader_can_be_stopped(void **state)
{
    (void)state;
    uint64_t reported = 0;
    struct flm_source source = flm_source_of(flm_bytes_of("a\nbc\n\nd"));
    source.progress = count_bytes;
    source.progress_context = &reported;
    struct flm_line_reader lines = {.source = &source};
    struct flm_bytes line;
    while (flm_line_next(&lines, &line))
        ;
    assert_false(lines.failed);
    assert_int_equal(reported, 7);

    struct flm_error why = {0};
    source = flm_source_of(flm_bytes_of("a\n"));
    source.progress = stop;
    lines = (struct flm_line_reader){.source = &source, .why = &why};
    assert_true(flm_line_next(&lines, &line));
    assert_false(flm_line_next(&lines, &line));
    assert_true(lines.failed);
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_without_their_ends_from_windows_of_any_size),
        cmocka_unit_test(a_line_is_repeated_once),
        cmocka_unit_test(every_byte_is_reported_and_a_reader_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
