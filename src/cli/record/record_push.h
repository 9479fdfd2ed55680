/* record_push.h - `flamel record --push` and `flamel agent`: a recording without end, as a profile
 * every 15 seconds, or one for each service of the machine, that goes to a server (flamel serve).
 *
 * Each profile is of the time since the last one. Where nothing ran there is none. What the server
 * does not take yet is in a folder meanwhile (cli/server/spool.h). */
#ifndef FLAMEL_CLI_RECORD_RECORD_PUSH_H
#define FLAMEL_CLI_RECORD_RECORD_PUSH_H

#include "cli/record/record_filters.h"
#include "cli/server/server_options.h"
#include "flamel/record.h"
#include "flamel/services.h"

struct flm_record_push {
    struct flm_server_fields server;
    const char *service;
    struct flm_services
        *services; /* instead of one service: of the machine, each its own profile */
    const struct flm_option_list *only; /* of these: names with * and ?; NULL or empty: all */
    const struct flm_option_list *labels;
    const char *interval, *spool; /* NULL: 15s; flamel-push */
    int spool_mib;                /* 0: 256 */
    const struct flm_record_filters *filters;
    struct flm_record_options recorder;
    bool quiet, json;
};

/* To be put into a command's table: `fields` is the struct, `member` its struct flm_record_push.
 */
#define FLM_RECORD_PUSH_OPTIONS(fields, member, list)                                              \
    {"push",                                                                                       \
     0,                                                                                            \
     "URL",                                                                                        \
     "push a profile every 15 s to a server (flamel serve),\ninstead of writing a file",           \
     FLM_OPTION_TEXT,                                                                              \
     offsetof(fields, member.server.url)},                                                         \
        {"service",       0,                                                                       \
         "NAME",          "with --push: the service that this is",                                 \
         FLM_OPTION_TEXT, offsetof(fields, member.service)},                                       \
        {"label",         0,                                                                       \
         "KEY=VALUE",     "with --push: a label, such as region=eu; may be repeated",              \
         FLM_OPTION_LIST, offsetof(fields, list)},                                                 \
        {"push-interval", 0,                                                                       \
         "TIME",          "with --push: the time between profiles (default: 15s)",                 \
         FLM_OPTION_TEXT, offsetof(fields, member.interval)},                                      \
        {"push-spool",                                                                             \
         0,                                                                                        \
         "FOLDER",                                                                                 \
         "with --push: where profiles wait while the server is away\n(default: flamel-push)",      \
         FLM_OPTION_TEXT,                                                                          \
         offsetof(fields, member.spool)},                                                          \
        {"push-spool-size",                                                                        \
         0,                                                                                        \
         "MIB",                                                                                    \
         "with --push: its largest size; the oldest are dropped (default: 256)",                   \
         FLM_OPTION_COUNT,                                                                         \
         offsetof(fields, member.spool_mib)},                                                      \
        {"token",         0,                                                                       \
         "FILE",          "with --push: a file with the token to write with",                      \
         FLM_OPTION_TEXT, offsetof(fields, member.server.token_file)},                             \
        {"cacert",        0,                                                                       \
         "FILE",          "with --push: certificates to trust (PEM; default: the system's)",       \
         FLM_OPTION_TEXT, offsetof(fields, member.server.authorities)},                            \
    {                                                                                              \
        "tenant", 0, "NAME", "with --push: whose profiles these are", FLM_OPTION_TEXT,             \
            offsetof(fields, member.server.tenant)                                                 \
    }

/* The name of an option that only --push has, where one is given without it; NULL: none is. */
const char *flm_record_push_misplaced(const struct flm_record_push *push,
                                      const struct flm_option_list *labels);

/* Records and pushes until the target ends, or a signal comes. False, and `why`, where nothing
 * could be recorded; *status receives the exit status: of the command. */
bool flm_record_push(const struct flm_record_push *options, int *status, struct flm_error *why);

#endif
