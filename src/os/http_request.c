#include "os/http_request.h"

#include <stdio.h>
#include <string.h>

#include "base/text/json_read.h"

void flm_http_reply_clear(struct flm_http_reply *reply)
{
    flm_text_clear(&reply->body);
    *reply = (struct flm_http_reply){0};
}

/* {"error": "..."}; false: it is something else. */
static bool read_error(struct flm_bytes body, struct flm_text *out)
{
    struct flm_source source = flm_source_of(body);
    struct flm_error why;
    struct flm_json json;
    struct flm_bytes key, text;
    flm_json_init(&json, &source, &why);
    if (body.size > 0 && body.at[0] == '{') {
        flm_json_enter_object(&json);
        while (flm_json_next_key(&json, &key))
            if (flm_bytes_are(key, "error") && flm_json_string(&json, &text))
                flm_text_add(out, text);
    }
    bool good = flm_json_finish(&json);
    return good && !out->failed && out->size > 0;
}

void flm_http_reply_reason(const struct flm_http_reply *reply, char line[200])
{
    struct flm_text error = {0};
    struct flm_bytes body = {reply->body.at ? reply->body.at : "", reply->body.size};
    if (read_error(body, &error))
        body = (struct flm_bytes){error.at, error.size};
    size_t size = 0;
    while (size < 199 && size < body.size && (unsigned char)body.at[size] >= ' ')
        size++;
    bool is_page = size > 0 && body.at[0] == '<';
    if (size == 0 || is_page)
        snprintf(line, 200, "it does not say why");
    else
        snprintf(line, 200, "%.*s", (int)size, body.at);
    flm_text_clear(&error);
}

bool flm_is_tenant(const char *name)
{
    size_t size = 0;
    for (; name[size]; size++) {
        char c = name[size];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    flm_is_one_of(c, "_-.");
        if (!good || size >= 128)
            return false;
    }
    return size > 0;
}

/* ---- URLs ------------------------------------------------------------------------------------ */

void flm_url_begin(struct flm_text *out, const char *url, const char *path)
{
    struct flm_bytes base = flm_bytes_of(url);
    while (base.size > 0 && base.at[base.size - 1] == '/')
        base.size--;
    flm_text_add(out, base);
    flm_text_puts(out, path);
}

void flm_url_parameter(struct flm_text *out, const char *name, struct flm_bytes value)
{
    bool is_first = out->size > 0 && !memchr(out->at, '?', out->size);
    flm_text_format(out, "%c%s=", is_first ? '?' : '&', name);
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.at[i], lower = c | 0x20;
        if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
            flm_is_one_of((char)c, "-._~"))
            flm_text_putc(out, (char)c);
        else
            flm_text_format(out, "%%%x%x", c >> 4, c & 15);
    }
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
#include <curl/curl.h>

#include "os/download.h"
#include "os/library.h"

/* clang-format off */
#define CURL_FUNCTIONS(each)                                                                      \
    each(easy_init) each(easy_setopt) each(easy_perform) each(easy_getinfo) each(easy_cleanup)    \
    each(easy_strerror) each(slist_append) each(slist_free_all)
/* clang-format on */

#define AS_POINTER(name) __typeof__(curl_##name) *name;
#define AS_NAME(name) "curl_" #name,

struct curl {
    CURL_FUNCTIONS(AS_POINTER)
};

static bool open_curl(struct curl *curl, struct flm_error *why)
{
    static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
    static const char *const names[] = {CURL_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, curl, &missing) ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "a server takes libcurl, which is missing: %s",
                         missing.text);
}

enum { CONNECT_SECONDS = 20 };

struct calling {
    const struct flm_http_call *call;
    struct flm_http_reply *reply;
    bool is_too_large, is_canceled;
};

static size_t receive(char *bytes, size_t one, size_t size, void *context)
{
    struct calling *c = context;
    (void)one;
    if (c->call->most_body > 0 && size > c->call->most_body - c->reply->body.size) {
        c->is_too_large = true;
        return 0;
    }
    flm_text_add(&c->reply->body, (struct flm_bytes){bytes, size});
    return c->reply->body.failed ? 0 : size;
}

static int go_on(void *context, curl_off_t a, curl_off_t b, curl_off_t x, curl_off_t y)
{
    struct calling *c = context;
    (void)a, (void)b, (void)x, (void)y;
    c->is_canceled = c->is_canceled || (c->call->waiting && !c->call->waiting(c->call->context));
    return c->is_canceled;
}

/* "NAME: VALUE"; *failed where memory ran out. */
static void add_header(const struct curl *curl, struct curl_slist **list, const char *name,
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

static struct curl_slist *headers_of(const struct curl *curl, const struct flm_http_call *call,
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
        add_header(curl, &list, "Content-Type", "application/octet-stream", failed);
    /* Servers need not be asked whether they want the body. */
    add_header(curl, &list, "Expect", "", failed);
    return list;
}

static bool set_options(const struct curl *curl, CURL *e, struct calling *c,
                        struct curl_slist *headers, char *reason)
{
    __typeof__(curl_easy_setopt) *set = curl->easy_setopt;
    const struct flm_http_call *call = c->call;
    bool good = set(e, CURLOPT_URL, call->url) == CURLE_OK &&
                set(e, CURLOPT_WRITEFUNCTION, receive) == CURLE_OK &&
                set(e, CURLOPT_WRITEDATA, (void *)c) == CURLE_OK &&
                set(e, CURLOPT_XFERINFOFUNCTION, go_on) == CURLE_OK &&
                set(e, CURLOPT_XFERINFODATA, (void *)c) == CURLE_OK &&
                set(e, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
                set(e, CURLOPT_ERRORBUFFER, reason) == CURLE_OK &&
                set(e, CURLOPT_USERAGENT, "flamel") == CURLE_OK &&
                set(e, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
                set(e, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS) == CURLE_OK &&
                set(e, CURLOPT_TIMEOUT, (long)call->most_s) == CURLE_OK &&
                set(e, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
    if (good && call->has_body)
        good = set(e, CURLOPT_POST, 1L) == CURLE_OK &&
               set(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.size) == CURLE_OK &&
               set(e, CURLOPT_POSTFIELDS, call->body.size > 0 ? call->body.at : "") == CURLE_OK;
    return good;
}

bool flm_http_call(const struct flm_http_call *call, struct flm_http_reply *reply,
                   struct flm_error *why)
{
    struct curl curl;
    struct calling c = {.call = call, .reply = reply};
    char reason[CURL_ERROR_SIZE] = "";
    bool failed = false;
    long status = 0;
    assert(flm_is_url(call->url));                        /* libcurl knows files, too */
    assert(!call->tenant || flm_is_tenant(call->tenant)); /* and sends a header of two lines */
    *reply = (struct flm_http_reply){0};
    if (!open_curl(&curl, why))
        return false;
    CURL *easy = curl.easy_init();
    struct curl_slist *headers = headers_of(&curl, call, &failed);
    bool good = easy && !failed && set_options(&curl, easy, &c, headers, reason);
    if (!good)
        flm_error_memory(why);
    CURLcode code = good ? curl.easy_perform(easy) : CURLE_OK;
    if (good && code == CURLE_OK) {
        curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    } else if (good) {
        good = false;
        if (reply->body.failed)
            flm_error_memory(why);
        else if (c.is_canceled)
            flm_error_set(why, FLM_ERROR_CANCELED, "canceled");
        else if (c.is_too_large)
            flm_error_set(why, FLM_ERROR_RANGE, "the response has more than %llu MiB",
                          (unsigned long long)(call->most_body >> 20));
        else
            flm_error_set(why, FLM_ERROR_SYSTEM, "%s",
                          reason[0] ? reason : curl.easy_strerror(code));
    }
    if (easy)
        curl.easy_cleanup(easy);
    curl.slist_free_all(headers);
    reply->status = (int)status;
    return good;
}

#endif
