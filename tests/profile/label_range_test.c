#include "profile/label_range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/profiles.h"

/* A sample for each row of keys and values, which NULL ends. */
static struct flm_profile *labelled(const char *const rows[][7], size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    for (size_t i = 0; i < count; i++) {
        struct flm_string text[6];
        size_t size = 0;
        for (; rows[i][size]; size++)
            text[size] = flm_builder_string(b, rows[i][size], strlen(rows[i][size]));
        flm_builder_sample(b, (int64_t)i, flm_builder_root(b),
                           flm_builder_label_set(b, text, size / 2), metric, 1);
    }
    return flm_builder_finish(b, NULL);
}

static void assert_value(const struct flm_profile *p, uint32_t sample, struct flm_label_range range,
                         const char *expected)
{
    uint32_t value = flm_label_value_in(p, p->sample_labels[sample], range);
    assert_int_equal(value == FLM_NONE, expected == NULL);
    if (expected)
        assert_true(flm_bytes_are(flm_string_bytes(p, value), expected));
}

static void a_range_has_the_labels_of_its_key(void **state)
{
    (void)state;
    static const char *const rows[][7] = {
        {"thread", "11", "process", "10"}, {"thread", "12", "state", "lock"}, {"process", "20"}};
    struct flm_profile *p = labelled(rows, 3);
    struct flm_label_range threads = flm_label_range_of(p, "thread");
    assert_int_equal(threads.count, 2);
    assert_value(p, 0, threads, "11");
    assert_value(p, 1, threads, "12");
    assert_value(p, 2, threads, NULL);
    assert_int_equal(flm_label_range_of(p, "thr").count, 0);
    assert_value(p, 0, flm_label_range_of(p, "thr"), NULL);
    flm_profile_free(p);
}

/* The samples are of one thread, in this order: checks its name. */
static void assert_name(const struct flm_profile *p, const char *expected)
{
    struct flm_thread_labels labels = flm_thread_labels_of(p);
    uint32_t name = FLM_NONE;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        name = flm_thread_labels_name(p, p->sample_labels[i], &labels, name);
    assert_true(flm_bytes_are(flm_string_bytes(p, name), expected));
}

/* The last name wins, and a name wins over a command before or after it. */
static void a_thread_without_a_name_has_that_of_its_command(void **state)
{
    (void)state;
    static const char *const worker[] = {"thread", "1", "thread name", "worker"},
                             *const java[] = {"thread", "1", "command", "java"},
                             *const gc[] = {"thread", "1", "command", "GC Thread#0"},
                             *const none[] = {"thread", "1"};
    static const struct {
        const char *const *samples[4];
        const char *expected;
    } cases[] = {{{java, gc, none}, "GC Thread#0"},    {{gc, java}, "java"},
                 {{java, worker, gc}, "worker"},       {{worker, none, java}, "worker"},
                 {{none, worker, none, gc}, "worker"}, {{java, none, worker}, "worker"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *rows[5][7] = {0};
        size_t count = 0;
        for (; count < 4 && cases[i].samples[count]; count++)
            memcpy(rows[count], cases[i].samples[count],
                   (cases[i].samples[count] == none ? 2 : 4) * sizeof *rows[0]);
        struct flm_profile *p = labelled((const char *const(*)[7])rows, count);
        assert_name(p, cases[i].expected);
        flm_profile_free(p);
    }
}

static void threads_are_known_by_the_keys_of_all_readers(void **state)
{
    (void)state;
    static const char *const ours[][7] = {{"thread", "11", "process", "10", "command", "app"},
                                          {"thread", "12", "process", "10"}};
    static const char *const of_others[][7] = {{"tid", "11", "pid", "10"}};
    static const char *const named[][7] = {
        {"thread", "11", "thread name", "worker", "process", "10"}};
    static const char *const commands[][7] = {{"command", "app"}, {"command", "sh"}};
    struct flm_profile *p = labelled(ours, 2);
    struct flm_thread_labels labels = flm_thread_labels_of(p);
    assert_value(p, 0, labels.threads, "11");
    assert_value(p, 1, labels.processes, "10");
    assert_value(p, 0, labels.commands, "app");
    flm_profile_free(p);
    p = labelled(of_others, 1);
    labels = flm_thread_labels_of(p);
    assert_value(p, 0, labels.threads, "11");
    assert_value(p, 0, labels.processes, "10");
    flm_profile_free(p);
    p = labelled(named, 1);
    labels = flm_thread_labels_of(p);
    assert_value(p, 0, labels.threads, "11");
    assert_value(p, 0, labels.commands, "worker");
    flm_profile_free(p);
    p = labelled(commands, 2); /* nothing else: a thread is a command, and has none besides */
    labels = flm_thread_labels_of(p);
    assert_value(p, 1, labels.threads, "sh");
    assert_value(p, 1, labels.commands, NULL);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_has_the_labels_of_its_key),
        cmocka_unit_test(a_thread_without_a_name_has_that_of_its_command),
        cmocka_unit_test(threads_are_known_by_the_keys_of_all_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
