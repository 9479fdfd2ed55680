/* cpu.c - the CPU time of scopes: a signal to each thread after so much of its CPU time, whose
 * handler adds what was used since the last one to the scope that is open. So the samples of a
 * thread add up to its CPU time, and only which scope had it is by chance. What is waited for takes
 * no samples: wall minus CPU is waiting.
 *
 * A signal, and not a ring that is read later: which scope was open is known then and there only.
 * The scopes have no history that samples with a time could be joined with, since that would cost
 * each call what a sample costs now and then. The signal is one that is ignored by default: it may
 * be pending when the program runs another one, which any other would then kill. It is a plain one:
 * where it is blocked at most one waits, where real-time signals would fill the queue.
 *
 * perf_event_open's clock fires as often as asked; timers, where that is forbidden or there are too
 * many threads for a file each, at the system's tick (100 to 1000 per second). The file has how
 * many samples came. */
#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SAMPLE = SIGURG, MOST_FILES = 128 };
enum way { BY_NOTHING, BY_EVENT, BY_TIMER };

/* Files of events: a program has few, so there is a limit. A slot is 1 + file, or 0. */
static int files[MOST_FILES];
static struct sigaction old_action;
static bool is_installed;

__thread unsigned flm_cpu_samples;

static uint64_t cpu_now(void)
{
    return flm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- A sample -------------------------------------------------------------------------------- */

static void add(struct flm_local *local, uint64_t now)
{
    const struct flm_probe_open *top = flm_top;
    if (!top)
        return; /* the library works: the next sample has this time too */
    /* A place that was just taken may have no node yet. */
    uint64_t at = top->at ? top->at : (top - 1)->at;
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)at; // NOLINT
    if (!node)
        return;
    if (flm_is_measured(FLM_PROBE_CPU_TIME))
        node->value[FLM_PROBE_CPU] += now - local->cpu_ns;
    local->cpu_ns = now;
}

static bool is_ours(const struct flm_local *local, const siginfo_t *info)
{
    if (!local || local->cpu_way == BY_NOTHING)
        return false;
    if (local->cpu_way == BY_TIMER)
        return info->si_code == SI_TIMER && info->si_value.sival_ptr == local;
    return info->si_code == POLL_IN && info->si_fd == local->cpu_file;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int error = errno;
    struct flm_local *local = flm_local;
    if (is_ours(local, info)) {
        struct flm_probe_header *header = (void *)local->base;
        add(local, cpu_now());
        flm_cpu_samples++;
        __atomic_fetch_add(&header->activity[FLM_PROBE_CPU_TIME].samples, 1, __ATOMIC_RELAXED);
    } else if (old_action.sa_flags & SA_SIGINFO) {
        old_action.sa_sigaction(number, info, context);
    } else if (old_action.sa_handler != SIG_DFL && old_action.sa_handler != SIG_IGN) {
        old_action.sa_handler(number);
    }
    errno = error;
}

/* ---- Its source ------------------------------------------------------------------------------ */

static int *free_slot(void)
{
    for (int i = 0; i < MOST_FILES; i++) {
        int none = 0;
        if (__atomic_load_n(&files[i], __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&files[i], &none, -1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return &files[i];
    }
    errno = EMFILE;
    return NULL;
}

static int open_event(bool is_kernel_seen)
{
    struct perf_event_attr event;
    memset(&event, 0, sizeof event);
    event.size = sizeof event;
    event.type = PERF_TYPE_SOFTWARE;
    event.config = PERF_COUNT_SW_TASK_CLOCK;
    event.sample_period = 1000000000 / flm_settings.cpu_frequency;
    event.disabled = 1;
    event.exclude_kernel = !is_kernel_seen;
    event.exclude_hv = !is_kernel_seen;
    event.wakeup_events = 1;
    return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* In the kernel, where that may be seen: else such time goes to the next sample in the program. */
static bool begin_event(struct flm_local *local)
{
    int *slot = free_slot();
    if (!slot)
        return false;
    int file = open_event(true);
    if (file < 0 && (errno == EACCES || errno == EPERM))
        file = open_event(false);
    file = flm_file_aside(file);
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    bool good = file >= 0 && fcntl(file, F_SETOWN_EX, &owner) == 0 &&
                fcntl(file, F_SETSIG, SAMPLE) == 0 &&
                fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
    if (good) {
        local->cpu_file = file;
        local->cpu_way = BY_EVENT;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        good = ioctl(file, PERF_EVENT_IOC_ENABLE, 0) == 0;
    }
    if (!good && file >= 0)
        close(file);
    __atomic_store_n(slot, good ? 1 + file : 0, __ATOMIC_RELEASE);
    if (!good)
        local->cpu_way = BY_NOTHING;
    return good;
}

/* The system's own calls: the C library's keep lists, and allocate. */
static bool begin_timer(struct flm_local *local)
{
    const long second = 1000000000;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SAMPLE;
    event.sigev_value.sival_ptr = local;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    int timer;
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0)
        return false;
    long period = second / (long)flm_settings.cpu_frequency;
    struct itimerspec every = {{period / second, period % second},
                               {period / second, period % second}};
    local->cpu_timer = timer;
    local->cpu_way = BY_TIMER;
    if (syscall(SYS_timer_settime, timer, 0, &every, NULL) == 0)
        return true;
    syscall(SYS_timer_delete, timer);
    local->cpu_way = BY_NOTHING;
    return false;
}

/* The program may have closed it, and have another file of this number. */
static void close_event(int file)
{
    struct f_owner_ex owner;
    if (fcntl(file, F_GETSIG) == SAMPLE && fcntl(file, F_GETOWN_EX, &owner) == 0 &&
        owner.type == F_OWNER_TID)
        close(file);
}

void flm_cpu_begin(struct flm_local *local)
{
    static bool is_said;
    if (!flm_is_measured(FLM_PROBE_CPU_TIME) || local->cpu_way != BY_NOTHING)
        return;
    local->cpu_ns = cpu_now();
    if (begin_event(local) || !begin_timer(local) || is_said)
        return;
    is_said = true;
    struct flm_probe_activity *activity = &flm_run.arena.header->activity[FLM_PROBE_CPU_TIME];
    static const char why[] = "by timers, since perf_event_open is not permitted, or there are too "
                              "many threads: fewer samples than were asked for";
    flm_lock();
    activity->reason = flm_arena_add_text(&flm_run.arena, why, sizeof why - 1);
    activity->reason_size = activity->reason > 0 ? sizeof why - 1 : 0;
    flm_unlock();
}

void flm_cpu_end(struct flm_local *local)
{
    enum way way = (enum way)local->cpu_way;
    if (way == BY_NOTHING)
        return;
    local->cpu_way = BY_NOTHING;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (way == BY_TIMER)
        syscall(SYS_timer_delete, local->cpu_timer);
    for (int i = 0; way == BY_EVENT && i < MOST_FILES; i++)
        if (__atomic_load_n(&files[i], __ATOMIC_RELAXED) == 1 + local->cpu_file) {
            close_event(local->cpu_file);
            __atomic_store_n(&files[i], 0, __ATOMIC_RELEASE);
            break;
        }
    struct flm_probe_node *root = flm_local_at(local, local->thread->root);
    root->value[FLM_PROBE_CPU] += cpu_now() - local->cpu_ns;
}

void flm_cpu_write(void)
{
    struct flm_local *local = flm_local;
    sigset_t sample, old;
    if (!local || local->cpu_way == BY_NOTHING)
        return;
    sigemptyset(&sample);
    sigaddset(&sample, SAMPLE);
    pthread_sigmask(SIG_BLOCK, &sample, &old);
    add(local, cpu_now());
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void flm_cpu_in_child(void)
{
    for (int i = 0; i < MOST_FILES; i++)
        if (files[i] > 0)
            close_event(files[i] - 1);
    memset(files, 0, sizeof files);
}

/* ---- All threads ----------------------------------------------------------------------------- */

void flm_cpu_start(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    if (!is_installed && sigaction(SAMPLE, &action, &old_action) != 0) {
        flm_signal_is(FLM_PROBE_CPU_TIME, FLM_PROBE_NOT_POSSIBLE, "the signal is refused");
        return;
    }
    is_installed = true;
    flm_signal_is(FLM_PROBE_CPU_TIME, FLM_PROBE_ACTIVE, NULL);
    flm_run.arena.header->activity[FLM_PROBE_CPU_TIME].rate = flm_settings.cpu_frequency;
}
