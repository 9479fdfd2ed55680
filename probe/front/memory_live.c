/* memory_live.c - blocks that are looked at and not freed yet: a table by address. Runs inside
 * malloc.
 *
 * In 64 parts, each with a lock that is held for the time of a few loads. Each free asks first
 * whether a bit says that a block with such an address may be in it, which takes no lock. */
#include <sched.h>
#include <string.h>

#include "memory.h"

enum { PART_BITS = 6, PARTS = 1 << PART_BITS, FIRST_BITS = 6 };

/* By open addressing, at most half full. */
struct part {
    _Alignas(FLM_PROBE_UNIT) uint32_t lock;
    uint32_t bits; /* of the number of slots */
    size_t count;
    struct flm_live *slot;
};

static struct part parts[PARTS];
static uint32_t with_bit[1 << FLM_LIVE_BITS]; /* how many a bit stands for */
uint64_t flm_live_bits[1 << (FLM_LIVE_BITS - 6)];

static void lock(struct part *part)
{
    while (__atomic_exchange_n(&part->lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(struct part *part)
{
    __atomic_store_n(&part->lock, 0, __ATOMIC_RELEASE);
}

/* All blocks of one word of bits are in the same part, so its lock guards the word. */
static void count_bit(const void *block, bool is_end)
{
    uint32_t bit = flm_live_bit(block);
    uint64_t word = flm_live_bits[bit / 64];
    uint64_t one = (uint64_t)1 << (bit % 64);
    with_bit[bit] += is_end ? (uint32_t)-1 : 1;
    word = with_bit[bit] > 0 ? word | one : word & ~one;
    __atomic_store_n(&flm_live_bits[bit / 64], word, __ATOMIC_RELAXED);
}

static uint64_t hash_of(uintptr_t block)
{
    return (block >> 4) * 0x9E3779B97F4A7C15u;
}

static size_t home_of(const struct part *part, uintptr_t block)
{
    return (size_t)(hash_of(block) >> (64 - part->bits));
}

static size_t find(const struct part *part, uintptr_t block)
{
    size_t mask = ((size_t)1 << part->bits) - 1, i = home_of(part, block);
    while (part->slot[i].block != 0 && part->slot[i].block != block)
        i = (i + 1) & mask;
    return i;
}

static bool grow(struct part *part)
{
    struct part grown = {.bits = part->slot ? part->bits + 1 : FIRST_BITS};
    size_t old = part->slot ? (size_t)1 << part->bits : 0;
    grown.slot = flm_memory_new(sizeof *grown.slot << grown.bits);
    if (!grown.slot)
        return false;
    for (size_t i = 0; i < old; i++)
        if (part->slot[i].block != 0)
            grown.slot[find(&grown, part->slot[i].block)] = part->slot[i];
    flm_memory_free(part->slot, old * sizeof *part->slot);
    part->slot = grown.slot;
    part->bits = grown.bits;
    return true;
}

static struct part *part_of(const void *block)
{
    uint64_t word = flm_live_bit(block) / 64;
    return &parts[word * 0x9E3779B97F4A7C15u >> (64 - PART_BITS)];
}

/* Those behind it that are not at home move up. */
static void take_out(struct part *part, size_t i)
{
    size_t mask = ((size_t)1 << part->bits) - 1;
    for (size_t next = (i + 1) & mask; part->slot[next].block != 0; next = (next + 1) & mask) {
        size_t home = home_of(part, part->slot[next].block);
        if (((next - home) & mask) >= ((next - i) & mask)) {
            part->slot[i] = part->slot[next];
            i = next;
        }
    }
    part->slot[i] = (struct flm_live){0};
    part->count--;
}

bool flm_live_take(const void *block, struct flm_live *live)
{
    struct part *part = part_of(block);
    bool is_there = false;
    lock(part);
    if (part->count > 0) {
        size_t i = find(part, (uintptr_t)block);
        is_there = part->slot[i].block != 0;
        if (is_there) {
            *live = part->slot[i];
            take_out(part, i);
            count_bit(block, true);
        }
    }
    unlock(part);
    return is_there;
}

/* One that is there already was freed by someone whom nobody saw. */
bool flm_live_put(const struct flm_live *live)
{
    const void *block = (const void *)live->block; // NOLINT(performance-no-int-to-ptr)
    struct part *part = part_of(block);
    struct flm_live old = {0};
    lock(part);
    bool good = (part->slot && part->count < ((size_t)1 << part->bits) / 2) || grow(part);
    if (good) {
        struct flm_live *slot = &part->slot[find(part, live->block)];
        old = *slot;
        *slot = *live;
        if (old.block == 0) {
            part->count++;
            count_bit(block, false);
        }
    }
    unlock(part);
    if (old.block != 0)
        flm_stack_live(old.stack, old.size, true);
    return good;
}

/* The parent's blocks: what was allocated there is known there. */
void flm_live_in_child(void)
{
    bool is_used = false;
    for (size_t i = 0; i < PARTS; i++) {
        is_used = is_used || parts[i].slot;
        if (parts[i].slot)
            flm_memory_free(parts[i].slot, sizeof *parts[i].slot << parts[i].bits);
        parts[i] = (struct part){0};
    }
    if (!is_used)
        return;
    memset(with_bit, 0, sizeof with_bit);
    memset(flm_live_bits, 0, sizeof flm_live_bits);
}
