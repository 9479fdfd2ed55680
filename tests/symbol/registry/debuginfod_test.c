#include "symbol/registry/debuginfod.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef FLAMEL_DEBUGINFOD
#include <elfutils/debuginfod.h>
#endif

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"

/* A server of the files in the folder "served": python3 -m http.server, on a free port. */
struct server {
    pid_t process;
    char url[100];
    bool has_library;
};
static struct server server;

static bool has_library(void)
{
#ifdef FLAMEL_DEBUGINFOD
    return has_command("python3") && dlopen(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_LOCAL);
#else
    return false;
#endif
}

static int start(void **state)
{
    (void)state;
    write_small_program();
    shell("gcc -g -O1 small.c -o small && mkdir served");
    server.has_library = has_library();
    if (!server.has_library)
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
    shell("to=served/buildid/%.*s/%s; mkdir -p \"$(dirname $to)\" && cp %s $to", (int)digits.size,
          digits.at, kind, file);
    flm_text_clear(&digits);
}

/* The environment of all queries that follow; the cache is a folder of this test's. */
static void use_servers(const char *urls)
{
    setenv("DEBUGINFOD_URLS", urls, 1);
    setenv("DEBUGINFOD_CACHE_PATH", temporary_path("cache"), 1);
}

/* One query, with a handle of its own. */
static bool get(const char *urls, enum flm_debuginfod_kind kind,
                struct flm_debuginfod_counts *counts)
{
    struct flm_build_id id = small_id();
    struct flm_error why = {0};
    struct flm_debuginfod *debuginfod = flm_debuginfod_new(FLM_DEBUGINFOD_PATIENCE_SECONDS, &why);
    assert_non_null(debuginfod);
    use_servers(urls);
    struct flm_elf_file *file = flm_debuginfod_get(debuginfod, &id, kind);
    bool found = file != NULL;
    if (file)
        assert_true(flm_build_id_equal(&file->build_id, &id));
    flm_elf_free(file);
    *counts = flm_debuginfod_counts(debuginfod);
    flm_debuginfod_free(debuginfod);
    return found;
}

static void a_file_is_downloaded_once(void **state)
{
    (void)state;
    if (!server.has_library)
        skip();
    struct flm_debuginfod_counts counts;
    shell("rm -rf served/* cache");
    serve("small", "debuginfo");
    assert_true(get(server.url, FLM_DEBUGINFOD_DEBUGINFO, &counts));
    assert_int_equal(counts.queried, 1);
    assert_int_equal(counts.found, 1);
    assert_int_equal(counts.failed, 0);
    shell("rm -r served/buildid");
    assert_true(get(server.url, FLM_DEBUGINFOD_DEBUGINFO, &counts));
    assert_int_equal(counts.queried, 0);
    assert_int_equal(counts.found, 1);
    assert_false(get(server.url, FLM_DEBUGINFOD_EXECUTABLE, &counts)); /* another file */
    assert_int_equal(counts.queried, 1);
    assert_int_equal(counts.failed, 0);
}

static void any_of_the_servers_may_have_it(void **state)
{
    (void)state;
    if (!server.has_library)
        skip();
    struct flm_debuginfod_counts counts;
    char urls[400];
    shell("rm -rf served/* cache");
    serve("small", "executable");
    snprintf(urls, sizeof urls, "http://127.0.0.1:9 %s/nothing %s", server.url, server.url);
    assert_true(get(urls, FLM_DEBUGINFOD_EXECUTABLE, &counts));
    assert_int_equal(counts.found, 1);
    assert_int_equal(counts.failed, 0);
}

static void a_file_that_no_server_has_is_no_failure(void **state)
{
    (void)state;
    if (!server.has_library)
        skip();
    struct flm_debuginfod_counts counts;
    shell("rm -rf served/* cache");
    assert_false(get(server.url, FLM_DEBUGINFOD_DEBUGINFO, &counts));
    assert_int_equal(counts.queried, 1);
    assert_int_equal(counts.failed, 0);
    serve("small", "debuginfo");
    assert_false(get(server.url, FLM_DEBUGINFOD_DEBUGINFO, &counts)); /* the cache remembers */
    assert_int_equal(counts.queried, 0);
}

static void a_file_with_another_build_id_is_refused(void **state)
{
    (void)state;
    if (!server.has_library)
        skip();
    struct flm_debuginfod_counts counts;
    shell("rm -rf served/* cache; gcc -g -O2 small.c -o other");
    serve("other", "debuginfo");
    assert_false(get(server.url, FLM_DEBUGINFOD_DEBUGINFO, &counts));
    assert_int_equal(counts.found, 0);
    assert_int_equal(counts.failed, 1);
    assert_non_null(strstr(counts.reason, "build id"));
    serve("small.c", "debuginfo");
    assert_false(get(server.url, FLM_DEBUGINFOD_DEBUGINFO, &counts));
    assert_int_equal(counts.failed, 1);
    assert_int_equal(counts.queried, 1); /* the first was not kept */
    shell("test -z \"$(find cache -name debuginfo)\"");
}

static void a_server_that_cannot_be_reached_is_a_failure(void **state)
{
    (void)state;
    if (!server.has_library)
        skip();
    struct flm_debuginfod_counts counts;
    shell("rm -rf cache");
    assert_false(get("http://127.0.0.1:9", FLM_DEBUGINFOD_DEBUGINFO, &counts)); /* nobody's */
    assert_int_equal(counts.failed, 1);
    assert_non_null(strstr(counts.reason, "refused"));
}

/* Servers have sources by build id and absolute path. */
static void a_source_file_is_downloaded_by_its_path(void **state)
{
    (void)state;
    if (!server.has_library)
        skip();
    shell("rm -rf served/* cache");
    serve("small.c", "source/src/lib/small.c");
    use_servers(server.url);
    struct flm_build_id id = small_id();
    struct flm_debuginfod *debuginfod = flm_debuginfod_new(FLM_DEBUGINFOD_PATIENCE_SECONDS, NULL);
    struct flm_text expected = read_file(temporary_path("small.c"));
    char got[100] = "";
    int file = flm_debuginfod_get_source(debuginfod, &id, "/src/lib/small.c");
    assert_true(file >= 0);
    assert_int_equal(read(file, got, sizeof got), sizeof got);
    assert_memory_equal(got, expected.at, sizeof got);
    close(file);
    assert_int_equal(flm_debuginfod_get_source(debuginfod, &id, "/src/lib/other.c"), -1);
    assert_int_equal(flm_debuginfod_get_source(NULL, &id, "/src/lib/small.c"), -1);
    struct flm_debuginfod_counts counts = flm_debuginfod_counts(debuginfod);
    assert_int_equal(counts.found, 1);
    assert_int_equal(counts.failed, 0);
    flm_text_clear(&expected);
    flm_debuginfod_free(debuginfod);
}

/* Accepts connections, since the kernel does, and never says a word. */
static int silent_server(char *url, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t address_size = sizeof address;
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(descriptor, 16), 0);
    assert_int_equal(getsockname(descriptor, (struct sockaddr *)&address, &address_size), 0);
    snprintf(url, size, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return descriptor;
}

static void a_server_that_does_not_respond_is_given_up(void **state)
{
    (void)state;
    if (!server.has_library)
        skip();
    char url[100];
    int descriptor = silent_server(url, sizeof url);
    struct flm_build_id id = small_id();
    shell("rm -rf cache");
    use_servers(url);
    struct flm_debuginfod *debuginfod = flm_debuginfod_new(1, NULL);
    assert_null(flm_debuginfod_get(debuginfod, &id, FLM_DEBUGINFOD_DEBUGINFO));
    struct flm_debuginfod_counts counts = flm_debuginfod_counts(debuginfod);
    assert_int_equal(counts.queried, 1);
    assert_int_equal(counts.failed, 1);
    assert_non_null(strstr(counts.reason, "do not respond"));
    flm_debuginfod_free(debuginfod);
    close(descriptor);
}

enum { THREADS = 8, QUERIES = 20 };

struct work {
    struct flm_debuginfod *debuginfod;
    struct flm_build_id id;
};

static void *get_often(void *context)
{
    const struct work *work = context;
    for (int i = 0; i < QUERIES; i++) {
        struct flm_elf_file *file =
            flm_debuginfod_get(work->debuginfod, &work->id,
                               i & 1 ? FLM_DEBUGINFOD_EXECUTABLE : FLM_DEBUGINFOD_DEBUGINFO);
        if (!file)
            return NULL;
        flm_elf_free(file);
    }
    return context;
}

static void threads_share_the_files_of_one_cache(void **state)
{
    (void)state;
    if (!server.has_library)
        skip();
    shell("rm -rf served/* cache");
    serve("small", "debuginfo");
    serve("small", "executable");
    use_servers(server.url);
    struct flm_debuginfod *debuginfod = flm_debuginfod_new(FLM_DEBUGINFOD_PATIENCE_SECONDS, NULL);
    struct work work = {debuginfod, small_id()};
    pthread_t threads[THREADS];
    bool all_found = true;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, get_often, &work), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        all_found &= result != NULL;
    }
    struct flm_debuginfod_counts counts = flm_debuginfod_counts(debuginfod);
    assert_string_equal(counts.reason, "");
    assert_true(all_found);
    assert_int_equal(counts.found, THREADS * QUERIES);
    assert_int_equal(counts.failed, 0);
    assert_int_equal(counts.queried, 2);
    flm_debuginfod_free(debuginfod);
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_debuginfod *debuginfod = flm_debuginfod_new(1, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(debuginfod ? !failed : why.kind == FLM_ERROR_MEMORY);
        flm_debuginfod_free(debuginfod);
        if (!failed)
            break;
    }
}

static void without_servers_the_reason_is_given(void **state)
{
    (void)state;
    struct flm_debuginfod_counts counts;
    struct flm_build_id id = small_id(), none = {0};
    assert_false(get("", FLM_DEBUGINFOD_DEBUGINFO, &counts));
    assert_int_equal(counts.queried, 0);
    assert_int_equal(counts.failed, 1);
    if (server.has_library)
        assert_string_equal(counts.reason, "DEBUGINFOD_URLS names no server");
    else
        assert_non_null(strstr(counts.reason, "libdebuginfod"));
    assert_null(flm_debuginfod_get(NULL, &id, FLM_DEBUGINFOD_DEBUGINFO));
    struct flm_debuginfod *debuginfod = flm_debuginfod_new(1, NULL);
    assert_null(flm_debuginfod_get(debuginfod, &none, FLM_DEBUGINFOD_DEBUGINFO));
    assert_int_equal(flm_debuginfod_counts(debuginfod).failed, 0);
    flm_debuginfod_free(debuginfod);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_downloaded_once),
        cmocka_unit_test(any_of_the_servers_may_have_it),
        cmocka_unit_test(a_file_that_no_server_has_is_no_failure),
        cmocka_unit_test(a_file_with_another_build_id_is_refused),
        cmocka_unit_test(a_source_file_is_downloaded_by_its_path),
        cmocka_unit_test(a_server_that_cannot_be_reached_is_a_failure),
        cmocka_unit_test(a_server_that_does_not_respond_is_given_up),
        cmocka_unit_test(threads_share_the_files_of_one_cache),
        cmocka_unit_test(memory_that_runs_out_is_reported),
        cmocka_unit_test(without_servers_the_reason_is_given),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
