/* java_fixture.h - the runtime of Java with one VM, whose agent the test plays. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_JAVA_FIXTURE_H
#define FLAMEL_TESTS_SUPPORT_RECORD_JAVA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/java/internal.h"
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

static inline bool define(void *context, struct flm_event *event, struct flm_error *why)
{
    (void)context;
    (void)event;
    (void)why;
    return true;
}

static inline bool take(void *context, struct flm_runtime_sampled *s, struct flm_error *why)
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

static inline struct flm_runtime_sinks sinks_of(struct fixture *f)
{
    return (struct flm_runtime_sinks){take, define, f};
}

static inline void open_fixture(struct fixture *f)
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

static inline void close_fixture(struct fixture *f)
{
    for (size_t i = 0; i < f->java.vms.count; i++)
        flm_java_clear_vm(&f->java.vms.at[i]);
    java_end_clear(&f->end);
    flm_java_virtual_clear(&f->java);
    flm_lasting_texts_clear(&f->java.names);
    flm_java_methods_clear(&f->java.methods);
    FLM_ARRAY_CLEAR(&f->java.vms);
}

static inline void put(struct fixture *f, const void *record, size_t size)
{
    memcpy(f->end.records + f->at, record, size);
    f->at += size;
}

static inline void put_thread(struct fixture *f, int64_t time_ns, bool is_sampled)
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
static inline void put_stack(struct fixture *f, int64_t time_ns, int64_t since_ns)
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
static inline bool claim(struct fixture *f, int64_t time_ns, bool keeps)
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

static inline void pass_on(struct fixture *f, int64_t until_ns, const char *wanted)
{
    struct flm_error why;
    const struct flm_runtime_sinks to = sinks_of(f);
    f->seen[0] = 0;
    assert_true(flm_java_read(&f->java, f->vm, &to, &why));
    assert_true(flm_java_join(&f->java, f->vm, until_ns, &to, &why));
    assert_string_equal(f->seen, wanted);
}

#endif
