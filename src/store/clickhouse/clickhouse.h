/* clickhouse.h - a store in ClickHouse, for many machines: any number of processes use it at once.
 *
 * What there is of it: where (server_location.h), tables (schema.h), statements (client.h, sql.h),
 * what is appended (append.h, outgoing.h), what a query wants (selection.h), and stacks that were
 * met (known.h). */
#ifndef FLAMEL_STORE_CLICKHOUSE_CLICKHOUSE_H
#define FLAMEL_STORE_CLICKHOUSE_CLICKHOUSE_H

#include "store/core/store_kind.h"

extern const struct flm_store_kind flm_store_clickhouse;

#endif
