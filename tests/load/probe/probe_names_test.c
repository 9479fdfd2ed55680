/* Names of addresses of a running program: this one. */
#include "load/probe/probe_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/core/failures.h"

int flm_test_variable = 7, flm_test_zeros[100];

static void assert_name(struct flm_probe_names *names, size_t file, const void *address,
                        const char *name, enum flm_report_address kind)
{
    char found[200] = "";
    assert_int_equal(
        flm_probe_names_find(names, file, (uint64_t)(uintptr_t)address, found, sizeof found), kind);
    assert_string_equal(found, name);
}

static void functions_and_variables_have_names(void **state)
{
    (void)state;
    struct flm_probe_names *names = flm_probe_names_new(NULL);
    flm_probe_names_add_process(names, (int32_t)getpid());
    assert_name(names, 0, (const char *)(uintptr_t)assert_name + 1, "assert_name",
                FLM_ADDRESS_FUNCTION);
    assert_name(names, 0, &flm_test_variable, "flm_test_variable", FLM_ADDRESS_VARIABLE);
    assert_name(names, 0, &flm_test_zeros[50], "flm_test_zeros", FLM_ADDRESS_VARIABLE);
    assert_name(names, 0, &names, "", FLM_ADDRESS_UNKNOWN); /* on the stack */
    assert_name(names, 1, &flm_test_variable, "", FLM_ADDRESS_UNKNOWN);
    flm_probe_names_free(names);
}

static void a_name_is_cut_where_there_is_no_room(void **state)
{
    (void)state;
    char found[8];
    struct flm_probe_names *names = flm_probe_names_new(NULL);
    flm_probe_names_add_process(names, (int32_t)getpid());
    flm_probe_names_find(names, 0, (uint64_t)(uintptr_t)&flm_test_variable, found, sizeof found);
    assert_string_equal(found, "flm_tes");
    flm_probe_names_free(names);
}

/* A process that is not there, and a file that is none. */
static void what_is_not_known_has_no_names(void **state)
{
    (void)state;
    struct flm_probe_names *names = flm_probe_names_new(NULL);
    flm_probe_names_add_process(names, -1);
    flm_probe_names_add_file(names, (struct flm_bytes){"FLMPROBE", 8});
    assert_name(names, 0, &flm_test_variable, "", FLM_ADDRESS_UNKNOWN);
    assert_name(names, 1, &flm_test_variable, "", FLM_ADDRESS_UNKNOWN);
    flm_probe_names_free(names);
    flm_probe_names_free(NULL);
}

/* A name that is lost for want of memory is said. */
static bool name_it(void *context, struct flm_error *why)
{
    (void)context;
    char found[64] = "";
    struct flm_probe_names *names = flm_probe_names_new(why);
    if (!names)
        return false;
    flm_probe_names_add_process(names, (int32_t)getpid());
    flm_probe_names_find(names, 0, (uint64_t)(uintptr_t)&flm_test_variable, found, sizeof found);
    bool good = flm_probe_names_check(names, why);
    if (good)
        assert_string_equal(found, "flm_test_variable");
    flm_probe_names_free(names);
    return good;
}

static void no_name_is_lost_without_a_word(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(name_it, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_variables_have_names),
        cmocka_unit_test(a_name_is_cut_where_there_is_no_room),
        cmocka_unit_test(what_is_not_known_has_no_names),
        cmocka_unit_test(no_name_is_lost_without_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
