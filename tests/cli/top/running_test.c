#include "cli/top/running.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"

static void put(const char *root, const char *process, const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/proc/%s", root, process);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/proc/%s/comm", root, process);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", name);
    assert_int_equal(fclose(file), 0);
}

static void processes_are_found_by_their_name(void **state)
{
    (void)state;
    char root[600], path[1000];
    int32_t first;
    snprintf(root, sizeof root, "%s", temporary_path("processes"));
    snprintf(path, sizeof path, "%s/proc", root);
    assert_int_equal(mkdir(root, 0700), 0);
    assert_int_equal(flm_running_named(root, "nginx", &first), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    put(root, "30", "nginx");
    put(root, "7", "nginx");
    put(root, "100", "nginx");
    put(root, "5", "nginx-debug");
    put(root, "6", "ngin");
    put(root, "self", "nginx");
    put(root, "99999999999", "nginx");
    put(root, "8", "a-very-long-nam"); /* all that the kernel keeps of it */
    assert_int_equal(flm_running_named(root, "nginx", &first), 3);
    assert_int_equal(first, 7);
    assert_int_equal(flm_running_named(root, "a-very-long-name-of-a-program", &first), 1);
    assert_int_equal(first, 8);
    assert_int_equal(flm_running_named(root, "a-very-long", &first), 0);
    assert_int_equal(flm_running_named(root, "", &first), 0);
}

static void this_process_is_found(void **state)
{
    (void)state;
    char name[16];
    int32_t first;
    snprintf(name, sizeof name, "me-%d", (int)getpid());
    assert_int_equal(prctl(PR_SET_NAME, name), 0);
    assert_int_equal(flm_running_named("", name, &first), 1);
    assert_int_equal(first, getpid());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_found_by_their_name),
        cmocka_unit_test(this_process_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
