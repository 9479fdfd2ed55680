#include "symbol/registry/debuginfod.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef FLAMEL_DEBUGINFOD
#include <elfutils/debuginfod.h>

#include "os/clock.h"
#include "os/library.h"
#else
typedef void debuginfod_client;
#endif

typedef int find_function(debuginfod_client *, const unsigned char *, int, char **);
typedef int find_source_function(debuginfod_client *, const unsigned char *, int, const char *,
                                 char **);

/* In the order of function_names. */
struct library {
    debuginfod_client *(*begin)(void);
    void (*end)(debuginfod_client *client);
    void (*set_progress)(debuginfod_client *client,
                         int (*progress)(debuginfod_client *, long, long));
    void (*set_user_data)(debuginfod_client *client, void *data);
    find_function *find_debuginfo, *find_executable;
    find_source_function *find_source;
};

struct flm_debuginfod {
    pthread_mutex_t query_lock; /* of what follows, and of all calls of the library */
    bool is_loaded;
    struct library library;
    debuginfod_client *client; /* NULL until the first query, or when the library is unusable */
    int patience_seconds;

    pthread_mutex_t counts_lock;
    struct flm_debuginfod_counts counts;
};

/* What is wanted: a file with code, or a source file, if that is not NULL. */
struct wanted {
    enum flm_debuginfod_kind kind;
    const char *source;
};

static void add_counts(struct flm_debuginfod *debuginfod, bool is_queried, bool found,
                       const char *failure)
{
    pthread_mutex_lock(&debuginfod->counts_lock);
    struct flm_debuginfod_counts *counts = &debuginfod->counts;
    counts->queried += is_queried;
    counts->found += found;
    counts->failed += failure != NULL;
    if (failure)
        snprintf(counts->reason, sizeof counts->reason, "%.199s", failure);
    pthread_mutex_unlock(&debuginfod->counts_lock);
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

/* ---- The library ----------------------------------------------------------------------------- */

static const char *const function_names[] = {
    "debuginfod_begin",          "debuginfod_end",
    "debuginfod_set_progressfn", "debuginfod_set_user_data",
    "debuginfod_find_debuginfo", "debuginfod_find_executable",
    "debuginfod_find_source",    NULL};

/* A library that cannot be loaded is one failure, not one for each file. */
static void load_library(struct flm_debuginfod *debuginfod)
{
    static const char *const files[] = {DEBUGINFOD_SONAME, NULL};
    struct flm_error why = {0};
    if (debuginfod->is_loaded)
        return;
    debuginfod->is_loaded = true;
    if (!flm_library_open(files, function_names, &debuginfod->library, &why)) {
        add_counts(debuginfod, false, false, why.text);
        return;
    }
    debuginfod->client = debuginfod->library.begin();
    if (debuginfod->client)
        debuginfod->library.set_progress(debuginfod->client, check_progress);
    else
        add_counts(debuginfod, false, false, "libdebuginfod cannot be used");
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

static int find(struct flm_debuginfod *debuginfod, const struct flm_build_id *id,
                const struct wanted *wanted, char **path)
{
    const struct library *library = &debuginfod->library;
    if (wanted->source)
        return library->find_source(debuginfod->client, id->bytes, (int)id->size, wanted->source,
                                    path);
    return (wanted->kind == FLM_DEBUGINFOD_EXECUTABLE
                ? library->find_executable
                : library->find_debuginfo)(debuginfod->client, id->bytes, (int)id->size, path);
}

/* With the query lock held, and a client. A source file has no build id: the descriptor is all. */
static struct flm_elf_file *query(struct flm_debuginfod *debuginfod, const struct flm_build_id *id,
                                  const struct wanted *wanted, int *source)
{
    const struct library *library = &debuginfod->library;
    int64_t now = flm_now_ns();
    struct transfer transfer = {.patience_seconds = debuginfod->patience_seconds,
                                .started_ns = now,
                                .window_started_ns = now};
    char *path = NULL;
    library->set_user_data(debuginfod->client, &transfer);
    int descriptor = find(debuginfod, id, wanted, &path);
    struct flm_elf_file *file = NULL;
    if (descriptor >= 0 && wanted->source) {
        lseek(descriptor, 0, SEEK_SET); /* after a download it is at the end */
        *source = descriptor;
    } else if (descriptor >= 0) {
        file = open_checked(descriptor, path, id);
        close(descriptor);
    }
    free(path);
    bool found = file || *source >= 0;

    const char *failure = NULL;
    if (descriptor >= 0 && !found) {
        failure = "a server sent a file with another build id";
    } else if (descriptor < 0 && transfer.refusal) {
        failure = transfer.refusal;
        debuginfod->patience_seconds = (transfer.patience_seconds + 9) / 10;
    } else if (descriptor == -ENOSYS) {
        failure = "DEBUGINFOD_URLS names no server";
    } else if (descriptor < 0 && descriptor != -ENOENT) {
        failure = strerror(-descriptor);
    }
    add_counts(debuginfod, transfer.is_queried, found, failure);
    return file;
}

#else

static void load_library(struct flm_debuginfod *debuginfod)
{
    if (!debuginfod->is_loaded)
        add_counts(debuginfod, false, false, "this flamel was built without libdebuginfod");
    debuginfod->is_loaded = true;
}

static struct flm_elf_file *query(struct flm_debuginfod *debuginfod, const struct flm_build_id *id,
                                  const struct wanted *wanted, int *source)
{
    (void)debuginfod, (void)id, (void)wanted, (void)source;
    return NULL;
}

#endif

/* One query at a time: libdebuginfod (elfutils 0.188 at least) closes a descriptor twice in each
 * query, which in a query of another thread may be one that was just opened. With 8 threads a file
 * was not found in 1 of 17 runs of 160 queries. */
static struct flm_elf_file *get(struct flm_debuginfod *debuginfod, const struct flm_build_id *id,
                                const struct wanted *wanted, int *source)
{
    *source = -1;
    if (!debuginfod || id->size == 0)
        return NULL;
    pthread_mutex_lock(&debuginfod->query_lock);
    load_library(debuginfod);
    struct flm_elf_file *file = debuginfod->client ? query(debuginfod, id, wanted, source) : NULL;
    pthread_mutex_unlock(&debuginfod->query_lock);
    return file;
}

struct flm_elf_file *flm_debuginfod_get(struct flm_debuginfod *debuginfod,
                                        const struct flm_build_id *id,
                                        enum flm_debuginfod_kind kind)
{
    int source;
    return get(debuginfod, id, &(struct wanted){.kind = kind}, &source);
}

int flm_debuginfod_get_source(struct flm_debuginfod *debuginfod, const struct flm_build_id *id,
                              const char *path)
{
    int source;
    get(debuginfod, id, &(struct wanted){.source = path}, &source);
    return source;
}

struct flm_debuginfod *flm_debuginfod_new(int patience_seconds, struct flm_error *why)
{
    assert(patience_seconds > 0);
    struct flm_debuginfod *debuginfod = calloc(1, sizeof *debuginfod);
    if (!debuginfod) {
        flm_error_memory(why);
        return NULL;
    }
    pthread_mutex_init(&debuginfod->query_lock, NULL);
    pthread_mutex_init(&debuginfod->counts_lock, NULL);
    debuginfod->patience_seconds = patience_seconds;
    return debuginfod;
}

void flm_debuginfod_free(struct flm_debuginfod *debuginfod)
{
    if (!debuginfod)
        return;
    if (debuginfod->client)
        debuginfod->library.end(debuginfod->client);
    pthread_mutex_destroy(&debuginfod->query_lock);
    pthread_mutex_destroy(&debuginfod->counts_lock);
    free(debuginfod);
}

struct flm_debuginfod_counts flm_debuginfod_counts(struct flm_debuginfod *debuginfod)
{
    pthread_mutex_lock(&debuginfod->counts_lock);
    struct flm_debuginfod_counts counts = debuginfod->counts;
    pthread_mutex_unlock(&debuginfod->counts_lock);
    return counts;
}
