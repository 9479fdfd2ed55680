#include "record/services/process_service.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"

#define ID "4f2a90b1c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d9c"

/* A process as /proc has it; blanks in lists stand for NULs. */
static void make(int process, int parent, const char *group, const char *program,
                 const char *arguments, const char *environment)
{
    shell("rm -rf proc/%d && mkdir -p proc/%d", process, process);
    shell("echo '%d (x) S %d 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 1 0 99' > proc/%d/stat", process,
          parent, process);
    shell("printf '%%s' '0::%s' > proc/%d/cgroup", group, process);
    shell("printf '%%s' '%s' | tr ' ' '\\000' > proc/%d/cmdline", arguments, process);
    shell("printf '%%s' '%s' | tr ' ' '\\000' > proc/%d/environ", environment, process);
    if (program[0])
        shell("ln -s '%s' proc/%d/exe", program, process);
}

/* "name key=value key=value" */
static void assert_service(int process, const char *expected, bool is_shared)
{
    struct flm_service_identity identity;
    assert_int_equal(flm_process_service(temporary_path(""), process, &identity),
                     FLM_PROCESS_FOUND);
    for (size_t i = 0; i < identity.text.size; i++)
        if (!identity.text.at[i])
            identity.text.at[i] = ' ';
    if (!flm_bytes_are((struct flm_bytes){identity.text.at, identity.text.size - 1}, expected))
        fail_msg("%.*s, not %s", (int)identity.text.size, identity.text.at, expected);
    assert_int_equal(identity.is_shared, is_shared);
    flm_text_clear(&identity.text);
}

static void a_program_a_unit_a_container(void **state)
{
    (void)state;
    make(10, 1, "/", "/usr/bin/top", "top ", "HOME=/root ");
    assert_service(10, "top", false);
    make(11, 1, "/system.slice/nginx.service", "/usr/sbin/nginx", "nginx: worker", "");
    assert_service(11, "nginx unit=nginx", true);
    make(12, 1, "/docker/" ID, "/usr/sbin/nginx", "nginx: worker", "");
    assert_service(12, "nginx container=4f2a90b1c3d4", false);
    shell("mkdir -p var/lib/docker/containers/" ID " && echo '{\"Name\": \"/web\"}' > "
          "var/lib/docker/containers/" ID "/config.v2.json");
    assert_service(12, "web container=web", true);
    shell("mkdir -p var/log/containers && "
          "ln -s x var/log/containers/api-7d9c8b6f4-x2x9z_shop_main-" ID ".log");
    assert_service(12, "api container=main namespace=shop pod=api-7d9c8b6f4-x2x9z", true);
    shell("rm -r var");
}

/* The agent may run in a container itself, with the machine's processes. */
static void names_of_containers_are_those_of_the_machine(void **state)
{
    (void)state;
    make(1, 0, "/init.scope", "/usr/lib/systemd/systemd", "init ", "");
    make(12, 1, "/docker/" ID, "/usr/sbin/nginx", "nginx ", "");
    shell("mkdir -p proc/1/root/var/lib/docker/containers/" ID " && echo '{\"Name\": \"/web\"}' > "
          "proc/1/root/var/lib/docker/containers/" ID "/config.v2.json");
    assert_service(12, "web container=web", true);
    shell("rm -r proc/1");
}

static void what_it_calls_itself_comes_first(void **state)
{
    (void)state;
    make(20, 1, "/system.slice/app.service", "/srv/app", "app ",
         "A=1 OTEL_SERVICE_NAME=shop PATH=/bin ");
    assert_service(20, "shop unit=app", true);
    make(20, 1, "/", "/srv/app", "app ",
         "OTEL_RESOURCE_ATTRIBUTES=service.namespace=eu,service.name=cart,x=y OTEL_SERVICE_NAME= ");
    assert_service(20, "cart", true);
    make(20, 1, "/", "/srv/app", "app ", "NOT_OTEL_SERVICE_NAME=x ");
    assert_service(20, "app", false);
    make(20, 1, "/", "/srv/app", "app ", "OTEL_SERVICE_NAME=a\x1b[31m\xff;b ");
    assert_service(20, "a?[31m?;b", true);
}

static void threads_of_the_kernel_are_one(void **state)
{
    (void)state;
    make(2, 0, "/", "", "", "");
    assert_service(2, "kernel", false);
    make(30, 2, "/", "", "", "");
    assert_service(30, "kernel", false);
}

static void who_is_gone_is_none(void **state)
{
    (void)state;
    struct flm_service_identity identity;
    make(40, 1, "/system.slice/nginx.service", "", "", ""); /* a zombie */
    assert_int_equal(flm_process_service(temporary_path(""), 40, &identity), FLM_PROCESS_GONE);
    flm_text_clear(&identity.text);
    assert_int_equal(flm_process_service(temporary_path(""), 41, &identity), FLM_PROCESS_GONE);
    flm_text_clear(&identity.text);
}

static void a_real_process_is_read(void **state)
{
    (void)state;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("OTEL_SERVICE_NAME", "sleeper", 1);
        close(ready[0]); /* the other end is closed by exec */
        fcntl(ready[1], F_SETFD, FD_CLOEXEC);
        execlp("sleep", "sleep", "600", (char *)NULL);
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 0);
    close(ready[0]);
    struct flm_service_identity identity;
    assert_int_equal(flm_process_service("", child, &identity), FLM_PROCESS_FOUND);
    assert_string_equal(identity.text.at, "sleeper");
    flm_text_clear(&identity.text);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_a_unit_a_container),
        cmocka_unit_test(names_of_containers_are_those_of_the_machine),
        cmocka_unit_test(what_it_calls_itself_comes_first),
        cmocka_unit_test(threads_of_the_kernel_are_one),
        cmocka_unit_test(who_is_gone_is_none),
        cmocka_unit_test(a_real_process_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
