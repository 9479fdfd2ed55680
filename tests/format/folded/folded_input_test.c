#include "format/folded/folded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "format/folded/plain_reader.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"

/* ---- Texts by chance ------------------------------------------------------------------------- */

static void every_shortened_copy_is_read_or_refused_like_by_the_plain_reader(void **state)
{
    (void)state;
    struct flm_text text = read_file("tests/data/folded/edge-cases.folded");
    for (size_t size = 0; size <= text.size; size++) {
        agrees((struct flm_bytes){text.at, size}, 1);
        agrees((struct flm_bytes){text.at, size}, 2);
    }
    flm_text_clear(&text);
}

/* Lines that share their beginnings, as sorted files have them, with odd ones between. */
static struct flm_text random_text(uint64_t *random, unsigned lines)
{
    static const char *const names[] = {
        "main",      "ma",   "main()",         "a b",   "",      "x_[k]", "_[i]",
        "f",         "f1",   "\xFF",           "f 1 2", "#hash", "\t",    "a\rb",
        "[unknown]", "0x1F", "[libc.so.6]_[k]"};
    static const char *const ends[] = {" 1",   " 23",  " 0",   " 1.5",  "",
                                       " x",   "  7 ", " -1",  " 4 5",  "\t8",
                                       " 9\r", " nan", " 1e2", " 1e99", ";"};
    struct flm_text text = {0};
    unsigned path[30], depth = 0;
    for (unsigned line = 0; line < lines; line++) {
        unsigned shared = random_below(random, depth + 1);
        depth = shared + random_below(random, random_below(random, 10) ? 3 : 25);
        depth = depth < 30 ? depth : 30;
        for (unsigned i = shared; i < depth; i++)
            path[i] = random_below(random, random_below(random, 3) ? 3 : 17);
        for (unsigned i = 0; i < depth; i++) {
            flm_text_puts(&text, names[path[i]]);
            if (i + 1 < depth)
                flm_text_putc(&text, ';');
        }
        flm_text_puts(&text, ends[random_below(random, random_below(random, 3) ? 2 : 15)]);
        if (random_below(random, 30))
            flm_text_putc(&text, '\n');
        if (random_below(random, 20) == 0)
            flm_text_puts(&text, random_below(random, 2) ? "# a comment 3\n" : "\n");
    }
    return text;
}

static void texts_by_chance_agree_with_the_plain_reader(void **state)
{
    (void)state;
    uint64_t random = 101;
    for (int round = 0; round < 400; round++) {
        struct flm_text text = random_text(&random, random_below(&random, 60));
        agrees((struct flm_bytes){text.at, text.size}, 1 + round % 2);
        flm_text_clear(&text);
    }
}

static void a_line_of_100000_frames_is_read(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (int line = 0; line < 3; line++) {
        for (int i = 0; i < 100000; i++)
            flm_text_puts(&text, i == 99999 - line ? "z" : "f;");
        flm_text_puts(&text, line == 1 ? " \n" : " 1\n");
    }
    struct flm_read_options options = {0};
    struct flm_profile *p = read_whole((struct flm_bytes){text.at, text.size}, &options, NULL);
    assert_non_null(p);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 2);
    flm_profile_free(p);
    p = read_in_windows((struct flm_bytes){text.at, text.size}, 65536, &options, NULL);
    assert_non_null(p);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void a_stack_without_end_is_refused(void **state)
{
    (void)state;
    struct flm_text text = {0};
    struct flm_error why = {0};
    flm_text_puts(&text, "main 1\n");
    flm_text_repeat(&text, ';', ((size_t)1 << 22) + 10);
    flm_text_puts(&text, " 1\n");
    struct flm_bytes all = {text.at, text.size};
    assert_null(read_whole(all, &(struct flm_read_options){.lenient = true}, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_int_equal(why.line, 2);
    flm_text_clear(&text);
}

/* ---- Progress and memory --------------------------------------------------------------------- */

struct reported {
    uint64_t bytes, stop_at;
    int calls;
};

static bool report(void *context, uint64_t bytes)
{
    struct reported *reported = context;
    assert_true(bytes >= reported->bytes);
    reported->bytes = bytes;
    reported->calls++;
    return bytes < reported->stop_at;
}

static void progress_is_reported_and_may_stop_reading(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (int i = 0; i < 600000; i++)
        flm_text_puts(&text, "main;read;copy 10\n");
    struct flm_error why = {0};
    struct reported reported = {.stop_at = UINT64_MAX};
    struct flm_source source = flm_source_of((struct flm_bytes){text.at, text.size});
    source.progress = report;
    source.progress_context = &reported;
    struct flm_profile *p = read_source(&source, &(struct flm_read_options){0}, &why);
    assert_non_null(p);
    assert_int_equal(reported.bytes, text.size);
    assert_true(reported.calls >= 3);
    flm_profile_free(p);

    reported = (struct reported){.stop_at = 5000000};
    source = flm_source_of((struct flm_bytes){text.at, text.size});
    source.progress = report;
    source.progress_context = &reported;
    assert_null(read_source(&source, &(struct flm_read_options){0}, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_true(reported.bytes < text.size);
    flm_text_clear(&text);
}

static bool read_some(void *context, struct flm_error *why)
{
    struct flm_bytes *text = context;
    struct flm_profile *p =
        read_in_windows(*text, 500, &(struct flm_read_options){.lenient = true}, why);
    flm_profile_free(p);
    return p != NULL;
}

static void reading_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 102;
    struct flm_text text = random_text(&random, 150);
    struct flm_bytes all = {text.at, text.size};
    assert_true(assert_survives_failures(read_some, &all) > 40);
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shortened_copy_is_read_or_refused_like_by_the_plain_reader),
        cmocka_unit_test(texts_by_chance_agree_with_the_plain_reader),
        cmocka_unit_test(a_line_of_100000_frames_is_read),
        cmocka_unit_test(a_stack_without_end_is_refused),
        cmocka_unit_test(progress_is_reported_and_may_stop_reading),
        cmocka_unit_test(reading_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
