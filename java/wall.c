/* wall.c - elapsed time of each thread, with what it does.
 *
 * A thread that has used no CPU time since it was looked at last has not moved: it stands where it
 * stood, and all that it costs is to read its clock. One that has, and waits now, is asked for its
 * stack by the VM's interface: at a place where it waits there is no bias. And one that runs gets
 * a signal, as for CPU samples. So no signal ends anybody's system call. A signal that is not taken
 * soon, because others have the CPU, is not sent twice: the time is owed, and the next one pays. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "java/internal.h"

struct look {
    jni *env;
    int64_t time_ns;
};

static int64_t cpu_time_ns(int32_t id)
{
    return now_ns((clockid_t)((~(unsigned)id << 3) | 6));
}

/* A file of the thread in /proc, as text. */
static const char *read_file(int32_t id, const char *name, char text[512])
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", id, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, 511) : -1;
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = 0;
    return text;
}

/* Whether the kernel has it on a CPU, or waiting for one. */
static bool runs(int32_t id)
{
    char text[512];
    const char *name_end = strrchr(read_file(id, "stat", text), ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'R';
}

/* How long it has waited for a CPU so far. */
static int64_t delay_ns(int32_t id)
{
    char text[512];
    long long used, waited;
    return sscanf(read_file(id, "schedstat", text), "%lld %lld", &used, &waited) == 2 ? waited : 0;
}

static uint32_t state_of(int32_t bits)
{
    if (bits & THREAD_BLOCKED)
        return FLM_JAVA_BLOCKED;
    if (bits & THREAD_SLEEPING)
        return FLM_JAVA_SLEEPING;
    if (bits & THREAD_PARKED)
        return FLM_JAVA_PARKED;
    if (bits & THREAD_WAITING_WITH_TIMEOUT)
        return FLM_JAVA_TIMED_WAITING;
    if (bits & THREAD_WAITING_INDEFINITELY)
        return FLM_JAVA_WAITING;
    return FLM_JAVA_NATIVE;
}

/* The handler asks what is owed (sample.c). */
static void send_signal(struct thread *t, int32_t id, int64_t elapsed_ns)
{
    siginfo_t info = {.si_code = SI_QUEUE};
    int64_t waited_ns = delay_ns(id), since_ns = waited_ns - t->seen_delay_ns;
    info.si_pid = getpid();
    info.si_uid = getuid();
    atomic_store(&t->owed_state, since_ns > elapsed_ns / 2 ? FLM_JAVA_RUNNABLE : FLM_JAVA_ON_CPU);
    t->seen_delay_ns = waited_ns;
    atomic_fetch_add(&t->owed_ns, elapsed_ns);
    syscall(SYS_rt_tgsigqueueinfo, getpid(), id, SIGPROF, &info);
}

/* Its stack and its state, kept until it moves. False when it has neither. */
static bool ask(jni *env, struct thread *t)
{
    static struct jvmti_frame frames[FLM_JAVA_MOST_FRAMES];
    int32_t bits = 0, count = 0;
    free(t->seen);
    t->seen = NULL;
    t->seen_count = 0;
    if (jvmti_thread_state(agent.ti, t->reference, &bits) != 0 || !(bits & THREAD_ALIVE) ||
        jvmti_stack(agent.ti, t->reference, FLM_JAVA_MOST_FRAMES, frames, &count) != 0)
        return false;
    t->seen_state = state_of(bits);
    t->seen = count > 0 ? calloc((size_t)count, sizeof *t->seen) : NULL;
    t->seen_count = t->seen ? (uint32_t)count : 0;
    for (uint32_t i = 0; i < t->seen_count; i++)
        t->seen[i] = frame_of(&frames[i]);
    kinds_find_known(threads_address(env, t->reference), t->seen, t->seen_count);
    return true;
}

static void look_at(struct thread *t, void *context)
{
    const struct look *look = context;
    int32_t id = atomic_load(&t->id);
    int64_t elapsed_ns = look->time_ns - t->seen_ns, cpu_ns = cpu_time_ns(id);
    if (!t->reference || elapsed_ns <= 0)
        return;
    bool has_moved = cpu_ns != t->seen_cpu_ns || t->seen_cpu_ns < 0 || !t->seen;
    t->seen_ns = look->time_ns;
    t->seen_cpu_ns = cpu_ns;
    if (has_moved && runs(id)) {
        free(t->seen);
        t->seen = NULL;
        t->seen_count = 0;
        send_signal(t, id, elapsed_ns);
        return;
    }
    if (has_moved && !ask(look->env, t))
        return;
    struct flm_java_sample s = {.time_ns = look->time_ns,
                                .value = (uint64_t)elapsed_ns,
                                .thread = id,
                                .metric = FLM_JAVA_WALL,
                                .state = t->seen_state,
                                .cpu = UINT32_MAX,
                                .frame_count = t->seen_count,
                                .more_frames = t->seen_count == FLM_JAVA_MOST_FRAMES};
    sample_write(&s, t->seen, NULL);
}

int64_t wall_look(jni *env, int64_t time_ns)
{
    struct look look = {env, time_ns};
    if (!enter())
        return INT64_MAX;
    threads_visit(look_at, &look);
    leave();
    /* With many threads a look takes a while: half of the time at least is not ours. */
    int64_t took_ns = now_ns(CLOCK_MONOTONIC) - time_ns;
    int64_t every_ns = (int64_t)agent.config.wall_ns;
    return time_ns + (took_ns * 2 > every_ns ? took_ns * 2 : every_ns);
}
