/* threads.c - the threads that are sampled: by the recorder's events, where the kernel sends
 * their signals; else each has a perf event of its own, whose overflow sends it a signal, or a
 * timer of its CPU time where it may not have one. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "java/internal.h"

/* Threads by number: a table of tables, which are never freed while handlers may look. Linux has
 * numbers below 2^22. */
enum { LOW_BITS = 10, LOW = 1 << LOW_BITS, HIGH = 1 << (22 - LOW_BITS), MOST = 1 << 16 };

typedef struct thread *_Atomic thread_slot;
static thread_slot *_Atomic tables[HIGH];
static struct thread *all; /* MOST of them, in memory that is used as far as there are threads */
static struct thread *first_free;
static uint32_t used, files, most_files;
static field_id native_thread; /* java.lang.Thread.eetop */

/* Threads that end while those of the VM are added: the list of these may still have them. */
enum { MOST_ENDED = 1024 };
static int32_t ended[MOST_ENDED];
static uint32_t ended_count;
static bool is_adding_all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *map_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int32_t own_id(void)
{
    return (int32_t)syscall(SYS_gettid);
}

struct thread *thread_of(int32_t id)
{
    if (id <= 0 || id >> LOW_BITS >= HIGH)
        return NULL;
    thread_slot *table = atomic_load(&tables[id >> LOW_BITS]);
    return table ? atomic_load(&table[id & (LOW - 1)]) : NULL;
}

bool threads_begin(void)
{
    struct rlimit limit = {0};
    all = map_memory(MOST * sizeof *all);
    first_free = NULL;
    used = files = 0;
    /* The program needs its files: a quarter of them is for us. */
    most_files = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 4 * MOST
                     ? (uint32_t)limit.rlim_cur / 4
                     : MOST;
    return all != NULL;
}

/* ---- What samples a thread ------------------------------------------------------------------- */

enum { RING_PAGES = 2 };

static size_t event_ring_size(void)
{
    return RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(int32_t id)
{
    const struct flm_java_config *c = &agent.config;
    struct perf_event_attr attr = {
        .size = PERF_ATTR_SIZE_VER5,
        .type = c->event_type,
        .config = c->event,
        .sample_period = c->period, /* or the frequency: they share their place */
        .freq = c->by_frequency != 0,
        .sample_type =
            PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
        .disabled = 1,
        .exclude_callchain_user = 1,
        .exclude_kernel = c->with_kernel == 0,
        .exclude_callchain_kernel = c->with_kernel == 0,
        .exclude_hv = 1,
        .wakeup_events = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    return (int)syscall(SYS_perf_event_open, &attr, id, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool has_event(struct thread *t, int32_t id)
{
    struct f_owner_ex owner = {F_OWNER_TID, id};
    if (files >= most_files)
        return false;
    int file = open_event(id);
    if (file < 0)
        return false;
    void *page = mmap(NULL, event_ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        close(file);
        return false;
    }
    t->file = file;
    atomic_store(&t->page, page);
    files++;
    return fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 && fcntl(file, F_SETSIG, SIGPROF) == 0 &&
           fcntl(file, F_SETOWN_EX, &owner) == 0 && ioctl(file, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

static bool has_timer(struct thread *t, int32_t id)
{
    /* The clock of a thread's CPU time, by its number: pthread_getcpuclockid knows only its own. */
    clockid_t clock = (clockid_t)((~(unsigned)id << 3) | 6);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    struct itimerspec every = {0};
    if (agent.config.timer_ns == 0)
        return false;
#ifdef sigev_notify_thread_id
    event.sigev_notify_thread_id = id;
#else
    event._sigev_un._tid = id;
#endif
    every.it_value.tv_sec = every.it_interval.tv_sec = (time_t)(agent.config.timer_ns / 1000000000);
    every.it_value.tv_nsec = every.it_interval.tv_nsec = (long)(agent.config.timer_ns % 1000000000);
    if (timer_create(clock, &event, &t->timer) != 0)
        return false;
    t->has_timer = true;
    return timer_settime(t->timer, 0, &every, NULL) == 0;
}

static void stop(struct thread *t)
{
    struct perf_event_mmap_page *page = atomic_load(&t->page);
    if (t->file >= 0)
        ioctl(t->file, PERF_EVENT_IOC_DISABLE, 0);
    if (t->has_timer)
        timer_delete(t->timer);
    atomic_store(&t->page, NULL);
    if (page)
        munmap(page, event_ring_size());
    if (t->file >= 0) {
        close(t->file);
        files--;
    }
    t->file = -1;
    t->has_timer = false;
}

/* ---- Records --------------------------------------------------------------------------------- */

static void tell(const struct thread *t, int32_t id, bool is_sampled)
{
    uint64_t size = sizeof(struct flm_java_thread) + t->name_size;
    struct flm_java_thread *record = ring_reserve(size);
    if (!record) {
        __atomic_add_fetch(&agent.ring->lost, 1, __ATOMIC_RELAXED);
        return;
    }
    record->time_ns = now_ns(CLOCK_MONOTONIC);
    record->thread = id;
    record->is_sampled = is_sampled;
    record->name_size = t->name_size;
    record->reserved = 0;
    memcpy(record + 1, t->name, t->name_size);
    ring_commit(record, size, FLM_JAVA_THREAD);
}

static void copy_name(struct thread *t, object reference)
{
    struct jvmti_thread_info info = {0};
    t->name_size = 0;
    if (!reference || jvmti_thread_info(agent.ti, reference, &info) != 0)
        return;
    if (info.name) {
        t->name_size = (uint32_t)strnlen(info.name, MOST_NAME);
        memcpy(t->name, info.name, t->name_size);
    }
    jvmti_free(agent.ti, info.name);
}

static void remove_locked(jni *env, struct thread *t, int32_t id)
{
    thread_slot *table = atomic_load(&tables[id >> LOW_BITS]);
    stop(t);
    tell(t, id, false);
    atomic_store(&table[id & (LOW - 1)], NULL);
    atomic_store(&t->id, 0);
    if (t->reference)
        jni_delete_global(env, t->reference);
    free(t->seen);
    t->reference = NULL;
    t->seen = NULL;
    t->next_free = first_free;
    first_free = t;
}

static struct thread *take_free(void)
{
    struct thread *t = first_free;
    if (t)
        first_free = t->next_free;
    else if (used < MOST)
        t = &all[used++];
    return t;
}

static void add_locked(jni *env, int32_t id, object reference)
{
    thread_slot *table = atomic_load(&tables[id >> LOW_BITS]);
    struct thread *t = thread_of(id);
    if (t) /* of an ended thread, which had the same number */
        remove_locked(env, t, id);
    if (!table && (table = map_memory(LOW * sizeof *table)))
        atomic_store(&tables[id >> LOW_BITS], table);
    t = table ? take_free() : NULL;
    if (!t) {
        __atomic_add_fetch(&agent.ring->unsampled, 1, __ATOMIC_RELAXED);
        return;
    }
    memset(t, 0, sizeof *t);
    t->file = -1;
    t->seen_ns = now_ns(CLOCK_MONOTONIC);
    t->seen_cpu_ns = -1;
    t->reference = reference ? jni_new_global(env, reference) : NULL;
    t->address = reference ? threads_address(env, reference) : 0;
    t->number = reference ? virtual_own_number(env, reference) : 0;
    copy_name(t, reference);
    atomic_store(&t->id, id);
    atomic_store(&table[id & (LOW - 1)], t);
    bool wants_cpu = agent.config.metrics & 1u << FLM_JAVA_CPU;
    /* First told, then sampled: what the recorder sees of it from now on is ours. */
    if (wants_cpu)
        tell(t, id, true);
    if (!wants_cpu || agent.takes_signals || has_event(t, id))
        return;
    stop(t);
    if (has_timer(t, id)) {
        __atomic_add_fetch(&agent.ring->timers, 1, __ATOMIC_RELAXED);
        return;
    }
    stop(t);
    tell(t, id, false);
    __atomic_add_fetch(&agent.ring->unsampled, 1, __ATOMIC_RELAXED);
}

void threads_add(jni *env, int32_t id, object reference)
{
    if (id <= 0 || id >> LOW_BITS >= HIGH)
        return;
    pthread_mutex_lock(&lock);
    add_locked(env, id, reference);
    pthread_mutex_unlock(&lock);
}

void threads_remove(jni *env, int32_t id)
{
    pthread_mutex_lock(&lock);
    struct thread *t = thread_of(id);
    if (t)
        remove_locked(env, t, id);
    else if (is_adding_all && ended_count < MOST_ENDED)
        ended[ended_count++] = id;
    pthread_mutex_unlock(&lock);
}

/* Not when it has ended since: nobody would remove it. */
static void add_listed(jni *env, int32_t id, object reference)
{
    if (id >> LOW_BITS >= HIGH)
        return;
    pthread_mutex_lock(&lock);
    bool has_ended = ended_count == MOST_ENDED;
    for (uint32_t i = 0; i < ended_count; i++)
        has_ended |= ended[i] == id;
    if (!has_ended && !thread_of(id))
        add_locked(env, id, reference);
    pthread_mutex_unlock(&lock);
}

static void set_adding_all(bool on)
{
    pthread_mutex_lock(&lock);
    is_adding_all = on;
    ended_count = 0;
    pthread_mutex_unlock(&lock);
}

uint64_t threads_address(jni *env, object thread)
{
    object class_of_all = native_thread ? NULL : jni_find_class(env, "java/lang/Thread");
    if (class_of_all) {
        native_thread = jni_field(env, class_of_all, "eetop", "J");
        jni_delete_local(env, class_of_all);
    }
    if (!native_thread)
        jni_clear_exception(env);
    return native_thread ? (uint64_t)jni_get_long(env, thread, native_thread) : 0;
}

/* JVM TI has no thread ids; the VM's structures have. */
void threads_add_all(jni *env)
{
    int32_t count = 0, own = own_id();
    object *threads = NULL;
    set_adding_all(true);
    if (jvmti_all_threads(agent.ti, &count, &threads) != 0)
        count = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t id = structures_thread(threads_address(env, threads[i]));
        if (id > 0 && id != own && id != agent.own_thread)
            add_listed(env, id, threads[i]);
        jni_delete_local(env, threads[i]);
    }
    set_adding_all(false);
    jvmti_free(agent.ti, threads);
}

void threads_visit(void (*visit)(struct thread *, void *), void *context)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < used; i++)
        if (atomic_load(&all[i].id))
            visit(&all[i], context);
    pthread_mutex_unlock(&lock);
}

void threads_end(jni *env)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; all && i < used; i++) {
        struct thread *t = &all[i];
        if (!atomic_load(&t->id))
            continue;
        stop(t);
        if (t->reference && env)
            jni_delete_global(env, t->reference);
        free(t->seen);
        t->reference = NULL;
        t->seen = NULL;
        atomic_store(&t->id, 0);
    }
    pthread_mutex_unlock(&lock);
}

void threads_free(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < HIGH; i++) {
        thread_slot *table = atomic_load(&tables[i]);
        atomic_store(&tables[i], NULL);
        if (table)
            munmap(table, LOW * sizeof *table);
    }
    if (all)
        munmap(all, MOST * sizeof *all);
    all = NULL;
    used = 0;
    pthread_mutex_unlock(&lock);
}
