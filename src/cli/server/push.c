#include "cli/server/push.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "cli/common/messages.h"
#include "cli/server/refusal.h"
#include "flamel/file.h"
#include "net/http_request.h"
#include "net/url.h"
#include "os/clock.h"
#include "os/thread/condition.h"

static const int64_t SECOND_NS = 1000000000, LONGEST_WAIT_NS = 30 * SECOND_NS, LOOK_NS = 100000000;
enum { MOST_SECONDS = 60, MOST_RESPONSE = 1 << 20 };

/* ---- What is sent ---------------------------------------------------------------------------- */

static bool check_labels(const struct flm_push_options *o, struct flm_error *why)
{
    for (size_t i = 0; i < o->label_count; i++) {
        const char *equals = strchr(o->labels[i], '=');
        if (!equals || equals == o->labels[i])
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "--label is KEY=VALUE, such as region=eu, not '%s'", o->labels[i]);
    }
    return true;
}

static void add_target(const struct flm_push *p, const struct flm_service *service, int64_t time_ms,
                       struct flm_text *target)
{
    const struct flm_push_options *o = &p->options;
    char time[24], id[40];
    uint64_t random[2];
    snprintf(time, sizeof time, "%" PRId64, time_ms);
    flm_text_puts(target, "/api/v1/push");
    flm_url_parameter(target, "service", flm_bytes_of(service->name));
    for (size_t i = 0; i < o->label_count; i++)
        flm_url_parameter(target, "label", flm_bytes_of(o->labels[i]));
    for (size_t i = 0; i < service->label_count; i++)
        flm_url_parameter(target, "label", flm_bytes_of(service->labels[i]));
    flm_url_parameter(target, "time", flm_bytes_of(time));
    /* By which the server knows it when its answer is lost, and it is sent again. */
    if (getrandom(random, sizeof random, 0) == (ssize_t)sizeof random) {
        snprintf(id, sizeof id, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
        flm_url_parameter(target, "id", flm_bytes_of(id));
    }
}

bool flm_push_add(struct flm_push *p, const struct flm_service *service, int64_t time_ms,
                  const struct flm_profile *profile, struct flm_error *why)
{
    const struct flm_save_options how = {.size = sizeof how, .format = "flm", .compress = true};
    struct flm_text file = {0}, target = {0};
    add_target(p, service, time_ms, &target);
    bool is_written = flm_save_stream(profile, flm_text_sink, &file, &how, why) &&
                      (!target.failed || flm_error_memory(why));
    bool good =
        is_written &&
        flm_spool_add(&p->spool, time_ms, (struct flm_bytes){target.at, target.size},
                      p->options.server.tenant, (struct flm_bytes){file.at, file.size}, why);
    flm_text_clear(&file);
    flm_text_clear(&target);
    pthread_mutex_lock(&p->lock);
    p->has_more = true;
    p->counts.dropped += !is_written; /* what the spool does not take it counts itself */
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return good;
}

/* ---- The thread that sends ------------------------------------------------------------------- */

enum outcome { PUSHED, REFUSED, AGAIN, CANCELED };

static bool is_wanted(void *context)
{
    struct flm_push *p = context;
    pthread_mutex_lock(&p->lock);
    bool wanted = !p->is_closing;
    pthread_mutex_unlock(&p->lock);
    return wanted;
}

/* Whether they are the same but for numbers: libcurl's sentences have how long it took. */
static bool is_same_reason(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;; a++, b++) {
        size_t size = strspn(a, digits), other = strspn(b, digits);
        if ((size > 0) != (other > 0) || a[size] != b[other])
            return false;
        if (!a[size])
            return true;
        a += size;
        b += other;
    }
}

/* Says it when it is another reason than the last time: a server that was away, and is there again,
 * may want a token. `status`: 0, there was no response. */
static void say_waiting(struct flm_push *p, int status, const char *reason)
{
    char text[sizeof p->reason];
    if (status != 0)
        snprintf(text, sizeof text, "the server's status is %d: %s", status, reason);
    else
        snprintf(text, sizeof text, "%s", reason);
    bool is_said = status == p->status && p->reason[0] && is_same_reason(text, p->reason);
    p->status = status;
    memcpy(p->reason, text, sizeof text);
    if (!is_said && !p->options.quiet)
        flm_message("%s: %s: profiles wait in %s", p->options.server.url, text, p->options.folder);
}

static enum outcome outcome_of(struct flm_push *p, const struct flm_http_reply *reply)
{
    char reason[200];
    flm_refusal_reason(reply, reason);
    switch (reply->status) {
    case 200:
        if (p->reason[0] && !p->options.quiet)
            flm_message("%s: the server takes profiles again", p->options.server.url);
        p->reason[0] = 0;
        return PUSHED;
    case 400:
    case 413:
    case 415:
    case 422:
        flm_message("%s: a profile was refused: %s", p->options.server.url, reason);
        return REFUSED;
    default:
        say_waiting(p, reply->status, reason);
        return AGAIN;
    }
}

static enum outcome send(struct flm_push *p, const struct flm_spooled *spooled)
{
    struct flm_text url = {0};
    struct flm_http_reply reply = {0};
    struct flm_error why = {0};
    enum outcome outcome = AGAIN;
    flm_url_begin(&url, p->options.server.url, spooled->target);
    flm_text_putc(&url, 0);
    const struct flm_http_call call = {
        .url = url.at,
        .token = p->token.at,
        .tenant = spooled->tenant,
        .authorities = p->options.server.authorities,
        .body = spooled->profile,
        .has_body = true,
        .most_s = MOST_SECONDS,
        .most_body = MOST_RESPONSE,
        .waiting = is_wanted,
        .context = p,
    };
    if (url.failed)
        flm_error_memory(&why);
    if (!url.failed && flm_http_call(&call, &reply, &why))
        outcome = outcome_of(p, &reply);
    else if (why.kind == FLM_ERROR_CANCELED)
        outcome = CANCELED;
    else
        say_waiting(p, 0, why.text);
    flm_http_reply_clear(&reply);
    flm_text_clear(&url);
    return outcome;
}

/* Until there is something to do: INT64_MAX; or the time is over, to try again: sooner where there
 * comes no more. */
static void pause_for(struct flm_push *p, int64_t wait_ns)
{
    pthread_mutex_lock(&p->lock);
    bool is_retry = wait_ns != INT64_MAX, was_ending = p->is_ending;
    const struct timespec until =
        flm_deadline(is_retry && was_ending && wait_ns > SECOND_NS ? SECOND_NS : wait_ns);
    p->is_idle = !is_retry && !p->has_more;
    pthread_cond_broadcast(&p->changed);
    while (!p->is_closing && (is_retry ? was_ending || !p->is_ending : !p->has_more) &&
           pthread_cond_timedwait(&p->changed, &p->lock, &until) == 0) {
    }
    p->has_more = p->is_idle = false;
    pthread_mutex_unlock(&p->lock);
}

static void *send_all(void *context)
{
    struct flm_push *p = context;
    struct flm_spooled spooled = {.target = NULL};
    int64_t wait_ns = SECOND_NS;
    while (is_wanted(p)) {
        struct flm_error why;
        enum outcome outcome = AGAIN;
        if (flm_spool_first(&p->spool, &spooled, &why)) {
            outcome = send(p, &spooled);
        } else if (why.kind == FLM_ERROR_NONE) {
            pause_for(p, INT64_MAX);
            continue;
        } else {
            say_waiting(p, 0, why.text);
        }
        if (outcome == PUSHED || outcome == REFUSED) {
            if (!flm_spool_remove_first(&p->spool, &why))
                flm_message("%s: the next 'flamel record --push' sends it again", why.text);
            pthread_mutex_lock(&p->lock);
            p->counts.pushed += outcome == PUSHED;
            p->counts.refused += outcome == REFUSED;
            pthread_mutex_unlock(&p->lock);
            wait_ns = SECOND_NS;
        } else if (outcome == AGAIN) {
            pause_for(p, wait_ns);
            wait_ns = 2 * wait_ns < LONGEST_WAIT_NS ? 2 * wait_ns : LONGEST_WAIT_NS;
        }
    }
    flm_text_clear(&spooled.text);
    return NULL;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static bool start_thread(struct flm_push *p, struct flm_error *why)
{
    sigset_t all, before;
    sigfillset(&all); /* signals are of the thread that records, and of who started us */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&p->thread, NULL, send_all, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    p->has_thread = error == 0;
    return p->has_thread ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started: %s", strerror(error));
}

bool flm_push_open(struct flm_push *p, const struct flm_push_options *options,
                   struct flm_error *why)
{
    *p = (struct flm_push){.options = *options, .has_more = true};
    flm_condition_init(&p->changed);
    pthread_mutex_init(&p->lock, NULL);
    if (flm_server_read(&options->server, "push", &p->token, why) && check_labels(options, why) &&
        flm_spool_open(&p->spool, options->folder, options->most_bytes, why) &&
        start_thread(p, why))
        return true;
    struct flm_push_counts counts;
    flm_push_close(p, &counts);
    return false;
}

/* Until all is sent, nobody wants to wait, or the server was away for so long. */
static void wait_until_sent(struct flm_push *p)
{
    const struct flm_push_options *o = &p->options;
    int64_t end_ns = flm_now_ns() + o->patience_ns;
    uint64_t before = 0;
    pthread_mutex_lock(&p->lock);
    p->is_ending = true;
    pthread_cond_broadcast(&p->changed);
    while (!(p->is_idle && !p->has_more)) {
        const struct timespec until = flm_deadline(LOOK_NS);
        pthread_cond_timedwait(&p->changed, &p->lock, &until);
        uint64_t done = p->counts.pushed + p->counts.refused;
        if (done > before)
            end_ns = flm_now_ns() + o->patience_ns;
        before = done;
        if (flm_now_ns() >= end_ns || (o->waiting && !o->waiting(o->context)))
            break;
    }
    pthread_mutex_unlock(&p->lock);
}

void flm_push_close(struct flm_push *p, struct flm_push_counts *counts)
{
    if (p->has_thread) {
        wait_until_sent(p);
        pthread_mutex_lock(&p->lock);
        p->is_closing = true;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
    }
    *counts = p->counts;
    if (p->spool.folder) {
        counts->dropped += flm_spool_dropped(&p->spool);
        counts->waiting = flm_spool_count(&p->spool);
        flm_spool_close(&p->spool);
    }
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    flm_text_clear(&p->token);
}
