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
                 {413, "resource_exhausted"}, {415, "unimplemented"},
                 {422, "invalid_argument"},   {501, "unimplemented"},
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

static bool is_listed(const char *list, const char *name)
{
    for (;;) {
        list += strspn(list, ", ");
        struct flm_bytes one = {list, strcspn(list, ",")};
        if (one.size == 0 || flm_bytes_are(one, name))
            return one.size > 0;
        list += one.size;
    }
}

bool flm_serve_parameters(const struct flm_http_request *request, const char *known,
                          struct flm_error *why)
{
    for (size_t i = 0; i < request->query.count; i++) {
        const char *name = request->query.at[i].name;
        if (is_listed(known, name))
            continue;
        return *known ? flm_error_set(why, FLM_ERROR_USAGE, "there is no parameter '%s', only %s",
                                      name, known)
                      : flm_error_set(why, FLM_ERROR_USAGE,
                                      "there is no parameter '%s': this path takes none", name);
    }
    return true;
}

/* "gzip", or a list: the body says itself what it is, and in which order. */
static bool is_encoding_known(const char *text)
{
    static const char *const known[] = {"gzip", "x-gzip", "zstd", "identity", ""};
    struct flm_bytes rest = flm_bytes_of(text ? text : "");
    for (bool more = true; more;) {
        const char *comma = rest.size > 0 ? memchr(rest.at, ',', rest.size) : NULL;
        struct flm_bytes item = {rest.at, comma ? (size_t)(comma - rest.at) : rest.size};
        rest = flm_bytes_from(rest, item.size + (comma != NULL));
        more = comma != NULL;
        item = flm_bytes_trimmed(item);
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            found |= strlen(known[i]) == item.size &&
                     (item.size == 0 || strncasecmp(item.at, known[i], item.size) == 0);
        if (!found)
            return false;
    }
    return true;
}

bool flm_serve_body(struct flm_serving *s, const struct flm_http_request *request,
                    struct flm_body *body, flm_serve_fail fail, struct flm_http_response *response)
{
    struct flm_error why;
    *body = (struct flm_body){.budget = &s->decompressed};
    if (!is_encoding_known(flm_http_header(request, "Content-Encoding"))) {
        fail(request, response, 415, "Content-Encoding may be gzip or zstd, or a list of these");
        return false;
    }
    atomic_fetch_add(&s->count.received_bytes, request->body.size);
    if (!flm_body_read(body, request->body, s->most_plain, &why)) {
        unsigned status = why.kind == FLM_ERROR_RANGE ? 413 : flm_status_of(&why, 400);
        fail(request, response, status, why.text);
        response->retry_after_s = status == 503;
        return false;
    }
    atomic_fetch_add(&s->count.plain_bytes, body->plain.size);
    return true;
}

void flm_metric_label(struct flm_text *out, const char *name, const char *value)
{
    flm_text_format(out, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\' || *value == '\n')
            flm_text_putc(out, '\\');
        flm_text_putc(out, *value == '\n' ? 'n' : *value);
    }
    flm_text_putc(out, '"');
}

struct flm_profile *flm_serve_merge(struct flm_serving *s, const struct flm_store_query *query,
                                    struct flm_error *why)
{
    struct flm_profile *p = flm_store_merge(s->store, query, why);
    return p ? flm_addresses_name(p, &s->symbols, why) : NULL;
}
