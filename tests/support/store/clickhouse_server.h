/* clickhouse_server.h - a ClickHouse server for a test: its own folder, free ports, this machine
 * alone. */
#ifndef FLAMEL_TESTS_SUPPORT_STORE_CLICKHOUSE_SERVER_H
#define FLAMEL_TESTS_SUPPORT_STORE_CLICKHOUSE_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct clickhouse_server {
    char folder[64];
    uint16_t http_port, tcp_port;
    pid_t process; /* 0: it does not run */
};

/* Starts Debian's clickhouse-server, and waits until it answers. False, and says so, where it is
 * not installed. */
bool clickhouse_start(struct clickhouse_server *server);

/* "clickhouse://127.0.0.1:PORT/DATABASE": good until the next call. */
const char *clickhouse_location(const struct clickhouse_server *server, const char *database);

/* As a machine that fails (SIGKILL); and back, with the same ports and data, when it answers. The
 * server ends with the thread that starts it. */
void clickhouse_kill(struct clickhouse_server *server);
void clickhouse_again(struct clickhouse_server *server);

/* The first line of what a statement says, through HTTP. The test fails where it fails. Good until
 * the next call. */
const char *clickhouse_ask(const struct clickhouse_server *server, const char *sql);

/* What starting is made of: a folder and ports; and waiting until it answers. */
void clickhouse_place(struct clickhouse_server *server);
void clickhouse_await(struct clickhouse_server *server);

void clickhouse_stop(struct clickhouse_server *server);

#endif
