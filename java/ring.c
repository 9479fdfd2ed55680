/* ring.c - safe in signal handlers: records for the recorder, from any thread. */
#include <string.h>

#include "java/internal.h"

static char *place(uint64_t position)
{
    return agent.records + (position & (agent.config.ring_size - 1));
}

void *ring_reserve(uint64_t size)
{
    struct flm_java_ring *ring = agent.ring;
    uint64_t capacity = agent.config.ring_size, head, whole, padding;
    size = flm_java_aligned(size);
    head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
    do {
        uint64_t left = capacity - (head & (capacity - 1));
        padding = left < size ? left : 0;
        whole = size + padding;
        if (size > capacity / 2 ||
            head + whole - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) > capacity)
            return NULL;
    } while (!__atomic_compare_exchange_n(&ring->head, &head, head + whole, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    if (padding > 0)
        ring_commit(place(head), padding, FLM_JAVA_PADDING);
    return place(head + padding);
}

void ring_commit(void *record, uint64_t size, uint32_t kind)
{
    struct flm_java_record *header = record;
    header->kind = kind;
    __atomic_store_n(&header->size, (uint32_t)flm_java_aligned(size), __ATOMIC_RELEASE);
}

void *ring_reserve_patiently(uint64_t size)
{
    enum { TRIES = 200, PAUSE_NS = 5000000 };
    const struct timespec pause = {0, PAUSE_NS};
    for (int i = 0; i < TRIES && atomic_load(&agent.is_on) && recorder_is_there(); i++) {
        void *record = ring_reserve(size);
        if (record)
            return record;
        nanosleep(&pause, NULL);
    }
    __atomic_add_fetch(&agent.ring->lost, 1, __ATOMIC_RELAXED);
    return NULL;
}
