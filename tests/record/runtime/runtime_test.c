#include "record/runtime/runtime.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/clock.h"
#include "record/runtimes.h"
#include "support/core/allocation.h"
#include "support/core/files.h"

/* Reports, counted. */
struct reported {
    size_t losses, notes;
};

static void lost(void *session, const char *what, double count)
{
    struct reported *reported = session;
    assert_non_null(what);
    reported->losses += count > 0;
}

static void note(void *session, const char *key, struct flm_bytes value)
{
    struct reported *reported = session;
    assert_non_null(key);
    assert_true(value.size > 0);
    reported->notes++;
}

/* A perf map in a folder, for a process of no number that can be. */
static void write_map(int32_t process, const char *text, char *dir, size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "perf-%d.map", process);
    snprintf(dir, size, "%s", write_temporary(name, flm_bytes_of(text)));
    *strrchr(dir, '/') = 0;
}

static void names_are_found_and_what_is_wrong_is_reported(void **state)
{
    (void)state;
    enum { NOBODY = 2147483001 };
    char dir[512];
    write_map(NOBODY, "1000 100 first\nnonsense\n", dir, sizeof dir);
    const char *const dirs[] = {dir};
    struct reported reported = {0};
    struct flm_runtime_search search = {.process = NOBODY,
                                        .dirs = dirs,
                                        .dir_count = 1,
                                        .oldest_ns = FLM_NO_TIME,
                                        .started_ns = FLM_NO_TIME,
                                        .report = {&reported, lost, note}};
    assert_true(flm_runtimes_find(&search));
    assert_int_equal(search.found.count, 1);
    assert_int_equal(reported.losses, 1);
    struct flm_jit_frame frame;
    assert_int_equal(flm_jit_code_lookup(search.found.at[0].code, 0x1010, INT64_MAX, &frame, 1), 1);
    assert_true(flm_bytes_are(frame.function, "first"));
    flm_runtime_search_clear(&search);
    assert_int_equal(search.found.count, 0);
    for (size_t nth = 1;; nth++) {
        allocation_fail_from(nth);
        bool good = flm_runtimes_find(&search), failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(good || failed);
        assert_true(good || search.found.count == 0);
        flm_runtime_search_clear(&search);
        if (!failed)
            break;
    }
}

/* Process numbers come again, and nobody removes perf maps from /tmp. */
static void a_perf_map_of_an_earlier_process_is_not_used(void **state)
{
    (void)state;
    const int64_t second_ns = 1000000000;
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)child);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("1000 100 first\n", file);
    fclose(file);
    struct reported reported = {0};
    struct flm_runtime_search search = {.process = child,
                                        .live = true,
                                        .local = true,
                                        .oldest_ns = FLM_NO_TIME,
                                        .started_ns = FLM_NO_TIME,
                                        .report = {&reported, lost, note}};
    assert_true(flm_runtimes_find(&search));
    assert_int_equal(search.found.count, 1);
    flm_runtime_search_clear(&search);
    struct timespec hour_ago[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - 3600}};
    assert_int_equal(utimensat(AT_FDCWD, path, hour_ago, 0), 0);
    assert_int_equal(reported.losses, 0);
    assert_true(flm_runtimes_find(&search));
    assert_int_equal(search.found.count, 0);
    assert_int_equal(reported.losses,
                     1); /* it is seen below the root of the process, and in /tmp */
    flm_runtime_search_clear(&search);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    /* It has ended: its first event says when it started. */
    reported.losses = 0;
    search.started_ns = flm_clock_ns(CLOCK_BOOTTIME) - 1800 * second_ns;
    assert_true(flm_runtimes_find(&search));
    assert_int_equal(search.found.count, 0);
    assert_int_equal(reported.losses, 1);
    flm_runtime_search_clear(&search);
    search.started_ns = flm_clock_ns(CLOCK_BOOTTIME) - 7200 * second_ns;
    assert_true(flm_runtimes_find(&search));
    assert_int_equal(search.found.count, 1);
    assert_int_equal(reported.losses, 1);
    flm_runtime_search_clear(&search);
    /* Nobody knows: it is used, and the doubt is reported. */
    search.started_ns = FLM_NO_TIME;
    search.oldest_ns = flm_clock_ns(CLOCK_BOOTTIME) - 60 * second_ns;
    assert_true(flm_runtimes_find(&search));
    assert_int_equal(search.found.count, 1);
    assert_int_equal(reported.losses, 2);
    flm_runtime_search_clear(&search);
    unlink(path);
}

static void a_missing_jitdump_is_reported(void **state)
{
    (void)state;
    char path[] = "/no/such/folder/jit-5.dump";
    struct flm_runtime_file files[] = {
        {5, flm_runtime_of_file(flm_bytes_of(path)), {path, sizeof path - 1}},
        {6, flm_runtime_of_file(flm_bytes_of(path)), {path, sizeof path - 1}},
    };
    struct reported reported = {0};
    struct flm_runtime_search search = {.process = 5,
                                        .oldest_ns = FLM_NO_TIME,
                                        .started_ns = FLM_NO_TIME,
                                        .files = files,
                                        .file_count = 2,
                                        .report = {&reported, lost, note}};
    assert_true(flm_runtimes_find(&search));
    assert_int_equal(search.found.count, 0);
    assert_int_equal(reported.losses, 1);
    flm_runtime_search_clear(&search);
}

static void a_jitdump_that_is_not_used_is_not_missing(void **state)
{
    (void)state;
    const int64_t second_ns = 1000000000;
    const char *path = write_temporary("jit-7.dump", flm_bytes_of("of an earlier process"));
    struct timespec hour_ago[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - 3600}};
    assert_int_equal(utimensat(AT_FDCWD, path, hour_ago, 0), 0);
    struct flm_runtime_file file = {
        7, flm_runtime_of_file(flm_bytes_of(path)), {(char *)path, strlen(path)}};
    struct reported reported = {0};
    struct flm_runtime_search search = {.process = 7,
                                        .local = true,
                                        .oldest_ns = FLM_NO_TIME,
                                        .started_ns = flm_clock_ns(CLOCK_BOOTTIME) - second_ns,
                                        .files = &file,
                                        .file_count = 1,
                                        .report = {&reported, lost, note}};
    assert_non_null(file.runtime);
    assert_true(flm_runtimes_find(&search));
    assert_int_equal(search.found.count, 0);
    assert_int_equal(reported.losses, 1);
    flm_runtime_search_clear(&search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_and_what_is_wrong_is_reported),
        cmocka_unit_test(a_perf_map_of_an_earlier_process_is_not_used),
        cmocka_unit_test(a_missing_jitdump_is_reported),
        cmocka_unit_test(a_jitdump_that_is_not_used_is_not_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
