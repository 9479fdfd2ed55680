#include "format/java/dump_series.h"

#include "profile/internal.h"
#include "support/core/failures.h"
#include "support/profile/format_laws.h"

#define TITLE "2026-11-28 02:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n"
#define VM "\"VM Thread\" os_prio=0 cpu=%d.00ms elapsed=1.00s tid=0x3 nid=0x30 runnable\n\n"
#define MAIN                                                                                       \
    "\"main\" #1 prio=5 cpu=%d.50ms elapsed=1.00s tid=0x1 nid=0x10 runnable [0x1]\n"               \
    "   java.lang.Thread.State: RUNNABLE\n\tat A.run(A.java:3)\n\tat A.main(A.java:9)\n\n"
#define POOL                                                                                       \
    "\"pool\" #2 prio=5 cpu=%d.00ms elapsed=1.00s tid=0x2 nid=0x20 waiting [0x1]\n"                \
    "   java.lang.Thread.State: WAITING (parking)\n\tat B.take(B.java:5)\n\n"

static const int64_t second = 1000000000;

static struct flm_java_series *new_series(bool by_thread)
{
    const struct flm_read_options options = {.by_thread = by_thread};
    struct flm_java_series *series = flm_java_series_new(&options, NULL);
    assert_non_null(series);
    return series;
}

static void add(struct flm_java_series *series, const char *dump, int64_t time_ns, int64_t lasts_ns)
{
    struct flm_error why;
    if (!flm_java_series_add(series, flm_bytes_of(dump), time_ns, lasts_ns, &why))
        fail_msg("%s", why.text);
}

/* A dump with what three threads have used so far, in ms: main, pool and the VM's own. */
static const char *dump_of(int main_ms, int pool_ms, int vm_ms)
{
    static char text[2000];
    snprintf(text, sizeof text, TITLE MAIN POOL VM "\n", main_ms, pool_ms, vm_ms);
    return text;
}

static void samples_last_until_the_next_dump(void **state)
{
    (void)state;
    struct flm_java_series *series = new_series(false);
    add(series, dump_of(10, 5, 1), 100 * second, second);
    add(series, dump_of(510, 5, 3), 101 * second, 2 * second);
    add(series, dump_of(1510, 6, 4), 103 * second, second / 2);
    assert_int_equal(flm_java_series_frameless_cpu_ns(series), 3000000);
    struct flm_profile *p = flm_java_series_finish(series, NULL);
    assert_non_null(p);
    assert_sound(p);
    assert_metric(p, 0, "wall", "ns", 7e9, 2);
    assert_metric(p, 1, "cpu", "ns", 1501e6, 2);
    assert_int_equal(p->sizes.sample_count, 6);
    int64_t last = 0;
    double wall = 0;
    for (uint32_t i = 0; i < 6; i++) {
        int64_t duration = flm_profile_sample_durations(p)[i];
        assert_true(p->sample_time[i] >= last);
        assert_true((double)duration == flm_sample_value(p, 0, i));
        last = p->sample_time[i];
        wall += (double)duration;
    }
    assert_true(last == 103 * second && wall == 7e9);
    assert_note(p, "dumps", "3");
    flm_profile_free(p);
}

/* CPU time is at the stack of the dump that says it, as of the dump before. */
static void cpu_time_is_what_was_used_between_two_dumps(void **state)
{
    (void)state;
    struct flm_java_series *series = new_series(false);
    add(series, dump_of(1000, 5, 1), 0, second); /* since when, nobody knows */
    char text[1000];
    snprintf(text, sizeof text,
             TITLE
             "\"main\" #1 prio=5 cpu=1400.25ms elapsed=1.00s tid=0x1 nid=0x10 runnable [0x1]\n"
             "   java.lang.Thread.State: RUNNABLE\n\tat A.main(A.java:9)\n\n"
             /* The number of a thread that has ended, now of another one. */
             "\"new\" #3 prio=5 cpu=2.00ms elapsed=0.10s tid=0x9 nid=0x20 runnable [0x1]\n"
             "   java.lang.Thread.State: RUNNABLE\n\tat C.run(C.java:9)\n\n"
             "\"newer\" #4 prio=5 cpu=7.00ms elapsed=0.10s tid=0x8 nid=0x21 runnable [0x1]\n"
             "   java.lang.Thread.State: RUNNABLE\n\tat C.call(C.java:9)\n\n\n");
    add(series, text, second, second);
    struct flm_profile *p = flm_java_series_finish(series, NULL);
    assert_non_null(p);
    assert_metric(p, 1, "cpu", "ns", 399.75e6 + 2e6 + 7e6, 3);
    flm_profile_free(p);
}

static void vms_that_say_no_cpu_time_have_no_such_metric(void **state)
{
    (void)state;
    struct flm_java_series *series = new_series(false);
    static const char old[] =
        TITLE "\"main\" #1 prio=5 os_prio=0 tid=0x1 nid=0x10 runnable [0x1]\n"
              "   java.lang.Thread.State: RUNNABLE\n\tat A.main(A.java:9)\n\n";
    add(series, old, 0, second);
    add(series, old, second, second);
    assert_int_equal(flm_java_series_frameless_cpu_ns(series), -1);
    struct flm_profile *p = flm_java_series_finish(series, NULL);
    assert_non_null(p);
    assert_int_equal(p->sizes.metric_count, 1);
    assert_metric(p, 0, "wall", "ns", 2e9, 1);
    flm_profile_free(p);
}

static void what_a_carrier_uses_is_of_the_virtual_thread(void **state)
{
    (void)state;
    struct flm_java_series *series = new_series(false);
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 TITLE
                 "\"carrier\" #28 daemon prio=5 cpu=%d.00ms elapsed=1.00s tid=0x1 nid=77  [0x1]\n"
                 "   Carrying virtual thread #27\n\tat Continuation.run(Continuation.java:2)\n"
                 "   Mounted virtual thread #27\n\tat VT.fib(VT.java:3)\n\n\n",
                 100 + 50 * i);
        add(series, text, i * second, second);
    }
    struct flm_profile *p = flm_java_series_finish(series, NULL);
    assert_non_null(p);
    assert_metric(p, 0, "wall", "ns", 4e9, 2);
    assert_metric(p, 1, "cpu", "ns", 50e6, 1);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (flm_sample_value(p, 1, i) > 0)
            assert_true(
                flm_bytes_are(flm_frame_function(p, p->node_frame[p->sample_node[i]]), "VT.fib"));
    flm_profile_free(p);
}

static void threads_are_frames_where_wanted(void **state)
{
    (void)state;
    struct flm_java_series *series = new_series(true);
    add(series, dump_of(1, 1, 1), 0, second);
    struct flm_profile *p = flm_java_series_finish(series, NULL);
    assert_non_null(p);
    assert_metric(p, 0, "wall", "ns", 3e9, 3); /* the VM's own, too */
    flm_profile_free(p);
}

static void an_answer_without_threads_is_refused(void **state)
{
    (void)state;
    struct flm_java_series *series = new_series(false);
    struct flm_error why;
    assert_false(flm_java_series_add(series, flm_bytes_of("what?\n"), 0, second, &why));
    assert_string_equal(why.text, "the VM's answer has no threads");
    flm_java_series_free(series);
    flm_java_series_free(NULL);
}

static bool make(void *context, struct flm_error *why)
{
    (void)context;
    const struct flm_read_options options = {.by_thread = true};
    struct flm_java_series *series = flm_java_series_new(&options, why);
    if (!series)
        return false;
    for (int i = 0; i < 3; i++)
        if (!flm_java_series_add(series, flm_bytes_of(dump_of(i, i, i)), i, 1, why)) {
            flm_java_series_free(series);
            return false;
        }
    struct flm_profile *p = flm_java_series_finish(series, why);
    flm_profile_free(p);
    return p != NULL;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(make, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_last_until_the_next_dump),
        cmocka_unit_test(cpu_time_is_what_was_used_between_two_dumps),
        cmocka_unit_test(vms_that_say_no_cpu_time_have_no_such_metric),
        cmocka_unit_test(what_a_carrier_uses_is_of_the_virtual_thread),
        cmocka_unit_test(threads_are_frames_where_wanted),
        cmocka_unit_test(an_answer_without_threads_is_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
