/* serve.c - `flamel serve`: the server of a store, until a signal ends it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/number/number.h"
#include "cli/command/commands.h"
#include "cli/common/messages.h"
#include "flamel/serve.h"
#include "os/clock.h"
#include "os/file_bytes.h"
#include "os/thread/threads.h"
#include "store/labels/time_text.h"

struct fields {
    const char *folder, *store, *listen, *keep, *token_file, *new_token, *tenant, *config,
        *certificate, *key, *watch, *webhook, *symbols;
    int most_series, most_body;
    bool debuginfod;
};

static const struct flm_option options[] = {
    {"data", 'd', "FOLDER", "the store (default: flamel-data); it is made where there is none",
     FLM_OPTION_TEXT, offsetof(struct fields, folder)},
    {"store", 0, "URL",
     "a store in ClickHouse instead, which any number of servers share, such as "
     "clickhouse://host:8123/flamel",
     FLM_OPTION_TEXT, offsetof(struct fields, store)},
    {"listen", 0, "ADDRESS:PORT", "where to listen (default: 127.0.0.1:4040; port 0: any)",
     FLM_OPTION_TEXT, offsetof(struct fields, listen)},
    {"keep", 0, "DURATION", "remove what is older, such as 30d (default: nothing)", FLM_OPTION_TEXT,
     offsetof(struct fields, keep)},
    {"token-file", 0, "FILE", "only requests with a token of this file", FLM_OPTION_TEXT,
     offsetof(struct fields, token_file)},
    {"new-token", 0, "RIGHTS",
     "append a token for read, write or admin (or several: read,write) to --token-file, print it, "
     "and end",
     FLM_OPTION_TEXT, offsetof(struct fields, new_token)},
    {"tenant", 0, "NAME", "with --new-token: the tenant that the token belongs to (default: any)",
     FLM_OPTION_TEXT, offsetof(struct fields, tenant)},
    {"config", 0, "FILE", "scrape /debug/pprof of the programs that are listed in this file (YAML)",
     FLM_OPTION_TEXT, offsetof(struct fields, config)},
    {"tls-cert", 0, "FILE", "speak TLS with the certificates in this file (PEM), the own one first",
     FLM_OPTION_TEXT, offsetof(struct fields, certificate)},
    {"tls-key", 0, "FILE", "the private key of --tls-cert (PEM)", FLM_OPTION_TEXT,
     offsetof(struct fields, key)},
    {"symbols", 0, "FOLDER",
     "where files with symbols are, by build id (default: symbols, in the store's folder)",
     FLM_OPTION_TEXT, offsetof(struct fields, symbols)},
    {"debuginfod", 0, NULL, "query the servers in DEBUGINFOD_URLS for symbols", FLM_OPTION_FLAG,
     offsetof(struct fields, debuginfod)},
    {"watch", 0, "STEP",
     "look for changes of each service every STEP, such as 1d: told in /metrics", FLM_OPTION_TEXT,
     offsetof(struct fields, watch)},
    {"webhook", 0, "URL", "with --watch: post each change there, as JSON", FLM_OPTION_TEXT,
     offsetof(struct fields, webhook)},
    {"max-series", 0, "N", "series of a tenant (default: 100000)", FLM_OPTION_COUNT,
     offsetof(struct fields, most_series)},
    {"max-body", 0, "MIB",
     "size of a request, and four times that when it is decompressed (default: 32)",
     FLM_OPTION_COUNT, offsetof(struct fields, most_body)},
};

/* ---- Arguments ------------------------------------------------------------------------------- */

/* "127.0.0.1:4040", "[::1]:4040"; `host` receives a copy. */
static bool split_address(const char *text, char host[64], int *port)
{
    const char *colon = strrchr(text, ':');
    uint64_t number;
    size_t size = colon ? (size_t)(colon - text) : 0;
    bool is_quoted = size > 2 && text[0] == '[' && text[size - 1] == ']';
    if (!colon || size == 0 || size >= 64 ||
        !flm_number_parse_uint(flm_bytes_of(colon + 1), &number) || number > UINT16_MAX ||
        (!is_quoted && memchr(text, ':', size))) {
        flm_message_usage("--listen is an address and a port, such as 127.0.0.1:4040, not '%s'",
                          text);
        return false;
    }
    snprintf(host, 64, "%.*s", (int)(is_quoted ? size - 2 : size), text + is_quoted);
    *port = (int)number;
    return true;
}

/* "30d": the time before a time. */
static bool read_duration(const char *option, const char *text, int64_t *duration_ms)
{
    struct flm_error why;
    char ago[64];
    const int64_t now_ms = flm_wall_ms();
    int64_t then_ms;
    snprintf(ago, sizeof ago, "-%s", text);
    if (*text && *text != '-' && flm_time_parse(flm_bytes_of(ago), now_ms, &then_ms, &why) &&
        then_ms < now_ms) {
        *duration_ms = now_ms - then_ms;
        return true;
    }
    flm_message_usage("--%s is a duration, such as 12h or 30d, not '%s'", option, text);
    return false;
}

/* Only its owner may change the file, which decides who may write. */
static int add_token(const struct fields *f)
{
    char token[FLM_SERVE_TOKEN_SIZE], line[FLM_SERVE_LINE_SIZE];
    struct flm_error why;
    if (!f->token_file)
        return flm_message_usage("--new-token takes --token-file FILE, to which it is appended");
    if (!flm_serve_new_token(f->new_token, f->tenant, token, line, &why))
        return flm_message_error(&why);
    int file = open(f->token_file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* An editor may have left the last line without an end. */
    off_t end = file >= 0 ? lseek(file, 0, SEEK_END) : 0;
    char last = '\n';
    bool good = file >= 0 && end >= 0 && (end == 0 || pread(file, &last, 1, end - 1) == 1) &&
                (last == '\n' || write(file, "\n", 1) == 1);
    size_t size = strlen(line);
    good = good && write(file, line, size) == (ssize_t)size && fsync(file) == 0;
    if (file >= 0)
        close(file);
    if (!good) {
        flm_message("%s: the token cannot be written", f->token_file);
        return FLM_EXIT_WRONG;
    }
    printf("%s\n", token);
    return flm_stdout_flush() ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

/* ---- Serving --------------------------------------------------------------------------------- */

static void report(void *context, const struct flm_error *why)
{
    flm_message("%s: %s", (const char *)context, why->text);
}

static void report_recovery(const struct flm_serve *serve, const char *folder)
{
    struct flm_store_recovery r = flm_serve_recovered(serve);
    bool one = r.journal_entries == 1;
    if (r.journal_entries > 0)
        flm_message("%s: %llu write%s acknowledged and not sealed %s in the store again", folder,
                    (unsigned long long)r.journal_entries, one ? " that was" : "s that were",
                    one ? "is" : "are");
    if (r.removed_files > 0)
        flm_message("%s: %llu files that were being written are removed", folder,
                    (unsigned long long)r.removed_files);
    if (r.damaged_entries > 0)
        flm_message("%s: %llu journal entries are damaged and were dropped", folder,
                    (unsigned long long)r.damaged_entries);
    if (r.damaged_segments > 0)
        flm_message("%s: %llu segments are damaged, and are not read", folder,
                    (unsigned long long)r.damaged_segments);
}

/* glibc gives each of the first threads an arena of its own, up to 8 for a processor, so that a
 * request is read into memory that was last used by its own thread, long ago. As many arenas as
 * threads can run: 3 % less CPU time of a small profile on one processor. */
static void share_arenas(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, flm_processor_count());
#endif
}

static int serve(const struct flm_serve_options *o)
{
    struct flm_error why;
    share_arenas();
    sigset_t ends;
    int number;
    /* Before there are threads, which have the same signals blocked: one is waited for here. */
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    struct flm_serve *serve = flm_serve_start(o, &why);
    if (!serve)
        return flm_message_error(&why);
    report_recovery(serve, o->folder);
    printf("%s\n", flm_serve_url(serve));
    bool good = flm_stdout_flush();
    if (good)
        sigwait(&ends, &number);
    bool sealed = flm_serve_stop(serve, &why);
    if (!sealed)
        return flm_message_error(&why);
    return good ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

/* The text of a file: NULL where there is no name. */
static bool read_file(const char *name, struct flm_text *text, const char **out)
{
    struct flm_error why;
    if (!name)
        return true;
    bool good = flm_file_read(name, text, &why);
    flm_text_putc(text, 0);
    if (good && text->failed)
        good = flm_error_memory(&why);
    if (!good)
        flm_message_error(&why);
    *out = text->at;
    return good;
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {.listen = "127.0.0.1:4040"};
    struct flm_serve_options o = {.size = sizeof o};
    struct flm_text tokens = {0}, config = {0};
    char host[64];
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (operands > 0)
        return flm_message_usage("serve takes no operand: --data FOLDER is the store");
    if (f.folder && f.store)
        return flm_message_usage("choose one store: a folder (--data), or a server's (--store)");
    if (f.store && !strstr(f.store, "://"))
        return flm_message_usage("--store takes a URL, such as clickhouse://host:8123/flamel; a "
                                 "folder is --data");
    if (f.new_token)
        return add_token(&f);
    if (f.tenant)
        return flm_message_usage("--tenant is of a new token: it takes --new-token RIGHTS");
    if (!split_address(f.listen, host, &o.port) ||
        (f.keep && !read_duration("keep", f.keep, &o.keep_ms)) ||
        (f.watch && !read_duration("watch", f.watch, &o.watch_step_ms)))
        return FLM_EXIT_WRONG;
    if (!f.certificate != !f.key)
        return flm_message_usage("--tls-cert and --tls-key go together");
    if (f.webhook && !f.watch)
        return flm_message_usage("--webhook is told of changes: it takes --watch STEP, such as 1d");
    o.webhook = f.webhook;
    o.symbols = f.symbols;
    o.debuginfod = f.debuginfod;
    bool good =
        read_file(f.token_file, &tokens, &o.tokens) && read_file(f.config, &config, &o.config);
    o.tokens_name = f.token_file;
    o.config_name = f.config;
    o.folder = f.store ? f.store : f.folder ? f.folder : "flamel-data";
    o.host = host;
    o.tls_certificate = f.certificate;
    o.tls_key = f.key;
    o.most_series = (size_t)f.most_series;
    o.most_body = (size_t)f.most_body << 20;
    o.report = report;
    o.report_context = (void *)(uintptr_t)o.folder;
    status = good ? serve(&o) : FLM_EXIT_WRONG;
    flm_text_clear(&tokens);
    flm_text_clear(&config);
    return status;
}

const struct flm_command flm_command_serve = {
    .name = "serve",
    .synopsis = "[OPTION]...",
    .summary = "keep profiles of many programs, and answer queries, over HTTP",
    .description =
        "Takes profiles over HTTP, keeps them in a store (flamel-store(1)), and answers queries.\n"
        "Clients of Pyroscope push to it, and so does whatever can post a file:\n"
        "\n"
        "  curl --data-binary @app.flm 'http://127.0.0.1:4040/api/v1/push?service=api'\n"
        "\n"
        "The URL that it prints is a page, which shows and compares them. A write is acknowledged\n"
        "when it is on the disk. SIGTERM and SIGINT end it; docs/serve.md lists the endpoints.",
    .examples = "  flamel serve --data /var/lib/flamel --keep 30d\n"
                "  flamel serve --config flamel.yaml\n"
                "  flamel serve --watch 1d --webhook https://chat.example.org/hooks/abc\n"
                "  flamel serve --token-file tokens --new-token write\n"
                "  flamel serve --token-file tokens --listen 0.0.0.0:4040 --tls-cert fullchain.pem "
                "--tls-key privkey.pem\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
