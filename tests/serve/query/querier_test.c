/* querier.v1 over sockets, as Grafana asks it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
    expect(&s, "POST", QUERIER "Diff", json, flm_bytes_of("{}"), 501,
           "{\"code\": \"unimplemented\"");
    expect(&s, "POST", QUERIER "LabelValues", json, flm_bytes_of("{\"name\": "), 400, "{\"code\"");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grafana_reads_types_labels_graphs_and_series),
        cmocka_unit_test(querier_answers_in_the_wire_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
