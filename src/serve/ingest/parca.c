/* parca.c - parca.profilestore.v1alpha1.ProfileStoreService of gRPC, as Parca's clients and its
 * agent push:
 *
 *     WriteRaw      2 series*  {1 label set {1 labels* {1 name, 2 value}}
 *                               2 samples*  {1 raw profile: pprof}}
 *     WriteArrow    1 an Arrow IPC stream of samples (parca_arrow.h)
 *
 * The service is the label service_name, or service, job, container or comm, which is what Parca's
 * agent and its scrapes have. */
#include "format/protobuf/wire_read.h"
#include "serve/core/arrival.h"
#include "serve/ingest/ingest.h"
#include "serve/ingest/parca_arrow.h"
#include "store/labels/series_labels.h"

/* ---- WriteRaw -------------------------------------------------------------------------------- */

struct label {
    struct flm_bytes name, value;
};

struct writing {
    struct flm_arrivals *arrivals;
    struct label labels[FLM_STORE_MOST_LABELS];
    size_t label_count;
    struct flm_error *why;
};

static bool is_text(struct flm_bytes text)
{
    return text.size == 0 || !memchr(text.at, 0, text.size);
}

static bool read_label(struct writing *w, struct flm_wire m)
{
    struct label label = {{"", 0}, {"", 0}};
    while (flm_wire_next(&m)) {
        if (m.field == 1 && m.type == FLM_WIRE_BYTES)
            label.name = m.bytes;
        else if (m.field == 2 && m.type == FLM_WIRE_BYTES)
            label.value = m.bytes;
    }
    if (w->label_count == FLM_STORE_MOST_LABELS)
        return flm_error_set(w->why, FLM_ERROR_FORMAT, "there are more than %d labels",
                             FLM_STORE_MOST_LABELS);
    if (!is_text(label.name) || !is_text(label.value))
        return flm_error_set(w->why, FLM_ERROR_FORMAT, "there is a NUL in a label");
    w->labels[w->label_count++] = label;
    return true;
}

static bool read_labels(struct writing *w, struct flm_wire series)
{
    struct flm_wire set, label;
    w->label_count = 0;
    while (flm_wire_next(&series))
        if (series.field == 1 && flm_wire_enter(&series, &set))
            while (flm_wire_next(&set))
                if (set.field == 1 && flm_wire_enter(&set, &label) && !read_label(w, label))
                    return false;
    return true;
}

static bool add_sample(struct writing *w, struct flm_wire m)
{
    struct flm_arrivals *arrivals = w->arrivals;
    struct flm_bytes raw = {"", 0};
    while (flm_wire_next(&m))
        if (m.field == 1 && m.type == FLM_WIRE_BYTES)
            raw = m.bytes;
    if (m.input->reason)
        return true; /* the end says it */
    struct flm_profile *profile = flm_arrival_read(arrivals->serving, raw, "pprof", w->why);
    if (!profile || !flm_arrivals_add(arrivals, profile, FLM_ARRIVAL_NO_TIME, w->why))
        return false;
    for (size_t i = 0; i < w->label_count; i++)
        flm_arrival_label(arrivals, w->labels[i].name, w->labels[i].value);
    flm_parca_service(arrivals);
    flm_arrival_name(arrivals);
    return true;
}

static bool read_series(struct writing *w, struct flm_wire series)
{
    struct flm_wire m = series, sample;
    if (!read_labels(w, series))
        return false;
    while (flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &sample) && !add_sample(w, sample))
            return false;
    return true;
}

static bool read_raw(struct flm_arrivals *arrivals, struct flm_bytes message, struct flm_error *why)
{
    struct writing w = {.arrivals = arrivals, .why = why};
    struct flm_wire_input input = flm_wire_input_of(message);
    struct flm_wire m = flm_wire_all(&input), series;
    while (flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &series) && !read_series(&w, series))
            return false;
    return flm_wire_end(&input, why);
}

/* ---- WriteArrow ------------------------------------------------------------------------------ */

static bool read_arrow(struct flm_arrivals *arrivals, struct flm_bytes message,
                       struct flm_error *why)
{
    struct flm_wire_input input = flm_wire_input_of(message);
    struct flm_wire m = flm_wire_all(&input);
    struct flm_bytes stream = {"", 0};
    while (flm_wire_next(&m))
        if (m.field == 1 && m.type == FLM_WIRE_BYTES)
            stream = m.bytes;
    return flm_wire_end(&input, why) && flm_parca_arrow_read(arrivals, stream, why);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response,
                   bool (*read)(struct flm_arrivals *arrivals, struct flm_bytes message,
                                struct flm_error *why))
{
    struct flm_body body;
    struct flm_error why;
    struct flm_arrivals arrivals;
    flm_arrivals_init(&arrivals, s, request);
    if (flm_serve_body(s, request, &body, flm_fail_text, response)) {
        bool good = read(&arrivals, body.plain, &why);
        unsigned status = good ? flm_arrivals_append(&arrivals, &why) : flm_status_of(&why, 400);
        if (status != 200)
            flm_fail_text(request, response, status, why.text);
    }
    flm_arrivals_clear(&arrivals);
    flm_body_clear(&body);
}

static void answer_raw(struct flm_serving *s, const struct flm_http_request *request,
                       struct flm_http_response *response)
{
    answer(s, request, response, read_raw);
}

static void answer_arrow(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response)
{
    answer(s, request, response, read_arrow);
}

#define STORE "/parca.profilestore.v1alpha1.ProfileStoreService/"

const struct flm_route flm_routes_parca[2] = {
    {FLM_GRPC_METHOD, STORE "WriteRaw", FLM_RIGHT_WRITE, answer_raw, flm_fail_text},
    {FLM_GRPC_METHOD, STORE "WriteArrow", FLM_RIGHT_WRITE, answer_arrow, flm_fail_text},
};
