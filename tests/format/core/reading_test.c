#include "format/core/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "format/formats.h"
#include "support/core/failures.h"
#include "support/core/windows.h"
#include "support/profile/profiles.h"

static const char *const folded = "main 2\nmain;read 10\n";

static struct flm_profile *read_from(struct flm_source *source, const char *format,
                                     struct flm_error *why)
{
    struct flm_reading reading;
    struct flm_read_options options = {0};
    struct flm_profile *p = NULL;
    if (flm_reading_begin(&reading, &flm_formats_pure, source, format, &options, why))
        p = flm_reading_finish(&reading, why);
    if (!p)
        flm_reading_explain(&reading, why);
    flm_reading_clear(&reading);
    return p;
}

static void assert_reads(struct flm_bytes all, const char *expected)
{
    static const size_t steps[] = {1, 7, 0, 100000};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct windows w;
        struct flm_error why = {0};
        windows_init(&w, all, steps[i]);
        struct flm_profile *p = read_from(&w.source, NULL, &why);
        if (!p)
            fail_msg("%s", why.text);
        assert_folded(p, expected);
        flm_profile_free(p);
        windows_clear(&w);
    }
}

static void any_format_is_read_however_it_comes(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(folded);
    struct flm_text flm = bytes_of(p), packed = {0};
    struct flm_write_options options = {0};
    assert_true(flm_format_packed.write(p, &options, &packed, NULL));
    assert_reads(flm_bytes_of(folded), folded);
    assert_reads((struct flm_bytes){flm.at, flm.size}, folded);
    assert_reads((struct flm_bytes){packed.at, packed.size}, folded);
    flm_text_clear(&flm);
    flm_text_clear(&packed);
    flm_profile_free(p);
}

static void marks_and_utf16_are_seen_through(void **state)
{
    (void)state;
    assert_reads(flm_bytes_of("\xEF\xBB\xBFmain 2\nmain;read 10\n"), folded);
    char wide[100];
    size_t size = 0;
    wide[size++] = '\xFF';
    wide[size++] = '\xFE';
    for (const char *at = folded; *at; at++) {
        wide[size++] = *at;
        wide[size++] = 0;
    }
    assert_reads((struct flm_bytes){wide, size}, folded);
}

static void errors_say_why_a_file_cannot_be_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *format, *words;
    } bad[] = {
        {"", NULL, "the file is empty"},
        {"{\"a\": 1}", NULL, "not in a format that flamel reads"},
        {"main 2\n", "svg", "'svg' is not a format that can be read"},
        {"main 2\n", "flm", "not a .flm file"},
        {"main 2\n", "packed", "not a packed profile"},
        {"main 2\n", "perf-data", "'perf-data' is not a format that can be read"},
        {"PERFILE2", NULL,
         "run 'flamel convert perf.data -o x.flm' where it was recorded, or 'flamel view FILE'"},
        {"<?xml version=\"1.0\"?>\n<trace-toc>", NULL,
         "this is the table of contents of a trace of Instruments: 'xctrace export --xpath' with "
         "one of its tables (time-profile) makes a profile"},
        {"main x\n", "folded", "line 1"},
        {"FLAMEL\x1A\n", "folded",
         "a file of the format flm, by its first bytes, and not of folded"},
        {"main 2\n", "memray",
         "it does not begin as memray's captures do (it does not look like memray, but like "
         "folded)"},
        {"{\"a\": 1}", "jfr", "(it does not look like jfr: this is JSON, but not in a format"},
        {"\1\2\3\4", "gecko", "a JSON value is expected here (it does not look like gecko)"},
        {"FLAMPK\x1A\n", "flm", "a file of the format packed, by its first bytes, and not of flm"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct flm_source source = flm_source_of(flm_bytes_of(bad[i].text));
        struct flm_error why = {0};
        assert_null(read_from(&source, bad[i].format, &why));
        if (!strstr(why.text, bad[i].words))
            fail_msg("it says '%s', not '%s'", why.text, bad[i].words);
    }
}

static bool read_it(void *context, struct flm_error *why)
{
    struct flm_source source = flm_source_of(*(struct flm_bytes *)context);
    struct flm_profile *p = read_from(&source, NULL, why);
    flm_profile_free(p);
    return p != NULL;
}

static void reading_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(folded);
    struct flm_text flm = bytes_of(p);
    struct flm_bytes all[] = {{flm.at, flm.size},
                              flm_bytes_of(folded),
                              {"\xFF\xFE"
                               "a\0 \0001\0",
                               8}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_true(assert_survives_failures(read_it, &all[i]) > 1);
    flm_text_clear(&flm);
    flm_profile_free(p);
}

static int sniff_likely(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "x") ? FLM_SNIFF_LIKELY : FLM_SNIFF_NO;
}

static int sniff_possible(struct flm_bytes head, bool whole)
{
    (void)head, (void)whole;
    return FLM_SNIFF_POSSIBLE;
}

static int sniff_magic(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "MAGIC") ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

static bool refuse(struct flm_source *source, const struct flm_read_options *options,
                   struct flm_builder *builder, struct flm_error *why)
{
    (void)options, (void)builder;
    source->at = source->end;
    return flm_error_line(why, FLM_ERROR_FORMAT, 3, "it is broken");
}

static void assert_refused(const char *text, const char *format, const char *expected)
{
    static const struct flm_format likely = {.name = "likely",
                                             .sniff = sniff_likely,
                                             .read = refuse},
                                   possible = {.name = "possible",
                                               .sniff = sniff_possible,
                                               .read = refuse},
                                   magic = {.name = "magic", .sniff = sniff_magic, .read = refuse};
    static const struct flm_format *const at[] = {&possible, &likely, &magic};
    static const struct flm_formats table = {NULL, at, 3};
    struct flm_source source = flm_source_of(flm_bytes_of(text));
    struct flm_read_options options = {0};
    struct flm_reading reading;
    struct flm_error why = {0};
    assert_true(flm_reading_begin(&reading, &table, &source, format, &options, &why));
    assert_null(flm_reading_finish(&reading, &why));
    flm_reading_explain(&reading, &why);
    assert_string_equal(why.text, expected);
    flm_reading_clear(&reading);
}

static void a_wrong_guess_names_what_it_could_be_too(void **state)
{
    (void)state;
    assert_refused("x y", NULL,
                   "line 3: it is broken (read as likely; it could also be possible: -f possible)");
    assert_refused("x y", "likely", "line 3: it is broken");
    assert_refused("MAGIC", NULL, "line 3: it is broken");
    assert_refused("other", NULL, "line 3: it is broken");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_format_is_read_however_it_comes),
        cmocka_unit_test(marks_and_utf16_are_seen_through),
        cmocka_unit_test(errors_say_why_a_file_cannot_be_read),
        cmocka_unit_test(reading_survives_failed_allocations),
        cmocka_unit_test(a_wrong_guess_names_what_it_could_be_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
