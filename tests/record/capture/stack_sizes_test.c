/* A thread on simulated CPUs, with a clock for each level of dumps: what is counted of it must add
 * up to the time that it ran, however often the size changes. */
#include "record/capture/stack_sizes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "flamel/builder.h"
#include "flamel/error.h"
#include "support/core/failures.h"

enum { CPUS = 3, PERIOD = 1000000, MOST_HANDLES = 256, ROUND = 100000000 };
#define SECOND INT64_C(1000000000)

/* A kernel: which events are open, and when each fires next on each CPU, in time that its thread
 * ran there. */
struct kernel {
    struct {
        int32_t thread;
        unsigned level;
        bool open, forgotten;
        double next[CPUS];
    } handles[MOST_HANDLES];
    int count;
    unsigned most_open, refuse_level; /* 0: none is refused */
    bool silent;                      /* events open, and never fire */
    double base_next[CPUS];
    uint64_t seed;
};

static double random_phase(struct kernel *k)
{
    k->seed = k->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(k->seed >> 11) / 9007199254740992.0;
}

static unsigned count_open(const struct kernel *k)
{
    unsigned open = 0;
    for (int i = 0; i < k->count; i++)
        open += k->handles[i].open;
    return open;
}

static int open_events(void *context, int32_t thread, unsigned level)
{
    struct kernel *k = context;
    assert_true(k->count < MOST_HANDLES && level > 0 && level < FLM_STACK_SIZES_LEVELS);
    if (level == k->refuse_level)
        return -1;
    k->handles[k->count].thread = thread;
    k->handles[k->count].level = level;
    k->handles[k->count].open = true;
    k->handles[k->count].forgotten = false;
    for (int cpu = 0; cpu < CPUS; cpu++)
        k->handles[k->count].next[cpu] = PERIOD;
    k->most_open = count_open(k) > k->most_open ? count_open(k) : k->most_open;
    return k->count++;
}

static void close_events(void *context, int handle)
{
    struct kernel *k = context;
    assert_true(k->handles[handle].open);
    k->handles[handle].open = false;
}

static void forget_events(void *context, int handle)
{
    struct kernel *k = context;
    assert_false(k->handles[handle].open || k->handles[handle].forgotten);
    k->handles[handle].forgotten = true;
}

static struct flm_stack_sizes *make(struct kernel *k, uint64_t seed)
{
    struct flm_stack_sizes_options options = {
        .sizes = {1000, 2000, 4000},
        .processors = CPUS,
        .events = {k, open_events, close_events, forget_events},
    };
    *k = (struct kernel){.seed = seed};
    for (int cpu = 0; cpu < CPUS; cpu++)
        k->base_next[cpu] = PERIOD * random_phase(k);
    return flm_stack_sizes_new(&options);
}

/* One thread that runs, and what is counted of it. */
struct run {
    struct kernel kernel;
    struct flm_stack_sizes *sizes;
    int32_t thread;
    int64_t now_ns;
    uint64_t lost;
    double ran, counted, truncated;
    double at_level[FLM_STACK_SIZES_LEVELS];
};

static void sample(struct run *r, int cpu, unsigned level, size_t depth)
{
    static const size_t dumps[] = {1000, 2000, 4000};
    struct flm_stack_sizes_sample s = {.process = r->thread,
                                       .thread = r->thread,
                                       .cpu = (uint32_t)cpu,
                                       .level = level,
                                       .time_ns = FLM_NO_TIME,
                                       .is_first_event = true,
                                       .weight = PERIOD};
    if (!flm_stack_sizes_counts(r->sizes, &s))
        return;
    r->counted += PERIOD;
    r->at_level[level] += PERIOD;
    bool is_beyond = depth > dumps[level];
    r->truncated += is_beyond ? PERIOD : 0;
    const struct flm_stack_sizes_stack stack = {!is_beyond, is_beyond, is_beyond ? 0 : depth};
    flm_stack_sizes_unwound(r->sizes, &s, &stack);
}

/* Runs on a CPU in small steps: the events fire in the order of time. */
static void run_on(struct run *r, int cpu, double ns, size_t depth)
{
    enum { STEP = 10000 };
    struct kernel *k = &r->kernel;
    for (double left = ns; left > 0; left -= STEP) {
        for (int i = 0; i < k->count; i++)
            if (k->handles[i].open && k->handles[i].thread == r->thread && !k->silent &&
                (k->handles[i].next[cpu] -= STEP) <= 0) {
                k->handles[i].next[cpu] += PERIOD;
                sample(r, cpu, k->handles[i].level, depth);
            }
        if ((k->base_next[cpu] -= STEP) <= 0) {
            k->base_next[cpu] += PERIOD;
            sample(r, cpu, 0, depth);
        }
        r->ran += STEP;
    }
}

/* For so long, a round after the other, on another CPU now and then. */
static void run_for(struct run *r, int64_t ns, size_t depth)
{
    for (; ns > 0; ns -= ROUND) {
        int cpu = (int)(random_phase(&r->kernel) * CPUS);
        double share = random_phase(&r->kernel);
        run_on(r, cpu, share * ROUND, depth);
        run_on(r, (cpu + 1) % CPUS, (1 - share) * ROUND, depth);
        r->now_ns += ROUND;
        assert_true(flm_stack_sizes_update(r->sizes, r->now_ns, r->lost));
    }
}

static void begin(struct run *r, uint64_t seed)
{
    *r = (struct run){.thread = 100, .now_ns = SECOND};
    r->sizes = make(&r->kernel, seed);
    assert_non_null(r->sizes);
}

static void truncated_stacks_get_larger_dumps(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 1);
    run_for(&r, 2 * SECOND, 900);
    assert_int_equal(r.kernel.count, 0); /* they fit */
    run_for(&r, 2 * SECOND, 1500);
    assert_int_equal(r.kernel.count, 1);
    assert_true(r.truncated > 0 && r.truncated < 0.15 * 2 * SECOND);
    struct flm_stack_sizes_counts counts = flm_stack_sizes_counts_now(r.sizes);
    assert_int_equal(counts.threads, 1);
    assert_int_equal(counts.largest, 2000);
    assert_int_equal(counts.refused, 0);
    run_for(&r, 2 * SECOND, 3900);
    counts = flm_stack_sizes_counts_now(r.sizes);
    assert_int_equal(counts.threads, 1);
    assert_int_equal(counts.largest, 4000);
    assert_int_equal(count_open(&r.kernel), 1); /* the level between is closed */
    /* What no dump holds is truncated, and nothing more is tried. */
    run_for(&r, 2 * SECOND, 100000);
    assert_int_equal(r.kernel.count, 2);
    flm_stack_sizes_free(r.sizes);
    assert_int_equal(count_open(&r.kernel), 0);
}

/* That of an interpreter, whose samples shall wake up a reader. Nobody is told that it was
 * needed. */
static void wanted_threads_keep_an_event_of_their_own(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 1);
    flm_stack_sizes_want(r.sizes, r.thread, r.thread);
    run_for(&r, 30 * SECOND, 900);
    assert_int_equal(count_open(&r.kernel), 1);
    assert_int_equal(r.kernel.count, 1);
    assert_true(fabs(r.counted - r.ran) <= 5 * PERIOD);
    assert_true(r.at_level[1] > 0.9 * r.ran);
    struct flm_stack_sizes_counts counts = flm_stack_sizes_counts_now(r.sizes);
    assert_int_equal(counts.threads, 0);
    assert_int_equal(counts.largest, 1000);
    run_for(&r, 2 * SECOND, 3900); /* and larger ones when it does */
    run_for(&r, 60 * SECOND, 900);
    assert_int_equal(count_open(&r.kernel), 1);
    assert_true(fabs(r.counted - r.ran) <= 10 * PERIOD);
    counts = flm_stack_sizes_counts_now(r.sizes);
    assert_int_equal(counts.threads, 1);
    assert_int_equal(counts.largest, 4000);
    flm_stack_sizes_free(r.sizes);

    begin(&r, 1);
    r.kernel.refuse_level = 1;
    flm_stack_sizes_want(r.sizes, r.thread, r.thread);
    run_for(&r, 2 * SECOND, 900);
    assert_int_equal(flm_stack_sizes_counts_now(r.sizes).refused, 0);
    assert_true(fabs(r.counted - r.ran) <= CPUS * PERIOD);
    flm_stack_sizes_free(r.sizes);
}

static void a_few_truncated_stacks_change_nothing(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 1);
    run_on(&r, 0, (FLM_STACK_SIZES_TRUNCATED - 1) * (double)PERIOD, 1500);
    assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
    run_for(&r, SECOND, 10);
    assert_int_equal(r.kernel.count, 0);
    flm_stack_sizes_free(r.sizes);
}

static void dumps_become_smaller_again(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    run_for(&r, 2 * SECOND, 3900);
    run_for(&r, 4 * SECOND, 10);
    assert_int_equal(count_open(&r.kernel), 1); /* not at once */
    run_for(&r, 8 * SECOND, 1500);
    assert_int_equal(count_open(&r.kernel), 1);
    assert_int_equal(r.kernel.handles[r.kernel.count - 1].level, 1);
    run_for(&r, 12 * SECOND, 10);
    assert_int_equal(count_open(&r.kernel), 0);
    double before = r.at_level[0];
    run_for(&r, SECOND, 10);
    assert_true(fabs(r.at_level[0] - before - SECOND) <= 2.0 * CPUS * PERIOD);
    for (int i = 0; i < r.kernel.count; i++)
        assert_true(r.kernel.handles[i].forgotten);
    flm_stack_sizes_free(r.sizes);
}

/* Of stacks that are deeper than any dump. */
static void dumps_that_do_not_help_are_ended(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 12);
    run_for(&r, 2 * SECOND, 100000);
    assert_int_equal(r.kernel.handles[r.kernel.count - 1].level, 2);
    run_for(&r, 10 * SECOND, 100000);
    assert_int_equal(count_open(&r.kernel), 0);
    int opened = r.kernel.count;
    run_for(&r, 40 * SECOND, 100000);
    assert_int_equal(r.kernel.count, opened); /* not at once */
    run_for(&r, 30 * SECOND, 1500);
    assert_int_equal(count_open(&r.kernel), 1);
    run_for(&r, 30 * SECOND, 1500);
    assert_int_equal(count_open(&r.kernel), 1);
    flm_stack_sizes_free(r.sizes);
}

/* A thread that needs them every twenty seconds is not changed each time. */
static void calm_must_last_longer_each_time(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 3);
    for (int i = 0; i < 12; i++) {
        run_for(&r, SECOND, 1500);
        run_for(&r, 19 * SECOND, 10);
    }
    if (r.kernel.count < 2 || r.kernel.count > 5)
        fail_msg("opened %d times", r.kernel.count);
    flm_stack_sizes_free(r.sizes);
}

/* A change gains or loses half a sample on each CPU, and nothing on average. */
static void what_is_counted_adds_up_to_the_time(void **state)
{
    (void)state;
    enum { RUNS = 300 };
    double sum = 0;
    for (int i = 0; i < RUNS; i++) {
        struct run r;
        begin(&r, (uint64_t)i + 1);
        run_for(&r, SECOND, 10);
        run_for(&r, SECOND, 1500);
        run_for(&r, 12 * SECOND, 10);
        run_for(&r, SECOND, 10);
        double off = (r.counted - r.ran) / PERIOD;
        assert_true(r.at_level[1] > 1000.0 * PERIOD);
        if (fabs(off) > 4.0 * CPUS)
            fail_msg("%.1f samples too many", off);
        sum += off;
        flm_stack_sizes_free(r.sizes);
    }
    /* The deviation of a run is some 1.2 samples: that of the mean 0.07. */
    if (fabs(sum / RUNS) > 0.35)
        fail_msg("%.2f samples too many on average", sum / RUNS);
}

/* Nor where threads end while their dumps are large. */
static void what_is_counted_of_short_threads_adds_up(void **state)
{
    (void)state;
    enum { THREADS = 2000 };
    double off[2] = {0};
    for (int is_deep = 0; is_deep < 2; is_deep++) {
        struct run r;
        begin(&r, 77);
        for (int i = 0; i < THREADS; i++) {
            r.thread = 100 + i;
            r.kernel.count = 0; /* those of threads that have ended are forgotten */
            for (int cpu = 0; cpu < CPUS; cpu++)
                r.kernel.base_next[cpu] = PERIOD;
            run_on(&r, 0, (10 + random_phase(&r.kernel)) * PERIOD, is_deep ? 1500 : 10);
            r.now_ns += ROUND;
            assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
            run_on(&r, 0, (2 + 4 * random_phase(&r.kernel)) * PERIOD, is_deep ? 1500 : 10);
            flm_stack_sizes_end_thread(r.sizes, r.thread);
            for (int k = 0; k < 4; k++) {
                r.now_ns += ROUND;
                assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
            }
        }
        off[is_deep] = (r.counted - r.ran) / PERIOD / THREADS;
        assert_true(is_deep ? r.at_level[1] > THREADS * (double)PERIOD : r.at_level[1] == 0);
        flm_stack_sizes_free(r.sizes);
    }
    if (fabs(off[1] - off[0]) > 0.05)
        fail_msg("%.2f samples too many of each thread, %.2f without larger dumps", off[1], off[0]);
}

static void what_was_sampled_before_closing_is_counted(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 4);
    run_for(&r, 2 * SECOND, 1500);
    run_for(&r, 4900000000, 10);
    /* On CPU 0 it has run last, at level 1, and is not there when the level ends. */
    run_on(&r, 0, 20.0 * PERIOD, 10);
    double counted = r.counted;
    while (count_open(&r.kernel) > 0) {
        r.now_ns += ROUND;
        assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
    }
    /* Its last records come only now. */
    sample(&r, 0, 1, 10);
    sample(&r, 0, 1, 10);
    assert_true(r.counted == counted + 2 * PERIOD);
    r.now_ns += ROUND;
    assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
    r.now_ns += ROUND;
    assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
    sample(&r, 0, 0, 10);
    assert_true(r.counted == counted + 3 * PERIOD);
    flm_stack_sizes_free(r.sizes);
}

static void lost_records_make_dumps_smaller(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 5);
    run_for(&r, 2 * SECOND, 1500);
    assert_int_equal(count_open(&r.kernel), 1);
    r.lost = 7;
    run_for(&r, 2 * SECOND, 1500);
    assert_int_equal(count_open(&r.kernel), 0);
    assert_int_equal(flm_stack_sizes_counts_now(r.sizes).refused, 1);
    run_for(&r, 10 * SECOND, 1500); /* once more */
    assert_int_equal(count_open(&r.kernel), 1);
    assert_int_equal(flm_stack_sizes_counts_now(r.sizes).refused, 0);
    r.lost = 8;
    run_for(&r, 15 * SECOND, 1500); /* the next pause is longer */
    assert_int_equal(count_open(&r.kernel), 0);
    run_for(&r, 8 * SECOND, 1500);
    assert_int_equal(count_open(&r.kernel), 1);
    flm_stack_sizes_free(r.sizes);
}

/* As where the processor has not enough counters for both. */
static void events_that_never_fire_lose_nothing(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 6);
    r.kernel.silent = true;
    run_for(&r, 3 * SECOND, 1500);
    assert_true(fabs(r.counted - r.ran) <= 3.0 * PERIOD);
    flm_stack_sizes_free(r.sizes);
}

static void events_that_stop_firing_are_given_up(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 7);
    run_for(&r, 2 * SECOND, 1500);
    r.kernel.silent = true;
    double before = r.counted, ran = r.ran;
    run_for(&r, 3 * SECOND, 1500);
    struct flm_stack_sizes_counts counts = flm_stack_sizes_counts_now(r.sizes);
    assert_int_equal(count_open(&r.kernel), 0);
    assert_int_equal(counts.refused, 1);
    double missing = (r.ran - ran - (r.counted - before)) / PERIOD;
    assert_true(missing > 0 && missing < 200);
    assert_true(fabs(missing - (double)counts.missing) <= 4);
    int opened = r.kernel.count;
    run_for(&r, 3 * SECOND, 1500);
    assert_int_equal(r.kernel.count, opened); /* for good */
    flm_stack_sizes_free(r.sizes);
}

static void refusals_are_counted_once(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 8);
    r.kernel.refuse_level = 1;
    run_for(&r, 3 * SECOND, 1500);
    struct flm_stack_sizes_counts counts = flm_stack_sizes_counts_now(r.sizes);
    assert_int_equal(counts.threads, 0);
    assert_int_equal(counts.refused, 1);
    assert_int_equal(counts.largest, 1000);
    assert_true(fabs(r.counted - r.ran) <= 3.0 * PERIOD);
    flm_stack_sizes_free(r.sizes);
}

/* Its number is that of another thread later. */
static void an_ended_thread_has_no_level(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 9);
    run_for(&r, 2 * SECOND, 1500);
    flm_stack_sizes_end_thread(r.sizes, r.thread);
    double before = r.at_level[0], ran = r.ran;
    run_for(&r, SECOND, 10);
    assert_true(fabs(r.at_level[0] - before - (r.ran - ran)) <= 3.0 * PERIOD);
    assert_int_equal(count_open(&r.kernel), 0);
    run_for(&r, SECOND, 1500);
    assert_int_equal(count_open(&r.kernel), 1);
    flm_stack_sizes_end_process(r.sizes, r.thread); /* exec */
    before = r.at_level[0], ran = r.ran;
    run_for(&r, SECOND, 10);
    assert_true(fabs(r.at_level[0] - before - (r.ran - ran)) <= 3.0 * PERIOD);
    assert_int_equal(count_open(&r.kernel), 0);
    flm_stack_sizes_free(r.sizes);
}

static void truncate_thread(struct flm_stack_sizes *sizes, int32_t thread, int count)
{
    struct flm_stack_sizes_sample s = {
        .process = 1, .thread = thread, .time_ns = FLM_NO_TIME, .weight = PERIOD};
    const struct flm_stack_sizes_stack stack = {.is_beyond_dump = true};
    for (int i = 0; i < count; i++) {
        assert_true(flm_stack_sizes_counts(sizes, &s));
        flm_stack_sizes_unwound(sizes, &s, &stack);
    }
}

/* Stacks of the thread of a run that are deeper than the dumps of a level. */
static void truncate_thread_at(struct run *r, unsigned level)
{
    const struct flm_stack_sizes_sample s = {
        .process = r->thread, .thread = r->thread, .level = level, .time_ns = FLM_NO_TIME};
    const struct flm_stack_sizes_stack stack = {.is_beyond_dump = true};
    for (int i = 0; i < FLM_STACK_SIZES_TRUNCATED; i++)
        flm_stack_sizes_unwound(r->sizes, &s, &stack);
}

static void the_neediest_threads_come_first(void **state)
{
    (void)state;
    struct kernel k;
    struct flm_stack_sizes *sizes = make(&k, 1);
    assert_non_null(sizes);
    /* More threads than are kept: those with the fewest truncated stacks make room. */
    for (int32_t i = 1; i <= 200; i++)
        truncate_thread(sizes, i, 3 + i);
    assert_true(flm_stack_sizes_update(sizes, SECOND, 0));
    assert_int_equal(count_open(&k), FLM_STACK_SIZES_THREADS);
    assert_int_equal(k.handles[0].thread, 200);
    for (int i = 0; i < k.count; i++)
        assert_true(k.handles[i].thread > 200 - FLM_STACK_SIZES_THREADS);
    struct flm_stack_sizes_counts counts = flm_stack_sizes_counts_now(sizes);
    assert_int_equal(counts.threads, FLM_STACK_SIZES_THREADS);
    assert_true(counts.refused > 0);
    flm_stack_sizes_free(sizes);
    assert_int_equal(count_open(&k), 0);
}

/* More threads than are known at a time, again and again: each is counted once. */
static void no_thread_is_counted_twice(void **state)
{
    (void)state;
    enum { THREADS = 100 };
    struct kernel k = {0};
    struct flm_stack_sizes *sizes = make(&k, 1);
    for (int64_t round = 1; round <= 300; round++) {
        for (int32_t thread = 1; thread <= THREADS; thread++)
            truncate_thread(sizes, thread, 5);
        assert_true(flm_stack_sizes_update(sizes, round * 1000000000, 0));
    }
    struct flm_stack_sizes_counts counts = flm_stack_sizes_counts_now(sizes);
    assert_in_range(counts.threads, FLM_STACK_SIZES_THREADS, THREADS);
    assert_in_range(counts.threads + counts.refused, FLM_STACK_SIZES_THREADS + 1, THREADS);
    flm_stack_sizes_free(sizes);
    assert_int_equal(count_open(&k), 0);
}

static void marks_change_nothing(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 10);
    run_for(&r, 2 * SECOND, 1500);
    double counted = r.at_level[1];
    struct flm_stack_sizes_sample s = {.process = r.thread,
                                       .thread = r.thread,
                                       .level = 1,
                                       .time_ns = FLM_NO_TIME,
                                       .only_marks = true};
    assert_true(counted > 0 && flm_stack_sizes_counts(r.sizes, &s));
    s.level = 0;
    assert_false(flm_stack_sizes_counts(r.sizes, &s));
    s.cpu = 4711; /* a CPU that was not there */
    assert_true(flm_stack_sizes_counts(r.sizes, &s));
    flm_stack_sizes_free(r.sizes);
}

/* What the kernel makes of a moment at which the events of some levels fire: a record each, which
 * all name the same level. How many of them are counted. */
static int fire_at_once(struct run *r, int64_t time_ns, unsigned level, int records, bool marks)
{
    int counted = 0;
    for (int i = 0; i < records; i++) {
        const struct flm_stack_sizes_sample s = {.process = r->thread,
                                                 .thread = r->thread,
                                                 .level = level,
                                                 .event = 1,
                                                 .time_ns = time_ns,
                                                 .only_marks = marks,
                                                 .weight = 1};
        counted += flm_stack_sizes_counts(r->sizes, &s);
    }
    return counted;
}

/* A thread that only waits, from before its dumps are larger until they are smaller again. */
static void of_marks_of_one_moment_one_is_counted(void **state)
{
    (void)state;
    struct run r;
    int64_t time_ns = 1;
    begin(&r, 11);
    truncate_thread(r.sizes, r.thread, FLM_STACK_SIZES_TRUNCATED);
    assert_int_equal(fire_at_once(&r, ++time_ns, 0, 1, true), 1);
    assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
    assert_int_equal(count_open(&r.kernel), 1);
    for (int i = 0; i < 10; i++) /* no CPU has counted the new level yet */
        assert_int_equal(fire_at_once(&r, ++time_ns, 1, 2, true), 1);
    sample(&r, 0, 1, 10);
    for (int i = 0; i < 10; i++)
        assert_int_equal(fire_at_once(&r, ++time_ns, 1, 2, true), 1);
    truncate_thread_at(&r, 1);
    assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
    assert_int_equal(count_open(&r.kernel), 2); /* levels 1 and 2, until the next sample */
    for (int i = 0; i < 10; i++)
        assert_int_equal(fire_at_once(&r, ++time_ns, 2, 3, true), 1);
    sample(&r, 0, 2, 10);
    for (int i = 0; i < 10; i++)
        assert_int_equal(fire_at_once(&r, ++time_ns, 2, 3, true), 1);
    /* Kernels that fill in each record for itself. */
    for (int i = 0; i < 10; i++, time_ns += 3)
        assert_int_equal(fire_at_once(&r, time_ns + 1, 2, 1, true) +
                             fire_at_once(&r, time_ns + 2, 1, 1, true) +
                             fire_at_once(&r, time_ns + 3, 0, 1, true),
                         1);
    flm_stack_sizes_free(r.sizes);
}

/* Page faults, say: of all faults each is counted once, but for half a one at each change. */
static void of_samples_of_one_moment_one_is_counted(void **state)
{
    (void)state;
    struct run r;
    int64_t time_ns = 1;
    begin(&r, 12);
    truncate_thread(r.sizes, r.thread, FLM_STACK_SIZES_TRUNCATED);
    assert_true(flm_stack_sizes_update(r.sizes, r.now_ns, 0));
    int counted = 0;
    for (int i = 0; i < 100; i++)
        counted += fire_at_once(&r, ++time_ns, 1, 2, false);
    assert_in_range(counted, 99, 101);
    flm_stack_sizes_free(r.sizes);
}

static bool use(void *context, struct flm_error *why)
{
    (void)context;
    struct kernel k;
    struct flm_stack_sizes *sizes = make(&k, 1);
    if (sizes)
        truncate_thread(sizes, 7, 10);
    bool good = sizes && flm_stack_sizes_update(sizes, SECOND, 0);
    flm_stack_sizes_free(sizes);
    return good || flm_error_memory(why);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(use, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_stacks_get_larger_dumps),
        cmocka_unit_test(wanted_threads_keep_an_event_of_their_own),
        cmocka_unit_test(a_few_truncated_stacks_change_nothing),
        cmocka_unit_test(dumps_become_smaller_again),
        cmocka_unit_test(dumps_that_do_not_help_are_ended),
        cmocka_unit_test(calm_must_last_longer_each_time),
        cmocka_unit_test(what_is_counted_adds_up_to_the_time),
        cmocka_unit_test(what_is_counted_of_short_threads_adds_up),
        cmocka_unit_test(what_was_sampled_before_closing_is_counted),
        cmocka_unit_test(lost_records_make_dumps_smaller),
        cmocka_unit_test(events_that_never_fire_lose_nothing),
        cmocka_unit_test(events_that_stop_firing_are_given_up),
        cmocka_unit_test(refusals_are_counted_once),
        cmocka_unit_test(an_ended_thread_has_no_level),
        cmocka_unit_test(the_neediest_threads_come_first),
        cmocka_unit_test(no_thread_is_counted_twice),
        cmocka_unit_test(marks_change_nothing),
        cmocka_unit_test(of_marks_of_one_moment_one_is_counted),
        cmocka_unit_test(of_samples_of_one_moment_one_is_counted),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
