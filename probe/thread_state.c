/* thread_state.c - what the kernel says of threads, from getrusage and /proc/self/task. Runs inside
 * malloc, but for flm_threads_write. */
#include "thread_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A small file of a thread, with a 0 behind it; false: the thread is not there. */
static bool read_file(uint32_t tid, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/%s", tid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

static uint64_t run_queue_ns(uint32_t tid)
{
    char text[128], *end;
    if (!read_file(tid, "schedstat", text, sizeof text))
        return 0;
    strtoull(text, &end, 10);
    return strtoull(end, NULL, 10);
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000;
}

static void add_ended(struct flm_probe_kernel *sum, const struct flm_probe_kernel *ended)
{
    sum->user_ns += ended->user_ns;
    sum->system_ns += ended->system_ns;
    sum->run_queue_ns += ended->run_queue_ns;
    sum->voluntary_switches += ended->voluntary_switches;
    sum->involuntary_switches += ended->involuntary_switches;
    sum->minor_faults += ended->minor_faults;
    sum->major_faults += ended->major_faults;
}

struct flm_probe_kernel flm_thread_state_now(void)
{
    struct rusage usage;
    if (!flm_is_measured(FLM_PROBE_THREADS) || getrusage(RUSAGE_THREAD, &usage) != 0)
        return (struct flm_probe_kernel){0};
    return (struct flm_probe_kernel){
        .user_ns = ns_of(usage.ru_utime),
        .system_ns = ns_of(usage.ru_stime),
        .run_queue_ns = run_queue_ns((uint32_t)syscall(SYS_gettid)),
        .voluntary_switches = (uint64_t)usage.ru_nvcsw,
        .involuntary_switches = (uint64_t)usage.ru_nivcsw,
        .minor_faults = (uint64_t)usage.ru_minflt,
        .major_faults = (uint64_t)usage.ru_majflt,
    };
}

void flm_thread_state_end(struct flm_probe_thread *thread, const struct flm_probe_kernel *now)
{
    if (!flm_is_measured(FLM_PROBE_THREADS))
        return;
    add_ended(&thread->ended, now);
    thread->kernel = thread->ended;
}

/* "1234 (a name) S 1 2 3 ...": the name may have anything in it, so from the last bracket on. */
enum { FLAGS = 9, MINOR = 10, MAJOR = 12, USER = 14, SYSTEM = 15, FIELDS };
static bool read_fields(uint32_t tid, uint64_t field[FIELDS])
{
    char text[1024];
    int number = 2;
    if (!read_file(tid, "stat", text, sizeof text) || !strrchr(text, ')'))
        return false;
    for (const char *at = strrchr(text, ')'); number < SYSTEM && (at = strchr(at + 1, ' '));)
        field[++number] = strtoull(at + 1, NULL, 10);
    return number == SYSTEM;
}

static bool read_stat(uint32_t tid, struct flm_probe_kernel *to)
{
    uint64_t field[FIELDS], tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    if (!read_fields(tid, field))
        return false;
    to->minor_faults = field[MINOR];
    to->major_faults = field[MAJOR];
    to->user_ns = field[USER] * tick;
    to->system_ns = field[SYSTEM] * tick;
    return true;
}

/* Who joined it goes on before it is gone. The kernel's PF_EXITING. */
static bool is_exiting(uint32_t tid)
{
    enum { EXITING = 4 };
    uint64_t field[FIELDS];
    return !read_fields(tid, field) || (field[FLAGS] & EXITING) != 0;
}

static uint64_t after(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static bool of_thread(uint32_t tid, struct flm_probe_kernel *to)
{
    char text[4096];
    if (tid == (uint32_t)syscall(SYS_gettid)) {
        *to = flm_thread_state_now();
        return true;
    }
    if (!read_stat(tid, to) || !read_file(tid, "status", text, sizeof text))
        return false;
    to->voluntary_switches = after(text, "\nvoluntary_ctxt_switches:");
    to->involuntary_switches = after(text, "\nnonvoluntary_ctxt_switches:");
    to->run_queue_ns = run_queue_ns(tid);
    return true;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* One that ends meanwhile says it itself, and better; its block may be another thread's then. */
static void update(struct flm_probe_thread *thread)
{
    struct flm_probe_kernel now = {0};
    char name[FLM_PROBE_NAME_SIZE + 2], text[1024];
    flm_lock();
    uint32_t tid = flm_thread_is(thread, FLM_PROBE_RUNNING) ? thread->tid : 0;
    flm_unlock();
    if (tid == 0)
        return;
    bool is_there = of_thread(tid, &now);
    const char *end = read_file(tid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    bool has_name = is_there && read_file(tid, "comm", name, sizeof name);
    flm_lock();
    if (!flm_thread_is(thread, FLM_PROBE_RUNNING) || thread->tid != tid) {
        flm_unlock();
        return;
    }
    if (has_name) {
        name[strcspn(name, "\n")] = 0;
        flm_thread_name(thread, name);
    }
    if (end && end[1] == ' ')
        thread->doing = (unsigned char)end[2];
    if (is_there) {
        add_ended(&now, &thread->ended);
        thread->kernel = now;
    } else if (thread->is_seen) {
        /* It had no scopes, so nobody said so. */
        thread->ended = thread->kernel;
        thread->is_seen = 0;
        flm_run.seen_blocks--;
        flm_thread_give_back(thread);
    }
    flm_unlock();
}

static struct flm_probe_thread *thread_at(uint32_t place)
{
    return place > 0 ? flm_arena_at(&flm_run.arena, place) : NULL;
}

static struct flm_probe_thread *first_thread(void)
{
    return thread_at(__atomic_load_n(&flm_run.arena.header->first_thread, __ATOMIC_ACQUIRE));
}

/* Under the lock: a block may end, and be another thread's, while it is looked at. One that said
 * its last words is known, too, until another thread has its block. */
static bool is_known(uint32_t tid)
{
    const struct flm_probe_thread *thread = first_thread();
    while (thread && thread->tid != tid)
        thread = thread_at(thread->next);
    return thread != NULL;
}

static bool is_known_now(uint32_t tid)
{
    flm_lock();
    bool is = is_known(tid);
    flm_unlock();
    return is;
}

/* A thread that has no scopes. */
static void add_thread(uint32_t tid)
{
    char name[FLM_PROBE_NAME_SIZE + 2];
    if (tid == __atomic_load_n(&flm_service_tid, __ATOMIC_RELAXED) || is_known_now(tid) ||
        is_exiting(tid) || !read_file(tid, "comm", name, sizeof name))
        return;
    name[strcspn(name, "\n")] = 0;
    flm_lock();
    /* It may have begun its first scope meanwhile. */
    struct flm_probe_thread *thread = is_known(tid) ? NULL : flm_thread_take(name, tid);
    if (thread) {
        thread->is_seen = 1;
        flm_run.seen_blocks++;
    }
    flm_unlock();
}

static void add_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            add_thread((uint32_t)strtoul(entry->d_name, NULL, 10));
    if (folder)
        closedir(folder);
}

void flm_threads_write(void)
{
    if (!flm_is_measured(FLM_PROBE_THREADS) || flm_run.number == 0)
        return;
    struct flm_probe_open *top = flm_local_work();
    add_threads();
    for (struct flm_probe_thread *thread = first_thread(); thread; thread = thread_at(thread->next))
        if (flm_thread_is(thread, FLM_PROBE_RUNNING))
            update(thread);
    flm_local_rest(top);
}

void flm_threads_start(void)
{
    bool can = access("/proc/self/task", R_OK) == 0;
    flm_signal_is(FLM_PROBE_THREADS, can ? FLM_PROBE_ACTIVE : FLM_PROBE_NOT_POSSIBLE,
                  can ? NULL : "there is no /proc/self/task");
}
