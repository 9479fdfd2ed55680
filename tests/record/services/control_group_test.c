#include "record/services/control_group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ID "4f2a90b1c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d9c"
#define POD "1a2b3c4d-5e6f-7081-92a3-b4c5d6e7f809"

static void assert_group(const char *text, const char *unit, const char *container, const char *pod)
{
    struct flm_control_group group;
    flm_control_group_parse(flm_bytes_of(text), &group);
    assert_string_equal(group.unit, unit);
    assert_string_equal(group.container, container);
    assert_string_equal(group.pod, pod);
}

static void a_unit_is_the_innermost_service(void **state)
{
    (void)state;
    assert_group("0::/system.slice/nginx.service\n", "nginx", "", "");
    assert_group("0::/system.slice/system-postgresql.slice/postgresql@15-main.service",
                 "postgresql@15-main", "", "");
    assert_group("0::/user.slice/user-1000.slice/user@1000.service/app.slice/syncthing.service/a",
                 "syncthing", "", "");
    assert_group("0::/system.slice/foo\\x2dbar.service", "foo-bar", "", "");
    assert_group("0::/system.slice/foo\\xZZ.service", "foo\\xZZ", "", "");
}

static void who_logs_in_is_no_unit(void **state)
{
    (void)state;
    assert_group("0::/user.slice/user-1000.slice/session-2.scope\n", "", "", "");
    assert_group("0::/user.slice/user-1000.slice/user@1000.service/init.scope\n", "", "", "");
    assert_group("0::/\n", "", "", "");
    assert_group("0::/init.scope", "", "", "");
    assert_group("", "", "", "");
    assert_group("no path", "", "", "");
}

static void a_container_has_its_number_somewhere(void **state)
{
    (void)state;
    assert_group("0::/system.slice/docker-" ID ".scope\n", "", ID, "");
    assert_group("12:pids:/docker/" ID "\n11:cpu,cpuacct:/docker/" ID "\n0::/\n", "", ID, "");
    assert_group("0::/machine.slice/libpod-" ID ".scope/container/nginx.service\n", "", ID, "");
    assert_group("0::/system.slice/docker.service\n", "docker", "", "");
    assert_group("0::/machine.slice/libpod-conmon-" ID ".scope\n", "", "", "");
    assert_group("0::/system.slice/docker-" ID "0.scope\n", "", "", "");
    assert_group("0::/system.slice/docker-F" ID ".scope\n", "", "", "");
}

static void a_pod_has_containers(void **state)
{
    (void)state;
    assert_group("0::/kubepods/burstable/pod" POD "/" ID "\n", "", ID, POD);
    assert_group("0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-"
                 "pod1a2b3c4d_5e6f_7081_92a3_b4c5d6e7f809.slice/cri-containerd-" ID ".scope\n",
                 "", ID, POD);
    assert_group("0::/../../kubepods/pod" POD, "", "", POD);
}

static void the_hierarchy_that_says_most_counts(void **state)
{
    (void)state;
    assert_group("3:name=systemd:/system.slice/nginx.service\n2:memory:/docker/" ID "\n", "", ID,
                 "");
    assert_group("2:memory:/\n1:name=systemd:/system.slice/cron.service\n0::/\n", "cron", "", "");
}

/* Whatever its beginning and its end are cut off: what the sanitizers look at. */
static void any_text_may_be_cut_off(void **state)
{
    (void)state;
    const char *text = "0::/kubepods/pod" POD "/docker-" ID ".scope/a\\x2d.service";
    struct flm_control_group group;
    for (size_t start = 0; start <= strlen(text); start++)
        for (size_t size = 0; start + size <= strlen(text); size++) {
            char *copy = strndup(text + start, size);
            flm_control_group_parse((struct flm_bytes){copy, size}, &group);
            free(copy);
        }
    char unit[400];
    memset(unit, 'u', sizeof unit);
    snprintf(unit + 300, sizeof unit - 300, ".service");
    memcpy(unit, "0::/", 4);
    flm_control_group_parse(flm_bytes_of(unit), &group);
    assert_int_equal(strlen(group.unit), FLM_UNIT_MOST - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_is_the_innermost_service),
        cmocka_unit_test(who_logs_in_is_no_unit),
        cmocka_unit_test(a_container_has_its_number_somewhere),
        cmocka_unit_test(a_pod_has_containers),
        cmocka_unit_test(the_hierarchy_that_says_most_counts),
        cmocka_unit_test(any_text_may_be_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
