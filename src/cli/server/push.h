/* push.h - profiles to a server, from a thread of its own: recording never waits for it.
 *
 *     flm_push_open(&push, &options, &why)
 *     flm_push_add(&push, &service, time_ms, profile, &why)    on the disk; sent as soon as can be
 *     flm_push_close(&push, &counts)                     waits a while for the rest; it stays
 *
 * A profile is in the spool (spool.h) until the server has acknowledged it. Where the server is
 * away, or has no room, it is asked again after 1 second, 2, 4 ... 30. A profile that it refuses
 * for what it is (status 400, 413, 415, 422) is dropped, and counted. */
#ifndef FLAMEL_CLI_SERVER_PUSH_H
#define FLAMEL_CLI_SERVER_PUSH_H

#include "cli/server/server_options.h"
#include "cli/server/spool.h"
#include "flamel/services.h"

struct flm_push_options {
    struct flm_server_fields server;
    const char *const *labels; /* "region=eu": of all profiles */
    size_t label_count;
    const char *folder; /* of the spool */
    uint64_t most_bytes;
    int64_t patience_ns; /* how long flm_push_close waits for a server that does not take them */
    bool quiet;          /* nothing is said when the server goes away, and is there again */

    /* Asked several times a second when it is closed; false: it waits no longer. */
    bool (*waiting)(void *context);
    void *context;
};

struct flm_push_counts {
    uint64_t pushed, refused; /* by the server */
    uint64_t dropped;         /* the spool was full, or could not be written */
    uint64_t waiting;         /* in the spool */
};

struct flm_push {
    struct flm_push_options options;
    struct flm_spool spool;
    struct flm_text token;
    char reason[240]; /* why profiles wait; "": they do not. Of the thread, until it has ended */
    int status;       /* of the response that has it; 0: there was none */
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct flm_push_counts counts;
    bool has_more;  /* since the thread looked */
    bool is_ending; /* there comes no more: it is tried every second now */
    bool is_closing, is_idle;
};

/* False, and `why`, for options that cannot be; the server need not be there. */
bool flm_push_open(struct flm_push *push, const struct flm_push_options *options,
                   struct flm_error *why);

/* A profile of a service, of the time since then. False, and `why`: it is dropped, and counted.
 * Where it has a label that all have, those of all hold. */
bool flm_push_add(struct flm_push *push, const struct flm_service *service, int64_t time_ms,
                  const struct flm_profile *profile, struct flm_error *why);

/* `reason` is then that of what waits. */
void flm_push_close(struct flm_push *push, struct flm_push_counts *counts);

#endif
