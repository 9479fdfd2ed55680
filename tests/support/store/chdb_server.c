#include "support/store/chdb_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "os/file_bytes.h"
#include "serve/http/http_server.h"

/* What is called of the library, as its project declares it: it comes without a header. */
struct chdb {
    void *(*connect)(int count, char **arguments); /* a pointer to a connection */
    void *(*query)(void *connection, const char *sql, size_t size, const char *format,
                   size_t format_size);
    char *(*buffer)(void *result);
    size_t (*length)(void *result);
    const char *(*error)(void *result);
    void (*destroy)(void *result);
    void **connection;
    char rows[100]; /* a file */
};

static const char *find_library(void)
{
    static const char *const paths[] = {
        "/usr/local/lib/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so",
        "/usr/lib/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so"};
    const char *path = getenv("CHDB_LIBRARY");
    for (size_t i = 0; !path && i < sizeof paths / sizeof *paths; i++)
        path = access(paths[i], R_OK) == 0 ? paths[i] : NULL;
    return path;
}

static bool load(struct chdb *chdb, const char *path)
{
    static const char *const names[] = {"chdb_connect",       "chdb_query_n",
                                        "chdb_result_buffer", "chdb_result_length",
                                        "chdb_result_error",  "chdb_destroy_query_result"};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void **functions = (void **)chdb;
    for (size_t i = 0; library && i < sizeof names / sizeof *names; i++)
        if (!(functions[i] = dlsym(library, names[i])))
            library = NULL;
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    return library != NULL;
}

static void run_sql(struct chdb *chdb, struct flm_bytes sql, struct flm_http_response *response)
{
    static const char format[] = "TabSeparated";
    void *result = chdb->query(*chdb->connection, sql.at, sql.size, format, sizeof format - 1);
    const char *error = result ? chdb->error(result) : "Code: 999. no result";
    if (error && *error) {
        response->status = 500;
        flm_text_puts(&response->body, error);
    } else {
        flm_text_add(&response->body,
                     (struct flm_bytes){chdb->buffer(result), chdb->length(result)});
    }
    if (result)
        chdb->destroy(result);
}

/* "INSERT INTO t FORMAT f" with the rows in a file: in a query they would end at an empty line. */
static void run_insert(struct chdb *chdb, const char *query, struct flm_bytes rows,
                       struct flm_http_response *response)
{
    const char *format = strstr(query, " FORMAT ");
    struct flm_text sql = {0};
    struct flm_error why;
    if (!format || !flm_file_write(chdb->rows, rows, &why)) {
        response->status = 500;
        return;
    }
    flm_text_format(&sql, "%.*s FROM INFILE '%s'%s", (int)(format - query), query, chdb->rows,
                    format);
    run_sql(chdb, (struct flm_bytes){sql.at, sql.size}, response);
    flm_text_clear(&sql);
}

static bool admit(void *context, struct flm_http_request *request,
                  struct flm_http_response *response)
{
    (void)context, (void)request, (void)response;
    return true;
}

static void respond(void *context, struct flm_http_request *request,
                    struct flm_http_response *response)
{
    const char *query = flm_http_parameter(request, "query");
    if (strcmp(request->path, "/ping") == 0)
        flm_http_say(response, 200, "Ok.");
    else if (query)
        run_insert(context, query, request->body, response);
    else
        run_sql(context, request->body, response);
}

/* In a process of its own, until it is killed: the library handles signals, and is large. */
static void serve(const struct clickhouse_server *c, const char *path)
{
    static struct chdb chdb;
    char name[] = "clickhouse", folder[100];
    struct flm_http_response ignored = {0};
    snprintf(chdb.rows, sizeof chdb.rows, "%s/rows", c->folder);
    snprintf(folder, sizeof folder, "--path=%s/data", c->folder);
    char *arguments[] = {name, folder};
    const struct flm_http_options options = {.host = "127.0.0.1",
                                             .port = c->http_port,
                                             .most_body = (size_t)256 << 20,
                                             .most_bodies = (size_t)512 << 20,
                                             .most_connections = 100,
                                             .most_of_peer = 100,
                                             .workers = 1, /* one statement at a time */
                                             .admit = admit,
                                             .answer = respond,
                                             .context = &chdb};
    struct flm_error why;
    if (!load(&chdb, path) || !(chdb.connection = chdb.connect(2, arguments)))
        _exit(126);
    run_sql(&chdb, flm_bytes_of("SET max_query_size = 16777216"), &ignored);
    struct flm_http_server *server = flm_http_server_open(&options, &why);
    if (!server || !flm_http_server_start(server, &why))
        _exit(125);
    for (;;)
        pause();
}

bool chdb_start(struct clickhouse_server *c)
{
    const char *path = find_library();
    if (!path) {
        print_message("there is no libchdb.so here: not tested with it\n");
        return false;
    }
    clickhouse_place(c);
    c->process = fork();
    assert_true(c->process >= 0);
    if (c->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(c, path);
    }
    clickhouse_await(c);
    return true;
}
