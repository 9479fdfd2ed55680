#include "serve/core/serving.h"

#include <strings.h>

#include "base/text/json_write.h"
#include "serve/http/body.h"

void flm_fail_text(const struct flm_http_request *request, struct flm_http_response *response,
                   unsigned status, const char *message)
{
    (void)request;
    flm_http_say(response, status, "%s", message);
}

static void write_json(struct flm_http_response *response, unsigned status,
                       const char *const pairs[][2], size_t count)
{
    struct flm_json_writer json = {.out = &response->body};
    response->status = status;
    response->type = "application/json";
    response->body.size = 0;
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    for (size_t i = 0; i < count; i++)
        flm_json_add_text(&json, pairs[i][0], flm_bytes_of(pairs[i][1]));
    flm_json_end(&json);
}

void flm_fail_json(const struct flm_http_request *request, struct flm_http_response *response,
                   unsigned status, const char *message)
{
    const char *const pairs[][2] = {{"error", message}};
    (void)request;
    write_json(response, status, pairs, 1);
}

void flm_fail_connect(const struct flm_http_request *request, struct flm_http_response *response,
                      unsigned status, const char *message)
{
    static const struct {
        unsigned status;
        const char *code;
    } codes[] = {{400, "invalid_argument"},   {401, "unauthenticated"},
                 {403, "permission_denied"},  {404, "unimplemented"},
                 {413, "resource_exhausted"}, {422, "invalid_argument"},
                 {429, "resource_exhausted"}, {503, "unavailable"}};
    const char *code = "internal";
    (void)request;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].status == status)
            code = codes[i].code;
    const char *const pairs[][2] = {{"code", code}, {"message", message}};
    /* 422 is no status of Connect. */
    write_json(response, status == 422 ? 400 : status, pairs, 2);
}

unsigned flm_status_of(const struct flm_error *why, unsigned invalid)
{
    switch (why->kind) {
    case FLM_ERROR_MEMORY:
    case FLM_ERROR_SYSTEM:
        return 503;
    default:
        return invalid;
    }
}

/* More than this decompressed is one body at a time, so that the workers together do not need more
 * than a few of it. */
enum { MOST_AT_ONCE = 4 << 20 };

static bool decompress(struct flm_serving *s, struct flm_bytes body, struct flm_text *out,
                       struct flm_bytes *plain, struct flm_error *why)
{
    size_t few = s->most_plain < MOST_AT_ONCE ? s->most_plain : MOST_AT_ONCE;
    if (!flm_body_is_compressed(body) || flm_body_plain(body, few, out, plain, why))
        return true;
    if (why->kind != FLM_ERROR_RANGE || few == s->most_plain)
        return false;
    pthread_mutex_lock(&s->large);
    bool good = flm_body_plain(body, s->most_plain, out, plain, why);
    pthread_mutex_unlock(&s->large);
    return good;
}

bool flm_serve_body(struct flm_serving *s, const struct flm_http_request *request,
                    struct flm_text *out, struct flm_bytes *plain, flm_serve_fail fail,
                    struct flm_http_response *response)
{
    const char *encoding = flm_http_header(request, "Content-Encoding");
    struct flm_error why;
    *plain = request->body;
    if (encoding && strcasecmp(encoding, "gzip") != 0 && strcasecmp(encoding, "zstd") != 0 &&
        strcasecmp(encoding, "identity") != 0) {
        fail(request, response, 415, "Content-Encoding may be gzip or zstd");
        return false;
    }
    atomic_fetch_add(&s->count.received_bytes, request->body.size);
    if (!decompress(s, request->body, out, plain, &why)) {
        fail(request, response, why.kind == FLM_ERROR_RANGE ? 413 : flm_status_of(&why, 400),
             why.text);
        return false;
    }
    atomic_fetch_add(&s->count.plain_bytes, plain->size);
    return true;
}
