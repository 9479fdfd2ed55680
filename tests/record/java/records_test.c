/* records_test.c - records of an agent that the test plays; tests/java/ has the real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/java/internal.h"
#include "support/core/allocation.h"
#include "support/record/java_end.h"

enum { VM = 4711, THREAD = 4712, RING = 1 << 16 };

struct fixture {
    struct flm_java java;
    struct flm_java_target *vm;
    struct flm_java_config config;
    struct java_end end;
    uint64_t at;    /* where the agent writes next */
    char seen[400]; /* what was passed on: "time:kernel chain:frames:thread name" */
};

static bool define(void *context, struct flm_event *event, struct flm_error *why)
{
    (void)context;
    (void)event;
    (void)why;
    return true;
}

static bool take(void *context, struct flm_runtime_sampled *s, struct flm_error *why)
{
    struct fixture *f = context;
    size_t size = strlen(f->seen);
    (void)why;
    assert_ptr_equal(s->event.sample.layout, &f->java.layouts[FLM_JAVA_CPU]);
    snprintf(f->seen + size, sizeof f->seen - size, "%lld:%zu:%zu:%llu:%.*s ",
             (long long)s->event.time_ns, s->event.sample.chain_count, s->frame_count,
             (unsigned long long)s->event.sample.period, (int)s->event.sample.thread_name.size,
             s->event.sample.thread_name.at);
    assert_int_equal(s->event.thread, THREAD);
    return true;
}

static struct flm_runtime_sinks sinks_of(struct fixture *f)
{
    return (struct flm_runtime_sinks){take, define, f};
}

static void open_fixture(struct fixture *f)
{
    struct flm_error why;
    int inherited = -1;
    *f = (struct fixture){.config = {.ring_size = RING, .metrics = 1}};
    f->java.methods.first_code = FLM_CODE_FIRST;
    assert_true(FLM_ARRAY_RESERVE(&f->java.vms, 1));
    f->vm = &f->java.vms.at[f->java.vms.count++];
    *f->vm = (struct flm_java_target){
        .agent = flm_java_agent_inherit(&inherited, &why), .process = VM, .in_our_namespace = true};
    assert_non_null(f->vm->agent);
    assert_true(flm_java_agent_configure(f->vm->agent, &f->config, &why));
    f->end = java_end_receive(inherited);
    f->end.ring->takes_signals = 1;
}

static void close_fixture(struct fixture *f)
{
    flm_java_forget_waiting(f->vm);
    flm_java_agent_free(f->vm->agent);
    java_end_clear(&f->end);
    FLM_ARRAY_CLEAR(&f->vm->threads);
    FLM_ARRAY_CLEAR(&f->vm->blobs);
    flm_index_clear(&f->vm->by_inner);
    flm_index_clear(&f->vm->by_outer);
    for (size_t i = 0; i < f->java.names.count; i++)
        free(f->java.names.at[i]);
    FLM_ARRAY_CLEAR(&f->java.names);
    flm_index_clear(&f->java.name_index);
    flm_java_methods_clear(&f->java.methods);
    FLM_ARRAY_CLEAR(&f->java.vms);
}

static void put(struct fixture *f, const void *record, size_t size)
{
    memcpy(f->end.records + f->at, record, size);
    f->at += size;
}

static void put_thread(struct fixture *f, int64_t time_ns, bool is_sampled)
{
    struct {
        struct flm_java_thread thread;
        char name[8];
    } r = {.thread = {.record = {.size = sizeof r, .kind = FLM_JAVA_THREAD},
                      .time_ns = time_ns,
                      .thread = THREAD,
                      .is_sampled = is_sampled,
                      .name_size = 4},
           .name = "busy"};
    put(f, &r, sizeof r);
}

/* With two frames. */
static void put_stack(struct fixture *f, int64_t time_ns, int64_t since_ns)
{
    struct {
        struct flm_java_sample sample;
        struct flm_java_frame frames[2];
    } r = {.sample = {.record = {.size = sizeof r, .kind = FLM_JAVA_SAMPLE},
                      .time_ns = time_ns,
                      .since_ns = since_ns,
                      .is_stack = 1,
                      .thread = THREAD,
                      .metric = FLM_JAVA_CPU,
                      .frame_count = 2},
           .frames = {{.method = 1}, {.method = 2}}};
    put(f, &r, sizeof r);
}

/* A sample of the recorder: one address in the kernel for each 100 ns of its time. */
static bool claim(struct fixture *f, int64_t time_ns, bool keeps)
{
    static const uint64_t chain[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    uint64_t own[12];
    size_t count = (size_t)time_ns / 100;
    memcpy(own, chain, sizeof chain);
    own[count] = FLM_CONTEXT_USER;
    const struct flm_event event = {
        .kind = FLM_EVENT_SAMPLE,
        .process = VM,
        .thread = THREAD,
        .time_ns = time_ns,
        .sample = {.period = 7, .chain = own, .chain_count = count + 2}};
    return flm_java_claims(&f->java, &event, keeps);
}

static void pass_on(struct fixture *f, int64_t until_ns, const char *wanted)
{
    struct flm_error why;
    const struct flm_runtime_sinks to = sinks_of(f);
    f->seen[0] = 0;
    assert_true(flm_java_read(&f->java, f->vm, &to, &why));
    assert_true(flm_java_join(&f->java, f->vm, until_ns, &to, &why));
    assert_string_equal(f->seen, wanted);
}

static void a_stack_is_that_of_all_samples_since_the_one_before(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    put_thread(&f, 50, true);
    pass_on(&f, 50, "");
    assert_false(claim(&f, 10, true)); /* it was not sampled by the agent then */
    assert_true(claim(&f, 100, true));
    assert_true(claim(&f, 200, true));
    assert_true(claim(&f, 150, false)); /* the same, by another event */
    put_stack(&f, 210, 0);
    pass_on(&f, 205, ""); /* the rings may have more of it */
    pass_on(&f, 210, "100:1:2:7:busy 200:2:2:7:busy ");
    /* One whose stack was lost, and one whose stack comes late. */
    assert_true(claim(&f, 300, true));
    assert_true(claim(&f, 400, true));
    put_stack(&f, 410, 310);
    put_stack(&f, 500, 410); /* whose sample was lost */
    pass_on(&f, 1000, "300:3:1:7:busy 400:4:2:7:busy ");
    assert_int_equal(f.java.without_java, 1);
    close_fixture(&f);
}

static void samples_that_have_no_stack_in_the_end_say_so(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    put_thread(&f, 50, true);
    put_thread(&f, 350, false);
    pass_on(&f, 0, "");
    assert_true(claim(&f, 300, true));
    assert_false(claim(&f, 400, true)); /* the thread has ended for the agent */
    pass_on(&f, 1000000, "");
    pass_on(&f, INT64_MAX, "300:3:1:7:busy ");
    assert_int_equal(f.java.without_java, 1);
    /* Those of other processes are not ours. */
    const struct flm_event event = {.process = VM + 1, .thread = THREAD, .time_ns = 100};
    assert_false(flm_java_claims(&f.java, &event, true));
    close_fixture(&f);
}

/* Its thread blocks signals, say: what waits does not grow for as long as is recorded. */
static void a_sample_waits_for_some_seconds_only(void **state)
{
    (void)state;
    const int64_t second = 1000000000;
    struct fixture f;
    open_fixture(&f);
    put_thread(&f, 50, true);
    pass_on(&f, 50, "");
    assert_true(claim(&f, 100, true));
    assert_true(claim(&f, 200, true));
    pass_on(&f, second, "");
    pass_on(&f, 5 * second + 100, "100:1:1:7:busy ");
    put_stack(&f, 5 * second + 150, 0);
    pass_on(&f, 5 * second + 150, "200:2:2:7:busy ");
    assert_int_equal(f.java.without_java, 1);
    close_fixture(&f);
}

static void without_memory_samples_are_counted_and_stacks_are_an_error(void **state)
{
    (void)state;
    struct fixture f;
    struct flm_error why;
    const struct flm_runtime_sinks to = {take, define, &f};
    open_fixture(&f);
    put_thread(&f, 50, true);
    pass_on(&f, 0, "");
    allocation_fail_from(1);
    assert_true(claim(&f, 100, true));
    allocation_fail_from(0);
    assert_int_equal(f.java.not_kept, 1);
    put_stack(&f, 210, 0);
    allocation_fail_from(1); /* without memory to copy it the record stays in the ring */
    bool read = flm_java_read(&f.java, f.vm, &to, &why);
    allocation_fail_from(2);
    bool kept = flm_java_read(&f.java, f.vm, &to, &why);
    allocation_fail_from(0);
    assert_true(read);
    assert_false(kept);
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    close_fixture(&f);
}

static void records_that_are_not_sound_are_passed_over(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    struct flm_java_sample short_one = {
        .record = {.size = sizeof short_one, .kind = FLM_JAVA_SAMPLE},
        .thread = THREAD,
        .frame_count = 100,
        .metric = FLM_JAVA_CPU};
    put(&f, &short_one, sizeof short_one);
    short_one.frame_count = 0;
    short_one.metric = FLM_JAVA_METRICS;
    put(&f, &short_one, sizeof short_one);
    struct flm_java_thread thread = {.record = {.size = sizeof thread, .kind = FLM_JAVA_THREAD},
                                     .thread = THREAD,
                                     .name_size = 100};
    put(&f, &thread, sizeof thread);
    pass_on(&f, INT64_MAX, "");
    assert_int_equal(f.vm->threads.count, 0);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_that_of_all_samples_since_the_one_before),
        cmocka_unit_test(samples_that_have_no_stack_in_the_end_say_so),
        cmocka_unit_test(a_sample_waits_for_some_seconds_only),
        cmocka_unit_test(without_memory_samples_are_counted_and_stacks_are_an_error),
        cmocka_unit_test(records_that_are_not_sound_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
