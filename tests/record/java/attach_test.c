/* attach_test.c - with a process that plays the VM: it maps a libjvm.so, and does what HotSpot does
 * with SIGQUIT and its socket; and with a real one, where a JDK is installed. */
#include "record/java/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const struct flm_java_patience patience = {20000000000, NULL},
                                      impatience = {300000000, NULL};

/* ---- The process that plays the VM ----------------------------------------------------------- */

struct role {
    const char *library; /* that it maps */
    bool ignores_quit;   /* it does not catch SIGQUIT */
    bool never_listens;
    bool has_not_begun; /* the handler is the program's own */
    uid_t user;         /* 0: ours */
};

static volatile sig_atomic_t quits;
static int named;

static void count_quit(int number)
{
    (void)number;
    quits++;
}

static void map_library(const char *name)
{
    char folder[] = "/tmp/flamel-attach-XXXXXX", path[100];
    if (!mkdtemp(folder))
        _exit(1);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, 4096) != 0 ||
        mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED)
        _exit(2);
    unlink(path); /* "(deleted)", as after an update */
    rmdir(folder);
}

/* Answers one command. */
static void serve(int connection)
{
    char words[500], answer[4 * sizeof words];
    size_t size = 0, ends = 0;
    while (ends < 5 && size < sizeof words && read(connection, words + size, 1) == 1)
        ends += words[size++] == 0;
    const char *command = words + strlen(words) + 1;
    if (ends < 5)
        return;
    if (strcmp(command, "silence") == 0)
        pause();
    else if (strcmp(command, "refuse") == 0)
        snprintf(answer, sizeof answer, "101\nno such thing\nat all\n");
    else
        snprintf(answer, sizeof answer, "0\n%s %s %s(%s)\n", words, command,
                 command + strlen(command) + 1, quits == 1 ? "one SIGQUIT" : "more");
    if (strcmp(command, "leave") != 0 && write(connection, answer, strlen(answer)) < 0)
        _exit(3);
}

static void *be(void *name)
{
    prctl(PR_SET_NAME, name);
    if (write(named, "n", 1) != 1)
        _exit(9);
    for (;;)
        pause();
}

/* Threads as those of a VM that has begun. */
static void start_threads(void)
{
    static char names[3][16] = {"VM Thread", "Signal Dispatch", "Service Thread"};
    int ends[2];
    pthread_t thread;
    char bytes[3];
    if (pipe(ends) != 0)
        _exit(10);
    named = ends[1];
    for (size_t i = 0; i < 3; i++)
        if (pthread_create(&thread, NULL, be, names[i]) != 0 || read(ends[0], bytes, 1) != 1)
            _exit(11);
}

/* The number by which it is known is its own: that of its namespace. */
static void play(const struct role *role, int ready)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char trigger[60];
    struct stat status;
    sigset_t quit, before;
    map_library(role->library);
    if (role->user != 0 && (setgid(role->user) != 0 || setuid(role->user) != 0))
        _exit(4);
    sigemptyset(&quit);
    sigaddset(&quit, SIGQUIT);
    sigprocmask(SIG_BLOCK, &quit, &before);
    if (!role->ignores_quit)
        signal(SIGQUIT, count_quit);
    if (!role->has_not_begun)
        start_threads();
    if (write(ready, "y", 1) != 1)
        _exit(5);
    while (quits == 0 || role->never_listens)
        sigsuspend(&before);
    sigprocmask(SIG_UNBLOCK, &quit, NULL);
    snprintf(trigger, sizeof trigger, "/tmp/.attach_pid%d", getpid());
    if (stat(trigger, &status) != 0 || status.st_uid != geteuid())
        _exit(6); /* here a VM prints its threads */
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.java_pid%d", getpid());
    int listening = socket(AF_UNIX, SOCK_STREAM, 0), connection;
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0 ||
        chmod(address.sun_path, 0600) != 0 || listen(listening, 5) != 0)
        _exit(7);
    while ((connection = accept(listening, NULL, NULL)) >= 0) {
        struct ucred peer;
        socklen_t size = sizeof peer;
        if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
            peer.uid == geteuid() && peer.gid == getegid())
            serve(connection);
        close(connection);
    }
}

static pid_t start(const struct role *role)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        play(role, ready[1]);
        _exit(8);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void assert_no_trigger(pid_t child)
{
    char path[60];
    snprintf(path, sizeof path, "/tmp/.attach_pid%d", child);
    assert_int_equal(access(path, F_OK), -1);
}

/* Ends it, and asserts that nothing else did. */
static void end(pid_t child)
{
    char path[60];
    int status;
    assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    snprintf(path, sizeof path, "/tmp/.java_pid%d", child);
    unlink(path);
}

static void assert_no_vm(pid_t process, const char *words)
{
    struct flm_error why = {0};
    assert_null(flm_java_vm_open(process, impatience, &why));
    if (!strstr(why.text, words))
        fail_msg("'%s' is not in '%s'", words, why.text);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void a_vm_is_woken_once_and_takes_commands(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.library = "libjvm.so"});
    struct flm_error why = {0};
    for (int i = 0; i < 2; i++) {
        struct flm_java_vm *vm = flm_java_vm_open(child, patience, &why);
        if (!vm)
            fail_msg("%s", why.text);
        struct flm_text answer = {0};
        flm_text_puts(&answer, "before:");
        assert_true(flm_java_vm_command(vm, "threaddump", (const char *const[3]){"-l"}, patience,
                                        &answer, &why));
        assert_true(flm_bytes_are((struct flm_bytes){answer.at, answer.size},
                                  "before:1 threaddump -l(one SIGQUIT)\n"));
        flm_text_clear(&answer);
        assert_int_equal(flm_java_vm_identity(vm)->process_in_itself, child);
        assert_int_equal(flm_java_vm_identity(vm)->user, geteuid());
        flm_java_vm_close(vm);
    }
    assert_no_trigger(child);
    end(child);
}

static void what_a_vm_refuses_is_said_in_its_words(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.library = "libjvm.so"});
    struct flm_error why = {0};
    struct flm_text answer = {0};
    struct flm_java_vm *vm = flm_java_vm_open(child, patience, &why);
    assert_non_null(vm);
    assert_false(flm_java_vm_command(vm, "refuse", NULL, patience, &answer, &why));
    assert_string_equal(why.text, "the VM refuses 'refuse': result 101: no such thing");
    assert_false(flm_java_vm_command(vm, "leave", NULL, patience, &answer, &why));
    assert_non_null(strstr(why.text, "ended the connection without an answer"));
    assert_false(flm_java_vm_command(vm, "silence", NULL, impatience, &answer, &why));
    assert_string_equal(why.text, "the VM did not answer in time");
    assert_int_equal(answer.size, 0);
    end(child);
    assert_false(flm_java_vm_command(vm, "threaddump", NULL, patience, &answer, &why));
    assert_non_null(strstr(why.text, "has ended"));
    flm_text_clear(&answer);
    flm_java_vm_close(vm);
}

static void processes_that_are_no_hotspot_get_no_signal(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.library = "libother.so", .ignores_quit = true});
    assert_no_vm(child, "is no Java VM: it has no libjvm.so");
    end(child);
    child = start(&(struct role){.library = "libj9vm29.so", .ignores_quit = true});
    assert_no_vm(child, "is an OpenJ9 VM");
    end(child);
    child = start(&(struct role){.library = "libjvm.so", .ignores_quit = true});
    assert_no_vm(child, "does not catch SIGQUIT, which would end it");
    assert_no_trigger(child);
    end(child);
    assert_no_vm(0x3FFFFFFF, "there is none");
}

static void a_vm_that_never_listens_is_not_awaited_for_ever(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.library = "libjvm.so", .never_listens = true});
    assert_no_vm(child, "does not answer: it is stopped, or was started with -XX:+Disable");
    assert_no_trigger(child);
    end(child);
}

/* Its own handler would get the signal. */
static void a_program_whose_vm_has_not_begun_gets_no_signal(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.library = "libjvm.so", .has_not_begun = true});
    assert_no_vm(child, "its Java VM has no handler of SIGQUIT yet");
    assert_no_trigger(child);
    end(child);
}

static void waiting_ends_when_it_is_over(void **state)
{
    (void)state;
    static _Atomic bool is_over = true;
    pid_t child = start(&(struct role){.library = "libjvm.so", .never_listens = true});
    struct flm_error why = {0};
    assert_null(flm_java_vm_open(child, (struct flm_java_patience){INT64_MAX / 2, &is_over}, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_no_trigger(child);
    end(child);
}

/* Anybody may create files in /tmp. */
static void the_socket_of_another_process_is_not_used(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.library = "libjvm.so", .never_listens = true});
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.java_pid%d", child);
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listening, 50), 0);
    assert_no_vm(child, "does not answer");
    close(listening);
    end(child);
}

/* As in a container: its own processes, its own /tmp, a user of its own. */
static void a_vm_in_other_namespaces_is_reached_as_its_user(void **state)
{
    (void)state;
    int says[2], ready[2];
    pid_t inner = 0;
    char byte;
    assert_int_equal(pipe(says), 0);
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        if (unshare(CLONE_NEWPID | CLONE_NEWNS) == 0 &&
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
            mount("none", "/tmp", "tmpfs", 0, "mode=1777") == 0)
            inner = fork();
        else
            inner = -1;
        if (inner == 0) {
            play(&(struct role){.library = "libjvm.so", .user = 65534}, ready[1]);
            _exit(8);
        }
        if (write(says[1], &inner, sizeof inner) < 0)
            _exit(1);
        if (inner > 0)
            waitpid(inner, NULL, 0);
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(says[0], &inner, sizeof inner), sizeof inner);
    if (inner < 0) {
        waitpid(child, NULL, 0);
        print_message("no namespaces may be made here\n");
        skip();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct flm_error why = {0};
    struct flm_java_vm *vm = flm_java_vm_open(inner, patience, &why);
    struct flm_text answer = {0};
    bool good = vm && flm_java_vm_command(vm, "threaddump", NULL, patience, &answer, &why);
    kill(inner, SIGKILL);
    waitpid(child, NULL, 0);
    if (!good)
        fail_msg("%s", why.text);
    assert_true(
        flm_bytes_are((struct flm_bytes){answer.at, answer.size}, "1 threaddump (one SIGQUIT)\n"));
    assert_int_equal(flm_java_vm_identity(vm)->process_in_itself, 1);
    assert_int_equal(flm_java_vm_identity(vm)->user, 65534);
    assert_int_equal(geteuid(), 0);
    flm_text_clear(&answer);
    flm_java_vm_close(vm);
}

/* ---- A real VM ------------------------------------------------------------------------------- */

static const char program[] = "class Still {\n"
                              "    public static void main(String[] a) throws Exception {\n"
                              "        System.out.println(\"ready\");\n"
                              "        System.in.read();\n"
                              "    }\n"
                              "}\n";

static void hotspot_prints_its_threads(void **state)
{
    (void)state;
    char folder[] = "/tmp/flamel-hotspot-XXXXXX", path[100];
    int out[2], in[2];
    char byte;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/Still.java", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(program, file);
    fclose(file);
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(in), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], 1);
        dup2(in[0], 0);
        close(out[0]);
        close(out[1]);
        close(in[1]);
        alarm(100);
        execlp("java", "java", "-Xshare:auto", path, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    bool runs = read(out[0], &byte, 1) == 1;
    struct flm_error why = {0};
    struct flm_text answer = {0};
    struct flm_java_vm *vm = runs ? flm_java_vm_open(child, patience, &why) : NULL;
    bool good = vm && flm_java_vm_command(vm, "threaddump", NULL, patience, &answer, &why);
    flm_java_vm_close(vm);
    if (runs)
        assert_no_trigger(child);
    close(in[1]); /* what it reads ends, and so does it, with its files in /tmp */
    waitpid(child, NULL, 0);
    close(in[0]);
    close(out[0]);
    unlink(path);
    rmdir(folder);
    if (!runs) {
        print_message("there is no JDK here\n");
        skip();
    }
    if (!good)
        fail_msg("%s", why.text);
    struct flm_bytes text = {answer.at, answer.size};
    assert_true(flm_bytes_contain(text, "Full thread dump "));
    assert_true(flm_bytes_contain(text, "at Still.main("));
    flm_text_clear(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vm_is_woken_once_and_takes_commands),
        cmocka_unit_test(what_a_vm_refuses_is_said_in_its_words),
        cmocka_unit_test(processes_that_are_no_hotspot_get_no_signal),
        cmocka_unit_test(a_vm_that_never_listens_is_not_awaited_for_ever),
        cmocka_unit_test(a_program_whose_vm_has_not_begun_gets_no_signal),
        cmocka_unit_test(waiting_ends_when_it_is_over),
        cmocka_unit_test(the_socket_of_another_process_is_not_used),
        cmocka_unit_test(a_vm_in_other_namespaces_is_reached_as_its_user),
        cmocka_unit_test(hotspot_prints_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
