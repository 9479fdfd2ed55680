/* spool.h - profiles on their way to a server: files in a folder until the server has them.
 *
 *     TIME-NUMBER.push     "/api/v1/push?service=api&time=... TENANT" \n  .flm
 *
 * A file is durable and whole, or not there: what a recorder that was killed has left is sent by
 * the next one that uses the folder, for the tenant that its first line names, or for none. The
 * folder has a bound: beyond it the oldest ones are removed, and counted. One process at a time has
 * the folder. Functions may be called from any thread. */
#ifndef FLAMEL_CLI_SERVER_SPOOL_H
#define FLAMEL_CLI_SERVER_SPOOL_H

#include <pthread.h>

#include "base/core/array.h"
#include "base/text/text.h"

struct flm_spool_file {
    char name[48];
    uint64_t size;
};

struct flm_spool {
    char *folder; /* owned; NULL: not open */
    int lock;     /* the folder */
    bool is_made; /* by us, so we remove it */
    uint64_t most_bytes;

    pthread_mutex_t mutex;                         /* of what follows */
    struct FLM_ARRAY(struct flm_spool_file) files; /* the oldest first */
    uint64_t bytes, number, dropped;
    bool is_first_taken;
};

/* Makes the folder where there is none, and finds what is in it. */
bool flm_spool_open(struct flm_spool *spool, const char *folder, uint64_t most_bytes,
                    struct flm_error *why);

/* The folder is removed where it is empty, and was not there when the spool was opened. */
void flm_spool_close(struct flm_spool *spool);

/* Adds a profile; it is on the disk when this is true. The target has no blank in it; without a
 * tenant that is NULL. */
bool flm_spool_add(struct flm_spool *spool, int64_t time_ms, struct flm_bytes target,
                   const char *tenant, struct flm_bytes profile, struct flm_error *why);

/* The oldest one, which stays until it is removed: `text` receives the target and the tenant,
 * terminated, and behind them the profile. False: there is none, and the kind of `why` is NONE; or
 * it cannot be read now, and `why`. One that is damaged is removed, and counted as dropped. */
struct flm_spooled {
    struct flm_text text;
    const char *target, *tenant; /* NULL: of none */
    struct flm_bytes profile;
};
bool flm_spool_first(struct flm_spool *spool, struct flm_spooled *spooled, struct flm_error *why);

/* False, and `why`, where its file stays: who opens the folder next finds it again. */
bool flm_spool_remove_first(struct flm_spool *spool, struct flm_error *why);

/* How many there are, and were dropped: since it was opened. */
size_t flm_spool_count(struct flm_spool *spool);
uint64_t flm_spool_dropped(struct flm_spool *spool);

#endif
