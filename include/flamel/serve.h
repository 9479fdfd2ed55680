/* serve.h - a server of a store: profiles come in by the protocols of their clients, and go out as
 * sums by labels and time.
 *
 *     struct flm_serve_options options = {.size = sizeof options, .folder = "flamel-data"};
 *     struct flm_serve *serve = flm_serve_start(&options, &why);
 *     printf("%s\n", flm_serve_url(serve));                     "http://127.0.0.1:4040/"
 *     ...
 *     flm_serve_stop(serve, &why);
 *
 * docs/serve.md lists the endpoints and what they take. A write is acknowledged when it is on the
 * disk. Sealing, compaction and retention (flamel/store.h) are done in the background.
 *
 * With a `config` it also fetches profiles from programs that have them at /debug/pprof.
 *
 * It listens on this machine alone, unless there are tokens: then any address may be given. */
#ifndef FLAMEL_SERVE_H
#define FLAMEL_SERVE_H

#include "flamel/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_serve;

/* All zero (but `size` and `folder`) is a good choice. */
struct flm_serve_options {
    size_t size;        /* sizeof (struct flm_serve_options) */
    const char *folder; /* of the store; it is made where there is none */
    const char *host;   /* a numeric address; NULL: 127.0.0.1 */
    int port;           /* 0: any that is free */
    int64_t keep_ms;    /* what is older is removed; 0: nothing is */
    const char *tokens; /* the text of a file of tokens; NULL: there are none, and all is allowed */
    const char *tokens_name; /* what errors call it; NULL: "tokens" */
    size_t most_series;      /* of a tenant; 0: 100,000 */
    size_t most_body; /* bytes of a request, before and after decompression; 0: 32 and 128 MiB */

    /* What happens in the background and fails there, as a sentence: a thread of the server calls
     * it. May be NULL. */
    void (*report)(void *context, const struct flm_error *why);
    void *report_context;

    const char *config; /* the text of a file of targets to scrape (YAML); NULL: there are none */
    const char *config_name; /* what errors call it; NULL: "config" */

    /* Files in PEM: a chain of certificates, the own one first, and its private key. With them all
     * connections speak TLS; they are read again when they have changed. NULL: none does. */
    const char *tls_certificate, *tls_key;

    /* Every `watch_step_ms` milliseconds (at least 1,000; 0: never) the sums of each service in the
     * last 60 steps are searched for changes, for the tenant "" and those of the tokens. /metrics
     * counts them, and each new one is posted to the webhook as JSON; NULL: to none. */
    int64_t watch_step_ms;
    const char *webhook;

    /* The folder of files with symbols, by build id, to which uploads are added too; NULL:
     * "symbols" in the store's folder. Queries name addresses with them, and with `debuginfod` with
     * those of the servers in DEBUGINFOD_URLS. */
    const char *symbols;
    bool debuginfod;
};

/* NULL, and `why`: FLM_ERROR_USAGE for an address that is not of this machine, without tokens. */
struct flm_serve *flm_serve_start(const struct flm_serve_options *options, struct flm_error *why);

/* Answers what has arrived, seals the journal, and ends. False, and `why`, where it could not be
 * sealed: nothing is lost, since the journal is on the disk. Accepts NULL. */
bool flm_serve_stop(struct flm_serve *serve, struct flm_error *why);

const char *flm_serve_url(const struct flm_serve *serve);
struct flm_store_recovery flm_serve_recovered(const struct flm_serve *serve);

/* A new token for `rights` ("read", "write", "admin", or several: "read,write"), and of a tenant
 * (NULL: any). `token`
 * and `line`, of the file of tokens, receive terminated texts. False, and `why`. */
enum { FLM_SERVE_TOKEN_SIZE = 80, FLM_SERVE_LINE_SIZE = 320 };
bool flm_serve_new_token(const char *rights, const char *tenant, char token[FLM_SERVE_TOKEN_SIZE],
                         char line[FLM_SERVE_LINE_SIZE], struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
