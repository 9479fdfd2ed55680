#include "net/download.h"

#include <assert.h>
#include <string.h>

#include "net/url.h"

#ifndef FLAMEL_CURL

struct flm_download *flm_download_open(const char *url, bool (*waiting)(void *context),
                                       void *context, struct flm_error *why)
{
    (void)url, (void)waiting, (void)context;
    flm_error_set(why, FLM_ERROR_SYSTEM,
                  "this flamel was built without libcurl, which URLs need: download the file first "
                  "(curl -o FILE URL)");
    return NULL;
}

bool flm_download_read(void *download, void *buffer, size_t room, size_t *size)
{
    (void)download, (void)buffer, (void)room, (void)size;
    return false;
}

const struct flm_error *flm_download_error(const struct flm_download *download)
{
    (void)download;
    return NULL;
}

uint64_t flm_download_size(const struct flm_download *download)
{
    (void)download;
    return 0;
}

void flm_download_close(struct flm_download *download)
{
    (void)download;
}

#else

#include <stdlib.h>

#include "base/text/text.h"
#include "net/curl.h"

/* ---- A download ------------------------------------------------------------------------------ */

enum { MOST_WAITING = 1 << 18, MOST_REDIRECTS = 10, WAIT_MS = 100 };

struct flm_download {
    struct flm_curl curl;
    CURL *easy;
    CURLM *multi;
    struct flm_text arrived; /* and not yet read: from `at` on */
    size_t at;
    bool ended, paused;
    bool (*waiting)(void *context);
    void *context;
    char reason[CURL_ERROR_SIZE];
    struct flm_error error;
};

/* libcurl calls this with bytes that arrived. */
static size_t receive(char *bytes, size_t one, size_t size, void *context)
{
    struct flm_download *d = context;
    (void)one;
    if (d->arrived.size - d->at > MOST_WAITING) {
        d->paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    flm_text_add(&d->arrived, (struct flm_bytes){bytes, size});
    return d->arrived.failed ? 0 : size;
}

static bool fail(struct flm_download *d, CURLcode code)
{
    const char *reason = d->reason[0] ? d->reason : d->curl.easy_strerror(code);
    if (d->arrived.failed)
        return flm_error_memory(&d->error);
    if (code == CURLE_PARTIAL_FILE)
        reason = "the connection was closed before the file was complete";
    return flm_error_set(&d->error, FLM_ERROR_SYSTEM, "%s", reason);
}

/* Waits until bytes have arrived, or the end. */
static bool wait_for_bytes(struct flm_download *d)
{
    while (d->arrived.size == d->at && !d->ended) {
        if (d->paused) {
            d->paused = false;
            d->curl.easy_pause(d->easy, CURLPAUSE_CONT);
        }
        int running = 0, messages = 0;
        if (d->curl.multi_perform(d->multi, &running) != CURLM_OK)
            return fail(d, CURLE_FAILED_INIT);
        if (d->arrived.size > d->at)
            break;
        CURLMsg *message = d->curl.multi_info_read(d->multi, &messages);
        if (message && message->msg == CURLMSG_DONE) {
            if (message->data.result != CURLE_OK)
                return fail(d, message->data.result);
            d->ended = true;
        } else {
            d->curl.multi_wait(d->multi, NULL, 0, WAIT_MS, NULL);
            if (d->waiting && !d->waiting(d->context))
                return flm_error_set(&d->error, FLM_ERROR_CANCELED, "canceled");
        }
    }
    return true;
}

bool flm_download_read(void *download, void *buffer, size_t room, size_t *size)
{
    struct flm_download *d = download;
    assert(d && buffer && room > 0 && size);
    *size = 0;
    if (d->error.kind != FLM_ERROR_NONE || !wait_for_bytes(d))
        return false;
    size_t there = d->arrived.size - d->at;
    *size = there < room ? there : room;
    if (*size > 0)
        memcpy(buffer, d->arrived.at + d->at, *size);
    d->at += *size;
    if (d->at == d->arrived.size)
        d->at = d->arrived.size = 0;
    return true;
}

/* "404 Not Found: no such profile": servers of profiles explain what they refuse in a line. */
static bool refuse(struct flm_download *d, long status)
{
    char line[160];
    size_t size = 0;
    while (size < sizeof line - 1 && d->at + size < d->arrived.size &&
           (unsigned char)d->arrived.at[d->at + size] >= ' ')
        size++;
    if (size > 0)
        memcpy(line, d->arrived.at + d->at, size);
    line[size] = 0;
    bool is_page = line[0] == '<';
    return flm_error_set(&d->error, FLM_ERROR_SYSTEM, "the server's status is %ld%s%s", status,
                         size > 0 && !is_page ? ": " : "", is_page ? "" : line);
}

static bool set_options(struct flm_download *d, const char *url)
{
    __typeof__(curl_easy_setopt) *set = d->curl.easy_setopt;
    CURL *e = d->easy;
    bool good = set(e, CURLOPT_URL, url) == CURLE_OK &&
                set(e, CURLOPT_WRITEFUNCTION, receive) == CURLE_OK &&
                set(e, CURLOPT_WRITEDATA, (void *)d) == CURLE_OK &&
                set(e, CURLOPT_ERRORBUFFER, d->reason) == CURLE_OK &&
                set(e, CURLOPT_USERAGENT, "flamel") == CURLE_OK &&
                set(e, CURLOPT_FOLLOWLOCATION, 1L) == CURLE_OK &&
                set(e, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS) == CURLE_OK &&
                set(e, CURLOPT_CONNECTTIMEOUT, (long)FLM_CONNECT_SECONDS) == CURLE_OK &&
                set(e, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
    /* A redirect to a file of this machine would be read with its user's rights. The option with a
     * mask is the one that every version of the library has. */
    return good &&
           set(e, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)) == CURLE_OK &&
           set(e, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)) == CURLE_OK;
}

static bool begin(struct flm_download *d, const char *url)
{
    if (!flm_curl_open(&d->curl, &d->error))
        return false;
    d->easy = d->curl.easy_init();
    d->multi = d->easy ? d->curl.multi_init() : NULL;
    if (!d->multi || !set_options(d, url) ||
        d->curl.multi_add_handle(d->multi, d->easy) != CURLM_OK)
        return flm_error_memory(&d->error);
    if (!wait_for_bytes(d))
        return false;
    long status = 0;
    d->curl.easy_getinfo(d->easy, CURLINFO_RESPONSE_CODE, &status);
    return (status >= 200 && status < 300) || refuse(d, status);
}

struct flm_download *flm_download_open(const char *url, bool (*waiting)(void *context),
                                       void *context, struct flm_error *why)
{
    assert(url && flm_is_url(url));
    struct flm_download *d = calloc(1, sizeof *d);
    if (!d) {
        flm_error_memory(why);
        return NULL;
    }
    d->waiting = waiting;
    d->context = context;
    if (begin(d, url))
        return d;
    if (why)
        *why = d->error;
    flm_download_close(d);
    return NULL;
}

const struct flm_error *flm_download_error(const struct flm_download *d)
{
    return &d->error;
}

uint64_t flm_download_size(const struct flm_download *d)
{
    curl_off_t size = 0;
    d->curl.easy_getinfo(d->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    return size > 0 ? (uint64_t)size : 0;
}

void flm_download_close(struct flm_download *d)
{
    if (!d)
        return;
    if (d->multi && d->easy)
        d->curl.multi_remove_handle(d->multi, d->easy);
    if (d->easy)
        d->curl.easy_cleanup(d->easy);
    if (d->multi)
        d->curl.multi_cleanup(d->multi);
    flm_text_clear(&d->arrived);
    free(d);
}

#endif
