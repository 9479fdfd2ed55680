/* health.c - whether the server lives and takes requests, and its counters for Prometheus. */
#include "serve/query/query_routes.h"
#include "serve/scrape/scraper.h"
#include "serve/watch/watch.h"

static void answer_health(struct flm_serving *s, const struct flm_http_request *request,
                          struct flm_http_response *response)
{
    (void)s, (void)request;
    flm_http_say(response, 200, "ok");
}

static void answer_ready(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response)
{
    (void)request;
    if (atomic_load(&s->is_ready))
        flm_http_say(response, 200, "ready");
    else
        flm_http_say(response, 503, "the server is shutting down");
}

static void put(struct flm_text *out, const char *name, const char *type, const char *help,
                unsigned long long value)
{
    flm_text_format(out, "# HELP flamel_%s %s\n# TYPE flamel_%s %s\nflamel_%s %llu\n", name, help,
                    name, type, name, value);
}

static void answer_metrics(struct flm_serving *s, const struct flm_http_request *request,
                           struct flm_http_response *response)
{
    struct flm_serve_counters *n = &s->count;
    struct flm_store_stats stats = flm_store_stats(s->store);
    struct flm_text *out = &response->body;
    (void)request;
    response->type = "text/plain; version=0.0.4; charset=utf-8";
    flm_text_puts(out, "# HELP flamel_requests_total Requests that were answered, by status.\n"
                       "# TYPE flamel_requests_total counter\n");
    for (unsigned i = 2; i < 6; i++)
        flm_text_format(out, "flamel_requests_total{status=\"%uxx\"} %llu\n", i,
                        (unsigned long long)atomic_load(&n->requests[i]));
    put(out, "profiles_total", "counter", "Profiles that are durable.", atomic_load(&n->profiles));
    put(out, "repeated_profiles_total", "counter",
        "Profiles that came before, by their id, and are not counted twice.",
        stats.repeated_batches);
    put(out, "refused_profiles_total", "counter",
        "Profiles that were refused; a request whose first one cannot be read counts 1.",
        atomic_load(&n->refused_profiles));
    put(out, "received_bytes_total", "counter", "Bytes of bodies, as they came.",
        atomic_load(&n->received_bytes));
    put(out, "decompressed_bytes_total", "counter", "Bytes of bodies, decompressed.",
        atomic_load(&n->plain_bytes));
    put(out, "seals_total", "counter", "How often the journal was sealed.", atomic_load(&n->seals));
    put(out, "compacted_segments_total", "counter",
        "By how many segments compaction made them fewer.", atomic_load(&n->compacted_segments));
    put(out, "removed_segments_total", "counter", "Segments removed because of their age.",
        atomic_load(&n->removed_segments));
    put(out, "background_failures_total", "counter",
        "Failures of sealing, compaction and retention.", atomic_load(&n->background_failures));
    put(out, "segments", "gauge", "Segments of the store.", stats.segments);
    put(out, "damaged_segments", "gauge", "Segments that are damaged and not read.",
        stats.damaged_segments);
    put(out, "segment_bytes", "gauge", "Bytes of the segments.", stats.bytes);
    put(out, "segment_values", "gauge", "Values in the segments.", stats.rows);
    put(out, "pending_batches", "gauge", "Metrics of profiles in the journal.",
        stats.pending_batches);
    put(out, "pending_memory_bytes", "gauge", "Memory that these take, about.", stats.memory_bytes);
    flm_scraper_metrics(s->scraper, out);
    flm_watch_metrics(s->watch, out);
}

const struct flm_route flm_routes_health[4] = {
    {"GET", "/healthz", FLM_RIGHT_NONE, answer_health, flm_fail_text},
    {"GET", "/readyz", FLM_RIGHT_NONE, answer_ready, flm_fail_text},
    {"GET", "/ready", FLM_RIGHT_NONE, answer_ready, flm_fail_text},
    {"GET", "/metrics", FLM_RIGHT_READ, answer_metrics, flm_fail_text, true},
};
