#include "record/runtime/runtime.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void without_a_namespace_the_number_is_ours(void **state)
{
    (void)state;
    assert_int_equal(flm_namespace_number(getpid(), getpid()), getpid());
}

static void a_thread_that_is_gone_keeps_its_number(void **state)
{
    (void)state;
    assert_int_equal(flm_namespace_number(0x3FFFFFFF, 0x3FFFFFFF), 0x3FFFFFFF);
}

static void the_first_process_of_a_namespace_is_one(void **state)
{
    (void)state;
    int says[2], hold[2];
    char byte = 'y';
    assert_int_equal(pipe(says), 0);
    assert_int_equal(pipe(hold), 0);
    pid_t child = fork(), inner;
    if (child == 0) {
        if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
            inner = 0;
            _exit(write(says[1], &inner, sizeof inner) < 0);
        }
        inner = fork();
        if (inner == 0) { /* waits until nobody holds the other end */
            close(hold[1]);
            _exit(read(hold[0], &byte, 1) < 0);
        }
        if (write(says[1], &inner, sizeof inner) < 0)
            _exit(1);
        close(hold[1]);
        waitpid(inner, NULL, 0);
        _exit(0);
    }
    assert_int_equal(read(says[0], &inner, sizeof inner), sizeof inner);
    int32_t number = inner > 0 ? flm_namespace_number(inner, inner) : 0;
    close(hold[1]);
    waitpid(child, NULL, 0);
    if (inner <= 0) {
        print_message("no namespace may be made here\n");
        skip();
    }
    assert_int_equal(number, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_namespace_the_number_is_ours),
        cmocka_unit_test(a_thread_that_is_gone_keeps_its_number),
        cmocka_unit_test(the_first_process_of_a_namespace_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
