#include "record/events/event_name.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"

/* A system with tracefs and one unit of a processor. */
static const char *make_root(void)
{
    static char root[300];
    char command[2200];
    if (root[0])
        return root;
    snprintf(root, sizeof root, "%s", temporary_path("root"));
    snprintf(command, sizeof command,
             "mkdir -p %s/sys/kernel/tracing/events/sched/sched_switch "
             "%s/sys/kernel/tracing/events/sched/sched_wakeup "
             "%s/sys/bus/event_source/devices/cpu/events "
             "%s/sys/bus/event_source/devices/cpu/format && cd %s/sys && "
             "echo 314 > kernel/tracing/events/sched/sched_switch/id && "
             "echo name: sched_switch > kernel/tracing/events/sched/sched_switch/format && "
             "echo 315 > kernel/tracing/events/sched/sched_wakeup/id && "
             "cd bus/event_source/devices/cpu && echo 4 > type && "
             "echo config:0-7,32-35 > format/event && echo config:8-15 > format/umask && "
             "echo config1:0-63 > format/ldlat && "
             "echo event=0xcd,umask=0x1,ldlat=3 > events/mem-loads",
             root, root, root, root, root);
    assert_int_equal(system(command), 0);
    return root;
}

static struct flm_event_name named(const char *text)
{
    struct flm_bytes list = flm_bytes_of(text);
    struct flm_event_name name;
    struct flm_error why;
    if (!flm_event_name_next(&list, make_root(), &name, &why))
        fail_msg("%s: %s", text, why.text);
    assert_int_equal(list.size, 0);
    assert_string_equal(name.text, text);
    return name;
}

static void assert_refused(const char *text, const char *reason)
{
    struct flm_bytes list = flm_bytes_of(text);
    struct flm_event_name name;
    struct flm_error why = {0};
    bool good;
    do
        good = flm_event_name_next(&list, make_root(), &name, &why);
    while (good && list.size > 0);
    assert_false(good);
    assert_string_equal(why.text, reason);
}

static void names_of_perf_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t type;
        uint64_t config;
    } names[] = {
        {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
        {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
        {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
        {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
        {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
        {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
        {"L1-dcache-loads", PERF_TYPE_HW_CACHE, 0},
        {"LLC-load-misses", PERF_TYPE_HW_CACHE, 2 | 1 << 16},
        {"dTLB-store-misses", PERF_TYPE_HW_CACHE, 3 | 1 << 8 | 1 << 16},
        {"r1a8", PERF_TYPE_RAW, 0x1a8},
        {"sched:sched_switch", PERF_TYPE_TRACEPOINT, 314},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct flm_event_name name = named(names[i].text);
        assert_int_equal(name.type, names[i].type);
        assert_int_equal(name.config, names[i].config);
        assert_false(name.says_where || name.exclude_user || name.exclude_kernel);
    }
}

static void modifiers_set_privilege_levels_and_precision(void **state)
{
    (void)state;
    struct flm_event_name user = named("cycles:u"), kernel = named("cpu-clock:k");
    assert_true(user.says_where && user.exclude_kernel && user.exclude_hypervisor);
    assert_false(user.exclude_user);
    assert_true(kernel.exclude_user && !kernel.exclude_kernel);
    assert_int_equal(named("cycles:upp").precise, 2);
    assert_true(named("cycles:P").precise_as_can_be);
    assert_false(named("cycles:P").says_where);
    struct flm_event_name both = named("cycles:uk");
    assert_true(!both.exclude_user && !both.exclude_kernel && both.exclude_hypervisor);
    assert_true(named("cycles:G").exclude_host && named("cycles:H").exclude_guest);
    assert_true(named("sched:sched_wakeup:k").exclude_user);
    assert_int_equal(named("sched:sched_wakeup:k").config, 315);
}

static void events_of_PMUs_are_read_from_sysfs(void **state)
{
    (void)state;
    struct flm_event_name name = named("cpu/event=0x1c2,umask=3/u");
    assert_int_equal(name.type, 4);
    assert_int_equal(name.config, UINT64_C(0x1000003c2)); /* the ninth bit goes to bit 32 */
    assert_true(name.exclude_kernel);
    name = named("cpu/mem-loads/:p");
    assert_int_equal(name.config, 0x1cd);
    assert_int_equal(name.config1, 3);
    assert_int_equal(name.precise, 1);
    assert_int_equal(named("cpu/config=7/").config, 7);
}

static void a_list_of_events_is_split_at_its_commas(void **state)
{
    (void)state;
    struct flm_bytes list = flm_bytes_of("cycles:u,cpu/event=1,umask=2/,page-faults");
    static const char *const texts[] = {"cycles:u", "cpu/event=1,umask=2/", "page-faults"};
    for (size_t i = 0; i < 3; i++) {
        struct flm_event_name name;
        assert_true(flm_event_name_next(&list, make_root(), &name, NULL));
        assert_string_equal(name.text, texts[i]);
    }
    assert_int_equal(list.size, 0);
}

static void unknown_events_are_refused_with_similar_names(void **state)
{
    (void)state;
    assert_refused("cycels", "there is no event 'cycels': did you mean cycles?");
    assert_refused("cache",
                   "there is no event 'cache': did you mean cache-references or cache-misses?");
    assert_refused("xyzzy", "there is no event 'xyzzy' ('man flamel-record' lists the names)");
    assert_refused("sched:sched_swich",
                   "there is no event 'sched:sched_swich': did you mean sched:sched_switch?");
    assert_refused("a:b", "there is no event 'a:b' ('man flamel-record' lists the names)");
    assert_refused("../sched=1/", "no PMU '..' (/sys/bus/event_source/devices lists them)");
    assert_refused("cycles:z", "cycles:z: 'z' is not a modifier: u user, k kernel, h hypervisor, G "
                               "guest, H host, p and P precise");
    assert_refused("cycles:pppp", "cycles:pppp: at most three p");
    assert_refused("cpu/event=1", "cpu/event=1: the second '/' is missing");
    assert_refused("gpu/event=1/", "no PMU 'gpu' (/sys/bus/event_source/devices lists them)");
    assert_refused("cpu/event=x/", "cpu/event=x/: 'event=x' is not a term with a number");
    assert_refused("", "the name of an event is missing");
    assert_refused("cycles,", "the name of an event is missing");
    assert_refused("cycles,,cycles", "the name of an event is missing");
    struct flm_bytes list = flm_bytes_of("cpu/umask=256/");
    struct flm_event_name name;
    assert_false(flm_event_name_next(&list, make_root(), &name, NULL)); /* 9 bits for 8 */
    char long_name[200];
    memset(long_name, 'x', sizeof long_name);
    list = (struct flm_bytes){long_name, sizeof long_name};
    assert_false(flm_event_name_next(&list, make_root(), &name, NULL));
}

struct listed {
    size_t known, software, caches, tracepoints, units;
    bool has_cycles, stops;
};

static bool count_name(void *context, const char *name, const char *kind)
{
    struct listed *l = context;
    struct flm_bytes list = flm_bytes_of(name);
    struct flm_event_name event;
    struct flm_error why;
    if (!flm_event_name_next(&list, make_root(), &event,
                             &why)) /* whatever is listed is understood */
        fail_msg("%s", why.text);
    l->known += strcmp(kind, "hardware") == 0;
    l->software += strcmp(kind, "software") == 0;
    l->caches += strcmp(kind, "cache") == 0;
    l->tracepoints += strcmp(kind, "tracepoint") == 0;
    l->units += strcmp(kind, "PMU") == 0;
    l->has_cycles = l->has_cycles || strcmp(name, "cycles") == 0;
    return !l->stops;
}

static void every_listed_name_is_an_event(void **state)
{
    (void)state;
    struct listed l = {0};
    flm_event_names(make_root(), count_name, &l);
    assert_true(l.known > 5 && l.software > 5 && l.caches == 42 && l.has_cycles);
    assert_true(l.tracepoints > 0 && l.units > 0);
    struct listed one = {.stops = true};
    flm_event_names(make_root(), count_name, &one);
    assert_int_equal(one.known + one.software + one.caches + one.tracepoints + one.units, 1);
    struct listed none = {0};
    flm_event_names("/no/such/root", count_name, &none);
    assert_true(none.known == l.known && none.tracepoints == 0 && none.units == 0);
}

static void a_tracepoint_is_described_by_the_kernel(void **state)
{
    (void)state;
    char text[64];
    size_t size = flm_event_description(make_root(), "sched:sched_switch", text, sizeof text);
    assert_true(flm_bytes_are((struct flm_bytes){text, size}, "name: sched_switch\n"));
    assert_int_equal(flm_event_description(make_root(), "sched:sched_switch", text, 4), 4);
    assert_int_equal(flm_event_description(make_root(), "sched:none", text, sizeof text), 0);
    assert_int_equal(flm_event_description(make_root(), "cycles", text, sizeof text), 0);
}

static void tracepoints_need_tracefs(void **state)
{
    (void)state;
    char root[300], command[800];
    snprintf(root, sizeof root, "%s", temporary_path("without"));
    snprintf(command, sizeof command, "mkdir -p %s/sys/kernel/tracing", root);
    assert_int_equal(system(command), 0);
    struct flm_bytes list = flm_bytes_of("sched:sched_switch");
    struct flm_event_name name;
    struct flm_error why = {0};
    assert_false(flm_event_name_next(&list, root, &name, &why));
    assert_non_null(strstr(why.text, "mount -t tracefs"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tracepoint_is_described_by_the_kernel),
        cmocka_unit_test(every_listed_name_is_an_event),
        cmocka_unit_test(names_of_perf_are_known),
        cmocka_unit_test(modifiers_set_privilege_levels_and_precision),
        cmocka_unit_test(events_of_PMUs_are_read_from_sysfs),
        cmocka_unit_test(a_list_of_events_is_split_at_its_commas),
        cmocka_unit_test(unknown_events_are_refused_with_similar_names),
        cmocka_unit_test(tracepoints_need_tracefs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
