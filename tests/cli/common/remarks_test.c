/* What is reported about a profile beside its figures: a line for each cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/common/remarks.h"
#include "flamel/builder.h"

static void expect_lines(struct flm_builder *builder, flm_remarks_next next, const char *expected)
{
    struct flm_profile *profile = flm_builder_finish(builder, NULL);
    struct flm_text lines = {0};
    assert_non_null(profile);
    for (struct flm_remarks at = {0}; next(&at, profile, &lines);)
        flm_text_putc(&lines, '\n');
    flm_text_putc(&lines, 0);
    assert_false(lines.failed);
    assert_string_equal(lines.at, expected);
    flm_text_clear(&lines);
    flm_profile_free(profile);
}

static void losses_that_differ_in_their_detail_are_one_line(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_lost(b, "frames (too deep)", "", 0, 1234567);
    flm_builder_lost(b, "frames (corrupt stack)", "byte", 96, 2);
    flm_builder_lost(b, "frames (a (b) c)", "", 0, 3);
    flm_builder_lost(b, "frames", "", 0, 4);
    flm_builder_lost(b, "bytes", "", 0, 1e25);
    flm_builder_lost(b, "calls", "", 0, 2.5);
    flm_builder_lost(b, "frames of other (corrupt stack)", "", 0, 5);
    flm_builder_lost(b, "lines without a value", "line", 17, 6);
    flm_builder_lost(b, "(odd)", "", 0, 7);
    expect_lines(b, flm_remarks_lost,
                 "(odd): 7\n"
                 "bytes: 1e25\n"
                 "calls: 2.5\n"
                 "frames: 4\n"
                 "frames (a (b) c): 3; (corrupt stack): 2, the first at byte 96; "
                 "(too deep): 1234567\n"
                 "frames of other (corrupt stack): 5\n"
                 "lines without a value: 6, the first at line 17\n");
}

static void note(struct flm_builder *builder, const char *key, const char *value)
{
    flm_builder_note(builder, key, value, strlen(value));
}

static void modules_with_the_same_reason_are_one_line(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    note(b, "unsymbolized liba.so", "only exports: install it");
    note(b, "host", "only exports: install it");
    note(b, "unsymbolized b", "stripped");
    note(b, "unsymbolized c", "only exports: install it");
    note(b, "unsymbolized", "no module");
    expect_lines(b, flm_remarks_unsymbolized,
                 "b: stripped\nc, liba.so: only exports: install it\n");
}

/* Each note is in one line, however many there are and wherever those of one reason stand. */
static void every_note_is_reported_once(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    struct flm_builder *b = flm_builder_new(NULL);
    char key[64], reason[64];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "unsymbolized <%d>", i);
        snprintf(reason, sizeof reason, "reason %d", i % 7 == 0 ? 0 : i % 130);
        note(b, key, reason);
    }
    struct flm_profile *profile = flm_builder_finish(b, NULL);
    struct flm_text line = {0};
    int reported[COUNT] = {0}, lines = 0;
    for (struct flm_remarks at = {0}; flm_remarks_unsymbolized(&at, profile, &line); lines++) {
        flm_text_putc(&line, 0);
        for (const char *name = line.at; (name = strchr(name, '<')); name++)
            reported[atoi(name + 1)]++;
        line.size = 0;
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(reported[i], 1);
    assert_in_range(lines, 130 - 130 / 7 - 1, COUNT - 1);
    flm_text_clear(&line);
    flm_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_that_differ_in_their_detail_are_one_line),
        cmocka_unit_test(modules_with_the_same_reason_are_one_line),
        cmocka_unit_test(every_note_is_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
