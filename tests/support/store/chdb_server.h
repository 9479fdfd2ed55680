/* chdb_server.h - the current ClickHouse for a test: its engine as a library (chDB, the npm package
 * @chdb/lib-linux-x64-gnu, 167 MB), behind so much of its HTTP interface as stores use. */
#ifndef FLAMEL_TESTS_SUPPORT_STORE_CHDB_SERVER_H
#define FLAMEL_TESTS_SUPPORT_STORE_CHDB_SERVER_H

#include "support/store/clickhouse_server.h"

/* Starts it, as clickhouse_start does, and is ended by clickhouse_stop. The library is where
 * CHDB_LIBRARY says, or among the global packages of npm. False, and says so, where it is not. */
bool chdb_start(struct clickhouse_server *server);

#endif
