/* Signals while a recording becomes a profile. The symbols of its program are asked of a server
 * that accepts connections and never answers, so it waits for as long as anybody likes. Where
 * recording is not allowed, or there is no libdebuginfod, the tests are skipped. */
#include "cli/record/recording.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "support/core/files.h"

enum { NEVER_S = 120 }; /* a test that waits so long has failed */

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* A socket that listens, and the variable that makes it the server of debug information. */
static int listen_silently(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    char url[64];
    int server = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server, (struct sockaddr *)(void *)&address, size), 0);
    assert_int_equal(listen(server, 16), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)(void *)&address, &size), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", ntohs(address.sin_port));
    setenv("DEBUGINFOD_URLS", url, 1);
    setenv("DEBUGINFOD_TIMEOUT", "1000", 1);
    setenv("DEBUGINFOD_CACHE_PATH", temporary_path("debuginfod-cache"), 1);
    return server;
}

static bool can_record(void)
{
    static const char *const command[] = {"true", NULL};
    struct flm_record_options options = {.size = sizeof options,
                                         .command = (char **)(uintptr_t)command};
    struct flm_error why;
    struct flm_recording *recording = flm_recording_new(&options, &why);
    flm_recording_free(recording);
    return recording;
}

/* In a child: records a short command, whose symbols nobody sends. */
static pid_t start_recording(const char *output, bool debuginfod)
{
    static const char *const command[] = {
        "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", NULL};
    pid_t child = fork();
    if (child != 0)
        return child;
    struct flm_recorded recorded;
    struct flm_recorded_options options = {.output = output, .quiet = true};
    struct flm_error why = {0};
    options.recorder.size = sizeof options.recorder;
    options.recorder.command = (char **)(uintptr_t)command;
    options.recorder.debuginfod = debuginfod;
    bool good = flm_recorded_make(&recorded, &options, &why);
    flm_recorded_clear(&recorded);
    _exit(good ? 0 : 2);
}

static bool await_connection(int server)
{
    struct pollfd waited = {.fd = server, .events = POLLIN};
    return poll(&waited, 1, 10000) == 1;
}

static void a_second_signal_ends_it_while_it_waits_for_symbols(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT};
    if (!can_record())
        skip();
    for (size_t i = 0; i < 2; i++) {
        char output[600], spool[700];
        snprintf(output, sizeof output, "%s", temporary_path("ended.flm"));
        snprintf(spool, sizeof spool, "%s.part", output);
        (void)unlink(output);
        (void)unlink(spool);
        int server = listen_silently();
        pid_t child = start_recording(output, true);
        assert_true(child > 0);
        if (!await_connection(server)) {
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            close(server);
            skip(); /* without the library, nobody asks */
        }
        sleep_ms(1500); /* the command has ended, and modules are asked for at the end too */
        int status = 0;
        alarm(NEVER_S);
        kill(child, signals[i]);
        sleep_ms(300);
        assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* one is not enough */
        kill(child, signals[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        alarm(0);
        close(server);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 128 + signals[i]);
        /* What was recorded is there; nothing else is. */
        struct stat file;
        assert_int_not_equal(stat(output, &file), 0);
        assert_int_equal(stat(spool, &file), 0);
        assert_true(file.st_size > 0);
        unsetenv("DEBUGINFOD_URLS");
        struct flm_load_options options = {.size = sizeof options};
        struct flm_error why = {0};
        struct flm_profile *profile = flm_load(spool, &options, &why);
        if (!profile)
            fail_msg("%s", why.text);
        flm_profile_free(profile);
        (void)unlink(spool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_signal_ends_it_while_it_waits_for_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
