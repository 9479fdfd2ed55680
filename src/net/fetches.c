#include "net/fetches.h"

#ifndef FLAMEL_CURL

struct flm_fetches *flm_fetches_open(struct flm_error *why)
{
    flm_error_set(why, FLM_ERROR_SYSTEM,
                  "this flamel was built without libcurl, which scraping needs");
    return NULL;
}

void flm_fetches_close(struct flm_fetches *fetches)
{
    (void)fetches;
}

bool flm_fetches_start(struct flm_fetches *fetches, const struct flm_http_call *call, void *owner,
                       struct flm_error *why)
{
    (void)fetches, (void)call, (void)owner;
    return flm_error_set(why, FLM_ERROR_SYSTEM, "this flamel was built without libcurl");
}

void flm_fetches_run(struct flm_fetches *fetches, int most_ms, flm_fetch_done done, void *context)
{
    (void)fetches, (void)most_ms, (void)done, (void)context;
}

void flm_fetches_wake(struct flm_fetches *fetches)
{
    (void)fetches;
}

#else

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "net/http_calling.h"
#include "os/clock.h"

struct fetch {
    struct fetch *before, *behind;
    struct flm_http_call call;
    struct flm_http_reply reply;
    struct flm_http_calling calling;
    CURL *easy;
    void *owner;
};

struct flm_fetches {
    struct flm_curl curl;
    CURLM *multi;
    struct fetch *first; /* all that are under way */
    int event;           /* eventfd: written to by flm_fetches_wake */
};

struct flm_fetches *flm_fetches_open(struct flm_error *why)
{
    struct flm_fetches *f = calloc(1, sizeof *f);
    if (!f) {
        flm_error_memory(why);
        return NULL;
    }
    f->event = -1;
    bool good = flm_curl_open(&f->curl, why);
    if (good && (!(f->multi = f->curl.multi_init()) ||
                 (f->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0))
        good = flm_error_memory(why);
    if (good)
        return f;
    flm_fetches_close(f);
    return NULL;
}

static void end(struct flm_fetches *f, struct fetch *x)
{
    *(x->before ? &x->before->behind : &f->first) = x->behind;
    if (x->behind)
        x->behind->before = x->before;
    f->curl.multi_remove_handle(f->multi, x->easy);
    flm_http_calling_end(&f->curl, &x->calling, x->easy);
    flm_http_reply_clear(&x->reply);
    free(x);
}

void flm_fetches_close(struct flm_fetches *f)
{
    if (!f)
        return;
    while (f->first)
        end(f, f->first);
    if (f->multi)
        f->curl.multi_cleanup(f->multi);
    if (f->event >= 0)
        close(f->event);
    free(f);
}

bool flm_fetches_start(struct flm_fetches *f, const struct flm_http_call *call, void *owner,
                       struct flm_error *why)
{
    struct fetch *x = calloc(1, sizeof *x);
    if (!x)
        return flm_error_memory(why);
    x->call = *call;
    x->owner = owner;
    x->calling = (struct flm_http_calling){.call = &x->call, .reply = &x->reply};
    x->easy = flm_http_calling_begin(&f->curl, &x->calling, why);
    if (!x->easy) {
        free(x);
        return false;
    }
    x->behind = f->first;
    if (f->first)
        f->first->before = x;
    f->first = x;
    if (f->curl.easy_setopt(x->easy, CURLOPT_PRIVATE, (void *)x) == CURLE_OK &&
        f->curl.easy_setopt(x->easy, CURLOPT_FORBID_REUSE, 1L) == CURLE_OK &&
        f->curl.multi_add_handle(f->multi, x->easy) == CURLM_OK)
        return true;
    end(f, x);
    return flm_error_memory(why);
}

static void hand_over(struct flm_fetches *f, flm_fetch_done done, void *context)
{
    struct flm_error why;
    int left;
    for (CURLMsg *m; (m = f->curl.multi_info_read(f->multi, &left)) != NULL;) {
        char *private = NULL;
        if (m->msg != CURLMSG_DONE ||
            f->curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private) != CURLE_OK)
            continue;
        struct fetch *x = (struct fetch *)(void *)private;
        bool good = flm_http_calling_result(&f->curl, &x->calling, x->easy, m->data.result, &why);
        done(context, x->owner, &x->reply, good ? NULL : &why);
        end(f, x);
    }
}

void flm_fetches_run(struct flm_fetches *f, int most_ms, flm_fetch_done done, void *context)
{
    const int64_t until_ns = flm_now_ns() + most_ms * INT64_C(1000000);
    uint64_t events;
    for (bool woken = false; !woken;) {
        struct curl_waitfd wake = {.fd = f->event, .events = CURL_WAIT_POLLIN};
        int64_t left_ms = (until_ns - flm_now_ns()) / 1000000;
        int running, ready;
        f->curl.multi_perform(f->multi, &running);
        hand_over(f, done, context);
        if (left_ms <= 0 ||
            f->curl.multi_wait(f->multi, &wake, 1, (int)left_ms, &ready) != CURLM_OK)
            return;
        woken = read(f->event, &events, sizeof events) == (ssize_t)sizeof events;
    }
}

void flm_fetches_wake(struct flm_fetches *f)
{
    const uint64_t one = 1;
    ssize_t written = write(f->event, &one, sizeof one);
    (void)written; /* what is full has woken it already */
}

#endif
