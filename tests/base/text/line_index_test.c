#include "base/text/line_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"

static void lines_end_with_either_end_and_with_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        const char *lines[4];
    } cases[] = {
        {"", 0, {0}},
        {"a", 1, {"a"}},
        {"a\n", 1, {"a"}},
        {"a\nbc", 2, {"a", "bc"}},
        {"a\r\n\r\nb\r", 3, {"a", "", "b\r"}},
        {"\n\n", 2, {"", ""}},
        {"a\rb\n", 1, {"a\rb"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_line_index index;
        assert_true(flm_line_index_init(&index, flm_bytes_of(cases[i].text)));
        assert_int_equal(index.count, cases[i].count);
        for (size_t k = 0; k < index.count; k++)
            assert_true(flm_bytes_are(flm_line_index_get(&index, k + 1), cases[i].lines[k]));
        assert_int_equal(flm_line_index_get(&index, 0).size, 0);
        assert_int_equal(flm_line_index_get(&index, index.count + 1).size, 0);
        flm_line_index_clear(&index);
    }
}

static bool index_some(void *context, struct flm_error *why)
{
    struct flm_line_index index;
    (void)context;
    bool good = flm_line_index_init(&index, flm_bytes_of("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n"
                                                         "n\no\np\nq\nr\ns\nt\nu\nv\nw\nx\ny\n"));
    flm_line_index_clear(&index);
    return good || flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(index_some, NULL) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_with_either_end_and_with_the_text),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
