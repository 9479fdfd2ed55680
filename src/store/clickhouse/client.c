#include "store/clickhouse/client.h"

#include "net/http_request.h"
#include "net/url.h"

static const size_t MOST_RESPONSE = (size_t)1 << 30;

/* Failures that pass: the server is busy, starts, loses its keeper, has too many parts ... By the
 * numbers of ClickHouse's ErrorCodes. */
static bool passes(unsigned code)
{
    static const unsigned codes[] = {
        159, /* TIMEOUT_EXCEEDED */
        202, /* TOO_MANY_SIMULTANEOUS_QUERIES */
        203, /* NO_FREE_CONNECTION */
        209, /* SOCKET_TIMEOUT */
        210, /* NETWORK_ERROR */
        216, /* QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING */
        225, /* NO_ZOOKEEPER */
        236, /* ABORTED */
        241, /* MEMORY_LIMIT_EXCEEDED */
        242, /* TABLE_IS_READ_ONLY */
        244, /* UNEXPECTED_ZOOKEEPER_ERROR */
        252, /* TOO_MANY_PARTS */
        254, /* NO_ACTIVE_REPLICAS */
        279, /* ALL_CONNECTION_TRIES_FAILED */
        285, /* TOO_FEW_LIVE_REPLICAS */
        286, /* UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE */
        319, /* UNKNOWN_STATUS_OF_INSERT */
        394, /* QUERY_WAS_CANCELLED */
        999, /* KEEPER_EXCEPTION */
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i] == code)
            return true;
    return false;
}

enum flm_clickhouse_outcome flm_clickhouse_meaning(struct flm_bytes text)
{
    static const char start[] = "Code: ";
    unsigned code = 0;
    size_t at = sizeof start - 1;
    if (!flm_bytes_start_with(text, start))
        return FLM_CH_LATER; /* of a proxy, say */
    for (; at < text.size && text.at[at] >= '0' && text.at[at] <= '9' && code < 100000; at++)
        code = 10 * code + (unsigned)(text.at[at] - '0');
    return passes(code) ? FLM_CH_LATER : FLM_CH_REFUSED;
}

static enum flm_clickhouse_outcome fail(const struct flm_clickhouse_client *c, int status,
                                        struct flm_bytes text, struct flm_error *why)
{
    static const char inner[] = "DB::Exception: ";
    enum flm_clickhouse_outcome outcome = flm_clickhouse_meaning(text);
    struct flm_bytes said = text;
    for (size_t i = 0; i + sizeof inner <= text.size && i < 80; i++)
        if (memcmp(text.at + i, inner, sizeof inner - 1) == 0)
            said = flm_bytes_from(text, i + sizeof inner - 1);
    const char *end = memchr(said.at ? said.at : "", '\n', said.size);
    said.size = end ? (size_t)(end - said.at) : said.size;
    flm_error_set(why, FLM_ERROR_SYSTEM, "ClickHouse at %s (status %d): %.*s", c->location.host,
                  status, (int)(said.size < 200 ? said.size : 200), said.at ? said.at : "");
    return outcome;
}

static enum flm_clickhouse_outcome call(const struct flm_clickhouse_client *c, struct flm_text *url,
                                        struct flm_bytes body, struct flm_text *response,
                                        struct flm_error *why)
{
    struct flm_http_reply reply = {0};
    struct flm_error inner;
    flm_text_putc(url, 0);
    if (url->failed) {
        flm_error_memory(why);
        return FLM_CH_REFUSED;
    }
    const struct flm_http_call http = {.url = url->at,
                                       .body = body,
                                       .has_body = true,
                                       .most_s = c->most_s,
                                       .most_body = MOST_RESPONSE};
    enum flm_clickhouse_outcome outcome = FLM_CH_DONE;
    if (!flm_http_call(&http, &reply, &inner)) {
        outcome = inner.kind == FLM_ERROR_SYSTEM ? FLM_CH_LATER : FLM_CH_REFUSED;
        flm_error_set(why, inner.kind, "ClickHouse at %s: %s", c->location.host, inner.text);
    } else if (reply.status != 200) {
        outcome = fail(c, reply.status, (struct flm_bytes){reply.body.at, reply.body.size}, why);
    } else if (response) {
        flm_text_clear(response);
        *response = reply.body;
        reply.body = (struct flm_text){0};
    }
    flm_http_reply_clear(&reply);
    return outcome;
}

static void begin_url(const struct flm_clickhouse_client *c, struct flm_text *url)
{
    /* A statement of thousands of numbers is a long one. */
    static const char settings[] = "?wait_end_of_query=1&max_query_size=16777216"
                                   "&max_ast_elements=10000000&max_expanded_ast_elements=10000000";
    flm_text_puts(url, c->location.url);
    flm_text_puts(url, settings);
    if (c->location.cluster[0])
        flm_text_puts(url, "&insert_distributed_sync=1&distributed_product_mode=global"
                           "&skip_unavailable_shards=0");
}

enum flm_clickhouse_outcome flm_clickhouse_ask(const struct flm_clickhouse_client *c,
                                               struct flm_bytes sql, struct flm_text *response,
                                               struct flm_error *why)
{
    struct flm_text url = {0};
    begin_url(c, &url);
    enum flm_clickhouse_outcome outcome = call(c, &url, sql, response, why);
    flm_text_clear(&url);
    return outcome;
}

enum flm_clickhouse_outcome flm_clickhouse_insert(const struct flm_clickhouse_client *c,
                                                  const char *sql, struct flm_bytes rows,
                                                  const char *id, struct flm_error *why)
{
    struct flm_text url = {0};
    begin_url(c, &url);
    flm_url_parameter(&url, "query", flm_bytes_of(sql));
    if (*id)
        flm_url_parameter(&url, "query_id", flm_bytes_of(id));
    enum flm_clickhouse_outcome outcome = call(c, &url, rows, NULL, why);
    flm_text_clear(&url);
    return outcome;
}
