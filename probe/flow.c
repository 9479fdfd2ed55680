/* flow.c - queues and streams: flamel/probe_flow.h. Runs inside malloc and in signal handlers.
 *
 * A queue is found by its address in a table. It numbers the items that are sent and those that are
 * received; a received one was sent at the time that is in the ring by its number:
 *
 *     sent 7    ring  [4] 4,12us  [5] 5,14us  [6] 6,19us        the next one is number 7
 *     received 4                                                it is number 4: it was sent at 12us
 *
 * Where items come out in another order, the sum of the times is the same. Where the queue is
 * longer than the ring, each second item is timed, each fourth, and so on: `shift`. */
#include <string.h>

#include "internal.h"

#include "flamel/probe_flow.h"

enum { MOST_QUEUES = 1024, QUEUE_SLOTS = 4096, RING = 1024, MOST_SHIFT = 20 };

struct timed {
    uint64_t number, ticks; /* the number + 1; 0: there is none */
};

struct queue {
    const void *address;
    struct flm_site *send, *receive;
    uint32_t shift, slot;
    struct queue *next_free;
    _Alignas(64) uint64_t sent;
    _Alignas(64) uint64_t received;
    struct timed ring[RING];
};

/* By open addressing; NULL: never used; &gone: not any more. Queues are reused, never freed: who
 * still looks at one that was ended reads of another one. */
static struct queue **all_queues;
static struct queue gone, *free_queues;
static uint32_t queue_count, used_slots;

static uint32_t slot_of(const void *address)
{
    return (uint32_t)((uintptr_t)address * 0x9E3779B97F4A7C15u >> 40) % QUEUE_SLOTS;
}

static struct queue *find(const void *address)
{
    struct queue **all = __atomic_load_n(&all_queues, __ATOMIC_ACQUIRE);
    for (uint32_t i = slot_of(address), n = 0; all && n < QUEUE_SLOTS; n++) {
        struct queue *queue = __atomic_load_n(&all[i], __ATOMIC_ACQUIRE);
        if (!queue)
            return NULL;
        if (queue->address == address)
            return queue;
        i = (i + 1) % QUEUE_SLOTS;
    }
    return NULL;
}

/* ---- Making one. With the lock. -------------------------------------------------------------- */

static struct queue *new_queue(void)
{
    struct queue *queue = free_queues;
    if (queue_count >= MOST_QUEUES)
        return NULL;
    if (queue)
        free_queues = queue->next_free;
    else
        queue = flm_memory_new(sizeof *queue);
    queue_count += queue != NULL;
    return queue;
}

/* Slots of those that are gone are used again where a chain has one. */
static bool put(struct queue *queue)
{
    uint32_t i = slot_of(queue->address);
    for (uint32_t n = 0; n < QUEUE_SLOTS; n++, i = (i + 1) % QUEUE_SLOTS) {
        if (all_queues[i] && all_queues[i] != &gone)
            continue;
        used_slots += !all_queues[i];
        queue->slot = i;
        __atomic_store_n(&all_queues[i], queue, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

static struct queue *make(const void *address, struct flm_site *send, struct flm_site *receive)
{
    if (!all_queues) {
        struct queue **all = flm_memory_new(QUEUE_SLOTS * sizeof *all);
        __atomic_store_n(&all_queues, all, __ATOMIC_RELEASE);
    }
    struct queue *queue = all_queues ? find(address) : NULL;
    if (queue || !all_queues || !(queue = new_queue()))
        return queue;
    queue->send = send;
    queue->receive = receive;
    queue->sent = queue->received = queue->shift = 0;
    memset(queue->ring, 0, sizeof queue->ring);
    queue->address = address;
    return put(queue) ? queue : NULL;
}

/* NULL: there are too many, or there is no memory. `is_its`: it has this name from now on. */
static struct queue *name_queue(const void *address, const char *name, bool is_its)
{
    struct queue *queue;
    if (!name || !*name)
        name = "<unnamed>";
    size_t size = strlen(name);
    struct flm_site *send = flm_site_named(FLM_PROBE_QUEUE, FLM_PROBE_QUEUE_SEND, name, size, NULL);
    struct flm_site *receive =
        flm_site_named(FLM_PROBE_QUEUE, FLM_PROBE_QUEUE_RECEIVE, name, size, NULL);
    if (!send || !receive)
        return NULL;
    struct flm_probe_open *top = flm_local_work();
    flm_lock();
    queue = address ? make(address, send, receive) : NULL;
    if (queue && is_its) {
        __atomic_store_n(&queue->send, send, __ATOMIC_RELEASE);
        __atomic_store_n(&queue->receive, receive, __ATOMIC_RELEASE);
    }
    flm_unlock();
    flm_local_rest(top);
    return queue;
}

static struct queue *queue_of(const void *address, const char *name)
{
    struct queue *queue = address ? find(address) : NULL;
    return queue ? queue : name_queue(address, name, false);
}

/* ---- What is called -------------------------------------------------------------------------- */

void flm_probe_queue(const void *address, const char *name)
{
    name_queue(address, name, true);
}

/* A chain ends where a slot was never used, so those that are gone make chains longer; at the end
 * of one they are not needed. */
static void forget_gone(void)
{
    for (uint32_t i = 0; i < QUEUE_SLOTS; i++)
        if (all_queues[i] == &gone && !all_queues[(i + 1) % QUEUE_SLOTS]) {
            uint32_t at = i;
            while (all_queues[at] == &gone) {
                __atomic_store_n(&all_queues[at], NULL, __ATOMIC_RELEASE);
                used_slots--;
                at = (at + QUEUE_SLOTS - 1) % QUEUE_SLOTS;
            }
        }
}

void flm_probe_queue_end(const void *address)
{
    if (!address || !find(address))
        return;
    struct flm_probe_open *top = flm_local_work();
    flm_lock();
    struct queue *queue = find(address);
    if (queue) {
        __atomic_store_n(&all_queues[queue->slot], &gone, __ATOMIC_RELEASE);
        queue->next_free = free_queues;
        free_queues = queue;
        queue_count--;
        if (used_slots > QUEUE_SLOTS / 2)
            forget_gone();
    }
    flm_unlock();
    flm_local_rest(top);
}

static void count_items(struct flm_site *site, uint64_t count, uint64_t not_timed)
{
    struct flm_probe_node *node = flm_node_of(site);
    if (!node)
        return;
    node->value[FLM_PROBE_AMOUNT] += count;
    node->value[FLM_PROBE_ERRORS] += not_timed;
}

/* The library works. */
static void add(struct flm_site *site, enum flm_probe_quantity quantity, uint64_t value,
                uint64_t now)
{
    uint32_t number = flm_site_number(site);
    struct flm_probe_meter *meter = number > 0 ? flm_meter_of(flm_local, number, quantity) : NULL;
    if (!meter)
        return;
    flm_meter_add(flm_local, number, quantity, value);
    meter->last_ticks = now;
}

/* Of a queue that is longer than the ring, fewer are timed from now on. */
static void write_times(struct queue *queue, uint64_t first, uint64_t count, uint64_t length,
                        uint64_t now)
{
    uint32_t known = __atomic_load_n(&queue->shift, __ATOMIC_RELAXED), shift = known;
    while (length >> shift > RING / 2 && shift < MOST_SHIFT)
        shift++;
    if (shift != known)
        __atomic_store_n(&queue->shift, shift, __ATOMIC_RELAXED);
    uint64_t step = (uint64_t)1 << shift;
    uint64_t number = (first + step - 1) & ~(step - 1);
    for (uint32_t n = 0; number < first + count && n < RING; number += step, n++) {
        struct timed *timed = &queue->ring[number >> shift & (RING - 1)];
        __atomic_store_n(&timed->number, 0, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_RELEASE);
        __atomic_store_n(&timed->ticks, now, __ATOMIC_RELAXED);
        __atomic_store_n(&timed->number, number + 1, __ATOMIC_RELEASE);
    }
}

void flm_probe_queue_send(const void *address, const char *name, uint64_t count)
{
    struct queue *queue = queue_of(address, name);
    if (count == 0 || (!flm_top && !flm_local_begin()))
        return;
    if (!queue) {
        flm_local->thread->lost_values += count;
        return;
    }
    uint64_t first = __atomic_fetch_add(&queue->sent, count, __ATOMIC_RELAXED);
    uint64_t received = __atomic_load_n(&queue->received, __ATOMIC_RELAXED);
    uint64_t length = first + count > received ? first + count - received : 0;
    uint64_t now = flm_clock_ticks();
    write_times(queue, first, count, length, now);
    count_items(queue->send, count, 0);
    struct flm_probe_open *top = flm_local_work();
    add(queue->send, FLM_PROBE_LENGTH, length, now);
    flm_local_rest(top);
}

/* The newest ones; or, where another thread has sent some since, some that are received next. */
void flm_probe_queue_cancel(const void *address, uint64_t count)
{
    struct queue *queue = address ? find(address) : NULL;
    if (!queue)
        return;
    uint64_t sent = __atomic_load_n(&queue->sent, __ATOMIC_RELAXED), left = sent;
    uint64_t received = __atomic_load_n(&queue->received, __ATOMIC_RELAXED);
    left -= count < sent - received ? count : sent - received;
    if (!__atomic_compare_exchange_n(&queue->sent, &sent, left, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        __atomic_fetch_add(&queue->received, count, __ATOMIC_RELAXED);
    struct flm_probe_node *node = flm_node_of(queue->send);
    if (node)
        node->value[FLM_PROBE_AMOUNT] -= count;
}

/* How many of them have a time; their delays are in the meter. The library works. */
static uint64_t read_times(struct queue *queue, uint64_t first, uint64_t count, uint64_t now)
{
    uint32_t shift = __atomic_load_n(&queue->shift, __ATOMIC_RELAXED);
    uint64_t step = (uint64_t)1 << shift, found = 0;
    uint64_t number = (first + step - 1) & ~(step - 1);
    for (uint32_t n = 0; number < first + count && n < RING; number += step, n++) {
        struct timed *timed = &queue->ring[number >> shift & (RING - 1)];
        if (__atomic_load_n(&timed->number, __ATOMIC_ACQUIRE) != number + 1)
            continue;
        uint64_t ticks = __atomic_load_n(&timed->ticks, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&timed->number, __ATOMIC_RELAXED) != number + 1)
            continue;
        add(queue->receive, FLM_PROBE_DELAY, now > ticks ? now - ticks : 0, now);
        found++;
    }
    return found;
}

/* Those that nobody has sent were there before measuring began: they have no number. */
static uint64_t take(struct queue *queue, uint64_t count, uint64_t *left, uint64_t *taken)
{
    uint64_t first = __atomic_load_n(&queue->received, __ATOMIC_RELAXED);
    do {
        uint64_t sent = __atomic_load_n(&queue->sent, __ATOMIC_RELAXED);
        uint64_t there = sent > first ? sent - first : 0;
        *taken = count < there ? count : there;
        *left = there - *taken;
    } while (!__atomic_compare_exchange_n(&queue->received, &first, first + *taken, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return first;
}

void flm_probe_queue_receive(const void *address, const char *name, uint64_t count)
{
    struct queue *queue = queue_of(address, name);
    if (count == 0 || (!flm_top && !flm_local_begin()))
        return;
    if (!queue) {
        flm_local->thread->lost_values += count;
        return;
    }
    uint64_t left, taken, first = take(queue, count, &left, &taken);
    struct flm_probe_open *top = flm_local_work();
    uint64_t now = flm_clock_ticks(), timed = read_times(queue, first, taken, now);
    add(queue->receive, FLM_PROBE_LENGTH, left, now);
    flm_local_rest(top);
    count_items(queue->receive, count, count - timed);
}

void *flm_probe_queue_wait(const void *address, const char *name, int is_receiver)
{
    struct queue *queue = queue_of(address, name);
    if (!queue)
        return NULL;
    return flm_probe_enter(is_receiver ? queue->receive : queue->send);
}

void flm_probe_stream(struct flm_site *site, uint64_t count)
{
    struct flm_probe_node *node = flm_node_of(site);
    if (!node)
        return;
    node->calls++;
    node->value[FLM_PROBE_AMOUNT] += count;
}
