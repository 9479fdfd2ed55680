#include "algebra/operation/thread_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

/* Samples in this order, with the labels of each: key, value ... */
typedef const char *sample_labels[7];

static struct flm_profile *labeled(const sample_labels *samples, size_t count)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    assert_non_null(b);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    for (size_t i = 0; i < count; i++) {
        struct flm_string labels[6];
        size_t n = 0;
        for (; samples[i][n]; n++)
            labels[n] = flm_builder_string(b, samples[i][n], strlen(samples[i][n]));
        flm_builder_sample(b, (int64_t)i, node, flm_builder_label_set(b, labels, n / 2), metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

/* Which samples are kept, as digits; "" and what is said where none is. */
static void assert_kept(const struct flm_profile *p, enum flm_thread_filter by, const char *wanted,
                        const char *expected)
{
    unsigned char kept[20], agreeing[20];
    char got[300];
    struct flm_text text = {0};
    struct flm_error why;
    size_t size = 0;
    assert_true(p->sizes.label_set_count <= sizeof kept);
    if (!flm_thread_filter_mark(p, by, flm_bytes_of(wanted), kept, agreeing, &text, &why))
        fail_msg("%s: %s", wanted, why.text);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (kept[p->sample_labels[i]])
            got[size++] = (char)('0' + i);
    got[size] = 0;
    if (text.size > 0)
        snprintf(got + size, sizeof got - size, "%.*s", (int)text.size, text.at);
    if (strcmp(got, expected) != 0)
        fail_msg("%s gives '%s', not '%s'", wanted, got, expected);
    flm_text_clear(&text);
}

static const sample_labels mounted[] = {
    {"thread name", "worker-1", "virtual thread", "order-7"},
    {"thread name", "worker-1"},
    {"thread name", "main", "virtual thread", "#22"},
};

static void a_virtual_thread_is_found_by_its_name_and_by_that_of_its_carrier(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(mounted, 3);
    assert_kept(p, FLM_FILTER_THREAD, "order-*", "0");
    assert_kept(p, FLM_FILTER_THREAD, "worker-*", "01");
    assert_kept(p, FLM_FILTER_THREAD, "#22,order-7", "02");
    assert_kept(p, FLM_FILTER_COMMAND, "order-7", "no sample has a command");
    flm_profile_free(p);
}

static const sample_labels dumped[] = {
    {"thread name", "http-1", "thread", "11", "state", "RUNNABLE"},
    {"thread name", "http-2", "thread", "12", "state", "BLOCKED"},
    {"thread name", "pool, 1", "thread", "13", "state", "TIMED_WAITING"},
    {"thread name", "11", "thread", "14", "state", "WAITING"},
};
enum { DUMPED = sizeof dumped / sizeof dumped[0] };

static void threads_are_found_by_name_and_number(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(dumped, DUMPED);
    assert_kept(p, FLM_FILTER_THREAD, "http-1", "0");
    assert_kept(p, FLM_FILTER_THREAD, "http-*", "01");
    assert_kept(p, FLM_FILTER_THREAD, "http-?, 14", "013");
    assert_kept(p, FLM_FILTER_THREAD, "11", "03"); /* the number of one, the name of another */
    assert_kept(p, FLM_FILTER_THREAD, "pool, 1", "2");
    assert_kept(p, FLM_FILTER_THREAD, "\"pool, 1\"", "2");
    assert_kept(p, FLM_FILTER_THREAD, "/^http-[23]/", "1");
    assert_kept(p, FLM_FILTER_THREAD, "/HTTP/i", "01");
    assert_kept(p, FLM_FILTER_THREAD, "\"http-*\"",
                "no thread is 'http-*': did you mean http-*? It is 11, http-1, http-2, "
                "pool, 1");
    assert_kept(p, FLM_FILTER_THREAD, "htpt-*",
                "no thread is 'htpt-*': did you mean http-*? It is 11, http-1, http-2, "
                "pool, 1");
    flm_profile_free(p);
}

static void states_are_found_in_any_spelling(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(dumped, DUMPED);
    assert_kept(p, FLM_FILTER_STATE, "runnable,blocked", "01");
    assert_kept(p, FLM_FILTER_STATE, "Timed-Waiting", "2");
    assert_kept(p, FLM_FILTER_STATE, "timed waiting, TIMED_WAITING", "2");
    assert_kept(p, FLM_FILTER_STATE, "waiting", "3"); /* and not what ends so */
    assert_kept(p, FLM_FILTER_STATE, "on-cpu",
                "no state is 'on-cpu': it is BLOCKED, RUNNABLE, TIMED_WAITING, WAITING");
    flm_profile_free(p);
}

static void what_ran_has_a_state_where_others_have(void **state)
{
    (void)state;
    static const sample_labels recorded[] = {{"command", "sh", "thread", "7"},
                                             {"command", "sh", "thread", "7", "state", "sleeping"}};
    struct flm_profile *p = labeled(recorded, 2), *q = labeled(recorded, 1);
    assert_kept(p, FLM_FILTER_STATE, "on-CPU", "0");
    assert_kept(p, FLM_FILTER_STATE, "sleeping,on_cpu", "01");
    assert_kept(q, FLM_FILTER_STATE, "on-CPU",
                "no sample has a state: thread dumps have them, and recordings with --off-cpu");
    assert_kept(p, FLM_FILTER_THREAD, "s*", "01"); /* by command: there is no other name */
    assert_kept(p, FLM_FILTER_THREAD, "8", "no thread is '8': did you mean 7? It is 7");
    flm_profile_free(p);
    flm_profile_free(q);
}

/* As perf calls them, and as others do. */
static void processes_and_commands_are_found(void **state)
{
    (void)state;
    static const sample_labels recorded[] = {
        {"command", "gcc", "process", "7", "thread", "7"},
        {"command", "cc1", "process", "8", "thread", "9"},
        {"comm", "as", "pid", "9", "tid", "9"},
        {"process name", "Web Content", "process", "10"},
    };
    struct flm_profile *p = labeled(recorded, 2), *perf = labeled(recorded + 2, 1),
                       *named = labeled(recorded, 4);
    assert_kept(p, FLM_FILTER_PROCESS, "7,9", "0"); /* 9 is a thread */
    assert_kept(p, FLM_FILTER_PROCESS, "cc*", "1");
    assert_kept(p, FLM_FILTER_PROCESS, "/^./", "01");
    assert_kept(p, FLM_FILTER_PROCESS, "c11",
                "no process is 'c11': did you mean cc1? It is cc1, gcc");
    assert_kept(p, FLM_FILTER_COMMAND, "gcc", "0");
    assert_kept(p, FLM_FILTER_COMMAND, "7", "no command is '7': it is cc1, gcc");
    assert_kept(p, FLM_FILTER_PROCESS, "6", "no process is '6': did you mean 7 or 8? It is 7, 8");
    assert_kept(perf, FLM_FILTER_PROCESS, "9", "0");
    assert_kept(perf, FLM_FILTER_COMMAND, "a?", "0");
    assert_kept(named, FLM_FILTER_PROCESS, "Web*,8", "13");
    static const sample_labels other[] = {{"cpu", "1"}};
    struct flm_profile *none = labeled(other, 1);
    assert_kept(none, FLM_FILTER_PROCESS, "7", "no sample has a process");
    assert_kept(none, FLM_FILTER_COMMAND, "7", "no sample has a command");
    flm_profile_free(none);
    flm_profile_free(named);
    flm_profile_free(perf);
    flm_profile_free(p);
}

static void markers_that_say_nothing_agree(void **state)
{
    (void)state;
    static const sample_labels samples[] = {{"thread name", "a"}, {"cpu", "1"}};
    struct flm_profile *p = labeled(samples, 2);
    unsigned char kept[8], agreeing[8];
    struct flm_text text = {0};
    assert_true(flm_thread_filter_mark(p, FLM_FILTER_THREAD, flm_bytes_of("b"), kept, agreeing,
                                       &text, NULL));
    assert_false(kept[p->sample_labels[0]] || agreeing[p->sample_labels[0]]);
    assert_true(!kept[p->sample_labels[1]] && agreeing[p->sample_labels[1]]);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void malformed_ones_are_refused_with_their_place(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(dumped, DUMPED);
    unsigned char kept[8], agreeing[8];
    struct flm_text text = {0};
    struct flm_error why = {0};
    assert_false(flm_thread_filter_mark(p, FLM_FILTER_THREAD, flm_bytes_of("/a(/"), kept, agreeing,
                                        &text, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_int_equal(why.offset, 2);
    flm_profile_free(p);
}

static bool filter_threads(void *context, struct flm_error *why)
{
    unsigned char kept[8], agreeing[8];
    struct flm_text text = {0};
    bool good = flm_thread_filter_mark(context, FLM_FILTER_THREAD, flm_bytes_of("/http/"), kept,
                                       agreeing, &text, why);
    flm_text_clear(&text);
    return good;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(dumped, DUMPED);
    assert_true(assert_survives_failures(filter_threads, p) > 2);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_virtual_thread_is_found_by_its_name_and_by_that_of_its_carrier),
        cmocka_unit_test(threads_are_found_by_name_and_number),
        cmocka_unit_test(states_are_found_in_any_spelling),
        cmocka_unit_test(what_ran_has_a_state_where_others_have),
        cmocka_unit_test(processes_and_commands_are_found),
        cmocka_unit_test(markers_that_say_nothing_agree),
        cmocka_unit_test(malformed_ones_are_refused_with_their_place),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
