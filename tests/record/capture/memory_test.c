#include "record/capture/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "profile/columns.h"
#include "record/symbols/symbolized_session.h"
#include "support/core/files.h"
#include "support/profile/profiles.h"

static const char *make_root(void)
{
    static char root[300];
    char command[2000];
    snprintf(root, sizeof root, "%s", temporary_path("memory"));
    snprintf(command, sizeof command,
             "mkdir -p %s/proc/7 %s/proc/8 %s/proc/9 && cd %s/proc && echo 900 11 3 1 0 2 0 > "
             "7/statm && echo 900 12 3 > 8/statm && echo nonsense > 9/statm && "
             "printf 'MemTotal:  1000 kB\\nMemFree: 10 kB\\nMemAvailable:  400 kB\\n' > meminfo",
             root, root, root, root);
    assert_int_equal(system(command), 0);
    return root;
}

/* Process 7 has so many pages now. */
static void grow(const char *root, int pages)
{
    char path[400];
    snprintf(path, sizeof path, "%s/proc/7/statm", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "900 %d 3\n", pages);
    assert_int_equal(fclose(file), 0);
}

static void memory_is_what_the_kernel_says(void **state)
{
    (void)state;
    const char *root = make_root();
    double bytes = 0;
    assert_true(flm_memory_of_process(root, 7, &bytes));
    assert_true(bytes == 11.0 * (double)sysconf(_SC_PAGESIZE));
    assert_false(flm_memory_of_process(root, 9, &bytes));  /* no numbers */
    assert_false(flm_memory_of_process(root, 10, &bytes)); /* has ended */
    grow(root, 0);
    assert_false(flm_memory_of_process(root, 7, &bytes)); /* ends */
    assert_true(flm_memory_of_machine(root, &bytes));
    assert_true(bytes == 600 * 1024);
    assert_false(flm_memory_of_machine("/nonexistent", &bytes));
}

static struct flm_session *session_of(int32_t first, int32_t last)
{
    const struct flm_session_options options = {.keep_times = true};
    struct flm_session *s = flm_session_new(&options, NULL);
    assert_non_null(s);
    for (int32_t process = first; process <= last; process++) {
        struct flm_event fork = {.kind = FLM_EVENT_FORK,
                                 .process = process,
                                 .thread = process,
                                 .time_ns = 5,
                                 .fork = {1, 1}};
        assert_true(flm_session_add(s, &fork, NULL));
    }
    return s;
}

static struct flm_profile *finish(struct flm_session *s)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_true(flm_session_finish(s, b, NULL, NULL, NULL));
    flm_session_free(s);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_sound(p);
    return p;
}

static void processes_are_watched_four_times_a_second_until_they_end(void **state)
{
    (void)state;
    struct flm_memory_watch watch = {.root = make_root()};
    struct flm_session *s = session_of(7, 9);
    for (int64_t now_ns = 1; now_ns < 1000000000; now_ns += 10000000) {
        grow(watch.root, 11 + (int)(now_ns / 10000000));
        assert_true(flm_memory_watch(&watch, s, now_ns));
    }
    struct flm_event exit = {
        .kind = FLM_EVENT_EXIT, .process = 7, .thread = 7, .time_ns = 1100000000};
    assert_true(flm_session_add(s, &exit, NULL));
    assert_true(flm_memory_watch(&watch, s, 1200000000));
    struct flm_profile *p = finish(s);
    assert_int_equal(p->sizes.counter_count, 2);
    struct flm_counter_points seven = flm_profile_counter(p, (struct flm_counter){0});
    struct flm_counter_points eight = flm_profile_counter(p, (struct flm_counter){1});
    assert_int_equal(seven.point_count, 5); /* and 0 at its end */
    assert_true(seven.value[4] == 0 && seven.time_ns[4] == 1100000000);
    assert_int_equal(eight.point_count, 1); /* it stays as it is */
    assert_true(eight.value[0] > 0 && eight.time_ns[0] == 1);
    assert_true(seven.label_set.index != 0 && eight.label_set.index != seven.label_set.index);
    assert_false(watch.left_out);
    flm_profile_free(p);
}

static void a_thousand_processes_are_not_all_watched(void **state)
{
    (void)state;
    struct flm_memory_watch watch = {.root = make_root()};
    struct flm_session *s = session_of(7, 1006);
    assert_true(flm_memory_watch(&watch, s, 1));
    assert_true(watch.left_out);
    flm_session_free(s);
}

static void of_the_machine_there_is_one_counter(void **state)
{
    (void)state;
    struct flm_memory_watch watch = {.root = make_root(), .machine = true};
    struct flm_session *s = session_of(7, 8);
    assert_true(flm_memory_watch(&watch, s, 1));
    struct flm_profile *p = finish(s);
    assert_int_equal(p->sizes.counter_count, 1);
    assert_int_equal(flm_profile_counter(p, (struct flm_counter){0}).label_set.index, 0);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_what_the_kernel_says),
        cmocka_unit_test(processes_are_watched_four_times_a_second_until_they_end),
        cmocka_unit_test(a_thousand_processes_are_not_all_watched),
        cmocka_unit_test(of_the_machine_there_is_one_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
