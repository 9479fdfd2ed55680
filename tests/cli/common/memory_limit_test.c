#include "cli/common/memory_limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/thread/threads.h"
#include "support/core/files.h"

static const uint64_t mib = 1 << 20;

/* A folder with the files that `commands` make in it: a machine with 1,000 MiB of memory and 200 of
 * swap that are free. */
static const char *machine(const char *commands)
{
    static char root[300];
    char command[2000];
    snprintf(root, sizeof root, "%s", temporary_path("machine"));
    snprintf(command, sizeof command,
             "rm -rf %s && mkdir -p %s/proc/self && cd %s && "
             "printf 'MemTotal: 9999999 kB\\nMemAvailable: 1024000 kB\\nSwapFree: 204800 kB\\n'"
             " > proc/meminfo && %s",
             root, root, root, commands);
    assert_int_equal(system(command), 0);
    return root;
}

static void what_is_free_is_the_room(void **state)
{
    (void)state;
    assert_int_equal(flm_memory_room(machine("true")), 1200 * mib);
    assert_true(flm_memory_room("/nonexistent") == UINT64_MAX);
    assert_true(flm_memory_room("") > mib);
}

#define GROUP(folder, limit, used, files)                                                          \
    "mkdir -p " folder " && (cd " folder " && echo " limit " > memory.max && echo " used           \
    " > memory.current && printf 'anon 1\\ninactive_file " files "\\n' > memory.stat)"

static void a_group_leaves_what_its_limit_leaves(void **state)
{
    (void)state;
    /* 300 MiB of which 100 are in use, 60 of them for files; all the swap besides. */
    assert_int_equal(flm_memory_room(machine("echo 0::/work/job > proc/self/cgroup && " GROUP(
                         "sys/fs/cgroup/work/job", "314572800", "104857600", "62914560"))),
                     (300 - 40 + 200) * mib);
    /* One that has no swap. */
    assert_int_equal(
        flm_memory_room(machine("echo 0::/job > proc/self/cgroup && " GROUP(
            "sys/fs/cgroup/job", "314572800", "104857600", "0") " && cd sys/fs/cgroup/job && "
                                                                "echo 0 > memory.swap.max && "
                                                                "echo 0 > memory.swap.current")),
        200 * mib);
    /* One without a limit. */
    assert_int_equal(flm_memory_room(machine("echo 0::/job > proc/self/cgroup && " GROUP(
                         "sys/fs/cgroup/job", "max", "104857600", "0"))),
                     1200 * mib);
}

static void a_group_that_others_are_in_counts_too(void **state)
{
    (void)state;
    assert_int_equal(flm_memory_room(machine("echo 0::/work/job > proc/self/cgroup && " GROUP(
                         "sys/fs/cgroup/work/job", "max", "104857600",
                         "0") " && " GROUP("sys/fs/cgroup/work", "209715200", "104857600", "0"))),
                     300 * mib);
}

/* The path is one of the host, and what is mounted is the group itself. */
static void in_a_container_the_root_is_the_group(void **state)
{
    (void)state;
    assert_int_equal(flm_memory_room(machine("echo 0::/docker/1234 > proc/self/cgroup && " GROUP(
                         "sys/fs/cgroup", "104857600", "52428800", "0"))),
                     250 * mib);
}

static void groups_of_the_first_version_are_known(void **state)
{
    (void)state;
    assert_int_equal(
        flm_memory_room(machine(
            "printf '5:cpu:/x\\n4:memory:/job\\n0::/\\n' > proc/self/cgroup && "
            "mkdir -p sys/fs/cgroup/memory/job && cd sys/fs/cgroup/memory/job && "
            "echo 104857600 > memory.limit_in_bytes && echo 52428800 > memory.usage_in_bytes && "
            "printf 'inactive_file 1\\ntotal_inactive_file 10485760\\n' > memory.stat")),
        (100 - 40 + 200) * mib);
}

static void more_in_use_than_allowed_leaves_only_swap(void **state)
{
    (void)state;
    assert_int_equal(flm_memory_room(machine("echo 0::/ > proc/self/cgroup && " GROUP(
                         "sys/fs/cgroup", "104857600", "209715200", "0"))),
                     200 * mib);
}

/* In a process of its own, as it is that process that is limited. Ends with 0 if allocations fail
 * beyond the limit, and not any more when it is lifted. */
static _Noreturn void try_limit(void)
{
    struct rlimit before, limit;
    struct flm_error why = {0};
    setenv("FLAMEL_MEMORY", "256M", 1);
    bool good = getrlimit(RLIMIT_DATA, &before) == 0 && flm_memory_limit_begin(&why);
    good = good && getrlimit(RLIMIT_DATA, &limit) == 0;
    /* The stacks of threads come on top. */
    uint64_t threads = (uint64_t)flm_processor_count(),
             bound = (256 + 8 * (threads < 64 ? threads : 64)) * mib;
    void *fits = malloc(64 * mib), *beyond = malloc(bound);
    good = good && fits && !beyond && limit.rlim_cur == bound;
    flm_error_memory(&why);
    flm_memory_limit_explain(&why);
    good = good && strstr(why.text, "out of memory: it takes a machine with more (the bound is 268 "
                                    "MB: FLAMEL_MEMORY");
    flm_memory_limit_end();
    void *again = malloc(bound);
    good =
        good && again && getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur == before.rlim_cur;
    flm_memory_limit_again();
    good = good && getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur == bound;
    free(again);
    free(beyond);
    free(fits);
    _exit(good ? 0 : 1);
}

static void allocations_fail_beyond_the_limit(void **state)
{
    (void)state;
    struct rlimit own;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their shadow memory is data, too */
#endif
    if (getrlimit(RLIMIT_DATA, &own) != 0 || own.rlim_cur != RLIM_INFINITY)
        skip(); /* we have a limit already */
    pid_t child = fork();
    if (child == 0)
        try_limit();
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_free_is_the_room),
        cmocka_unit_test(a_group_leaves_what_its_limit_leaves),
        cmocka_unit_test(a_group_that_others_are_in_counts_too),
        cmocka_unit_test(in_a_container_the_root_is_the_group),
        cmocka_unit_test(groups_of_the_first_version_are_known),
        cmocka_unit_test(more_in_use_than_allowed_leaves_only_swap),
        cmocka_unit_test(allocations_fail_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
