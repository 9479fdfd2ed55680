/* querier.v1 over sockets, as Grafana asks it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "format/protobuf/wire_write.h"
#include "support/core/http_talk.h"
#include "support/serve/served.h"

/* What Grafana's data source asks, in JSON; times are 10 minutes around the one of the profiles. */
static void grafana_reads_types_labels_graphs_and_series(void **state)
{
#define QUERIER "/querier.v1.QuerierService/"
#define RANGE "\"start\": 1764324000000, \"end\": \"1764324600000\""
#define CPU "\"profileTypeID\": \"process_cpu:cpu:nanoseconds:cpu:nanoseconds\", "
    static const char json[] = "Content-Type: application/json\r\n";
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest?name=api%7Bpod=p1%7D&from=1764324300",
                "main;work;read 10\nmain;work 20\nmain;idle 5\n", 200, "");
    expect_post(&s, "/ingest?name=api%7Bpod=p%222%7D&from=1764324330", "main;work 1\n", 200, "");
    expect_post(&s, "/ingest?name=heap&units=bytes&from=1764324300", "a 7\n", 200, "");
    expect(&s, "POST", QUERIER "ProfileTypes", json, flm_bytes_of("{" RANGE "}"), 200,
           "{\"profileTypes\": [{\"ID\": \"memory:space:bytes:space:bytes\", \"name\": \"memory\", "
           "\"sampleType\": \"space\", \"sampleUnit\": \"bytes\", \"periodType\": \"space\", "
           "\"periodUnit\": \"bytes\"}, {\"ID\": \"process_cpu:cpu:nanoseconds:cpu:nanoseconds\"");
    expect(&s, "POST", QUERIER "LabelValues", json, flm_bytes_of("{\"name\": \"pod\"}"), 200,
           "{\"names\": [\"p\\\"2\", \"p1\"]}");
    expect(&s, "POST", QUERIER "LabelNames", json, flm_bytes_of("{}"), 200,
           "{\"names\": [\"__name__\", \"pod\", \"service_name\"]}");
    expect(&s, "POST", QUERIER "SelectMergeStacktraces", json,
           flm_bytes_of("{" CPU RANGE ", \"labelSelector\": \"{service_name=\\\"api\\\"}\"}"), 200,
           "{\"flamegraph\": {\"names\": [\"total\", \"main\", \"idle\", \"work\", \"read\"], "
           "\"levels\": [{\"values\": [\"0\", \"360000000\", \"0\", \"0\"]}, {\"values\": "
           "[\"0\", \"360000000\", \"0\", \"1\"]}, {\"values\": [\"0\", \"50000000\", "
           "\"50000000\", \"2\", \"0\", \"310000000\", \"210000000\", \"3\"]}, {\"values\": "
           "[\"50000000\", \"100000000\", \"100000000\", \"4\"]}], \"total\": \"360000000\", "
           "\"maxSelf\": \"210000000\"}}");
    /* Trimmed: what has no box is in one called other, and the sums stay. */
    expect(&s, "POST", QUERIER "SelectMergeStacktraces", json,
           flm_bytes_of("{" CPU RANGE ", \"labelSelector\": \"{}\", \"maxNodes\": \"3\"}"), 200,
           "{\"flamegraph\": {\"names\": [\"total\", \"main\", \"other\", \"work\"], \"levels\": "
           "[{\"values\": [\"0\", \"360000000\", \"0\", \"0\"]}, {\"values\": [\"0\", "
           "\"360000000\", \"0\", \"1\"]}, {\"values\": [\"0\", \"50000000\", \"50000000\", "
           "\"2\", \"0\", \"310000000\", \"210000000\", \"3\"]}, {\"values\": [\"50000000\", "
           "\"100000000\", \"100000000\", \"2\"]}]");
    expect(&s, "POST", QUERIER "SelectSeries", json,
           flm_bytes_of("{" CPU RANGE ", \"labelSelector\": \"{service_name=\\\"api\\\"}\", "
                        "\"groupBy\": [\"pod\"], \"step\": 15}"),
           200,
           "{\"series\": [{\"labels\": [{\"name\": \"pod\", \"value\": \"p\\\"2\"}], \"points\": "
           "[{\"value\": 10000000, \"timestamp\": \"1764324330000\"}]}, {\"labels\": [{\"name\": "
           "\"pod\", \"value\": \"p1\"}], \"points\": [{\"value\": 350000000, \"timestamp\": "
           "\"1764324300000\"}]}]}");
    expect(&s, "POST", QUERIER "SelectMergeStacktraces", json,
           flm_bytes_of("{\"profileTypeID\": \"cpu\"}"), 400, "{\"code\": \"invalid_argument\"");
    expect(&s, "POST", QUERIER "SelectSeries", json, flm_bytes_of("{" CPU RANGE "}"), 400,
           "{\"code\": \"invalid_argument\", \"message\": \"a step");
    expect(&s, "POST", QUERIER "SelectHeatmap", json, flm_bytes_of("{}"), 501,
           "{\"code\": \"unimplemented\"");
    expect(&s, "POST", QUERIER "LabelValues", json, flm_bytes_of("{\"name\": "), 400, "{\"code\"");
    serve_stop(&s);
}

/* Names, values, types and series are those that the selectors match, any of them. */
static void labels_follow_the_matchers(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n";
    static const struct {
        const char *method, *body, *answer;
    } asked[] = {
        {"LabelValues", "{\"name\": \"pod\", \"matchers\": [\"{region=\\\"eu\\\"}\"]}",
         "{\"names\": [\"p1\", \"p2\"]}"},
        {"LabelValues", "{\"name\": \"pod\", \"matchers\": [\"{region!=\\\"eu\\\"}\"]}",
         "{\"names\": [\"p3\"]}"},
        {"LabelValues",
         "{\"name\": \"pod\", \"matchers\": [\"{pod=~\\\"p[12]\\\",region!~\\\"e.\\\"}\"]}",
         "{\"names\": []}"},
        /* Any of several. */
        {"LabelValues",
         "{\"name\": \"pod\", \"matchers\": [\"{pod=\\\"p1\\\"}\", \"{region=\\\"us\\\"}\"]}",
         "{\"names\": [\"p1\", \"p3\"]}"},
        {"LabelNames", "{\"matchers\": [\"{service_name=\\\"web\\\"}\"]}",
         "{\"names\": [\"__name__\", \"service_name\"]}"},
        {"LabelValues", "{\"name\": \"__profile_type__\"}",
         "{\"names\": [\"memory:space:bytes:space:bytes\", "
         "\"process_cpu:cpu:nanoseconds:cpu:nanoseconds\"]}"},
        {"LabelValues",
         "{\"name\": \"service_name\", \"matchers\": "
         "[\"{__profile_type__=~\\\"memory:.*\\\"}\"]}",
         "{\"names\": [\"web\"]}"},
        {"Series",
         "{\"matchers\": [\"{region=\\\"us\\\"}\"], \"labelNames\": [\"service_name\", "
         "\"__profile_type__\", \"none\"]}",
         "{\"labelsSet\": [{\"labels\": [{\"name\": \"service_name\", \"value\": \"api\"}, "
         "{\"name\": "
         "\"__profile_type__\", \"value\": \"process_cpu:cpu:nanoseconds:cpu:nanoseconds\"}]}]}"},
        {"Series", "{\"labelNames\": [\"region\"]}",
         "{\"labelsSet\": [{\"labels\": [{\"name\": \"region\", \"value\": \"eu\"}]}, {\"labels\": "
         "[{\"name\": \"region\", \"value\": \"us\"}]}]}"},
        /* Series are those of the range. */
        {"Series", "{\"end\": 1000, \"start\": 0}", "{\"labelsSet\": []}"},
        {"ProfileTypes", "{\"end\": 1000, \"start\": 0}", "{\"profileTypes\": []}"},
    };
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest?name=api%7Bpod=p1,region=eu%7D&from=1764324300", "a 1\n", 200, "");
    expect_post(&s, "/ingest?name=api%7Bpod=p2,region=eu%7D&from=1764324300", "a 1\n", 200, "");
    expect_post(&s, "/ingest?name=api%7Bpod=p3,region=us%7D&from=1764324300", "a 1\n", 200, "");
    expect_post(&s, "/ingest?name=web&units=bytes&from=1764324300", "a 1\n", 200, "");
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        char path[80];
        snprintf(path, sizeof path, QUERIER "%s", asked[i].method);
        expect(&s, "POST", path, json, flm_bytes_of(asked[i].body), 200, asked[i].answer);
    }
    expect(&s, "POST", QUERIER "LabelNames", json, flm_bytes_of("{\"matchers\": [\"{region\"]}"),
           400, "{\"code\": \"invalid_argument\", \"message\": \"matchers: ");
    expect(&s, "POST", QUERIER "LabelValues", json,
           flm_bytes_of("{\"name\": \"pod\", \"matchers\": [\"{pod=~\\\"(\\\"}\"]}"), 400,
           "{\"code\": \"invalid_argument\"");
    expect_get(&s, "/api/v1/values?label=pod&selector=region%3Deu", 200,
               "{\"values\": [\"p1\", \"p2\"]}");
    expect_get(&s, "/api/v1/services?selector=region!%3D''", 200, "{\"services\": [\"api\"]}");
    expect_get(&s, "/api/v1/labels?selector=service%3Dweb", 200,
               "{\"labels\": [\"service_name\"]}");
    serve_stop(&s);
}

/* Sums by several labels, the largest of them; and what would change a sum is refused. */
static void series_are_grouped_and_limited(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n";
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest?name=api%7Bpod=p1,region=eu%7D&from=1764324300", "a 1\n", 200, "");
    expect_post(&s, "/ingest?name=api%7Bpod=p2,region=eu%7D&from=1764324300", "a 2\n", 200, "");
    expect_post(&s, "/ingest?name=api%7Bregion=us%7D&from=1764324315", "a 3\n", 200, "");
    expect(
        &s, "POST", QUERIER "SelectSeries", json,
        flm_bytes_of("{" CPU RANGE ", \"groupBy\": [\"region\", \"pod\"], \"step\": 15, "
                     "\"aggregation\": \"TIME_SERIES_AGGREGATION_TYPE_SUM\"}"),
        200,
        "{\"series\": [{\"labels\": [{\"name\": \"region\", \"value\": \"eu\"}, {\"name\": "
        "\"pod\", "
        "\"value\": \"p1\"}], \"points\": [{\"value\": 10000000, \"timestamp\": "
        "\"1764324300000\"}]}, {\"labels\": [{\"name\": \"region\", \"value\": \"eu\"}, {\"name\": "
        "\"pod\", \"value\": \"p2\"}], \"points\": [{\"value\": 20000000, \"timestamp\": "
        "\"1764324300000\"}]}, {\"labels\": [{\"name\": \"region\", \"value\": \"us\"}], "
        "\"points\": [{\"value\": 30000000, \"timestamp\": \"1764324315000\"}]}]}");
    expect(&s, "POST", QUERIER "SelectSeries", json,
           flm_bytes_of("{" CPU RANGE ", \"groupBy\": [\"region\", \"pod\"], \"step\": 15, "
                        "\"limit\": \"1\"}"),
           200, "{\"series\": [{\"labels\": [{\"name\": \"region\", \"value\": \"us\"}]");
    static const char *const refused[][2] = {
        {"SelectSeries", "\"step\": 15, \"aggregation\": \"TIME_SERIES_AGGREGATION_TYPE_AVERAGE\""},
        {"SelectSeries", "\"step\": 15, \"aggregation\": 1"},
        {"SelectSeries", "\"step\": 15, \"stackTraceSelector\": {}"},
        {"SelectSeries", "\"step\": 15, \"labelSelector\": \"{__profile_type__=\\\"a\\\"}\""},
        {"SelectMergeStacktraces", "\"format\": \"PROFILE_FORMAT_TREE\""},
        {"SelectMergeStacktraces", "\"profileIdSelector\": [\"a\"]"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char path[80], body[400];
        snprintf(path, sizeof path, QUERIER "%s", refused[i][0]);
        snprintf(body, sizeof body, "{" CPU RANGE ", %s}", refused[i][1]);
        expect(&s, "POST", path, json, flm_bytes_of(body), 400, "{\"code\": \"invalid_argument\"");
    }
    serve_stop(&s);
}

/* Two ranges beside each other; a side that nothing matches is 0. */
static void a_difference_has_both_sides(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n";
#define LEFT "{" CPU "\"start\": 1764324000000, \"end\": 1764324310000}"
#define RIGHT "{" CPU "\"start\": 1764324320000, \"end\": 1764324600000}"
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest?name=api&from=1764324300&sampleRate=1000000000",
                "main;a 3\nmain;b 4\n", 200, "");
    expect_post(&s, "/ingest?name=api&from=1764324330&sampleRate=1000000000",
                "main;b 1\nmain;c 5\n", 200, "");
    expect(&s, "POST", QUERIER "Diff", json,
           flm_bytes_of("{\"left\": " LEFT ", \"right\": " RIGHT "}"), 200,
           "{\"flamegraph\": {\"names\": [\"total\", \"main\", \"a\", \"b\", \"c\"], \"levels\": "
           "[{\"values\": [\"0\", \"7\", \"0\", \"0\", \"6\", \"0\", \"0\"]}, {\"values\": "
           "[\"0\", \"7\", \"0\", \"0\", \"6\", \"0\", \"1\"]}, {\"values\": [\"0\", \"3\", \"3\", "
           "\"0\", \"0\", \"0\", \"2\", \"0\", \"4\", \"4\", \"0\", \"1\", \"1\", \"3\", \"0\", "
           "\"0\", \"0\", \"0\", \"5\", \"5\", \"4\"]}], \"total\": \"13\", \"maxSelf\": \"5\", "
           "\"leftTicks\": \"7\", \"rightTicks\": \"6\"}}");
    expect(&s, "POST", QUERIER "Diff", json,
           flm_bytes_of("{\"left\": {" CPU "\"start\": 1, \"end\": 2}, \"right\": " RIGHT "}"), 200,
           "{\"flamegraph\": {\"names\": [\"total\", \"main\", \"b\", \"c\"], \"levels\": "
           "[{\"values\": [\"0\", \"0\", \"0\", \"0\", \"6\", \"0\", \"0\"]}");
    expect(&s, "POST", QUERIER "Diff", json, flm_bytes_of("{\"left\": " LEFT "}"), 400,
           "{\"code\": \"invalid_argument\", \"message\": \"profileTypeID is");
    expect(&s, "POST", QUERIER "Diff", json,
           flm_bytes_of("{\"left\": " LEFT ", \"right\": {\"profileTypeID\": \"a:b:c:d:e\"}}"), 400,
           "{\"code\": \"invalid_argument\", \"message\": \"profileTypeID of both sides is one");
    expect(&s, "POST", QUERIER "Diff", json, flm_bytes_of("{\"left\": 3}"), 400, "{\"code\"");
    serve_stop(&s);
}

static void older_clients_render(void **state)
{
#define TYPE "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define METADATA                                                                                   \
    "\"spyName\": \"\", \"sampleRate\": 1000000000, \"units\": \"samples\", \"name\": \"cpu\"}"
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest?name=api%7Bpod=p1%7D&from=1764324300&sampleRate=1000000000",
                "main;a 3\nmain;b 4\n", 200, "");
    expect_post(&s, "/ingest?name=api%7Bpod=p2%7D&from=1764324330&sampleRate=1000000000",
                "main;b 1\n", 200, "");
    expect_get(
        &s,
        "/pyroscope/render?query=" TYPE "%7Bpod=~%22p.%22%7D&from=1764324300&until="
        "1764324320&groupBy=pod&max-nodes=100",
        200,
        "{\"version\": 1, \"flamebearer\": {\"names\": [\"total\", \"main\", \"a\", \"b\"], "
        "\"levels\": [[0, 7, 0, 0], [0, 7, 0, 1], [0, 3, 3, 2, 0, 4, 4, 3]], \"numTicks\": 7, "
        "\"maxSelf\": 4}, \"metadata\": {\"format\": \"single\", " METADATA
        ", \"timeline\": {\"startTime\": 1764324300, \"samples\": [7, 0, 0], "
        "\"durationDelta\": 10, \"watermarks\": {}}, \"groups\": {\"p1\": {\"startTime\": "
        "1764324300, \"samples\": [7, 0, 0], \"durationDelta\": 10, \"watermarks\": {}}}}");
    expect_get(&s, "/pyroscope/render?query=" TYPE "&from=now-1h&until=now", 200,
               "{\"version\": 1, \"flamebearer\": {\"names\": [\"total\"], \"levels\": "
               "[[0, 0, 0, 0]], \"numTicks\": 0, \"maxSelf\": 0}");
    expect_get(
        &s,
        "/pyroscope/render-diff?leftQuery=" TYPE "&leftFrom=1764324300&leftUntil=1764324320"
        "&rightQuery=" TYPE "%7Bpod=%22p2%22%7D&rightFrom=1764324300&rightUntil=1764324400",
        200,
        "{\"version\": 1, \"flamebearer\": {\"names\": [\"total\", \"main\", \"a\", \"b\"], "
        "\"levels\": [[0, 7, 0, 0, 1, 0, 0], [0, 7, 0, 0, 1, 0, 1], [0, 3, 3, 0, 0, 0, 2, 0, "
        "4, 4, 0, 1, 1, 3]], \"numTicks\": 8, \"maxSelf\": 4}, \"metadata\": {\"format\": "
        "\"double\", " METADATA ", \"leftTicks\": 7, \"rightTicks\": 1}");
    expect_get(&s, "/pyroscope/label-values?label=pod", 200, "[\"p1\", \"p2\"]");
    expect_get(&s, "/pyroscope/label-values", 400, "{\"error\": ");
    expect_get(&s, "/pyroscope/render?from=-1h", 400, "{\"error\": \"the parameter 'query'");
    expect_get(&s, "/pyroscope/render?query=" TYPE "&from=x", 400, "{\"error\": \"from: 'x' is no");
    expect_get(&s, "/pyroscope/render?query=" TYPE "&format=dot", 400, "{\"error\": ");
    expect_get(&s, "/pyroscope/render?query=cpu&from=-1h", 400, "{\"error\": \"profileTypeID is");
    expect_get(
        &s, "/pyroscope/render-diff?leftQuery=" TYPE "&rightQuery=memory:space:bytes:space:bytes",
        400, "{\"error\": \"both queries");
    serve_stop(&s);
}

/* In Protocol Buffers: a pprof, which is read back, and a flame graph. */
static void querier_answers_in_the_wire_format(void **state)
{
    static const char proto[] = "Content-Type: application/proto\r\n";
    struct flm_text request = {0};
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest?name=api&from=1764324300", "main;work 2\nmain 1\n", 200, "");
    flm_wire_put_bytes(&request, 1, flm_bytes_of("process_cpu:cpu:nanoseconds:cpu:nanoseconds"));
    flm_wire_put_bytes(&request, 2, flm_bytes_of("{service_name=\"api\"}"));
    flm_wire_put_number(&request, 3, 1764324000000);
    flm_wire_put_number(&request, 4, 1764324600000);
    struct flm_bytes body = {request.at, request.size};
    struct http_answer a = http_ask(s.port, "POST", QUERIER "SelectMergeProfile", proto, body);
    assert_int_equal(a.status, 200);
    struct flm_load_options load = {.size = sizeof load, .format = "pprof"};
    struct flm_profile *p = flm_load_memory(a.body.at, a.body.size, &load, NULL);
    assert_non_null(p);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 30000000);
    flm_profile_free(p);
    flm_text_clear(&a.all);
    /* 1 flame graph { 1 names, 2 levels, 3 total }: names come first. */
    a = http_ask(s.port, "POST", QUERIER "SelectMergeStacktraces", proto, body);
    assert_int_equal(a.status, 200);
    assert_true(a.body.size > 20 && a.body.at[0] == 0x0A);
    assert_memory_equal(a.body.at + 2, "\x0A\x05total\x0A\x04main\x0A\x04work\x12", 20);
    flm_text_clear(&a.all);
    for (size_t size = 1; size < body.size; size += 5) {
        a = http_ask(s.port, "POST", QUERIER "SelectMergeStacktraces", proto,
                     (struct flm_bytes){body.at, size});
        assert_true(a.status == 400 || a.status == 200);
        flm_text_clear(&a.all);
    }
    flm_text_clear(&request);
    serve_stop(&s);
}

/* Each value of each group is in memory: of many steps, fewer groups. */
static void groups_times_steps_are_bounded(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n";
    char target[80];
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    for (int i = 0; i < 370; i++) {
        snprintf(target, sizeof target, "/ingest?name=api%%7Bpod=p%d%%7D&from=1764324300", i);
        expect_post(&s, target, "main 1\n", 200, "");
    }
    expect(&s, "POST", QUERIER "SelectSeries", json,
           flm_bytes_of("{" CPU RANGE ", \"groupBy\": [\"pod\"], \"step\": 0.06}"), 200,
           "{\"series\": [{\"labels\": [{\"name\": \"pod\"");
    expect(&s, "POST", QUERIER "SelectSeries", json,
           flm_bytes_of("{" CPU RANGE ", \"groupBy\": [\"pod\"], \"step\": 0.055}"), 400,
           "{\"code\": \"invalid_argument\", \"message\": \"there are more than 366 groups of "
           "series");
    serve_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grafana_reads_types_labels_graphs_and_series),
        cmocka_unit_test(labels_follow_the_matchers),
        cmocka_unit_test(groups_times_steps_are_bounded),
        cmocka_unit_test(series_are_grouped_and_limited),
        cmocka_unit_test(a_difference_has_both_sides),
        cmocka_unit_test(older_clients_render),
        cmocka_unit_test(querier_answers_in_the_wire_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
