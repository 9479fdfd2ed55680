/* pyroscope.c - POST /ingest, as the clients of Pyroscope push.
 *
 *     /ingest?name=app{region=eu,pod=p1}&from=1795159934&until=1795159937&format=pprof
 *
 * `name` is the service with its labels, whose names and values have no rules but that , = { }
 * end them. The body is what `format` says: folded stacks (also "groups"), lines (a stack a line),
 * pprof, jfr, speedscope; or multipart, with the profile in the part "profile" ("jfr"). A pprof is
 * recognized by its bytes whatever the format is. */
#include "base/number/number.h"
#include "flamel/algebra.h"
#include "os/clock.h"
#include "serve/core/arrival.h"
#include "serve/http/body.h"
#include "serve/http/multipart.h"
#include "serve/ingest/ingest.h"
#include "store/labels/series_labels.h"
#include "store/labels/time_text.h"

/* ---- Parameters ------------------------------------------------------------------------------ */

/* app{region=eu,pod=p1} */
static bool add_name(struct flm_arrivals *arrivals, struct flm_bytes name, struct flm_error *why)
{
    const char *brace = memchr(name.at, '{', name.size);
    struct flm_bytes app = {name.at, brace ? (size_t)(brace - name.at) : name.size};
    struct flm_bytes rest = flm_bytes_from(name, app.size + (brace != NULL));
    if (brace && (rest.size == 0 || rest.at[rest.size - 1] != '}'))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the labels in the parameter 'name' have no end: it is APP{KEY=VALUE,"
                             "KEY=VALUE}");
    rest.size -= brace != NULL;
    while (rest.size > 0) {
        const char *comma = memchr(rest.at, ',', rest.size);
        struct flm_bytes pair = {rest.at, comma ? (size_t)(comma - rest.at) : rest.size};
        const char *equals = memchr(pair.at, '=', pair.size);
        rest = flm_bytes_from(rest, pair.size + (comma != NULL));
        if (!equals)
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "a label in the parameter 'name' is KEY=VALUE, not '%.*s'",
                                 (int)pair.size, pair.at);
        size_t size = (size_t)(equals - pair.at);
        struct flm_bytes value = flm_bytes_trimmed(flm_bytes_from(pair, size + 1));
        flm_arrival_label(arrivals, flm_bytes_trimmed((struct flm_bytes){pair.at, size}), value);
    }
    flm_arrival_label(arrivals, flm_bytes_of(FLM_STORE_SERVICE), flm_bytes_trimmed(app));
    return true;
}

/* Seconds, milliseconds, microseconds or nanoseconds, by their size; 20261128; now-1h. */
static bool read_time(const char *text, int64_t *time_ms, struct flm_error *why)
{
    uint64_t number;
    if (flm_number_parse_uint(flm_bytes_of(text), &number)) {
        if (strlen(text) == 8) {
            char date[11] = {text[0], text[1], text[2], text[3], '-', text[4],
                             text[5], '-',     text[6], text[7], '\0'};
            return flm_time_parse(flm_bytes_of(date), flm_wall_ms(), time_ms, why);
        }
        while (number > (uint64_t)10000000000000)
            number /= 1000;
        *time_ms = (int64_t)(number < 100000000000 ? number * 1000 : number);
        return true;
    }
    return flm_time_parse(flm_bytes_of(text), flm_wall_ms(), time_ms, why);
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* Stacks as text have a number; `units` and `sampleRate` say what it is of. */
static struct flm_profile *with_metric(const struct flm_http_request *request,
                                       struct flm_profile *profile, struct flm_error *why)
{
    static const struct {
        const char *units, *name, *unit;
    } known[] = {{"samples", "cpu", "ns"},
                 {"bytes", "space", "bytes"},
                 {"objects", "objects", "count"},
                 {"lock_nanoseconds", "delay", "ns"},
                 {"lock_samples", "contentions", "count"},
                 {"goroutines", "goroutine", "count"}};
    const char *units = flm_http_parameter(request, "units");
    const char *rate = flm_http_parameter(request, "sampleRate");
    double weights[1] = {1}, hertz = 100;
    struct flm_profile *made = NULL;
    size_t i = 0;
    while (units && i < sizeof known / sizeof known[0] && strcmp(known[i].units, units) != 0)
        i++;
    bool is_known = i < sizeof known / sizeof known[0];
    struct flm_combination column = {is_known ? known[i].name : units,
                                     is_known ? known[i].unit : "count", weights};
    enum flm_number_kind kind =
        rate ? flm_number_parse(flm_bytes_of(rate), &hertz) : FLM_NUMBER_INTEGER;
    if (kind == FLM_NUMBER_NONE || kind == FLM_NUMBER_SPECIAL || !(hertz > 0) || hertz > 1e9) {
        flm_error_set(why, FLM_ERROR_USAGE,
                      "the parameter 'sampleRate' is a number above 0, not '%s'", rate);
    } else if (flm_profile_metric_count(profile) == 1) {
        if (i == 0)
            weights[0] = 1e9 / hertz;
        made = flm_combine(profile, &column, 1, why);
    } else {
        return profile;
    }
    flm_profile_free(profile);
    return made;
}

/* A stack a line, without a number: each counts 1. */
static bool count_lines(struct flm_bytes text, struct flm_text *out)
{
    while (text.size > 0) {
        const char *end = memchr(text.at, '\n', text.size);
        struct flm_bytes line = {text.at, end ? (size_t)(end - text.at) : text.size};
        text = flm_bytes_from(text, line.size + (end != NULL));
        line = flm_bytes_trimmed(line);
        if (line.size == 0)
            continue;
        flm_text_add(out, line);
        flm_text_puts(out, " 1\n");
    }
    return !out->failed;
}

static struct flm_profile *read_text(struct flm_serving *s, const struct flm_http_request *request,
                                     struct flm_bytes bytes, bool is_lines, struct flm_error *why)
{
    struct flm_text counted = {0};
    struct flm_profile *profile = NULL;
    if (is_lines && !count_lines(bytes, &counted))
        flm_error_memory(why);
    else
        profile = flm_arrival_read_folded(
            s, is_lines ? (struct flm_bytes){counted.at, counted.size} : bytes, why);
    flm_text_clear(&counted);
    return profile ? with_metric(request, profile, why) : NULL;
}

/* A profile of the protocol of pprof begins with one of its fields, which no text does. */
static bool is_pprof(struct flm_bytes bytes)
{
    return flm_body_is_compressed(bytes) || (bytes.size > 0 && bytes.at[0] == '\x0A');
}

static struct flm_profile *read_profile(struct flm_serving *s,
                                        const struct flm_http_request *request,
                                        struct flm_bytes bytes, struct flm_error *why)
{
    const char *format = flm_http_parameter(request, "format");
    if (!format)
        format = "";
    if (strcmp(format, "jfr") == 0 || strcmp(format, "speedscope") == 0)
        return flm_arrival_read(s, bytes, format, why);
    if (strcmp(format, "pprof") == 0 || is_pprof(bytes))
        return flm_arrival_read(s, bytes, "pprof", why);
    bool is_lines = strcmp(format, "lines") == 0;
    if (is_lines || *format == 0 || strcmp(format, "groups") == 0 ||
        strcmp(format, "folded") == 0 || strcmp(format, "collapsed") == 0) {
        return read_text(s, request, bytes, is_lines, why);
    }
    flm_error_set(why, FLM_ERROR_USAGE,
                  "there is no format '%s': there are folded, lines, pprof, jfr and speedscope",
                  format);
    return NULL;
}

/* The part with the profile. The configuration of its types, which names what pprof has by itself,
 * and labels of spans in JFR are ignored. */
static bool find_part(const struct flm_http_request *request, struct flm_bytes *bytes,
                      struct flm_error *why)
{
    struct flm_multipart multipart;
    struct flm_part part;
    bool found = false;
    if (!flm_multipart_init(&multipart, flm_http_header(request, "Content-Type"), *bytes, why))
        return false;
    while (flm_multipart_next(&multipart, &part)) {
        if (flm_bytes_are(part.name, "prev_profile"))
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "profiles with a previous one (prev_profile) are of clients that "
                                 "are not supported any more: use a newer one");
        if (flm_bytes_are(part.name, "profile") || flm_bytes_are(part.name, "jfr")) {
            *bytes = part.bytes;
            found = true;
        }
    }
    if (multipart.failed)
        return false;
    return found || flm_error_set(why, FLM_ERROR_FORMAT, "there is no part 'profile'");
}

/* ---- The request ----------------------------------------------------------------------------- */

static unsigned ingest(struct flm_arrivals *arrivals, const struct flm_http_request *request,
                       struct flm_bytes bytes, struct flm_error *why)
{
    const char *name = flm_http_parameter(request, "name");
    const char *from = flm_http_parameter(request, "from");
    int64_t time_ms = flm_wall_ms();
    if (!name || !*name || *name == '{') {
        flm_error_set(why, FLM_ERROR_USAGE, "the parameter 'name' is missing: it is the service");
        return 400;
    }
    if (from && !read_time(from, &time_ms, why))
        return 400;
    if (flm_http_has_type(request, "multipart/form-data") && !find_part(request, &bytes, why))
        return 422;
    struct flm_profile *profile = read_profile(arrivals->serving, request, bytes, why);
    /* What a parameter has wrong is 400; the profile: 422. */
    if (!profile)
        return why->kind == FLM_ERROR_USAGE ? 400 : flm_status_of(why, 422);
    if (!flm_arrivals_add(arrivals, profile, time_ms, why))
        return flm_status_of(why, 422);
    if (!add_name(arrivals, flm_bytes_of(name), why))
        return 400;
    const char *spy = flm_http_parameter(request, "spyName");
    flm_arrival_label(arrivals, flm_bytes_of("pyroscope_spy"), flm_bytes_of(spy ? spy : ""));
    flm_arrival_name(arrivals);
    return flm_arrivals_append(arrivals, why);
}

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_body body;
    struct flm_error why;
    struct flm_arrivals arrivals;
    flm_arrivals_init(&arrivals, s, request);
    if (flm_serve_body(s, request, &body, flm_fail_text, response)) {
        unsigned status = ingest(&arrivals, request, body.plain, &why);
        if (status != 200)
            flm_fail_text(request, response, status, why.text);
    }
    flm_arrivals_clear(&arrivals);
    flm_body_clear(&body);
}

const struct flm_route flm_routes_pyroscope[2] = {
    {"POST", "/ingest", FLM_RIGHT_WRITE, answer, flm_fail_text},
    {"POST", "/pyroscope/ingest", FLM_RIGHT_WRITE, answer, flm_fail_text},
};
