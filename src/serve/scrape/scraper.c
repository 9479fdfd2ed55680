#include "serve/scrape/scraper.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "net/fetches.h"
#include "net/url.h"
#include "os/clock.h"
#include "serve/core/arrival.h"
#include "serve/scrape/delta.h"
#include "store/labels/series_labels.h"
#include "store/labels/time_text.h"

enum { SLACK_S = 10, LONGEST_SAID = 120 };
static const int64_t SECOND_NS = 1000000000, LONGEST_WAIT_NS = 1000000000;

/* A profile of a target. The scraper's lock guards what other threads read of it. */
struct scrape {
    const struct flm_scrape_job *job;
    const struct flm_scrape_profile *profile;
    const char *target, *instance; /* the URL, and what is behind its // */
    char *url;                     /* owned */
    int seconds;                   /* that it is recorded; 0: it is not */
    int64_t next_ns, began_ms;
    bool is_running;
    struct flm_profile *previous; /* owned; of counters */

    bool is_known, is_up; /* whether it was scraped yet, and with success */
    int64_t last_ms;      /* with success; 0: never */
    unsigned long long scrapes, failures, resets;
    struct flm_error why; /* of the last failure, while it is down */
};

struct flm_scraper {
    struct flm_serving *serving;
    struct flm_scrape_config config;
    struct flm_fetches *fetches;
    struct FLM_ARRAY(struct scrape) scrapes;
    flm_scrape_report report;
    void *report_context;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_stopping;
    pthread_mutex_t lock;
};

/* ---- What was fetched ------------------------------------------------------------------------ */

/* The first line of what a target says, as much of it as can be shown. */
static void first_line(struct flm_bytes body, char out[LONGEST_SAID])
{
    size_t size = 0;
    while (size < body.size && size + 1 < LONGEST_SAID && (unsigned char)body.at[size] >= ' ' &&
           (unsigned char)body.at[size] < 127) {
        out[size] = body.at[size];
        size++;
    }
    out[size] = 0;
}

static bool read_reply(struct flm_scraper *s, const struct flm_http_reply *reply,
                       struct flm_profile **profile, struct flm_error *why)
{
    /* cppcheck-suppress ctunullpointer ; it is NULL only where something is missing */
    struct flm_bytes body = {reply->body.at ? reply->body.at : "", reply->body.size};
    char said[LONGEST_SAID];
    if (reply->status != 200) {
        first_line(body, said);
        return flm_error_set(why, FLM_ERROR_SYSTEM, "the target answers with status %d%s%s",
                             reply->status, *said ? ": " : "", said);
    }
    *profile = flm_arrival_read_ordered(s->serving, body, "pprof", why);
    return *profile != NULL;
}

static bool append(struct flm_scraper *s, const struct scrape *x, struct flm_profile *profile,
                   struct flm_error *why)
{
    const struct flm_http_request request = {.tenant = x->job->tenant};
    const struct flm_http_fields *labels = &x->job->labels;
    struct flm_arrivals arrivals;
    /* Nothing was allocated, no mutex waited for: that is no error, and nothing to keep. */
    if (flm_profile_node_count(profile) <= 1) {
        flm_profile_free(profile);
        return true;
    }
    flm_arrivals_init(&arrivals, s->serving, &request);
    bool good = flm_arrivals_add(&arrivals, profile, x->began_ms, why);
    if (good) {
        flm_arrival_label(&arrivals, flm_bytes_of(FLM_STORE_SERVICE),
                          flm_bytes_of(x->job->service));
        for (size_t i = 0; i < labels->count; i++)
            flm_arrival_label(&arrivals, flm_bytes_of(labels->at[i].name),
                              flm_bytes_of(labels->at[i].value));
        flm_arrival_label(&arrivals, flm_bytes_of("instance"), flm_bytes_of(x->instance));
        flm_arrival_name(&arrivals);
        good = flm_arrivals_append(&arrivals, why) == 200;
    }
    flm_arrivals_clear(&arrivals);
    return good;
}

/* The profile of counters is kept when what it has more is durable: what could not be stored comes
 * with the next one. */
static bool keep(struct flm_scraper *s, struct scrape *x, struct flm_profile *profile,
                 bool *was_reset, struct flm_error *why)
{
    if (!x->profile->delta)
        return append(s, x, profile, why);
    struct flm_profile *delta = flm_delta(x->previous, profile, was_reset, why);
    if (!delta || !append(s, x, delta, why)) {
        flm_profile_free(profile);
        return false;
    }
    flm_profile_free(x->previous);
    x->previous = profile;
    return true;
}

static void say(struct flm_scraper *s, const struct scrape *x, const char *what)
{
    struct flm_error error = {0};
    flm_error_set(&error, FLM_ERROR_SYSTEM, "%s", what);
    flm_error_within(&error, x->profile->name);
    flm_error_within(&error, x->target);
    if (s->report)
        s->report(s->report_context, &error);
}

static void done(void *context, void *owner, struct flm_http_reply *reply,
                 const struct flm_error *missing)
{
    struct flm_scraper *s = context;
    struct scrape *x = owner;
    struct flm_profile *profile = NULL;
    struct flm_error why = {0};
    bool was_reset = false;
    if (missing)
        why = *missing;
    bool good =
        !missing && read_reply(s, reply, &profile, &why) && keep(s, x, profile, &was_reset, &why);
    bool changes = !good ? !x->is_known || x->is_up : x->is_known && !x->is_up;
    pthread_mutex_lock(&s->lock);
    x->is_running = false;
    x->is_known = true;
    x->is_up = good;
    x->last_ms = good ? flm_wall_ms() : x->last_ms;
    x->scrapes++;
    x->failures += !good;
    x->resets += was_reset;
    if (good)
        why = (struct flm_error){0};
    x->why = why;
    pthread_mutex_unlock(&s->lock);
    if (changes)
        say(s, x, good ? "it is scraped again" : why.text);
}

/* ---- The thread ------------------------------------------------------------------------------ */

static void start(struct flm_scraper *s, struct scrape *x, int64_t now_ns)
{
    const int64_t interval_ns = x->job->interval_ms * 1000000;
    const struct flm_http_call call = {
        .url = x->url,
        .token = x->job->token,
        .most_s = x->seconds + SLACK_S,
        .most_body = s->serving->most_plain,
    };
    struct flm_error why;
    /* After a stop of the machine what was missed is not made up for. */
    x->next_ns += interval_ns * ((now_ns - x->next_ns) / interval_ns + 1);
    x->began_ms = flm_wall_ms();
    x->is_running = true;
    if (!flm_fetches_start(s->fetches, &call, x, &why))
        done(s, x, NULL, &why);
}

/* Returns when the next one is due. */
static int64_t start_due(struct flm_scraper *s)
{
    int64_t now_ns = flm_now_ns(), next_ns = now_ns + LONGEST_WAIT_NS;
    for (size_t i = 0; i < s->scrapes.count; i++) {
        struct scrape *x = &s->scrapes.at[i];
        if (!x->is_running && x->next_ns <= now_ns)
            start(s, x, now_ns);
        if (!x->is_running && x->next_ns < next_ns)
            next_ns = x->next_ns;
    }
    return next_ns;
}

static void *run(void *context)
{
    struct flm_scraper *s = context;
    while (!atomic_load(&s->is_stopping)) {
        int64_t wait_ns = start_due(s) - flm_now_ns();
        flm_fetches_run(s->fetches, wait_ns > 0 ? (int)(wait_ns / 1000000) + 1 : 0, done, s);
    }
    return NULL;
}

/* ---- Starting -------------------------------------------------------------------------------- */

static bool make_url(struct scrape *x)
{
    struct flm_text url = {0};
    char seconds[16];
    flm_url_begin(&url, x->target, x->profile->path);
    snprintf(seconds, sizeof seconds, "%d", x->seconds);
    if (x->seconds > 0)
        flm_url_parameter(&url, "seconds", flm_bytes_of(seconds));
    flm_text_putc(&url, 0);
    x->url = url.failed ? NULL : url.at;
    if (url.failed)
        flm_text_clear(&url);
    return x->url != NULL;
}

/* Where in the interval it begins: by its address, the same at each start. All of them within ten
 * seconds, since nobody wants to wait a day to see whether it works. */
static int64_t first_ns(const struct scrape *x)
{
    const int64_t interval_ns = x->job->interval_ms * 1000000,
                  within_ns = interval_ns < 10 * SECOND_NS ? interval_ns : 10 * SECOND_NS;
    return flm_now_ns() + (int64_t)(flm_checksum(x->url, strlen(x->url)) % (uint64_t)within_ns);
}

static bool add(struct flm_scraper *s, const struct flm_scrape_job *job, const char *target,
                const struct flm_scrape_profile *profile)
{
    struct scrape x = {.job = job, .profile = profile, .target = target};
    int interval_s = (int)(job->interval_ms / 1000);
    x.instance = strstr(target, "//") + 2;
    x.seconds = !profile->seconds ? 0 : interval_s > 2 ? interval_s - 1 : 1;
    if (!make_url(&x))
        return false;
    x.next_ns = first_ns(&x);
    if (FLM_ARRAY_ADD(&s->scrapes, x))
        return true;
    free(x.url);
    return false;
}

static bool add_all(struct flm_scraper *s)
{
    for (size_t j = 0; j < s->config.count; j++) {
        const struct flm_scrape_job *job = &s->config.at[j];
        for (size_t t = 0; t < job->targets.count; t++)
            for (size_t p = 0; p < job->profiles.count; p++)
                if (!add(s, job, job->targets.at[t], &job->profiles.at[p]))
                    return false;
    }
    return true;
}

struct flm_scraper *flm_scraper_start(struct flm_serving *serving, struct flm_scrape_config *config,
                                      flm_scrape_report report, void *context,
                                      struct flm_error *why)
{
    struct flm_scraper *s = calloc(1, sizeof *s);
    if (!s) {
        flm_error_memory(why);
        return NULL;
    }
    s->serving = serving;
    s->config = *config;
    *config = (struct flm_scrape_config){0};
    s->report = report;
    s->report_context = context;
    pthread_mutex_init(&s->lock, NULL);
    s->fetches = flm_fetches_open(why);
    bool good = s->fetches != NULL;
    if (good && !add_all(s))
        good = flm_error_memory(why);
    int error = good ? pthread_create(&s->thread, NULL, run, s) : 0;
    s->has_thread = good && error == 0;
    if (error)
        flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started: %s", strerror(error));
    if (s->has_thread)
        return s;
    flm_scraper_stop(s);
    return NULL;
}

void flm_scraper_stop(struct flm_scraper *s)
{
    if (!s)
        return;
    atomic_store(&s->is_stopping, true);
    if (s->has_thread) {
        flm_fetches_wake(s->fetches);
        pthread_join(s->thread, NULL);
    }
    flm_fetches_close(s->fetches);
    for (size_t i = 0; i < s->scrapes.count; i++) {
        flm_profile_free(s->scrapes.at[i].previous);
        free(s->scrapes.at[i].url);
    }
    FLM_ARRAY_CLEAR(&s->scrapes);
    flm_scrape_config_clear(&s->config);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- What is told ---------------------------------------------------------------------------- */

void flm_scraper_list(struct flm_scraper *s, const char *tenant, struct flm_json_writer *json)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->scrapes.count; i++) {
        const struct scrape *x = &s->scrapes.at[i];
        if (strcmp(x->job->tenant, tenant) != 0)
            continue;
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "service", flm_bytes_of(x->job->service));
        flm_json_add_text(json, "target", flm_bytes_of(x->target));
        flm_json_add_text(json, "profile", flm_bytes_of(x->profile->name));
        flm_json_add_text(json, "state",
                          flm_bytes_of(!x->is_known ? "unknown"
                                       : x->is_up   ? "up"
                                                    : "down"));
        if (x->last_ms > 0)
            flm_json_add_integer(json, "last_ms", x->last_ms);
        else
            flm_json_add_null(json, "last_ms");
        flm_json_add_integer(json, "scrapes", (int64_t)x->scrapes);
        flm_json_add_integer(json, "failures", (int64_t)x->failures);
        flm_json_add_integer(json, "resets", (int64_t)x->resets);
        flm_json_add_text(json, "error", flm_bytes_of(x->why.text));
        flm_json_end(json);
    }
    pthread_mutex_unlock(&s->lock);
}

static void put_metric(struct flm_text *out, const struct flm_scraper *s, const char *name,
                       const char *type, const char *help, size_t offset, bool is_up)
{
    flm_text_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
    for (size_t i = 0; i < s->scrapes.count; i++) {
        const struct scrape *x = &s->scrapes.at[i];
        unsigned long long value = x->is_up;
        if (!is_up)
            memcpy(&value, (const char *)x + offset, sizeof value);
        flm_text_format(out, "%s{", name);
        flm_metric_label(out, "service", x->job->service);
        flm_text_putc(out, ',');
        flm_metric_label(out, "target", x->target);
        flm_text_putc(out, ',');
        flm_metric_label(out, "profile", x->profile->name);
        flm_text_format(out, "} %llu\n", value);
    }
}

void flm_scraper_metrics(struct flm_scraper *s, struct flm_text *out)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    put_metric(out, s, "flamel_scrape_up", "gauge", "1 where the last scrape succeeded.", 0, true);
    put_metric(out, s, "flamel_scrapes_total", "counter", "Scrapes that ended.",
               offsetof(struct scrape, scrapes), false);
    put_metric(out, s, "flamel_scrape_failures_total", "counter", "Scrapes that failed.",
               offsetof(struct scrape, failures), false);
    put_metric(out, s, "flamel_scrape_resets_total", "counter",
               "Scrapes whose counters fell, since the program began anew.",
               offsetof(struct scrape, resets), false);
    pthread_mutex_unlock(&s->lock);
}
