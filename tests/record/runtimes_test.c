#include "record/runtimes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"

/* Reports, counted. */
struct reported {
    size_t losses, notes;
};

static void lost(void *session, const char *what, double count)
{
    struct reported *reported = session;
    assert_non_null(what);
    reported->losses += count > 0;
}

static void note(void *session, const char *key, struct flm_bytes value)
{
    struct reported *reported = session;
    assert_non_null(key);
    assert_true(value.size > 0);
    reported->notes++;
}

static void mapped_files_belong_to_their_runtime(void **state)
{
    (void)state;
    const struct flm_runtime *runtime = flm_runtime_of_file(flm_bytes_of("/tmp/x/jit-4711.dump"));
    assert_non_null(runtime);
    assert_string_equal(runtime->name, "jitdump");
    assert_true(runtime->has_times);
    assert_null(flm_runtime_of_file(flm_bytes_of("/usr/lib/libc.so.6")));
    assert_null(flm_runtime_of_file(flm_bytes_of("/tmp/jit-1.dump/libc.so")));
    assert_null(flm_runtime_of_file(flm_bytes_of("")));
}

static void only_runtimes_that_can_be_read_are_attached(void **state)
{
    (void)state;
    static const char *const both[] = {"CPython", "CPython"},
                             *const wrong[] = {"CPython", "perf map"}, *const none[] = {"Fortran"};
    const struct flm_runtime_options options = {0}, agent = {.what = "cpu", .library = "x.so"},
                                     wrong_agent = {.what = "heat", .library = "x.so"};
    struct flm_error why = {0};
    struct reported reported = {0};
    const struct flm_runtime_report report = {&reported, lost, note};
    struct flm_attached_runtimes *attached = flm_runtimes_attach(both, 2, &options, &why);
    assert_non_null(attached);
    flm_runtimes_report(attached, &report);
    assert_int_equal(reported.losses + reported.notes, 0);
    flm_runtimes_close(attached);
    assert_null(flm_runtimes_attach(wrong, 2, &options, &why));
    assert_null(flm_runtimes_attach(none, 1, &options, &why));
    assert_non_null(strstr(why.text, "no runtime 'Fortran' can be attached to: "));
    assert_non_null(strstr(why.text, "CPython"));
    /* Without names: all that can be. */
    attached = flm_runtimes_attach(NULL, 0, &options, &why);
    assert_non_null(attached);
    assert_true(flm_runtimes_seen_ns(attached) == INT64_MIN);
    flm_runtimes_report(attached, &report);
    assert_int_equal(reported.losses + reported.notes, 0);
    flm_runtimes_close(attached);
    /* An agent is attached where something is to be measured by it. */
    const struct flm_event event = {.process = 1, .thread = 1};
    assert_false(
        flm_runtimes_claim(attached = flm_runtimes_attach(NULL, 0, &agent, &why), &event, true));
    flm_runtimes_close(attached);
    assert_null(flm_runtimes_attach(NULL, 0, &wrong_agent, &why));
    assert_non_null(strstr(why.text, "--java takes"));
    for (size_t nth = 1; nth < 4; nth++) {
        allocation_fail_from(nth);
        attached = flm_runtimes_attach(both, 2, &options, &why);
        allocation_fail_from(0);
        assert_null(attached);
        assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    }
    flm_runtimes_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mapped_files_belong_to_their_runtime),
        cmocka_unit_test(only_runtimes_that_can_be_read_are_attached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
