#!/bin/sh
# Statements of SQLite and PostgreSQL, transfers of libcurl, where they are: sql.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
probe=$(ls "$build"/libflamel-probe.so.[0-9]* | head -1)
bad=0
complain()
{
    echo "$1"
    bad=1
}
has()
{
    grep -qx "$1" "$work/told" || {
        echo "not: $1"
        bad=1
        grep -F "$(echo "$1" | cut -d' ' -f1-3 | tr -d '\\')" "$work/told"
    }
}
compiles()
{
    echo "$1" > "$work/try.c"
    $cc "$work/try.c" -o "$work/try" $2 2> /dev/null
}
$cc -O1 -Iinclude tests/probe/programs/dump.c -o "$work/dump" || exit 1

$cc -g -fsanitize=address,undefined -Iinclude tests/probe/programs/normalize.c probe/front/clients/normalize.c -o "$work/normalize" || exit 1
"$work/normalize" || complain "normalize: wrong"

# ---- SQLite ----
if compiles '#include <sqlite3.h>
int main(void) { return sqlite3_libversion_number() == 0; }' -lsqlite3; then
    cat > "$work/lite.c" << 'END'
#include <sqlite3.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    sqlite3 *base;
    sqlite3_stmt *one;
    char text[200];
    long sum = 0;
    if (argc < 2 || sqlite3_open(argv[1], &base) != SQLITE_OK)
        return 1;
    sqlite3_exec(base, "CREATE TABLE t (a INTEGER, b TEXT)", NULL, NULL, NULL);
    sqlite3_exec(base, "BEGIN", NULL, NULL, NULL);
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "INSERT INTO t VALUES (%d, 'it''s %d')", i, i);
        sqlite3_exec(base, text, NULL, NULL, NULL);
    }
    sqlite3_exec(base, "COMMIT", NULL, NULL, NULL);
    sqlite3_prepare_v2(base, "SELECT a FROM t WHERE a < ?1", -1, &one, NULL);
    for (int i = 0; i < 5; i++) {
        sqlite3_bind_int(one, 1, 10);
        while (sqlite3_step(one) == SQLITE_ROW)
            sum += sqlite3_column_int(one, 0);
        sqlite3_reset(one);
    }
    sqlite3_bind_int(one, 1, 10); /* not to its end */
    for (int i = 0; i < 3; i++)
        sqlite3_step(one);
    sqlite3_finalize(one);
    sqlite3_exec(base, "SELECT nothing FROM nowhere", NULL, NULL, NULL);
    sqlite3_close(base);
    printf("%ld\n", sum);
    return 0;
}
END
    $cc -O1 "$work/lite.c" -o "$work/lite" -lsqlite3 || exit 1
    FLAMEL=file:$work/file LD_PRELOAD=$probe "$work/lite" "$work/base" > "$work/out" || complain "sqlite: it fails"
    [ "$(cat "$work/out")" = 225 ] || complain "sqlite: other results"
    "$work/dump" "$work/file" > "$work/told"
    has 'node 9.0 INSERT_INTO_t_VALUES_(?) 100 100 0 0 root'
    has 'node 9.0 SELECT_a_FROM_t_WHERE_a_<_? 6 6 53 0 root'
    has 'meter 9.0 SELECT_a_FROM_t_WHERE_a_<_? 0 6 .*'
    has 'node 9.0 SELECT_nothing_FROM_nowhere 1 1 0 1 root'
    has 'node 9.0 COMMIT 1 1 0 0 root'
    grep -q '^node 5\.8 .*/base [0-9 ]* root;COMMIT$' "$work/told" || complain "sqlite: COMMIT writes nothing"
    # libsqlite3 is loaded by dlopen() there, and nobody else sees it.
    if python3 -c 'import sqlite3' 2> /dev/null; then
        python=$(python3 -c 'import sys; print(sys.executable)') # it may be a script that runs another one
        FLAMEL=file:$work/file LD_PRELOAD=$probe "$python" -c '
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE t (a)")
for i in range(7):
    base.execute("INSERT INTO t VALUES (%d)" % i)
print(base.execute("SELECT sum(a) FROM t").fetchall())' > "$work/out" || complain "python: it fails"
        [ "$(cat "$work/out")" = '[(21,)]' ] || complain "python: other results"
        "$work/dump" "$work/file" > "$work/told"
        grep -q 'sqlite3_step' "$(python3 -c 'import _sqlite3; print(_sqlite3.__file__)')" &&
            has 'node 9.0 INSERT_INTO_t_VALUES_(?) 7 7 0 0 root'
    fi
else
    echo "no SQLite: skipped"
fi

# ---- PostgreSQL ----
server=$(PATH=$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' :) command -v initdb)
if [ -n "$server" ] && compiles '#include <libpq-fe.h>
int main(void) { return PQlibVersion() == 0; }' "-I/usr/include/postgresql -lpq"; then
    cat > "$work/pq.c" << 'END'
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

static void take(PGconn *base, PGresult *result)
{
    (void)base;
    PQclear(result);
}

int main(int argc, char **argv)
{
    char text[200];
    const char *value = "5";
    PGresult *result;
    int rows = 0;
    PGconn *base = PQconnectdb(argc > 1 ? argv[1] : "");
    if (PQstatus(base) != CONNECTION_OK)
        return 1;
    take(base, PQexec(base, "CREATE TEMP TABLE t (a int)"));
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "INSERT INTO t VALUES (%d)", i);
        take(base, PQexec(base, text));
    }
    take(base, PQexecParams(base, "SELECT a FROM t WHERE a IN ($1, 2)", 1, NULL, &value, NULL, NULL, 0));
    take(base, PQprepare(base, "it", "SELECT count(*) FROM t WHERE a > $1", 1, NULL));
    for (int i = 0; i < 4; i++)
        take(base, PQexecPrepared(base, "it", 1, &value, NULL, NULL, 0));
    for (int i = 0; i < 3; i++) {
        PQsendQuery(base, "SELECT pg_sleep(0.01)");
        while ((result = PQgetResult(base))) {
            rows += PQntuples(result);
            PQclear(result);
        }
    }
    take(base, PQexec(base, "SELECT wrong"));
    PQfinish(base);
    printf("%d\n", rows);
    return 0;
}
END
    $cc -O1 -I/usr/include/postgresql "$work/pq.c" -o "$work/pq" -lpq || exit 1
    as=
    if [ "$(id -u)" = 0 ]; then
        as="setpriv --reuid=65534 --regid=65534 --clear-groups"
        mkdir "$work/pg" && chown 65534 "$work/pg" && chmod 755 "$work"
    fi
    path=$(dirname "$(readlink -f "$server")")
    if (cd / && $as "$path/initdb" -D "$work/pg/data" -U it -A trust > "$work/initdb" 2>&1 &&
        $as "$path/pg_ctl" -D "$work/pg/data" -w -l "$work/pg/log" \
            -o "-c listen_addresses='' -k $work/pg -c fsync=off" start > /dev/null 2>&1); then
        FLAMEL=file:$work/file LD_PRELOAD=$probe "$work/pq" "host=$work/pg user=it dbname=postgres" > "$work/out" ||
            complain "libpq: it fails"
        (cd / && $as "$path/pg_ctl" -D "$work/pg/data" -m immediate stop > /dev/null)
        [ "$(cat "$work/out")" = 3 ] || complain "libpq: other results"
        "$work/dump" "$work/file" > "$work/told"
        has 'node 9.0 INSERT_INTO_t_VALUES_(?) 20 20 0 0 root'
        has 'node 9.0 SELECT_a_FROM_t_WHERE_a_IN_(?) 1 1 0 0 root'
        has 'node 9.0 SELECT_count(\*)_FROM_t_WHERE_a_>_? 4 4 0 0 root'
        has 'node 9.0 SELECT_pg_sleep(?) 3 3 0 0 root'
        has 'node 9.0 SELECT_wrong 1 1 0 1 root'
        grep -q '^node 5\.8 .*/\.s\.PGSQL\.5432 20 .*root;INSERT_INTO_t_VALUES_(?)$' "$work/told" ||
            complain "libpq: what it sends is not in the statement"
    else
        echo "PostgreSQL does not start: skipped"
    fi
else
    echo "no PostgreSQL: skipped"
fi

# ---- libcurl ----
if command -v python3 > /dev/null && compiles '#include <curl/curl.h>
int main(void) { return curl_version() == 0; }' -lcurl; then
    cat > "$work/get.c" << 'END'
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

static size_t count(char *bytes, size_t size, size_t many, void *sum)
{
    (void)bytes;
    *(size_t *)sum += size * many;
    return size * many;
}

int main(int argc, char **argv)
{
    char url[200];
    size_t sum = 0;
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &sum);
    for (int i = 0; i < 5; i++) {
        snprintf(url, sizeof url, "http://127.0.0.1:%s/users/%d?q=%d", argc > 1 ? argv[1] : "", i, i);
        curl_easy_setopt(easy, CURLOPT_URL, url);
        if (curl_easy_perform(easy) != CURLE_OK)
            return 1;
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%s/missing", argv[1]);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_perform(easy);
    CURLM *multi = curl_multi_init();
    snprintf(url, sizeof url, "http://127.0.0.1:%s/many", argv[1]);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_multi_add_handle(multi, easy);
    int running = 1, left;
    while (running > 0 && curl_multi_perform(multi, &running) == CURLM_OK)
        curl_multi_poll(multi, NULL, 0, 100, NULL);
    CURLMsg *message = curl_multi_info_read(multi, &left);
    printf("%zu %d\n", sum, message ? (int)message->data.result : -1);
    curl_multi_remove_handle(multi, easy);
    curl_multi_cleanup(multi);
    curl_easy_cleanup(easy);
    return 0;
}
END
    $cc -O1 "$work/get.c" -o "$work/get" -lcurl || exit 1
    python3 -c '
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("Content-Length", "10")
        self.end_headers()
        self.wfile.write(b"0123456789")
    def log_message(self, *more):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()' > "$work/port" & server=$!
    while [ ! -s "$work/port" ] && kill -0 $server 2> /dev/null; do
        sleep 0.1
    done
    port=$(cat "$work/port")
    FLAMEL=file:$work/file LD_PRELOAD=$probe "$work/get" "$port" > "$work/out" || complain "libcurl: it fails"
    kill $server
    [ "$(cat "$work/out")" = '70 0' ] || complain "libcurl: other results: $(cat "$work/out")"
    "$work/dump" "$work/file" > "$work/told"
    has "node 10.0 GET_http://127.0.0.1:$port/users/{id} 5 5 50 0 root"
    has "node 10.0 GET_http://127.0.0.1:$port/missing 1 1 10 1 root"
    has "node 10.0 GET_http://127.0.0.1:$port/many 1 1 10 0 root"
    has "meter 10.0 GET_http://127.0.0.1:$port/users/{id} 12 5 .*"
    grep -q "^node 5\.11 127.0.0.1:$port 1 .*root;GET_http" "$work/told" || complain "libcurl: it does not connect in the transfer"
else
    echo "no libcurl: skipped"
fi
exit $bad
