/* agent.c - the agent's life: loaded, it connects to the recorder and begins; when the recorder
 * goes away it takes everything back.
 *
 * HotSpot does not unload agents, so the library stays mapped, which is also what makes ending
 * safe: a thread may still be in one of our functions. And its JVM TI environment stays, without
 * events and capabilities, for the next time: of the VMs whose environment was disposed of (17,
 * Shenandoah) 4 of 4 ended with a damaged heap or an abort while threads came and went; where it
 * stayed, 9 VMs had about 8 attachments each without harm. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "java/internal.h"

struct agent agent = {.socket = -1, .wake = -1};

static _Atomic bool is_loaded;
static struct jvmti_capabilities capabilities; /* that we have */
static pthread_mutex_t describing = PTHREAD_MUTEX_INITIALIZER;

int64_t now_ns(clockid_t clock)
{
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

bool enter(void)
{
    atomic_fetch_add(&agent.active, 1);
    if (atomic_load(&agent.is_on))
        return true;
    atomic_fetch_sub(&agent.active, 1);
    return false;
}

void leave(void)
{
    atomic_fetch_sub(&agent.active, 1);
}

/* ---- The recorder ---------------------------------------------------------------------------- */

static bool say(bool failed, const char *text)
{
    struct flm_java_hello hello = {.version = FLM_JAVA_VERSION, .failed = failed};
    snprintf(hello.text, sizeof hello.text, "%s", text);
    return send(agent.socket, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello;
}

/* "socket=/tmp/..." is where the recorder listens; "fd=7" a connection that it has left us. */
static int connect_to(const char *options)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strncmp(options, "fd=", 3) == 0) {
        int file = atoi(options + 3);
        return fcntl(file, F_SETFD, FD_CLOEXEC) == 0 ? file : -1;
    }
    if (strncmp(options, "socket=", 7) != 0 || strlen(options + 7) >= sizeof address.sun_path)
        return -1;
    strcpy(address.sun_path, options + 7);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file >= 0 && connect(file, (struct sockaddr *)&address, sizeof address) == 0) {
        unlink(address.sun_path); /* also if the recorder is killed now */
        return file;
    }
    if (file >= 0)
        close(file);
    return -1;
}

/* The config and, with it, the memory. */
static bool receive(void)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec config = {&agent.config, sizeof agent.config};
    struct msghdr message = {.msg_iov = &config,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t size;
    do
        size = recvmsg(agent.socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (size < 0 && errno == EINTR);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (size != (ssize_t)sizeof agent.config || !header || header->cmsg_type != SCM_RIGHTS)
        return false;
    int file;
    memcpy(&file, CMSG_DATA(header), sizeof file);
    void *memory = MAP_FAILED;
    if (agent.config.version == FLM_JAVA_VERSION)
        memory = mmap(NULL, FLM_JAVA_RING_START + agent.config.ring_size, PROT_READ | PROT_WRITE,
                      MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED)
        return false;
    agent.ring = memory;
    agent.records = (char *)memory + FLM_JAVA_RING_START;
    return true;
}

/* ---- Generated code -------------------------------------------------------------------------- */

/* Both ends of the anonymous memory around an address: the code cache is reserved at once. */
static void widen(uint64_t address)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    uint64_t from = 0, until = 0;
    bool inside = false;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long long start, end, inode;
        if (sscanf(line, "%llx-%llx %*s %*s %*s %llu", &start, &end, &inode) != 3)
            continue;
        bool joins = inode == 0 && start == until && !strchr(line, '[');
        if (inside && !joins)
            break;
        if (!joins)
            from = start;
        until = inode == 0 && !strchr(line, '[') ? end : 0;
        inside = address >= from && address < end;
    }
    if (maps)
        fclose(maps);
    if (inside && until > from) {
        agent.code_start = from;
        agent.code_end = until;
    }
}

static void on_code(jvmti *ti, const char *name, const void *address, int32_t size)
{
    (void)ti;
    if (!agent.code_start)
        widen((uint64_t)(uintptr_t)address);
    if (!enter())
        return;
    uint32_t name_size = (uint32_t)strnlen(name, 256);
    struct flm_java_code *record = ring_reserve(sizeof *record + name_size);
    if (record) {
        record->start = (uint64_t)(uintptr_t)address;
        record->size = (uint32_t)size;
        record->name_size = name_size;
        memcpy(record + 1, name, name_size);
        ring_commit(record, sizeof *record + name_size, FLM_JAVA_CODE);
    }
    leave();
}

bool recorder_is_there(void)
{
    struct pollfd file = {.fd = agent.socket};
    return poll(&file, 1, 0) <= 0 || !(file.revents & (POLLHUP | POLLERR));
}

/* ---- The agent's thread ---------------------------------------------------------------------- */

static void describe(jni *env)
{
    pthread_mutex_lock(&describing);
    methods_describe(env);
    pthread_mutex_unlock(&describing);
}

static void await_handlers(void)
{
    const struct timespec pause = {0, 1000000};
    enum { PATIENCE = 3000 };
    for (int i = 0; i < PATIENCE && atomic_load(&agent.active) > 0; i++)
        nanosleep(&pause, NULL);
}

static void notify_all(bool on)
{
    static const int32_t events[] = {EVENT_VM_DEATH,   EVENT_THREAD_START,  EVENT_THREAD_END,
                                     EVENT_CLASS_LOAD, EVENT_CLASS_PREPARE, EVENT_DYNAMIC_CODE};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        jvmti_notify(agent.ti, on, events[i]);
}

/* All that go_live does, also if it did only a part. The order matters: nothing new begins, what
 * runs ends, and then its memory goes. */
static void take_back(jni *env)
{
    if (atomic_load(&agent.is_on)) {
        if (agent.config.metrics & 1u << FLM_JAVA_LOCK)
            parks_end(env);
        virtual_describe(env); /* while it is told of threads that end */
        notify_all(false);
        events_notify(false);
        if (agent.config.metrics & 1u << FLM_JAVA_LIVE)
            live_write(env);
        describe(env);
        atomic_store(&agent.is_on, false);
    }
    structures_keep_inlined(false);
    await_handlers();
    bool is_quiet = atomic_load(&agent.active) == 0;
    threads_end(env);
    samples_end();
    live_end(env);
    if (is_quiet) { /* else it stays: a thread that was not heard of for seconds may go on */
        threads_free();
        methods_end();
        munmap(agent.ring, FLM_JAVA_RING_START + agent.config.ring_size);
    }
    agent.ring = NULL;
    jvmti_relinquish(agent.ti, &capabilities);
    if (agent.wake >= 0)
        close(agent.wake);
    agent.wake = -1;
}

static void end(jni *env)
{
    take_back(env);
    int socket = agent.socket;
    agent.socket = -1;
    atomic_store(&is_loaded, false);
    close(socket);
}

static void *run(void *context)
{
    enum { MILLISECOND = 1000000, LONGEST_MS = 1000 };
    struct vm_attach_arguments arguments = {JNI_VERSION, "flamel", NULL};
    jni *env;
    (void)context;
    agent.own_thread = own_id(); /* which is not sampled: it takes no signals */
    prctl(PR_SET_NAME, "flamel");
    if (vm_attach_daemon(agent.vm, &env, &arguments) != 0)
        return NULL;
    int64_t next_ns = INT64_MAX;
    if (agent.config.metrics & 1u << FLM_JAVA_WALL)
        next_ns = 0;
    for (;;) {
        struct pollfd files[2] = {{.fd = agent.socket, .events = POLLIN},
                                  {.fd = agent.wake, .events = POLLIN}};
        int64_t wait_ns = next_ns == INT64_MAX ? INT64_MAX : next_ns - now_ns(CLOCK_MONOTONIC);
        wait_ns = wait_ns < 0 ? 0 : wait_ns;
        int wait_ms =
            wait_ns / MILLISECOND < LONGEST_MS ? (int)(wait_ns / MILLISECOND) : LONGEST_MS;
        poll(files, 2, wait_ms);
        if (atomic_load(&agent.is_over))
            return NULL; /* the VM ends, and nobody may call it any more */
        if (files[1].revents & POLLIN) {
            uint64_t count;
            if (read(agent.wake, &count, sizeof count) > 0) {
                virtual_describe(env);
                describe(env);
            }
        }
        if (files[0].revents)
            break;
        if (next_ns != INT64_MAX && now_ns(CLOCK_MONOTONIC) >= next_ns - MILLISECOND)
            next_ns = wall_look(env, now_ns(CLOCK_MONOTONIC));
    }
    vm *v = agent.vm;
    end(env);
    vm_detach(v);
    return NULL;
}

static bool start_thread(void)
{
    pthread_t thread;
    sigset_t blocked, before;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int error = pthread_create(&thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        pthread_detach(thread);
    return error == 0;
}

/* ---- What the VM tells ----------------------------------------------------------------------- */

static void on_thread_start(jvmti *ti, jni *env, object thread)
{
    (void)ti;
    if (own_id() == agent.own_thread || !enter())
        return;
    threads_add(env, own_id(), thread);
    leave();
}

static void on_thread_end(jvmti *ti, jni *env, object thread)
{
    (void)ti;
    (void)thread;
    if (!enter())
        return;
    threads_remove(env, own_id());
    leave();
}

/* Without it AsyncGetCallTrace refuses to work. */
static void on_class_load(jvmti *ti, jni *env, object thread, object of)
{
    (void)ti;
    (void)env;
    (void)thread;
    (void)of;
}

static void on_class_prepare(jvmti *ti, jni *env, object thread, object of)
{
    (void)ti;
    (void)env;
    (void)thread;
    if (!enter())
        return;
    methods_prepare_class(of);
    leave();
}

static void on_death(jvmti *ti, jni *env)
{
    (void)ti;
    if (!enter())
        return;
    if (agent.config.metrics & 1u << FLM_JAVA_LIVE) {
        events_notify(false);
        live_write(env);
    }
    describe(env);
    atomic_store(&agent.is_over, true);
    atomic_store(&agent.is_on, false);
    leave();
    await_handlers();
    threads_end(NULL);
}

/* Counted as active from when it is on: the recorder may go away at any time, and the agent's
 * thread ends it all then, but not before this has returned. */
static bool go_live(jni *env, const char **why)
{
    *why = "no memory for the agent";
    structures_keep_inlined(true);
    kinds_begin(env);
    virtual_begin(env);
    if (!methods_begin() || !threads_begin() || !samples_begin())
        return false;
    agent.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    atomic_fetch_add(&agent.active, 1);
    atomic_store(&agent.is_on, true);
    notify_all(true);
    events_notify(true);
    jvmti_generate(agent.ti, EVENT_DYNAMIC_CODE);
    agent.ring->code_start = agent.code_start;
    agent.ring->code_end = agent.code_end;
    methods_prepare(env);
    if (agent.config.metrics & 1u << FLM_JAVA_LOCK)
        agent.ring->no_parks = !parks_begin(env);
    *why = "no thread for the agent can be started";
    bool good = agent.wake >= 0 && start_thread();
    if (good)
        threads_add_all(env);
    if (good)
        say(false, "");
    leave();
    return good;
}

static void on_init(jvmti *ti, jni *env, object thread)
{
    const char *why;
    (void)ti;
    (void)thread;
    if (!go_live(env, &why)) {
        say(true, why);
        end(env);
    }
}

/* ---- Loading --------------------------------------------------------------------------------- */

static bool find_vm(const char **why)
{
    void *library = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
    *why = "this VM has no libjvm.so";
    if (!library)
        return false;
    agent.get_trace = (get_call_trace)(uintptr_t)dlsym(library, "AsyncGetCallTrace");
    *why = "this VM has no AsyncGetCallTrace: only HotSpot has";
    bool good = agent.get_trace && structures_find(library, why);
    dlclose(library); /* the VM itself keeps it loaded */
    return good;
}

static void want(struct jvmti_capabilities *c, int bit)
{
    c->words[bit / 32] |= 1u << bit % 32;
}

/* The VM takes agents a moment before it has its interface for them: it is awaited. */
static bool find_interface(vm *v, bool is_live)
{
    enum { PATIENCE = 2000 };
    const struct timespec pause = {0, 5000000};
    for (int i = 0; !agent.ti; i++) {
        if (vm_environment(v, &agent.ti, JVMTI_VERSION) == 0)
            break;
        agent.ti = NULL;
        if (!is_live || i == PATIENCE)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

static bool prepare(vm *v, jni **env, bool is_live, const char **why)
{
    struct jvmti_capabilities potential = {0};
    static function callbacks[EVENTS_COUNT];
    agent.vm = v;
    agent.code_start = agent.code_end = 0;
    atomic_store(&agent.is_over, false);
    if (!find_vm(why))
        return false;
    *why = "the VM is not ready yet, or has no JVM TI";
    if (!find_interface(v, is_live))
        return false;
    if (vm_environment(v, env, JNI_VERSION) != 0)
        *env = NULL;
    memset(&capabilities, 0, sizeof capabilities);
    jvmti_potential(agent.ti, &potential);
    *why = "the VM cannot sample allocations: HotSpot 11 and later can";
    if (agent.config.metrics & FLM_JAVA_ALLOCATED &&
        !(potential.words[CAN_SAMPLED_ALLOCATION / 32] >> CAN_SAMPLED_ALLOCATION % 32 & 1))
        return false;
    want(&capabilities, CAN_GET_SOURCE_FILE_NAME);
    want(&capabilities, CAN_GET_LINE_NUMBERS);
    if (agent.config.metrics & 1u << FLM_JAVA_LOCK)
        want(&capabilities, CAN_MONITOR_EVENTS);
    if (agent.config.metrics & FLM_JAVA_ALLOCATED)
        want(&capabilities, CAN_SAMPLED_ALLOCATION);
    for (int i = 0; i < 4; i++)
        capabilities.words[i] &= potential.words[i];
    jvmti_add(agent.ti, &capabilities);
    callbacks[EVENT_VM_INIT - EVENTS_FIRST] = (function)on_init;
    callbacks[EVENT_VM_DEATH - EVENTS_FIRST] = (function)on_death;
    callbacks[EVENT_THREAD_START - EVENTS_FIRST] = (function)on_thread_start;
    callbacks[EVENT_THREAD_END - EVENTS_FIRST] = (function)on_thread_end;
    callbacks[EVENT_CLASS_LOAD - EVENTS_FIRST] = (function)on_class_load;
    callbacks[EVENT_CLASS_PREPARE - EVENTS_FIRST] = (function)on_class_prepare;
    callbacks[EVENT_DYNAMIC_CODE - EVENTS_FIRST] = (function)on_code;
    events_set(callbacks);
    *why = "the VM takes no callbacks";
    return jvmti_set_callbacks(agent.ti, callbacks) == 0;
}

/* 0, or what the VM is told. The recorder learns why. */
static int32_t load(vm *v, const char *options, bool is_live)
{
    const char *why = "another recording measures this VM already";
    jni *env = NULL;
    if (atomic_exchange(&is_loaded, true)) {
        int ours = agent.socket;
        /* Said on a connection of its own. */
        struct flm_java_hello hello = {.version = FLM_JAVA_VERSION, .failed = true};
        int file = options ? connect_to(options) : -1;
        snprintf(hello.text, sizeof hello.text, "%s", why);
        if (file >= 0 && file != ours) {
            send(file, &hello, sizeof hello, MSG_NOSIGNAL);
            close(file);
        }
        return 1;
    }
    agent.socket = options ? connect_to(options) : -1;
    if (agent.socket < 0) {
        atomic_store(&is_loaded, false);
        return 2;
    }
    why = "the agent and flamel are of different versions";
    bool good = receive() && prepare(v, &env, is_live, &why);
    if (good && !is_live)
        good = jvmti_notify(agent.ti, true, EVENT_VM_INIT) == 0;
    else if (good)
        good = env && go_live(env, &why);
    if (good)
        return 0; /* said by go_live, while it was still there */
    say(true, why);
    if (agent.ring && agent.ti)
        take_back(env);
    close(agent.socket);
    agent.socket = -1;
    atomic_store(&is_loaded, false);
    return 3;
}

#define EXPORT __attribute__((visibility("default")))
EXPORT int32_t Agent_OnLoad(vm *v, char *options, void *reserved);
EXPORT int32_t Agent_OnAttach(vm *v, char *options, void *reserved);

int32_t Agent_OnLoad(vm *v, char *options, void *reserved)
{
    (void)reserved;
    load(v, options, false);
    return 0; /* or the program would not run */
}

int32_t Agent_OnAttach(vm *v, char *options, void *reserved)
{
    (void)reserved;
    return load(v, options, true);
}
