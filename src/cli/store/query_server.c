/* query_server.c - what `flamel query` asks a server: times go as they were given, since "-1h" is by
 * its clock, as the times of its profiles are. */
#include <stdio.h>

#include "cli/common/load_options.h"
#include "cli/common/memory_limit.h"
#include "cli/server/refusal.h"
#include "cli/store/query_fields.h"
#include "flamel/file.h"
#include "net/url.h"

static const size_t MOST_RESPONSE = (size_t)2 << 30;
enum { MOST_NODES = 2000000 }; /* FLM_SERVE_MOST_NODES of the server */

static void add_parameter(struct flm_text *url, const char *name, const char *value)
{
    if (value && *value)
        flm_url_parameter(url, name, flm_bytes_of(value));
}

bool flm_query_ask(const struct flm_query_fields *f, const char *path, const char *const (*more)[2],
                   size_t more_count, const char *wanted_header, struct flm_http_reply *reply,
                   struct flm_error *why)
{
    struct flm_text url = {0}, token = {0};
    char reason[200];
    *reply = (struct flm_http_reply){0};
    flm_url_begin(&url, f->server.url, path);
    add_parameter(&url, "selector", f->selector);
    add_parameter(&url, "from", f->from);
    add_parameter(&url, "until", f->until);
    add_parameter(&url, "type", f->type);
    for (size_t i = 0; i < more_count; i++)
        add_parameter(&url, more[i][0], more[i][1]);
    flm_text_putc(&url, 0);
    bool good = (!url.failed || flm_error_memory(why)) &&
                flm_server_read(&f->server, "server", &token, why);
    const struct flm_http_call call = {.url = url.at,
                                       .token = token.at,
                                       .tenant = f->server.tenant,
                                       .authorities = f->server.authorities,
                                       .wanted_header = wanted_header,
                                       .most_body = MOST_RESPONSE};
    if (good && !flm_http_call(&call, reply, why))
        good = flm_error_within(why, f->server.url);
    if (good && reply->status != 200) {
        flm_refusal_reason(reply, reason);
        good = flm_error_set(why, FLM_ERROR_USAGE, "%s: the server's status is %d: %s",
                             f->server.url, reply->status, reason);
    }
    flm_text_clear(&url);
    flm_text_clear(&token);
    return good;
}

struct flm_profile *flm_query_ask_merge(const struct flm_query_fields *f, struct flm_error *why)
{
    struct flm_http_reply reply;
    struct flm_profile *p = NULL;
    char nodes[16];
    snprintf(nodes, sizeof nodes, "%d", f->nodes >= 0 ? f->nodes : MOST_NODES);
    const char *const more[][2] = {
        {"compare", f->compare}, {"compare_selector", f->compare_selector}, {"nodes", nodes}};
    const struct flm_load_options load = {.size = sizeof load, .format = "flm"};
    if (flm_query_ask(f, "/api/v1/merge", more, 3, NULL, &reply, why)) {
        p = flm_memory_limit_begin(why)
                ? flm_load_memory(reply.body.at, reply.body.size, &load, why)
                : NULL;
        if (!p)
            flm_error_within(why, f->server.url);
    }
    flm_http_reply_clear(&reply);
    return p;
}
