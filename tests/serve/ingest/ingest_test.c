/* What a request with profiles leaves behind when memory runs out, by every protocol: it was
 * acknowledged and is in the store, or it is refused as what may be sent again and is not there. */
#include "serve/ingest/ingest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/encode/base64.h"
#include "flamel/file.h"
#include "format/otlp/otlp.h"
#include "serve/core/arrival.h"
#include "store/labels/series_labels.h"
#include "support/core/failures.h"
#include "support/serve/served.h"

struct asked {
    struct flm_serving serving;
    const struct flm_route *route;
    const char *type, *target; /* Content-Type; the parameter `name` or `service` */
    struct flm_bytes body;
    unsigned acknowledged;
};

static void on_appended(void *context)
{
    (void)context;
}

static bool add(struct flm_http_fields *fields, const char *name, const char *value)
{
    return flm_http_field_add(fields, flm_bytes_of(name), flm_bytes_of(value));
}

static bool ask(void *context, struct flm_error *why)
{
    struct asked *a = context;
    struct flm_http_request request = {.tenant = "", .body = a->body};
    struct flm_http_response response = {0};
    bool good = add(&request.headers, "Content-Type", a->type) &&
                add(&request.query, a->target, "app") && add(&request.query, "label", "pod=p1");
    if (good)
        a->route->answer(&a->serving, &request, &response);
    /* As the server of HTTP has it: a response that has no memory is a 503. */
    unsigned status = !good || response.body.failed ? 503 : response.status ? response.status : 200;
    unsigned answered = !good ? 503 : response.status ? response.status : 200;
    if (status != 200 && status != 503)
        fail_msg("the status is %u: %.*s", status, (int)response.body.size, response.body.at);
    if (status == 503)
        flm_error_memory(why);
    a->acknowledged += answered == 200;
    flm_http_request_clear(&request);
    flm_text_clear(&response.body);
    return status == 200;
}

static double total(struct flm_store *store)
{
    const struct flm_store_query all = {.size = sizeof all, .until_ms = INT64_MAX};
    struct flm_profile *p = flm_store_merge(store, &all, NULL);
    assert_non_null(p);
    double sum = 0;
    if (flm_profile_metric_count(p) > 0)
        sum = flm_profile_total(p, (struct flm_metric){0});
    flm_profile_free(p);
    return sum;
}

static void assert_keeps_its_word(const struct flm_route *route, const char *type,
                                  const char *target, struct flm_bytes body)
{
    struct asked a = {.route = route, .type = type, .target = target, .body = body};
    char folder[] = "/tmp/flamel-ingest-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    a.serving.store = flm_store_open(folder, NULL, NULL);
    assert_non_null(a.serving.store);
    a.serving.most_plain = 1 << 20;
    a.serving.appended = on_appended;
    atomic_store(&a.serving.decompressed.left, (size_t)2 << 20);
    flm_series_limit_init(&a.serving.series, 100, 100);
    assert_true(assert_survives_failures(ask, &a) > 10);
    assert_true(a.acknowledged >= 2);
    assert_true(total(a.serving.store) == a.acknowledged);
    assert_int_equal(atomic_load(&a.serving.count.profiles), a.acknowledged);
    assert_int_equal(atomic_load(&a.serving.decompressed.left), (size_t)2 << 20);
    flm_series_limit_clear(&a.serving.series);
    flm_store_close(a.serving.store);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void our_own_pushes_are_kept_or_refused(void **state)
{
    struct flm_text body = pprof_of("main;work 1\n");
    (void)state;
    assert_keeps_its_word(&flm_routes_native[0], "application/octet-stream", "service",
                          (struct flm_bytes){body.at, body.size});
    flm_text_clear(&body);
}

static void pushes_of_pyroscope_are_kept_or_refused(void **state)
{
    struct flm_text profile = pprof_of("main;work 1\n"), body = {0};
    (void)state;
    flm_text_puts(&body, "--b\r\nContent-Disposition: form-data; name=\"profile\"\r\n\r\n");
    flm_text_add(&body, (struct flm_bytes){profile.at, profile.size});
    flm_text_puts(&body, "\r\n--b--\r\n");
    assert_keeps_its_word(&flm_routes_pyroscope[0], "multipart/form-data; boundary=b", "name",
                          (struct flm_bytes){body.at, body.size});
    flm_text_clear(&profile);
    flm_text_clear(&body);
}

static void pushes_of_connect_are_kept_or_refused(void **state)
{
    struct flm_text profile = pprof_of("main;work 1\n"), body = {0};
    (void)state;
    flm_text_puts(&body, "{\"series\": [{\"samples\": [{\"rawProfile\": \"");
    flm_base64_add(&body, (struct flm_bytes){profile.at, profile.size});
    flm_text_puts(&body, "\"}], \"labels\": [{\"name\": \"service_name\", \"value\": \"x\"}]}]}");
    assert_keeps_its_word(&flm_routes_push[0], "application/json", "x",
                          (struct flm_bytes){body.at, body.size});
    flm_text_clear(&profile);
    flm_text_clear(&body);
}

static void pushes_of_opentelemetry_are_kept_or_refused(void **state)
{
    static const char request[] =
        "{\"resourceProfiles\": [{\"resource\": {\"attributes\": [{\"key\": \"service.name\", "
        "\"value\": "
        "{\"stringValue\": \"one\"}}]}, \"scopeProfiles\": [{\"profiles\": [{\"sampleType\": "
        "{\"typeStrindex\": 1, \"unitStrindex\": 2}, \"samples\": [{\"stackIndex\": 1, "
        "\"values\": [\"1\"]}]}]}]}], \"dictionary\": {\"mappingTable\": [{}], \"locationTable\": "
        "[{}, {\"lines\": [{\"functionIndex\": 1}]}], \"functionTable\": [{}, {\"nameStrindex\": "
        "3}], "
        "\"linkTable\": [{}], \"stringTable\": [\"\", \"cpu\", \"nanoseconds\", \"main\"], "
        "\"attributeTable\": [{}], \"stackTable\": [{}, {\"locationIndices\": [1]}]}}";
    struct flm_source source = flm_source_of(flm_bytes_of(request));
    struct flm_text message = {0};
    (void)state;
    assert_keeps_its_word(&flm_routes_otlp[0], "application/json", "x", flm_bytes_of(request));
    assert_true(flm_otlp_from_json(&source, &message, NULL));
    assert_true(message.size > 20 && message.size < 128); /* its size is a byte */
    assert_keeps_its_word(&flm_routes_otlp[0], "application/x-protobuf", "x",
                          (struct flm_bytes){message.at + 1, message.size - 1});
    flm_text_clear(&message);
}

static void pushes_of_datadog_are_kept_or_refused(void **state)
{
    struct flm_text profile = pprof_of("main;work 1\n"), body = {0};
    (void)state;
    flm_text_puts(&body, "--b\r\nContent-Disposition: form-data; name=\"wall.pprof\"; "
                         "filename=\"wall.pprof\"\r\n\r\n");
    flm_text_add(&body, (struct flm_bytes){profile.at, profile.size});
    flm_text_puts(&body,
                  "\r\n--b\r\nContent-Disposition: form-data; name=\"event\"; "
                  "filename=\"event.json\"\r\n\r\n{\"start\": \"2025-11-28T10:05:00.5Z\", "
                  "\"family\": \"node\", \"tags_profiler\": \"service:dd,env:prod\"}\r\n--b--\r\n");
    assert_keeps_its_word(&flm_routes_datadog[0], "multipart/form-data; boundary=b", "x",
                          (struct flm_bytes){body.at, body.size});
    flm_text_clear(&profile);
    flm_text_clear(&body);
}

/* The reader of a request may find millions: one more than the limit is enough to refuse them. */
static void labels_beyond_the_limits_are_not_kept(void **state)
{
    struct flm_serving serving = {.keep_ms = 0};
    struct flm_http_request request = {.tenant = ""};
    struct flm_arrivals arrivals;
    struct flm_load_options load = {.size = sizeof load, .format = "folded"};
    struct flm_text value = {0};
    char name[16];
    (void)state;
    flm_text_repeat(&value, 'x', 100000);
    struct flm_bytes longer = {value.at, value.size};
    flm_arrivals_init(&arrivals, &serving, &request);
    assert_true(flm_arrivals_add(&arrivals, flm_load_memory("a 1\n", 4, &load, NULL), 1000, NULL));
    flm_arrival_label(&arrivals, flm_bytes_of("a"), longer);
    flm_arrival_label(&arrivals, longer, flm_bytes_of("a"));
    const struct flm_http_fields *labels = &arrivals.items.at[0].labels;
    assert_int_equal(strlen(labels->at[0].value), FLM_STORE_LONGEST_VALUE + 1);
    assert_int_equal(strlen(labels->at[1].name), FLM_STORE_LONGEST_KEY + 1);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "l%d", i);
        flm_arrival_label(&arrivals, flm_bytes_of(name), flm_bytes_of("x"));
    }
    assert_int_equal(labels->count, FLM_STORE_MOST_LABELS + 1);
    flm_arrivals_clear(&arrivals);
    flm_text_clear(&value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_pushes_are_kept_or_refused),
        cmocka_unit_test(pushes_of_pyroscope_are_kept_or_refused),
        cmocka_unit_test(pushes_of_connect_are_kept_or_refused),
        cmocka_unit_test(pushes_of_opentelemetry_are_kept_or_refused),
        cmocka_unit_test(pushes_of_datadog_are_kept_or_refused),
        cmocka_unit_test(labels_beyond_the_limits_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
