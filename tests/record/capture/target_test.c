#include "record/capture/target.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/capture/limits.h"
#include "support/core/files.h"
#include "support/core/programs.h"

static void wait_for(struct flm_child *child)
{
    while (!flm_child_has_ended(child))
        poll(NULL, 0, 1);
}

static void a_command_waits_until_it_is_released(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s", temporary_path("began"));
    char *command[] = {(char[]){"touch"}, path, NULL};
    struct flm_child child;
    struct flm_error why;
    if (!flm_child_start(&child, command, NULL, 0, &why))
        fail_msg("%s", why.text);
    poll(NULL, 0, 20);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_false(flm_child_has_ended(&child));
    assert_true(flm_child_release(&child, "touch", &why));
    wait_for(&child);
    assert_int_equal(child.status, 0);
    assert_int_equal(access(path, F_OK), 0);
    flm_child_clear(&child);
    assert_int_equal(child.process, 0);
}

static void the_exit_status_is_reported(void **state)
{
    (void)state;
    char *exits[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"exit 3"}, NULL};
    char *dies[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"kill -9 $$"}, NULL};
    struct flm_child child;
    assert_true(flm_child_start(&child, exits, NULL, 0, NULL));
    assert_true(flm_child_release(&child, "sh", NULL));
    wait_for(&child);
    assert_true(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 3);
    flm_child_clear(&child);
    assert_true(flm_child_start(&child, dies, NULL, 0, NULL));
    assert_true(flm_child_release(&child, "sh", NULL));
    wait_for(&child);
    assert_true(WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGKILL);
    flm_child_clear(&child);
}

/* We raise our own limit, for there is a file for each event, thread and processor. */
static void a_command_may_open_as_many_files_as_without_us(void **state)
{
    (void)state;
    char *asks[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"test $(ulimit -Sn) = 57"}, NULL};
    struct flm_child child;
    struct rlimit before, fewer;
    struct flm_limits limits;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    fewer = before;
    fewer.rlim_cur = 57;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &fewer), 0);
    flm_limits_read(&limits, "");
    assert_int_equal(limits.files_before, 57);
    assert_true(limits.files == fewer.rlim_max);
    assert_true(flm_child_start(&child, asks, NULL, limits.files_before, NULL));
    assert_true(flm_child_release(&child, "sh", NULL));
    wait_for(&child);
    assert_int_equal(child.status, 0);
    flm_child_clear(&child);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void a_command_that_is_not_released_never_starts(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s", temporary_path("never"));
    char *command[] = {(char[]){"touch"}, path, NULL};
    struct flm_child child;
    assert_true(flm_child_start(&child, command, NULL, 0, NULL));
    pid_t process = child.process;
    flm_child_clear(&child);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(waitpid(process, NULL, WNOHANG), -1); /* nothing is left of it */
}

static void assert_refused(const char *name, const char *reason)
{
    char copy[400];
    snprintf(copy, sizeof copy, "%s", name);
    char *command[] = {copy, NULL};
    struct flm_child child;
    struct flm_error why = {0};
    assert_false(flm_child_start(&child, command, NULL, 0, &why));
    assert_non_null(strstr(why.text, reason));
    assert_int_equal(child.process, 0);
    flm_child_clear(&child);
}

static void a_command_that_cannot_start_is_refused_at_once(void **state)
{
    (void)state;
    assert_refused("no-such-command-here", "no-such-command-here: command not found");
    assert_refused("/no/such/program", "/no/such/program: no such file");
    assert_refused("/", "cannot be executed: Is a directory");
    assert_refused("", "the command name is empty");
    const char *path = write_temporary("plain", flm_bytes_of("text"));
    assert_int_equal(chmod(path, 0644), 0);
    assert_refused(path, "cannot be executed: Permission denied");
}

static void an_exec_that_fails_is_reported(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s",
             write_temporary("script", flm_bytes_of("#!/no/such/interpreter\n")));
    assert_int_equal(chmod(path, 0755), 0);
    char *command[] = {path, NULL};
    struct flm_child child;
    struct flm_error why = {0};
    assert_true(flm_child_start(&child, command, NULL, 0, &why));
    assert_false(flm_child_release(&child, "script", &why));
    assert_string_equal(why.text, "script: cannot be executed: the interpreter that it names "
                                  "(#!, or ld.so) is not there");
    flm_child_clear(&child);
}

/* The status of a script of the temporary folder, by its name alone; -1: it was not found. */
static int status_in(const char *path, const char *name)
{
    char copy[100], argument[] = "7";
    snprintf(copy, sizeof copy, "%s", name);
    char *command[] = {copy, argument, NULL};
    struct flm_child child;
    if (!flm_child_start(&child, command, path, 0, NULL))
        return -1;
    assert_true(flm_child_release(&child, name, NULL));
    while (!flm_child_has_ended(&child))
        poll(NULL, 0, 1);
    int status = WEXITSTATUS(child.status);
    flm_child_clear(&child);
    return status;
}

/* As execvp does it, but with the path that the caller gives. */
static void a_command_is_searched_in_the_given_path(void **state)
{
    (void)state;
    char folder[300], path[700];
    snprintf(folder, sizeof folder, "%s",
             write_temporary("flamel-target-script", flm_bytes_of("exit $1\n")));
    assert_int_equal(chmod(folder, 0755), 0);
    *strrchr(folder, '/') = 0;
    snprintf(path, sizeof path, "/no/such/folder:%s:/bin", folder);
    assert_int_equal(status_in(path, "flamel-target-script"), 7); /* by /bin/sh: it has no #! */
    assert_int_equal(status_in("/no/such/folder", "flamel-target-script"), -1);
    assert_int_equal(status_in(NULL, "flamel-target-script"), -1);
}

static void *sleep_until(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void all_threads_of_a_process_are_found(void **state)
{
    (void)state;
    enum { COUNT = 5 };
    pthread_t threads[COUNT];
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct flm_tasks tasks = {0};
    assert_true(flm_tasks_of_process(&tasks, getpid(), "", NULL));
    size_t before = tasks.count; /* an emulator or a sanitizer may have threads of its own */
    assert_true(before > 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, sleep_until, &lock), 0);
    assert_true(flm_tasks_of_process(&tasks, getpid(), "", NULL));
    assert_int_equal(tasks.count, before + COUNT);
    assert_true(flm_tasks_of_process(&tasks, getpid(), "", NULL)); /* each once */
    assert_int_equal(tasks.count, before + COUNT);
    for (size_t i = 0; i < tasks.count; i++)
        assert_int_equal(flm_task_process(tasks.at[i], "", NULL), getpid());
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    flm_tasks_clear(&tasks);
    struct flm_error why;
    assert_false(flm_tasks_of_process(&tasks, 2147483647, "", &why));
    assert_string_equal(why.text, "there is no process 2147483647");
    assert_int_equal(flm_task_process(2147483647, "", &why), -1);
    assert_string_equal(why.text, "there is no thread 2147483647");
}

/* A forest in a /proc of our own: 10 has 11 and 12, 12 has 13; 20 has 21. Names hold anything. */
static void processes_have_descendants(void **state)
{
    (void)state;
    static const struct {
        int process, parent;
        const char *name;
    } all[] = {{10, 1, "sh"},    {13, 12, "a) S 1 ("}, {11, 10, "b c"},   {12, 10, "(((("},
               {20, 1, "other"}, {21, 20, "10"},       {1, 0, "systemd"}, {14, 11, ")"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char folder[64], name[80], line[100];
        snprintf(folder, sizeof folder, "root/proc/%d", all[i].process);
        snprintf(name, sizeof name, "%s/stat", folder);
        snprintf(line, sizeof line, "%d (%s) S %d 1 1 0 -1", all[i].process, all[i].name,
                 all[i].parent);
        shell("mkdir -p %s", folder);
        write_temporary(name, flm_bytes_of(line));
    }
    char *root = strdup(temporary_path("root"));
    struct flm_tasks processes = {0};
    assert_true(flm_tasks_add(&processes, 10));
    assert_true(flm_tasks_add_descendants(&processes, NULL, root));
    assert_int_equal(processes.count, 5);
    bool found[30] = {false};
    for (size_t i = 0; i < processes.count; i++)
        found[processes.at[i]] = true;
    assert_true(found[10] && found[11] && found[12] && found[13] && found[14]);
    flm_tasks_clear(&processes);
    assert_true(flm_tasks_add_descendants(&processes, NULL, root));
    assert_int_equal(processes.count, 0);
    free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_waits_until_it_is_released),
        cmocka_unit_test(the_exit_status_is_reported),
        cmocka_unit_test(a_command_may_open_as_many_files_as_without_us),
        cmocka_unit_test(a_command_that_is_not_released_never_starts),
        cmocka_unit_test(a_command_that_cannot_start_is_refused_at_once),
        cmocka_unit_test(an_exec_that_fails_is_reported),
        cmocka_unit_test(a_command_is_searched_in_the_given_path),
        cmocka_unit_test(all_threads_of_a_process_are_found),
        cmocka_unit_test(processes_have_descendants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
