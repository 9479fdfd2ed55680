#include "record/java/attach.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"
#include "record/java/safepoints.h"
#include "record/runtime/runtime.h"

enum {
    MILLISECOND = 1000000,
    FIRST_WAIT_MS = 5, /* for the socket: doubled up to the longest */
    LONGEST_WAIT_MS = 200,
    LARGEST_ANSWER = 1 << 30
};

struct flm_java_vm {
    struct flm_java_vm_identity identity;
    int temporary;                /* its /tmp */
    char socket[32], trigger[32]; /* names of files there */
};

/* ---- The process ----------------------------------------------------------------------------- */

static FILE *open_in(int folder, const char *name)
{
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

static bool ends_with(const char *line, size_t size, const char *name)
{
    size_t length = strlen(name);
    return size >= length && memcmp(line + size - length, name, length) == 0;
}

/* Which VM is mapped: one whose library was replaced by a newer one since is still this one. Where
 * there is only the launcher's library yet, it `begins`. */
static bool check_maps(int folder, int32_t process, bool *begins, struct flm_error *why)
{
    static const char deleted[] = " (deleted)";
    FILE *maps = open_in(folder, "maps");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    bool is_hotspot = false, is_openj9 = false;
    errno = 0;
    while (maps && (size = getline(&line, &capacity, maps)) > 0) {
        size_t end = (size_t)size - (line[size - 1] == '\n');
        end -= ends_with(line, end, deleted) ? sizeof deleted - 1 : 0;
        is_hotspot |= ends_with(line, end, "/libjvm.so");
        *begins |= ends_with(line, end, "/libjli.so");
        is_openj9 |= memmem(line, end, "/libj9vm", 8) != NULL;
    }
    int error = errno;
    free(line);
    if (maps)
        fclose(maps);
    if (is_openj9)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "process %d is an OpenJ9 VM, whose own way to attach is not "
                             "supported: only HotSpot is (javacores, by kill -QUIT, can be read)",
                             process);
    if (!is_hotspot && error != 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "process %d: its memory map cannot be read: %s: run as its user, or "
                             "as root",
                             process, strerror(error));
    return is_hotspot || flm_error_set(why, FLM_ERROR_USAGE,
                                       "process %d is no Java VM: it has no libjvm.so", process);
}

/* What its status says: users and the signals that are caught. */
static bool read_status(struct flm_java_vm_identity *of, bool *catches_quit)
{
    FILE *status = open_in(of->folder, "status");
    char line[256];
    unsigned long long caught;
    unsigned user, group;
    int found = 0;
    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "Uid: %*u %u", &user) == 1) {
            of->user = user;
            found++;
        } else if (sscanf(line, "Gid: %*u %u", &group) == 1) {
            of->group = group;
            found++;
        } else if (sscanf(line, "SigCgt: %llx", &caught) == 1) {
            *catches_quit = caught >> (SIGQUIT - 1) & 1;
            found++;
        }
    }
    if (status)
        fclose(status);
    return found == 3;
}

/* An option among the words of its command line. */
static bool has_option(int folder, const char *option)
{
    FILE *words = open_in(folder, "cmdline");
    char *word = NULL;
    size_t capacity = 0;
    bool found = false;
    while (words && !found && getdelim(&word, &capacity, 0, words) > 0)
        found = strcmp(word, option) == 0;
    free(word);
    if (words)
        fclose(words);
    return found;
}

/* A folder below /proc, which stays that of this process when its number is given to another. Not
 * O_PATH: signals are sent by it. -1, and `why`. */
static int open_process(int32_t process, struct flm_error *why)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", process);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        flm_error_set(why, FLM_ERROR_USAGE, "process %d: %s", process,
                      errno == ENOENT ? "there is none" : strerror(errno));
    return folder;
}

bool flm_java_is_hotspot(int32_t process, struct flm_error *why)
{
    int folder = open_process(process, why);
    bool begins = false;
    bool is = folder >= 0 && check_maps(folder, process, &begins, why);
    if (folder >= 0)
        close(folder);
    return is;
}

/* ---- As its user ----------------------------------------------------------------------------- */

/* Of this thread alone: the functions of the C library change all of them. */
static void set_user(uid_t user, gid_t group, bool group_first)
{
#ifdef SYS_setresuid32
    enum { USER = SYS_setresuid32, GROUP = SYS_setresgid32 };
#else
    enum { USER = SYS_setresuid, GROUP = SYS_setresgid };
#endif
    if (group_first)
        syscall(GROUP, -1, group, -1);
    syscall(USER, -1, user, -1);
    if (!group_first)
        syscall(GROUP, -1, group, -1);
}

struct own_user {
    uid_t user;
    gid_t group;
    bool changed;
};

/* Where that fails, as in some containers, we stay who we are: newer versions accept root. */
static struct own_user become_user_of(const struct flm_java_vm_identity *vm)
{
    struct own_user own = {geteuid(), getegid(), false};
    own.changed = own.user == 0 && (vm->user != 0 || vm->group != own.group);
    if (own.changed)
        set_user(vm->user, vm->group, true);
    return own;
}

static void become_again(struct own_user own)
{
    if (own.changed)
        set_user(own.user, own.group, false);
}

/* ---- Connecting ------------------------------------------------------------------------------ */

/* Whether the other end is that process: anybody may make a socket of this name in /tmp. */
static bool is_its_end(int file, int32_t process)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == process;
}

/* A connected socket; -1, and errno. */
static int connect_to(const struct flm_java_vm *vm)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0)
        return -1;
    /* By the descriptor of its folder: the path through its root may be too long for an address. */
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", vm->temporary,
             vm->socket);
    struct own_user own = become_user_of(&vm->identity);
    int failed = connect(file, (struct sockaddr *)&address, sizeof address), error = errno;
    become_again(own);
    if (failed == 0 && is_its_end(file, vm->identity.process))
        return file;
    close(file);
    errno = failed == 0 ? ECONNREFUSED : error;
    return -1;
}

/* Creates the file that makes SIGQUIT a wish to attach, as the VM's user, which it checks. The VM
 * looks in the folder that it runs in, too. Returns that folder, which is the caller's; -1: the
 * file cannot be created. */
static int create_trigger(const struct flm_java_vm *vm)
{
    static const char *const folders[] = {"root/tmp", "cwd"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int folder = openat(vm->identity.folder, folders[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        struct own_user own = become_user_of(&vm->identity);
        int file = folder < 0 ? -1
                              : openat(folder, vm->trigger,
                                       O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
        bool exists = file < 0 && folder >= 0 && errno == EEXIST; /* of another tool, just now */
        become_again(own);
        if (file >= 0)
            close(file);
        if (file >= 0 || exists)
            return folder;
        if (folder >= 0)
            close(folder);
    }
    return -1;
}

static bool exists(const struct flm_java_vm_identity *vm)
{
    return faccessat(vm->folder, "status", F_OK, 0) == 0;
}

/* To the process of the folder, not to another one that has its number now. */
static bool send_quit(const struct flm_java_vm_identity *vm)
{
#ifdef SYS_pidfd_send_signal
    if (syscall(SYS_pidfd_send_signal, vm->folder, SIGQUIT, NULL, 0) == 0)
        return true;
    if (errno != ENOSYS && errno != EPERM && errno != EBADF)
        return false;
#endif
    return kill(vm->process, SIGQUIT) == 0;
}

static bool is_over(struct flm_java_patience patience)
{
    return patience.is_over && atomic_load(patience.is_over);
}

/* False when a signal came, or it is over. */
static bool wait_ms(int ms, struct flm_java_patience patience)
{
    struct timespec time = {ms / 1000, (long)(ms % 1000) * MILLISECOND};
    return nanosleep(&time, NULL) == 0 && !is_over(patience);
}

static bool interrupted(struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_CANCELED, "interrupted");
}

/* Waits until it listens. A VM that stands in a long pause gets the signal once more. */
static bool await_socket(const struct flm_java_vm *vm, struct flm_java_patience patience,
                         struct flm_error *why)
{
    int64_t from = flm_now_ns();
    bool sent = false, sent_again = false;
    for (int ms = FIRST_WAIT_MS;; ms = 2 * ms < LONGEST_WAIT_MS ? 2 * ms : LONGEST_WAIT_MS) {
        int64_t spent = flm_now_ns() - from;
        if (!sent || (spent > patience.ns / 2 && !sent_again)) {
            if (!send_quit(&vm->identity))
                return flm_error_set(why, FLM_ERROR_SYSTEM, "process %d: SIGQUIT: %s",
                                     vm->identity.process, strerror(errno));
            sent_again = sent;
            sent = true;
        }
        if (!wait_ms(ms, patience))
            return interrupted(why);
        if (!exists(&vm->identity))
            return flm_error_set(why, FLM_ERROR_SYSTEM, "process %d has ended",
                                 vm->identity.process);
        int file = connect_to(vm);
        if (file >= 0) { /* the VM sees a connection without a command, and ends it */
            close(file);
            return true;
        }
        if (errno != ENOENT && errno != ECONNREFUSED)
            return flm_error_set(why, FLM_ERROR_SYSTEM, "process %d: /tmp/%s: %s",
                                 vm->identity.process, vm->socket, strerror(errno));
        if (spent > patience.ns)
            return flm_error_set(why, FLM_ERROR_SYSTEM,
                                 "process %d does not answer: it is stopped, or was started with "
                                 "-XX:+DisableAttachMechanism",
                                 vm->identity.process);
    }
}

/* Makes the VM listen, where it does not yet. */
static bool wake(const struct flm_java_vm *vm, bool catches_quit, struct flm_java_patience patience,
                 struct flm_error *why)
{
    int file = connect_to(vm), process = vm->identity.process;
    if (file >= 0) {
        close(file);
        return true;
    }
    if (errno == EACCES || errno == EPERM)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "process %d: permission denied: run as its user (%u), or as root",
                             process, (unsigned)vm->identity.user);
    if (geteuid() != 0 && geteuid() != vm->identity.user)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "process %d belongs to another user: run as that (%u), or as root",
                             process, (unsigned)vm->identity.user);
    if (has_option(vm->identity.folder, "-XX:+DisableAttachMechanism"))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "process %d was started with -XX:+DisableAttachMechanism: it takes no "
                             "commands",
                             process);
    if (!catches_quit)
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "process %d does not catch SIGQUIT, which would end it: it was started with -Xrs",
            process);
    int folder = create_trigger(vm);
    if (folder < 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "process %d: /tmp/%s cannot be created, there and where it runs: %s",
                             process, vm->trigger, strerror(errno));
    bool listens = await_socket(vm, patience, why);
    struct own_user own = become_user_of(&vm->identity);
    unlinkat(folder, vm->trigger, 0);
    become_again(own);
    close(folder);
    return listens;
}

/* Whether a thread has this name. */
static bool has_thread(const struct flm_java_vm_identity *vm, const char *name)
{
    int tasks = openat(vm->folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = tasks >= 0 ? fdopendir(tasks) : NULL;
    bool found = false;
    if (tasks >= 0 && !folder)
        close(tasks);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        char path[48], comm[32] = "";
        snprintf(path, sizeof path, "%.20s/comm", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? open_in(tasks, path) : NULL;
        if (file) {
            found = fgets(comm, sizeof comm, file) && strcmp(strtok(comm, "\n"), name) == 0;
            fclose(file);
        }
    }
    if (folder)
        closedir(folder);
    return found;
}

/* Whether the VM has its handler of SIGQUIT, by the thread that it wakes (with -Xrs there is none)
 * and the one that is started next. In Java 8 threads have no names of their own; the VM notes in
 * its counters when it has begun. */
static bool has_begun(const struct flm_java_vm_identity *vm)
{
    if (has_thread(vm, "VM Thread"))
        return has_thread(vm, "Signal Dispatch") && has_thread(vm, "Service Thread");
    struct flm_safepoints *counters = flm_safepoints_open(vm);
    bool has = counters && flm_safepoints_vm_has_begun(counters);
    flm_safepoints_close(counters);
    return has;
}

static bool listens(const struct flm_java_vm *vm)
{
    int file = connect_to(vm);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* A VM that was started a moment ago has neither its library nor its signal handlers, which come
 * within a second or, on a busy machine, some. The launcher has no handler before the VM. A VM that
 * never has one listens from the beginning. */
static bool await_begin(struct flm_java_vm *of, bool *catches_quit,
                        struct flm_java_patience patience, struct flm_error *why)
{
    struct flm_java_vm_identity *vm = &of->identity;
    int64_t until = flm_now_ns() + patience.ns;
    bool never_catches =
        has_option(vm->folder, "-Xrs") || has_option(vm->folder, "-XX:+ReduceSignalUsage");
    for (int ms = FIRST_WAIT_MS;; ms = 2 * ms < LONGEST_WAIT_MS ? 2 * ms : LONGEST_WAIT_MS) {
        bool launched = false, is_vm = check_maps(vm->folder, vm->process, &launched, why);
        if (!is_vm && !launched)
            return false;
        if (!read_status(vm, catches_quit))
            return flm_error_set(why, FLM_ERROR_SYSTEM, "process %d has ended", vm->process);
        *catches_quit &= !never_catches;
        if (is_vm && (listens(of) || (*catches_quit && (launched || has_begun(vm)))))
            return true;
        if (flm_now_ns() > until)
            return is_vm && (!*catches_quit || /* `wake` says that */
                             flm_error_set(why, FLM_ERROR_SYSTEM,
                                           "process %d: its Java VM has no handler of SIGQUIT "
                                           "yet, or none, and the program has one: it is not "
                                           "asked to listen; -XX:+StartAttachListener makes it",
                                           vm->process));
        if (!wait_ms(ms, patience))
            return interrupted(why);
    }
}

struct flm_java_vm *flm_java_vm_open(int32_t process, struct flm_java_patience patience,
                                     struct flm_error *why)
{
    assert(process > 0);
    struct flm_java_vm *vm = malloc(sizeof *vm);
    bool catches_quit = false;
    if (!vm) {
        flm_error_memory(why);
        return NULL;
    }
    *vm = (struct flm_java_vm){.identity = {.process = process}, .temporary = -1};
    vm->identity.folder = open_process(process, why);
    bool good = vm->identity.folder >= 0;
    if (good) {
        vm->identity.process_in_itself = flm_namespace_number(process, process);
        snprintf(vm->socket, sizeof vm->socket, ".java_pid%d", vm->identity.process_in_itself);
        snprintf(vm->trigger, sizeof vm->trigger, ".attach_pid%d", vm->identity.process_in_itself);
        vm->temporary = openat(vm->identity.folder, "root/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (vm->temporary < 0)
            good = flm_error_set(why, FLM_ERROR_SYSTEM, "process %d: its folder /tmp: %s", process,
                                 strerror(errno));
    }
    if (good && await_begin(vm, &catches_quit, patience, why) &&
        wake(vm, catches_quit, patience, why))
        return vm;
    flm_java_vm_close(vm);
    return NULL;
}

void flm_java_vm_close(struct flm_java_vm *vm)
{
    if (!vm)
        return;
    if (vm->temporary >= 0)
        close(vm->temporary);
    if (vm->identity.folder >= 0)
        close(vm->identity.folder);
    free(vm);
}

const struct flm_java_vm_identity *flm_java_vm_identity(const struct flm_java_vm *vm)
{
    return &vm->identity;
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* The version of the protocol, the command, three arguments: each ends in a NUL. */
static bool send_command(int file, const char *command, const char *const arguments[3],
                         struct flm_error *why)
{
    struct flm_text text = {0};
    const char *words[] = {"1", command, arguments[0], arguments[1], arguments[2]};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        flm_text_puts(&text, words[i] ? words[i] : "");
        flm_text_putc(&text, 0);
    }
    bool good = !text.failed || flm_error_memory(why);
    for (size_t sent = 0; good && sent < text.size;) {
        ssize_t size = send(file, text.at + sent, text.size - sent, MSG_NOSIGNAL);
        if (size < 0)
            good =
                flm_error_set(why, FLM_ERROR_SYSTEM, "the VM took no command: %s", strerror(errno));
        sent += size > 0 ? (size_t)size : 0;
    }
    flm_text_clear(&text);
    return good;
}

/* Everything until the VM ends the connection. */
static bool receive(int file, struct flm_java_patience patience, struct flm_text *answer,
                    struct flm_error *why)
{
    enum { PIECE = 1 << 16 };
    int64_t deadline = flm_now_ns() + patience.ns;
    for (;;) {
        struct pollfd event = {.fd = file, .events = POLLIN};
        int64_t left = (deadline - flm_now_ns()) / MILLISECOND;
        int ready =
            left > 0 ? poll(&event, 1, left < LONGEST_WAIT_MS ? (int)left : LONGEST_WAIT_MS) : -1;
        if ((ready < 0 && left > 0 && errno == EINTR) || is_over(patience))
            return interrupted(why);
        if (ready == 0)
            continue;
        if (ready < 0)
            return flm_error_set(why, FLM_ERROR_SYSTEM, "the VM did not answer in time");
        char *into = flm_text_reserve(answer, PIECE);
        if (!into)
            return flm_error_memory(why);
        ssize_t size = recv(file, into, PIECE, 0);
        if (size < 0 && errno == EINTR)
            return interrupted(why);
        if (size < 0)
            return flm_error_set(why, FLM_ERROR_SYSTEM, "the VM ended the connection: %s",
                                 strerror(errno));
        if (size == 0)
            return true;
        answer->size += (size_t)size;
        if (answer->size > LARGEST_ANSWER)
            return flm_error_set(why, FLM_ERROR_RANGE, "the VM's answer is larger than 1 GiB");
    }
}

/* Removes the first line, the result of the command, from what was added behind `from`. */
static bool take_result(struct flm_text *answer, size_t from, const char *command,
                        struct flm_error *why)
{
    const char *line = answer->at ? answer->at + from : "";
    size_t size = answer->size - from;
    const char *end = size > 0 ? memchr(line, '\n', size) : NULL;
    if (!end)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "the VM ended the connection without an answer (it takes commands of "
                             "its own user, and of root)");
    size_t rest = size - (size_t)(end + 1 - line);
    if (line[0] != '0' || end != line + 1) {
        size_t first = 0;
        while (first < rest && end[1 + first] != '\n')
            first++;
        return flm_error_set(why, FLM_ERROR_SYSTEM, "the VM refuses '%s': result %.*s%s%.*s",
                             command, (int)(end - line), line, first > 0 ? ": " : "", (int)first,
                             end + 1);
    }
    memmove(answer->at + from, end + 1, rest);
    answer->size = from + rest;
    return true;
}

bool flm_java_vm_command(struct flm_java_vm *vm, const char *command,
                         const char *const arguments[3], struct flm_java_patience patience,
                         struct flm_text *answer, struct flm_error *why)
{
    static const char *const none[3] = {NULL, NULL, NULL};
    size_t from = answer->size;
    int file = connect_to(vm);
    if (file < 0) {
        bool ended = errno == ENOENT || errno == ECONNREFUSED;
        return ended ? flm_error_set(why, FLM_ERROR_SYSTEM, "process %d has ended",
                                     vm->identity.process)
                     : flm_error_set(why, FLM_ERROR_SYSTEM, "process %d: %s", vm->identity.process,
                                     strerror(errno));
    }
    bool good = send_command(file, command, arguments ? arguments : none, why) &&
                receive(file, patience, answer, why) && take_result(answer, from, command, why);
    close(file);
    if (!good)
        answer->size = from;
    return good;
}
