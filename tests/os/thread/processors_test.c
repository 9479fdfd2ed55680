#include "os/thread/processors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"

static void lists_of_processors_are_read(void **state)
{
    (void)state;
    int found[64];
    assert_int_equal(flm_processors_parse(flm_bytes_of("0-2,5,7-8\n"), found, 64), 6);
    static const int expected[] = {0, 1, 2, 5, 7, 8};
    assert_memory_equal(found, expected, sizeof expected);
    assert_int_equal(flm_processors_parse(flm_bytes_of("0-63"), found, 4), 4);
    static const char *const bad[] = {"", "\n", "x", "3-1", "1-", "-1", "0-99999999999", "0,,1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(flm_processors_parse(flm_bytes_of(bad[i]), found, 64), 0);
}

static void lists_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const char *const lists[] = {"0", "0-1", "0,2", "0-2,5,7-8", "3,5,7", "63", ""};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        int found[64];
        struct flm_text text = {0};
        flm_processors_add(&text, found, flm_processors_parse(flm_bytes_of(lists[i]), found, 64));
        assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, lists[i]));
        flm_text_clear(&text);
    }
}

static void this_process_may_use_a_processor(void **state)
{
    (void)state;
    int allowed[1024];
    size_t count = flm_processors_allowed(allowed, 1024);
    assert_true(count > 0);
    for (size_t i = 1; i < count; i++)
        assert_true(allowed[i - 1] < allowed[i]);
    assert_int_equal(flm_processors_allowed(allowed, 1), 1);
}

/* A machine with cores of two kinds, the first of which is switched off, and a unit beside them. */
static const char *machine(void)
{
    static char root[300];
    if (!root[0]) {
        char command[1200];
        snprintf(root, sizeof root, "%s", temporary_path("machine"));
        snprintf(command, sizeof command,
                 "mkdir -p %s && cd %s && mkdir -p sys/devices/system/cpu && "
                 "echo 1-3 > sys/devices/system/cpu/online && cd sys && "
                 "mkdir -p bus/event_source/devices && cd bus/event_source/devices && "
                 "mkdir small large uncore_0 software && echo 1 > software/type && "
                 "echo 0-3 > uncore_0/cpus && echo 20 > uncore_0/type && "
                 "echo 0-1 > small/cpus && echo 8 > small/type && "
                 "echo 2-3 > large/cpus && echo 9 > large/type",
                 root, root);
        assert_int_equal(system(command), 0);
    }
    return root;
}

static void those_that_run_are_found(void **state)
{
    (void)state;
    int found[8];
    assert_int_equal(flm_processors_find(machine(), found, 8), 3);
    assert_true(found[0] == 1 && found[1] == 2 && found[2] == 3);
    assert_int_equal(flm_processors_find(machine(), found, 1), 1);
    assert_int_equal(found[0], 1);
}

static void without_a_list_they_are_counted(void **state)
{
    (void)state;
    int found[FLM_PROCESSORS_MOST];
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    assert_int_equal(flm_processors_find("/nonexistent", found, FLM_PROCESSORS_MOST), online);
    assert_int_equal(found[0], 0);
}

static void each_kind_of_core_has_a_unit(void **state)
{
    (void)state;
    assert_int_equal(flm_processors_unit(machine(), 1), 8);
    assert_int_equal(flm_processors_unit(machine(), 3), 9);
    assert_int_equal(flm_processors_unit(machine(), 4), 0);
    assert_int_equal(flm_processors_unit("/nonexistent", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_processors_are_read),
        cmocka_unit_test(lists_are_written_as_they_are_read),
        cmocka_unit_test(this_process_may_use_a_processor),
        cmocka_unit_test(those_that_run_are_found),
        cmocka_unit_test(without_a_list_they_are_counted),
        cmocka_unit_test(each_kind_of_core_has_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
