#include "serve/watch/watch.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/text/json_write.h"
#include "flamel/report.h"
#include "flamel/store.h"
#include "net/http_request.h"
#include "os/clock.h"
#include "os/thread/condition.h"
#include "store/labels/series_labels.h"
#include "store/labels/time_text.h"

enum { STEPS = 60, LEAST_RUNS = 10, NEWS_STEPS = 10, WEBHOOK_S = 10 };
static const int64_t MS_NS = 1000000, LONGEST_LATE_MS = 60000, RETRY_MS = 5 * 60 * 1000;

/* A service that was looked at. */
struct watched {
    char *tenant, *service, *type; /* owned */
    uint32_t changes;              /* that have stayed */
    int64_t last_ms;               /* when the last of them was; 0: there is none */
};

struct told {
    char *key; /* owned: tenant, service and type */
    int64_t ms;
};

struct flm_watch {
    struct flm_serving *serving;
    struct flm_watch_options options;
    char *webhook; /* owned */
    struct FLM_ARRAY(struct told) told;
    bool has_looked, is_failing, has_untold;

    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    bool is_stopping;
    struct FLM_ARRAY(struct watched) watched;
};

/* What one look is at. */
struct look {
    struct flm_watch *watch;
    const char *tenant, *service;
    char type[200];
    int64_t from_ms, until_ms;
};

static void report(struct flm_watch *w, const struct flm_error *why)
{
    atomic_fetch_add(&w->serving->count.background_failures, 1);
    if (w->options.report)
        w->options.report(w->options.context, why);
}

static bool is_stopping(void *context)
{
    struct flm_watch *w = context;
    pthread_mutex_lock(&w->lock);
    bool stops = w->is_stopping;
    pthread_mutex_unlock(&w->lock);
    return stops;
}

static bool goes_on(void *context)
{
    return !is_stopping(context);
}

/* ---- Telling --------------------------------------------------------------------------------- */

/* The cells of a row of the table "changes" (report/gate/series_report.c). */
struct change {
    struct flm_name since, where;
    struct flm_name unit;
    double p, before, after;
    bool stays;
    int64_t ms;
};

static void put_quantity(struct flm_text *out, double value, struct flm_name unit)
{
    char text[96];
    flm_print_quantity(value, unit, text, sizeof text);
    flm_text_puts(out, text);
}

/* `text` is what chats show (Slack, Mattermost), the rest is for programs. */
static void write_change(const struct look *l, const struct change *c, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    struct flm_text text = {0};
    flm_text_format(&text, "%s: %s changed at %.*s: %.*s, ", l->service, l->type,
                    (int)c->since.size, c->since.at, (int)c->where.size, c->where.at);
    put_quantity(&text, c->before, c->unit);
    flm_text_puts(&text, " before, ");
    put_quantity(&text, c->after, c->unit);
    flm_text_puts(&text, " after");
    out->failed |= text.failed;
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(&json, "text", (struct flm_bytes){text.at, text.size});
    flm_json_add_text(&json, "tenant", flm_bytes_of(l->tenant));
    flm_json_add_text(&json, "service", flm_bytes_of(l->service));
    flm_json_add_text(&json, "type", flm_bytes_of(l->type));
    flm_json_add_text(&json, "since", (struct flm_bytes){c->since.at, c->since.size});
    flm_json_add_integer(&json, "since_ms", c->ms);
    flm_json_add_text(&json, "frame", (struct flm_bytes){c->where.at, c->where.size});
    flm_json_add_number(&json, "before", c->before);
    flm_json_add_number(&json, "after", c->after);
    flm_json_add_number(&json, "p", c->p);
    flm_json_end(&json);
    flm_text_clear(&text);
}

static bool post(struct flm_watch *w, const struct look *l, const struct change *c)
{
    struct flm_text body = {0};
    struct flm_http_reply reply = {.status = 0};
    struct flm_error why;
    write_change(l, c, &body);
    const struct flm_http_call call = {.url = w->webhook,
                                       .body = {body.at, body.size},
                                       .has_body = true,
                                       .type = "application/json",
                                       .most_s = WEBHOOK_S,
                                       .most_body = 65536,
                                       .waiting = goes_on,
                                       .context = w};
    bool good =
        (!body.failed || flm_error_memory(&why)) && flm_http_call(&call, &reply, &why) &&
        (reply.status / 100 == 2 ||
         flm_error_set(&why, FLM_ERROR_SYSTEM, "the webhook answers with status %d", reply.status));
    if (!good && !w->is_failing && !is_stopping(w))
        report(w, &why); /* once, until it works again */
    w->is_failing = !good;
    flm_http_reply_clear(&reply);
    flm_text_clear(&body);
    return good;
}

/* When more runs follow, the same change may be found one or two steps earlier or later. */
static bool is_told(const struct flm_watch *w, const char *key, int64_t ms)
{
    for (size_t i = 0; i < w->told.count; i++)
        if (strcmp(w->told.at[i].key, key) == 0 &&
            llabs(w->told.at[i].ms - ms) <= 2 * w->options.step_ms)
            return true;
    return false;
}

/* Posts a change that was not posted before; of the first look only recent ones. */
static void tell(struct flm_watch *w, const struct look *l, const struct change *c)
{
    struct flm_text key = {0};
    flm_text_format(&key, "%s %s %s", l->tenant, l->service, l->type);
    flm_text_putc(&key, 0);
    if (!w->webhook || key.failed || is_told(w, key.at, c->ms)) {
        flm_text_clear(&key);
        return;
    }
    bool is_old = !w->has_looked && c->ms < l->until_ms - NEWS_STEPS * w->options.step_ms;
    if (is_old || post(w, l, c)) {
        const struct told told = {strdup(key.at), c->ms};
        if (!told.key || !FLM_ARRAY_ADD(&w->told, told))
            free(told.key);
    } else {
        w->has_untold = true;
    }
    flm_text_clear(&key);
}

/* ---- Looking --------------------------------------------------------------------------------- */

static void note(struct flm_watch *w, const struct look *l, uint32_t changes, int64_t last_ms)
{
    pthread_mutex_lock(&w->lock);
    size_t i = 0;
    while (i < w->watched.count && (strcmp(w->watched.at[i].tenant, l->tenant) != 0 ||
                                    strcmp(w->watched.at[i].service, l->service) != 0 ||
                                    strcmp(w->watched.at[i].type, l->type) != 0))
        i++;
    if (i == w->watched.count) {
        struct watched x = {strdup(l->tenant), strdup(l->service), strdup(l->type), 0, 0};
        if (!x.tenant || !x.service || !x.type || !FLM_ARRAY_ADD(&w->watched, x)) {
            free(x.tenant);
            free(x.service);
            free(x.type);
        }
    }
    if (i < w->watched.count) {
        w->watched.at[i].changes = changes;
        w->watched.at[i].last_ms = last_ms;
    }
    pthread_mutex_unlock(&w->lock);
}

static void read_changes(struct flm_watch *w, const struct look *l, const struct flm_report *found)
{
    const struct flm_report_table *table = flm_report_table_named(found, "changes");
    size_t at = flm_report_column_named(table, "at"),
           since = flm_report_column_named(table, "since"), p = flm_report_column_named(table, "p"),
           stays = flm_report_column_named(table, "stays"),
           where = flm_report_column_named(table, "seen_frame"),
           before = flm_report_column_named(table, "before"),
           after = flm_report_column_named(table, "after");
    uint32_t changes = 0;
    int64_t last_ms = 0;
    double previous = -1;
    for (size_t row = 0; row < flm_report_row_count(table); row++) {
        double run = flm_report_number(table, row, at);
        struct change c = {.since = flm_report_string(table, row, since),
                           .where = flm_report_string(table, row, where),
                           .unit = flm_report_fact_string(found, "unit"),
                           .p = flm_report_number(table, row, p),
                           .before = flm_report_number(table, row, before),
                           .after = flm_report_number(table, row, after),
                           .stays = flm_report_number(table, row, stays) == 1};
        bool is_first = run != previous; /* the first frame of a change has most of it */
        previous = run;
        if (!is_first || !c.stays ||
            !flm_time_parse((struct flm_bytes){c.since.at, c.since.size}, 0, &c.ms, NULL))
            continue;
        changes++;
        last_ms = c.ms > last_ms ? c.ms : last_ms;
        tell(w, l, &c);
    }
    note(w, l, changes, last_ms);
}

static bool take_type(void *context, struct flm_name type)
{
    struct look *l = context;
    if (type.size < sizeof l->type)
        snprintf(l->type, sizeof l->type, "%.*s", (int)type.size, type.at);
    return l->type[0] == 0;
}

/* {service_name="..."}: a backslash takes the next byte as it is. */
static void put_selector(const char *service, struct flm_text *out)
{
    flm_text_puts(out, "{" FLM_STORE_SERVICE "=\"");
    for (; *service; service++) {
        if (*service == '"' || *service == '\\')
            flm_text_putc(out, '\\');
        flm_text_putc(out, *service);
    }
    flm_text_puts(out, "\"}");
    flm_text_putc(out, 0);
}

/* Searches the first type of the service, as the page and `flamel query --changes` do. */
static void look_at(struct look *l)
{
    struct flm_watch *w = l->watch;
    struct flm_text selector = {0};
    put_selector(l->service, &selector);
    struct flm_store_query query = {.size = sizeof query,
                                    .tenant = l->tenant,
                                    .selector = selector.at,
                                    .from_ms = l->from_ms,
                                    .until_ms = l->until_ms};
    const struct flm_store_runs_options how = {
        .size = sizeof how, .of_all = true, .step_ms = w->options.step_ms};
    struct flm_series_settings settings = {.size = sizeof settings, .alpha = 0.01, .rows = 1};
    struct flm_error why;
    l->type[0] = 0;
    bool good = (!selector.failed || flm_error_memory(&why)) &&
                flm_store_types(w->serving->store, &query, take_type, l, &why);
    query.type = l->type;
    struct flm_store_runs *runs = good ? flm_store_runs_new(&why) : NULL;
    struct flm_run_set *set = NULL;
    struct flm_report *found = NULL;
    size_t count = 0;
    good = runs &&
           (!l->type[0] || flm_store_runs_add(runs, w->serving->store, &query, &how, false, &why));
    const struct flm_gate_run *list = good ? flm_store_runs_list(runs, &count) : NULL;
    if (good && count >= LEAST_RUNS) {
        const struct flm_run_set_options order = {.size = sizeof order, .order = FLM_ORDER_BY_DATE};
        settings.permutations = (uint32_t)fmax(999, flm_series_least_permutations(settings.alpha));
        set = flm_run_set_new(list, count, &order, &why);
        found = set ? flm_report_series(set, &settings, &why) : NULL;
        good = found != NULL;
    }
    if (found)
        read_changes(w, l, found);
    if (!good)
        report(w, &why);
    flm_report_free(found);
    flm_run_set_free(set);
    flm_store_runs_free(runs);
    flm_text_clear(&selector);
}

struct services FLM_ARRAY(char *); /* owned */

static bool take_service(void *context, struct flm_name service)
{
    struct services *services = context;
    char *own = strndup(service.at, service.size);
    if (own && FLM_ARRAY_ADD(services, own))
        return true;
    free(own);
    return false;
}

static void look_at_tenant(struct flm_watch *w, const char *tenant, int64_t until_ms)
{
    struct look l = {.watch = w,
                     .tenant = tenant,
                     .from_ms = until_ms - STEPS * w->options.step_ms,
                     .until_ms = until_ms};
    const struct flm_store_query all = {
        .size = sizeof all, .tenant = tenant, .until_ms = INT64_MAX};
    struct services services = {0};
    struct flm_error why;
    if (!flm_store_label_values(w->serving->store, &all, "service", take_service, &services, &why))
        report(w, &why);
    for (size_t i = 0; i < services.count; i++) {
        l.service = services.at[i];
        if (!is_stopping(w))
            look_at(&l);
        free(services.at[i]);
    }
    FLM_ARRAY_CLEAR(&services);
}

/* The tenants of the tokens, and the one without a name. */
static void look(struct flm_watch *w)
{
    int64_t until_ms = flm_wall_ms();
    until_ms -= until_ms % w->options.step_ms;
    w->has_untold = false;
    look_at_tenant(w, "", until_ms);
    const struct flm_tokens *tokens = &w->serving->tokens;
    for (size_t i = 0; i < tokens->count; i++) {
        bool is_new = tokens->at[i].tenant != NULL;
        for (size_t k = 0; is_new && k < i; k++)
            is_new =
                !tokens->at[k].tenant || strcmp(tokens->at[k].tenant, tokens->at[i].tenant) != 0;
        if (is_new)
            look_at_tenant(w, tokens->at[i].tenant, until_ms);
    }
    w->has_looked = true;
}

/* Shortly after the end of the step, when late profiles have arrived. */
static int64_t next_ms(const struct flm_watch *w)
{
    int64_t step = w->options.step_ms, now = flm_wall_ms(), late = step / 10;
    int64_t wait = step - now % step + (late < LONGEST_LATE_MS ? late : LONGEST_LATE_MS);
    return w->has_untold && wait > RETRY_MS ? RETRY_MS : wait;
}

static void *run(void *context)
{
    struct flm_watch *w = context;
    while (!is_stopping(w)) {
        look(w);
        struct timespec until = flm_deadline(next_ms(w) * MS_NS);
        pthread_mutex_lock(&w->lock);
        while (!w->is_stopping && pthread_cond_timedwait(&w->changed, &w->lock, &until) == 0)
            ;
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

/* ---- Starting -------------------------------------------------------------------------------- */

struct flm_watch *flm_watch_start(struct flm_serving *serving,
                                  const struct flm_watch_options *options, struct flm_error *why)
{
    const char *url = options->webhook;
    if (url && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
        flm_error_set(why, FLM_ERROR_USAGE, "a webhook is an http or https URL, not '%s'", url);
        return NULL;
    }
    struct flm_watch *w = calloc(1, sizeof *w);
    if (!w) {
        flm_error_memory(why);
        return NULL;
    }
    flm_condition_init(&w->changed);
    pthread_mutex_init(&w->lock, NULL);
    w->serving = serving;
    w->options = *options;
    w->webhook = url ? strdup(url) : NULL;
    if (url && !w->webhook) {
        flm_error_memory(why);
    } else {
        int error = pthread_create(&w->thread, NULL, run, w);
        w->has_thread = error == 0;
        if (error)
            flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started: %s", strerror(error));
    }
    if (w->has_thread)
        return w;
    flm_watch_stop(w);
    return NULL;
}

void flm_watch_stop(struct flm_watch *w)
{
    if (!w)
        return;
    if (w->has_thread) {
        pthread_mutex_lock(&w->lock);
        w->is_stopping = true;
        pthread_cond_signal(&w->changed);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->thread, NULL);
    }
    for (size_t i = 0; i < w->told.count; i++)
        free(w->told.at[i].key);
    FLM_ARRAY_CLEAR(&w->told);
    for (size_t i = 0; i < w->watched.count; i++) {
        free(w->watched.at[i].tenant);
        free(w->watched.at[i].service);
        free(w->watched.at[i].type);
    }
    FLM_ARRAY_CLEAR(&w->watched);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    free(w->webhook);
    free(w);
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static void put_metric(struct flm_watch *w, struct flm_text *out, const char *name,
                       const char *help, bool is_time)
{
    flm_text_format(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
    for (size_t i = 0; i < w->watched.count; i++) {
        const struct watched *x = &w->watched.at[i];
        flm_text_format(out, "%s{", name);
        flm_metric_label(out, "tenant", x->tenant);
        flm_text_putc(out, ',');
        flm_metric_label(out, "service", x->service);
        flm_text_putc(out, ',');
        flm_metric_label(out, "type", x->type);
        if (is_time)
            flm_text_format(out, "} %lld\n", (long long)(x->last_ms / 1000));
        else
            flm_text_format(out, "} %u\n", x->changes);
    }
}

void flm_watch_metrics(struct flm_watch *w, struct flm_text *out)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    put_metric(w, out, "flamel_changes", "Changes of the last 60 steps that have stayed.", false);
    put_metric(w, out, "flamel_last_change_timestamp_seconds",
               "When the last of them was, since 1970; 0 where there is none.", true);
    pthread_mutex_unlock(&w->lock);
}
