/* threads.c - what a thread has. Runs inside malloc and in signal handlers. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu.h"
#include "thread_state.h"

struct flm_run flm_run;
__thread struct flm_local *flm_local;
__thread struct flm_probe_open *flm_top;
__thread unsigned char flm_is_inside;
__thread unsigned char flm_thread_state;

/* Those of faults come at once or never. The kernel's set, not libc's. */
static __thread uint64_t mask_before_lock;
static void block_signals(void)
{
    static const uint64_t all =
        ~((uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGBUS - 1) | (uint64_t)1 << (SIGFPE - 1) |
          (uint64_t)1 << (SIGILL - 1) | (uint64_t)1 << (SIGTRAP - 1));
    uint64_t before;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    mask_before_lock = before;
}

static bool take_lock(void)
{
    return !__atomic_exchange_n(&flm_run.lock, 1, __ATOMIC_ACQUIRE);
}

/* Held for microseconds, where something is new. No handler interrupts its holder: it might jump
 * out of it, and what is half done would stay so. */
void flm_lock(void)
{
    flm_is_inside++; /* before: a handler may come at once */
    block_signals();
    while (!take_lock())
        sched_yield();
}

static void unblock_signals(void)
{
    uint64_t before = mask_before_lock;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    flm_is_inside--;
}

bool flm_lock_soon(void)
{
    enum { ATTEMPTS = 1000 };
    flm_is_inside++;
    block_signals();
    for (int i = 0; i < ATTEMPTS; i++) {
        if (take_lock())
            return true;
        sched_yield();
    }
    unblock_signals();
    return false;
}

void flm_unlock(void)
{
    __atomic_store_n(&flm_run.lock, 0, __ATOMIC_RELEASE);
    unblock_signals();
}

/* Not by mmap: the library itself stands in front of that. The thread sanitizer has to see what is
 * memory of another thread now; with it there is no such front. */
#ifdef __SANITIZE_THREAD__
static long map(size_t size, int flags, int file)
{
    return (long)(intptr_t)mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, 0);
}
static void unmap(void *memory, size_t size)
{
    munmap(memory, size);
}
#else
static long map(size_t size, int flags, int file)
{
    return syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, file, 0L);
}
static void unmap(void *memory, size_t size)
{
    syscall(SYS_munmap, memory, size);
}
#endif

void *flm_memory_map(size_t size, int flags, int file)
{
    long memory = map(size, flags, file);
    return memory == -1 ? NULL : (void *)memory; // NOLINT(performance-no-int-to-ptr)
}

void *flm_memory_new(size_t size)
{
    return flm_memory_map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

void flm_memory_free(void *memory, size_t size)
{
    if (memory)
        unmap(memory, size);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static bool add_part(struct flm_local *local)
{
    flm_lock();
    uint32_t place = flm_arena_take(&flm_run.arena,
                                    sizeof(struct flm_probe_node) * (FLM_PROBE_NODES_IN_PART + 1));
    flm_unlock();
    if (place == 0)
        return false;
    struct flm_probe_part *part = flm_local_at(local, place);
    part->next = local->thread->first_part;
    local->part = part;
    local->part_place = place;
    __atomic_store_n(&local->thread->first_part, place, __ATOMIC_RELEASE);
    return true;
}

uint32_t flm_node_new(struct flm_local *local, uint32_t parent, uint32_t site)
{
    if ((!local->part || local->part->count == FLM_PROBE_NODES_IN_PART) && !add_part(local))
        return 0;
    uint32_t place = local->part_place + FLM_PROBE_NODE_UNITS * (1 + local->part->count);
    struct flm_probe_node *node = flm_local_at(local, place);
    node->parent = parent;
    node->site = site;
    if (parent > 0) {
        struct flm_probe_node *above = flm_local_at(local, parent);
        node->next = above->child;
        __atomic_store_n(&above->child, place, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&local->part->count, local->part->count + 1, __ATOMIC_RELEASE);
    return place;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static bool is_name(const char *name, const char *other)
{
    return strncmp(name, other, FLM_PROBE_NAME_SIZE) == 0;
}

/* One that ended and had the same name: what it measured goes on. So a program that makes threads
 * all the time has as many blocks as threads at one time. Those that got another name after they
 * began have blocks of their own, as long as there are few. The caller holds the lock.
 *
 * Looked for from where the last one was found, in a ring, and only where there is one: of 8,000
 * threads at a time each took 440 us of CPU when it looked at all blocks, and takes 172. */
static struct flm_probe_thread *ended_thread(const char *name)
{
    enum { MOST_RENAMED = 32 };
    struct flm_arena *arena = &flm_run.arena;
    struct flm_probe_thread *renamed = NULL;
    uint32_t count = 0;
    if (__atomic_load_n(&flm_run.ended_blocks, __ATOMIC_RELAXED) == 0)
        return NULL;
    uint32_t first = flm_run.reused_block;
    first = first > 0 ? first : arena->header->first_thread;
    for (uint32_t place = first, is_all = false; !is_all;) {
        struct flm_probe_thread *thread = flm_arena_at(arena, place);
        bool has_ended = flm_thread_is(thread, FLM_PROBE_ENDED); /* first: the rest is its last */
        bool is_renamed = !is_name(thread->name, thread->began_as);
        bool is_one = has_ended && is_name(thread->began_as, name);
        if (is_one && !is_renamed) {
            flm_run.reused_block = place;
            return thread;
        }
        count += is_renamed;
        if (is_one)
            renamed = thread;
        place = thread->next > 0 ? thread->next : arena->header->first_thread;
        is_all = place == first;
    }
    return count < MOST_RENAMED ? NULL : renamed;
}

static struct flm_probe_thread *new_thread(void)
{
    struct flm_arena *arena = &flm_run.arena;
    uint32_t place = flm_arena_take(arena, sizeof(struct flm_probe_thread));
    if (place == 0)
        return NULL;
    struct flm_probe_thread *thread = flm_arena_at(arena, place);
    for (int i = 0; i < FLM_PROBE_MOST_DEPTH + FLM_PROBE_SPARE_DEPTH; i++)
        thread->open[i].parent = FLM_NO_PARENT;
    thread->next = arena->header->first_thread;
    __atomic_store_n(&arena->header->first_thread, place, __ATOMIC_RELEASE);
    return thread;
}

/* One that runs, and that the report found before it had a scope: of its own, or of another thread
 * that ended and had its name. */
static struct flm_probe_thread *seen_thread(uint32_t tid)
{
    struct flm_arena *arena = &flm_run.arena;
    uint32_t place = flm_run.seen_blocks > 0 ? arena->header->first_thread : 0;
    while (place > 0) {
        struct flm_probe_thread *thread = flm_arena_at(arena, place);
        if (flm_thread_is(thread, FLM_PROBE_RUNNING) && thread->is_seen && thread->tid == tid)
            return thread;
        place = thread->next;
    }
    return NULL;
}

/* Without a call of memset: the thread sanitizer of a program sees those, and not the lock. */
void flm_thread_name(struct flm_probe_thread *thread, const char *name)
{
    char text[sizeof thread->name] = "";
    for (size_t i = 0; i < sizeof text && name[i]; i++)
        text[i] = name[i];
    memcpy(thread->name, text, sizeof text);
}

void flm_thread_give_back(struct flm_probe_thread *thread)
{
    __atomic_store_n(&thread->state, FLM_PROBE_ENDED, __ATOMIC_RELEASE);
    __atomic_fetch_add(&flm_run.ended_blocks, 1, __ATOMIC_RELAXED);
}

struct flm_probe_thread *flm_thread_take(const char *name, uint32_t tid)
{
    struct flm_probe_thread *thread = seen_thread(tid);
    if (thread) {
        thread->is_seen = 0;
        flm_run.seen_blocks--;
        return thread;
    }
    thread = ended_thread(name);
    if (thread)
        __atomic_fetch_sub(&flm_run.ended_blocks, 1, __ATOMIC_RELAXED);
    else
        thread = new_thread();
    if (!thread) {
        flm_run.arena.header->lost_threads++;
        return NULL;
    }
    flm_thread_name(thread, name);
    memcpy(thread->began_as, thread->name, sizeof thread->began_as);
    thread->tid = tid;
    thread->start = thread->start > 0 ? thread->start : flm_clock_ticks();
    thread->threads++;
    __atomic_store_n(&thread->state, FLM_PROBE_RUNNING, __ATOMIC_RELEASE);
    return thread;
}

static bool take_thread(struct flm_local *local)
{
    char name[FLM_PROBE_NAME_SIZE + 1] = "";
    prctl(PR_GET_NAME, name);
    flm_lock();
    local->thread = flm_thread_take(name, (uint32_t)syscall(SYS_gettid));
    flm_unlock();
    return local->thread != NULL;
}

/* The tree and the meters that the thread before has left. */
static bool take_over(struct flm_local *local)
{
    struct flm_probe_thread *thread = local->thread;
    local->part_place = thread->first_part;
    local->part = local->part_place > 0 ? flm_local_at(local, local->part_place) : NULL;
    if (!flm_meters_take_over(local))
        return false;
    if (thread->root == 0) {
        thread->open[0].node = flm_node_new(local, 0, 0);
        __atomic_store_n(&thread->root, thread->open[0].node, __ATOMIC_RELAXED);
    }
    thread->open[0].at = thread->root > 0 ? (uintptr_t)flm_local_at(local, thread->root) : 0;
    return thread->root > 0;
}

static pthread_key_t key;
static bool has_key;
static pthread_once_t key_is_made = PTHREAD_ONCE_INIT;

void flm_local_unload(void)
{
    if (__atomic_load_n(&has_key, __ATOMIC_ACQUIRE))
        pthread_key_delete(key);
}

/* Put off to the last round of destructors: the program's free what they have, and lock. The thread
 * sanitizer ends in the last one too, and then neither what is compiled with it may run, nor what
 * it stands in front of: read, memset. */
static uint32_t last_round(void)
{
    return PTHREAD_DESTRUCTOR_ITERATIONS - (flm_has_thread_sanitizer() ? 1 : 0);
}

static void end_thread(void *memory)
{
    struct flm_local *local = memory;
    if (++local->ends >= last_round() || pthread_setspecific(key, local) != 0)
        flm_local_end(local);
}

static void make_key(void)
{
    __atomic_store_n(&has_key, pthread_key_create(&key, end_thread) == 0, __ATOMIC_RELEASE);
}

static bool make_local(void)
{
    struct flm_local *local;
    if (__atomic_load_n(&flm_run.number, __ATOMIC_ACQUIRE) == 0 && !flm_run_begin_child())
        return false;
    if (!(local = flm_memory_new(sizeof *local)))
        return false;
    local->base = flm_run.arena.base;
    flm_local = local;
    pthread_once(&key_is_made, make_key);
    if (has_key)
        pthread_setspecific(key, local);
    if (take_thread(local) && !take_over(local)) {
        flm_thread_give_back(local->thread);
        local->thread = NULL;
    }
    if (!local->thread)
        return false;
    flm_cpu_begin(local);
    flm_top = &local->thread->open[0];
    return true;
}

/* What this calls may come here again: pthread_setspecific allocates. */
bool flm_local_begin(void)
{
    const struct flm_local *local = flm_local;
    if (flm_thread_state == FLM_THREAD_BEGINS || (!local && flm_is_inside))
        return false;
    if (local)
        return local->thread && flm_top;
    unsigned char before = flm_thread_state;
    flm_thread_state = FLM_THREAD_BEGINS;
    bool good = make_local();
    flm_thread_state = before;
    if (good)
        flm_calls_begin();
    return good;
}

/* Its last words, all at once: who begins now looks for a block that ended, and for its name. */
static void end_block(struct flm_local *local)
{
    char name[FLM_PROBE_NAME_SIZE + 1] = "";
    struct flm_probe_thread *thread = local->thread;
    bool has_name = prctl(PR_GET_NAME, name) == 0;
    for (uint32_t depth = 1; thread->open[depth].start > 0; depth++)
        flm_scope_close(local, &thread->open[depth]);
    flm_local_drain(local);
    flm_cpu_end(local);
    struct flm_probe_kernel now = flm_thread_state_now();
    flm_lock();
    if (has_name)
        flm_thread_name(thread, name);
    flm_thread_state_end(thread, &now);
    thread->last = flm_clock_ticks();
    flm_thread_give_back(thread);
    flm_unlock();
}

void flm_local_end(struct flm_local *local)
{
    flm_local_work();
    flm_task_leave_thread(local);
    if (local->thread)
        end_block(local);
    flm_local_forget();
    flm_thread_state = FLM_THREAD_ENDED;
    flm_meters_free(local);
    flm_remembered_free(local);
    flm_jumps_free(local);
    flm_memory_free(local, sizeof *local);
}

void flm_local_forget(void)
{
    if (flm_local && has_key)
        pthread_setspecific(key, NULL);
    flm_local = NULL;
    flm_top = NULL;
}

/* A scope that begins while the library works is a signal handler's. */
bool flm_local_begin_scope(void)
{
    if (flm_local && flm_local->thread && !flm_top)
        flm_local->thread->lost_busy++;
    return flm_local_begin();
}
