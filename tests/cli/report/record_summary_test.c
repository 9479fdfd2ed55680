#include "cli/report/record_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"

static struct flm_profile *profile_of_one_sample(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_frame frame = flm_builder_function(b, "main", 4);
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), frame);
    flm_builder_add(b, node, flm_builder_metric(b, "cpu-clock", "ns"), 1e6);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

/* What is said of 1000 samples whose stacks came out so: the line that begins with "stacks", and
 * those that continue it; "" where there is none. */
static const char *told_in(const char *output, struct flm_record_counts counts, uint32_t stack_size)
{
    static char text[1000];
    struct flm_text out = {0};
    struct flm_profile *p = profile_of_one_sample();
    counts.samples = 1000;
    struct flm_record_summary s = {
        .profile = p,
        .result = {.counts = counts, .stack_size = stack_size, .event = "cpu-clock"},
        .output = output};
    assert_true(flm_record_summary_text(&s, &(struct flm_table_style){.width = 0}, &out, NULL));
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    const char *line = strstr(out.at, "\nstacks"), *end = line ? strstr(line, "\nwritten") : NULL;
    snprintf(text, sizeof text, "%.*s", line ? (int)(end - line) - 1 : 0, line ? line + 1 : "");
    flm_text_clear(&out);
    flm_profile_free(p);
    return text;
}

static const char *told(struct flm_record_counts counts, uint32_t stack_size)
{
    return told_in("app.flm", counts, stack_size);
}

static void nothing_is_said_of_stacks_that_are_whole(void **state)
{
    (void)state;
    assert_string_equal(told((struct flm_record_counts){.stacks_unwound = 1000}, 16384), "");
}

static void a_larger_copy_is_recommended_where_it_helps(void **state)
{
    (void)state;
    const struct flm_record_counts cut = {.stacks_truncated = 250, .stacks_beyond_dump = 250};
    assert_string_equal(told(cut, 16384),
                        "stacks    25 % do not reach the outermost frame: more of the stack was "
                        "needed than was copied (--stack-size 65528 copies most)");
    assert_string_equal(told(cut, 65528), "stacks    25 % do not reach the outermost frame: more "
                                          "of the stack was needed than was copied");
}

static void stacks_of_their_own_are_no_reason_to_copy_more(void **state)
{
    (void)state;
    const struct flm_record_counts own = {.stacks_truncated = 801, .stacks_on_other_stack = 801};
    assert_string_equal(told(own, 16384),
                        "stacks    80.1 % do not reach the outermost frame: they continue where "
                        "no copy reaches: on another stack (signal handlers and coroutines may "
                        "have their own), or more than 64 KiB away");
}

static void several_reasons_have_a_share_each(void **state)
{
    (void)state;
    const struct flm_record_counts both = {
        .stacks_truncated = 300, .stacks_beyond_dump = 200, .stacks_on_other_stack = 100};
    assert_string_equal(told(both, 16384),
                        "stacks    30 % do not reach the outermost frame: 20 % because more of the "
                        "stack was needed than was copied (--stack-size 65528 copies most), 10 % "
                        "because they continue where no copy reaches: on another stack (signal "
                        "handlers and coroutines may have their own), or more than 64 KiB away");
}

static void what_is_not_told_is_where_it_can_be_found(void **state)
{
    (void)state;
    const struct flm_record_counts other = {.stacks_truncated = 20};
    assert_string_equal(told(other, 16384), "stacks    2 % do not reach the outermost frame: "
                                            "flamel info app.flm says why");
    assert_string_equal(told_in("app.svg", other, 16384),
                        "stacks    2 % do not reach the outermost frame");
    const struct flm_record_counts some = {.stacks_truncated = 20, .stacks_beyond_dump = 5};
    assert_string_equal(told(some, 16384),
                        "stacks    2 % do not reach the outermost frame: 0.5 % because more of the "
                        "stack was needed than was copied (--stack-size 65528 copies most); flamel "
                        "info app.flm says why the others");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_of_stacks_that_are_whole),
        cmocka_unit_test(a_larger_copy_is_recommended_where_it_helps),
        cmocka_unit_test(stacks_of_their_own_are_no_reason_to_copy_more),
        cmocka_unit_test(several_reasons_have_a_share_each),
        cmocka_unit_test(what_is_not_told_is_where_it_can_be_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
