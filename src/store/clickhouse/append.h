/* append.h - batches into a ClickHouse store: whoever is first sends for all who wait.
 *
 *     ids of batches   looked for among the marks of the same hour and the one before
 *     stacks, series   those that the server does not have; twice does no harm
 *     blocks           one insert each, of one day: all of it is in, or nothing
 *
 * When nobody saw how an insert ended (a timeout, a connection that broke), the store asks for the
 * marks of its block, and sends again what is not there. While the server is still at it, it
 * refuses a query with the same id, so that the answer cannot come too early. */
#ifndef FLAMEL_STORE_CLICKHOUSE_APPEND_H
#define FLAMEL_STORE_CLICKHOUSE_APPEND_H

#include "store/clickhouse/internal.h"

/* Sends what `out` has made: true when the server has it all. */
bool flm_ch_send(struct flm_clickhouse *store, struct flm_outgoing *out, struct flm_error *why);

#endif
