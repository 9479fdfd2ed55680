#include "record/runtime/proc_stat.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"

static void a_name_may_hold_anything(void **state)
{
    (void)state;
    struct flm_proc_stat stat;
    shell("mkdir -p proc/4711/task/4712");
    write_temporary("proc/4711/stat",
                    flm_bytes_of("4711 (a) S 1\n) S (b) D 4710 3 4 5 6 7 8 9 10 11 12 13 14 15 16 "
                                 "17 3 0 123456 19\n"));
    write_temporary("proc/4711/task/4712/stat", flm_bytes_of("4712 (short) R 4710"));
    const char *root = temporary_path("");
    assert_true(flm_proc_stat_read(root, 4711, 0, &stat));
    assert_int_equal(stat.state, 'D');
    assert_int_equal(stat.parent, 4710);
    assert_int_equal(stat.threads, 3);
    assert_int_equal(stat.start_ticks, 123456);
    assert_true(flm_proc_stat_read(root, 4711, 4712, &stat));
    assert_int_equal(stat.state, 'R');
    assert_int_equal(stat.start_ticks, -1);
    assert_false(flm_proc_stat_read(root, 4713, 0, &stat));
}

static void *wait_for_a_signal(void *context)
{
    (void)context;
    for (;;)
        pause();
    return NULL;
}

static char state_of(pid_t process)
{
    struct flm_proc_stat stat;
    return flm_proc_stat_read("", process, 0, &stat) ? stat.state : 0;
}

static void a_process_runs_as_long_as_one_of_its_threads(void **state)
{
    (void)state;
    assert_true(flm_process_runs(getpid()));
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, wait_for_a_signal, NULL);
        pthread_exit(NULL);
    }
    assert_true(child > 0);
    while (state_of(child) != 'Z')
        poll(NULL, 0, 1);
    assert_true(flm_process_runs(child));
    kill(child, SIGKILL);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
    assert_int_equal(state_of(child), 'Z');
    assert_false(flm_process_runs(child)); /* nobody has asked for its status yet */
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(flm_process_runs(child));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_may_hold_anything),
        cmocka_unit_test(a_process_runs_as_long_as_one_of_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
