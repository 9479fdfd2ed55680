#include "os/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"

static void assert_refused(const char *path)
{
    alarm(60); /* ends a test that waits */
    errno = 0;
    int file = flm_regular_file_open(path);
    alarm(0);
    if (file >= 0)
        fail_msg("%s was opened", path);
    assert_true(errno == EINVAL || errno == ENOENT);
    assert_false(flm_is_regular_file(path));
}

static void a_file_is_opened_also_by_a_link_and_by_proc(void **state)
{
    (void)state;
    char path[600], other[700], bytes[16] = "";
    snprintf(path, sizeof path, "%s", write_temporary("file", flm_bytes_of("content")));
    snprintf(other, sizeof other, "%s.link", path);
    (void)unlink(other);
    assert_int_equal(symlink(path, other), 0);
    char deleted[64];
    int held = open(write_temporary("deleted", flm_bytes_of("content")), O_RDONLY);
    unlink(temporary_path("deleted"));
    snprintf(deleted, sizeof deleted, "/proc/self/fd/%d", held);
    const char *const paths[] = {path, other, deleted};
    for (size_t i = 0; i < 3; i++) {
        int file = flm_regular_file_open(paths[i]);
        assert_true(file >= 0);
        assert_true(flm_is_regular_file(paths[i]));
        assert_int_equal(read(file, bytes, sizeof bytes), 7);
        assert_memory_equal(bytes, "content", 7);
        assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
        close(file);
    }
    close(held);
}

static void nothing_else_is_opened(void **state)
{
    (void)state;
    char pipe_path[600], link[700], ends_path[64];
    snprintf(pipe_path, sizeof pipe_path, "%s", temporary_path("pipe"));
    (void)unlink(pipe_path);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    snprintf(link, sizeof link, "%s.link", pipe_path);
    (void)unlink(link);
    assert_int_equal(symlink(pipe_path, link), 0);
    assert_refused(pipe_path);
    assert_refused(link);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(ends_path, sizeof ends_path, "/proc/self/fd/%d", ends[0]);
    assert_refused(ends_path);
    close(ends[0]);
    close(ends[1]);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", temporary_path("socket"));
    (void)unlink(address.sun_path);
    assert_int_equal(bind(listening, (struct sockaddr *)(void *)&address, sizeof address), 0);
    assert_refused(address.sun_path);
    close(listening);
    static const char *const others[] = {"/dev/zero",         "/dev/tty",       "/",
                                         "/proc/self/status", "/proc/kmsg",     "/proc/self/maps",
                                         "/sys/kernel/notes", "/proc/self/mem", ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_refused(others[i]);
    assert_refused(temporary_path("missing"));
}

/* They have no memory to ask for, so they work where there is none. */
static bool open_and_refuse(void *context, struct flm_error *why)
{
    const char *const *paths = context;
    (void)why;
    int file = flm_regular_file_open(paths[0]);
    assert_true(file >= 0 && flm_is_regular_file(paths[0]));
    close(file);
    assert_int_equal(flm_regular_file_open(paths[1]), -1);
    assert_false(flm_is_regular_file(paths[1]));
    return true;
}

static void no_memory_is_needed(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", write_temporary("file", flm_bytes_of("content")));
    const char *paths[] = {path, "/dev/zero"};
    assert_int_equal(assert_survives_failures(open_and_refuse, paths), 0);
}

/* Nor is a descriptor left open where there are not two. */
static void without_descriptors_it_is_an_error(void **state)
{
    (void)state;
    char path[600];
    struct rlimit before, few;
    snprintf(path, sizeof path, "%s", write_temporary("file", flm_bytes_of("content")));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0), failures = 0, file = -1;
    close(next);
    few = before;
    for (few.rlim_cur = (rlim_t)next; file < 0; few.rlim_cur++) {
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        errno = 0;
        file = flm_regular_file_open(path);
        int error = errno;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_true(file >= 0 || error == EMFILE);
        failures += file < 0;
        if (file >= 0)
            close(file);
        assert_int_equal(dup(0), next);
        close(next);
    }
    assert_true(failures >= 2);
}

/* What is opened below the folder "roots/in", beside which "roots/out" is. */
static int open_beneath(const char *path)
{
    char folder[600];
    snprintf(folder, sizeof folder, "%s", temporary_path("roots/in"));
    return flm_regular_file_open_beneath(folder, path);
}

static void below_a_folder_nothing_leads_out_of_it(void **state)
{
    (void)state;
    shell("rm -rf roots; mkdir -p roots/in/deep roots/out roots/in2\n"
          "echo inside > roots/in/file; echo outside > roots/out/file; echo x > roots/in2/file\n"
          "ln -s ../file roots/in/deep/inner; ln -s ../../out/file roots/in/deep/outer\n"
          "ln -s ../out roots/in/folder; ln -s \"$PWD/roots/out/file\" roots/in/absolute\n"
          "mkfifo roots/in/pipe; ln -s /dev/zero roots/in/zero; ln -s ../in2/file roots/in/near");
    static const char *const inside[] = {"file", "deep/inner", "deep/../file", "./file"};
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
        char bytes[16] = "";
        int file = open_beneath(inside[i]);
        assert_true(file >= 0);
        assert_int_equal(read(file, bytes, sizeof bytes), 7);
        assert_string_equal(bytes, "inside\n");
        close(file);
    }
    static const char *const outside[] = {"../out/file", "deep/outer",         "folder/file",
                                          "absolute",    "/etc/passwd",        "zero",
                                          "near",        "deep/../../out/file"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        errno = 0;
        assert_int_equal(open_beneath(outside[i]), -1);
        assert_int_equal(errno, EXDEV);
    }
    alarm(60);
    assert_int_equal(open_beneath("pipe"), -1);
    assert_int_equal(errno, EINVAL);
    alarm(0);
    assert_int_equal(open_beneath("deep"), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(open_beneath("nothing"), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(flm_regular_file_open_beneath("/no/such/folder", "file"), -1);
    int file = flm_regular_file_open_beneath("/", "etc/passwd");
    assert_true(file >= 0);
    close(file);
}

/* As where the kernel does not have openat2. */
static void without_openat2_it_is_the_same(void **state)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        print_message("there is no seccomp\n");
        skip();
    }
    below_a_folder_nothing_leads_out_of_it(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_opened_also_by_a_link_and_by_proc),
        cmocka_unit_test(nothing_else_is_opened),
        cmocka_unit_test(no_memory_is_needed),
        cmocka_unit_test(without_descriptors_it_is_an_error),
        cmocka_unit_test(below_a_folder_nothing_leads_out_of_it),
        cmocka_unit_test(without_openat2_it_is_the_same), /* the last: a filter stays */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
