#include "record/services/container_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"

#define ID "4f2a90b1c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d9c"
#define OTHER "5f2a90b1c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d9c"

static struct flm_container_name found_in(const char *root, bool expected)
{
    struct flm_container_name name;
    assert_int_equal(flm_container_name_find(temporary_path(root), ID, &name), expected);
    return name;
}

static void kubernetes_has_links_to_logs(void **state)
{
    (void)state;
    shell("mkdir -p k/var/log/containers && cd k/var/log/containers && "
          "ln -s x api-7d9c8b6f4-x2x9z_shop_sidecar-" OTHER ".log && "
          "ln -s x api-7d9c8b6f4-x2x9z_shop_web-" ID ".log && ln -s x web-" ID ".log.1");
    struct flm_container_name name = found_in("k", true);
    assert_string_equal(name.name, "web");
    assert_string_equal(name.space, "shop");
    assert_string_equal(name.pod, "api-7d9c8b6f4-x2x9z");
}

static void docker_has_a_folder_for_each(void **state)
{
    (void)state;
    shell("mkdir -p d/var/lib/docker/containers/" ID " && echo '{\"State\": {\"Name\": \"no\"}, "
          "\"Config\": [1, {}], \"Name\": \"/web_1\", \"Driver\": \"overlay2\"}' > "
          "d/var/lib/docker/containers/" ID "/config.v2.json");
    struct flm_container_name name = found_in("d", true);
    assert_string_equal(name.name, "web_1");
    assert_string_equal(name.pod, "");
}

static void podman_has_a_list(void **state)
{
    (void)state;
    shell("mkdir -p p/var/lib/containers/storage/overlay-containers && "
          "echo '[{\"id\": \"" OTHER "\", \"names\": [\"no\"]}, {\"id\": \"" ID
          "\", \"layer\": \"x\", \"names\": [\"web\", \"x\"], \"created\": \"y\"}]' > "
          "p/var/lib/containers/storage/overlay-containers/containers.json");
    assert_string_equal(found_in("p", true).name, "web");
}

static void what_is_not_there_or_damaged_has_no_name(void **state)
{
    (void)state;
    assert_string_equal(found_in("nowhere", false).name, "");
    shell("mkdir -p e/var/lib/docker/containers/" ID " e/var/log/containers && "
          "echo '{\"Name\": [' > e/var/lib/docker/containers/" ID "/config.v2.json && "
          "ln -s x e/var/log/containers/a_b-" ID ".log");
    struct flm_container_name name = found_in("e", false);
    assert_string_equal(name.name, "");
    assert_string_equal(name.pod, "");
}

static void assert_workload(const char *pod, const char *workload)
{
    struct flm_bytes found = flm_pod_workload(flm_bytes_of(pod));
    if (!flm_bytes_are(found, workload))
        fail_msg("%s: %.*s, not %s", pod, (int)found.size, found.at, workload);
}

static void a_workload_is_the_pod_without_what_was_added(void **state)
{
    (void)state;
    assert_workload("api-7d9c8b6f4-x2x9z", "api");
    assert_workload("shop-api-6b8f9d7c5b-4kzpq", "shop-api");
    assert_workload("node-agent-x2x9z", "node-agent");
    assert_workload("db-0", "db");
    assert_workload("db-12", "db");
    assert_workload("backup-28391040-x2x9z", "backup");
    assert_workload("web", "web");
    assert_workload("web-server", "web-server");
    assert_workload("my-pod-apple", "my-pod-apple");
    assert_workload("-x2x9z", "-x2x9z");
    assert_workload("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kubernetes_has_links_to_logs),
        cmocka_unit_test(docker_has_a_folder_for_each),
        cmocka_unit_test(podman_has_a_list),
        cmocka_unit_test(what_is_not_there_or_damaged_has_no_name),
        cmocka_unit_test(a_workload_is_the_pod_without_what_was_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
