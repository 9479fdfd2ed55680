/* library.c - when measuring begins and ends, in this process and in its children. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu.h"
#include "entries.h"
#include "functions.h"
#include "mappings.h"
#include "names.h"
#include "thread_state.h"

volatile uint32_t flm_signals;
static bool is_off; /* FLAMEL says so */

static void set_signals(uint32_t signals)
{
    flm_signals = signals;
    if (flm_memory_choose)
        flm_memory_choose();
}

/* ---- What a scope costs ---------------------------------------------------------------------- */

enum { BATCHES = 8, CALLS = 500 };

struct costs {
    uint64_t whole, inside; /* ticks of CALLS scopes, and as they count themselves */
};

/* The least of some batches, since others run on the machine as well. */
static struct costs measure_scopes(struct flm_local *local, bool is_timed)
{
    static struct flm_site around = {"calibration", "", "", 0, 0, 0, 0, 0};
    static struct flm_site site = {"empty", "", "", 0, 0, 0, 0, 0};
    struct costs least = {UINT64_MAX, UINT64_MAX}, before = {0, 0};
    around.number = site.number = 0;
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = flm_clock_ticks();
        struct flm_probe_open *outer = flm_probe_enter(&around);
        for (int i = 0; i < CALLS; i++)
            flm_probe_leave(flm_probe_enter(&site));
        uint64_t took = flm_clock_ticks() - start;
        if (!outer)
            return (struct costs){0, 0};
        struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)outer->at;
        flm_probe_leave(outer);
        /* The scope around leaves out what the library does now and then. */
        const struct flm_probe_node *empty = flm_local_at(local, node->child);
        uint64_t whole = is_timed ? node->total - before.whole : took;
        uint64_t inside = empty->total - before.inside;
        before = (struct costs){node->total, empty->total};
        if (b > 0 && whole < least.whole)
            least.whole = whole;
        if (b > 0 && inside < least.inside)
            least.inside = inside;
    }
    return least;
}

/* What scopes with nothing in them cost, in a thread of their own in the file, which is taken out
 * again. */
static void measure_costs(void)
{
    const uint32_t not_all = FLM_BY_COUNT | FLM_BY_SAMPLE | FLM_BY_BUDGET;
    struct flm_probe_header *header = flm_run.arena.header;
    uint64_t used = header->used;
    uint32_t mode = flm_scope_mode;
    if (!flm_local_begin())
        return;
    struct flm_local *local = flm_local;
    flm_scope_mode = mode & ~not_all;
    struct costs costs = measure_scopes(local, true);
    header->inside_cost = (uint32_t)(costs.inside * 256 / CALLS);
    header->outside_cost =
        costs.whole > costs.inside ? (uint32_t)((costs.whole - costs.inside) * 256 / CALLS) : 0;
    flm_local_end(local);
    if (mode & not_all && flm_local_begin()) {
        flm_scope_mode = (mode & ~not_all) | FLM_BY_COUNT;
        header->untimed_cost = (uint32_t)(measure_scopes(flm_local, false).whole * 256 / CALLS);
        flm_local_end(flm_local);
    }
    flm_scope_mode = mode;
    flm_thread_state = FLM_THREAD_USUAL;
    memset(flm_run.arena.base + used, 0, header->used - used);
    memset(header->site_part, 0, sizeof header->site_part);
    header->used = used;
    header->site_count = header->first_thread = 0;
    flm_run.ended_blocks = flm_run.seen_blocks = flm_run.reused_block = 0;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

void flm_signal_is(enum flm_probe_signal signal, enum flm_probe_signal_state state,
                   const char *reason)
{
    struct flm_arena *arena = &flm_run.arena;
    struct flm_probe_activity *activity = &arena->header->activity[signal];
    size_t size = reason ? strlen(reason) : 0;
    activity->reason = flm_arena_add_text(arena, reason, size);
    activity->reason_size = activity->reason > 0 ? (uint32_t)size : 0;
    __atomic_store_n(&activity->state, (uint32_t)state, __ATOMIC_RELEASE);
}

static const char *time_note;

void flm_time_note(const char *sentence)
{
    time_note = sentence;
    struct flm_probe_open *top = flm_local_work();
    flm_lock();
    if (flm_run.number > 0)
        flm_signal_is(FLM_PROBE_TIME, FLM_PROBE_ACTIVE, sentence);
    flm_unlock();
    flm_local_rest(top);
}

static void describe_command(struct flm_arena *arena)
{
    char text[4096];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text);
    if (file >= 0)
        close(file);
    while (size > 0 && text[size - 1] == 0)
        size--;
    for (ssize_t i = 0; i < size; i++)
        text[i] = text[i] ? text[i] : ' ';
    arena->header->command = flm_arena_add_text(arena, text, size > 0 ? (size_t)size : 0);
    arena->header->command_size = arena->header->command > 0 ? (uint32_t)size : 0;
}

static void add_number(void)
{
    size_t size = strlen(flm_settings.path);
    snprintf(flm_settings.path + size, sizeof flm_settings.path - size, ".%ld", (long)getpid());
}

/* Whether a program still writes there. */
static bool is_in_use(const char *path)
{
    struct flm_probe_header old = {.state = FLM_PROBE_ENDED};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    bool is_one = read(file, &old, sizeof old) == (ssize_t)sizeof old &&
                  memcmp(old.magic, FLM_PROBE_MAGIC, sizeof old.magic) == 0;
    close(file);
    return is_one && old.state == FLM_PROBE_RUNNING && old.pid > 0 && kill((pid_t)old.pid, 0) == 0;
}

/* The path, or with the number of the process behind it where a program still writes there: one
 * that ran this one, say. Several times, where a process has become one program after another: what
 * each of them measured is kept. */
static void choose_path(void)
{
    enum { MOST = 20 };
    for (int i = 0; i < MOST && is_in_use(flm_settings.path); i++)
        add_number();
}

/* Runs of this process and of those that it was forked from. */
static uint32_t runs;

static bool open_run(void)
{
    struct flm_arena *arena = &flm_run.arena;
    if (!flm_arena_open(arena, flm_settings.path[0] ? flm_settings.path : NULL))
        return false;
    flm_run.ended_blocks = flm_run.seen_blocks = flm_run.reused_block = 0;
    struct flm_probe_header *header = arena->header;
    header->pid = (uint32_t)getpid();
    header->state = FLM_PROBE_RUNNING;
    describe_command(arena);
    return true;
}

/* Of those that were asked for. Until it has ended, nothing stands in front. */
static uint32_t active_signals;

static void begin_signal(enum flm_probe_signal signal, void (*start)(void), const char *why_not)
{
    if (!(flm_settings.signals & 1u << signal))
        return;
    if (start)
        start();
    else
        flm_signal_is(signal, FLM_PROBE_NOT_POSSIBLE, why_not);
    if (flm_run.arena.header->activity[signal].state == FLM_PROBE_ACTIVE)
        active_signals |= 1u << signal;
}

static void begin_frees(void)
{
    bool is_asked = (flm_settings.signals & 1u << FLM_PROBE_FREEING) != 0;
    active_signals |= is_asked ? 1u << FLM_PROBE_FREEING : 0;
    flm_signal_is(FLM_PROBE_FREEING, is_asked ? FLM_PROBE_ACTIVE : FLM_PROBE_NOT_POSSIBLE,
                  is_asked ? NULL : "FLAMEL has no-frees");
}

static void begin_signals(void)
{
    static const char is_static[] = "the static library cannot stand in front of libc's functions";
    begin_signal(FLM_PROBE_MEMORY, flm_memory_start, is_static);
    if (flm_run.arena.header->activity[FLM_PROBE_MEMORY].state == FLM_PROBE_ACTIVE)
        begin_frees();
    begin_signal(FLM_PROBE_LOCKS, flm_locks_start, is_static);
    begin_signal(FLM_PROBE_IO, flm_files_start, is_static);
    begin_signal(FLM_PROBE_STATEMENTS, flm_statements_start, is_static);
    begin_signal(FLM_PROBE_TRANSFERS, flm_transfers_start, is_static);
    begin_signal(FLM_PROBE_CPU_TIME, flm_cpu_start, is_static);
    begin_signal(FLM_PROBE_THREADS, flm_threads_start, is_static);
}

static void begin_run(void)
{
    struct flm_probe_header *header = flm_run.arena.header;
    header->timed_of = flm_settings.timed_of;
    header->is_ordered = flm_settings.is_ordered;
    header->budget = flm_settings.budget;
    flm_signal_is(FLM_PROBE_TIME, FLM_PROBE_ACTIVE, time_note);
    begin_signals();
    header->start_ticks = header->now_ticks = flm_clock_ticks();
    header->start_ns = flm_clock_ns(CLOCK_REALTIME);
    memcpy(header->magic, FLM_PROBE_MAGIC, sizeof header->magic);
}

static bool begin(void)
{
    if (flm_settings.path[0])
        choose_path();
    bool good = open_run();
    if (!good && errno == EEXIST) { /* another one began at the same time */
        add_number();
        good = open_run();
    }
    if (!good)
        return false;
    flm_clock_start();
    flm_run.arena.header->ns_per_tick = flm_clock_ns_per_tick();
    flm_run.arena.header->clock =
        flm_probe_clock.is_counter ? FLM_PROBE_CLOCK_COUNTER : FLM_PROBE_CLOCK_SYSTEM;
    __atomic_store_n(&flm_run.number, ++runs, __ATOMIC_RELEASE);
    flm_scope_start();
    flm_functions_start();
    const char *note = flm_xray_start();
    time_note = note ? note : time_note;
    measure_costs();
    begin_run();
    flm_mappings_add();
    return true;
}

/* What the parent measured of the clock and of scopes. */
static struct flm_probe_header parent;
static struct flm_probe_header *parent_header; /* in its file, which stays mapped */
static bool is_child;

bool flm_run_begin_child(void)
{
    flm_lock();
    bool good = flm_run.number > 0;
    if (!good && is_child) {
        is_child = false; /* once */
        good = open_run();
        if (good) {
            struct flm_probe_header *header = flm_run.arena.header;
            header->ns_per_tick = parent.ns_per_tick;
            header->clock = parent.clock;
            header->inside_cost = parent.inside_cost;
            header->outside_cost = parent.outside_cost;
            header->untimed_cost = parent.untimed_cost;
            header->lost_calls = flm_calls_before();
            begin_run();
            __atomic_store_n(&flm_run.number, ++runs, __ATOMIC_RELEASE);
        } else {
            /* The parent's report says it: what is standard error here may be a socket. */
            __atomic_add_fetch(&parent_header->lost_processes, 1, __ATOMIC_RELAXED);
        }
    }
    flm_unlock();
    return good;
}

int flm_probe_do_start(const char *text)
{
    struct flm_settings asked;
    flm_settings_read(&asked, text ? text : "on");
    if (is_off || !asked.is_on)
        return -1;
    if (flm_run.starts > 0) {
        flm_run.starts++;
        return 0;
    }
    if (flm_run.number == 0 && !is_child) {
        flm_settings = asked;
        flm_outputs_begin(text ? text : "");
        if (!begin())
            return -1;
        flm_service_start();
    }
    flm_run.starts = 1;
    __atomic_store_n(&flm_probe_state, 1, __ATOMIC_RELEASE);
    set_signals(active_signals);
    /* Sampled from now on, with or without scopes. */
    if (flm_is_measured(FLM_PROBE_CPU_TIME) && flm_run.number > 0 && flm_local_begin())
        flm_cpu_begin(flm_local);
    return 0;
}

int flm_probe_do_write(void)
{
    struct flm_probe_header *header = flm_run.arena.header;
    if (flm_run.number == 0)
        return -1;
    flm_cpu_write(); /* these two to the scope that is open, which the next line hides */
    if (flm_memory_write)
        flm_memory_write();
    struct flm_probe_open *top = flm_local_work(); /* what is read for it is not the program's */
    flm_is_inside++;                               /* nor where the thread had no scope yet */
    flm_mappings_add();
    flm_threads_write();
    flm_names_add();
    header->ns_per_tick = flm_clock_ns_per_tick();
    header->now_ticks = flm_clock_ticks();
    flm_is_inside--;
    flm_local_rest(top);
    return 0;
}

int flm_probe_do_report(void)
{
    if (flm_probe_do_write() != 0)
        return -1;
    struct flm_probe_open *top = flm_local_work(); /* what it allocates is not the program's */
    flm_is_inside++;
    bool good = flm_outputs_write();
    flm_is_inside--;
    flm_local_rest(top);
    return good ? 0 : -1;
}

void flm_probe_do_stop(void)
{
    if (flm_run.starts == 0 || --flm_run.starts > 0)
        return;
    __atomic_store_n(&flm_probe_state, 0, __ATOMIC_RELEASE);
    flm_probe_do_write();
    set_signals(0);
}

/* ---- With the program ------------------------------------------------------------------------ */

/* Around fork() the lock is held, so that the child finds nothing half done; a handler that comes
 * meanwhile has no scopes. */
static __thread struct flm_probe_open *top_before_fork;

static void before_fork(void)
{
    top_before_fork = flm_local_work();
    flm_lock();
}

static void after_fork(void)
{
    flm_unlock();
    flm_local_rest(top_before_fork);
}

static void forget_in_child(void)
{
    flm_unlock();
    flm_calls_in_child();
    flm_cpu_in_child();
    flm_local_forget(); /* its memory is lost; the scopes that are open are the parent's */
    if (flm_files_in_child)
        flm_files_in_child();
    if (flm_memory_in_child)
        flm_memory_in_child();
    if (flm_run.number == 0 && !is_child)
        return;
    if (flm_run.number > 0) { /* else it is a child that has not begun, and forks */
        parent_header = flm_run.arena.header;
        parent = *parent_header;
        if (flm_arena_has_file(&flm_run.arena))
            close(flm_run.arena.file);
        flm_run.arena = (struct flm_arena){.file = -1};
        flm_run.number = 0;
        is_child = true;
    }
    flm_outputs_of_child();
    if (flm_settings.path[0])
        add_number();
    flm_service_of_child();
}

/* quick_exit() runs no destructors. A child of vfork() has its parent's memory. */
static void end_quickly(void)
{
    if (flm_run.number > 0 && flm_run.arena.header->pid == (uint32_t)getpid())
        flm_run_end();
}

static void __attribute__((constructor)) library_begins(void)
{
    const char *text = secure_getenv("FLAMEL");
    pthread_atfork(before_fork, after_fork, forget_in_child);
    (void)at_quick_exit(end_quickly); /* without memory for it that end has no report */
    if (!text || !*text || (flm_is_second && flm_is_second()))
        return;
    struct flm_settings asked;
    flm_settings_read(&asked, text);
    is_off = !asked.is_on && !asked.wrong[0];
    if (asked.wrong[0])
        fprintf(stderr, "flamel-probe: %s\n", asked.wrong);
    else if (!is_off && flm_probe_do_start(text) != 0 && !asked.is_quiet)
        fprintf(stderr, "flamel-probe: %s: %s\n",
                asked.path[0] ? asked.path : "the file in memory to measure into", strerror(errno));
}

/* A program that ends in a signal handler may have interrupted malloc, or this library: then only
 * what is written in place is. While a handler runs its signal is blocked; a program that blocks
 * one that it has a handler for has no report either. */
bool flm_is_in_handler(void)
{
    sigset_t blocked;
    if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) != 0)
        return false;
    for (int signal = 1; signal < SIGRTMIN; signal++) {
        struct sigaction action;
        if (sigismember(&blocked, signal) == 1 && sigaction(signal, NULL, &action) == 0 &&
            action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

static void end_in_handler(void)
{
    __atomic_store_n(&flm_probe_state, 0, __ATOMIC_RELEASE);
    set_signals(0);
    flm_run.arena.header->now_ticks = flm_clock_ticks();
    flm_run.arena.header->state = FLM_PROBE_ENDED;
    flm_run.number = 0;
}

void flm_run_end(void)
{
    if (flm_run.number == 0 || flm_run.arena.file < 0)
        return;
    if (flm_is_in_handler() || !flm_lock_soon()) {
        end_in_handler();
        return;
    }
    flm_unlock();
    flm_service_end();
    __atomic_store_n(&flm_probe_state, 0, __ATOMIC_RELEASE);
    flm_probe_do_write();
    set_signals(0);
    if (flm_local && flm_local->thread && flm_top)
        flm_local_drain(flm_local);
    flm_run.arena.header->state = FLM_PROBE_ENDED;
    flm_outputs_write();
    if (flm_lock_soon()) {
        flm_arena_end(&flm_run.arena);
        flm_unlock();
    }
}

static void __attribute__((destructor)) library_ends(void)
{
    flm_local_unload();
    flm_run_end();
}
