/* Tables and verdicts over a store, by sockets: which function, whether, and since when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "support/core/http_talk.h"
#include "support/core/random.h"
#include "support/serve/served.h"

static const long BEGIN_S = 1764288000; /* 2025-11-28T00:00:00Z */

/* A pod in a minute: about 1,000 samples of 10 ms in 3 functions, of which one may take longer. */
static void push(const struct served *s, const char *service, int pod, long time_s, double slower,
                 uint64_t *random)
{
    char target[200], body[200];
    snprintf(target, sizeof target, "/ingest?name=%s%%7Bpod=p%d%%7D&from=%ld&sampleRate=100",
             service, pod, time_s);
    snprintf(body, sizeof body, "main;parse %u\nmain;write %u\nmain;send;copy %u\n",
             (unsigned)(500 * slower) + random_below(random, 30), 300 + random_below(random, 30),
             200 + random_below(random, 20));
    expect_post(s, target, body, 200, "");
}

static bool says(const struct served *s, const char *target, int status, const char *text)
{
    struct http_answer a = http_ask(s->port, "GET", target, "", flm_bytes_of(""));
    assert_int_equal(a.status, status);
    bool found = flm_bytes_contain((struct flm_bytes){a.all.at, a.all.size}, text);
    if (!found)
        print_message("%.*s\n", (int)a.all.size, a.all.at);
    flm_text_clear(&a.all);
    return found;
}

#define GATE                                                                                       \
    "/api/v1/gate?from=2025-11-28T01:00&until=2025-11-28T01:10&compare="                           \
    "2025-11-28T00:00..2025-11-28T00:10&selector=service="

static void a_gate_tells_a_slower_deploy_from_one_that_is_not(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    uint64_t random = 7;
    for (int pod = 0; pod < 8; pod++)
        for (int hour = 0; hour < 2; hour++) {
            push(&s, "same", 10 * hour + pod, BEGIN_S + hour * 3600 + pod, 1, &random);
            push(&s, "slower", 10 * hour + pod, BEGIN_S + hour * 3600 + pod, hour ? 1.3 : 1,
                 &random);
            if (pod < 3)
                push(&s, "few", pod, BEGIN_S + hour * 3600, hour ? 1.3 : 1, &random);
        }
    for (int minute = 0; minute < 8; minute++) /* of one pod */
        for (int hour = 0; hour < 2; hour++)
            push(&s, "one", 0, BEGIN_S + hour * 3600 + minute * 60, hour ? 1.3 : 1, &random);
    assert_true(says(&s, GATE "same", 200, "\r\nFlamel-Verdict: PASS\r\n"));
    assert_true(says(&s, GATE "slower", 200, "\r\nFlamel-Verdict: FAIL\r\n"));
    assert_true(says(&s, GATE "slower", 200, "parse"));
    assert_true(says(&s, GATE "slower&format=text", 200, "FAIL"));
    assert_true(says(&s, GATE "few", 200, "\r\nFlamel-Verdict: INCONCLUSIVE\r\n"));
    assert_true(says(&s, GATE "one&step=60", 200, "\r\nFlamel-Verdict: FAIL\r\n"));
    assert_true(says(&s, GATE "slower&compare_selector=service%3Dsame", 200,
                     "\r\nFlamel-Verdict: FAIL\r\n"));
    assert_true(says(&s,
                     "/api/v1/gate?from=2025-11-28T01:00&until=2025-11-28T01:10&selector=service="
                     "slower&compare_selector=service%3Dsame",
                     200, "\r\nFlamel-Verdict: FAIL\r\n"));
    assert_true(says(&s,
                     "/api/v1/gate?from=2025-11-28T00:00&until=2025-11-28T00:10&selector=service="
                     "slower&compare_selector=service%3Dsame",
                     200, "\r\nFlamel-Verdict: PASS\r\n"));
    assert_true(says(&s, GATE "one&least_runs=8", 200, "\r\nFlamel-Verdict: FAIL\r\n"));
    assert_true(says(&s, GATE "few&least_runs=3", 200, "\r\nFlamel-Verdict: INCONCLUSIVE\r\n"));
    assert_true(says(&s, GATE "one&by=pod", 400, "{\"error\": "));
    assert_true(says(&s, GATE "nobody", 400, "{\"error\": "));
    serve_stop(&s);
}

/* Half of the pods before are of the first five minutes, the others of the rest. A pod is a run of
 * a half of the time then, and the sum of all pods is what it was. */
static void pods_that_were_replaced_are_no_runs_of_less(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    uint64_t random = 13;
    for (int minute = 0; minute < 10; minute++)
        for (int pod = 0; pod < 6; pod++)
            for (int hour = 0; hour < 2; hour++) {
                long time_s = BEGIN_S + hour * 3600 + minute * 60 + pod;
                int replaced = hour == 0 && minute < 5 ? pod + 10 : pod;
                push(&s, "same", replaced, time_s, 1, &random);
                push(&s, "slower", replaced, time_s, hour ? 1.3 : 1, &random);
            }
    assert_true(says(&s, GATE "same", 200, "\r\nFlamel-Verdict: PASS\r\n"));
    assert_true(says(&s, GATE "slower", 200, "\r\nFlamel-Verdict: FAIL\r\n"));
    assert_true(says(&s, GATE "same&least_runs=5", 200, "\r\nFlamel-Verdict: PASS\r\n"));
    assert_true(says(&s, GATE "slower&least_runs=5", 200, "\r\nFlamel-Verdict: FAIL\r\n"));
    assert_true(says(&s, GATE "slower&least_runs=5", 200, "\"file\": \"2025-11-28T00:01:00Z\""));
    assert_true(says(&s, GATE "same&by=pod&least_runs=5", 200, "\r\nFlamel-Verdict: FAIL\r\n"));
    serve_stop(&s);
}

static void changes_say_since_when(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    uint64_t random = 11;
    for (int day = 0; day < 20; day++)
        for (int pod = 0; pod < 3; pod++)
            push(&s, "api", pod, BEGIN_S - (20 - day) * 86400L + 60 * pod, day < 12 ? 1 : 1.4,
                 &random);
    assert_true(says(&s, "/api/v1/changes?selector=service=api&from=2025-11-08&until=2025-11-28",
                     200, "2025-11-20"));
    assert_true(says(&s, "/api/v1/changes?selector=service=api", 200, "2025-11-20"));
    assert_true(says(&s, "/api/v1/changes?from=2025-11-21", 400, "{\"error\": "));
    assert_true(says(&s, "/api/v1/changes?step=0.5", 400, "{\"error\": \"a step is a second"));
    assert_true(says(&s, "/api/v1/changes?step=60", 400, "runs are too many"));
    serve_stop(&s);
}

static void the_functions_that_cost_most_come_first(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/api/v1/push?service=a", "main;a 3\nmain;b 4\nmain;a;c 1\n", 200, "{}");
    expect_get(&s, "/api/v1/top?format=csv&rows=2", 200, "function,");
    assert_true(says(&s, "/api/v1/top?format=csv&rows=2", 200, "\nb,,,4,50,4,50,"));
    assert_true(says(&s, "/api/v1/top?rows=1", 200, "\"hidden\": {\"functions\": 3, \"self\": 4"));
    assert_true(says(&s, "/api/v1/top?sort=total&format=text", 200, "main"));
    assert_true(says(&s, "/api/v1/top?apply=focus:a&format=csv", 200, "\na,,,3,75,4,100,"));
    expect_get(&s, "/api/v1/top?selector=service%3Db", 404, "{\"error\": ");
    expect_get(&s, "/api/v1/top?sort=x", 400, "{\"error\": \"there is no sort 'x'");
    expect_get(&s, "/api/v1/top?format=xml", 400, "{\"error\": \"there is no format 'xml'");
    expect_get(&s, "/api/v1/top?rows=1.5", 400, "{\"error\": \"the parameter 'rows' is 0 to");
    expect_get(&s, "/api/v1/top?apply=none", 400, "{\"error\": ");
    serve_stop(&s);
}

static void a_sum_has_as_many_nodes_as_are_wanted(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/api/v1/push?service=a", "main;a 3\nmain;b 4\nmain;c 1\nmain;d 1\n", 200,
                "{}");
    expect_get(&s, FOLDED "&nodes=5", 200, "main;a 3\nmain;b 4\nmain;c 1\nmain;d 1\n");
    expect_get(&s, FOLDED "&nodes=3", 200, "main;[other] 5\nmain;b 4\n");
    expect_get(&s, FOLDED "&nodes=1", 200, "[other] 9\n");
    expect_get(&s, FOLDED "&nodes=2&apply=hide:main", 200, "[other] 5\nb 4\n");
    expect_get(&s, FOLDED "&nodes=0", 400, "{\"error\": \"the parameter 'nodes' is 1 to");
    expect_get(&s, FOLDED "&nodes=1e9", 400, "{\"error\": \"the parameter 'nodes' is 1 to");
    serve_stop(&s);
}

static void a_verdict_needs_two_equal_ranges(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_get(&s, "/api/v1/gate", 400, "{\"error\": \"a gate takes the time after a change");
    expect_get(&s, "/api/v1/gate?from=-1h", 400, "{\"error\": \"a gate takes the time after");
    expect_get(&s, "/api/v1/gate?compare=-2h..-1h", 400, "{\"error\": \"a gate takes the time");
    expect_get(&s, "/api/v1/gate?from=-1h&compare=-4h..-2h", 400,
               "{\"error\": \"the time before is 7200 s long, and the time after 3600 s");
    expect_get(&s, "/api/v1/gate?from=-1h&compare=-4h..-3h&alpha=2", 400,
               "{\"error\": \"the parameter 'alpha' is between 0 and 1");
    expect_get(&s, "/api/v1/gate?from=-1h&compare=-4h..-3h&side=left", 400,
               "{\"error\": \"there is no side 'left'");
    expect_get(&s, "/api/v1/gate?from=-1h&compare=-4h..-3h&step=-1", 400, "{\"error\": \"a step");
    serve_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gate_tells_a_slower_deploy_from_one_that_is_not),
        cmocka_unit_test(pods_that_were_replaced_are_no_runs_of_less),
        cmocka_unit_test(changes_say_since_when),
        cmocka_unit_test(the_functions_that_cost_most_come_first),
        cmocka_unit_test(a_sum_has_as_many_nodes_as_are_wanted),
        cmocka_unit_test(a_verdict_needs_two_equal_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
