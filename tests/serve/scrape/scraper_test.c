/* A program in Go with net/http/pprof, scraped over sockets: what is then in the store, and what is
 * told of it while it runs, after it ended, and when it began anew. */
#include "serve/scrape/scraper.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/clock.h"
#include "support/core/files.h"
#include "support/core/http_talk.h"
#include "support/core/programs.h"
#include "support/serve/served.h"

#if defined FLAMEL_YAML && defined FLAMEL_CURL

static const int64_t PATIENCE_NS = INT64_C(120) * 1000000000;

struct program {
    pid_t process;
    unsigned port;
};

static struct program start_program(const char *path, unsigned port)
{
    struct program p = {0};
    char address[40], line[80] = "";
    int ends[2];
    snprintf(address, sizeof address, "127.0.0.1:%u", port);
    assert_int_equal(pipe(ends), 0);
    p.process = fork();
    if (p.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execl(path, path, address, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    assert_non_null(said);
    assert_non_null(fgets(line, sizeof line, said));
    fclose(said);
    if (sscanf(line, "%u", &p.port) != 1)
        fail_msg("the program says: %s", line);
    return p;
}

static void stop_program(struct program p)
{
    kill(p.process, SIGKILL);
    assert_int_equal(waitpid(p.process, NULL, 0), p.process);
}

/* Until the answer has `text` in it. */
static void wait_for(const struct served *s, const char *target, const char *text)
{
    for (int64_t end_ns = flm_now_ns() + PATIENCE_NS;;) {
        struct http_answer a = http_ask(s->port, "GET", target, "", flm_bytes_of(""));
        bool found = flm_bytes_contain(a.body, text);
        if (!found && flm_now_ns() > end_ns)
            fail_msg("%s has no '%s': %.*s", target, text, (int)a.body.size, a.body.at);
        flm_text_clear(&a.all);
        if (found)
            return;
        usleep(50000);
    }
}

static void ask_program(const struct program *p, const char *target)
{
    struct http_answer a = http_ask((uint16_t)p->port, "GET", target, "", flm_bytes_of(""));
    assert_int_equal(a.status, 200);
    flm_text_clear(&a.all);
}

struct said {
    pthread_mutex_t lock;
    struct flm_text text;
};

static void listen_to(void *context, const struct flm_error *what)
{
    struct said *said = context;
    pthread_mutex_lock(&said->lock);
    flm_text_puts(&said->text, what->text);
    flm_text_putc(&said->text, '\n');
    pthread_mutex_unlock(&said->lock);
}

static void a_program_of_go_is_scraped(void **state)
{
    static const char alloc[] = FOLDED "&type=alloc_space&selector=service%3Dgo";
    struct said said = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char config[400], text[200];
    (void)state;
    if (!has_command("go"))
        skip();
    char *source = realpath("tests/programs/scraped.go", NULL);
    shell("GOCACHE=\"$PWD/cache\" GO111MODULE=off go build -o scraped '%s'", source);
    free(source);
    char path[200];
    snprintf(path, sizeof path, "%s", temporary_path("scraped"));
    struct program p = start_program(path, 0);
    snprintf(config, sizeof config,
             "scrape:\n"
             "  - service: go\n"
             "    targets: ['127.0.0.1:%u']\n"
             "    interval: 2s\n"
             "    labels: {region: eu}\n"
             "    profiles: [cpu, heap, goroutine, {path: /debug/none}]\n",
             p.port);
    struct served s = serve_start(
        (struct flm_serve_options){.config = config, .report = listen_to, .report_context = &said});

    wait_for(&s, FOLDED "&type=cpu&selector=service%3Dgo", "main.burn ");
    wait_for(&s, FOLDED "&type=goroutine&selector=region%3Deu", "main.main");
    wait_for(&s, FOLDED "&type=inuse_space", "main.main");
    snprintf(text, sizeof text, "\"values\": [\"127.0.0.1:%u\"]", p.port);
    wait_for(&s, "/api/v1/values?label=instance", text);
    wait_for(&s, "/api/v1/series", "__name__=process_cpu __period__=cpu:nanoseconds");

    /* What was allocated before the first scrape is not known to have come in this time; what comes
     * after it is counted once, however often it is scraped. */
    ask_program(&p, "/grab?n=3");
    wait_for(&s, alloc, "main.grab 3145728\n");
    ask_program(&p, "/grab?n=2");
    wait_for(&s, alloc, "main.grab 5242880\n");

    /* What fails is told, and only once as it goes on. */
    wait_for(&s, "/api/v1/targets", "\"profile\": \"/debug/none\", \"state\": \"down\"");
    wait_for(&s, "/api/v1/targets", "the target answers with status 404: 404 page not found");
    snprintf(text, sizeof text,
             "flamel_scrape_up{service=\"go\",target=\"http://127.0.0.1:%u\",profile=\"heap\"} 1\n",
             p.port);
    wait_for(&s, "/metrics", text);

    /* It ends, and begins anew at the same address. */
    stop_program(p);
    text[strlen(text) - 2] = '0';
    wait_for(&s, "/metrics", text);
    wait_for(&s, "/api/v1/targets", "\"profile\": \"heap\", \"state\": \"down\"");
    struct program next = start_program(path, p.port);
    ask_program(&next, "/grab?n=1");
    wait_for(&s, alloc, "main.grab 6291456\n");
    wait_for(&s, "/api/v1/targets", "\"resets\": 1, \"error\": \"\"");
    expect(&s, "GET", "/api/v1/targets", "X-Scope-OrgID: other\r\n", flm_bytes_of(""), 200,
           "{\"targets\": []}");
    serve_stop(&s);
    stop_program(next);

    flm_text_putc(&said.text, 0);
    const char *none = strstr(said.text.at, "/debug/none: the target answers");
    assert_non_null(none);
    assert_null(strstr(none + 1, "/debug/none: the target answers"));
    assert_non_null(strstr(said.text.at, ": heap: it is scraped again"));
    flm_text_clear(&said.text);
}

static void it_ends_while_a_target_is_silent(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char config[200];
    (void)state;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 8), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    snprintf(config, sizeof config,
             "scrape: [{service: a, targets: ['127.0.0.1:%u'], interval: 1d, profiles: [cpu]}]",
             ntohs(address.sin_port));
    struct served s = serve_start((struct flm_serve_options){.config = config});
    int connection = accept(listening, NULL, NULL); /* it is asked, and answers nothing */
    assert_true(connection >= 0);
    expect_get(&s, "/api/v1/targets", 200, "{\"targets\": [{\"service\": \"a\"");
    serve_stop(&s);
    close(connection);
    close(listening);
}

static void a_config_that_is_wrong_starts_no_server(void **state)
{
    struct flm_error why = {0};
    (void)state;
    const struct flm_serve_options options = {.size = sizeof options,
                                              .folder = temporary_path("never"),
                                              .config = "scrape: 1",
                                              .config_name = "flamel.yaml"};
    assert_null(flm_serve_start(&options, &why));
    assert_string_equal(why.text, "flamel.yaml: line 1: scrape is a list of jobs");
    assert_int_not_equal(access(options.folder, F_OK), 0);
}

#endif

static void nothing_is_scraped_without_a_config(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_get(&s, "/api/v1/targets", 200, "{\"targets\": []}");
    expect_get(&s, "/api/v1/targets?x=1", 400, "{\"error\": \"there is no parameter 'x'");
    serve_stop(&s);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
#if defined FLAMEL_YAML && defined FLAMEL_CURL
        cmocka_unit_test(a_program_of_go_is_scraped),
        cmocka_unit_test(it_ends_while_a_target_is_silent),
        cmocka_unit_test(a_config_that_is_wrong_starts_no_server),
#endif
        cmocka_unit_test(nothing_is_scraped_without_a_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
