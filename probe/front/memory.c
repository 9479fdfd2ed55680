/* memory.c - in front of malloc and its kin: bytes and counts go to the node that is open. Runs
 * inside malloc, before any constructor too.
 *
 * What is allocated is counted as it was asked for, and what is freed as large as the block is:
 * that is all the allocator knows. So the difference is counted too, as `rounded`:
 *
 *     allocated + rounded - freed = bytes in blocks that are not freed
 *
 * With no-frees a free is none of ours, and how large a block is is not asked: a pair of malloc and
 * free then costs half of that.
 *
 * Where the C library's own allocator is used, how large a block is is read from the word in front
 * of it, after that was tested with blocks of several sizes: nothing is called for it.
 *
 * realloc is counted as freeing and allocating. What fails is not counted, and neither is
 * free(NULL). */
#include "memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The allocator --------------------------------------------------------------------------- */

static void *first_malloc(size_t size);
static void *first_calloc(size_t count, size_t size);
static void *first_realloc(void *block, size_t size);
static void first_free(void *block);
static int first_posix_memalign(void **block, size_t alignment, size_t size);
static void *first_aligned_alloc(size_t alignment, size_t size);
static void *first_memalign(size_t alignment, size_t size);
static void *first_valloc(size_t size);
static void *first_pvalloc(size_t size);

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*usable)(void *);
} real = {first_malloc,        first_calloc,   first_realloc, first_free,    first_posix_memalign,
          first_aligned_alloc, first_memalign, first_valloc,  first_pvalloc, NULL};

/* The word in front of a block says how large it is. */
static bool has_head;

/* dlsym may allocate. What it gets then is never given back. */
enum { EARLY_ROOM = 64 << 10, EARLY_ALIGNMENT = 16 };
static _Alignas(EARLY_ALIGNMENT) unsigned char early[EARLY_ROOM];
static size_t early_used;

static void *early_malloc(size_t size)
{
    size_t whole = (size + 2 * EARLY_ALIGNMENT - 1) / EARLY_ALIGNMENT * EARLY_ALIGNMENT;
    if (size > sizeof early || whole > sizeof early - early_used) {
        errno = ENOMEM;
        return NULL;
    }
    unsigned char *block = early + early_used + EARLY_ALIGNMENT;
    memcpy(block - EARLY_ALIGNMENT, &size, sizeof size);
    early_used += whole;
    return block;
}

static bool is_early(const void *block)
{
    return (uintptr_t)block - (uintptr_t)early < sizeof early;
}

static void *early_grown(const void *block, size_t size)
{
    size_t old;
    memcpy(&old, (const unsigned char *)block - EARLY_ALIGNMENT, sizeof old);
    void *grown = real.malloc(size);
    if (grown)
        memcpy(grown, block, old < size ? old : size);
    return grown;
}

/* In place of the real ones, if dlsym did allocate. */
static void (*free_late)(void *);
static void *(*realloc_late)(void *, size_t);
static void free_either(void *block)
{
    if (!is_early(block))
        free_late(block);
}
static void *realloc_either(void *block, size_t size)
{
    return is_early(block) ? early_grown(block, size) : realloc_late(block, size);
}

static bool is_resolving;

/* What malloc and free call: the allocator's functions, or the counting ones that
 * flm_memory_choose() sets. Testing flm_signals in each call would be four more instructions. */
static struct {
    void *(*malloc)(size_t);
    void (*free)(void *);
} front = {first_malloc, first_free};

#define FIND(name) ((real.name) = (__typeof__(real.name))(uintptr_t)dlsym(RTLD_NEXT, #name))

/* False: dlsym is asking. */
static bool resolve(void)
{
    if (real.malloc != first_malloc)
        return true;
    if (__atomic_exchange_n(&is_resolving, true, __ATOMIC_ACQUIRE))
        return false;
    FIND(calloc);
    FIND(posix_memalign);
    FIND(aligned_alloc);
    FIND(memalign);
    FIND(valloc);
    FIND(pvalloc);
    real.usable = (size_t(*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "malloc_usable_size");
    free_late = (void (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "free");
    realloc_late = (void *(*)(void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "realloc");
    void *(*found)(size_t) = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_NEXT, "malloc");
    real.free = early_used > 0 ? free_either : free_late;
    real.realloc = early_used > 0 ? realloc_either : realloc_late;
    __atomic_store_n(&real.malloc, found, __ATOMIC_RELEASE);
    flm_memory_choose();
    __atomic_store_n(&is_resolving, false, __ATOMIC_RELEASE);
    return true;
}

static void *first_malloc(size_t size)
{
    return resolve() ? real.malloc(size) : early_malloc(size);
}
static void *first_calloc(size_t count, size_t size)
{
    size_t whole;
    if (resolve())
        return real.calloc(count, size);
    return __builtin_mul_overflow(count, size, &whole) ? NULL : early_malloc(whole);
}
static void *first_realloc(void *block, size_t size)
{
    if (resolve())
        return real.realloc(block, size);
    return block ? NULL : early_malloc(size);
}
static void first_free(void *block)
{
    if (block && !is_early(block) && resolve())
        real.free(block);
}
static int first_posix_memalign(void **block, size_t alignment, size_t size)
{
    return resolve() ? real.posix_memalign(block, alignment, size) : ENOMEM;
}
static void *first_aligned_alloc(size_t alignment, size_t size)
{
    return resolve() ? real.aligned_alloc(alignment, size) : NULL;
}
static void *first_memalign(size_t alignment, size_t size)
{
    return resolve() ? real.memalign(alignment, size) : NULL;
}
static void *first_valloc(size_t size)
{
    return resolve() ? real.valloc(size) : NULL;
}
static void *first_pvalloc(size_t size)
{
    return resolve() ? real.pvalloc(size) : NULL;
}

/* ---- How large a block is -------------------------------------------------------------------- */

#if defined __x86_64__
enum { HEAD_FLAGS = 7, HEAD_IS_MAPPED = 2, HEAD_WORD = 8 };

static inline size_t head_of(const void *block)
{
    return ((const size_t *)block)[-1];
}
#endif

static inline size_t size_of(void *block)
{
#if defined __x86_64__
    if (__builtin_expect(has_head, 1)) {
        size_t head = head_of(block);
        return (head & ~(size_t)HEAD_FLAGS) - HEAD_WORD -
               (head & HEAD_IS_MAPPED) / HEAD_IS_MAPPED * HEAD_WORD;
    }
#endif
    return real.usable && !is_early(block) ? real.usable(block) : 0;
}

/* Of the C library's allocator, if it is that of this C library: it says what the words say. */
static bool test_heads(void)
{
#if defined __x86_64__
    Dl_info allocator, library;
    static const size_t sizes[] = {0, 1, 24, 25, 100, 1032, 5000, 100000, 200000, 40000000};
    if (!real.usable || !dladdr((void *)(uintptr_t)real.malloc, &allocator) ||
        !dladdr((void *)(uintptr_t)gnu_get_libc_version, &library) ||
        allocator.dli_fbase != library.dli_fbase)
        return false;
    bool good = early_used == 0;
    has_head = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && good; i++) {
        void *block = real.malloc(sizes[i]);
        good = block && size_of(block) == real.usable(block);
        real.free(block);
    }
    has_head = false;
    return good;
#else
    return false;
#endif
}

/* ---- Counting -------------------------------------------------------------------------------- */

FLM_HIDDEN __thread __attribute__((tls_model("initial-exec"))) int64_t flm_memory_left = -1;

/* Of a child that has not begun: most run another program soon, and want no file. */
enum { EARLY_EVENTS = 1000 };
static struct flm_probe_node before;
static uint32_t events_before;

static void add_before(struct flm_probe_node *node)
{
    for (uint32_t i = 0; i < FLM_PROBE_VALUES; i++)
        node->value[i] += before.value[i];
    node->rounded += before.rounded;
    before = (struct flm_probe_node){0};
    events_before = 0;
}

struct flm_probe_node *flm_memory_node(void)
{
    if (flm_local || flm_is_inside || flm_thread_state != FLM_THREAD_USUAL)
        return NULL;
    if (flm_run.number == 0 && events_before++ < EARLY_EVENTS)
        return &before;
    int error = errno;
    struct flm_probe_node *node = flm_node_slowly();
    errno = error;
    if (node && FLM_RARELY(events_before > 0))
        add_before(node);
    return node;
}

/* Returns the block. */
static inline void *allocated(void *block, size_t size)
{
    struct flm_probe_node *node = flm_memory_node_now();
    if (FLM_RARELY(!node))
        return block;
    node->value[FLM_PROBE_ALLOCATED] += size;
    node->value[FLM_PROBE_ALLOCATIONS]++;
    if (flm_is_measured(FLM_PROBE_FREEING))
        node->rounded += size_of(block) - size;
    if (FLM_RARELY((flm_memory_left -= (int64_t)size) < 0))
        return flm_memory_sample(block, size);
    return block;
}

static __attribute__((noinline)) void end_of_live(void *block)
{
    struct flm_live live;
    if (flm_memory_is_busy())
        return;
    struct flm_probe_open *top = flm_local_work();
    if (flm_live_take(block, &live))
        flm_stack_live(live.stack, live.size, true);
    flm_local_rest(top);
}

static inline void freed(void *block)
{
    struct flm_probe_node *node = flm_memory_node_now();
    if (FLM_RARELY(flm_live_may_have(block)))
        end_of_live(block);
    if (FLM_RARELY(!node))
        return;
    node->value[FLM_PROBE_FREED] += size_of(block);
    node->value[FLM_PROBE_FREES]++;
}

void flm_memory_allocated(void *block, size_t size)
{
    allocated(block, size);
}

void flm_memory_freed(void *block)
{
    freed(block);
}

/* ---- In front of the allocator --------------------------------------------------------------- */

/* The usual path of each function takes no branch, and rare cases are tail calls of functions that
 * are not inlined: so the function saves one register at most. */

static __attribute__((noinline)) void *malloc_rarely(void *block, size_t size)
{
    return block ? allocated(block, size) : NULL;
}

static void *malloc_counted(size_t size)
{
    void *block = real.malloc(size);
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!block) || FLM_RARELY(!top) || FLM_RARELY(top->at == 0))
        return malloc_rarely(block, size);
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)top->at;
    node->value[FLM_PROBE_ALLOCATED] += size;
    node->value[FLM_PROBE_ALLOCATIONS]++;
    if (FLM_RARELY((flm_memory_left -= (int64_t)size) < 0))
        return flm_memory_sample(block, size);
    return block;
}

static void *malloc_with_frees(size_t size)
{
    return malloc_rarely(real.malloc(size), size);
}

static __attribute__((noinline)) void free_counted_slowly(void *block)
{
    if (block)
        freed(block);
    real.free(block);
}

#if defined __x86_64__
static void *malloc_with_heads(size_t size)
{
    void *block = real.malloc(size);
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!block) || FLM_RARELY(!top) || FLM_RARELY(top->at == 0))
        return malloc_rarely(block, size);
    size_t head = head_of(block);
    if (FLM_RARELY(head & HEAD_IS_MAPPED))
        return malloc_rarely(block, size);
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)top->at;
    node->value[FLM_PROBE_ALLOCATED] += size;
    node->value[FLM_PROBE_ALLOCATIONS]++;
    node->rounded += (head & ~(size_t)HEAD_FLAGS) - HEAD_WORD - size;
    if (FLM_RARELY((flm_memory_left -= (int64_t)size) < 0))
        return flm_memory_sample(block, size);
    return block;
}

static void free_with_heads(void *block)
{
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!block) || FLM_RARELY(!top) || FLM_RARELY(top->at == 0) ||
        FLM_RARELY(flm_live_may_have(block)) || FLM_RARELY(head_of(block) & HEAD_IS_MAPPED)) {
        free_counted_slowly(block);
        return;
    }
    size_t head = head_of(block);
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)top->at;
    node->value[FLM_PROBE_FREED] += (head & ~(size_t)HEAD_FLAGS) - HEAD_WORD;
    node->value[FLM_PROBE_FREES]++;
    real.free(block);
}
#else
#define malloc_with_heads malloc_with_frees
#define free_with_heads free_counted_slowly
#endif

void flm_memory_choose(void)
{
    bool has_frees = flm_is_measured(FLM_PROBE_FREEING);
    front.free = !has_frees ? real.free : has_head ? free_with_heads : free_counted_slowly;
    front.malloc = !flm_is_measured(FLM_PROBE_MEMORY) ? real.malloc
                   : !has_frees                       ? malloc_counted
                   : has_head                         ? malloc_with_heads
                                                      : malloc_with_frees;
}

FLM_EXPORT void *malloc(size_t size)
{
    return front.malloc(size);
}

FLM_EXPORT void free(void *block)
{
    front.free(block);
}

FLM_EXPORT void *calloc(size_t count, size_t size)
{
    void *block = real.calloc(count, size);
    if (flm_is_measured(FLM_PROBE_MEMORY) && block)
        allocated(block, count * size);
    return block;
}

static bool take_live(void *block, struct flm_live *live)
{
    struct flm_probe_open *top = flm_local_work();
    bool is_one = flm_live_take(block, live);
    flm_local_rest(top);
    return is_one;
}

static void end_or_put(const struct flm_live *live, bool is_end)
{
    struct flm_probe_open *top = flm_local_work();
    if (is_end)
        flm_stack_live(live->stack, live->size, true);
    else
        flm_live_put(live);
    flm_local_rest(top);
}

/* The old block is another thread's as soon as it is freed, so what is known of it goes first. */
static __attribute__((noinline)) void *measured_realloc(void *block, size_t size)
{
    if (!block)
        return malloc(size);
    size_t old = size_of(block);
    struct flm_live live = {0};
    bool is_live = flm_live_may_have(block) && !flm_memory_is_busy() && take_live(block, &live);
    void *moved = real.realloc(block, size);
    bool is_freed = moved || size == 0;
    if (is_live)
        end_or_put(&live, is_freed);
    struct flm_probe_node *node = is_freed ? flm_memory_node_now() : NULL;
    if (node && flm_is_measured(FLM_PROBE_FREEING)) {
        node->value[FLM_PROBE_FREED] += old;
        node->value[FLM_PROBE_FREES]++;
    }
    if (moved)
        allocated(moved, size);
    return moved;
}

FLM_EXPORT void *realloc(void *block, size_t size)
{
    if (!flm_is_measured(FLM_PROBE_MEMORY))
        return real.realloc(block, size);
    return measured_realloc(block, size);
}

/* The C library's calls its realloc, which is the one above. */
FLM_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, whole);
}

static inline void *also(void *block, size_t size)
{
    if (flm_is_measured(FLM_PROBE_MEMORY) && block)
        allocated(block, size);
    return block;
}

FLM_EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
    int reason = real.posix_memalign(block, alignment, size);
    if (reason == 0)
        also(*block, size);
    return reason;
}

FLM_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return also(real.aligned_alloc(alignment, size), size);
}

FLM_EXPORT void *memalign(size_t alignment, size_t size)
{
    return also(real.memalign(alignment, size), size);
}

FLM_EXPORT void *valloc(size_t size)
{
    return also(real.valloc(size), size);
}

/* It gives whole pages: all of them were asked for. */
FLM_EXPORT void *pvalloc(size_t size)
{
    size_t page = (size_t)getpagesize();
    return also(real.pvalloc(size), (size + page - 1) / page * page);
}

/* C23's. */
FLM_EXPORT void free_sized(void *block, size_t size);
FLM_EXPORT void free_aligned_sized(void *block, size_t alignment, size_t size);
FLM_EXPORT void free_sized(void *block, size_t size)
{
    (void)size;
    free(block);
}
FLM_EXPORT void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment, (void)size;
    free(block);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static const int64_t *who_asks; /* by a variable of the thread's */
static bool was_asked;

static void *note_malloc(size_t size)
{
    static _Alignas(EARLY_ALIGNMENT) char block[EARLY_ALIGNMENT];
    if (who_asks != &flm_memory_left)
        return real.malloc(size);
    was_asked = true;
    return block;
}

/* Whether a program's malloc is the one above: it is asked for a block. If not: whose it is. */
static bool is_in_front(const char **whose)
{
    static Dl_info other;
    void *(*first)(size_t) = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "malloc");
    void (*its_free)(void *) = (void (*)(void *))(uintptr_t)dlsym(RTLD_DEFAULT, "free");
    who_asks = &flm_memory_left;
    front.malloc = note_malloc;
    void *block = first(1);
    front.malloc = real.malloc;
    who_asks = NULL;
    if (!was_asked)
        its_free(block);
    *whose = dladdr((void *)(uintptr_t)first, &other) ? other.dli_fname : "the program";
    return was_asked;
}

/* Once; a child has what its parent has. */
static const char *find_reason(void)
{
    static char why[FLM_MOST_PATH + 100];
    const char *whose;
    resolve();
    if (!is_in_front(&whose)) {
        snprintf(why, sizeof why,
                 "the malloc of %s comes first: link or preload "
                 "libflamel-probe.so before it",
                 whose);
        return why;
    }
    has_head = test_heads();
    flm_new_start((void *)(uintptr_t)real.malloc);
    return NULL;
}

void flm_memory_start(void)
{
    static bool is_known;
    static const char *reason;
    if (!is_known) {
        reason = find_reason();
        is_known = true;
    }
    flm_signal_is(FLM_PROBE_MEMORY, reason ? FLM_PROBE_NOT_POSSIBLE : FLM_PROBE_ACTIVE, reason);
    if (reason)
        return;
    flm_stacks_start(flm_settings.memory_interval, flm_settings.leaks);
    flm_run.arena.header->activity[FLM_PROBE_MEMORY].rate =
        flm_settings.leaks ? 1 : flm_settings.memory_interval;
}

void flm_memory_in_child(void)
{
    before = (struct flm_probe_node){0};
    events_before = 0;
    flm_stacks_in_child();
    flm_live_in_child();
}

void flm_memory_write(void)
{
    struct flm_probe_node *node = events_before > 0 && flm_top ? flm_memory_node_now() : NULL;
    if (node)
        add_before(node);
}
