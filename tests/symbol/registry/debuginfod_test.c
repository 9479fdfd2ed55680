#include "symbol/registry/debuginfod.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"

/* A server of files in the folder "served": python3 -m http.server, at a port of its own choice. */
struct server {
    pid_t process;
    char url[100];
    bool has_curl;
};
static struct server server;

static bool has_library(void)
{
    return has_command("python3") &&
           system("python3 -c 'import ctypes; ctypes.CDLL(\"libcurl.so.4\")' 2> /dev/null") == 0;
}

static int start(void **state)
{
    (void)state;
    write_small_program();
    shell("gcc -g -O1 small.c -o small && mkdir served");
    server.has_curl = has_library();
    if (!server.has_curl)
        return 0;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const char *folder = temporary_path("served");
    server.process = fork();
    if (server.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(pipes[1], 1);
        close(pipes[0]);
        if (!freopen("/dev/null", "w", stderr) || chdir(folder) != 0)
            _exit(126);
        execlp("python3", "python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "0",
               (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    FILE *says = fdopen(pipes[0], "r");
    char line[300];
    int port = 0;
    while (port == 0 && fgets(line, sizeof line, says)) {
        const char *at = strstr(line, " port ");
        if (at)
            port = atoi(at + 6);
    }
    fclose(says);
    snprintf(server.url, sizeof server.url, "http://127.0.0.1:%d", port);
    return port == 0;
}

static int stop(void **state)
{
    (void)state;
    if (server.process > 0) {
        kill(server.process, SIGKILL);
        waitpid(server.process, NULL, 0);
    }
    return 0;
}

static struct flm_build_id small_id(void)
{
    struct flm_elf_file *file = flm_elf_open(temporary_path("small"), NULL);
    assert_non_null(file);
    struct flm_build_id id = file->build_id;
    flm_elf_free(file);
    return id;
}

static void serve(const char *file, const char *kind)
{
    struct flm_text digits = {0};
    struct flm_build_id id = small_id();
    flm_build_id_print(&id, &digits);
    shell("mkdir -p served/buildid/%.*s && cp %s served/buildid/%.*s/%s", (int)digits.size,
          digits.at, file, (int)digits.size, digits.at, kind);
    flm_text_clear(&digits);
}

/* Asks once, in a set of servers of its own. */
static bool get(const char *urls, const char *cache, const char *kind,
                struct flm_debuginfod_counts *counts)
{
    struct flm_build_id id = small_id();
    struct flm_error why = {0};
    struct flm_debuginfod *servers = flm_debuginfod_new(urls, cache, &why);
    assert_non_null(servers);
    struct flm_elf_file *file = flm_debuginfod_get(servers, &id, kind);
    bool found = file != NULL;
    if (file)
        assert_true(flm_build_id_equal(&file->build_id, &id));
    flm_elf_free(file);
    *counts = flm_debuginfod_counts(servers);
    flm_debuginfod_free(servers);
    return found;
}

static void a_file_is_fetched_once_and_kept(void **state)
{
    (void)state;
    if (!server.has_curl)
        skip();
    struct flm_debuginfod_counts counts;
    char *cache = strdup(temporary_path("cache"));
    shell("rm -rf served/* cache");
    serve("small", "debuginfo");
    assert_true(get(server.url, cache, "debuginfo", &counts));
    assert_int_equal(counts.asked, 1);
    assert_int_equal(counts.found, 1);
    assert_int_equal(counts.failed, 0);
    shell("rm -r served/buildid");
    assert_true(get(server.url, cache, "debuginfo", &counts));
    assert_int_equal(counts.asked, 0);
    assert_false(get(server.url, NULL, "debuginfo", &counts)); /* the server has it no more */
    serve("small", "debuginfo");
    assert_true(get(server.url, NULL, "debuginfo", &counts)); /* without a cache: in memory */
    char url[300]; /* slashes, blanks, and a server that does not have it before */
    snprintf(url, sizeof url, "  %s/nothing/  %s// ", server.url, server.url);
    assert_true(get(url, NULL, "debuginfo", &counts));
    assert_int_equal(counts.failed, 0);
    free(cache);
}

static void what_nobody_has_is_remembered(void **state)
{
    (void)state;
    if (!server.has_curl)
        skip();
    struct flm_debuginfod_counts counts;
    char *cache = strdup(temporary_path("cache"));
    shell("rm -rf served/* cache");
    assert_false(get(server.url, cache, "debuginfo", &counts));
    assert_int_equal(counts.asked, 1);
    assert_int_equal(counts.failed, 0);
    serve("small", "debuginfo");
    assert_false(get(server.url, cache, "debuginfo", &counts));
    assert_int_equal(counts.asked, 0);
    shell("find cache -type f -exec touch -d '-1 hour' '{}' ';'"); /* but not for long */
    assert_true(get(server.url, cache, "debuginfo", &counts));
    free(cache);
}

static void another_file_is_not_taken(void **state)
{
    (void)state;
    if (!server.has_curl)
        skip();
    struct flm_debuginfod_counts counts;
    char *cache = strdup(temporary_path("cache"));
    shell("rm -rf served/* cache; gcc -g -O2 small.c -o other");
    serve("other", "debuginfo");
    assert_false(get(server.url, cache, "debuginfo", &counts));
    assert_int_equal(counts.failed, 1);
    assert_true(counts.reason[0]);
    serve("small.c", "debuginfo");
    assert_false(get(server.url, cache, "debuginfo", &counts));
    assert_int_equal(counts.failed, 1);
    shell("test -z \"$(find cache -type f)\""); /* nor kept */
    free(cache);
}

static void a_server_that_cannot_be_reached_is_asked_once(void **state)
{
    (void)state;
    if (!server.has_curl)
        skip();
    struct flm_build_id id = small_id();
    /* Port 9, which is nobody's here; a file, which is no server. */
    struct flm_debuginfod *servers =
        flm_debuginfod_new("http://127.0.0.1:9 file:///etc", NULL, NULL);
    for (int i = 0; i < 3; i++)
        assert_null(flm_debuginfod_get(servers, &id, "debuginfo"));
    struct flm_debuginfod_counts counts = flm_debuginfod_counts(servers);
    assert_int_equal(counts.asked, 3);
    assert_int_equal(counts.failed, 2);
    assert_non_null(strstr(counts.reason, "file:///etc"));
    flm_debuginfod_free(servers);
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_debuginfod *servers = flm_debuginfod_new("http://a http://b", "/cache", &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(servers ? !failed : why.kind == FLM_ERROR_MEMORY);
        flm_debuginfod_free(servers);
        if (!failed)
            break;
    }
}

static void without_servers_nobody_is_asked(void **state)
{
    (void)state;
    struct flm_debuginfod_counts counts;
    assert_false(get("", NULL, "debuginfo", &counts));
    assert_false(get(NULL, NULL, "debuginfo", &counts));
    assert_int_equal(counts.asked, 0);
    struct flm_build_id id = small_id();
    assert_null(flm_debuginfod_get(NULL, &id, "debuginfo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_fetched_once_and_kept),
        cmocka_unit_test(what_nobody_has_is_remembered),
        cmocka_unit_test(another_file_is_not_taken),
        cmocka_unit_test(a_server_that_cannot_be_reached_is_asked_once),
        cmocka_unit_test(memory_that_runs_out_is_reported),
        cmocka_unit_test(without_servers_nobody_is_asked),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
