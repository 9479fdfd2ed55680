#include "symbol/registry/debuginfod.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/library.h"
#include "symbol/registry/table_cache.h"

/* Of libcurl's interface, whose numbers never change: so its headers need not be there. */
enum {
    CURL_GLOBAL_ALL = 3,
    OPTION_TIMEOUT = 13,
    OPTION_LOW_SPEED_LIMIT = 19,
    OPTION_LOW_SPEED_TIME = 20,
    OPTION_FAILONERROR = 45,
    OPTION_FOLLOWLOCATION = 52,
    OPTION_MAXREDIRS = 68,
    OPTION_CONNECTTIMEOUT = 78,
    OPTION_NOSIGNAL = 99,
    OPTION_PROTOCOLS = 181,
    OPTION_REDIR_PROTOCOLS = 182,
    OPTION_WRITEDATA = 10001,
    OPTION_URL = 10002,
    OPTION_USERAGENT = 10018,
    OPTION_ACCEPT_ENCODING = 10102,
    OPTION_WRITEFUNCTION = 20011,
    INFO_RESPONSE_CODE = 0x200002,
    PROTOCOLS_HTTP = 1 | 2 /* and https */
};

enum {
    CONNECT_SECONDS = 5,
    STALL_SECONDS = 20, /* below STALL_RATE bytes per second for so long: given up */
    STALL_RATE = 1024,
    ALL_SECONDS = 600,
    MISSING_SECONDS = 600 /* how long we remember that nobody has a file */
};

static const uint64_t most_bytes = UINT64_C(4) << 30;

/* In the order of curl_functions. */
struct curl {
    int (*global_init)(long flags);
    void *(*easy_init)(void);
    int (*easy_setopt)(void *handle, int option, ...);
    int (*easy_perform)(void *handle);
    int (*easy_getinfo)(void *handle, int what, ...);
    void (*easy_cleanup)(void *handle);
    const char *(*easy_strerror)(int code);
};

static const char *const curl_functions[] = {
    "curl_global_init",  "curl_easy_init",    "curl_easy_setopt",   "curl_easy_perform",
    "curl_easy_getinfo", "curl_easy_cleanup", "curl_easy_strerror", NULL};

struct server {
    char *url;
    bool is_dead;
};

struct flm_debuginfod {
    pthread_mutex_t lock; /* of all below */
    bool is_opened, can_ask;
    struct curl curl;
    struct server *servers;
    size_t server_count;
    char *cache_dir;
    struct flm_debuginfod_counts counts;
};

struct flm_debuginfod *flm_debuginfod_new(const char *urls, const char *cache_dir,
                                          struct flm_error *why)
{
    struct flm_debuginfod *servers = calloc(1, sizeof *servers);
    bool done = servers != NULL;
    size_t capacity = 0;
    if (done) {
        pthread_mutex_init(&servers->lock, NULL);
        servers->cache_dir = cache_dir ? strdup(cache_dir) : NULL;
        done = !cache_dir || servers->cache_dir;
    }
    for (const char *at = urls ? urls : ""; done && *at;) {
        size_t blank = strspn(at, " \t\n"), size = strcspn(at + blank, " \t\n");
        const char *url = at + blank;
        at = url + size;
        while (size > 0 && url[size - 1] == '/')
            size--;
        if (size == 0)
            continue;
        void *items = servers->servers;
        done = flm_grow(&items, &capacity, servers->server_count + 1, sizeof *servers->servers);
        servers->servers = items;
        char *copy = done ? strndup(url, size) : NULL;
        done = copy != NULL;
        if (done)
            servers->servers[servers->server_count++] = (struct server){.url = copy};
    }
    if (!done) {
        flm_debuginfod_free(servers);
        servers = NULL;
        flm_error_memory(why);
    }
    return servers;
}

void flm_debuginfod_free(struct flm_debuginfod *servers)
{
    if (!servers)
        return;
    for (size_t i = 0; i < servers->server_count; i++)
        free(servers->servers[i].url);
    pthread_mutex_destroy(&servers->lock);
    free(servers->servers);
    free(servers->cache_dir);
    free(servers);
}

static void count_failure(struct flm_debuginfod *servers, const char *what, const char *reason)
{
    servers->counts.failed++;
    snprintf(servers->counts.reason, sizeof servers->counts.reason, "%s: %.150s", what, reason);
}

/* Under the lock. */
static bool open_curl(struct flm_debuginfod *servers)
{
    if (servers->is_opened)
        return servers->can_ask;
    servers->is_opened = true;
    static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so", NULL};
    struct flm_error why;
    if (!flm_library_open(files, curl_functions, &servers->curl, &why))
        count_failure(servers, "servers cannot be asked without libcurl", why.text);
    else if (servers->curl.global_init(CURL_GLOBAL_ALL) != 0)
        count_failure(servers, "libcurl.so.4", "it cannot be used");
    else
        servers->can_ask = true;
    return servers->can_ask;
}

struct download {
    int descriptor;
    uint64_t size;
};

static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
    struct download *download = context;
    size_t all = size * count, done = 0;
    if (all > most_bytes - download->size)
        return 0;
    while (done < all) {
        ssize_t written = write(download->descriptor, bytes + done, all - done);
        if (written <= 0)
            return 0;
        done += (size_t)written;
    }
    download->size += all;
    return all;
}

enum answer { ANSWER_FILE, ANSWER_MISSING, ANSWER_FAILED, ANSWER_DEAD };

static enum answer ask(const struct curl *curl, const char *url, int descriptor, char *reason,
                       size_t reason_size)
{
    struct download download = {.descriptor = descriptor};
    void *handle = curl->easy_init();
    if (!handle)
        return ANSWER_FAILED;
    curl->easy_setopt(handle, OPTION_URL, url);
    curl->easy_setopt(handle, OPTION_WRITEFUNCTION, receive);
    curl->easy_setopt(handle, OPTION_WRITEDATA, &download);
    curl->easy_setopt(handle, OPTION_USERAGENT, "flamel/" FLAMEL_VERSION);
    curl->easy_setopt(handle, OPTION_ACCEPT_ENCODING, "");
    curl->easy_setopt(handle, OPTION_NOSIGNAL, 1L);
    curl->easy_setopt(handle, OPTION_FAILONERROR, 1L);
    curl->easy_setopt(handle, OPTION_FOLLOWLOCATION, 1L);
    curl->easy_setopt(handle, OPTION_MAXREDIRS, 5L);
    curl->easy_setopt(handle, OPTION_PROTOCOLS, (long)PROTOCOLS_HTTP);
    curl->easy_setopt(handle, OPTION_REDIR_PROTOCOLS, (long)PROTOCOLS_HTTP);
    curl->easy_setopt(handle, OPTION_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl->easy_setopt(handle, OPTION_LOW_SPEED_LIMIT, (long)STALL_RATE);
    curl->easy_setopt(handle, OPTION_LOW_SPEED_TIME, (long)STALL_SECONDS);
    curl->easy_setopt(handle, OPTION_TIMEOUT, (long)ALL_SECONDS);
    int result = curl->easy_perform(handle);
    long response = 0;
    curl->easy_getinfo(handle, INFO_RESPONSE_CODE, &response);
    snprintf(reason, reason_size, "%s", curl->easy_strerror(result));
    curl->easy_cleanup(handle);
    if (result == 0)
        return download.size ? ANSWER_FILE : ANSWER_MISSING;
    if (response == 404)
        return ANSWER_MISSING;
    return response == 0 ? ANSWER_DEAD : ANSWER_FAILED;
}

/* Into the file, from the first server that has it. */
static enum answer ask_all(struct flm_debuginfod *servers, const char *digits, const char *kind,
                           int descriptor)
{
    enum answer all = ANSWER_MISSING;
    for (size_t i = 0; i < servers->server_count; i++) {
        struct server *server = &servers->servers[i];
        struct flm_text url = {0};
        char reason[150] = "";
        pthread_mutex_lock(&servers->lock);
        bool is_dead = server->is_dead;
        pthread_mutex_unlock(&servers->lock);
        flm_text_format(&url, "%s/buildid/%s/%s", server->url, digits, kind);
        flm_text_putc(&url, 0);
        enum answer answer = ANSWER_FAILED;
        if (!is_dead && !url.failed && lseek(descriptor, 0, SEEK_SET) == 0 &&
            ftruncate(descriptor, 0) == 0)
            answer = ask(&servers->curl, url.at, descriptor, reason, sizeof reason);
        flm_text_clear(&url);
        if (answer == ANSWER_FILE)
            return answer;
        if (answer == ANSWER_MISSING)
            continue;
        all = ANSWER_FAILED;
        pthread_mutex_lock(&servers->lock);
        if (!is_dead)
            count_failure(servers, server->url, reason);
        server->is_dead |= answer == ANSWER_DEAD;
        pthread_mutex_unlock(&servers->lock);
    }
    return all;
}

/* What was kept. `is_missing`: that nobody has it. */
static struct flm_elf_file *kept(const struct flm_debuginfod *servers,
                                 const struct flm_build_id *id, const char *kind, bool *is_missing)
{
    struct flm_text path = {0};
    struct stat status;
    struct flm_elf_file *file = NULL;
    *is_missing = false;
    if (!servers->cache_dir)
        return NULL;
    flm_cache_path(servers->cache_dir, id, kind, &path);
    flm_text_putc(&path, 0);
    if (!path.failed && stat(path.at, &status) == 0) {
        if (status.st_size == 0)
            *is_missing = time(NULL) - status.st_mtime < MISSING_SECONDS;
        else
            file = flm_elf_open(path.at, NULL);
    }
    flm_text_clear(&path);
    if (file && !flm_build_id_equal(&file->build_id, id)) {
        flm_elf_free(file);
        file = NULL;
    }
    return file;
}

static struct flm_elf_file *download(struct flm_debuginfod *servers, const struct flm_build_id *id,
                                     const char *kind)
{
    struct flm_text digits = {0}, path = {0};
    struct flm_elf_file *file = NULL;
    const char *dir = servers->cache_dir;
    int descriptor = dir ? flm_cache_create(dir, id, kind, &path) : -1;
    bool is_kept = descriptor >= 0;
    if (!is_kept) /* no cache, or not to be written to: a file without a name */
        descriptor = memfd_create("flamel-debuginfod", MFD_CLOEXEC);
    flm_build_id_print(id, &digits);
    flm_text_putc(&digits, 0);
    enum answer answer = ANSWER_FAILED;
    if (descriptor >= 0 && !digits.failed)
        answer = ask_all(servers, digits.at, kind, descriptor);
    if (answer == ANSWER_FILE) {
        file = flm_elf_open_descriptor(descriptor, digits.at, NULL);
        if (file && !flm_build_id_equal(&file->build_id, id)) {
            flm_elf_free(file);
            file = NULL;
        }
    }
    bool is_useful = file || (answer == ANSWER_MISSING && ftruncate(descriptor, 0) == 0);
    if (is_kept && is_useful)
        flm_cache_keep(descriptor, path.at, dir, id, kind);
    else if (is_kept)
        flm_cache_discard(descriptor, path.at);
    else if (descriptor >= 0)
        close(descriptor);
    flm_text_clear(&digits);
    flm_text_clear(&path);

    pthread_mutex_lock(&servers->lock);
    servers->counts.asked++;
    servers->counts.found += file != NULL;
    if (answer == ANSWER_FILE && !file)
        count_failure(servers, kind, "what a server sent is not the file that was asked for");
    pthread_mutex_unlock(&servers->lock);
    return file;
}

struct flm_elf_file *flm_debuginfod_get(struct flm_debuginfod *servers,
                                        const struct flm_build_id *id, const char *kind)
{
    if (!servers || id->size == 0)
        return NULL;
    bool is_missing;
    struct flm_elf_file *file = kept(servers, id, kind, &is_missing);
    if (file || is_missing || servers->server_count == 0)
        return file;
    pthread_mutex_lock(&servers->lock);
    bool can_ask = open_curl(servers);
    pthread_mutex_unlock(&servers->lock);
    return can_ask ? download(servers, id, kind) : NULL;
}

struct flm_debuginfod_counts flm_debuginfod_counts(struct flm_debuginfod *servers)
{
    pthread_mutex_lock(&servers->lock);
    struct flm_debuginfod_counts counts = servers->counts;
    pthread_mutex_unlock(&servers->lock);
    return counts;
}
