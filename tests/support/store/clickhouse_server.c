#include "support/store/clickhouse_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "net/http_request.h"
#include "os/file_bytes.h"

static const char program[] = "/usr/sbin/clickhouse-server";

static uint16_t free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(s >= 0);
    assert_int_equal(bind(s, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(s, (struct sockaddr *)&address, &size), 0);
    close(s);
    return ntohs(address.sin_port);
}

static void write_file(const struct clickhouse_server *c, const char *name, struct flm_text *text)
{
    char path[100];
    struct flm_error why;
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    if (!flm_file_write(path, (struct flm_bytes){text->at, text->size}, &why))
        fail_msg("%s", why.text);
    flm_text_clear(text);
}

static void write_config(const struct clickhouse_server *c)
{
    struct flm_text text = {0};
    flm_text_format(
        &text,
        "<?xml version=\"1.0\"?>\n<yandex>\n"
        "<logger><level>warning</level><log>%s/log</log><errorlog>%s/errors</errorlog></logger>\n"
        "<http_port>%u</http_port><tcp_port>%u</tcp_port><listen_host>127.0.0.1</listen_host>\n"
        "<path>%s/data/</path><tmp_path>%s/tmp/</tmp_path>\n"
        "<users_config>%s/users.xml</users_config>\n"
        "<default_profile>default</default_profile>\n"
        "<default_database>default</default_database>\n"
        "<mark_cache_size>67108864</mark_cache_size>\n"
        "<max_concurrent_queries>50</max_concurrent_queries>\n"
        "<compression><case><min_part_size>0</min_part_size>"
        "<min_part_size_ratio>0</min_part_size_ratio><method>zstd</method></case></compression>\n"
        "</yandex>\n",
        c->folder, c->folder, c->http_port, c->tcp_port, c->folder, c->folder, c->folder);
    write_file(c, "config.xml", &text);
    flm_text_puts(&text,
                  "<?xml version=\"1.0\"?>\n<yandex>\n"
                  "<profiles><default><max_memory_usage>2000000000</max_memory_usage>"
                  "<background_pool_size>2</background_pool_size></default></profiles>\n"
                  "<users><default><password></password><networks><ip>127.0.0.1</ip></networks>"
                  "<profile>default</profile><quota>default</quota></default>\n"
                  "<reader><password>secret/word</password><networks><ip>127.0.0.1</ip></networks>"
                  "<profile>default</profile><quota>default</quota></reader></users>\n"
                  "<quotas><default><interval><duration>3600</duration><queries>0</queries>"
                  "<errors>0</errors><result_rows>0</result_rows><read_rows>0</read_rows>"
                  "<execution_time>0</execution_time></interval></default></quotas>\n"
                  "</yandex>\n");
    write_file(c, "users.xml", &text);
}

static void begin(struct clickhouse_server *c)
{
    char config[100], log[100];
    snprintf(config, sizeof config, "--config-file=%s/config.xml", c->folder);
    snprintf(log, sizeof log, "%s/output", c->folder);
    c->process = fork();
    assert_true(c->process >= 0);
    if (c->process > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(126);
    execl(program, program, config, (char *)NULL);
    _exit(127);
}

static bool answers(const struct clickhouse_server *c)
{
    char url[64];
    struct flm_http_reply reply;
    snprintf(url, sizeof url, "http://127.0.0.1:%u/ping", c->http_port);
    const struct flm_http_call call = {.url = url, .most_s = 5};
    bool good = flm_http_call(&call, &reply, NULL) && reply.status == 200;
    flm_http_reply_clear(&reply);
    return good;
}

void clickhouse_await(struct clickhouse_server *c)
{
    const struct timespec moment = {0, 20000000};
    while (!answers(c)) {
        int status;
        if (waitpid(c->process, &status, WNOHANG) == c->process)
            fail_msg("the server ended with status %d: see %s", status, c->folder);
        nanosleep(&moment, NULL);
    }
}

void clickhouse_place(struct clickhouse_server *c)
{
    *c = (struct clickhouse_server){.folder = "/tmp/flamel-clickhouse-XXXXXX"};
    assert_non_null(mkdtemp(c->folder));
    c->http_port = free_port();
    c->tcp_port = free_port();
}

bool clickhouse_start(struct clickhouse_server *c)
{
    if (access(program, X_OK) != 0) {
        print_message("there is no clickhouse-server here: not tested with it\n");
        return false;
    }
    clickhouse_place(c);
    write_config(c);
    clickhouse_again(c);
    return true;
}

const char *clickhouse_location(const struct clickhouse_server *c, const char *database)
{
    static char location[128];
    snprintf(location, sizeof location, "clickhouse://127.0.0.1:%u/%s", c->http_port, database);
    return location;
}

void clickhouse_kill(struct clickhouse_server *c)
{
    int status;
    kill(c->process, SIGKILL);
    assert_int_equal(waitpid(c->process, &status, 0), c->process);
    c->process = 0;
}

void clickhouse_again(struct clickhouse_server *c)
{
    begin(c);
    clickhouse_await(c);
}

const char *clickhouse_ask(const struct clickhouse_server *c, const char *sql)
{
    static char answer[4096];
    char url[64];
    struct flm_http_reply reply;
    struct flm_error why;
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", c->http_port);
    const struct flm_http_call call = {.url = url, .body = flm_bytes_of(sql), .has_body = true};
    if (!flm_http_call(&call, &reply, &why))
        fail_msg("%s: %s", sql, why.text);
    snprintf(answer, sizeof answer, "%.*s", (int)reply.body.size,
             reply.body.at ? reply.body.at : "");
    if (reply.status != 200)
        fail_msg("%s: %s", sql, answer);
    flm_http_reply_clear(&reply);
    answer[strcspn(answer, "\n")] = 0;
    return answer;
}

void clickhouse_stop(struct clickhouse_server *c)
{
    char command[100];
    if (c->process > 0)
        clickhouse_kill(c);
    snprintf(command, sizeof command, "rm -rf %s", c->folder);
    assert_int_equal(system(command), 0);
}
