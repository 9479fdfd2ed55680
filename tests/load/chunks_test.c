#include "load/chunks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"

enum { LARGE = 13 << 20 }; /* three chunks and more */

/* Lines by chance until there are `size` bytes. */
static void add_lines(struct flm_text *text, size_t size, uint64_t seed)
{
    uint64_t random = seed;
    while (text->size < size)
        flm_text_format(text, "main;a function of the program %u;read_%u;copy [libc.so.6] %u\n",
                        random_below(&random, 300), random_below(&random, 20),
                        random_below(&random, 1000));
}

static struct flm_profile *load(const struct flm_text *text, int threads, bool lenient,
                                struct flm_error *why)
{
    struct flm_load_options options = {
        .size = sizeof options, .threads = threads, .lenient = lenient};
    const char *path = write_temporary("large", (struct flm_bytes){text->at, text->size});
    return flm_load(path, &options, why);
}

/* However many threads read it, it is the same profile. Clears the text. */
static void agrees(struct flm_text *text, bool lenient)
{
    struct flm_error why = {0};
    struct flm_profile *whole = load(text, 1, lenient, &why);
    if (!whole)
        fail_msg("%s", why.text);
    for (int threads = 2; threads < 5; threads++) {
        struct flm_profile *p = load(text, threads, lenient, &why);
        if (!p)
            fail_msg("with %d threads: %s", threads, why.text);
        assert_profiles_equal(whole, p);
        flm_profile_free(p);
    }
    flm_profile_free(whole);
    flm_text_clear(text);
}

/* However many threads read it, it is refused for the same reason. Clears the text. */
static void refused(struct flm_text *text, uint64_t line, const char *words)
{
    for (int threads = 1; threads < 5; threads++) {
        struct flm_error why = {0};
        assert_null(load(text, threads, false, &why));
        if (why.line != line || !strstr(why.text, words))
            fail_msg("with %d threads: line %llu: %s", threads, (unsigned long long)why.line,
                     why.text);
    }
    flm_text_clear(text);
}

static uint64_t line_count(const struct flm_text *text)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < text->size; i++)
        lines += text->at[i] == '\n';
    return lines;
}

static void a_file_is_cut_only_where_it_is_worth_it(void **state)
{
    (void)state;
    assert_true(flm_chunk_count(100, 8) <= 1);
    assert_true(flm_chunk_count(4 << 20, 8) <= 1);
    assert_true(flm_chunk_count(LARGE, 1) <= 1);
    assert_true(flm_chunk_count(LARGE, 3) >= 2);
    assert_true(flm_chunk_count((uint64_t)1 << 40, 1000) <= 64);
    assert_true(flm_chunk_count((uint64_t)1 << 40, 0) >= 1);
}

static void chunk_make_the_same_profile(void **state)
{
    (void)state;
    struct flm_text text = {0};
    add_lines(&text, LARGE, 1);
    agrees(&text, false);
    add_lines(&text, LARGE, 2);
    flm_text_puts(&text, "main;the last line has no end 5");
    agrees(&text, false);
}

static void a_byte_order_mark_is_passed_over(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "\xEF\xBB\xBF");
    add_lines(&text, LARGE, 3);
    agrees(&text, false);
}

static void lines_longer_than_a_piece_are_whole(void **state)
{
    (void)state;
    struct flm_text text = {0};
    add_lines(&text, 3 << 20, 4);
    for (int i = 0; i < 900000; i++)
        flm_text_puts(&text, "a;bcdef;");
    flm_text_puts(&text, "end 3\n");
    add_lines(&text, LARGE, 5);
    agrees(&text, false);
}

static void line_ends_of_other_systems_and_marks_are_read_in_chunks(void **state)
{
    (void)state;
    struct flm_text text = {0};
    uint64_t random = 6;
    while (text.size < LARGE)
        flm_text_format(&text, "main;f%u;\xCE\xBB%u %u\r\n", random_below(&random, 300),
                        random_below(&random, 20), random_below(&random, 1000));
    flm_text_puts(&text, "main;sys_read_[k] 1\r\n"); /* only the last chunk sees a mark */
    agrees(&text, false);
}

static void what_is_lost_has_its_line(void **state)
{
    (void)state;
    struct flm_text text = {0};
    add_lines(&text, LARGE / 2, 7);
    flm_text_puts(&text, "no value here\n");
    add_lines(&text, LARGE * 3 / 4, 8);
    flm_text_puts(&text, "nor here\nmain -5\n");
    add_lines(&text, LARGE, 9);
    flm_text_puts(&text, "main nan\n");
    agrees(&text, true);
}

static void a_value_that_is_refused_has_its_line(void **state)
{
    (void)state;
    struct flm_text text = {0};
    add_lines(&text, LARGE - 1000, 10);
    uint64_t line = line_count(&text) + 1;
    flm_text_puts(&text, "main;x -5\n");
    add_lines(&text, LARGE, 11);
    refused(&text, line, "the value '-5' is negative");
}

static void the_first_of_several_errors_is_told(void **state)
{
    (void)state;
    struct flm_text text = {0};
    add_lines(&text, LARGE / 2, 12);
    uint64_t line = line_count(&text) + 1;
    flm_text_puts(&text, "main;x 1e302\n");
    add_lines(&text, LARGE, 13);
    flm_text_puts(&text, "main;x -5\n");
    refused(&text, line, "the value '1e302' is more than 2^1000");
}

/* A chunk of nothing but broken lines is no reason to refuse the file: others have values. */
static void a_piece_without_a_value_is_counted_like_any_line(void **state)
{
    (void)state;
    struct flm_text text = {0};
    add_lines(&text, LARGE / 4, 14);
    while (text.size < LARGE * 3 / 4)
        flm_text_puts(&text, "a message that somebody wrote into the file\n");
    add_lines(&text, LARGE, 15);
    agrees(&text, false);
    while (text.size < LARGE)
        flm_text_puts(&text, "a message; and nothing else\n");
    refused(&text, 1, "no value after the stack in 'a message; and nothing else'");
}

static void sums_over_all_pieces_are_checked(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "main 9e300\n");
    add_lines(&text, LARGE, 16);
    flm_text_puts(&text, "main 9e300\n");
    refused(&text, 0, "2^1000");
}

/* The stacks of one chunk are in the others too. */
static void sums_beyond_2_53_are_rounded_once_wherever_the_input_is_cut(void **state)
{
    (void)state;
    struct flm_text text = {0};
    uint64_t random = 17;
    while (text.size < LARGE) {
        flm_text_format(&text, "main;read_%u;%llu times %llu\n", random_below(&random, 30),
                        (unsigned long long)random_below(&random, 40),
                        (unsigned long long)(random_next(&random) >> random_below(&random, 64)));
        if (random_below(&random, 3) == 0)
            flm_text_format(&text, "main;read_%u %u.%u\n", random_below(&random, 30),
                            random_below(&random, 1000), random_below(&random, 1000));
    }
    agrees(&text, false);
}

struct told {
    uint64_t last;
    int calls, stop_after;
};

static bool tell(void *context, uint64_t at, uint64_t size)
{
    struct told *told = context;
    assert_true(at >= told->last && at <= size);
    told->last = at;
    return ++told->calls != told->stop_after;
}

static void progress_is_told_and_may_stop_all(void **state)
{
    (void)state;
    struct flm_text text = {0};
    add_lines(&text, 3 * LARGE, 17);
    const char *path = write_temporary("large", (struct flm_bytes){text.at, text.size});
    struct told told = {0};
    struct flm_load_options options = {
        .size = sizeof options, .threads = 2, .progress = tell, .progress_context = &told};
    struct flm_error why = {0};
    struct flm_profile *p = flm_load(path, &options, &why);
    assert_non_null(p);
    assert_true(told.calls > 1 && told.last > text.size / 4);
    flm_profile_free(p);
    told = (struct told){.stop_after = 1};
    assert_null(flm_load(path, &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_int_equal(told.calls, 1);
    flm_text_clear(&text);
}

/* Each of a sparse choice, because there are many, and threads make them in any order. */
static void reading_in_pieces_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_text text = {0};
    add_lines(&text, 9 << 20, 18);
    const char *path = write_temporary("large", (struct flm_bytes){text.at, text.size});
    struct flm_load_options options = {.size = sizeof options, .threads = 2};
    for (size_t nth = 1; nth < 2000; nth += nth / 2 + 1) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_profile *p = flm_load(path, &options, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(p ? true : failed && why.kind == FLM_ERROR_MEMORY);
        flm_profile_free(p);
    }
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_cut_only_where_it_is_worth_it),
        cmocka_unit_test(chunk_make_the_same_profile),
        cmocka_unit_test(a_byte_order_mark_is_passed_over),
        cmocka_unit_test(lines_longer_than_a_piece_are_whole),
        cmocka_unit_test(line_ends_of_other_systems_and_marks_are_read_in_chunks),
        cmocka_unit_test(what_is_lost_has_its_line),
        cmocka_unit_test(a_value_that_is_refused_has_its_line),
        cmocka_unit_test(the_first_of_several_errors_is_told),
        cmocka_unit_test(a_piece_without_a_value_is_counted_like_any_line),
        cmocka_unit_test(sums_over_all_pieces_are_checked),
        cmocka_unit_test(sums_beyond_2_53_are_rounded_once_wherever_the_input_is_cut),
        cmocka_unit_test(progress_is_told_and_may_stop_all),
        cmocka_unit_test(reading_in_pieces_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
