/* The whole server, asked over sockets; its store is then opened without it. */
#include "flamel/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/encode/base64.h"
#include "base/text/text.h"
#include "flamel/file.h"
#include "format/otlp/otlp.h"
#include "format/protobuf/wire_write.h"
#include "os/gzip.h"
#include "support/core/http_talk.h"

struct served {
    char folder[64];
    struct flm_serve *serve;
    uint16_t port;
};

static struct served start(struct flm_serve_options o)
{
    struct served s = {0};
    struct flm_error why = {0};
    unsigned port;
    snprintf(s.folder, sizeof s.folder, "/tmp/flamel-serve-XXXXXX");
    assert_non_null(mkdtemp(s.folder));
    o.size = sizeof o;
    o.folder = s.folder;
    s.serve = flm_serve_start(&o, &why);
    if (!s.serve)
        fail_msg("%s", why.text);
    assert_int_equal(sscanf(flm_serve_url(s.serve), "http://127.0.0.1:%u/", &port), 1);
    s.port = (uint16_t)port;
    return s;
}

static void stop(struct served *s)
{
    struct flm_error why = {0};
    char command[100];
    if (s->serve && !flm_serve_stop(s->serve, &why))
        fail_msg("%s", why.text);
    snprintf(command, sizeof command, "rm -r %s", s->folder);
    assert_int_equal(system(command), 0);
}

/* Asks, and compares the status, and what the body begins with. */
static void expect(const struct served *s, const char *method, const char *target,
                   const char *headers, struct flm_bytes body, int status, const char *begins)
{
    struct http_answer a = http_ask(s->port, method, target, headers, body);
    if (a.status != status || !flm_bytes_start_with(a.body, begins))
        fail_msg("%s %s: %.*s", method, target, (int)a.all.size, a.all.at ? a.all.at : "");
    flm_text_clear(&a.all);
}

static void get(const struct served *s, const char *target, int status, const char *begins)
{
    expect(s, "GET", target, "", flm_bytes_of(""), status, begins);
}

static void post(const struct served *s, const char *target, const char *body, int status,
                 const char *begins)
{
    expect(s, "POST", target, "", flm_bytes_of(body), status, begins);
}

#define FOLDED "/api/v1/merge?format=folded"

/* ---- Pyroscope ------------------------------------------------------------------------------- */

static void folded_stacks_are_ingested_with_the_labels_of_their_name(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    post(&s, "/ingest?name=app%7Bregion=eu,otel.scope.name=a/b%7D&from=1615709120&until=1615709130",
         "foo;bar 100\nfoo;baz 200", 200, "");
    post(&s, "/ingest?name=app%7Bregion=us%7D&from=1615709120&sampleRate=1000", "foo;bar 1\n", 200,
         "");
    post(&s, "/ingest?name=heap&units=bytes&format=folded", "main;alloc 4096\n", 200, "");
    post(&s, "/ingest?name=lines&format=lines", "a;b\na;b\na;c\n", 200, "");
    /* One value a line, whatever the names end in. */
    post(&s, "/ingest?name=port", "a;f 10 3\na;g 11 4\n", 200, "");
    post(&s, "/ingest?name=work&format=lines", "work 3\nwork 3\n", 200, "");
    get(&s, FOLDED "&selector=service%3Dport", 200, "a;f 10 30000000\na;g 11 40000000\n");
    get(&s, FOLDED "&selector=service%3Dwork", 200, "work 3 20000000\n");
    get(&s, "/api/v1/services", 200,
        "{\"services\": [\"app\", \"heap\", \"lines\", \"port\", \"work\"]}");
    get(&s, "/api/v1/types", 200, "{\"types\": [\"cpu:ns\", \"space:bytes\"]}");
    get(&s, "/api/v1/labels", 200,
        "{\"labels\": [\"otel.scope.name\", \"region\", \"service_name\"]}");
    get(&s, "/api/v1/values?label=region", 200, "{\"values\": [\"eu\", \"us\"]}");
    post(&s, "/ingest?name=app%7Bregion=__x%7D&from=1615709120", "foo;bar 1\n", 200, "");
    get(&s, "/api/v1/values?label=region", 200, "{\"values\": [\"__x\", \"eu\", \"us\"]}");
    /* 100 samples of 100 a second are a second. */
    get(&s, FOLDED "&selector=region%3Deu", 200, "foo;bar 1000000000\nfoo;baz 2000000000\n");
    get(&s, FOLDED "&selector=region%3Dus", 200, "foo;bar 1000000\n");
    get(&s, FOLDED "&selector=service%3Dlines", 200, "a;b 20000000\na;c 10000000\n");
    get(&s, FOLDED "&until=2021-03-14T08:05:20&type=cpu", 404, "{\"error\": ");
    get(&s, FOLDED "&selector=service%3Dapp&from=2021-03-14T08:05:20&until=2021-03-14T08:05:21",
        200, "foo;bar 1011000000\n");
    stop(&s);
}

static void what_is_wrong_with_an_ingest_is_said(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    post(&s, "/ingest", "a 1\n", 400, "the parameter 'name' is missing");
    post(&s, "/ingest?name=app%7Bregion=eu", "a 1\n", 400, "the labels in the parameter 'name'");
    post(&s, "/ingest?name=app%7Bregion%7D", "a 1\n", 400, "a label in the parameter 'name'");
    post(&s, "/ingest?name=app&from=soon", "a 1\n", 400, "'soon' is no time");
    post(&s, "/ingest?name=app&sampleRate=0", "a 1\n", 400, "the parameter 'sampleRate'");
    post(&s, "/ingest?name=app&sampleRate=abc", "a 1\n", 400, "the parameter 'sampleRate'");
    post(&s, "/ingest?name=app&from=0", "a 1\n", 422, "the profile's time is the beginning of");
    post(&s, "/ingest?name=app&format=trie", "a 1\n", 400, "there is no format 'trie'");
    post(&s, "/ingest?name=app", "", 422, "there is no profile");
    post(&s, "/ingest?name=app", "a one\n", 422, "line 1: ");
    post(&s, "/ingest?name=app&format=pprof", "no protobuf", 422, "byte ");
    expect(&s, "POST", "/ingest?name=app", "Content-Encoding: br\r\n", flm_bytes_of("a 1\n"), 415,
           "Content-Encoding");
    expect(&s, "POST", "/ingest?name=app", "Content-Type: multipart/form-data; boundary=x\r\n",
           flm_bytes_of("--x\r\nContent-Disposition: form-data; name=\"y\"\r\n\r\n\r\n--x--"), 422,
           "there is no part 'profile'");
    get(&s, "/api/v1/services", 200, "{\"services\": []}");
    stop(&s);
}

static struct flm_text pprof_of(const char *folded)
{
    struct flm_load_options load = {.size = sizeof load, .format = "folded"};
    struct flm_save_options save = {.size = sizeof save, .format = "pprof"};
    struct flm_text out = {0};
    struct flm_profile *p = flm_load_memory(folded, strlen(folded), &load, NULL);
    assert_non_null(p);
    assert_true(flm_save_stream(p, flm_text_sink, &out, &save, NULL));
    flm_profile_free(p);
    return out;
}

static void pprof_is_ingested_raw_compressed_and_in_parts(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
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
    get(&s, FOLDED "&selector=service%3D~'raw|twice|parts'", 200, "main;work 15\n");
    flm_text_clear(&raw);
    flm_text_clear(&twice);
    flm_text_clear(&parts);
    stop(&s);
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
    struct served s = start((struct flm_serve_options){0});
    struct flm_text profile = pprof_of("main;work 5\n"), text = {0};
    struct flm_text request = push_request((struct flm_bytes){profile.at, profile.size}, "wire");
    expect(&s, "POST", path, proto, (struct flm_bytes){request.at, request.size}, 200, "");
    flm_text_puts(&text, "{\"series\": [{\"samples\": [{\"rawProfile\": \"");
    flm_base64_add(&text, (struct flm_bytes){profile.at, profile.size});
    flm_text_puts(&text, "\", \"ID\": \"x\"}], \"labels\": [{\"name\": \"service_name\", "
                         "\"value\": \"json\"}]}]}");
    expect(&s, "POST", path, json, (struct flm_bytes){text.at, text.size}, 200, "{}");
    get(&s, "/api/v1/services", 200, "{\"services\": [\"json\", \"wire\"]}");
    get(&s, FOLDED, 200, "main;work 10\n");
    expect(&s, "POST", path, "", flm_bytes_of(""), 415, "{\"code\": ");
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
    get(&s, FOLDED, 200, "main;work 10\n");
    flm_text_clear(&profile);
    flm_text_clear(&request);
    flm_text_clear(&text);
    stop(&s);
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
    struct served s = start((struct flm_serve_options){0});
    expect(&s, "POST", "/v1development/profiles", json, flm_bytes_of(request), 200, "{}");
    get(&s, "/api/v1/services", 200, "{\"services\": [\"one\", \"two\"]}");
    get(&s, "/api/v1/values?label=k8s_pod_name", 200, "{\"values\": [\"p1\"]}");
    get(&s, FOLDED "&selector=service%3Dtwo", 200, "main 7\n");
    /* The same as Protocol Buffers: behind its size, which is 2 bytes here. */
    assert_true(flm_otlp_from_json(&source, &message, NULL));
    assert_true(message.size > 130 && message.size < 16000);
    struct flm_bytes wire = {message.at + 2, message.size - 2};
    expect(&s, "POST", "/v1/profiles", proto, wire, 200, "");
    get(&s, FOLDED "&selector=service%3Done", 200, "main 10\n");
    expect(&s, "POST", "/v1/profiles", json, flm_bytes_of("{\"resourceProfiles\": 1"), 400,
           "{\"code\": 3, \"message\": ");
    wire.size--;
    expect(&s, "POST", "/v1/profiles", proto, wire, 400, "\x08\x03\x12");
    get(&s, FOLDED "&selector=service%3Done", 200, "main 10\n");
    flm_text_clear(&message);
    stop(&s);
}

/* 1,024 in a request, and what is read of a dictionary that many resources share. */
static void how_much_a_request_may_make_of_its_bytes_is_bounded(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n",
                      proto[] = "Content-Type: application/proto\r\n",
                      push[] = "/push.v1.PusherService/Push";
    (void)state;
    struct served s = start((struct flm_serve_options){.most_body = 1 << 20});
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
    get(&s, FOLDED, 200, "main 50\n");
    flm_text_clear(&profile);
    flm_text_clear(&text);
    flm_text_clear(&series);
    flm_text_clear(&inner);
    stop(&s);
}

static void the_profiles_of_an_event_of_datadog_are_a_series(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
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
    get(&s, "/api/v1/labels", 200, "{\"labels\": [\"env\", \"host\", \"service_name\"]}");
    get(&s,
        FOLDED "&selector=service%3Ddd+host%3D'h:1'&from=2025-11-28T10:05&until="
               "2025-11-28T10:06",
        200, "main;wait 5\n");
    parts.size = without_event;
    flm_text_puts(&parts, "\r\n--b--\r\n");
    expect(&s, "POST", "/profiling/v1/input", type, (struct flm_bytes){parts.at, parts.size}, 400,
           "there is no part 'event'");
    flm_text_clear(&wall);
    flm_text_clear(&parts);
    stop(&s);
}

/* ---- Our own --------------------------------------------------------------------------------- */

static void a_flm_file_comes_back_as_it_was_pushed(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    struct flm_load_options load = {.size = sizeof load};
    struct flm_text file = {0};
    struct flm_profile *p = flm_load_memory("main;a 3\nmain;b 4\n", 18, &load, NULL);
    assert_true(flm_profile_write(p, flm_text_sink, &file));
    flm_profile_free(p);
    expect(&s, "POST", "/api/v1/push?service=api&label=host=a=b&time=2025-11-28T10:05", "",
           (struct flm_bytes){file.at, file.size}, 200, "{}");
    post(&s, "/api/v1/push?service=api&time=2025-11-28T10:10", "main;b 2\n", 200, "{}");
    post(&s, "/api/v1/push?service=api&label=x", "main;b 2\n", 400, "{\"error\": \"label is KEY");
    post(&s, "/api/v1/push?servce=api", "main;b 2\n", 400, "{\"error\": \"there is no parameter");
    get(&s,
        "/api/v1/merge?format=difffolded&compare=2025-11-28T10:05..2025-11-28T10:06"
        "&from=2025-11-28T10:10",
        200, "main;a 3 0\nmain;b 4 2\n");
    get(&s, FOLDED "&apply=hide:main", 200, "a 3\nb 6\n");
    get(&s, "/api/v1/timeline?type=samples&from=2025-11-28T10:04&until=2025-11-28T10:12&step=120",
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
    stop(&s);
}

static void queries_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    get(&s, FOLDED "&selector=service", 400, "{\"error\": ");
    get(&s, FOLDED "&from=-1h&until=-2h", 400, "{\"error\": \"the range of time ends");
    get(&s, FOLDED "&from=x", 400, "{\"error\": ");
    get(&s, "/api/v1/merge?compare=x", 400, "{\"error\": \"compare is FROM..UNTIL");
    get(&s, "/api/v1/values", 400, "{\"error\": \"the parameter 'label' is missing");
    get(&s, "/api/v1/timeline?type=cpu&from=0", 400, "{\"error\": \"a timeline has");
    get(&s, "/api/v1/timeline?type=cpu&from=-1h&step=-1", 400, "{\"error\": \"a step is a number");
    get(&s, "/api/v1/timeline?type=cpu&from=-1h&step=inf", 400, "{\"error\": ");
    get(&s, "/api/v1/timeline?type=cpu&from=-1h&step=x", 400, "{\"error\": \"the parameter 'step'");
    get(&s, "/api/v1/services?from=-1h", 400, "{\"error\": \"there is no parameter 'from': this");
    get(&s, "/api/v1/values?label=a&selector=b", 400, "{\"error\": \"there is no parameter");
    get(&s, "/api/v1/series?from=-1h", 400, "{\"error\": \"there is no parameter 'from', only sel");
    get(&s, "/api/v1/merge?form=folded", 400, "{\"error\": \"there is no parameter 'form', only");
    get(&s, FOLDED "&compare=-2h..-1h", 400, "{\"error\": \"folded stacks hold one side");
    get(&s, "/api/v1/merge?format=difffolded", 400, "{\"error\": \"difffolded takes compare");
    /* Nanoseconds and bytes are not added up. */
    post(&s, "/ingest?name=a&from=now-10m", "main 1\n", 200, "");
    post(&s, "/ingest?name=a&from=now-10m&units=bytes", "main 1\n", 200, "");
    get(&s, "/api/v1/timeline?from=-1h&step=3600", 400,
        "{\"error\": \"a timeline is of one type: give one of cpu:ns, space:bytes as");
    get(&s, "/api/v1/timeline?from=-1h&type=space&step=3600", 200, "{\"from_ms\": ");
    get(&s, "/api/v2/merge", 404, "{\"error\": ");
    expect(&s, "DELETE", "/api/v1/merge", "", flm_bytes_of(""), 405,
           "{\"error\": \"this path does not accept DELETE\"}");
    stop(&s);
}

/* What Grafana's data source asks, in JSON; times are 10 minutes around the one of the profiles. */
static void grafana_reads_types_labels_graphs_and_series(void **state)
{
#define QUERIER "/querier.v1.QuerierService/"
#define RANGE "\"start\": 1764324000000, \"end\": \"1764324600000\""
#define CPU "\"profileTypeID\": \"process_cpu:cpu:nanoseconds:cpu:nanoseconds\", "
    static const char json[] = "Content-Type: application/json\r\n";
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    post(&s, "/ingest?name=api%7Bpod=p1%7D&from=1764324300",
         "main;work;read 10\nmain;work 20\nmain;idle 5\n", 200, "");
    post(&s, "/ingest?name=api%7Bpod=p%222%7D&from=1764324330", "main;work 1\n", 200, "");
    post(&s, "/ingest?name=heap&units=bytes&from=1764324300", "a 7\n", 200, "");
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
    stop(&s);
}

/* In Protocol Buffers: a pprof, which is read back, and a flame graph. */
static void querier_answers_in_the_wire_format(void **state)
{
    static const char proto[] = "Content-Type: application/proto\r\n";
    struct flm_text request = {0};
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    post(&s, "/ingest?name=api&from=1764324300", "main;work 2\nmain 1\n", 200, "");
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
    stop(&s);
}

static void it_says_how_it_is(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    post(&s, "/ingest?name=a", "a 1\n", 200, "");
    post(&s, "/ingest?name=a&from=now", "a\n", 422, "");
    get(&s, "/nothing", 404, "");
    get(&s, "/healthz", 200, "ok\n");
    get(&s, "/readyz", 200, "ready\n");
    struct http_answer a = http_ask(s.port, "GET", "/metrics", "", flm_bytes_of(""));
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.all.at, "\nflamel_profiles_total 1\n"));
    assert_non_null(strstr(a.all.at, "\nflamel_refused_profiles_total 1\n"));
    assert_non_null(strstr(a.all.at, "\nflamel_requests_total{status=\"4xx\"} 2\n"));
    assert_non_null(strstr(a.all.at, "\nflamel_compacted_segments_total 0\n"));
    assert_non_null(strstr(a.all.at, "\nflamel_pending_batches 1\n"));
    flm_text_clear(&a.all);
    stop(&s);
}

/* ---- Safety ---------------------------------------------------------------------------------- */

static void other_machines_may_ask_only_with_tokens(void **state)
{
    struct flm_error why = {0};
    char folder[] = "/tmp/flamel-serve-XXXXXX";
    struct flm_serve_options o = {.size = sizeof o, .folder = folder, .host = "0.0.0.0"};
    (void)state;
    assert_non_null(mkdtemp(folder)); /* and it is not made again where the server cannot start */
    assert_int_equal(rmdir(folder), 0);
    assert_null(flm_serve_start(&o, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "--token-file"));
    assert_int_not_equal(access(o.folder, F_OK), 0);
    o.tokens = "# none\n";
    assert_null(flm_serve_start(&o, &why));
    struct served s = start((struct flm_serve_options){0});
    o = (struct flm_serve_options){.size = sizeof o, .folder = folder, .port = s.port};
    assert_null(flm_serve_start(&o, &why));
    assert_non_null(strstr(why.text, "cannot listen on 127.0.0.1"));
    assert_int_not_equal(access(folder, F_OK), 0);
    stop(&s);
}

static void rights_are_separate_and_tenants_are_apart(void **state)
{
    char token[4][FLM_SERVE_TOKEN_SIZE], line[FLM_SERVE_LINE_SIZE], bearer[4][400];
    static const char *const rights[] = {"write", "read", "read,write", "read"};
    struct flm_text file = {0};
    struct flm_error why;
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_true(flm_serve_new_token(rights[i], i >= 2 ? "web" : NULL, token[i], line, &why));
        flm_text_puts(&file, line);
        snprintf(bearer[i], sizeof bearer[i], "Authorization: Bearer %s\r\n", token[i]);
    }
    flm_text_putc(&file, 0);
    struct served s = start((struct flm_serve_options){.tokens = file.at});
    struct flm_bytes a = flm_bytes_of("a 1\n"), none = flm_bytes_of("");
    get(&s, "/healthz", 200, "ok");
    get(&s, "/metrics", 401, "");
    expect(&s, "GET", "/metrics", bearer[1], none, 200, "# HELP");
    expect(&s, "GET", "/metrics", bearer[3], none, 403, "this is of all tenants");
    post(&s, "/ingest?name=x", "a 1\n", 401, "this needs a token");
    expect(&s, "POST", "/ingest?name=x", bearer[1], a, 403, "the token has no right");
    expect(&s, "POST", "/ingest?name=x", bearer[0], a, 200, "");
    expect(&s, "GET", "/api/v1/services", bearer[0], none, 403, "{\"error\"");
    expect(&s, "GET", "/api/v1/services", bearer[1], none, 200, "{\"services\": [\"x\"]}");
    expect(&s, "POST", "/ingest?name=y", bearer[2], a, 200, "");
    expect(&s, "GET", "/api/v1/services", bearer[3], none, 200, "{\"services\": [\"y\"]}");
    char both[500];
    snprintf(both, sizeof both, "%sX-Scope-OrgID: web\r\n", bearer[1]);
    expect(&s, "GET", "/api/v1/services", both, none, 200, "{\"services\": [\"y\"]}");
    snprintf(both, sizeof both, "%sX-Scope-OrgID: shop\r\n", bearer[3]);
    expect(&s, "GET", "/api/v1/services", both, none, 403,
           "{\"error\": \"the token belongs to another");
    flm_text_clear(&file);
    stop(&s);
}

static void pages_of_other_sites_get_nothing(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    struct flm_bytes a = flm_bytes_of("a 1\n");
    char own[80];
    snprintf(own, sizeof own, "Origin: http://127.0.0.1:%u\r\n", s.port);
    expect(&s, "POST", "/ingest?name=x", "Origin: https://example.org\r\n", a, 403, "cross-site");
    expect(&s, "POST", "/ingest?name=x", "Origin: null\r\n", a, 403, "cross-site");
    expect(&s, "POST", "/ingest?name=x", "Sec-Fetch-Site: cross-site\r\n", a, 403, "cross-site");
    expect(&s, "POST", "/ingest?name=x", own, a, 200, "");
    static const char *const hosts[] = {"rebound.example", "127.evil.example", "127.0.0.1.evil"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        char request[200];
        snprintf(request, sizeof request,
                 "GET /api/v1/services HTTP/1.1\r\nHost: %s:%u\r\nConnection: close\r\n\r\n",
                 hosts[i], s.port);
        struct flm_text answer = http_exchange(s.port, flm_bytes_of(request));
        assert_non_null(strstr(answer.at, "HTTP/1.1 403"));
        flm_text_clear(&answer);
    }
    struct flm_text answer = http_exchange(s.port, flm_bytes_of("GET /healthz HTTP/1.0\r\n\r\n"));
    assert_non_null(strstr(answer.at, " 200 "));
    flm_text_clear(&answer);
    stop(&s);
}

static void bodies_are_bounded_before_and_after_decompression(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){.most_body = 1 << 20});
    struct flm_text zeros = {0}, bomb = {0};
    flm_text_repeat(&zeros, ' ', 8 << 20);
    assert_true(flm_gzip((struct flm_bytes){zeros.at, zeros.size}, 6, &bomb, NULL));
    /* What was decompressed of one is given back: the budget of all is 8 MiB. */
    for (int i = 0; i < 5; i++)
        expect(&s, "POST", "/ingest?name=x", "Content-Encoding: gzip\r\n",
               (struct flm_bytes){bomb.at, bomb.size}, 413, "this is more than 4 MiB");
    zeros.size = 3 << 20;
    bomb.size = 0;
    assert_true(flm_gzip((struct flm_bytes){zeros.at, zeros.size}, 6, &bomb, NULL));
    for (int i = 0; i < 5; i++)
        expect(&s, "POST", "/api/v1/push", "", (struct flm_bytes){bomb.at, bomb.size}, 200, "");
    struct flm_text answer =
        http_exchange(s.port, flm_bytes_of("POST /ingest?name=x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                           "Content-Length: 2000000\r\nConnection: close\r\n\r\n"));
    assert_non_null(strstr(answer.at, "HTTP/1.1 413"));
    flm_text_clear(&answer);
    post(&s, "/ingest?name=x", "a 1\n", 200, "");
    flm_text_clear(&zeros);
    flm_text_clear(&bomb);
    stop(&s);
}

static void too_many_series_are_refused_and_known_ones_go_on(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n";
    (void)state;
    struct served s = start((struct flm_serve_options){.most_series = 2});
    /* What is refused is not counted: for its time, for a label, for one series too many. */
    post(&s, "/ingest?name=old&from=4000000000", "a 1\n", 422, "the profile's time is ");
    struct flm_text long_one = {0}, three = {0};
    flm_text_puts(&long_one, "/ingest?name=long%7Ba=");
    flm_text_repeat(&long_one, 'x', 3000);
    flm_text_puts(&long_one, "%7D");
    flm_text_putc(&long_one, 0);
    post(&s, long_one.at, "a 1\n", 400, "");
    struct flm_text profile = pprof_of("main;work 5\n");
    for (int i = 0; i < 3; i++) {
        flm_text_format(&three,
                        "%s{\"labels\": [{\"name\": \"service_name\", \"value\": \"p%u\"}]"
                        ", \"samples\": [{\"rawProfile\": \"",
                        i == 0 ? "{\"series\": [" : ", ", (unsigned)i);
        flm_base64_add(&three, (struct flm_bytes){profile.at, profile.size});
        flm_text_puts(&three, i == 2 ? "\"}]}]}" : "\"}]}");
    }
    expect(&s, "POST", "/push.v1.PusherService/Push", json,
           (struct flm_bytes){three.at, three.size}, 429, "{\"code\": \"resource_exhausted\"");
    flm_text_clear(&long_one);
    flm_text_clear(&three);
    flm_text_clear(&profile);
    post(&s, "/ingest?name=x%7Bid=1%7D", "a 1\n", 200, "");
    post(&s, "/ingest?name=x%7Bid=2%7D", "a 1\n", 200, "");
    post(&s, "/ingest?name=x%7Bid=3%7D", "a 1\n", 429, "there are 2 series already");
    post(&s, "/ingest?name=x%7Bid=1%7D", "a 1\n", 200, "");
    expect(&s, "POST", "/ingest?name=x%7Bid=3%7D", "X-Scope-OrgID: other\r\n",
           flm_bytes_of("a 1\n"), 200, "");
    stop(&s);
}

static void times_that_are_not_kept_are_refused(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){.keep_ms = 3600 * 1000});
    post(&s, "/ingest?name=x&from=now-30m", "a 1\n", 200, "");
    post(&s, "/ingest?name=x&from=now-3h", "a 1\n", 422, "the profile is 3 hours old");
    post(&s, "/ingest?name=x&from=4000000000", "a 1\n", 422, "the profile's time is ");
    post(&s, "/api/v1/push?service=x&time=0", "a 1\n", 422, "{\"error\": \"the profile is ");
    stop(&s);
}

/* Connections that say nothing, or half of a request, keep nobody out, and do not keep the server
 * from ending. */
static void silent_and_half_open_clients_keep_nobody_out(void **state)
{
    (void)state;
    struct served s = start((struct flm_serve_options){0});
    int silent[100];
    for (int i = 0; i < 100; i++) {
        static const char half[] = "POST /ingest?name=x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                   "Content-Length: 100\r\n\r\na 1";
        silent[i] = http_connect(s.port);
        assert_true(silent[i] >= 0);
        if (i % 2)
            assert_int_equal(send(silent[i], half, sizeof half - 1, MSG_NOSIGNAL), sizeof half - 1);
    }
    post(&s, "/ingest?name=y", "a 1\n", 200, "");
    get(&s, "/api/v1/services", 200, "{\"services\": [\"y\"]}");
    struct flm_error why;
    assert_true(flm_serve_stop(s.serve, &why));
    s.serve = NULL;
    for (int i = 0; i < 100; i++)
        close(silent[i]);
    stop(&s);
}

/* ---- Durability ------------------------------------------------------------------------------ */

/* A child serves, and is killed while it is asked; what it has acknowledged is there afterward,
 * once. Stacks have the number of their request, so that each can be found. */
static void nothing_acknowledged_is_lost_or_doubled(void **state)
{
    (void)state;
    struct flm_error why = {0};
    char folder[] = "/tmp/flamel-serve-XXXXXX", command[100];
    unsigned char acknowledged[2000] = {0};
    assert_non_null(mkdtemp(folder));
    unsigned next = 0;
    for (int round = 0; round < 8; round++) {
        int pipes[2];
        uint16_t port = 0;
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            const struct flm_serve_options o = {.size = sizeof o, .folder = folder};
            struct flm_serve *serve = flm_serve_start(&o, &why);
            unsigned number = 0;
            if (serve)
                sscanf(flm_serve_url(serve), "http://127.0.0.1:%u/", &number);
            port = (uint16_t)number;
            if (write(pipes[1], &port, sizeof port) != sizeof port)
                _exit(1);
            for (;;)
                pause();
        }
        assert_int_equal(read(pipes[0], &port, sizeof port), sizeof port);
        assert_int_not_equal(port, 0);
        close(pipes[0]);
        close(pipes[1]);
        unsigned last = next + 20 + 13 * (unsigned)round;
        for (; next <= last; next++) {
            char body[32];
            snprintf(body, sizeof body, "main;r%u 1\n", next);
            if (next == last) {
                /* The last one is under way when the server ends: it may be there or not. */
                int file = http_connect(port);
                char request[200];
                snprintf(request, sizeof request,
                         "POST /api/v1/push?service=s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                         "Content-Length: %zu\r\n\r\n%s",
                         strlen(body), body);
                assert_true(send(file, request, strlen(request), MSG_NOSIGNAL) > 0);
                kill(child, SIGKILL);
                close(file);
                acknowledged[next] = 2;
            } else {
                struct http_answer a =
                    http_ask(port, "POST", "/api/v1/push?service=s", "", flm_bytes_of(body));
                assert_int_equal(a.status, 200);
                acknowledged[next] = 1;
                flm_text_clear(&a.all);
            }
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    const struct flm_store_options must = {.size = sizeof must, .must_exist = true};
    struct flm_store *store = flm_store_open(folder, &must, &why);
    if (!store)
        fail_msg("%s", why.text);
    const struct flm_store_query all = {.size = sizeof all, .until_ms = INT64_MAX};
    struct flm_profile *p = flm_store_merge(store, &all, &why);
    assert_non_null(p);
    const double *self = flm_profile_self(p, (struct flm_metric){0});
    for (uint32_t n = 1; n < flm_profile_node_count(p); n++) {
        const struct flm_frame_record *frame =
            flm_profile_frame(p, (struct flm_frame){flm_profile_frames(p)[n]});
        struct flm_name name = flm_profile_string(p, (struct flm_string){frame->function});
        if (name.size < 2 || name.at[0] != 'r')
            continue;
        unsigned number = 0;
        for (size_t i = 1; i < name.size; i++)
            number = 10 * number + (unsigned)(name.at[i] - '0');
        assert_true(number < next);
        assert_true(self[n] == 1);
        assert_int_not_equal(acknowledged[number], 0);
        acknowledged[number] = 0;
    }
    for (unsigned i = 0; i < next; i++)
        assert_int_not_equal(acknowledged[i], 1);
    flm_profile_free(p);
    flm_store_close(store);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
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
        cmocka_unit_test(the_profiles_of_an_event_of_datadog_are_a_series),
        cmocka_unit_test(a_flm_file_comes_back_as_it_was_pushed),
        cmocka_unit_test(queries_that_cannot_be_are_refused),
        cmocka_unit_test(grafana_reads_types_labels_graphs_and_series),
        cmocka_unit_test(querier_answers_in_the_wire_format),
        cmocka_unit_test(it_says_how_it_is),
        cmocka_unit_test(other_machines_may_ask_only_with_tokens),
        cmocka_unit_test(rights_are_separate_and_tenants_are_apart),
        cmocka_unit_test(pages_of_other_sites_get_nothing),
        cmocka_unit_test(bodies_are_bounded_before_and_after_decompression),
        cmocka_unit_test(too_many_series_are_refused_and_known_ones_go_on),
        cmocka_unit_test(times_that_are_not_kept_are_refused),
        cmocka_unit_test(silent_and_half_open_clients_keep_nobody_out),
        cmocka_unit_test(nothing_acknowledged_is_lost_or_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
