/* native.c - our own: a profile as the body, its labels as parameters.
 *
 *     POST /api/v1/push?service=api&label=region=eu&label=pod=p1&time=1795832400&id=1f0c...
 *
 * The body is a .flm file, or any of the formats below, under gzip or zstd or not. Without `time`
 * it is of the time that it says, or now.
 * With an `id` it may be sent again. */
#include "os/clock.h"
#include "serve/core/arrival.h"
#include "serve/ingest/ingest.h"
#include "store/labels/series_labels.h"
#include "store/labels/time_text.h"

static bool add_labels(struct flm_arrivals *arrivals, const struct flm_http_request *request,
                       struct flm_error *why)
{
    for (size_t i = 0; i < request->query.count; i++) {
        const char *name = request->query.at[i].name, *value = request->query.at[i].value;
        const char *equals = strchr(value, '=');
        if (strcmp(name, "service") == 0) {
            flm_arrival_label(arrivals, flm_bytes_of(FLM_STORE_SERVICE), flm_bytes_of(value));
        } else if (strcmp(name, "label") == 0) {
            if (!equals || equals == value)
                return flm_error_set(why, FLM_ERROR_USAGE,
                                     "label is KEY=VALUE, such as label=region=eu, not '%s'",
                                     value);
            flm_arrival_label(arrivals, (struct flm_bytes){value, (size_t)(equals - value)},
                              flm_bytes_of(equals + 1));
        }
    }
    return true;
}

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_body body;
    struct flm_arrivals arrivals;
    struct flm_error why;
    int64_t time_ms = FLM_ARRIVAL_NO_TIME;
    unsigned status = 400;
    flm_arrivals_init(&arrivals, s, request);
    if (!flm_serve_body(s, request, &body, flm_fail_json, response)) {
        flm_arrivals_clear(&arrivals);
        flm_body_clear(&body);
        return;
    }
    const char *time = flm_http_parameter(request, "time");
    struct flm_profile *profile =
        flm_serve_parameters(request, "service, label, time, id", &why) &&
                (!time || flm_time_parse(flm_bytes_of(time), flm_wall_ms(), &time_ms, &why))
            ? flm_arrival_read(s, body.plain, "flm pprof speedscope jfr folded", &why)
            : NULL;
    if (!profile || !flm_arrivals_add(&arrivals, profile, time_ms, &why)) {
        status = flm_status_of(&why, 400);
    } else if (add_labels(&arrivals, request, &why)) {
        const char *id = flm_http_parameter(request, "id");
        flm_arrival_name(&arrivals);
        flm_arrival_id(&arrivals, flm_bytes_of(id ? id : ""), flm_bytes_of(time ? time : ""),
                       request->body);
        status = flm_arrivals_append(&arrivals, &why);
    }
    if (status == 200) {
        response->type = "application/json";
        flm_text_puts(&response->body, "{}\n");
    } else {
        flm_fail_json(request, response, status, why.text);
    }
    flm_arrivals_clear(&arrivals);
    flm_body_clear(&body);
}

const struct flm_route flm_routes_native[1] = {
    {"POST", "/api/v1/push", FLM_RIGHT_WRITE, answer, flm_fail_json},
};
