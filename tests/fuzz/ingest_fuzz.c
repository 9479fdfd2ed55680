/* Any bytes as the body of a request with profiles. The first byte says of which protocol; the
 * answer is a refusal that its clients know, without a store: no tenant may have series here. */
#include <stdlib.h>
#include <string.h>

#include "serve/ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static const struct {
    const struct flm_route *route;
    const char *type, *format;
} protocols[] = {
    {&flm_routes_push[0], "application/proto", ""},
    {&flm_routes_push[0], "application/json", ""},
    {&flm_routes_otlp[0], "application/x-protobuf", ""},
    {&flm_routes_otlp[0], "application/json", ""},
    {&flm_routes_datadog[0], "multipart/form-data; boundary=b", ""},
    {&flm_routes_pyroscope[0], "multipart/form-data; boundary=b", "pprof"},
    {&flm_routes_pyroscope[0], "application/octet-stream", "lines"},
    {&flm_routes_pyroscope[0], "application/octet-stream", "groups"},
    {&flm_routes_parca[0], "application/grpc", ""},
    {&flm_routes_parca[1], "application/grpc", ""},
};
enum { COUNT = sizeof protocols / sizeof protocols[0] };

static void appended(void *context)
{
    (void)context;
    abort(); /* there is no store */
}

static void add(struct flm_http_fields *fields, const char *name, const char *value)
{
    promise(flm_http_field_add(fields, flm_bytes_of(name), flm_bytes_of(value)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_serving s = {.most_plain = 1 << 20, .appended = appended};
    struct flm_http_request request = {.tenant = ""};
    struct flm_http_response response = {0};
    if (size == 0)
        return 0;
    unsigned protocol = data[0] % COUNT;
    atomic_store(&s.decompressed.left, (size_t)4 << 20);
    flm_series_limit_init(&s.series, 0, 0);
    add(&request.headers, "Content-Type", protocols[protocol].type);
    add(&request.query, "name", "app{pod=p1}");
    add(&request.query, "format", protocols[protocol].format);
    request.body = (struct flm_bytes){(const char *)data + 1, size - 1};
    protocols[protocol].route->answer(&s, &request, &response);
    /* 200: a request without profiles. */
    unsigned status = response.status ? response.status : 200;
    promise(status == 200 || status == 400 || status == 413 || status == 422 || status == 429);
    promise(atomic_load(&s.count.profiles) == 0);
    promise(atomic_load(&s.decompressed.left) == (size_t)4 << 20);
    flm_http_request_clear(&request);
    flm_text_clear(&response.body);
    flm_series_limit_clear(&s.series);
    return 0;
}
