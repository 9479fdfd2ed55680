/* parts_test.c - parts of a CPU profile, as events of traces have them, become one. */
#include "format/v8/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "profile/internal.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static bool read_part(struct flm_v8_profile *part, const char *text)
{
    struct flm_source source = flm_source_of(flm_bytes_of(text));
    struct flm_json json;
    flm_json_init(&json, &source, NULL);
    flm_v8_read_part(part, &json);
    return flm_json_finish(&json);
}

static bool add_part(struct flm_v8_profile *all, const char *text)
{
    struct flm_v8_profile part = {.builder = all->builder};
    bool good = read_part(&part, text) && flm_v8_append(all, &part);
    flm_v8_clear(&part);
    return good;
}

static const char *const parts[] = {
    "{\"startTime\": 5}",
    "{\"cpuProfile\": {\"nodes\": [{\"id\": 1, \"callFrame\": {\"functionName\": \"a\"}, "
    "\"positionTicks\": [{\"line\": 3, \"ticks\": 1}]}], \"samples\": [1]}, \"timeDeltas\": [2]}",
    "{\"lines\": [8, 9], \"other\": [1], \"cpuProfile\": {\"nodes\": [{\"id\": 2, \"parent\": 1, "
    "\"callFrame\": {\"functionName\": \"b\"}, \"positionTicks\": [{\"line\": 4, \"ticks\": 1}]}], "
    "\"samples\": [2, 1], \"cpuProfile\": {\"samples\": [7]}}, \"timeDeltas\": [10, 20]}",
};

static struct flm_profile *make_all(struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    struct flm_v8_profile all = {.builder = b};
    bool good = b != NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && good; i++)
        good = add_part(&all, parts[i]);
    if (good) {
        struct flm_metric time = flm_builder_metric(b, "time", "us");
        good = flm_v8_make_stacks(&all, flm_builder_root(b), false, why);
        flm_v8_add_samples(&all, flm_builder_root(b), time, &(struct flm_read_options){0},
                           (struct flm_label_set){0});
    }
    flm_v8_clear(&all);
    if (good)
        return flm_builder_finish(b, why);
    flm_builder_free(b);
    return NULL;
}

static bool survives(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_profile *p = make_all(why);
    flm_profile_free(p);
    return p || flm_error_memory(why); /* adding parts has no error of its own */
}

static void parts_are_one_profile(void **state)
{
    (void)state;
    struct flm_profile *p = make_all(NULL);
    assert_non_null(p);
    assert_folded(p, "a 10\na;b 20\n");
    flm_profile_free(p);
    assert_true(assert_survives_failures(survives, NULL) > 5);
}

/* Nodes, lines and ticks of a part refer to that part. */
static void what_a_part_refers_to_is_its_own(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_v8_profile all = {.builder = b};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_true(add_part(&all, parts[i]));
    assert_true(all.start_us == 5);
    assert_int_equal(all.nodes.count, 2);
    assert_int_equal(all.nodes.at[1].ticks, 1);
    assert_int_equal(all.ticks.at[1].line, 4);
    assert_int_equal(all.edges.count, 1);
    assert_int_equal(all.edges.at[0].from, 1);
    assert_int_equal(all.edges.at[0].to, 1);
    assert_int_equal(all.samples.count, 3);
    assert_int_equal(all.lines.count, 3);
    assert_int_equal(all.lines.at[0], 0); /* the part of the first sample has none */
    assert_int_equal(all.lines.at[1], 8);
    assert_int_equal(all.lines.at[2], 9);
    flm_v8_clear(&all);
    flm_builder_free(b);
}

/* A part that has more lines than samples does not shift those of the next one. */
static void lines_without_samples_go(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_v8_profile all = {.builder = b};
    assert_true(add_part(&all, "{\"lines\": [8, 9], \"cpuProfile\": {\"samples\": [1]}}"));
    assert_true(add_part(&all, "{\"lines\": [5], \"cpuProfile\": {\"samples\": [1]}}"));
    assert_int_equal(all.lines.count, 2);
    assert_int_equal(all.lines.at[0], 8);
    assert_int_equal(all.lines.at[1], 5);
    flm_v8_clear(&all);
    flm_builder_free(b);
}

static void what_is_no_part_is_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"[1]", "7", "{}",
                                        "{\"cpuProfile\": 1, \"timeDeltas\": {}}"};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_v8_profile all = {.builder = b};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_part(&all, texts[i]);
    assert_false(read_part(&all, "{\"cpuProfile\": {\"nodes\": ["));
    assert_int_equal(all.nodes.count + all.samples.count + all.deltas.count + all.lines.count, 0);
    flm_v8_clear(&all);
    flm_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_one_profile),
        cmocka_unit_test(what_a_part_refers_to_is_its_own),
        cmocka_unit_test(lines_without_samples_go),
        cmocka_unit_test(what_is_no_part_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
