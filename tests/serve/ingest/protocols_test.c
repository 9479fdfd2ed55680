/* Every protocol by which profiles come in, over sockets: what is then in the store, and what is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/encode/base64.h"
#include "format/otlp/otlp.h"
#include "format/protobuf/wire_write.h"
#include "os/gzip.h"
#include "support/core/http_talk.h"
#include "support/serve/served.h"

/* ---- Pyroscope ------------------------------------------------------------------------------- */

static void folded_stacks_are_ingested_with_the_labels_of_their_name(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(
        &s, "/ingest?name=app%7Bregion=eu,otel.scope.name=a/b%7D&from=1615709120&until=1615709130",
        "foo;bar 100\nfoo;baz 200", 200, "");
    expect_post(&s, "/ingest?name=app%7Bregion=us%7D&from=1615709120&sampleRate=1000",
                "foo;bar 1\n", 200, "");
    expect_post(&s, "/ingest?name=heap&units=bytes&format=folded", "main;alloc 4096\n", 200, "");
    expect_post(&s, "/ingest?name=lines&format=lines", "a;b\na;b\na;c\n", 200, "");
    /* One value a line, whatever the names end in. */
    expect_post(&s, "/ingest?name=port", "a;f 10 3\na;g 11 4\n", 200, "");
    expect_post(&s, "/ingest?name=work&format=lines", "work 3\nwork 3\n", 200, "");
    expect_get(&s, FOLDED "&selector=service%3Dport", 200, "a;f 10 30000000\na;g 11 40000000\n");
    expect_get(&s, FOLDED "&selector=service%3Dwork", 200, "work 3 20000000\n");
    expect_get(&s, "/api/v1/services", 200,
               "{\"services\": [\"app\", \"heap\", \"lines\", \"port\", \"work\"]}");
    expect_get(&s, "/api/v1/types", 200, "{\"types\": [\"cpu:ns\", \"space:bytes\"]}");
    expect_get(&s, "/api/v1/labels", 200,
               "{\"labels\": [\"otel.scope.name\", \"region\", \"service_name\"]}");
    expect_get(&s, "/api/v1/values?label=region", 200, "{\"values\": [\"eu\", \"us\"]}");
    expect_post(&s, "/ingest?name=app%7Bregion=__x%7D&from=1615709120", "foo;bar 1\n", 200, "");
    expect_get(&s, "/api/v1/values?label=region", 200, "{\"values\": [\"__x\", \"eu\", \"us\"]}");
    /* 100 samples of 100 a second are a second. */
    expect_get(&s, FOLDED "&selector=region%3Deu", 200, "foo;bar 1000000000\nfoo;baz 2000000000\n");
    expect_get(&s, FOLDED "&selector=region%3Dus", 200, "foo;bar 1000000\n");
    expect_get(&s, FOLDED "&selector=service%3Dlines", 200, "a;b 20000000\na;c 10000000\n");
    expect_get(&s, FOLDED "&until=2021-03-14T08:05:20&type=cpu", 404, "{\"error\": ");
    expect_get(&s,
               FOLDED "&selector=service%3Dapp&from=2021-03-14T08:05:20&until=2021-03-14T08:05:21",
               200, "foo;bar 1011000000\n");
    serve_stop(&s);
}

static void what_is_wrong_with_an_ingest_is_said(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest", "a 1\n", 400, "the parameter 'name' is missing");
    expect_post(&s, "/ingest?name=app%7Bregion=eu", "a 1\n", 400,
                "the labels in the parameter 'name'");
    expect_post(&s, "/ingest?name=app%7Bregion%7D", "a 1\n", 400,
                "a label in the parameter 'name'");
    expect_post(&s, "/ingest?name=app&from=soon", "a 1\n", 400, "'soon' is no time");
    expect_post(&s, "/ingest?name=app&sampleRate=0", "a 1\n", 400, "the parameter 'sampleRate'");
    expect_post(&s, "/ingest?name=app&sampleRate=abc", "a 1\n", 400, "the parameter 'sampleRate'");
    expect_post(&s, "/ingest?name=app&from=5", "a 1\n", 422,
                "the profile's time is before the year 2000");
    expect_post(&s, "/ingest?name=app&format=trie", "a 1\n", 400, "there is no format 'trie'");
    expect_post(&s, "/ingest?name=app", "", 422, "there is no profile");
    expect_post(&s, "/ingest?name=app", "a one\n", 422, "line 1: ");
    expect_post(&s, "/ingest?name=app&format=pprof", "no protobuf", 422, "byte ");
    expect(&s, "POST", "/ingest?name=app", "Content-Encoding: br\r\n", flm_bytes_of("a 1\n"), 415,
           "Content-Encoding");
    expect(&s, "POST", "/ingest?name=app", "Content-Type: multipart/form-data; boundary=x\r\n",
           flm_bytes_of("--x\r\nContent-Disposition: form-data; name=\"y\"\r\n\r\n\r\n--x--"), 422,
           "there is no part 'profile'");
    expect_get(&s, "/api/v1/services", 200, "{\"services\": []}");
    serve_stop(&s);
}

static void pprof_is_ingested_raw_compressed_and_in_parts(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    struct flm_text raw = pprof_of("main;work 5\n"), twice = {0}, parts = {0};
    struct flm_bytes bytes = {raw.at, raw.size};
    expect(&s, "POST", "/ingest?name=raw&format=pprof", "", bytes, 200, "");
    assert_true(flm_gzip(bytes, 6, &twice, NULL));
    expect(&s, "POST", "/ingest?name=twice", "Content-Encoding: identity, GZIP\r\n",
           (struct flm_bytes){twice.at, twice.size}, 200, "");
    expect(&s, "POST", "/ingest?name=never", "Content-Encoding: gzip, br\r\n",
           (struct flm_bytes){twice.at, twice.size}, 415, "Content-Encoding may be");
    flm_text_puts(&parts, "--b\r\nContent-Disposition: form-data; name=\"profile\"; "
                          "filename=\"profile.pprof\"\r\n\r\n");
    flm_text_add(&parts, bytes);
    flm_text_puts(&parts, "\r\n--b\r\nContent-Disposition: form-data; "
                          "name=\"sample_type_config\"\r\n\r\n{}\r\n--b--\r\n");
    expect(&s, "POST", "/ingest?name=parts&format=pprof",
           "Content-Type: multipart/form-data; boundary=b\r\n",
           (struct flm_bytes){parts.at, parts.size}, 200, "");
    expect_get(&s, FOLDED "&selector=service%3D~'raw|twice|parts'", 200, "main;work 15\n");
    flm_text_clear(&raw);
    flm_text_clear(&twice);
    flm_text_clear(&parts);
    serve_stop(&s);
}

/* ---- Others ---------------------------------------------------------------------------------- */

/* PushRequest, with the labels of a series behind its sample: fields have no order. */
static struct flm_text push_request(struct flm_bytes profile, const char *service)
{
    struct flm_text request = {0}, series = {0}, inner = {0};
    flm_wire_put_bytes(&inner, 1, profile);
    flm_wire_put_bytes(&inner, 2, flm_bytes_of("7c9e6679"));
    flm_wire_put_message(&series, 2, &inner);
    flm_wire_put_bytes(&inner, 1, flm_bytes_of("service_name"));
    flm_wire_put_bytes(&inner, 2, flm_bytes_of(service));
    flm_wire_put_message(&series, 1, &inner);
    flm_wire_put_message(&request, 1, &series);
    flm_text_clear(&inner);
    flm_text_clear(&series);
    return request;
}

static void connect_pushes_in_both_encodings(void **state)
{
    static const char proto[] = "Content-Type: application/proto\r\n",
                      json[] = "Content-Type: application/json\r\n",
                      path[] = "/push.v1.PusherService/Push";
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    struct flm_text profile = pprof_of("main;work 5\n"), text = {0};
    struct flm_text request = push_request((struct flm_bytes){profile.at, profile.size}, "wire");
    expect(&s, "POST", path, proto, (struct flm_bytes){request.at, request.size}, 200, "");
    flm_text_puts(&text, "{\"series\": [{\"samples\": [{\"rawProfile\": \"");
    flm_base64_add(&text, (struct flm_bytes){profile.at, profile.size});
    flm_text_puts(&text, "\", \"ID\": \"x\"}], \"labels\": [{\"name\": \"service_name\", "
                         "\"value\": \"json\"}]}]}");
    expect(&s, "POST", path, json, (struct flm_bytes){text.at, text.size}, 200, "{}");
    expect_get(&s, "/api/v1/services", 200, "{\"services\": [\"json\", \"wire\"]}");
    expect_get(&s, FOLDED, 200, "main;work 10\n");
    expect(&s, "POST", path, "", flm_bytes_of(""), 415, "{\"code\": \"unimplemented\"");
    expect(&s, "POST", path, json,
           flm_bytes_of("{\"series\": [{\"samples\": [{\"rawProfile\": "
                        "\"!\"}]}]}"),
           400, "{\"code\": \"invalid_argument\", \"message\": \"byte ");
    /* Every shortened request is refused, or has whole fields. */
    for (size_t size = 1; size < request.size; size += 7) {
        struct http_answer a =
            http_ask(s.port, "POST", path, proto, (struct flm_bytes){request.at, size});
        if (a.status != 400 || !flm_bytes_start_with(a.body, "{\"code\": \"invalid_argument\""))
            fail_msg("%zu bytes: %s", size, a.all.at);
        flm_text_clear(&a.all);
    }
    expect_get(&s, FOLDED, 200, "main;work 10\n");
    flm_text_clear(&profile);
    flm_text_clear(&request);
    flm_text_clear(&text);
    serve_stop(&s);
}

static void resources_of_otlp_are_series(void **state)
{
    static const char request[] =
        "{\"resourceProfiles\": ["
        "{\"resource\": {\"attributes\": [{\"key\": \"service.name\", \"value\": "
        "{\"stringValue\": \"one\"}}, {\"key\": \"k8s.pod.name\", \"value\": "
        "{\"stringValue\": \"p1\"}}]}, \"scopeProfiles\": [{\"profiles\": [{\"sampleType\": "
        "{\"typeStrindex\": 1, \"unitStrindex\": 2}, \"samples\": [{\"stackIndex\": 1, "
        "\"values\": [\"5\"]}]}]}]},"
        "{\"resource\": {\"attributes\": [{\"key\": \"service.name\", \"value\": "
        "{\"stringValue\": \"two\"}}]}, \"scopeProfiles\": [{\"profiles\": [{\"sampleType\": "
        "{\"typeStrindex\": 1, \"unitStrindex\": 2}, \"samples\": [{\"stackIndex\": 1, "
        "\"values\": [\"7\"]}]}]}]}],"
        "\"dictionary\": {\"mappingTable\": [{}], \"locationTable\": [{}, {\"lines\": "
        "[{\"functionIndex\": 1}]}], \"functionTable\": [{}, {\"nameStrindex\": 3}], "
        "\"linkTable\": [{}], \"stringTable\": [\"\", \"cpu\", \"nanoseconds\", \"main\"], "
        "\"attributeTable\": [{}], \"stackTable\": [{}, {\"locationIndices\": [1]}]}}";
    static const char json[] = "Content-Type: application/json\r\n",
                      proto[] = "Content-Type: application/x-protobuf\r\n";
    struct flm_source source = flm_source_of(flm_bytes_of(request));
    struct flm_text message = {0};
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect(&s, "POST", "/v1development/profiles", json, flm_bytes_of(request), 200, "{}");
    expect_get(&s, "/api/v1/services", 200, "{\"services\": [\"one\", \"two\"]}");
    expect_get(&s, "/api/v1/values?label=k8s_pod_name", 200, "{\"values\": [\"p1\"]}");
    expect_get(&s, FOLDED "&selector=service%3Dtwo", 200, "main 7\n");
    /* The same as Protocol Buffers: behind its size, which is 2 bytes here. */
    assert_true(flm_otlp_from_json(&source, &message, NULL));
    assert_true(message.size > 130 && message.size < 16000);
    struct flm_bytes wire = {message.at + 2, message.size - 2};
    expect(&s, "POST", "/v1/profiles", proto, wire, 200, "");
    expect_get(&s, FOLDED "&selector=service%3Done", 200, "main 10\n");
    expect(&s, "POST", "/v1/profiles", json, flm_bytes_of("{\"resourceProfiles\": 1"), 400,
           "{\"code\": 3, \"message\": ");
    wire.size--;
    expect(&s, "POST", "/v1/profiles", proto, wire, 400, "\x08\x03\x12");
    expect_get(&s, FOLDED "&selector=service%3Done", 200, "main 10\n");
    flm_text_clear(&message);
    serve_stop(&s);
}

/* 1,024 in a request, and what is read of a dictionary that many resources share. */
static void how_much_a_request_may_make_of_its_bytes_is_bounded(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n",
                      proto[] = "Content-Type: application/proto\r\n",
                      push[] = "/push.v1.PusherService/Push";
    (void)state;
    struct served s = serve_start((struct flm_serve_options){.most_body = 1 << 20});
    struct flm_text profile = pprof_of("a 1\n"), text = {0}, series = {0}, inner = {0};
    for (int i = 0; i < 1025; i++) {
        flm_wire_put_bytes(&inner, 1, (struct flm_bytes){profile.at, profile.size});
        flm_wire_put_message(&series, 2, &inner);
    }
    /* Behind the limit nothing is read: this would be malformed. */
    flm_wire_put_bytes(&inner, 1, flm_bytes_of("none"));
    flm_wire_put_message(&series, 2, &inner);
    flm_wire_put_message(&text, 1, &series);
    expect(&s, "POST", push, proto, (struct flm_bytes){text.at, text.size}, 400,
           "{\"code\": \"invalid_argument\", \"message\": \"there are more than 1024 profiles");
    flm_text_clear(&text);
    flm_text_puts(&text, "{\"series\": [{\"samples\": [");
    for (int i = 0; i < 1026; i++) {
        flm_text_puts(&text, i > 0 ? ",{\"rawProfile\":\"" : "{\"rawProfile\":\"");
        flm_base64_add(&text, i < 1025 ? (struct flm_bytes){profile.at, profile.size}
                                       : flm_bytes_of("none"));
        flm_text_puts(&text, "\"}");
    }
    flm_text_puts(&text, "]}]}");
    expect(&s, "POST", push, json, (struct flm_bytes){text.at, text.size}, 400,
           "{\"code\": \"invalid_argument\", \"message\": \"there are more than 1024 profiles");
    flm_text_clear(&text);
    /* 20 resources with a dictionary of 900 kB are more than 16 MiB; 10 are not, and those without
     * profiles are none. */
    for (int count = 10; count <= 20; count += 10) {
        flm_text_puts(&text, "{\"resourceProfiles\": [{}, {\"scopeProfiles\": [{}]}");
        for (int i = 0; i < count; i++)
            flm_text_puts(&text, ", {\"scopeProfiles\": [{\"profiles\": [{\"sampleType\": "
                                 "{\"typeStrindex\": 1, \"unitStrindex\": 2}, \"samples\": "
                                 "[{\"stackIndex\": 1, \"values\": [\"5\"]}]}]}]}");
        flm_text_puts(&text, "], \"dictionary\": {\"mappingTable\": [{}], \"locationTable\": [{}, "
                             "{\"lines\": [{\"functionIndex\": 1}]}], \"functionTable\": [{}, "
                             "{\"nameStrindex\": 3}], \"linkTable\": [{}], \"attributeTable\": "
                             "[{}], \"stackTable\": [{}, {\"locationIndices\": [1]}], "
                             "\"stringTable\": [\"\", \"cpu\", \"nanoseconds\", \"main\", \"");
        flm_text_repeat(&text, 'x', 900000);
        flm_text_puts(&text, "\"]}}");
        expect(&s, "POST", "/v1/profiles", json, (struct flm_bytes){text.at, text.size},
               count == 10 ? 200 : 400,
               count == 10 ? "{}" : "{\"code\": 3, \"message\": \"there are too many resources");
        flm_text_clear(&text);
    }
    expect_get(&s, FOLDED, 200, "main 50\n");
    flm_text_clear(&profile);
    flm_text_clear(&text);
    flm_text_clear(&series);
    flm_text_clear(&inner);
    serve_stop(&s);
}

/* Behind the 65th label nothing is read: what is there would be malformed. */
static void too_many_labels_are_refused_at_the_first_that_is_too_many(void **state)
{
    static const char proto[] = "Content-Type: application/proto\r\n",
                      json[] = "Content-Type: application/json\r\n",
                      type[] = "Content-Type: multipart/form-data; boundary=b\r\n",
                      push[] = "/push.v1.PusherService/Push";
    static const char said[] =
        "{\"code\": \"invalid_argument\", \"message\": \"there are more than 64 labels\"}";
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    struct flm_text wire = {0}, series = {0}, inner = {0}, text = {0}, parts = {0};
    flm_text_puts(&text, "{\"series\": [{\"labels\": [");
    flm_text_puts(&parts, "--b\r\nContent-Disposition: form-data; name=\"event\"\r\n\r\n"
                          "{\"tags_profiler\": \"service:dd,service:dd");
    for (int i = 0; i < 65; i++) {
        flm_text_format(&inner, "\n%cl%u", i < 10 ? 2 : 3, (unsigned)i); /* 1, of so many bytes */
        flm_wire_put_message(&series, 1, &inner);
        flm_text_format(&text, "%s{\"name\": \"l%u\"}", i > 0 ? "," : "", (unsigned)i);
        if (i < 64)
            flm_text_format(&parts, ",l%u:x", (unsigned)i);
    }
    flm_wire_put_message(&wire, 1, &series);
    flm_text_puts(&wire, "\x0a\x7f"); /* a field that is longer than the rest */
    expect(&s, "POST", push, proto, (struct flm_bytes){wire.at, wire.size}, 400, said);
    flm_text_puts(&text, "]}], oops");
    expect(&s, "POST", push, json, (struct flm_bytes){text.at, text.size}, 400, said);
    flm_text_puts(&parts, "\"}\r\n--b\r\nContent-Disposition: form-data; name=\"a.pprof\"; "
                          "filename=\"a.pprof\"\r\n\r\nnone\r\n--b--\r\n");
    expect(&s, "POST", "/profiling/v1/input", type, (struct flm_bytes){parts.at, parts.size}, 400,
           "there are more than 64 labels");
    flm_text_clear(&wire);
    flm_text_clear(&series);
    flm_text_clear(&text);
    flm_text_clear(&parts);
    flm_text_clear(&inner);
    serve_stop(&s);
}

static void the_profiles_of_an_event_of_datadog_are_a_series(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    static const char type[] = "Content-Type: multipart/form-data; boundary=b\r\n";
    struct flm_text wall = pprof_of("main;wait 5\n"), parts = {0};
    flm_text_puts(&parts, "--b\r\nContent-Disposition: form-data; name=\"wall.pprof\"; "
                          "filename=\"wall.pprof\"\r\n\r\n");
    flm_text_add(&parts, (struct flm_bytes){wall.at, wall.size});
    size_t without_event = parts.size;
    flm_text_puts(&parts,
                  "\r\n--b\r\nContent-Disposition: form-data; name=\"event\"; "
                  "filename=\"event.json\"\r\n\r\n{\"start\": \"2025-11-28T10:05:00.5Z\", "
                  "\"family\": \"node\", \"tags_profiler\": "
                  "\"service:dd,env:prod,runtime-id:5bf5e6b8,_dd.id:1,host:h:1\"}\r\n--b--\r\n");
    expect(&s, "POST", "/profiling/v1/input", type, (struct flm_bytes){parts.at, parts.size}, 200,
           "");
    expect_get(&s, "/api/v1/labels", 200, "{\"labels\": [\"env\", \"host\", \"service_name\"]}");
    expect_get(&s,
               FOLDED "&selector=service%3Ddd+host%3D'h:1'&from=2025-11-28T10:05&until="
                      "2025-11-28T10:06",
               200, "main;wait 5\n");
    parts.size = without_event;
    flm_text_puts(&parts, "\r\n--b--\r\n");
    expect(&s, "POST", "/profiling/v1/input", type, (struct flm_bytes){parts.at, parts.size}, 400,
           "there is no part 'event'");
    flm_text_clear(&wall);
    flm_text_clear(&parts);
    serve_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folded_stacks_are_ingested_with_the_labels_of_their_name),
        cmocka_unit_test(what_is_wrong_with_an_ingest_is_said),
        cmocka_unit_test(pprof_is_ingested_raw_compressed_and_in_parts),
        cmocka_unit_test(connect_pushes_in_both_encodings),
        cmocka_unit_test(resources_of_otlp_are_series),
        cmocka_unit_test(how_much_a_request_may_make_of_its_bytes_is_bounded),
        cmocka_unit_test(too_many_labels_are_refused_at_the_first_that_is_too_many),
        cmocka_unit_test(the_profiles_of_an_event_of_datadog_are_a_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
