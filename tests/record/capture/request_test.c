#include "record/capture/request.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/files.h"

/* A kernel that knows, and a user who may, only so much. */
struct fake {
    bool has_lost, has_build_id, has_counters, has_guests, has_branches;
    unsigned most_precise;
    bool may_kernel, is_forbidden;
    int opened, processor;
};

static int open_fake(void *context, const struct perf_event_attr *attr, int32_t task, int cpu)
{
    struct fake *fake = context;
    (void)task;
    fake->processor = cpu;
    errno = 0;
    if ((attr->read_format & PERF_FORMAT_LOST && !fake->has_lost) ||
        (attr->build_id && !fake->has_build_id) || (attr->exclude_guest && !fake->has_guests))
        errno = EINVAL;
    else if (fake->is_forbidden || (!attr->exclude_kernel && !fake->may_kernel))
        errno = EACCES;
    else if (attr->type == PERF_TYPE_HARDWARE && !fake->has_counters)
        errno = ENOENT;
    else if (attr->precise_ip > fake->most_precise ||
             (attr->sample_type & PERF_SAMPLE_BRANCH_STACK && !fake->has_branches))
        errno = EOPNOTSUPP;
    if (errno)
        return -1;
    fake->opened++;
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static const struct fake everything = {.has_lost = true,
                                       .has_build_id = true,
                                       .has_counters = true,
                                       .has_guests = true,
                                       .has_branches = true,
                                       .most_precise = 3,
                                       .may_kernel = true};
static const struct flm_limits limits = {.paranoid = 2, .is_there = true, .most_hz = 100000};

static bool ask(struct fake fake, const struct flm_record_options *options,
                struct flm_request *request, struct flm_error *why)
{
    struct flm_kernel kernel = {open_fake, &fake, "/nonexistent"};
    return flm_request_make(request, options, &limits, &kernel, why);
}

static const struct perf_event_attr *asked(struct fake fake,
                                           const struct flm_record_options *options)
{
    static struct flm_request request;
    struct flm_error why;
    if (!ask(fake, options, &request, &why))
        fail_msg("%s", why.text);
    return &request.event[0].attr;
}

static char *const command[] = {(char[]){"app"}, NULL};
static const struct flm_record_options plain = {.command = command};

static void the_default_event_is_cycles_if_the_CPU_counts_them(void **state)
{
    (void)state;
    const struct perf_event_attr *attr = asked(everything, &plain);
    assert_int_equal(attr->type, PERF_TYPE_HARDWARE);
    assert_true(attr->freq);
    assert_int_equal(attr->sample_freq, 999);
    assert_int_equal(attr->precise_ip, 3);
    assert_true(attr->inherit && attr->disabled && attr->mmap2 && attr->task && attr->comm_exec);

    struct fake machine = everything;
    machine.has_counters = false;
    attr = asked(machine, &plain);
    assert_int_equal(attr->type, PERF_TYPE_SOFTWARE);
    assert_int_equal(attr->config, PERF_COUNT_SW_CPU_CLOCK);
    assert_false(attr->freq);
    assert_int_equal(attr->sample_period, 1001001); /* ns: 999 a second */
}

static void only_features_unknown_to_the_kernel_are_given_up(void **state)
{
    (void)state;
    struct fake old = everything;
    old.has_build_id = false;
    const struct perf_event_attr *attr = asked(old, &plain);
    assert_false(attr->build_id);
    assert_true(attr->read_format & PERF_FORMAT_LOST && attr->exclude_guest && attr->ksymbol);

    old.has_lost = old.has_guests = false;
    old.most_precise = 1;
    attr = asked(old, &plain);
    assert_false(attr->build_id || attr->exclude_guest || attr->read_format & PERF_FORMAT_LOST);
    assert_true(attr->ksymbol);
    assert_int_equal(attr->precise_ip, 1);
    assert_int_equal(attr->type, PERF_TYPE_HARDWARE);
}

static void the_whole_machine_is_tried_on_a_processor_that_runs(void **state)
{
    (void)state;
    struct fake fake = everything;
    const char *root = temporary_path("machine");
    char command_line[800];
    snprintf(command_line, sizeof command_line,
             "mkdir -p %s/sys/devices/system/cpu && echo 2-3 > %s/sys/devices/system/cpu/online",
             root, root);
    assert_int_equal(system(command_line), 0);
    struct flm_kernel kernel = {open_fake, &fake, root};
    struct flm_record_options options = {.machine = true};
    struct flm_request request;
    assert_true(flm_request_make(&request, &options, &limits, &kernel, NULL));
    assert_int_equal(fake.processor, 2);
    options = plain;
    assert_true(flm_request_make(&request, &options, &limits, &kernel, NULL));
    assert_int_equal(fake.processor, -1);
}

static void without_privileges_only_user_space_is_recorded(void **state)
{
    (void)state;
    struct fake user = everything;
    struct flm_text text = {0};
    struct flm_request request;
    user.may_kernel = user.has_build_id = user.has_counters = false;
    assert_true(ask(user, &plain, &request, NULL));
    assert_true(request.event[0].attr.exclude_kernel);
    assert_false(request.kernel);
    flm_request_explain(&request, &plain, &limits, &text);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at,
                        "cpu-clock (no hardware counters here), 999 Hz, DWARF unwinding, user "
                        "space\nno kernel frames: kernel.perf_event_paranoid is 2 (sysctl "
                        "kernel.perf_event_paranoid=1 or CAP_PERFMON allows them)\n");
    flm_text_clear(&text);

    /* Who asks for the kernel gets it, or hears why not. */
    struct flm_error why = {0};
    struct flm_record_options kernel = plain;
    const char *events[] = {"cpu-clock:k"};
    kernel.events = events;
    kernel.event_count = 1;
    assert_false(ask(user, &kernel, &request, &why));
    assert_non_null(strstr(why.text, "kernel.perf_event_paranoid=1"));

    user.is_forbidden = true;
    assert_false(ask(user, &plain, &request, &why));
    assert_non_null(strstr(why.text, "seccomp"));
}

static void each_stack_mode_has_its_attributes(void **state)
{
    (void)state;
    struct flm_record_options options = plain;
    options.stacks = FLM_STACK_DUMP;
    options.stack_size = 8192;
    const struct perf_event_attr *attr = asked(everything, &options);
    assert_int_equal(attr->sample_stack_user, 8192);
    assert_true(attr->sample_regs_user != 0);
    /* Of the kernel's part, and of programs that keep frame pointers. */
    assert_true(attr->sample_type & PERF_SAMPLE_CALLCHAIN && !attr->exclude_callchain_user);
    options.stack_size = 0;
    options.stacks = FLM_STACK_POINTER;
    attr = asked(everything, &options);
    assert_true(attr->sample_type & PERF_SAMPLE_CALLCHAIN && !attr->exclude_callchain_user);
    assert_false(attr->sample_type & PERF_SAMPLE_STACK_USER);
    options.stacks = FLM_STACK_BRANCHES;
    assert_true(asked(everything, &options)->sample_type & PERF_SAMPLE_BRANCH_STACK);
    options.stacks = FLM_STACK_NONE;
    assert_false(asked(everything, &options)->sample_type & PERF_SAMPLE_CALLCHAIN);

    struct fake bare = everything;
    struct flm_request request;
    struct flm_error why = {0};
    bare.has_branches = false;
    options.stacks = FLM_STACK_BRANCHES;
    assert_false(ask(bare, &options, &request, &why));
    assert_non_null(strstr(why.text, "last branch records"));
}

static void rates_are_those_requested(void **state)
{
    (void)state;
    struct flm_record_options options = plain;
    const char *events[] = {"cpu-clock,page-faults", "context-switches"};
    struct flm_request request;
    options.events = events;
    options.event_count = 2;
    options.frequency_hz = 4000;
    assert_true(ask(everything, &options, &request, NULL));
    assert_int_equal(request.count, 3);
    assert_int_equal(request.event[0].attr.sample_period, 250000);
    assert_true(request.event[1].attr.freq);
    assert_int_equal(request.event[2].attr.sample_period, 1); /* each one */
    assert_true(request.event[0].attr.mmap && !request.event[1].attr.mmap);

    options.frequency_hz = 0;
    options.period = 5000;
    assert_true(ask(everything, &options, &request, NULL));
    for (size_t i = 0; i < 3; i++)
        assert_true(request.event[i].attr.sample_period == 5000 && !request.event[i].attr.freq);

    struct flm_error why = {0};
    options.frequency_hz = 7;
    assert_false(ask(everything, &options, &request, &why));
    options = plain;
    options.frequency_hz = 100001;
    assert_false(ask(everything, &options, &request, &why));
    assert_non_null(strstr(why.text, "kernel.perf_event_max_sample_rate"));
    options.frequency_hz = INFINITY; /* as many as the kernel allows */
    assert_true(ask(everything, &options, &request, &why));
    assert_true(request.hz == 100000);
    options.frequency_hz = NAN;
    assert_true(ask(everything, &options, &request, &why));
    assert_true(request.hz == 999);
    options.frequency_hz = -1;
    assert_false(ask(everything, &options, &request, &why));
    options.frequency_hz = 0;
    options.stack_size = 1001;
    assert_false(ask(everything, &options, &request, &why));
}

static void switches_are_sampled_if_the_kernel_may_be_recorded(void **state)
{
    (void)state;
    struct flm_record_options options = plain;
    struct flm_request request;
    options.off_cpu = true;
    assert_true(ask(everything, &options, &request, NULL));
    assert_int_equal(request.count, 2);
    assert_int_equal(request.switch_event, 1);
    assert_true(request.event[0].attr.context_switch && !request.event[1].attr.context_switch);
    assert_int_equal(request.event[1].attr.sample_period, 1);

    struct fake user = everything;
    struct flm_text text = {0};
    user.may_kernel = false;
    assert_true(ask(user, &options, &request, NULL));
    assert_int_equal(request.count, 1);
    assert_true(request.switch_event == SIZE_MAX && request.wake_event == SIZE_MAX);
    flm_request_explain(&request, &options, &limits, &text);
    flm_text_putc(&text, 0);
    assert_non_null(strstr(text.at, "off-CPU time is recorded without stacks"));
    flm_text_clear(&text);
}

/* Where tracefs may be read, the scheduler's tracepoints say more. */
static void states_come_from_tracepoints_where_there_are_some(void **state)
{
    (void)state;
    const char *root = temporary_path("traced");
    char command_line[1200];
    snprintf(
        command_line, sizeof command_line,
        "cd %s 2> /dev/null || mkdir -p %s && cd %s && "
        "mkdir -p sys/kernel/tracing/events/sched/sched_switch "
        "sys/kernel/tracing/events/sched/sched_waking && cd sys/kernel/tracing/events/sched && "
        "echo 314 > sched_switch/id && echo 315 > sched_waking/id",
        root, root, root);
    assert_int_equal(system(command_line), 0);
    struct fake fake = everything;
    struct flm_kernel kernel = {open_fake, &fake, root};
    struct flm_record_options options = plain;
    struct flm_request request;
    options.off_cpu = true;
    assert_true(flm_request_make(&request, &options, &limits, &kernel, NULL));
    assert_int_equal(request.count, 3);
    assert_int_equal(request.switch_event, 1);
    assert_int_equal(request.wake_event, 2);
    const struct perf_event_attr *leaves = &request.event[1].attr, *wakes = &request.event[2].attr;
    assert_true(leaves->config == 314 && wakes->config == 315);
    assert_true(leaves->sample_type & PERF_SAMPLE_RAW && wakes->sample_type & PERF_SAMPLE_RAW);
    assert_true(leaves->sample_type & PERF_SAMPLE_STACK_USER);
    assert_false(wakes->sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CALLCHAIN));
    assert_true(leaves->sample_period == 1 && wakes->sample_period == 1);
    assert_true(flm_request_only_marks(&request, 1) && flm_request_only_marks(&request, 2));
    assert_false(flm_request_only_marks(&request, 0));

    fake.may_kernel = false;
    assert_true(flm_request_make(&request, &options, &limits, &kernel, NULL));
    assert_true(request.switch_event == SIZE_MAX && request.wake_event == SIZE_MAX);
}

static void events_that_would_never_occur_are_refused(void **state)
{
    (void)state;
    const char *const names[] = {"context-switches"};
    struct flm_record_options options = plain;
    struct flm_request request;
    struct flm_error why = {0};
    struct fake user = everything;
    user.may_kernel = false;
    options.events = names;
    options.event_count = 1;
    assert_true(ask(everything, &options, &request, &why));
    assert_false(ask(user, &options, &request, &why));
    assert_non_null(strstr(why.text, "kernel.perf_event_paranoid is 2"));
    options.no_kernel = true;
    assert_false(ask(everything, &options, &request, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_come_from_tracepoints_where_there_are_some),
        cmocka_unit_test(events_that_would_never_occur_are_refused),
        cmocka_unit_test(the_default_event_is_cycles_if_the_CPU_counts_them),
        cmocka_unit_test(only_features_unknown_to_the_kernel_are_given_up),
        cmocka_unit_test(the_whole_machine_is_tried_on_a_processor_that_runs),
        cmocka_unit_test(without_privileges_only_user_space_is_recorded),
        cmocka_unit_test(each_stack_mode_has_its_attributes),
        cmocka_unit_test(rates_are_those_requested),
        cmocka_unit_test(switches_are_sampled_if_the_kernel_may_be_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
