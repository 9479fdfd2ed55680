/* agent_test.c - what an agent says, by a process that plays it; tests/java/ has the real one. */
#include "record/java/agent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/record/java_end.h"

static const int64_t patience_ns = 20000000000;
enum { RING = 4096 };
static const struct flm_java_config config = {.ring_size = RING, .metrics = 1, .wall_ns = 7};

/* Writes a record with a number in it, at a position. */
static void put(struct java_end *e, uint64_t at, uint32_t size, uint32_t kind, uint64_t number)
{
    struct flm_java_record header = {size, kind};
    memcpy(e->records + at % RING + sizeof header, &number, sizeof number);
    memcpy(e->records + at % RING, &header, sizeof header);
}

static struct flm_java_agent *open_agent(struct java_end *e)
{
    int file = -1;
    struct flm_error why;
    struct flm_java_agent *a = flm_java_agent_inherit(&file, &why);
    assert_non_null(a);
    assert_true(flm_java_agent_configure(a, &config, &why));
    flm_java_agent_begin(a, 4711);
    *e = java_end_receive(file);
    assert_int_equal(flm_java_agent_process(a), 4711);
    return a;
}

static void the_config_arrives_with_its_memory(void **state)
{
    (void)state;
    struct java_end e;
    struct flm_java_agent *a = open_agent(&e);
    assert_int_equal(e.config.version, FLM_JAVA_VERSION);
    assert_int_equal(e.config.wall_ns, 7);
    assert_int_equal(flm_java_agent_state(a, NULL), FLM_JAVA_AGENT_WAITS);
    struct flm_java_hello hello = {.version = FLM_JAVA_VERSION};
    assert_int_equal(send(e.socket, &hello, sizeof hello, 0), sizeof hello);
    assert_int_equal(flm_java_agent_state(a, NULL), FLM_JAVA_AGENT_BEGUN);
    assert_int_equal(flm_java_agent_state(a, NULL), FLM_JAVA_AGENT_BEGUN);
    e.ring->lost = 3;
    assert_int_equal(flm_java_agent_counts(a).lost, 3);
    java_end_clear(&e);
    assert_int_equal(flm_java_agent_state(a, NULL), FLM_JAVA_AGENT_GONE);
    flm_java_agent_free(a);
}

static void a_refusal_is_in_the_agents_words(void **state)
{
    (void)state;
    struct java_end e;
    struct flm_error why = {0};
    struct flm_java_agent *a = open_agent(&e);
    struct flm_java_hello hello = {.version = FLM_JAVA_VERSION, .failed = 1};
    strcpy(hello.text, "measured already");
    assert_int_equal(send(e.socket, &hello, sizeof hello, 0), sizeof hello);
    java_end_clear(&e);
    assert_int_equal(flm_java_agent_state(a, &why), FLM_JAVA_AGENT_GONE);
    assert_string_equal(why.text, "measured already");
    flm_java_agent_free(a);
}

static void records_come_in_order_and_make_room(void **state)
{
    (void)state;
    struct java_end e;
    struct flm_java_agent *a = open_agent(&e);
    assert_null(flm_java_agent_next(a));
    uint64_t at = 0, next = 0;
    /* Round and round: 4096 is no multiple of 48, so padding comes in between. */
    for (int round = 0; round < 500; round++) {
        for (int i = 0; i < 3; i++) {
            if (RING - at % RING < 48) {
                put(&e, at, (uint32_t)(RING - at % RING), FLM_JAVA_PADDING, 0);
                at += RING - at % RING;
            }
            put(&e, at, 48, FLM_JAVA_SAMPLE, next + (uint64_t)i);
            at += 48;
        }
        for (int i = 0; i < 3; i++) {
            const struct flm_java_record *r = flm_java_agent_next(a);
            assert_non_null(r);
            assert_int_equal(r->size, 48);
            uint64_t number;
            memcpy(&number, r + 1, sizeof number);
            assert_int_equal(number, next++);
        }
        assert_null(flm_java_agent_next(a));
        assert_int_equal(e.ring->tail, at);
    }
    for (size_t i = 0; i < RING; i++)
        assert_int_equal(e.records[i], 0);
    java_end_clear(&e);
    flm_java_agent_free(a);
}

static void memory_that_the_vm_has_damaged_ends_the_reading(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 12, RING + 8, UINT32_MAX & ~7u};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct java_end e;
        struct flm_java_agent *a = open_agent(&e);
        put(&e, 0, sizes[i], FLM_JAVA_SAMPLE, 1);
        assert_null(flm_java_agent_next(a));
        assert_null(flm_java_agent_next(a));
        java_end_clear(&e);
        flm_java_agent_free(a);
    }
}

static void the_memory_cannot_be_made_shorter(void **state)
{
    (void)state;
    int file = -1;
    struct flm_java_agent *a = flm_java_agent_inherit(&file, NULL);
    assert_true(flm_java_agent_configure(a, &config, NULL));
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct flm_java_config got;
    struct iovec into = {&got, sizeof got};
    struct msghdr message = {.msg_iov = &into,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    int memory;
    assert_int_equal(recvmsg(file, &message, 0), sizeof got);
    memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof memory);
    assert_int_not_equal(ftruncate(memory, 0), 0);
    close(memory);
    close(file);
    flm_java_agent_free(a);
}

/* The other side answers a little later, from another process. */
static void the_end_waits_for_the_agent(void **state)
{
    (void)state;
    struct java_end e;
    struct flm_java_agent *a = open_agent(&e);
    assert_false(flm_java_agent_end(a, 1000000)); /* it does not look */
    pid_t child = fork();
    if (child == 0) {
        char byte;
        flm_java_agent_free(a);
        while (read(e.socket, &byte, 1) > 0)
            ;
        _exit(0); /* which closes its end */
    }
    java_end_clear(&e);
    assert_true(flm_java_agent_end(a, patience_ns));
    assert_true(flm_java_agent_end(a, patience_ns));
    waitpid(child, NULL, 0);
    flm_java_agent_free(a);
}

static void a_process_without_a_vm_is_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    assert_null(flm_java_agent_load((int32_t)getpid(), "/nowhere/libflamel-java.so", &config,
                                    (struct flm_java_patience){patience_ns, NULL}, &why));
    assert_non_null(strstr(why.text, "is no Java VM"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_config_arrives_with_its_memory),
        cmocka_unit_test(a_refusal_is_in_the_agents_words),
        cmocka_unit_test(records_come_in_order_and_make_room),
        cmocka_unit_test(memory_that_the_vm_has_damaged_ends_the_reading),
        cmocka_unit_test(the_memory_cannot_be_made_shorter),
        cmocka_unit_test(the_end_waits_for_the_agent),
        cmocka_unit_test(a_process_without_a_vm_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
