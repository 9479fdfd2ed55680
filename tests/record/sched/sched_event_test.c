#include "record/sched/sched_event.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "profile/columns.h"
#include "record/symbols/symbolized_session.h"
#include "support/profile/profiles.h"

/* The events of a recording of all that the scheduler does. */
enum { SWITCHES, WAKE_UPS, CLOCK, EVENTS };

struct scenario {
    struct flm_event_layout layout[EVENTS];
    struct flm_event_layouts layouts;
    struct flm_session *session;
    char raw[64];
};

static void scenario_init(struct scenario *t, bool has_switches)
{
    *t = (struct scenario){0};
    t->layout[SWITCHES] = (struct flm_event_layout){.name = "sched:sched_switch",
                                                    .type = PERF_TYPE_TRACEPOINT,
                                                    .number = SWITCHES,
                                                    .has_switches = has_switches,
                                                    .only_marks = true};
    t->layout[WAKE_UPS] = (struct flm_event_layout){.name = "sched:sched_waking",
                                                    .type = PERF_TYPE_TRACEPOINT,
                                                    .number = WAKE_UPS,
                                                    .only_marks = true};
    t->layout[CLOCK] = (struct flm_event_layout){.name = "cpu-clock",
                                                 .type = PERF_TYPE_SOFTWARE,
                                                 .config = PERF_COUNT_SW_CPU_CLOCK,
                                                 .number = CLOCK};
    t->layouts.items.at = t->layout;
    t->layouts.items.count = EVENTS;
    const struct flm_session_options options = {.keep_times = true};
    t->session = flm_session_new(&options, NULL);
    assert_non_null(t->session);
}

static struct flm_event_sample sample_of(struct scenario *t, int event, size_t raw_size)
{
    return (struct flm_event_sample){
        .layout = &t->layout[event], .layouts = &t->layouts, .raw = {t->raw, raw_size}};
}

static void add(struct scenario *t, struct flm_event event)
{
    event.cpu = UINT32_MAX;
    assert_true(flm_session_add(t->session, &event, NULL));
}

static void put_switch_raw(struct scenario *t, uint32_t leaves, uint64_t state, uint32_t comes)
{
    memset(t->raw, 0, sizeof t->raw);
    memcpy(t->raw + 24, &leaves, 4);
    memcpy(t->raw + 32, &state, 8);
    memcpy(t->raw + 56, &comes, 4);
}

static void at_switch(struct scenario *t, int64_t time_ns, int32_t leaves, uint64_t state,
                      int32_t comes)
{
    put_switch_raw(t, (uint32_t)leaves, state, (uint32_t)comes);
    add(t, (struct flm_event){.kind = FLM_EVENT_SAMPLE,
                              .process = leaves,
                              .thread = leaves,
                              .time_ns = time_ns,
                              .sample = sample_of(t, SWITCHES, 64)});
}

static void at_wake(struct scenario *t, int64_t time_ns, int32_t waker, uint32_t woken)
{
    memset(t->raw, 0, sizeof t->raw);
    memcpy(t->raw + 24, &woken, 4);
    add(t, (struct flm_event){.kind = FLM_EVENT_SAMPLE,
                              .process = waker,
                              .thread = waker,
                              .time_ns = time_ns,
                              .sample = sample_of(t, WAKE_UPS, 36)});
}

static void at_record(struct scenario *t, int64_t time_ns, int32_t thread, bool out, bool preempted)
{
    add(t, (struct flm_event){.kind = FLM_EVENT_SWITCH,
                              .process = thread,
                              .thread = thread,
                              .time_ns = time_ns,
                              .change = {out, preempted}});
}

/* The off-CPU time as "state thread from+lasts, ...", in the order of time; frees the session. */
static void waits_are(struct scenario *t, const char *expected)
{
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    assert_true(flm_session_finish(t->session, b, NULL, NULL, &why));
    flm_session_free(t->session);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_sound(p);
    struct flm_text text = {0};
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        uint32_t set = p->sample_labels[i];
        const char *between = i > 0 ? ", " : "";
        flm_text_puts(&text, between);
        for (uint32_t k = p->label_set_ends[set]; k-- > (set ? p->label_set_ends[set - 1] : 0);) {
            struct flm_label_record label = p->labels[p->set_members[k]];
            struct flm_bytes key = flm_string_bytes(p, label.key);
            if (!flm_bytes_are(key, "thread") && !flm_bytes_are(key, "state"))
                continue;
            flm_text_add(&text, flm_string_bytes(p, label.value));
            flm_text_putc(&text, ' ');
        }
        flm_text_format(&text, "%lld+%lld", (long long)p->sample_time[i],
                        (long long)flm_sample_duration(p, i));
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void names_say_what_samples_are(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flm_sched_kind expected;
    } cases[] = {{"sched:sched_switch", FLM_SCHED_SWITCH},
                 {"sched:sched_waking", FLM_SCHED_WAKE},
                 {"sched:sched_wakeup", FLM_SCHED_WAKE},
                 {"sched:sched_wakeup_new", FLM_SCHED_WAKE},
                 {"sched:sched_wakeups", FLM_SCHED_OTHER},
                 {"sched:sched_process_exit", FLM_SCHED_OTHER},
                 {"cycles", FLM_SCHED_OTHER},
                 {NULL, FLM_SCHED_OTHER}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_event_layout layout = {.name = cases[i].name, .type = PERF_TYPE_TRACEPOINT};
        assert_int_equal(flm_sched_kind(&layout), cases[i].expected);
    }
    struct flm_event_layout software = {.type = PERF_TYPE_SOFTWARE,
                                        .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
    assert_int_equal(flm_sched_kind(&software), FLM_SCHED_SWITCH);
}

static void fields_are_read_in_the_order_of_the_file_and_not_beyond_it(void **state)
{
    (void)state;
    struct scenario t;
    struct flm_sched_switch change;
    int32_t woken;
    scenario_init(&t, true);
    put_switch_raw(&t, 17, 0x102, 18);
    struct flm_event_sample sample = sample_of(&t, SWITCHES, 64);
    assert_true(flm_sched_switch_read(&sample, &change));
    assert_true(change.leaves == 17 && change.state == 0x102 && change.comes == 18);
    put_switch_raw(&t, __builtin_bswap32(17), __builtin_bswap64(2), __builtin_bswap32(18));
    t.layouts.swapped = true;
    assert_true(flm_sched_switch_read(&sample, &change));
    assert_true(change.leaves == 17 && change.state == 2 && change.comes == 18);
    assert_true(flm_sched_wake_read(&sample, &woken));
    assert_int_equal(woken, 17);
    for (size_t size = 0; size < 64; size++) {
        sample = sample_of(&t, SWITCHES, size);
        assert_false(flm_sched_switch_read(&sample, &change));
        assert_int_equal(flm_sched_wake_read(&sample, &woken), size >= 36);
    }
    flm_session_free(t.session);
}

static void a_wait_ends_with_the_wake_up_and_the_way_to_a_CPU_follows(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t, true);
    at_switch(&t, 1000, 7, 1, 0);
    at_record(&t, 1001, 7, true, false);
    at_wake(&t, 5000, 9, 7);
    at_record(&t, 5300, 7, false, false);
    at_switch(&t, 6000, 7, 0x100, 0); /* preempted */
    at_record(&t, 6001, 7, true, true);
    at_record(&t, 6500, 7, false, false);
    at_switch(&t, 7000, 7, 2, 0);
    at_record(&t, 7001, 7, true, false);
    at_record(&t, 7100, 7, false, false);
    waits_are(&t, "7 sleeping 1001+3999, 7 runnable 5000+300, 7 runnable 6001+499, 7 blocked "
                  "7001+99");
}

static void without_records_of_switches_the_tracepoint_tells_who_comes(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t, false);
    at_switch(&t, 1000, 7, 1, 8);
    at_wake(&t, 1500, 8, 7);
    at_switch(&t, 2000, 8, 0x100, 7); /* 7 comes back, 8 is preempted */
    at_switch(&t, 3000, 7, 2, 8);
    at_switch(&t, 3500, 8, 1, 7);
    at_switch(&t, 9000, 7, 1, 0);
    waits_are(&t, "7 sleeping 1000+500, 7 runnable 1500+500, 8 runnable 2000+1000, 7 blocked "
                  "3000+500, 8 sleeping 3500+5500");
}

static void a_new_thread_is_runnable_until_it_comes(void **state)
{
    (void)state;
    struct scenario t;
    const struct flm_event fork = {
        .kind = FLM_EVENT_FORK, .process = 8, .thread = 8, .time_ns = 2000, .fork = {7, 7}};
    scenario_init(&t, true);
    at_record(&t, 1000, 7, false, false);
    add(&t, fork);
    at_record(&t, 2500, 8, false, false);
    at_record(&t, 3000, 8, true, false);
    at_record(&t, 3100, 8, false, false);
    waits_are(&t, "8 runnable 2000+500, 8 sleeping 3000+100");
    scenario_init(&t, true); /* where it is not seen to come, it is not recorded, perhaps */
    at_record(&t, 1000, 7, false, false);
    add(&t, fork);
    at_record(&t, 3000, 7, true, false);
    at_record(&t, 3100, 7, false, false);
    waits_are(&t, "7 sleeping 3000+100");
}

/* Of one program alone the kernel shows who leaves, and not who comes. */
static void a_thread_that_comes_back_unseen_does_not_wait_to_the_end(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t, false);
    at_switch(&t, 1000, 7, 1, 0);
    at_switch(&t, 5000, 7, 1, 0);
    at_switch(&t, 9000, 8, 1, 0);
    struct flm_builder *b = flm_builder_new(NULL);
    assert_true(flm_session_finish(t.session, b, NULL, NULL, NULL));
    flm_session_free(t.session);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_int_equal(p->sizes.sample_count, 0);
    flm_profile_free(p);
}

/* The tracepoint has the numbers of the machine, the records those of the container. */
static void in_a_container_nobody_is_woken_by_number(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t, true);
    put_switch_raw(&t, 4711, 1, 0);
    add(&t, (struct flm_event){.kind = FLM_EVENT_SAMPLE,
                               .process = 7,
                               .thread = 7,
                               .time_ns = 1000,
                               .sample = sample_of(&t, SWITCHES, 64)});
    at_record(&t, 1001, 7, true, false);
    at_wake(&t, 2000, 9, 7);
    at_record(&t, 5001, 7, false, false);
    waits_are(&t, "7 sleeping 1001+4000");
}

static void the_last_switch_of_a_thread_has_no_number(void **state)
{
    (void)state;
    struct scenario t;
    for (int32_t number = -1; number <= 0; number++) {
        scenario_init(&t, false);
        put_switch_raw(&t, 9, 0x10, 7);
        add(&t, (struct flm_event){.kind = FLM_EVENT_SAMPLE,
                                   .process = number,
                                   .thread = number,
                                   .time_ns = 500,
                                   .sample = sample_of(&t, SWITCHES, 64)});
        at_switch(&t, 1000, 7, 1, 0);
        at_wake(&t, 4000, 8, 7);
        at_switch(&t, 5000, 0, 0, 7);
        waits_are(&t, "7 sleeping 1000+3000, 7 runnable 4000+1000");
    }
}

/* As the kernel writes them: the second one with preempt_lazy_count in front, as PREEMPT_RT kernels
 * have it, and a state of 32 bits. */
static const char descriptions[] =
    "tracing\0name: sched_switch_other\nID: 1\nformat:\n\tfield:pid_t prev_pid;\toffset:4;\tsize:4;"
    "\tsigned:1;\n\nprint fmt: \"\"\n"
    "name: sched_switch\nID: 316\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
    "\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n\n"
    "\tfield:char prev_comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:32;\tsize:4;\tsigned:1;\n"
    "\tfield:unsigned int prev_state;\toffset:36;\tsize:4;\tsigned:0;\n"
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"prev_pid=%d\", REC->prev_pid\n"
    "name: sched_waking\nID: 320\nformat:\n"
    "\tfield:pid_t pid;\toffset:28;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

static void fields_are_where_the_kernel_describes_them(void **state)
{
    (void)state;
    struct flm_bytes all = {descriptions, sizeof descriptions - 1};
    struct flm_event_layouts layouts = {0};
    struct flm_event_layout layout = {.type = PERF_TYPE_TRACEPOINT, .name = "sched:sched_switch"};
    char raw[60] = {0};
    const uint32_t leaves = 11, to = 12, waits = 2;
    uint64_t id = 0;
    memcpy(raw + 28, &leaves, 4);
    memcpy(raw + 36, &waits, 4);
    memcpy(raw + 56, &to, 4);
    struct flm_event_sample sample = {
        .layout = &layout, .layouts = &layouts, .raw = {raw, sizeof raw}};
    struct flm_sched_switch change;
    assert_true(flm_sched_describe(all, "sched_switch", &id, &layout.sched));
    assert_int_equal(id, 316);
    assert_true(flm_sched_switch_read(&sample, &change));
    assert_int_equal(change.leaves, 11);
    assert_int_equal(change.comes, 12);
    assert_true(change.state == 2);
    sample.raw.size = 59; /* ends within the last field */
    assert_false(flm_sched_switch_read(&sample, &change));
    int32_t woken;
    assert_true(flm_sched_describe(all, "sched_waking", &id, &layout.sched));
    assert_int_equal(id, 320);
    assert_true(flm_sched_wake_read(&sample, &woken));
    assert_int_equal(woken, 11);
    sample.raw.size = 31;
    assert_false(flm_sched_wake_read(&sample, &woken));
}

static void descriptions_without_the_fields_are_not_used(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "name: sched_switch\n",
        "name: sched_switch\nID: 3\nformat:\n",
        "name: sched_switch\nID: 3\n\tfield:pid_t prev_pid;\toffset:99999;\tsize:4;\n"
        "\tfield:pid_t next_pid;\toffset:8;\tsize:4;\n\tfield:long prev_state;\toffset:8;\tsize:8;",
        "name: sched_switch\nID: 3\n\tfield:pid_t prev_pid;\toffset:8;\tsize:2;\n"
        "\tfield:pid_t next_pid;\toffset:8;\tsize:4;\n\tfield:long prev_state;\toffset:8;\tsize:8;",
    };
    struct flm_sched_fields fields;
    uint64_t id;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(flm_sched_describe(flm_bytes_of(bad[i]), "sched_switch", &id, &fields));
    for (size_t size = 0; size < sizeof descriptions; size++) {
        char *copy = malloc(size + 1); /* so that a sanitizer sees a read past its end */
        assert_non_null(copy);
        memcpy(copy, descriptions, size);
        flm_sched_describe((struct flm_bytes){copy, size}, "sched_waking", &id, &fields);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_where_the_kernel_describes_them),
        cmocka_unit_test(descriptions_without_the_fields_are_not_used),
        cmocka_unit_test(names_say_what_samples_are),
        cmocka_unit_test(fields_are_read_in_the_order_of_the_file_and_not_beyond_it),
        cmocka_unit_test(a_wait_ends_with_the_wake_up_and_the_way_to_a_CPU_follows),
        cmocka_unit_test(without_records_of_switches_the_tracepoint_tells_who_comes),
        cmocka_unit_test(a_new_thread_is_runnable_until_it_comes),
        cmocka_unit_test(a_thread_that_comes_back_unseen_does_not_wait_to_the_end),
        cmocka_unit_test(the_last_switch_of_a_thread_has_no_number),
        cmocka_unit_test(in_a_container_nobody_is_woken_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
