/* memory_stacks.c - allocations whose stacks are kept: some, at random, or all. Runs inside malloc.
 *
 * Each byte is sampled with the same probability, one in `interval`: the gaps between such bytes
 * are exponential, so a thread draws one, counts down what it allocates, and keeps the stack of the
 * allocation where that passes zero. What is allocated before has no influence on what comes, so an
 * allocation of b bytes is a sample with the probability 1 - exp(-b / interval) whatever the
 * pattern, and standing for the inverse makes sums unbiased. A gap that is always the same would
 * see the same allocation of a loop again and again.
 *
 * Stacks are kept once, in the file: threads look them up without a lock. */
#include "memory.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By open addressing, at most half full; places of stacks. A larger one replaces it, and the old
 * one stays: another thread may be reading it. */
struct stack_table {
    uint32_t slots, reserved;
    uint32_t place[];
};

static struct {
    uint64_t interval;
    bool all;
    uint32_t count;
    struct stack_table *table;
} stacks;

/* ---- Chance ---------------------------------------------------------------------------------- */

/* Those of libm are not there. Both are right to 13 digits, which the tests see. */
static double logarithm(double x)
{
    enum { TERMS = 11, FRACTION_BITS = 52, BIAS = 1023 };
    const double ln2 = 0.69314718055994530942;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> FRACTION_BITS) - BIAS;
    bits = (bits & (((uint64_t)1 << FRACTION_BITS) - 1)) | (uint64_t)BIAS << FRACTION_BITS;
    memcpy(&x, &bits, sizeof x);
    if (x > 1.4142135623730951) {
        x /= 2;
        exponent++;
    }
    double t = (x - 1) / (x + 1), power = t, sum = 0;
    for (int i = 0; i < TERMS; i++, power *= t * t)
        sum += power / (2 * i + 1);
    return 2 * sum + exponent * ln2;
}

/* 1 - exp(-x). */
static double complement(double x)
{
    enum { HALVINGS = 10, TERMS = 8, MOST = 40 };
    if (x > MOST)
        return 1;
    double y = -x / (1 << HALVINGS), term = y, sum = y;
    for (int i = 2; i <= TERMS; i++)
        sum += term *= y / i;
    for (int i = 0; i < HALVINGS; i++)
        sum *= sum + 2; /* of exp(y) - 1, that of 2y */
    return -sum;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static uint64_t draw(struct flm_local *local)
{
    if (local->random == 0)
        local->random = mix(flm_clock_ns(CLOCK_MONOTONIC_RAW) ^ (uintptr_t)local << 16 ^
                            (uint64_t)syscall(SYS_gettid) << 40);
    return mix(local->random += 0x9E3779B97F4A7C15u);
}

static int64_t draw_gap(struct flm_local *local)
{
    const double one = 9007199254740992.0; /* 2^53 */
    double uniform = ((double)(draw(local) >> 11) + 1) / one;
    double gap = -logarithm(uniform) * (double)stacks.interval;
    return (int64_t)gap;
}

/* For how many allocations of this size one stands. */
static double weight_of(size_t size)
{
    return stacks.all ? 1 : 1 / complement((double)size / (double)stacks.interval);
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static uint64_t hash_of(uint32_t node, const uint64_t *frame, uint32_t count)
{
    uint64_t hash = node;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ frame[i]) * 0x9E3779B97F4A7C15u ^ (hash >> 29);
    return hash ^ (hash >> 32);
}

static bool is_same(const struct flm_probe_stack *stack, uint32_t node, const uint64_t *frame,
                    uint32_t count)
{
    return stack->node == node && stack->count == count &&
           memcmp(stack->frame, frame, count * sizeof *frame) == 0;
}

/* The slot that has it, or is free for it. */
static uint32_t *find(struct stack_table *table, uint32_t node, const uint64_t *frame,
                      uint32_t count)
{
    uint32_t i = (uint32_t)hash_of(node, frame, count) & (table->slots - 1);
    for (;; i = (i + 1) & (table->slots - 1)) {
        uint32_t place = __atomic_load_n(&table->place[i], __ATOMIC_ACQUIRE);
        if (place == 0 || is_same(flm_arena_at(&flm_run.arena, place), node, frame, count))
            return &table->place[i];
    }
}

/* The lock is held. */
static bool grow(void)
{
    enum { FIRST = 4096 };
    struct stack_table *old = stacks.table, *grown;
    uint32_t slots = old ? old->slots * 2 : FIRST;
    if (!(grown = flm_memory_new(sizeof *grown + slots * sizeof *grown->place)))
        return false;
    grown->slots = slots;
    for (uint32_t i = 0; old && i < old->slots; i++) {
        const struct flm_probe_stack *stack = flm_arena_at(&flm_run.arena, old->place[i]);
        if (old->place[i] > 0)
            *find(grown, stack->node, stack->frame, stack->count) = old->place[i];
    }
    __atomic_store_n(&stacks.table, grown, __ATOMIC_RELEASE);
    return true;
}

static uint32_t add(const struct flm_local *local, uint32_t node, const uint64_t *frame,
                    uint32_t count)
{
    struct flm_arena *arena = &flm_run.arena;
    if ((!stacks.table || stacks.count >= stacks.table->slots / 2) && !grow())
        return 0;
    uint32_t *slot = find(stacks.table, node, frame, count);
    if (*slot > 0)
        return *slot;
    uint32_t place = flm_arena_take(arena, sizeof(struct flm_probe_stack));
    if (place == 0)
        return 0;
    struct flm_probe_stack *stack = flm_arena_at(arena, place);
    stack->node = node;
    stack->count = count;
    stack->thread = (uint32_t)(((unsigned char *)local->thread - local->base) / FLM_PROBE_UNIT);
    memcpy(stack->frame, frame, count * sizeof *frame);
    stack->next = arena->header->first_stack;
    __atomic_store_n(&arena->header->first_stack, place, __ATOMIC_RELEASE);
    __atomic_store_n(slot, place, __ATOMIC_RELEASE);
    stacks.count++;
    return place;
}

/* The place of a stack; 0: there is no room. */
static uint32_t stack_of(struct flm_local *local, uint32_t node)
{
    uint64_t frame[FLM_PROBE_MOST_STACK];
    uint32_t count = flm_unwind(local, frame, FLM_PROBE_MOST_STACK);
    struct stack_table *table = __atomic_load_n(&stacks.table, __ATOMIC_ACQUIRE);
    uint32_t place = table ? *find(table, node, frame, count) : 0;
    if (place == 0) {
        flm_lock();
        place = add(local, node, frame, count);
        flm_unlock();
    }
    return place;
}

static void count_in(uint64_t *at, uint64_t value, bool is_end)
{
    __atomic_fetch_add(at, is_end ? 0 - value : value, __ATOMIC_RELAXED);
}

/* Whoever frees, so these are shared by threads; but each block is looked up under a lock
 * anyway. */
void flm_stack_live(uint32_t place, size_t size, bool is_end)
{
    struct flm_probe_stack *stack = flm_arena_at(&flm_run.arena, place);
    double weight = weight_of(size);
    count_in(&stack->live_samples, 1, is_end);
    count_in(&stack->live_bytes, (uint64_t)((double)size * weight + 0.5), is_end);
    count_in(&stack->live_allocations, (uint64_t)(weight * FLM_PROBE_ALLOCATION_ONE + 0.5), is_end);
    if (stacks.all) {
        struct flm_probe_node *node = flm_arena_at(&flm_run.arena, stack->node);
        count_in(&node->value[FLM_PROBE_LIVE], size, is_end);
    }
}

static void keep(struct flm_local *local, uint32_t node, void *block, size_t size)
{
    uint32_t place = stack_of(local, node);
    struct flm_live live = {.block = (uintptr_t)block, .size = size, .stack = place};
    if (place == 0) {
        local->thread->lost_values++;
        return;
    }
    struct flm_probe_stack *stack = flm_arena_at(&flm_run.arena, place);
    double weight = weight_of(size);
    count_in(&stack->samples, 1, false);
    count_in(&stack->bytes, (uint64_t)((double)size * weight + 0.5), false);
    count_in(&stack->allocations, (uint64_t)(weight * FLM_PROBE_ALLOCATION_ONE + 0.5), false);
    if (flm_is_measured(FLM_PROBE_FREEING) && flm_live_put(&live))
        flm_stack_live(place, size, false);
}

/* Out of line, so that its caller has no more to do. */
__attribute__((noinline)) void *flm_memory_sample(void *block, size_t size)
{
    struct flm_local *local = flm_local;
    if (!flm_top || flm_is_inside) /* a child that has not begun to measure; another one is made */
        return block;
    int error = errno;
    struct flm_probe_open *top = flm_local_work();
    if (stacks.all) {
        flm_memory_left = -1;
        keep(local, top->node, block, size);
    } else if (stacks.interval == 0) {
        flm_memory_left = INT64_MAX;
    } else {
        bool is_first = local->random == 0;
        if (is_first)
            flm_memory_left += 1 + draw_gap(local);
        if (flm_memory_left < 0) {
            keep(local, top->node, block, size);
            flm_memory_left = draw_gap(local);
        }
    }
    flm_local_rest(top);
    errno = error;
    return block;
}

void flm_stacks_start(uint64_t interval, bool all)
{
    stacks.interval = interval;
    stacks.all = all;
}

/* The lock was held by the thread that forked. */
void flm_stacks_in_child(void)
{
    stacks.table = NULL;
    stacks.count = 0;
}
