#include "base/text/text.h"
#include "support/profile/format_laws.h"

static const struct flm_format *const pstats = &flm_format_pstats;

#define BYTES(literal) ((struct flm_bytes){literal, sizeof(literal) - 1})

static const char *const files[] = {"pstats/cprofile.pstats", "pstats/profile.pstats",
                                    "pstats/python2.pstats", "pstats/sampled.pstats",
                                    "pstats/version0.pstats"};

static void the_laws_of_readers_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_error why = {0};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), pstats);
        assert_same_through_windows(pstats, bytes);
        assert_survives_cuts(pstats, bytes);
        free((void *)bytes.at);
    }
}

static void little_memory_is_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_survives_little_memory(pstats, bytes);
        free((void *)bytes.at);
    }
}

/* Totals are those of `python3 -m pstats`. */
static void totals_are_those_of_pstats(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(pstats, "pstats/cprofile.pstats");
    assert_sound(p);
    assert_metric(p, 0, "time", "ns", 105731, 19);
    assert_metric(p, 1, "calls", "count", 331, 17);
    assert_note(p, "primitive calls", "151");
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);

    p = profile_of_file(pstats, "pstats/python2.pstats");
    assert_metric(p, 0, "time", "ns", 79000, 17);
    assert_metric(p, 1, "calls", "count", 330, 16);
    flm_profile_free(p);

    /* Code objects are read as their names: what the first line is called. */
    p = profile_of_file(pstats, "pstats/profile.pstats");
    assert_metric(p, 0, "time", "ns", 432843, 21);
    assert_metric(p, 1, "calls", "count", 333, 21);
    assert_true(is_string(p, frame_named(p, "profiler")->file, "profile"));
    flm_profile_free(p);
}

/* fib calls itself, even and odd call one another: both are below what called them first. */
static void recursion_makes_no_roots(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(pstats, "pstats/python2.pstats");
    assert_folded(p, "<module> 2000\n"
                     "<module>;main 3000\n"
                     "<module>;main;fib 19000\n"
                     "<module>;main;parse 7000\n"
                     "<module>;main;parse;<len> 1000\n"
                     "<module>;main;parse;even 12000\n"
                     "<module>;main;parse;even;odd 12000\n"
                     "<module>;main;parse;read 3478\n"
                     "<module>;main;parse;read;<method 'split' of 'str' objects> 1739\n"
                     "<module>;main;parse;read;<sorted> 10435\n"
                     "<module>;main;parse;read;<sorted>;<lambda> 2609\n"
                     "<module>;main;parse;read;<sorted>;<lambda>;<len> 1739\n"
                     "<module>;main;read 522\n"
                     "<module>;main;read;<method 'split' of 'str' objects> 261\n"
                     "<module>;main;read;<sorted> 1565\n"
                     "<module>;main;read;<sorted>;<lambda> 391\n"
                     "<module>;main;read;<sorted>;<lambda>;<len> 261\n");
    flm_profile_free(p);
}

static void samples_are_counted_where_the_file_says_so(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(pstats, "pstats/sampled.pstats");
    assert_metric(p, 0, "samples", "samples", 10, 2);
    assert_metric(p, 1, "time", "ns", 10000000, 2);
    assert_folded(p, "<module>;main 4\n<module>;main;fib 6\n");
    flm_profile_free(p);
}

static void numbers_as_text_are_read(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(pstats, "pstats/version0.pstats");
    assert_folded(p, "g 250000000\ng;<built-in f> 500000000\n");
    assert_true(is_string(p, frame_named(p, "g")->file, "a.py"));
    assert_int_equal(frame_named(p, "g")->line, 0);
    assert_int_equal(frame_named(p, "<built-in f>")->file, 0);
    flm_profile_free(p);

    struct flm_bytes bytes = file_bytes("pstats/version0.pstats");
    p = read_bytes(pstats, bytes, &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "g")->line, 1);
    flm_profile_free(p);
    free((void *)bytes.at);
}

/* ---- Malformed files ------------------------------------------------------------------------- */

static void refused(struct flm_bytes bytes, enum flm_error_kind kind, const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p = try_bytes(pstats, bytes, &(struct flm_read_options){0}, &why);
    if (p)
        fail_msg("it is read, where '%s' was expected", words);
    if (why.kind != kind || !strstr(why.text, words))
        fail_msg("the error is '%s', not '%s'", why.text, words);
}

/* A function of a file: its name, and the beginning of its numbers. */
#define NAME ")\3z\1fi\1\0\0\0z\1g"
#define ONE "i\1\0\0\0"

static void one_function_is_a_profile(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(pstats, BYTES("{" NAME ")\5" ONE ONE ONE ONE "{00"),
                                       &(struct flm_read_options){0});
    assert_folded(p, "g 1000000000\n");
    flm_profile_free(p);
    /* An integer of more than 15 bits, and one of 64. */
    p = read_bytes(pstats, BYTES("{" NAME ")\5l\2\0\0\0\1\0\1\0I\1\200\0\0\0\0\0\0" ONE ONE "{00"),
                   &(struct flm_read_options){0});
    assert_metric(p, 1, "calls", "count", 32769, 1);
    flm_profile_free(p);
    /* A time that is negative counts as 0, which is said. */
    p = read_bytes(pstats, BYTES("{" NAME ")\5" ONE ONE "l\377\377\377\377\1\0" ONE "{00"),
                   &(struct flm_read_options){0});
    assert_int_equal(p->sizes.loss_count, 1);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 0);
    flm_profile_free(p);
}

static void what_is_no_profile_is_refused(void **state)
{
    (void)state;
    enum flm_error_kind format = FLM_ERROR_FORMAT, range = FLM_ERROR_RANGE;
    refused(BYTES("{0"), format, "has no functions");
    refused(BYTES("N"), format, "it is not a dict");
    refused(BYTES("{" NAME), format, "byte 14: the file ends in the middle of a value");
    refused(BYTES("{" NAME "N0"), format, "no calls, times and callers");
    refused(BYTES("{" NAME ")\5" ONE ONE ONE ONE "N0"), format, "no dict of its callers");
    refused(BYTES("{" NAME ")\5" ONE ONE "N" ONE "{00"), format, "a time is not a number");
    refused(BYTES("{" NAME ")\5" ONE "N" ONE ONE "{00"), format, "calls is not a number");
    refused(BYTES("{" NAME ")\5" ONE "i\377\377\377\377" ONE ONE "{00"), range, "is negative");
    refused(BYTES("{" NAME ")\5" ONE ONE "g\0\0\0\0\0\0\370\177" ONE "{00"), range, "36 years");
    refused(BYTES("{)\3z\1fNz\1g)\5" ONE ONE ONE ONE "{00"), format, "a file, a line and a name");
    refused(BYTES("{\251\3z\1fr\0\0\0\0z\1g"), format, "refers to a value that is not there");
    refused(BYTES("{r\7\0\0\0"), format, "refers to a value that is not there");
    refused(BYTES("{R\7\0\0\0"), format, "refers to a value that is not there");
    refused(BYTES("{f\1x"), format, "a number is malformed");
    refused(BYTES("{Q"), format, "byte 2: this is no value that a profile has");
    char deep[200];
    memset(deep, '{', sizeof deep);
    refused((struct flm_bytes){deep, sizeof deep}, format, "nested too deeply");
}

/* The largest numbers that are read, and what is one more. */
static void numbers_have_bounds(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(pstats, BYTES("{" NAME ")\5" ONE "I\377\377\377\377\377\377\37\0" ONE ONE "{00"),
                   &(struct flm_read_options){0});
    assert_metric(p, 1, "calls", "count", 9007199254740991.0, 1);
    flm_profile_free(p);
    refused(BYTES("{" NAME ")\5" ONE "I\0\0\0\0\0\0\40\0" ONE ONE "{00"), FLM_ERROR_RANGE,
            "a number of calls is negative, or 2^53 or more");
    p = read_bytes(pstats, BYTES("{" NAME ")\5" ONE ONE "i\240\57\270\104" ONE "{00"),
                   &(struct flm_read_options){0});
    assert_metric(p, 0, "time", "ns", 1152921504e9, 1);
    flm_profile_free(p);
    refused(BYTES("{" NAME ")\5" ONE ONE "i\241\57\270\104" ONE "{00"), FLM_ERROR_RANGE,
            "a time is longer than 36 years");
    refused(BYTES("{" NAME ")\5" ONE ONE "i\0\0\0\200" ONE "{00"), FLM_ERROR_RANGE,
            "a time is longer than 36 years");
}

/* A thousand functions that refer to one dict of callers: no profiler writes them, and reading
 * would take a thousand times as long as the file is. */
static void shared_dicts_are_refused(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_add(&text, BYTES("{" NAME ")\5" ONE ONE ONE ONE "\373"));
    for (int i = 0; i < 100; i++) {
        char name[] = ")\3z\1fi\1\0\0\0z\1g" ONE;
        name[4] = (char)(' ' + i);
        flm_text_add(&text, (struct flm_bytes){name, sizeof name - 1});
    }
    flm_text_add(&text, BYTES("0"));
    for (int i = 0; i < 1000; i++)
        flm_text_add(&text, BYTES(NAME ")\5" ONE ONE ONE ONE "r\0\0\0\0"));
    flm_text_add(&text, BYTES("0"));
    assert_false(text.failed);
    refused((struct flm_bytes){text.at, text.size}, FLM_ERROR_FORMAT, "share their dicts");
    flm_text_clear(&text);
}

static void other_dicts_are_not_taken_for_profiles(void **state)
{
    (void)state;
    assert_int_equal(pstats->sniff(BYTES("{\"a\": 1}    "), true), FLM_SNIFF_NO);
    assert_int_equal(pstats->sniff(BYTES("{)\2z\1fz\1f)\5"), true), FLM_SNIFF_NO);
    assert_int_equal(pstats->sniff(BYTES("{(\3\0\1\0z\1f"), true), FLM_SNIFF_NO);
    assert_int_equal(pstats->sniff(BYTES("{)\3i\0\0\0\0\0"), true), FLM_SNIFF_NO);
    assert_int_equal(pstats->sniff(BYTES("{)\1z\4name"), true), FLM_SNIFF_NO);
    assert_int_equal(pstats->sniff(BYTES("{)\3"), true), FLM_SNIFF_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_laws_of_readers_hold),
        cmocka_unit_test(little_memory_is_survived),
        cmocka_unit_test(totals_are_those_of_pstats),
        cmocka_unit_test(recursion_makes_no_roots),
        cmocka_unit_test(samples_are_counted_where_the_file_says_so),
        cmocka_unit_test(numbers_as_text_are_read),
        cmocka_unit_test(one_function_is_a_profile),
        cmocka_unit_test(what_is_no_profile_is_refused),
        cmocka_unit_test(numbers_have_bounds),
        cmocka_unit_test(shared_dicts_are_refused),
        cmocka_unit_test(other_dicts_are_not_taken_for_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
