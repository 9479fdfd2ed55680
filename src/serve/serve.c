/* serve.c - the server as a whole: who may ask what, and what is done in the background. */
#include "flamel/serve.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/text/versioned.h"
#include "net/tenant.h"
#include "os/clock.h"
#include "os/thread/condition.h"
#include "serve/access/site.h"
#include "serve/grpc/grpc_server.h"
#include "serve/http/http_server.h"
#include "serve/http/tls.h"
#include "serve/page/store_page.h"
#include "serve/routes.h"
#include "serve/scrape/scraper.h"
#include "serve/watch/watch.h"

enum {
    WORKERS = 8,
    WAITING_WORKERS = 256,  /* where a write waits for the others of a quarter of a second */
    MOST_CONNECTIONS = 600, /* with those of gRPC below the 1,024 files that may usually be open */
    MOST_OF_PEER = 200,
    GRPC_WORKERS = 4,
    WAITING_GRPC_WORKERS = 64,
    MOST_GRPC_CONNECTIONS = 300,
    MOST_GRPC_OF_PEER = 100,
    MOST_TENANTS = 1000,
    BODIES_AT_ONCE = 2, /* so many of the largest, decompressed */
    BATCHES_BETWEEN_LOOKS = 2000
};
static const size_t MOST_BODY = (size_t)32 << 20, MOST_PLAIN = (size_t)128 << 20,
                    MOST_BODIES = (size_t)96 << 20, SEAL_BYTES = (size_t)64 << 20;
static const int64_t SECOND_NS = 1000000000, SEAL_NS = 5 * 60 * SECOND_NS,
                     COMPACT_NS = 10 * 60 * SECOND_NS, LOOK_NS = 30 * SECOND_NS;

struct flm_serve {
    struct flm_serving serving;
    struct flm_store_page page;
    struct flm_serve_options options;
    struct flm_http_server *http;
    struct flm_tls *tls;             /* NULL: it speaks in the clear */
    struct flm_grpc_server *grpc;    /* NULL: flamel was built without it */
    struct flm_scrape_config config; /* until the scraper has it */
    bool is_loopback;
    char *host, *folder, *symbols, *symbol_cache; /* owned */
    char url[128];

    pthread_t keeper;
    bool has_keeper;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_stopping, is_due;
    atomic_uint appended; /* since somebody looked */
};

/* ---- Who may ask ----------------------------------------------------------------------------- */

/* Finds the tenant. False: the response says why not. */
static bool authorize(struct flm_serve *s, const struct flm_route *route,
                      struct flm_http_request *request, struct flm_http_response *response)
{
    const char *tenant = flm_http_header(request, "X-Scope-OrgID");
    const struct flm_token *token = NULL;
    if (s->serving.tokens.count > 0 && route->right != FLM_RIGHT_NONE) {
        token = flm_tokens_find(&s->serving.tokens, flm_http_header(request, "Authorization"));
        if (!token) {
            route->fail(request, response, 401, "this needs a token (Authorization: Bearer TOKEN)");
            response->authenticate = "Basic realm=\"flamel: any name, and a token as password\"";
            return false;
        }
        if (!(token->rights & (unsigned)route->right)) {
            route->fail(request, response, 403, "the token has no right to do this");
            return false;
        }
    }
    if (token && token->tenant && route->is_of_all) {
        route->fail(request, response, 403,
                    "this is of all tenants together, and the token belongs to one");
        return false;
    }
    if (token && token->tenant) {
        if (tenant && strcmp(tenant, token->tenant) != 0) {
            route->fail(request, response, 403, "the token belongs to another tenant");
            return false;
        }
        tenant = token->tenant;
    } else if (tenant && !flm_is_tenant(tenant)) {
        route->fail(request, response, 400,
                    "X-Scope-OrgID has 1 to 128 letters, digits, and _ - . in it");
        return false;
    }
    request->tenant = tenant ? tenant : "";
    return true;
}

static bool admit(void *context, struct flm_http_request *request,
                  struct flm_http_response *response)
{
    struct flm_serve *s = context;
    bool has_path;
    const struct flm_route *route = flm_route_find(request->method, request->path, &has_path);
    if (!route && has_path) {
        char message[80];
        snprintf(message, sizeof message, "this path does not accept %.30s", request->method);
        flm_fail_json(request, response, 405, message);
        return false;
    }
    if (!route) {
        bool is_grpc = strcmp(request->method, FLM_GRPC_METHOD) == 0;
        (is_grpc ? flm_fail_text : flm_fail_json)(
            request, response, 404,
            is_grpc ? "there is no such method: docs/serve.md lists what there is"
                    : "there is nothing at this path: docs/serve.md lists what there is");
        return false;
    }
    /* What anybody may ask has nothing to protect: a probe of a balancer may have no Host. */
    bool host_is_proof = s->is_loopback && s->serving.tokens.count == 0;
    if (route->right != FLM_RIGHT_NONE && !flm_site_is_own(request, host_is_proof)) {
        route->fail(request, response, 403, "cross-site request refused (Host or Origin)");
        return false;
    }
    request->admitted = (void *)(uintptr_t)route;
    return authorize(s, route, request, response);
}

static void answer(void *context, struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_serve *s = context;
    const struct flm_route *route = request->admitted;
    route->answer(&s->serving, request, response);
}

static void count(void *context, unsigned status)
{
    struct flm_serve *s = context;
    if (status / 100 < 6)
        atomic_fetch_add(&s->serving.count.requests[status / 100], 1);
}

/* ---- In the background ----------------------------------------------------------------------- */

static void on_appended(void *context)
{
    struct flm_serve *s = context;
    if (atomic_fetch_add(&s->appended, 1) + 1 != BATCHES_BETWEEN_LOOKS)
        return;
    pthread_mutex_lock(&s->lock);
    s->is_due = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void report(struct flm_serve *s, bool good, const struct flm_error *why)
{
    if (good)
        return;
    atomic_fetch_add(&s->serving.count.background_failures, 1);
    if (s->options.report)
        s->options.report(s->options.report_context, why);
}

static void seal(struct flm_serve *s)
{
    struct flm_error why;
    bool sealed = flm_store_seal(s->serving.store, &why);
    report(s, sealed, &why);
    if (sealed)
        atomic_fetch_add(&s->serving.count.seals, 1);
}

static void tidy(struct flm_serve *s)
{
    struct flm_error why;
    uint64_t merged = 0, removed = 0;
    int64_t now_ms = flm_wall_ms();
    report(s, flm_store_compact(s->serving.store, now_ms, &merged, &why), &why);
    atomic_fetch_add(&s->serving.count.compacted_segments, merged);
    if (s->options.keep_ms <= 0)
        return;
    report(s, flm_store_retain(s->serving.store, now_ms - s->options.keep_ms, &removed, &why),
           &why);
    atomic_fetch_add(&s->serving.count.removed_segments, removed);
    flm_series_limit_forget(&s->serving.series);
}

static void *keep(void *context)
{
    struct flm_serve *s = context;
    int64_t sealed_ns = flm_now_ns(), tidied_ns = sealed_ns - COMPACT_NS;
    pthread_mutex_lock(&s->lock);
    while (!s->is_stopping) {
        struct timespec until = flm_deadline(LOOK_NS);
        if (!s->is_due)
            pthread_cond_timedwait(&s->changed, &s->lock, &until);
        s->is_due = false;
        atomic_store(&s->appended, 0);
        pthread_mutex_unlock(&s->lock);
        struct flm_store_stats stats = flm_store_stats(s->serving.store);
        int64_t now_ns = flm_now_ns();
        if (stats.memory_bytes > SEAL_BYTES ||
            (stats.pending_batches > 0 && now_ns - sealed_ns > SEAL_NS)) {
            seal(s);
            sealed_ns = now_ns;
        }
        if (now_ns - tidied_ns > COMPACT_NS) {
            tidy(s);
            tidied_ns = now_ns;
        }
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- Starting -------------------------------------------------------------------------------- */

static bool start_keeper(struct flm_serve *s, struct flm_error *why)
{
    int error = pthread_create(&s->keeper, NULL, keep, s);
    s->has_keeper = error == 0;
    return s->has_keeper ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started: %s", strerror(error));
}

static bool read_config(struct flm_serve *s, struct flm_error *why)
{
    const struct flm_serve_options *o = &s->options;
    return !o->config || flm_scrape_config_read(&s->config, flm_bytes_of(o->config), why) ||
           flm_error_within(why, o->config_name ? o->config_name : "config");
}

static bool start_scraper(struct flm_serve *s, struct flm_error *why)
{
    if (!s->options.config)
        return true;
    s->serving.scraper = flm_scraper_start(&s->serving, &s->config, s->options.report,
                                           s->options.report_context, why);
    return s->serving.scraper != NULL;
}

/* Else it is a folder. */
static bool is_in_clickhouse(const struct flm_serve *s)
{
    return strstr(s->folder, "://") != NULL;
}

/* With the store, where that is a folder. */
static bool place_symbols(struct flm_serve *s, struct flm_error *why)
{
    const struct flm_serve_options *o = &s->options;
    struct flm_text text = {0};
    if (o->symbols)
        flm_text_puts(&text, o->symbols);
    else if (!is_in_clickhouse(s))
        flm_text_format(&text, "%s/symbols", s->folder);
    s->serving.symbols.debuginfod = o->debuginfod;
    if (text.size == 0)
        return !text.failed || flm_error_memory(why);
    flm_text_putc(&text, 0);
    s->symbols = text.failed ? NULL : strdup(text.at);
    text.size -= !text.failed;
    flm_text_puts(&text, "/cache");
    flm_text_putc(&text, 0);
    s->symbol_cache = text.failed ? NULL : strdup(text.at);
    flm_text_clear(&text);
    s->serving.symbols.folder = s->symbols;
    s->serving.symbols.cache_dir = s->symbol_cache;
    return (s->symbols && s->symbol_cache) || flm_error_memory(why);
}

static bool start_watch(struct flm_serve *s, struct flm_error *why)
{
    const struct flm_watch_options how = {.step_ms = s->options.watch_step_ms,
                                          .webhook = s->options.webhook,
                                          .report = s->options.report,
                                          .context = s->options.report_context};
    if (how.step_ms == 0)
        return !how.webhook || flm_error_set(why, FLM_ERROR_USAGE,
                                             "a webhook is told of changes: it takes a step for "
                                             "looking at them");
    if (how.step_ms < 1000)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a step for looking at changes is a second at "
                             "least");
    s->serving.watch = flm_watch_start(&s->serving, &how, why);
    return s->serving.watch != NULL;
}

static void report_certificate(void *context, const struct flm_error *why)
{
    report(context, false, why);
}

/* Three files a connection: more than usually may be open. */
static void raise_files(rlim_t wanted)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= wanted)
        return;
    files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &files);
}

static bool start_tls(struct flm_serve *s, struct flm_error *why)
{
    const struct flm_serve_options *o = &s->options;
    if (!o->tls_certificate && !o->tls_key)
        return true;
    if (!o->tls_certificate || !o->tls_key)
        return flm_error_set(why, FLM_ERROR_USAGE, "TLS takes both: a certificate, and its key");
    const struct flm_tls_options tls = {
        .certificate = o->tls_certificate,
        .key = o->tls_key,
        .take_http1 = flm_http_server_take,
        .http1 = s->http,
        .take_http2 = flm_grpc_is_built() ? flm_grpc_server_take : NULL,
        .http2 = s->grpc,
        .most_links = MOST_CONNECTIONS + MOST_GRPC_CONNECTIONS,
        .report = report_certificate,
        .context = s,
    };
    raise_files(4 * tls.most_links);
    s->tls = flm_tls_start(&tls, why);
    if (s->tls)
        flm_http_server_secure(s->http, flm_tls_take, s->tls);
    return s->tls != NULL;
}

static bool start(struct flm_serve *s, struct flm_error *why)
{
    const struct flm_serve_options *o = &s->options;
    const char *tokens_name = o->tokens_name ? o->tokens_name : "tokens";
    if (o->tokens && !flm_tokens_read(&s->serving.tokens, flm_bytes_of(o->tokens), why))
        return flm_error_within(why, tokens_name);
    if (o->tokens && s->serving.tokens.count == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "%s: there is no token in it", tokens_name);
    if (!read_config(s, why))
        return false;
    s->is_loopback = flm_is_loopback(s->host);
    if (!s->is_loopback && !o->tokens)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "%s is not an address of this machine alone: other machines may ask "
                             "only with tokens (--token-file)",
                             s->host);
    size_t body = o->most_body ? o->most_body : MOST_BODY;
    s->serving.most_plain = o->most_body ? 4 * o->most_body : MOST_PLAIN;
    atomic_store(&s->serving.decompressed.left, BODIES_AT_ONCE * s->serving.most_plain);
    /* Each worker waits for the disk; in ClickHouse until what came meanwhile is one insert. */
    const bool gathers = is_in_clickhouse(s);
    struct flm_http_options http = {
        .host = s->host,
        .port = (uint16_t)o->port,
        .most_body = body,
        .most_bodies = body > MOST_BODIES ? body : MOST_BODIES,
        .most_connections = MOST_CONNECTIONS,
        .most_of_peer = MOST_OF_PEER,
        .workers = gathers ? WAITING_WORKERS : WORKERS,
        .admit = admit,
        .answer = answer,
        .answered = count,
        .context = s,
        .take_http2 = flm_grpc_is_built() ? flm_grpc_server_take : NULL,
    };
    const struct flm_grpc_options grpc = {
        .most_message = body,
        .most_messages = http.most_bodies,
        .most_connections = MOST_GRPC_CONNECTIONS,
        .most_of_peer = MOST_GRPC_OF_PEER,
        .workers = gathers ? WAITING_GRPC_WORKERS : GRPC_WORKERS,
        .admit = admit,
        .answer = answer,
        .answered = count,
        .context = s,
    };
    if (flm_grpc_is_built() && !(s->grpc = flm_grpc_server_start(&grpc, why)))
        return false;
    http.http2 = s->grpc;
    /* The address first: a second server must not find that out when it has made a store. */
    s->http = flm_http_server_open(&http, why);
    bool is_six = strchr(s->host, ':') != NULL;
    if (s->http)
        snprintf(s->url, sizeof s->url, "http%s://%s%s%s:%u/", o->tls_certificate ? "s" : "",
                 is_six ? "[" : "", s->host, is_six ? "]" : "", flm_http_server_port(s->http));
    if (!s->http || !start_tls(s, why) || !flm_store_page_make(&s->page, why))
        return false;
    s->serving.page = &s->page;
    s->serving.folder = s->folder;
    s->serving.store = flm_store_open(o->folder, NULL, why);
    if (!s->serving.store)
        return false;
    atomic_store(&s->serving.is_ready, true);
    return place_symbols(s, why) && start_keeper(s, why) && start_scraper(s, why) &&
           start_watch(s, why) && flm_http_server_start(s->http, why);
}

static void init(struct flm_serve *s)
{
    flm_condition_init(&s->changed);
    pthread_mutex_init(&s->lock, NULL);
    flm_series_limit_init(&s->serving.series,
                          s->options.most_series ? s->options.most_series : 100000, MOST_TENANTS);
    s->serving.keep_ms = s->options.keep_ms;
    s->serving.appended = on_appended;
    s->serving.appended_context = s;
}

struct flm_serve *flm_serve_start(const struct flm_serve_options *options, struct flm_error *why)
{
    struct flm_serve_options own;
    if (!flm_versioned_copy(&own, sizeof own, options, "flm_serve_options", why))
        return NULL;
    assert(own.folder && own.port >= 0 && own.port <= UINT16_MAX);
    struct flm_serve *s = calloc(1, sizeof *s);
    if (!s) {
        flm_error_memory(why);
        return NULL;
    }
    s->host = strdup(own.host ? own.host : "127.0.0.1");
    s->folder = strdup(own.folder);
    s->options = own;
    init(s);
    bool good = (s->host && s->folder) || flm_error_memory(why);
    if (good && start(s, why))
        return s;
    flm_serve_stop(s, NULL);
    return NULL;
}

bool flm_serve_stop(struct flm_serve *s, struct flm_error *why)
{
    if (!s)
        return true;
    atomic_store(&s->serving.is_ready, false);
    flm_http_server_stop(s->http);
    flm_grpc_server_stop(s->grpc);
    flm_tls_stop(s->tls);
    flm_scraper_stop(s->serving.scraper);
    flm_watch_stop(s->serving.watch);
    flm_scrape_config_clear(&s->config);
    if (s->has_keeper) {
        pthread_mutex_lock(&s->lock);
        s->is_stopping = true;
        pthread_cond_signal(&s->changed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->keeper, NULL);
    }
    bool good = !s->has_keeper || flm_store_seal(s->serving.store, why);
    flm_store_close(s->serving.store);
    flm_store_page_clear(&s->page);
    flm_tokens_clear(&s->serving.tokens);
    flm_series_limit_clear(&s->serving.series);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s->host);
    free(s->folder);
    free(s->symbols);
    free(s->symbol_cache);
    free(s);
    return good;
}

const char *flm_serve_url(const struct flm_serve *serve)
{
    return serve->url;
}

struct flm_store_recovery flm_serve_recovered(const struct flm_serve *serve)
{
    return flm_store_recovered(serve->serving.store);
}

bool flm_serve_new_token(const char *rights, const char *tenant, char token[FLM_SERVE_TOKEN_SIZE],
                         char line[FLM_SERVE_LINE_SIZE], struct flm_error *why)
{
    struct flm_text texts[2] = {{0}, {0}};
    unsigned parsed = flm_rights_parse(flm_bytes_of(rights));
    if (parsed == 0)
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "the rights of a token are read, write, admin, or several with commas between "
            "them, not '%s'",
            rights);
    if (tenant && !flm_is_tenant(tenant))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a tenant has 1 to 128 letters, digits, and _ - . in its name");
    bool good = flm_token_make(parsed, tenant, &texts[0], &texts[1], why);
    if (good) {
        assert(texts[0].size < FLM_SERVE_TOKEN_SIZE && texts[1].size < FLM_SERVE_LINE_SIZE);
        snprintf(token, FLM_SERVE_TOKEN_SIZE, "%.*s", (int)texts[0].size, texts[0].at);
        snprintf(line, FLM_SERVE_LINE_SIZE, "%.*s", (int)texts[1].size, texts[1].at);
    }
    flm_text_clear(&texts[0]);
    flm_text_clear(&texts[1]);
    return good;
}
