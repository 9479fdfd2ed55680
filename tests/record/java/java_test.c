/* java_test.c - VMs that come and go, with an agent that the test plays; tests/java/ has the real
 * one. */
#include "support/record/java_fixture.h"

extern const struct flm_runtime flm_runtime_java;

static void read_all(struct fixture *f)
{
    const struct flm_runtime_sinks to = sinks_of(f);
    struct flm_error why;
    assert_true(flm_runtime_java.read(&f->java, &to, &why));
}

static void join(struct fixture *f, int64_t until_ns, const char *wanted)
{
    const struct flm_runtime_sinks to = sinks_of(f);
    struct flm_error why;
    f->seen[0] = 0;
    assert_true(flm_runtime_java.join(&f->java, until_ns, &to, &why));
    assert_string_equal(f->seen, wanted);
}

static int unsignaled;

static void end_signal(void *context, int32_t process)
{
    (void)context;
    assert_int_equal(process, VM);
    unsignaled++;
}

static void a_vm_that_has_ended_is_released_with_all_its_samples(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    f.java.end_signal = end_signal;
    f.vm->start_ticks = 1; /* no process has been started then */
    f.vm->number = f.java.vm_count++;
    put_thread(&f, 50, true);
    read_all(&f);
    assert_int_equal(f.java.vms.count, 1);
    assert_true(claim(&f, 100, true));
    assert_true(claim(&f, 200, true));
    put_stack(&f, 110, 0);
    f.end.ring->lost = 3;
    close(f.end.socket); /* it was killed: no thread has ended for the agent */
    f.end.socket = dup(1);
    read_all(&f);
    assert_int_equal(f.java.vms.count, 1); /* the rings may have samples of it */
    assert_true(claim(&f, 300, true));
    int64_t ended_ns = f.vm->ended_ns;
    assert_true(ended_ns > 300);
    /* Another process has its number now. */
    const struct flm_event later = {.process = VM, .thread = THREAD, .time_ns = ended_ns + 1};
    assert_false(flm_java_claims(&f.java, &later, true));
    join(&f, ended_ns - 1, "100:1:2:7:busy 200:2:1:7:busy 300:3:1:7:busy ");
    assert_int_equal(f.java.vms.count, 1);
    assert_int_equal(unsignaled, 0);
    join(&f, ended_ns, "");
    assert_int_equal(f.java.vms.count, 0);
    assert_int_equal(unsignaled, 1);
    assert_int_equal(f.java.ended.lost, 3);
    assert_false(claim(&f, 400, true));
    close_fixture(&f);
}

static void two_vms_of_one_number_have_methods_of_their_own(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    const struct flm_java_frame frame = {.method = 77};
    uint64_t first = flm_java_methods_frame(&f.java.methods, f.vm->number, &frame);
    int inherited = -1;
    f.java.vm_count = 1;
    struct flm_java_target *second =
        flm_java_add_vm(&f.java, flm_java_agent_inherit(&inherited, NULL), VM, NULL);
    assert_non_null(second);
    close(inherited);
    assert_int_not_equal(flm_java_methods_frame(&f.java.methods, second->number, &frame), first);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vm_that_has_ended_is_released_with_all_its_samples),
        cmocka_unit_test(two_vms_of_one_number_have_methods_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
