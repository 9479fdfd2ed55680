/* client.h - statements to a ClickHouse server over HTTP, and what their failures mean.
 *
 * A statement is the body, or, with a body of rows, in the URL. Responses are whole: the server
 * is told to wait for the end, so that what fails halfway has the status of a failure. */
#ifndef FLAMEL_STORE_CLICKHOUSE_CLIENT_H
#define FLAMEL_STORE_CLICKHOUSE_CLIENT_H

#include "base/text/text.h"
#include "store/clickhouse/server_location.h"

/* What a failed statement has done. */
enum flm_clickhouse_outcome {
    FLM_CH_DONE,
    FLM_CH_REFUSED, /* not done, and will not be */
    FLM_CH_LATER,   /* not done, or nobody knows: it may be tried again */
};

struct flm_clickhouse_client {
    struct flm_clickhouse_location location;
    int most_s; /* seconds that a statement may take */
};

/* A statement without rows; `response` receives what it says, and may be NULL. */
enum flm_clickhouse_outcome flm_clickhouse_ask(const struct flm_clickhouse_client *client,
                                               struct flm_bytes sql, struct flm_text *response,
                                               struct flm_error *why);

/* INSERT INTO ... FORMAT ..., with rows. `id`: of the query, hexadecimal; "": none. A server
 * refuses to do one whose id is being done. */
enum flm_clickhouse_outcome flm_clickhouse_insert(const struct flm_clickhouse_client *client,
                                                  const char *sql, struct flm_bytes rows,
                                                  const char *id, struct flm_error *why);

/* What the text of a failure means: "Code: 60. DB::Exception: ...". */
enum flm_clickhouse_outcome flm_clickhouse_meaning(struct flm_bytes text);

#endif
