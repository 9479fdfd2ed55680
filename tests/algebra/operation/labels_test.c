#include "algebra/operation/labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/profiles.h"

/* Samples with one label each. */
static struct flm_profile *labeled(const char *const (*labels)[2], size_t count)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    assert_non_null(b);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    for (size_t i = 0; i < count; i++) {
        struct flm_bytes key = flm_bytes_of(labels[i][0]), value = flm_bytes_of(labels[i][1]);
        struct flm_string pair[2] = {flm_builder_string(b, key.at, key.size),
                                     flm_builder_string(b, value.at, value.size)};
        flm_builder_sample(b, FLM_NO_TIME, node, flm_builder_label_set(b, pair, 1), metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

static const char *const recorded[][2] = {{"thread", "32000"},  {"thread", "32001"},
                                          {"process", "32000"}, {"command", "postgres"},
                                          {"command", "cron"},  {"cpu", "003"}};
static const char *const other[][2] = {{"tid", "7"}, {"comm", "sh"}};
enum { RECORDED = sizeof recorded / sizeof recorded[0], OTHER = sizeof other / sizeof other[0] };

static void assert_key(const struct flm_profile *p, const char *asked, const char *expected)
{
    struct flm_bytes key = flm_label_key(p, flm_bytes_of(asked));
    if (!flm_bytes_are(key, expected))
        fail_msg("%s is %.*s", asked, (int)key.size, key.at);
}

static void keys_have_the_names_of_perf_too(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(recorded, RECORDED), *q = labeled(other, OTHER);
    assert_key(p, "tid", "thread");
    assert_key(p, "pid", "process");
    assert_key(p, "comm", "command");
    assert_key(p, "thread", "thread");
    assert_key(p, "cpu", "cpu");
    assert_key(p, "nothing", "nothing");
    assert_key(q, "thread", "tid");
    assert_key(q, "command", "comm");
    assert_key(q, "tid", "tid");
    assert_key(q, "pid", "pid"); /* there is neither */
    flm_profile_free(p);
    flm_profile_free(q);
}

/* `expected` NULL: there is such a label. */
static void assert_says(const struct flm_profile *p, const char *key, const char *value,
                        const char *expected)
{
    char buffer[300];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer - 1);
    bool exists = flm_label_exists(p, flm_bytes_of(key), flm_bytes_of(value), &text);
    buffer[text.size] = 0;
    assert_true(exists == !expected);
    assert_string_equal(buffer, expected ? expected : "");
}

static void labels_that_are_missing_are_explained(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(recorded, RECORDED), *none = profile_of("main 1\n");
    assert_says(p, "thread", "32001", NULL);
    assert_says(p, "thread", "", NULL);
    assert_says(p, "thread", "1,32001", NULL);
    assert_says(p, "thread", "4711", "no label thread is '4711': it is 32000, 32001");
    assert_says(p, "command", "postgers",
                "no label command is 'postgers': did you mean postgres? It is cron, postgres");
    assert_says(p, "cpu", "3", "no label cpu is '3': it is 003");
    assert_says(p, "treads", "1",
                "there is no label 'treads': did you mean thread? There are command, cpu, process, "
                "thread");
    assert_says(p, "xyz", "", "there is no label 'xyz': there are command, cpu, process, thread");
    assert_says(none, "thread", "1", "no sample has labels");
    flm_profile_free(p);
    flm_profile_free(none);
}

static void long_lists_are_cut(void **state)
{
    (void)state;
    char values[20][8];
    const char *labels[20][2];
    for (int i = 0; i < 20; i++) {
        snprintf(values[i], sizeof values[i], "%d", 100 + i);
        labels[i][0] = "thread";
        labels[i][1] = values[i];
    }
    struct flm_profile *p = labeled((const char *const(*)[2])labels, 20);
    assert_says(p, "thread", "main",
                "no label thread is 'main': it is 100, 101, 102, 103 and 16 others");
    flm_profile_free(p);
}

static void a_value_is_one_of_several(void **state)
{
    (void)state;
    struct flm_bytes value = flm_bytes_of("b");
    assert_true(flm_label_is(flm_bytes_of(""), value));
    assert_true(flm_label_is(flm_bytes_of("b"), value));
    assert_true(flm_label_is(flm_bytes_of("a,b"), value));
    assert_true(flm_label_is(flm_bytes_of("b,c"), value));
    assert_false(flm_label_is(flm_bytes_of("a,c"), value));
    assert_false(flm_label_is(flm_bytes_of("bb"), value));
    assert_true(flm_label_is(flm_bytes_of("x,y"), flm_bytes_of("x,y")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_the_names_of_perf_too),
        cmocka_unit_test(labels_that_are_missing_are_explained),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(a_value_is_one_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
