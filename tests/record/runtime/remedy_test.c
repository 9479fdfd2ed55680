#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/runtime/runtime.h"

/* Programs have versions and other ends in their names. */
static void programs_are_known_by_the_start_of_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *program, *option;
    } known[] = {
        {"node", "--perf-basic-prof"},
        {"node20", "--perf-basic-prof"},
        {"java", "-XX:+DumpPerfMapAtExit"},
        {"java", "--java;"},
        {"ruby3.3", "--yjit-perf"},
        {"php-fpm8.2", "jit_debug"},
        {"beam.smp", "+JPperf"},
        {"qemu-system-x86", "-perfmap"},
        {"chromium", "--js-flags"},
        {"javac", "-J-XX:+PreserveFramePointer"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_non_null(
            strstr(flm_runtime_remedy(flm_bytes_of(known[i].program), false), known[i].option));
}

static void other_programs_get_the_general_way(void **state)
{
    (void)state;
    const char *general = flm_runtime_remedy(flm_bytes_of("a.out"), false);
    assert_non_null(strstr(general, "perf-PID.map"));
    assert_string_equal(flm_runtime_remedy((struct flm_bytes){"", 0}, false), general);
    assert_string_equal(flm_runtime_remedy(flm_bytes_of("no"), false), general);
    assert_string_equal(flm_runtime_remedy(flm_bytes_of("javas"), false), general);
    assert_string_equal(flm_runtime_remedy(flm_bytes_of("bundle"), false), general);
    assert_string_equal(flm_runtime_remedy(flm_bytes_of("node_exporter"), false), general);
}

/* Nobody is advised to use the option that was used. */
static void a_vm_that_had_the_agent_does_not_need_the_option(void **state)
{
    (void)state;
    assert_null(strstr(flm_runtime_remedy(flm_bytes_of("java"), true), "--java"));
    assert_string_equal(flm_runtime_remedy(flm_bytes_of("node"), true),
                        flm_runtime_remedy(flm_bytes_of("node"), false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_known_by_the_start_of_their_names),
        cmocka_unit_test(other_programs_get_the_general_way),
        cmocka_unit_test(a_vm_that_had_the_agent_does_not_need_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
