#include "net/http_request.h"

void flm_http_reply_clear(struct flm_http_reply *reply)
{
    flm_text_clear(&reply->body);
    flm_text_clear(&reply->header);
    *reply = (struct flm_http_reply){0};
}

/* ---- Requests -------------------------------------------------------------------------------- */

#ifndef FLAMEL_CURL

bool flm_http_call(const struct flm_http_call *call, struct flm_http_reply *reply,
                   struct flm_error *why)
{
    (void)call;
    *reply = (struct flm_http_reply){0};
    return flm_error_set(why, FLM_ERROR_SYSTEM,
                         "this flamel was built without libcurl, which servers need");
}

#else

#include <assert.h>
#include <strings.h>

#include "net/http_calling.h"
#include "net/url.h"

static size_t receive(char *bytes, size_t one, size_t size, void *context)
{
    struct flm_http_calling *c = context;
    (void)one;
    if (c->call->most_body > 0 && size > c->call->most_body - c->reply->body.size) {
        c->is_too_large = true;
        return 0;
    }
    flm_text_add(&c->reply->body, (struct flm_bytes){bytes, size});
    return c->reply->body.failed ? 0 : size;
}

/* A line of the head of a response: "Name: value". */
static size_t receive_header(char *bytes, size_t one, size_t size, void *context)
{
    struct flm_http_calling *c = context;
    struct flm_bytes line = {bytes, size > 2 ? size - 2 : 0}; /* without its end */
    struct flm_bytes name = flm_bytes_of(c->call->wanted_header);
    (void)one;
    if (line.size > name.size && bytes[name.size] == ':' &&
        strncasecmp(bytes, name.at, name.size) == 0) {
        c->reply->header.size = 0;
        flm_text_add(&c->reply->header, flm_bytes_trimmed(flm_bytes_from(line, name.size + 1)));
    }
    return size;
}

static int go_on(void *context, curl_off_t a, curl_off_t b, curl_off_t x, curl_off_t y)
{
    struct flm_http_calling *c = context;
    (void)a, (void)b, (void)x, (void)y;
    c->is_canceled = c->is_canceled || (c->call->waiting && !c->call->waiting(c->call->context));
    return c->is_canceled;
}

/* "NAME: VALUE", where libcurl would send lines of a value as headers; *failed where memory ran out. */
static void add_header(const struct flm_curl *curl, struct curl_slist **list, const char *name,
                       const char *value, bool *failed)
{
    struct flm_text text = {0};
    flm_text_format(&text, "%s: %s", name, value);
    flm_text_putc(&text, 0);
    struct curl_slist *longer = text.failed ? NULL : curl->slist_append(*list, text.at);
    *failed = *failed || !longer;
    *list = longer ? longer : *list;
    flm_text_clear(&text);
}

static struct curl_slist *headers_of(const struct flm_curl *curl, const struct flm_http_call *call,
                                     bool *failed)
{
    struct curl_slist *list = NULL;
    struct flm_text bearer = {0};
    if (call->token) {
        flm_text_format(&bearer, "Bearer %s", call->token);
        flm_text_putc(&bearer, 0);
        *failed |= bearer.failed;
        if (!bearer.failed)
            add_header(curl, &list, "Authorization", bearer.at, failed);
        flm_text_clear(&bearer);
    }
    if (call->tenant)
        add_header(curl, &list, "X-Scope-OrgID", call->tenant, failed);
    if (call->has_body)
        add_header(curl, &list, "Content-Type",
                   call->type ? call->type : "application/octet-stream", failed);
    /* Servers need not be asked whether they want the body. */
    add_header(curl, &list, "Expect", "", failed);
    return list;
}

static bool set_options(const struct flm_curl *curl, CURL *e, struct flm_http_calling *c)
{
    __typeof__(curl_easy_setopt) *set = curl->easy_setopt;
    const struct flm_http_call *call = c->call;
    bool good = set(e, CURLOPT_URL, call->url) == CURLE_OK &&
                set(e, CURLOPT_WRITEFUNCTION, receive) == CURLE_OK &&
                set(e, CURLOPT_WRITEDATA, (void *)c) == CURLE_OK &&
                set(e, CURLOPT_XFERINFOFUNCTION, go_on) == CURLE_OK &&
                set(e, CURLOPT_XFERINFODATA, (void *)c) == CURLE_OK &&
                set(e, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
                set(e, CURLOPT_ERRORBUFFER, c->reason) == CURLE_OK &&
                set(e, CURLOPT_USERAGENT, "flamel") == CURLE_OK &&
                set(e, CURLOPT_HTTPHEADER, c->headers) == CURLE_OK &&
                set(e, CURLOPT_CONNECTTIMEOUT, (long)FLM_CONNECT_SECONDS) == CURLE_OK &&
                set(e, CURLOPT_TIMEOUT, (long)call->most_s) == CURLE_OK &&
                set(e, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
    if (good && call->authorities)
        good = set(e, CURLOPT_CAINFO, call->authorities) == CURLE_OK;
    if (good && call->wanted_header)
        good = set(e, CURLOPT_HEADERFUNCTION, receive_header) == CURLE_OK &&
               set(e, CURLOPT_HEADERDATA, (void *)c) == CURLE_OK;
    if (good && call->has_body)
        good = set(e, CURLOPT_POST, 1L) == CURLE_OK &&
               set(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.size) == CURLE_OK &&
               set(e, CURLOPT_POSTFIELDS, call->body.size > 0 ? call->body.at : "") == CURLE_OK;
    return good;
}

CURL *flm_http_calling_begin(const struct flm_curl *curl, struct flm_http_calling *c,
                             struct flm_error *why)
{
    bool failed = false;
    assert(flm_is_url(c->call->url)); /* libcurl knows files, too */
    *c->reply = (struct flm_http_reply){0};
    CURL *easy = curl->easy_init();
    c->headers = headers_of(curl, c->call, &failed);
    if (easy && !failed && set_options(curl, easy, c))
        return easy;
    flm_http_calling_end(curl, c, easy);
    flm_error_memory(why);
    return NULL;
}

bool flm_http_calling_result(const struct flm_curl *curl, struct flm_http_calling *c, CURL *easy,
                             CURLcode code, struct flm_error *why)
{
    long status = 0;
    if (code == CURLE_OK) {
        curl->easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        c->reply->status = (int)status;
        return true;
    }
    if (c->reply->body.failed)
        return flm_error_memory(why);
    if (c->is_canceled)
        return flm_error_set(why, FLM_ERROR_CANCELED, "canceled");
    if (c->is_too_large)
        return flm_error_set(why, FLM_ERROR_RANGE, "the response has more than %llu MiB",
                             (unsigned long long)(c->call->most_body >> 20));
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s",
                         c->reason[0] ? c->reason : curl->easy_strerror(code));
}

void flm_http_calling_end(const struct flm_curl *curl, struct flm_http_calling *c, CURL *easy)
{
    if (easy)
        curl->easy_cleanup(easy);
    curl->slist_free_all(c->headers);
    c->headers = NULL;
}

bool flm_http_call(const struct flm_http_call *call, struct flm_http_reply *reply,
                   struct flm_error *why)
{
    struct flm_curl curl;
    struct flm_http_calling c = {.call = call, .reply = reply};
    *reply = (struct flm_http_reply){0};
    if (!flm_curl_open(&curl, why))
        return false;
    CURL *easy = flm_http_calling_begin(&curl, &c, why);
    if (!easy)
        return false;
    bool good = flm_http_calling_result(&curl, &c, easy, curl.easy_perform(easy), why);
    flm_http_calling_end(&curl, &c, easy);
    return good;
}

#endif
