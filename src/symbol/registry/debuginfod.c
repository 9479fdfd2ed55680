#include "symbol/registry/debuginfod.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/core/array.h"

#ifdef FLAMEL_DEBUGINFOD
#include <elfutils/debuginfod.h>

#include "os/clock.h"
#include "os/library.h"
#else
typedef void debuginfod_client;
#endif

typedef int find_function(debuginfod_client *, const unsigned char *, int, char **);

/* In the order of function_names. */
struct library {
    debuginfod_client *(*begin)(void);
    void (*end)(debuginfod_client *client);
    void (*set_progress)(debuginfod_client *client,
                         int (*progress)(debuginfod_client *, long, long));
    void (*set_user_data)(debuginfod_client *client, void *data);
    find_function *find_debuginfo, *find_executable;
};

struct flm_debuginfod {
    pthread_mutex_t lock; /* of everything below; `library` never changes once it is loaded */
    bool is_loaded, is_usable;
    struct library library;
    struct FLM_ARRAY(debuginfod_client *) idle; /* kept for their open connections */
    int patience_seconds;
    struct flm_debuginfod_counts counts;
};

/* With the lock held. */
static void count_failure(struct flm_debuginfod *debuginfod, const char *reason)
{
    debuginfod->counts.failed++;
    snprintf(debuginfod->counts.reason, sizeof debuginfod->counts.reason, "%.199s", reason);
}

#ifdef FLAMEL_DEBUGINFOD

/* ---- Limits of a query ----------------------------------------------------------------------- */

enum {
    STALL_RATE = 1024, /* bytes per second: less is a stall */
    ALL_SECONDS = 600
};
static const long most_bytes = 4L << 30;
static const int64_t second_ns = 1000000000;

struct transfer {
    int patience_seconds;
    bool is_queried;
    const char *refusal; /* why it was given up; NULL: it was not */
    int64_t started_ns, window_started_ns;
    long window_bytes;
};

/* The library calls this at least once a second while it queries servers, and not for files in its
 * cache. `received` is in bytes once a server sends the file; before that it counts the calls.
 * Returning 1 ends the query. */
static int check_progress(debuginfod_client *client, long received, long size)
{
    /* The callback has only the client, and no global may hold the function that reads its data. */
    void *(*get_user_data)(debuginfod_client * client);
    if (!flm_library_loaded_function(DEBUGINFOD_SONAME, "debuginfod_get_user_data", &get_user_data))
        return 0;
    struct transfer *transfer = get_user_data(client);
    int64_t now = flm_now_ns();
    transfer->is_queried = true;
    if (labs(received - transfer->window_bytes) >= (long)STALL_RATE * transfer->patience_seconds) {
        transfer->window_started_ns = now;
        transfer->window_bytes = received;
    }
    if (received > most_bytes || size > most_bytes)
        transfer->refusal = "the file is larger than 4 GiB";
    else if (now - transfer->started_ns > ALL_SECONDS * second_ns)
        transfer->refusal = "the file did not arrive within 10 minutes";
    else if (now - transfer->window_started_ns >= transfer->patience_seconds * second_ns)
        transfer->refusal = "the servers do not respond";
    return transfer->refusal != NULL;
}

/* ---- Clients --------------------------------------------------------------------------------- */

static const char *const function_names[] = {"debuginfod_begin",
                                             "debuginfod_end",
                                             "debuginfod_set_progressfn",
                                             "debuginfod_set_user_data",
                                             "debuginfod_find_debuginfo",
                                             "debuginfod_find_executable",
                                             NULL};

/* With the lock held. A library that cannot be loaded is one failure, not one for each file. */
static bool load_library(struct flm_debuginfod *debuginfod)
{
    static const char *const files[] = {DEBUGINFOD_SONAME, NULL};
    struct flm_error why = {0};
    if (debuginfod->is_loaded)
        return debuginfod->is_usable;
    debuginfod->is_loaded = true;
    debuginfod->is_usable = flm_library_open(files, function_names, &debuginfod->library, &why);
    if (!debuginfod->is_usable)
        count_failure(debuginfod, why.text);
    return debuginfod->is_usable;
}

/* A client is used by one thread at a time, and reuses its connections. NULL when there is none. */
static debuginfod_client *take_client(struct flm_debuginfod *debuginfod)
{
    debuginfod_client *client = NULL;
    pthread_mutex_lock(&debuginfod->lock);
    bool usable = load_library(debuginfod);
    if (usable && debuginfod->idle.count)
        client = debuginfod->idle.at[--debuginfod->idle.count];
    pthread_mutex_unlock(&debuginfod->lock);
    if (client || !usable)
        return client;
    client = debuginfod->library.begin();
    if (client) {
        debuginfod->library.set_progress(client, check_progress);
        return client;
    }
    pthread_mutex_lock(&debuginfod->lock);
    count_failure(debuginfod, "libdebuginfod cannot be used");
    pthread_mutex_unlock(&debuginfod->lock);
    return NULL;
}

/* ---- One file -------------------------------------------------------------------------------- */

/* Its file, when it has the build id. One that has not is removed from the library's cache, which
 * believes the servers, so that the next query downloads it again. */
static struct flm_elf_file *open_checked(int descriptor, const char *path,
                                         const struct flm_build_id *id)
{
    struct flm_elf_file *file = flm_elf_open_descriptor(descriptor, path, NULL);
    if (file && flm_build_id_equal(&file->build_id, id))
        return file;
    flm_elf_free(file);
    unlink(path);
    return NULL;
}

struct flm_elf_file *flm_debuginfod_get(struct flm_debuginfod *debuginfod,
                                        const struct flm_build_id *id,
                                        enum flm_debuginfod_kind kind)
{
    debuginfod_client *client = id->size && debuginfod ? take_client(debuginfod) : NULL;
    if (!client)
        return NULL;
    const struct library *library = &debuginfod->library;
    find_function *find =
        kind == FLM_DEBUGINFOD_EXECUTABLE ? library->find_executable : library->find_debuginfo;
    int64_t now = flm_now_ns();
    struct transfer transfer = {.started_ns = now, .window_started_ns = now};
    pthread_mutex_lock(&debuginfod->lock);
    transfer.patience_seconds = debuginfod->patience_seconds;
    pthread_mutex_unlock(&debuginfod->lock);

    char *path = NULL;
    library->set_user_data(client, &transfer);
    int descriptor = find(client, id->bytes, (int)id->size, &path);
    struct flm_elf_file *file = NULL;
    if (descriptor >= 0) {
        file = open_checked(descriptor, path, id);
        close(descriptor);
    }
    free(path);

    pthread_mutex_lock(&debuginfod->lock);
    debuginfod->counts.queried += transfer.is_queried;
    debuginfod->counts.found += file != NULL;
    if (descriptor >= 0 && !file) {
        count_failure(debuginfod, "a server sent a file with another build id");
    } else if (descriptor < 0 && transfer.refusal) {
        count_failure(debuginfod, transfer.refusal);
        if (transfer.patience_seconds == debuginfod->patience_seconds)
            debuginfod->patience_seconds = (transfer.patience_seconds + 9) / 10;
    } else if (descriptor == -ENOSYS) {
        count_failure(debuginfod, "DEBUGINFOD_URLS names no server");
    } else if (descriptor < 0 && descriptor != -ENOENT) {
        count_failure(debuginfod, strerror(-descriptor));
    }
    if (!FLM_ARRAY_ADD(&debuginfod->idle, client))
        library->end(client);
    pthread_mutex_unlock(&debuginfod->lock);
    return file;
}

#else

struct flm_elf_file *flm_debuginfod_get(struct flm_debuginfod *debuginfod,
                                        const struct flm_build_id *id,
                                        enum flm_debuginfod_kind kind)
{
    (void)kind;
    if (!debuginfod || id->size == 0)
        return NULL;
    pthread_mutex_lock(&debuginfod->lock);
    if (!debuginfod->is_loaded)
        count_failure(debuginfod, "this flamel was built without libdebuginfod");
    debuginfod->is_loaded = true;
    pthread_mutex_unlock(&debuginfod->lock);
    return NULL;
}

#endif

struct flm_debuginfod *flm_debuginfod_new(int patience_seconds, struct flm_error *why)
{
    assert(patience_seconds > 0);
    struct flm_debuginfod *debuginfod = calloc(1, sizeof *debuginfod);
    if (!debuginfod) {
        flm_error_memory(why);
        return NULL;
    }
    pthread_mutex_init(&debuginfod->lock, NULL);
    debuginfod->patience_seconds = patience_seconds;
    return debuginfod;
}

void flm_debuginfod_free(struct flm_debuginfod *debuginfod)
{
    if (!debuginfod)
        return;
    for (size_t i = 0; i < debuginfod->idle.count; i++)
        debuginfod->library.end(debuginfod->idle.at[i]);
    FLM_ARRAY_CLEAR(&debuginfod->idle);
    pthread_mutex_destroy(&debuginfod->lock);
    free(debuginfod);
}

struct flm_debuginfod_counts flm_debuginfod_counts(struct flm_debuginfod *debuginfod)
{
    pthread_mutex_lock(&debuginfod->lock);
    struct flm_debuginfod_counts counts = debuginfod->counts;
    pthread_mutex_unlock(&debuginfod->lock);
    return counts;
}
