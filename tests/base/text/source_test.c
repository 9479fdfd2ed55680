#include "base/text/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/windows.h"

static void a_text_is_one_window_and_the_last(void **state)
{
    (void)state;
    struct flm_source source = flm_source_of(flm_bytes_of("main 1\n"));
    assert_true(source.last);
    assert_int_equal(source.end - source.at, 7);
    assert_true(flm_source_more(&source, NULL));
    assert_true(flm_source_all(&source, NULL));
    assert_int_equal(source.end - source.at, 7);
    source = flm_source_of((struct flm_bytes){NULL, 0});
    assert_true(source.last && source.at == source.end);
}

static void a_source_without_more_ends(void **state)
{
    (void)state;
    struct flm_source source = {.at = "", .end = NULL};
    source.end = source.at;
    assert_true(flm_source_more(&source, NULL));
    assert_true(source.last);
}

static void windows_grow_and_keep_bytes_that_were_not_passed(void **state)
{
    (void)state;
    for (size_t step = 1; step < 9; step++) {
        struct windows w;
        windows_init(&w, flm_bytes_of("0123456789"), step);
        size_t passed = 0;
        while (!w.source.last) {
            assert_true(flm_source_more(&w.source, NULL));
            if (w.source.end - w.source.at > 3) {
                assert_int_equal(*w.source.at, '0' + passed);
                w.source.at += 3;
                passed += 3;
            }
        }
        assert_int_equal(passed + (size_t)(w.source.end - w.source.at), 10);
        windows_clear(&w);

        windows_init(&w, flm_bytes_of("0123456789"), step);
        assert_true(flm_source_all(&w.source, NULL));
        assert_int_equal(w.source.end - w.source.at, 10);
        assert_memory_equal(w.source.at, "0123456789", 10);
        windows_clear(&w);
    }
}

struct growing {
    struct flm_source source;
    struct flm_source_window window;
    uint64_t left;
};

static bool grow(struct flm_source *source, struct flm_error *why)
{
    struct growing *g = (struct growing *)source;
    if (!flm_source_make_room(source, &g->window, g->left, why))
        return false;
    size_t room = g->window.capacity - (size_t)(source->end - source->at);
    size_t size = room < g->left ? room : (size_t)g->left;
    memset(g->window.at + (source->end - source->at), 'x', size);
    source->end += size;
    g->left -= size;
    source->last = g->left == 0;
    return true;
}

static void growing_init(struct growing *g, uint64_t size)
{
    *g = (struct growing){.source = {.at = "", .more = grow},
                          .window = {.first = 4, .largest = 16, .largest_whole = 64},
                          .left = size};
    g->source.end = g->source.at;
}

/* Of a file that is read as a whole more may be in memory than of a line. */
static void a_whole_file_may_be_larger_than_a_line(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct growing g;
    growing_init(&g, 40);
    assert_true(flm_source_all(&g.source, &why));
    assert_int_equal(g.source.end - g.source.at, 40);
    free(g.window.at);
    growing_init(&g, 40);
    assert_false(flm_source_fill(&g.source, 40, &why));
    assert_non_null(strstr(why.text, "a line that long is no line of a profile"));
    free(g.window.at);
    growing_init(&g, 100);
    assert_false(flm_source_all(&g.source, &why));
    assert_int_equal(g.window.capacity, 4); /* known before it is read */
    assert_non_null(strstr(why.text, "this format is read as a whole, and the file is too large"));
    free(g.window.at);
    growing_init(&g, 100);
    g.window.largest_whole = 0;
    assert_false(flm_source_all(&g.source, &why));
    assert_non_null(strstr(why.text, "a file may be larger if it is not compressed"));
    free(g.window.at);
}

static bool fails(struct flm_source *source, struct flm_error *why)
{
    (void)source;
    return flm_error_set(why, FLM_ERROR_SYSTEM, "the disk is gone");
}

static void a_stream_that_fails_says_why(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_source source = {.at = "", .more = fails};
    source.end = source.at;
    assert_false(flm_source_more(&source, &why));
    assert_string_equal(why.text, "the disk is gone");
    assert_false(flm_source_all(&source, &why));
}

static bool until_100(void *context, uint64_t bytes)
{
    *(uint64_t *)context = bytes;
    return bytes < 100;
}

static void progress_adds_up_and_may_stop(void **state)
{
    (void)state;
    uint64_t reported = 0;
    struct flm_error why = {0};
    struct flm_source source = flm_source_of(flm_bytes_of(""));
    assert_true(flm_source_progress(&source, 5, &why)); /* nobody listens */
    source.progress = until_100;
    source.progress_context = &reported;
    assert_true(flm_source_progress(&source, 60, &why));
    assert_int_equal(reported, 65);
    assert_false(flm_source_progress(&source, 40, &why));
    assert_int_equal(reported, 105);
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_one_window_and_the_last),
        cmocka_unit_test(a_source_without_more_ends),
        cmocka_unit_test(windows_grow_and_keep_bytes_that_were_not_passed),
        cmocka_unit_test(a_stream_that_fails_says_why),
        cmocka_unit_test(progress_adds_up_and_may_stop),
        cmocka_unit_test(a_whole_file_may_be_larger_than_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
