#include "record/capture/limits.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"

static struct perf_event_attr clock_attr(void)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .exclude_kernel = 1};
}

/* The sentence has every one of the words. */
static void assert_says(const struct flm_limits *limits, const struct flm_refusal *refusal,
                        const char *first, const char *second)
{
    struct flm_error why = {0};
    assert_false(flm_limits_refuse(limits, refusal, &why));
    if (!strstr(why.text, first) || !strstr(why.text, second))
        fail_msg("'%s' is not in '%s'", strstr(why.text, first) ? second : first, why.text);
    assert_true(strlen(why.text) < sizeof why.text - 1); /* nothing was cut off */
}

static void refusals_name_what_would_permit_it(void **state)
{
    (void)state;
    struct perf_event_attr attr = clock_attr();
    struct flm_limits limits = {.paranoid = 2, .is_there = true, .files = 1024, .locked_kb = 516};
    struct flm_refusal refusal = {
        .error = EACCES, .event = "cpu-clock", .attr = &attr, .whole_machine = true};
    assert_says(&limits, &refusal, "CAP_PERFMON", "sysctl kernel.perf_event_paranoid=0");

    refusal.whole_machine = false;
    refusal.task = INT32_MAX; /* there is none */
    assert_says(&limits, &refusal, "no permission to record 2147483647", "another user");
    refusal.task = (int32_t)getpid();
    assert_says(&limits, &refusal, "may not be traced", "CAP_SYS_PTRACE may");
    refusal.task = 1;
    assert_says(&limits, &refusal, "no permission to record 1:",
                geteuid() == 0 ? "may not be traced" : "it belongs to root, so only root");

    refusal.own_task = true; /* the kernel would have allowed it */
    assert_says(&limits, &refusal, "seccomp", "perf_event_open");

    limits.paranoid = 3; /* as Debian's kernels may have it */
    assert_says(&limits, &refusal, "perf_event_paranoid is 3", "perf_event_paranoid=2");

    limits.paranoid = 2;
    attr.exclude_kernel = 0;
    assert_says(&limits, &refusal, "you may not record the kernel", "perf_event_paranoid=1");
    attr.type = PERF_TYPE_TRACEPOINT;
    assert_says(&limits, &refusal, "tracepoints", "perf_event_paranoid=-1");

    limits.is_there = false;
    assert_says(&limits, &refusal, "container", "perf_event_paranoid is missing");
    limits.is_there = true;
    limits.privileged = true;
    assert_says(&limits, &refusal, "seccomp", "--cap-add PERFMON");
    limits.before_perfmon = true; /* as Linux 5.4 is */
    assert_says(&limits, &refusal, "seccomp", "--cap-add SYS_ADMIN");
    limits.privileged = false;
    limits.paranoid = 3;
    assert_says(&limits, &refusal, "root and CAP_SYS_ADMIN", "perf_event_paranoid=2");
}

static void every_errno_has_its_message(void **state)
{
    (void)state;
    struct perf_event_attr attr = clock_attr();
    struct flm_limits limits = {.paranoid = 2, .is_there = true, .files = 1024};
    struct flm_refusal refusal = {.event = "cycles", .attr = &attr, .task = 9};
    attr.type = PERF_TYPE_HARDWARE;
    const struct {
        int error;
        const char *first, *second;
    } sentences[] = {
        {EMFILE, "too many files", "1024 may be open"},
        {ENOSYS, "no perf events", "container"},
        {ENOENT, "does not have cycles", "virtual machines"},
        {ENODEV, "does not have cycles", "cpu-clock"},
        {EBUSY, "cycles", "exclusive use"},
        {ESRCH, "no process or thread", "9"},
        {EINVAL, "cycles", "does not know"},
        {EOPNOTSUPP, "cycles", "not sample it"},
        {EIO, "cycles", strerror(EIO)},
    };
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        refusal.error = sentences[i].error;
        assert_says(&limits, &refusal, sentences[i].first, sentences[i].second);
    }
    attr.precise_ip = 2;
    refusal.error = EOPNOTSUPP;
    assert_says(&limits, &refusal, "precise sampling", "leave out p");
    attr.precise_ip = 0;
    attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
    assert_says(&limits, &refusal, "last branch records", "--call-graph=dwarf");
    refusal.error = EINVAL;
    assert_says(&limits, &refusal, "last branch records", "--call-graph=dwarf");
}

static void settings_are_read_from_proc(void **state)
{
    (void)state;
    char root[300], command[1000];
    snprintf(root, sizeof root, "%s", temporary_path("limits"));
    snprintf(command, sizeof command,
             "mkdir -p %s/proc/sys/kernel && cd %s/proc/sys/kernel && "
             "echo -1 > perf_event_paranoid && echo 100000 > perf_event_max_sample_rate && "
             "echo 516 > perf_event_mlock_kb && echo 2 > kptr_restrict && echo 37 > cap_last_cap",
             root, root);
    assert_int_equal(system(command), 0);
    struct flm_limits limits;
    flm_limits_read(&limits, root);
    assert_true(limits.is_there && limits.kernel_addresses_hidden && limits.before_perfmon);
    assert_int_equal(limits.paranoid, -1);
    assert_int_equal(limits.most_hz, 100000);
    assert_int_equal(limits.locked_kb, 516);
    assert_true(limits.files > 0);
    flm_limits_read(&limits, "/nonexistent");
    assert_false(limits.is_there || limits.before_perfmon);
    assert_int_equal(limits.paranoid, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_name_what_would_permit_it),
        cmocka_unit_test(every_errno_has_its_message),
        cmocka_unit_test(settings_are_read_from_proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
