/* io_files.c - what the number of a file stands for. Runs in signal handlers.
 *
 * It is asked of the system when it is first used, by /proc/self/fd and the addresses of sockets,
 * and kept until it is closed: by close(), or what closes within libc. Paths that programs open are
 * known before. What a child of vfork() closes is not its parent's: they have the same memory, and
 * so the number of the process is looked at. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "io.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A file's address, and above it how often the number was closed, so that what was found out about
 * the one before is not taken for it. */
enum { CHUNK = 1024, CHUNKS = 1024, ADDRESS_BITS = 48 };
static uint64_t *all_numbers[CHUNKS];
static pid_t process;

static uint64_t *entry_of(unsigned number, bool is_needed)
{
    if (number >= CHUNK * CHUNKS)
        return NULL;
    uint64_t **chunk = &all_numbers[number / CHUNK];
    uint64_t *entries = __atomic_load_n(chunk, __ATOMIC_ACQUIRE);
    if (!entries && is_needed) {
        uint64_t *made = flm_memory_new(CHUNK * sizeof *made);
        if (!made)
            return NULL;
        if (__atomic_compare_exchange_n(chunk, &entries, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            entries = made;
        else
            flm_memory_free(made, CHUNK * sizeof *made);
    }
    return entries ? &entries[number % CHUNK] : NULL;
}

static struct flm_file *file_in(uint64_t entry)
{
    return (struct flm_file *)(uintptr_t)(entry & (((uint64_t)1 << ADDRESS_BITS) - 1));
}

static uint64_t with_file(uint64_t entry, const struct flm_file *file)
{
    return (entry >> ADDRESS_BITS << ADDRESS_BITS) | (uintptr_t)file;
}

static bool is_own(void)
{
    return (pid_t)syscall(SYS_getpid) == process;
}

static void replace(uint64_t *entry, const struct flm_file *file)
{
    uint64_t old = __atomic_load_n(entry, __ATOMIC_RELAXED), new;
    do
        new = with_file(old + ((uint64_t)1 << ADDRESS_BITS), file);
    while (
        !__atomic_compare_exchange_n(entry, &old, new, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

void flm_file_forget(int number)
{
    int kept = errno;
    uint64_t *entry = number >= 0 ? entry_of((unsigned)number, false) : NULL;
    if (entry && is_own())
        replace(entry, NULL);
    errno = kept;
}

void flm_file_forget_range(unsigned first, unsigned last)
{
    bool own = is_own();
    if (last >= CHUNK * CHUNKS)
        last = CHUNK * CHUNKS - 1;
    for (uint64_t number = first; own && number <= last; number++) {
        uint64_t *entry = entry_of((unsigned)number, false);
        if (entry)
            replace(entry, NULL);
        else
            number |= CHUNK - 1; /* none of this chunk is known */
    }
}

void flm_file_is(int number, struct flm_file *file)
{
    int kept = errno;
    uint64_t *entry = number >= 0 ? entry_of((unsigned)number, file != NULL) : NULL;
    if (entry && is_own())
        replace(entry, file);
    errno = kept;
}

/* ---- Files by name --------------------------------------------------------------------------- */

enum { SLOTS = 2048, MOST_FILES = 1000, MOST_NAME = 512 };
static struct flm_file *all_files[SLOTS];
static uint32_t file_count;

static struct flm_file *find_file(struct flm_file *first, const char *name, size_t size)
{
    while (first && (first->size != size || memcmp(first->name, name, size) != 0))
        first = first->next;
    return first;
}

static struct flm_file *new_file(struct flm_file **slot, const char *name, size_t size)
{
    static unsigned char *room;
    static size_t left;
    enum { ROOM = 256 << 10 };
    size_t whole = (sizeof(struct flm_file) + size + 1 + 15) / 16 * 16;
    if (left < whole && (room = flm_memory_new(ROOM)) != NULL)
        left = ROOM;
    if (left < whole)
        return NULL;
    struct flm_file *file = (struct flm_file *)(void *)room;
    room += whole;
    left -= whole;
    memcpy(file->name, name, size);
    file->size = (uint32_t)size;
    file->next = *slot;
    __atomic_store_n(slot, file, __ATOMIC_RELEASE);
    file_count++;
    return file;
}

static struct flm_file **slot_of(const char *name, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return &all_files[hash % SLOTS];
}

/* Of very many files, those that come late are one. */
struct flm_file *flm_file_named(const char *name, size_t size)
{
    static const char other[] = "<other>";
    size = size < MOST_NAME ? size : MOST_NAME;
    struct flm_file **slot = slot_of(name, size);
    struct flm_file *file = find_file(__atomic_load_n(slot, __ATOMIC_ACQUIRE), name, size);
    if (file)
        return file;
    struct flm_probe_open *top = flm_local_work();
    flm_lock();
    if (file_count >= MOST_FILES) {
        name = other;
        size = sizeof other - 1;
        slot = slot_of(name, size);
    }
    file = find_file(*slot, name, size);
    if (!file)
        file = new_file(slot, name, size);
    flm_unlock();
    flm_local_rest(top);
    return file;
}

/* ---- What it is ------------------------------------------------------------------------------ */

/* "127.0.0.1:80", "[::1]:80", "/run/it.sock", "@it"; returns the size. */
static size_t write_address(char *to, size_t room, const struct sockaddr *address, socklen_t size)
{
    char text[INET6_ADDRSTRLEN] = "";
    int count = 0;
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
        struct sockaddr_un local;
        unsigned char bytes[sizeof(struct sockaddr_storage)];
    } at = {.bytes = {0}};
    memcpy(&at, address, size < sizeof at ? size : sizeof at);
    if (size < sizeof at.any.sa_family)
        return 0;
    if (at.any.sa_family == AF_INET) {
        inet_ntop(AF_INET, &at.four.sin_addr, text, sizeof text);
        count = snprintf(to, room, "%s:%u", text, ntohs(at.four.sin_port));
    } else if (at.any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &at.six.sin6_addr, text, sizeof text);
        count = snprintf(to, room, "[%s]:%u", text, ntohs(at.six.sin6_port));
    } else if (at.any.sa_family == AF_UNIX) {
        size_t path = size - offsetof(struct sockaddr_un, sun_path);
        bool is_abstract = path > 1 && at.local.sun_path[0] == 0;
        if (path > sizeof at.local.sun_path)
            path = sizeof at.local.sun_path;
        count = is_abstract ? snprintf(to, room, "@%.*s", (int)path - 1, at.local.sun_path + 1)
                            : snprintf(to, room, "%.*s", (int)path, at.local.sun_path);
    }
    return count > 0 ? (size_t)count < room ? (size_t)count : room - 1 : 0;
}

enum { MOST_TEXT = 600 };

static size_t write_text(char *to, const char *text)
{
    size_t size = strlen(text);
    memcpy(to, text, size);
    return size;
}

/* Of a socket that was connected before anybody looked: by its peer; else by its own address. */
static size_t write_socket(char *to, int number)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof at, option_size = sizeof(int);
    int is_listening = 0, family = 0;
    syscall(SYS_getsockopt, number, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &option_size);
    option_size = sizeof family;
    syscall(SYS_getsockopt, number, SOL_SOCKET, SO_DOMAIN, &family, &option_size);
    if (family == AF_NETLINK)
        return write_text(to, "netlink");
    size_t begins = is_listening ? write_text(to, "listening on ") : 0, count = 0;
    bool is_connected =
        !is_listening && syscall(SYS_getpeername, number, (struct sockaddr *)&at, &size) == 0;
    if (is_connected)
        count = write_address(to, MOST_TEXT, (struct sockaddr *)&at, size);
    size = sizeof at;
    if (count == 0 && syscall(SYS_getsockname, number, (struct sockaddr *)&at, &size) == 0) {
        /* The other side of a Unix socket has no name mostly: then it is this side's. */
        if (!is_listening && is_connected)
            begins = write_text(to, "clients of ");
        count = write_address(to + begins, MOST_TEXT, (struct sockaddr *)&at, size);
    }
    return count > 0 ? begins + count
                     : write_text(to, family == AF_UNIX ? "unix socket" : "socket");
}

/* As /proc/self/fd has it, or shorter. */
static size_t write_other(char *to, const char *link, size_t size)
{
    static const struct {
        const char *link, *name;
    } kinds[] = {{"pipe:[", "pipe"},
                 {"anon_inode:[eventfd]", "eventfd"},
                 {"anon_inode:[timerfd]", "timerfd"},
                 {"anon_inode:[eventpoll]", "epoll"},
                 {"anon_inode:[signalfd]", "signalfd"},
                 {"anon_inode:inotify", "inotify"}};
    static const char memory[] = "/memfd:";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (size >= strlen(kinds[i].link) &&
            memcmp(link, kinds[i].link, strlen(kinds[i].link)) == 0)
            return write_text(to, kinds[i].name);
    size_t skipped = size > sizeof memory && memcmp(link, memory, sizeof memory - 1) == 0 ? 1 : 0;
    memcpy(to, link + skipped, size - skipped);
    return size - skipped;
}

/* 0: there is no such file. */
static size_t write_name(char *to, int number)
{
    static const char *const usual[] = {"stdin", "stdout", "stderr"};
    char path[32], link[MOST_NAME];
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    long size = syscall(SYS_readlinkat, AT_FDCWD, path, link, sizeof link);
    size_t begins = number <= 2 ? (size_t)sprintf(to, "%s (", usual[number]) : 0, count;
    if (size <= 0)
        return 0;
    if (size > 8 && memcmp(link, "socket:[", 8) == 0)
        count = write_socket(to + begins, number);
    else
        count = write_other(to + begins, link, (size_t)size);
    if (begins > 0)
        to[begins + count++] = ')';
    return begins + count;
}

struct flm_file *flm_file_of(int number)
{
    static const char unknown[] = "<unknown>";
    uint64_t *entry = number >= 0 ? entry_of((unsigned)number, true) : NULL;
    if (!entry)
        return flm_file_named(unknown, sizeof unknown - 1);
    uint64_t now = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
    if (file_in(now))
        return file_in(now);
    int kept = errno;
    char name[2 * MOST_TEXT];
    size_t size = write_name(name, number);
    struct flm_file *file =
        size > 0 ? flm_file_named(name, size) : flm_file_named(unknown, sizeof unknown - 1);
    if (file && size > 0 && is_own())
        __atomic_compare_exchange_n(entry, &now, with_file(now, file), false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
    errno = kept;
    return file;
}

/* One that is relative depends on the folder that the program is in. NULL: the system knows. */
struct flm_file *flm_file_at_path(const char *path, int number)
{
    return path[0] == '/' ? flm_file_named(path, strlen(path)) : flm_file_of(number);
}

struct flm_file *flm_file_at_address(const struct sockaddr *address, socklen_t size)
{
    char name[MOST_TEXT];
    size_t count = write_address(name, sizeof name, address, size);
    return count > 0 ? flm_file_named(name, count) : NULL;
}

/* Each of them has a port of its own, which says nothing. */
struct flm_file *flm_file_of_clients(int listening)
{
    int kept = errno;
    char name[MOST_TEXT + 16];
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    struct flm_file *file = flm_file_of(listening), *clients = file ? file->clients : NULL;
    if (file && !clients &&
        syscall(SYS_getsockname, listening, (struct sockaddr *)&at, &size) == 0) {
        size_t begins = write_text(name, "clients of ");
        size_t count = write_address(name + begins, MOST_TEXT, (struct sockaddr *)&at, size);
        clients = flm_file_named(name, begins + count);
        __atomic_store_n(&file->clients, clients, __ATOMIC_RELEASE);
    }
    errno = kept;
    return clients;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

void flm_files_in_child(void)
{
    process = (pid_t)syscall(SYS_getpid);
}

void flm_files_start(void)
{
    flm_files_in_child();
    flm_signal_is(FLM_PROBE_IO, FLM_PROBE_ACTIVE, NULL);
}
