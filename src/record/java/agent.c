#include "record/java/agent.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/clock.h"

struct flm_java_agent {
    int32_t process;
    int socket, memory; /* -1: none */
    struct flm_java_config config;
    struct flm_java_ring *ring; /* shared with the VM, which may write anything there */
    char *records;
    uint64_t tail;
    bool said_hello, is_gone, is_damaged;
    char refused[256];
    uint64_t *copy;
    size_t copy_size;
};

/* ---- The memory ------------------------------------------------------------------------------ */

static struct flm_java_agent *new_agent(int32_t process, struct flm_error *why)
{
    struct flm_java_agent *a = calloc(1, sizeof *a);
    if (!a) {
        flm_error_memory(why);
        return NULL;
    }
    a->process = process;
    a->socket = a->memory = -1;
    return a;
}

static bool map_memory(struct flm_java_agent *a, const struct flm_java_config *config,
                       struct flm_error *why)
{
    size_t size = (size_t)(FLM_JAVA_RING_START + config->ring_size);
    a->config = *config;
    a->config.version = FLM_JAVA_VERSION;
    a->memory = memfd_create("flamel-java", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* Or the VM could make it shorter, and end us by that. */
    if (a->memory < 0 || ftruncate(a->memory, (off_t)size) != 0 ||
        fcntl(a->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "no memory for samples of the VM: %s",
                             strerror(errno));
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, a->memory, 0);
    if (memory == MAP_FAILED)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "no memory for samples of the VM: %s",
                             strerror(errno));
    a->ring = memory;
    a->records = (char *)memory + FLM_JAVA_RING_START;
    return true;
}

static bool send_config(struct flm_java_agent *a)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
                            .cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS}};
    struct iovec config = {&a->config, sizeof a->config};
    struct msghdr message = {.msg_iov = &config,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    memcpy(CMSG_DATA(&control.header), &a->memory, sizeof a->memory);
    return sendmsg(a->socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof a->config;
}

/* ---- Files that the VM sees ------------------------------------------------------------------ */

/* In the VM's /tmp, as its user may use them. */
struct place {
    const struct flm_java_vm_identity *vm;
    int folder; /* its /tmp */
    char socket[48], library[48];
    bool has_socket, has_library;
};

static bool give(const struct place *place, const char *name, mode_t mode)
{
    return fchownat(place->folder, name, place->vm->user, place->vm->group, AT_SYMLINK_NOFOLLOW) ==
               0 &&
           fchmodat(place->folder, name, mode, 0) == 0;
}

static void remove_files(struct place *place)
{
    if (place->has_socket)
        unlinkat(place->folder, place->socket, 0);
    if (place->has_library)
        unlinkat(place->folder, place->library, 0);
    if (place->folder >= 0)
        close(place->folder);
    place->has_socket = place->has_library = false;
    place->folder = -1;
}

static bool copy_bytes(int from, int to)
{
    char bytes[65536];
    ssize_t size;
    while ((size = read(from, bytes, sizeof bytes)) > 0)
        for (ssize_t done = 0, now; done < size; done += now)
            if ((now = write(to, bytes + done, (size_t)(size - done))) <= 0)
                return false;
    return size == 0;
}

static bool copy_library(struct place *place, const char *library, struct flm_error *why)
{
    int from = open(library, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1
                      : openat(place->folder, place->library,
                               O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
    place->has_library = to >= 0;
    bool good = to >= 0 && copy_bytes(from, to) && give(place, place->library, 0500);
    int error = errno;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return good || flm_error_set(why, FLM_ERROR_SYSTEM,
                                 "process %d: the agent cannot be copied to its /tmp: %s",
                                 place->vm->process, strerror(error));
}

static bool same_namespace(const struct flm_java_vm_identity *vm, const char *kind)
{
    struct stat own, its;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    return stat(path, &own) == 0 && fstatat(vm->folder, path + sizeof "/proc/self", &its, 0) == 0 &&
           own.st_ino == its.st_ino && own.st_dev == its.st_dev;
}

/* Whether others may read the file, and reach it through all of its folders. */
static bool everybody_reads(const char *library)
{
    char path[4096];
    struct stat file;
    if (strlen(library) >= sizeof path || stat(library, &file) != 0 || !(file.st_mode & S_IROTH))
        return false;
    strcpy(path, library);
    for (char *slash = strrchr(path, '/'); slash && slash != path; slash = strrchr(path, '/')) {
        *slash = 0;
        if (stat(path, &file) != 0 || !(file.st_mode & S_IXOTH))
            return false;
    }
    return true;
}

static bool sees_library(const struct flm_java_vm_identity *vm, const char *library)
{
    return same_namespace(vm, "mnt") &&
           (vm->user == 0 || vm->user == geteuid() || everybody_reads(library));
}

/* ---- Loading --------------------------------------------------------------------------------- */

static int listen_at(struct place *place, struct flm_error *why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", place->folder,
             place->socket);
    place->has_socket = file >= 0 && bind(file, (struct sockaddr *)&address, sizeof address) == 0;
    if (place->has_socket && give(place, place->socket, 0600) && listen(file, 1) == 0)
        return file;
    flm_error_set(why, FLM_ERROR_SYSTEM, "process %d: no socket can be made in its /tmp: %s",
                  place->vm->process, strerror(errno));
    if (file >= 0)
        close(file);
    return -1;
}

/* While the command "load" waits for the agent, the agent waits for its config. */
struct greeting {
    struct flm_java_agent *agent;
    int listening;
    bool sent;
};

static void *greet(void *context)
{
    struct greeting *g = context;
    for (;;) {
        int file = accept4(g->listening, NULL, NULL, SOCK_CLOEXEC);
        if (file < 0 && errno == EINTR)
            continue;
        if (file < 0) /* shut down: the command has ended */
            return NULL;
        struct ucred peer;
        socklen_t size = sizeof peer;
        if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
            peer.pid == g->agent->process) {
            g->agent->socket = file;
            g->sent = send_config(g->agent);
            return NULL;
        }
        close(file);
    }
}

static bool start_greeting(struct greeting *g, pthread_t *thread, struct flm_error *why)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, greet, g);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "cannot start a thread: %s", strerror(error));
}

/* Why loading failed: the agent's own words are the best, then the VM's. Newer versions have them
 * behind a result of 0: "java.lang...: libz.so ...". */
static bool check_loaded(struct flm_java_agent *a, bool commanded, const struct flm_text *answer,
                         struct flm_error *why)
{
    enum { PATIENCE_MS = 2000, MOST_WORDS = 160 };
    struct flm_error said = {0};
    struct pollfd event = {.fd = a->socket, .events = POLLIN};
    size_t size = 0;
    if (a->socket >= 0 && poll(&event, 1, PATIENCE_MS) > 0 &&
        flm_java_agent_state(a, &said) == FLM_JAVA_AGENT_BEGUN)
        return true;
    if (said.text[0])
        return flm_error_set(why, FLM_ERROR_SYSTEM, "process %d: %s", a->process, said.text);
    while (size < answer->size && size < MOST_WORDS && answer->at[size] != '\n')
        size++;
    return commanded &&
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "process %d: the agent does not begin; the VM says: %.*s", a->process,
                         size ? (int)size : 7, size ? answer->at : "nothing");
}

static bool load(struct flm_java_agent *a, struct flm_java_vm *vm, struct place *place,
                 const char *library, struct flm_java_patience patience, struct flm_error *why)
{
    char options[80], copied[80];
    struct flm_text answer = {0};
    struct greeting g = {.agent = a};
    pthread_t thread;
    if (!sees_library(place->vm, library)) {
        if (!copy_library(place, library, why))
            return false;
        snprintf(copied, sizeof copied, "/tmp/%s", place->library);
        library = copied;
    }
    g.listening = listen_at(place, why);
    if (g.listening < 0)
        return false;
    snprintf(options, sizeof options, "socket=/tmp/%s", place->socket);
    bool started = start_greeting(&g, &thread, why), commanded = false;
    if (started) {
        const char *const arguments[3] = {library, "true", options};
        commanded = flm_java_vm_command(vm, "load", arguments, patience, &answer, why);
        shutdown(g.listening, SHUT_RDWR);
        pthread_join(thread, NULL);
    }
    close(g.listening);
    bool good = started && check_loaded(a, commanded, &answer, why);
    flm_text_clear(&answer);
    return good;
}

struct flm_java_agent *flm_java_agent_load(int32_t process, const char *library,
                                           const struct flm_java_config *config,
                                           struct flm_java_patience patience, struct flm_error *why)
{
    assert(library && config);
    struct flm_java_vm *vm = flm_java_vm_open(process, patience, why);
    struct flm_java_agent *a = vm ? new_agent(process, why) : NULL;
    bool good = a && map_memory(a, config, why);
    if (good) {
        uint64_t random = (uint64_t)flm_now_ns();
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random ^= (uint64_t)getpid() << 32;
        struct place place = {.vm = flm_java_vm_identity(vm), .folder = -1};
        snprintf(place.socket, sizeof place.socket, ".flamel-java-%016llx",
                 (unsigned long long)random);
        snprintf(place.library, sizeof place.library, ".libflamel-java-%016llx.so",
                 (unsigned long long)random);
        place.folder = openat(place.vm->folder, "root/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
        good = place.folder >= 0 ||
               flm_error_set(why, FLM_ERROR_SYSTEM, "process %d: it has no /tmp: %s", process,
                             strerror(errno));
        good = good && load(a, vm, &place, library, patience, why);
        remove_files(&place);
    }
    flm_java_vm_close(vm);
    if (good)
        return a;
    flm_java_agent_free(a);
    return NULL;
}

/* ---- Our own child --------------------------------------------------------------------------- */

struct flm_java_agent *flm_java_agent_inherit(int *inherited, struct flm_error *why)
{
    int files[2];
    struct flm_java_agent *a = new_agent(0, why);
    if (!a)
        return NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) != 0) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "no connection for the VM: %s", strerror(errno));
        flm_java_agent_free(a);
        return NULL;
    }
    a->socket = files[0];
    fcntl(files[1], F_SETFD, 0);
    *inherited = files[1];
    return a;
}

bool flm_java_agent_configure(struct flm_java_agent *a, const struct flm_java_config *config,
                              struct flm_error *why)
{
    return map_memory(a, config, why) &&
           (send_config(a) ||
            flm_error_set(why, FLM_ERROR_SYSTEM, "no connection for the VM: %s", strerror(errno)));
}

void flm_java_agent_begin(struct flm_java_agent *a, int32_t process)
{
    a->process = process;
}

int32_t flm_java_agent_process(const struct flm_java_agent *a)
{
    return a->process;
}

/* ---- Records --------------------------------------------------------------------------------- */

const struct flm_java_record *flm_java_agent_next(struct flm_java_agent *a)
{
    if (!a->ring || a->is_damaged)
        return NULL;
    uint64_t capacity = a->config.ring_size;
    for (;;) {
        uint64_t at = a->tail & (capacity - 1);
        char *record = a->records + at;
        uint32_t size = __atomic_load_n((uint32_t *)(void *)record, __ATOMIC_ACQUIRE);
        if (size == 0)
            return NULL;
        if (size % 8 != 0 || size < sizeof(struct flm_java_record) || size > capacity - at) {
            a->is_damaged = true; /* somebody else wrote there */
            return NULL;
        }
        if (size > a->copy_size) {
            uint64_t *copy = realloc(a->copy, size);
            if (!copy)
                return NULL; /* it stays, and there may be memory later */
            a->copy = copy;
            a->copy_size = size;
        }
        memcpy(a->copy, record, size);
        memset(record, 0, size);
        a->tail += size;
        __atomic_store_n(&a->ring->tail, a->tail, __ATOMIC_RELEASE);
        struct flm_java_record *copied = (struct flm_java_record *)(void *)a->copy;
        copied->size = size;
        if (copied->kind != FLM_JAVA_PADDING)
            return copied;
    }
}

struct flm_java_ring flm_java_agent_counts(const struct flm_java_agent *a)
{
    return a->ring ? *a->ring : (struct flm_java_ring){0};
}

/* ---- Its end --------------------------------------------------------------------------------- */

enum flm_java_agent_state flm_java_agent_state(struct flm_java_agent *a, struct flm_error *why)
{
    struct flm_java_hello hello;
    if (a->is_gone || a->socket < 0)
        return FLM_JAVA_AGENT_GONE;
    ssize_t size = recv(a->socket, &hello, sizeof hello, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return a->said_hello ? FLM_JAVA_AGENT_BEGUN : FLM_JAVA_AGENT_WAITS;
    if (size == (ssize_t)sizeof hello && !hello.failed) {
        a->said_hello = true;
        return FLM_JAVA_AGENT_BEGUN;
    }
    a->is_gone = true;
    if (size == (ssize_t)sizeof hello)
        flm_error_set(why, FLM_ERROR_SYSTEM, "%.*s", (int)sizeof hello.text - 1, hello.text);
    return FLM_JAVA_AGENT_GONE;
}

bool flm_java_agent_end(struct flm_java_agent *a, int64_t patience_ns)
{
    int64_t deadline = flm_now_ns() + patience_ns;
    if (a->socket < 0)
        return true;
    shutdown(a->socket, SHUT_WR);
    for (bool over = a->is_gone; !over;) {
        struct pollfd event = {.fd = a->socket, .events = POLLIN};
        int64_t left_ms = (deadline - flm_now_ns()) / 1000000;
        char rest[512];
        if (left_ms <= 0 || (poll(&event, 1, (int)left_ms) < 0 && errno != EINTR))
            return false;
        ssize_t size = event.revents ? recv(a->socket, rest, sizeof rest, MSG_DONTWAIT) : 1;
        over = size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
    }
    a->is_gone = true;
    return true;
}

void flm_java_agent_free(struct flm_java_agent *a)
{
    if (!a)
        return;
    if (a->socket >= 0)
        close(a->socket);
    if (a->memory >= 0)
        close(a->memory);
    if (a->ring)
        munmap(a->ring, (size_t)(FLM_JAVA_RING_START + a->config.ring_size));
    free(a->copy);
    free(a);
}
