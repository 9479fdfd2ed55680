/* recorder_readers.c - a thread on each CPU that reads the rings there.
 *
 * Frames of interpreters are read a moment after the sample, while the thread runs on: of a server
 * with Django whose functions take a microsecond, half had changed by then. The kernel wakes the
 * reader of the CPU in the interrupt that took the sample; it comes before the sampled thread,
 * which goes on when its frames were read. A recorder that waits for all CPUs at once is woken up
 * on another one that is idle, and reads while the thread runs.
 *
 * The events of an interpreter that was started after the recording wake no reader. Readers begin
 * when it is first seen, and its threads get events of their own (stack_sizes.h).
 *
 * Reading the unwind tables of a new file takes long (44 to 112 ms for node) and is done with
 * normal scheduling: flm_priority_step_back.
 *
 * One round is read at a time. Another CPU's reader waits for its turn without sleeping, for as
 * long as a round takes: its own thread stands still meanwhile. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "os/clock.h"
#include "record/capture/internal.h"
#include "record/capture/priority.h"

enum { TURN_NS = 300000 };

struct reader {
    struct flm_readers *all;
    struct flm_ring *ring;
    pthread_t thread;
};

struct flm_readers {
    struct flm_recorder *recorder;
    pthread_mutex_t lock;
    int over; /* an eventfd: readable when they shall end */
    bool has_failed;
    struct flm_error why;
    size_t count;
    struct reader *reader;
};

/* ---- Turns ----------------------------------------------------------------------------------- */

void flm_readers_lock(struct flm_readers *all)
{
    if (all)
        pthread_mutex_lock(&all->lock);
}

void flm_readers_unlock(struct flm_readers *all)
{
    if (all)
        pthread_mutex_unlock(&all->lock);
}

static void lock_soon(struct flm_readers *all)
{
    if (pthread_mutex_trylock(&all->lock) == 0)
        return;
    for (int64_t until_ns = flm_now_ns() + TURN_NS; flm_now_ns() < until_ns;)
        if (pthread_mutex_trylock(&all->lock) == 0)
            return;
    pthread_mutex_lock(&all->lock);
}

bool flm_readers_failed(struct flm_readers *all, struct flm_error *why)
{
    if (!all || !all->has_failed)
        return false;
    if (why)
        *why = all->why;
    return true;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void *read_ring(void *context)
{
    struct reader *reader = context;
    struct flm_readers *all = reader->all;
    struct flm_rings *rings = all->recorder->rings;
    flm_priority_take_cpu(reader->ring->cpu);
    for (bool goes_on = true; goes_on;) {
        lock_soon(all);
        int file = flm_rings_file(rings, reader->ring);
        flm_readers_unlock(all);
        struct pollfd polled[] = {{.fd = all->over, .events = POLLIN},
                                  {.fd = file, .events = POLLIN}};
        if (poll(polled, 2, -1) < 0 || polled[0].revents)
            break;
        lock_soon(all);
        if (polled[1].revents & (POLLHUP | POLLERR | POLLNVAL))
            flm_rings_poll_another(rings, reader->ring);
        if (!all->has_failed && !flm_recorder_read_round(all->recorder, false, &all->why))
            all->has_failed = true;
        goes_on = !all->has_failed;
        flm_readers_unlock(all);
    }
    return NULL;
}

static bool start(struct flm_readers *all, struct flm_error *why)
{
    struct flm_rings *rings = all->recorder->rings;
    sigset_t every, before;
    int error = 0;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    for (size_t i = 0; i < rings->sampled_count && error == 0; i++) {
        struct reader *reader = &all->reader[all->count];
        *reader = (struct reader){.all = all, .ring = &rings->ring[i]};
        if (!rings->ring[i].page)
            continue;
        error = pthread_create(&reader->thread, NULL, read_ring, reader);
        all->count += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "cannot start a thread: %s", strerror(error));
}

struct flm_readers *flm_readers_start(struct flm_recorder *recorder, struct flm_error *why)
{
    struct flm_readers *all = calloc(1, sizeof *all);
    if (all)
        all->reader = calloc(recorder->rings->sampled_count + 1, sizeof *all->reader);
    if (!all || !all->reader) {
        free(all);
        flm_error_memory(why);
        return NULL;
    }
    all->recorder = recorder;
    all->over = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&all->lock, NULL);
    bool good = all->over >= 0 ||
                flm_error_set(why, FLM_ERROR_SYSTEM, "cannot make an eventfd: %s", strerror(errno));
    pthread_mutex_lock(&all->lock);
    if (good && start(all, why))
        return all;
    flm_readers_end(all);
    return NULL;
}

void flm_readers_end(struct flm_readers *all)
{
    if (!all)
        return;
    const uint64_t one = 1;
    ssize_t written = all->over >= 0 ? write(all->over, &one, sizeof one) : 0;
    assert(written >= 0);
    (void)written;
    pthread_mutex_unlock(&all->lock);
    for (size_t i = 0; i < all->count; i++)
        pthread_join(all->reader[i].thread, NULL);
    if (all->over >= 0)
        close(all->over);
    pthread_mutex_destroy(&all->lock);
    free(all->reader);
    free(all);
}
