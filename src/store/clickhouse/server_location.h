/* server_location.h - where a ClickHouse store is, as a user writes it:
 *
 *     clickhouse://host                             database flamel, at port 8123
 *     clickhouse://user@host:8123/database          a password in a file: ?password-file=PATH
 *     clickhouse://host/flamel?cluster=main         tables on every machine of a cluster
 *     clickhouse://host/flamel?tls                  https, at port 8443
 *
 * Names of databases and clusters are letters, digits and _, so they need no quotes in SQL. */
#ifndef FLAMEL_STORE_CLICKHOUSE_SERVER_LOCATION_H
#define FLAMEL_STORE_CLICKHOUSE_SERVER_LOCATION_H

#include "base/core/bytes.h"
#include "flamel/error.h"

enum { FLM_CLICKHOUSE_NAME = 64 };

struct flm_clickhouse_location {
    char url[1024]; /* "http://user:password@host:8123/": never to be printed */
    char host[300]; /* "host:8123", for messages */
    char database[FLM_CLICKHOUSE_NAME], cluster[FLM_CLICKHOUSE_NAME]; /* cluster "": none */
};

bool flm_clickhouse_takes(const char *location);

/* False, and `why`. */
bool flm_clickhouse_locate(const char *text, struct flm_clickhouse_location *location,
                           struct flm_error *why);

#endif
