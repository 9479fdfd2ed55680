#include "format/json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "format/formats.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/format_laws.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_text written(const struct flm_profile *p, const struct flm_format *format)
{
    struct flm_text text = {0};
    struct flm_write_options options = {.metric = {0}};
    struct flm_error why = {0};
    assert_true(format->write(p, &options, &text, &why));
    assert_false(text.failed);
    return text;
}

static struct flm_profile *read_json(struct flm_bytes text)
{
    static const struct flm_read_options options = {.keep_times = true};
    return read_bytes(&flm_format_json, text, &options);
}

static struct flm_bytes bytes(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static void a_profile_reads_back_as_itself(void **state)
{
    (void)state;
    uint64_t random = 17;
    for (int round = 0; round < 40; round++) {
        struct random_shape shape = random_full;
        shape.locations = false;
        shape.samples = (enum random_samples)(round % 3);
        shape.stacks = 1 + (unsigned)round * 3;
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_text text = written(p, &flm_format_json);
        struct flm_profile *again = read_json(bytes(&text));
        assert_profiles_equal(again, p);
        flm_text_clear(&text);
        flm_profile_free(again);
        flm_profile_free(p);
    }
}

static const char small[] = "{\"format\": \"flamel profile\", \"version\": 1,\n"
                            " \"metrics\": [{\"name\": \"cpu\", \"unit\": \"ns\"}],\n"
                            " \"frames\": [{\"function\": \"main\", \"other\": [1]}, "
                            "{\"function\": \"run\", \"line\": 7}],\n"
                            " \"stacks\": [{\"parent\": null, \"frame\": 0, \"self\": [1.5]},\n"
                            "            {\"parent\": 0, \"frame\": 1, \"self\": [4]}],\n"
                            " \"samples\": [{\"time_ns\": 9, \"stack\": 1, \"labels\": "
                            "[[\"thread\", \"7\"]], \"values\": [3]}],\n"
                            " \"more\": {\"x\": 1}}\n";

static void what_other_programs_write_is_read_and_more_members_are_skipped(void **state)
{
    (void)state;
    struct flm_bytes text = flm_bytes_of(small);
    assert_true(flm_format_json.sniff(text, true) == FLM_SNIFF_SURE);
    struct flm_profile *p = read_json(text);
    assert_folded(p, "main 1.5\nmain;run 4\n");
    assert_int_equal(flm_profile_sample_count(p), 1);
    assert_sound(p);
    flm_profile_free(p);
    assert_survives_cuts(&flm_format_json, text);
    assert_same_through_windows(&flm_format_json, text);
}

static void assert_refused_with(const char *from, const char *to, const char *expected)
{
    char text[2000];
    const char *at = strstr(small, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - small), small, to, at + strlen(from));
    struct flm_error why = {0};
    static const struct flm_read_options options = {.keep_times = true};
    assert_null(try_bytes(&flm_format_json, flm_bytes_of(text), &options, &why));
    if (!strstr(why.text, expected))
        fail_msg("'%s' does not contain '%s'", why.text, expected);
}

static void references_to_nothing_are_refused(void **state)
{
    (void)state;
    assert_refused_with("\"flamel profile\"", "\"other\"", "not flamel's");
    assert_refused_with("\"version\": 1", "\"version\": 2", "newer than this flamel");
    assert_refused_with("\"parent\": 0", "\"parent\": 1", "does not precede it");
    assert_refused_with("\"frame\": 1", "\"frame\": 2", "there is no such frame");
    assert_refused_with("\"frame\": 1", "\"frame\": -1", "there is no such frame");
    assert_refused_with("\"stack\": 1", "\"stack\": 2", "there is no such stack");
    assert_refused_with("[4]", "[4, 5]", "one value for each metric");
    assert_refused_with("\"values\": [3]", "\"values\": []", "one value for each metric");
    assert_refused_with("[1.5]", "[NaN]", "not finite");
    assert_refused_with("\"line\": 7", "\"line\": -7", "not a number of a line");
    assert_refused_with("\"7\"]", "\"7\", \"8\"]", "a key and a value");
    assert_refused_with("\"other\": [1]", "\"kind\": \"odd\"", "no such kind");
    assert_refused_with("\"other\": [1]", "\"address\": \"12\"", "0x55d0");
    assert_refused_with("\"time_ns\": 9", "\"duration_ns\": -1", "negative duration");
}

static bool write_and_read(void *context, struct flm_error *why)
{
    static const struct flm_read_options options = {.keep_times = true};
    static const struct flm_write_options write = {.metric = {0}};
    struct flm_text text = {0};
    struct flm_profile *again = NULL;
    if (flm_format_json.write(context, &write, &text, why) && !text.failed)
        again = try_bytes(&flm_format_json, bytes(&text), &options, why);
    else
        flm_error_memory(why);
    flm_text_clear(&text);
    flm_profile_free(again);
    return again != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = read_json(flm_bytes_of(small));
    assert_survives_failures(write_and_read, p);
    flm_profile_free(p);
}

/* ---- d3 -------------------------------------------------------------------------------------- */

/* Sums below a value never exceed it, and every stack is there. */
static void nested_json_has_the_totals_of_every_stack(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a 1\nmain;a;b 2\nmain;c 3\nz 4\n");
    struct flm_text text = written(p, &flm_format_d3);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, "{\"name\": \"all\", \"value\": 10, \"children\": ["
                                 "{\"name\": \"main\", \"value\": 6, \"children\": ["
                                 "{\"name\": \"a\", \"value\": 3, \"children\": ["
                                 "{\"name\": \"b\", \"value\": 2, \"children\": []}]},\n"
                                 "{\"name\": \"c\", \"value\": 3, \"children\": []}]},\n"
                                 "{\"name\": \"z\", \"value\": 4, \"children\": []}]}\n");
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void nested_json_of_nothing_and_of_depth_is_whole(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node node = flm_builder_root(b);
    for (int i = 0; i < 100000; i++)
        node = flm_builder_child(b, node, flm_builder_function(b, "f", 1));
    flm_builder_add(b, node, cpu, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text text = written(p, &flm_format_d3);
    size_t open = 0, close = 0;
    for (size_t i = 0; i < text.size; i++) {
        open += text.at[i] == '{';
        close += text.at[i] == '}';
    }
    assert_true(open == 100001 && close == 100001);
    flm_text_clear(&text);
    flm_profile_free(p);
    p = flm_builder_finish(flm_builder_new(NULL), NULL);
    text = written(p, &flm_format_d3);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, "{\"name\": \"all\", \"value\": 0, \"children\": []}\n");
    flm_text_clear(&text);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_reads_back_as_itself),
        cmocka_unit_test(what_other_programs_write_is_read_and_more_members_are_skipped),
        cmocka_unit_test(references_to_nothing_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nested_json_has_the_totals_of_every_stack),
        cmocka_unit_test(nested_json_of_nothing_and_of_depth_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
