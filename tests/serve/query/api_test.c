/* Our own API over sockets: profiles in and out, and queries that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/encode/base64.h"
#include "flamel/file.h"
#include "format/protobuf/wire_write.h"
#include "support/core/http_talk.h"
#include "support/serve/served.h"

/* ---- Our own --------------------------------------------------------------------------------- */

static void a_flm_file_comes_back_as_it_was_pushed(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    struct flm_load_options load = {.size = sizeof load};
    struct flm_text file = {0};
    struct flm_profile *p = flm_load_memory("main;a 3\nmain;b 4\n", 18, &load, NULL);
    assert_true(flm_profile_write(p, flm_text_sink, &file));
    flm_profile_free(p);
    expect(&s, "POST", "/api/v1/push?service=api&label=host=a=b&time=2025-11-28T10:05", "",
           (struct flm_bytes){file.at, file.size}, 200, "{}");
    expect_post(&s, "/api/v1/push?service=api&time=2025-11-28T10:10", "main;b 2\n", 200, "{}");
    expect_post(&s, "/api/v1/push?service=api&label=x", "main;b 2\n", 400,
                "{\"error\": \"label is KEY");
    expect_post(&s, "/api/v1/push?servce=api", "main;b 2\n", 400,
                "{\"error\": \"there is no parameter");
    expect_get(&s,
               "/api/v1/merge?format=difffolded&compare=2025-11-28T10:05..2025-11-28T10:06"
               "&from=2025-11-28T10:10",
               200, "main;a 3 0\nmain;b 4 2\n");
    expect_get(&s, FOLDED "&apply=hide:main", 200, "a 3\nb 6\n");
    expect_get(
        &s, "/api/v1/timeline?type=samples&from=2025-11-28T10:04&until=2025-11-28T10:12&step=120",
        200, "{\"from_ms\": 1764324240000, \"step_ms\": 120000, \"values\": [7, 0, 0, 2]}");
    struct http_answer a =
        http_ask(s.port, "GET", "/api/v1/merge?selector=host%3D'a%3Db'", "", flm_bytes_of(""));
    assert_int_equal(a.status, 200);
    load.format = "flm";
    p = flm_load_memory(a.body.at, a.body.size, &load, NULL);
    assert_non_null(p);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 7);
    flm_profile_free(p);
    flm_text_clear(&a.all);
    flm_text_clear(&file);
    serve_stop(&s);
}

/* The largest groups, and how many more there are; what they have is in the sum. */
static void a_timeline_has_groups(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest?name=a%7Bpod=p1%7D&from=1764324300&sampleRate=1000000000", "m 5\n",
                200, "");
    expect_post(&s, "/ingest?name=a%7Bpod=p2%7D&from=1764324310&sampleRate=1000000000", "m 7\n",
                200, "");
    expect_post(&s, "/ingest?name=b&from=1764324310&sampleRate=1000000000", "m 3\n", 200, "");
    expect_post(&s, "/ingest?name=b&from=1764324320&sampleRate=1000000000", "m 3\n", 200, "");
#define STEPS "/api/v1/timeline?type=cpu&from=1764324300&until=1764324330&step=10"
    expect_get(
        &s, STEPS "&by=pod", 200,
        "{\"from_ms\": 1764324300000, \"step_ms\": 10000, \"values\": [5, 10, 3], \"groups\": "
        "[{\"value\": \"p2\", \"values\": [0, 7, 0]}, {\"value\": \"\", \"values\": [0, 3, 3]}, "
        "{\"value\": \"p1\", \"values\": [5, 0, 0]}], \"more\": 0}");
    expect_get(
        &s, STEPS "&by=service&groups=1", 200,
        "{\"from_ms\": 1764324300000, \"step_ms\": 10000, \"values\": [5, 10, 3], \"groups\": "
        "[{\"value\": \"a\", \"values\": [5, 7, 0]}], \"more\": 1}");
    expect_get(
        &s, STEPS "&by=pod&groups=0", 200,
        "{\"from_ms\": 1764324300000, \"step_ms\": 10000, \"values\": [5, 10, 3], \"groups\": "
        "[], \"more\": ");
    expect_get(&s, STEPS "&groups=x", 400, "{\"error\": \"the parameter 'groups' is a number, not");
    expect_get(&s, STEPS "&groups=-1", 400, "{\"error\": \"the parameter 'groups' is 0 to 1000");
    serve_stop(&s);
}

static void views_are_kept_by_name(void **state)
{
    static const char view[] = "/api/v1/views?name=the%20%22api%22";
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_get(&s, "/api/v1/views", 200, "{\"views\": []}");
    expect_post(&s, view, "?q=service%3Dapi#v=top", 200, "{}");
    expect_post(&s, "/api/v1/views?name=a", "?", 200, "{}");
    expect_get(&s, "/api/v1/views", 200,
               "{\"views\": [{\"name\": \"a\", \"view\": \"?\"}, {\"name\": \"the \\\"api\\\"\", "
               "\"view\": \"?q=service%3Dapi#v=top\"}]}");
    expect_post(&s, view, "?q=2", 200, "{}");
    expect(&s, "DELETE", "/api/v1/views?name=a", "", flm_bytes_of(""), 200, "{}");
    expect(&s, "DELETE", "/api/v1/views?name=a", "", flm_bytes_of(""), 200, "{}");
    expect_get(&s, "/api/v1/views", 200,
               "{\"views\": [{\"name\": \"the \\\"api\\\"\", \"view\": \"?q=2\"}]}");
    expect(&s, "GET", "/api/v1/views", "X-Scope-OrgID: other\r\n", flm_bytes_of(""), 200,
           "{\"views\": []}");
    /* It is no address of another site, and has no second line. */
    expect_post(&s, view, "//evil.example", 400, "{\"error\": \"a view is");
    expect_post(&s, view, "?a\nb", 400, "{\"error\": \"a view is");
    expect_post(&s, view, "", 400, "{\"error\": \"a view is");
    expect_post(&s, "/api/v1/views", "?", 400, "{\"error\": \"the parameter 'name'");
    expect(&s, "DELETE", "/api/v1/views?nam=a", "", flm_bytes_of(""), 400,
           "{\"error\": \"there is");
    serve_stop(&s);
}

/* The same bytes may be measured of two pods, and at two times; a long id is one too. */
static void an_id_is_of_labels_and_a_time(void **state)
{
    static const char push[] = "/api/v1/push?service=";
    static const size_t sizes[] = {983, 984, 1000, 1001, 3000};
    struct flm_text target = {0};
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    for (int i = 0; i < 2; i++) {
        expect_post(&s, "/api/v1/push?service=l&id=1", "m 1\n", 200, "{}");
        expect_post(&s, "/api/v1/push?service=l&id=1&label=region=eu", "m 1\n", 200, "{}");
        expect_post(&s, "/api/v1/push?service=l&id=1&label=region=us&label=a=b", "m 1\n", 200,
                    "{}");
        expect_post(&s, "/api/v1/push?service=t&id=1&time=1764324300", "m 1\n", 200, "{}");
        expect_post(&s, "/api/v1/push?service=t&id=1&time=1764324360", "m 1\n", 200, "{}");
    }
    expect_post(&s, "/api/v1/push?service=l&id=1&label=a=b&label=region=us", "m 1\n", 200, "{}");
    expect_get(&s, FOLDED "&selector=service%3Dl", 200, "m 3\n");
    expect_get(&s, FOLDED "&selector=service%3Dt", 200, "m 2\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int last = 0; last < 4; last++) { /* "0", "1", and both again */
            target.size = 0;
            flm_text_format(&target, "%slong&id=", push);
            flm_text_repeat(&target, 'x', sizes[i] - 1);
            flm_text_format(&target, "%d", last % 2);
            flm_text_putc(&target, 0);
            expect_post(&s, target.at, "m 1\n", 200, "{}");
        }
    expect_get(&s, FOLDED "&selector=service%3Dlong", 200, "m 10\n");
    flm_text_clear(&target);
    serve_stop(&s);
}

/* An id with the same bytes is the same profile; by Connect too. */
static void a_profile_that_is_sent_again_counts_once(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n";
    static const char push[] = "/push.v1.PusherService/Push";
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/api/v1/push?service=a&id=1", "m 1\n", 200, "{}");
    expect_post(&s, "/api/v1/push?service=a&id=1", "m 1\n", 200, "{}");
    expect_post(&s, "/api/v1/push?service=a&id=1", "m 2\n", 200, "{}");
    expect_post(&s, "/api/v1/push?service=a&id=2", "m 1\n", 200, "{}");
    expect_post(&s, "/api/v1/push?service=a", "m 1\n", 200, "{}");
    expect_get(&s, FOLDED, 200, "m 5\n");
    struct flm_text pprof = pprof_of("b 7\n"), body = {0};
    flm_text_puts(&body,
                  "{\"series\": [{\"labels\": [{\"name\": \"service_name\", \"value\": \"c\"}], "
                  "\"samples\": [{\"ID\": \"5c2b\", \"rawProfile\": \"");
    flm_base64_add(&body, (struct flm_bytes){pprof.at, pprof.size});
    flm_text_puts(&body, "\"}]}]}");
    for (int i = 0; i < 2; i++)
        expect(&s, "POST", push, json, (struct flm_bytes){body.at, body.size}, 200, "{}");
    flm_text_clear(&body);
    struct flm_text sample = {0}, series = {0}, label = {0};
    flm_wire_put_bytes(&label, 1, flm_bytes_of("service_name"));
    flm_wire_put_bytes(&label, 2, flm_bytes_of("c"));
    flm_wire_put_bytes(&sample, 1, (struct flm_bytes){pprof.at, pprof.size});
    flm_wire_put_bytes(&sample, 2, flm_bytes_of("5c2b"));
    flm_wire_put_message(&series, 1, &label);
    flm_wire_put_message(&series, 2, &sample);
    flm_wire_put_message(&body, 1, &series);
    expect(&s, "POST", push, "Content-Type: application/proto\r\n",
           (struct flm_bytes){body.at, body.size}, 200, "");
    expect_get(&s, FOLDED "&selector=service%3Dc", 200, "b 7\n");
    struct http_answer a = http_ask(s.port, "GET", "/metrics", "", flm_bytes_of(""));
    assert_true(flm_bytes_contain((struct flm_bytes){a.all.at, a.all.size},
                                  "\nflamel_repeated_profiles_total 3\n"));
    flm_text_clear(&a.all);
    flm_text_clear(&body);
    flm_text_clear(&sample);
    flm_text_clear(&series);
    flm_text_clear(&label);
    flm_text_clear(&pprof);
    serve_stop(&s);
}

static void queries_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_get(&s, FOLDED "&selector=service", 400, "{\"error\": ");
    expect_get(&s, FOLDED "&from=-1h&until=-2h", 400, "{\"error\": \"the range of time ends");
    expect_get(&s, FOLDED "&from=x", 400, "{\"error\": ");
    expect_get(&s, "/api/v1/merge?compare=x", 400, "{\"error\": \"compare is FROM..UNTIL");
    expect_get(&s, "/api/v1/values", 400, "{\"error\": \"the parameter 'label' is missing");
    expect_get(&s, "/api/v1/timeline?type=cpu&from=0", 400, "{\"error\": \"a timeline has");
    expect_get(&s, "/api/v1/timeline?type=cpu&from=-1h&step=-1", 400,
               "{\"error\": \"a step is a number");
    expect_get(&s, "/api/v1/timeline?type=cpu&from=-1h&step=inf", 400, "{\"error\": ");
    expect_get(&s, "/api/v1/timeline?type=cpu&from=-1h&step=x", 400,
               "{\"error\": \"the parameter 'step'");
    expect_get(&s, "/api/v1/services?from=-1h", 400,
               "{\"error\": \"there is no parameter 'from', only sel");
    expect_get(&s, "/api/v1/values?label=a&selector=b", 400, "{\"error\": \"byte 1: one of =");
    expect_get(&s, "/api/v1/series?from=-1h", 400,
               "{\"error\": \"there is no parameter 'from', only sel");
    expect_get(&s, "/api/v1/merge?form=folded", 400,
               "{\"error\": \"there is no parameter 'form', only");
    expect_get(&s, FOLDED "&compare=-2h..-1h", 400, "{\"error\": \"folded stacks hold one side");
    expect_get(&s, "/api/v1/merge?format=difffolded", 400,
               "{\"error\": \"difffolded takes compare");
    /* No name is none of those that there are; nothing between two parameters is no parameter. */
    expect_get(&s, "/api/v1/services?=x", 400, "a header or parameter is malformed");
    expect_get(&s, "/api/v1/services?=", 400, "a header or parameter is malformed");
    expect_get(&s, "/api/v1/series?&selector=a%3Db&&", 200, "{\"series\": []}");
    expect_get(&s, "/api/v1/services?&", 200, "{\"services\": []}");
    expect_get(&s, "/api/v1/series?select", 400, "{\"error\": \"there is no parameter 'select'");
    /* Nanoseconds and bytes are not added up. */
    expect_post(&s, "/ingest?name=a&from=now-10m", "main 1\n", 200, "");
    expect_post(&s, "/ingest?name=a&from=now-10m&units=bytes", "main 1\n", 200, "");
    expect_get(&s, "/api/v1/timeline?from=-1h&step=3600", 400,
               "{\"error\": \"a timeline is of one type: give one of cpu:ns, space:bytes as");
    expect_get(&s, "/api/v1/timeline?from=-1h&type=space&step=3600", 200, "{\"from_ms\": ");
    expect_get(&s, "/api/v2/merge", 404, "{\"error\": ");
    expect(&s, "DELETE", "/api/v1/merge", "", flm_bytes_of(""), 405,
           "{\"error\": \"this path does not accept DELETE\"}");
    serve_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flm_file_comes_back_as_it_was_pushed),
        cmocka_unit_test(a_timeline_has_groups),
        cmocka_unit_test(views_are_kept_by_name),
        cmocka_unit_test(a_profile_that_is_sent_again_counts_once),
        cmocka_unit_test(an_id_is_of_labels_and_a_time),
        cmocka_unit_test(queries_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
