#include "record/capture/stack_sizes.h"

#include <assert.h>
#include <stdlib.h>

#include "flamel/builder.h"

enum {
    LEVELS = FLM_STACK_SIZES_LEVELS,
    MOST_KNOWN = 64, /* threads with truncated stacks */
    NO_THREAD = -1
};

/* How long two levels are open together at most: a CPU that has had no sample since is one that the
 * thread does not run on. And how long no larger dumps are tried after records were lost. */
enum { CHANGE_NS = 1000000000 };
#define PAUSE_NS INT64_C(10000000000)
#define MOST_PAUSE_NS INT64_C(640000000000)
#define MOST_CALM_NS INT64_C(60000000000)

/* Records are in the ring a moment after the time that they have. */
enum { MOMENT_NS = 2000000 };

/* How many samples of level 0 tell whether the larger ones come: of 400 at random times a quarter
 * too few is five standard deviations. And as many in a row without any other are enough. */
enum { COMPARED = 400, IN_A_ROW = 50 };

enum state { CLOSED, OPEN, CLOSING };

struct level_events {
    enum state state;
    int handle;
    int64_t closed_ns; /* before that; 0: since the last round */
};

struct thread {
    int32_t process;
    unsigned level;   /* of the samples that are to be counted */
    uint8_t *counted; /* by CPU: the level of those that are counted now; NULL: 0 */
    struct level_events events[LEVELS];
    uint64_t truncated; /* stacks, since the level has changed */
    size_t needed;      /* bytes of a dump at most, since `calm_since_ns` */
    int64_t changed_ns, calm_since_ns, calm_ns;
    int64_t not_before_ns; /* larger dumps have not helped */
    bool was_large, has_helped, is_refused, may_not;
    bool is_wanted; /* it gets an event of its own even if its stacks are not deep */

    struct {
        int64_t time_ns;
        uint32_t cpu, event;
        unsigned level; /* that the record names */
        unsigned taken; /* bit i: a record that is equal was of level i */
    } last;             /* sample */

    /* Samples of the first event since they were compared last. */
    double dropped_weight, counted_weight;
    uint32_t dropped, in_a_row;
};

struct flm_stack_sizes {
    struct flm_stack_sizes_options options;
    int32_t ids[MOST_KNOWN]; /* of threads; NO_THREAD: it has ended, its events have not */
    struct thread threads[MOST_KNOWN];
    size_t count;
    int64_t pause_ns, paused_until_ns;
    uint64_t lost, changes;
    struct flm_stack_sizes_counts counts;
};

struct flm_stack_sizes *flm_stack_sizes_new(const struct flm_stack_sizes_options *options)
{
    assert(options && options->events.open && options->events.close && options->events.forget);
    struct flm_stack_sizes *z = calloc(1, sizeof *z);
    if (!z)
        return NULL;
    z->options = *options;
    z->pause_ns = PAUSE_NS;
    z->paused_until_ns = INT64_MIN;
    z->counts.largest = options->sizes[0];
    return z;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static struct thread *find(struct flm_stack_sizes *z, int32_t thread)
{
    for (size_t i = 0; i < z->count && thread > 0; i++)
        if (z->ids[i] == thread)
            return &z->threads[i];
    return NULL;
}

static bool has_events(const struct thread *t)
{
    for (size_t i = 1; i < LEVELS; i++)
        if (t->events[i].state != CLOSED)
            return true;
    return false;
}

static void remove_at(struct flm_stack_sizes *z, size_t at)
{
    assert(!has_events(&z->threads[at]));
    free(z->threads[at].counted);
    z->count--;
    z->ids[at] = z->ids[z->count];
    z->threads[at] = z->threads[z->count];
}

/* In place of the thread with the fewest truncated stacks, where there are too many. What was
 * decided about a thread stays known, so that none is counted twice. */
static struct thread *add(struct flm_stack_sizes *z, int32_t process, int32_t thread)
{
    size_t least = z->count;
    for (size_t i = 0; i < z->count && z->count == MOST_KNOWN; i++)
        if (!has_events(&z->threads[i]) && z->ids[i] != NO_THREAD && !z->threads[i].was_large &&
            !z->threads[i].is_refused &&
            (least == z->count || z->threads[i].truncated < z->threads[least].truncated))
            least = i;
    if (least == MOST_KNOWN)
        return NULL;
    if (least < z->count)
        remove_at(z, least);
    z->ids[z->count] = thread;
    z->threads[z->count] = (struct thread){.process = process,
                                           .calm_ns = FLM_STACK_SIZES_CALM_NS,
                                           .not_before_ns = INT64_MIN,
                                           .last = {.time_ns = FLM_NO_TIME}};
    return &z->threads[z->count++];
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Samples of level 0 that are dropped, and those that are counted instead: as many should come. */
static void compare(struct thread *t, const struct flm_stack_sizes_sample *sample, unsigned level,
                    bool counts)
{
    if (!sample->is_first_event)
        return;
    if (counts) {
        t->counted_weight += sample->weight;
        t->in_a_row = 0;
    } else if (level == 0) {
        t->dropped_weight += sample->weight;
        t->dropped++;
        t->in_a_row++;
    }
}

/* The level that a sample is of, which is another one than it names when one that is equal came
 * before it. */
static unsigned level_of(struct thread *t, const struct flm_stack_sizes_sample *sample)
{
    if (sample->time_ns == FLM_NO_TIME || sample->time_ns != t->last.time_ns ||
        sample->cpu != t->last.cpu || sample->event != t->last.event ||
        sample->level != t->last.level) {
        t->last.time_ns = sample->time_ns;
        t->last.cpu = sample->cpu;
        t->last.event = sample->event;
        t->last.level = sample->level;
        t->last.taken = 1U << sample->level;
        return sample->level;
    }
    for (unsigned level = LEVELS; level-- > 0;)
        if (!(t->last.taken >> level & 1) && (level == 0 || t->events[level].state != CLOSED)) {
            t->last.taken |= 1U << level;
            return level;
        }
    return sample->level;
}

bool flm_stack_sizes_counts(struct flm_stack_sizes *z, const struct flm_stack_sizes_sample *sample)
{
    struct thread *t = z->count > 0 ? find(z, sample->thread) : NULL;
    if (!t || !t->counted || sample->cpu >= z->options.processors)
        return sample->level == 0;
    uint8_t *counted = &t->counted[sample->cpu];
    unsigned level = level_of(t, sample);
    if (level == t->level && *counted != t->level && !sample->only_marks) {
        *counted = (uint8_t)t->level;
        return z->changes++ % 2 == 1;
    }
    bool counts = level == *counted;
    if (*counted > 0)
        compare(t, sample, level, counts);
    return counts;
}

static unsigned highest_level(const struct flm_stack_sizes *z)
{
    unsigned level = 0;
    while (level + 1 < LEVELS && z->options.sizes[level + 1] > 0)
        level++;
    return level;
}

void flm_stack_sizes_unwound(struct flm_stack_sizes *z, const struct flm_stack_sizes_sample *sample,
                             const struct flm_stack_sizes_stack *stack)
{
    struct thread *t = z->count > 0 ? find(z, sample->thread) : NULL;
    if (!t && stack->is_beyond_dump && sample->thread > 0)
        t = add(z, sample->process, sample->thread);
    if (!t)
        return;
    size_t needed = stack->is_whole ? stack->needed : 0;
    if (stack->is_beyond_dump) {
        t->truncated += sample->level == t->level;
        needed = sample->level < highest_level(z) ? z->options.sizes[sample->level] + 1 : 0;
    }
    t->has_helped |= stack->is_whole && needed > z->options.sizes[0];
    if (needed > t->needed)
        t->needed = needed;
}

void flm_stack_sizes_want(struct flm_stack_sizes *z, int32_t process, int32_t thread)
{
    struct thread *t = find(z, thread);
    if (!t && thread > 0)
        t = add(z, process, thread);
    if (t)
        t->is_wanted = true;
}

static void end_at(struct flm_stack_sizes *z, size_t at)
{
    z->ids[at] = NO_THREAD;
    z->threads[at].level = 0;
}

void flm_stack_sizes_end_thread(struct flm_stack_sizes *z, int32_t thread)
{
    struct thread *t = z->count > 0 ? find(z, thread) : NULL;
    if (t)
        end_at(z, (size_t)(t - z->threads));
}

void flm_stack_sizes_end_process(struct flm_stack_sizes *z, int32_t process)
{
    for (size_t i = 0; i < z->count; i++)
        if (z->threads[i].process == process)
            end_at(z, i);
}

/* ---- Changes --------------------------------------------------------------------------------- */

static unsigned level_for(const struct flm_stack_sizes *z, size_t needed)
{
    unsigned level = 0;
    while (level < highest_level(z) && z->options.sizes[level] < needed)
        level++;
    return level;
}

static void change(struct thread *t, unsigned level, int64_t now_ns)
{
    t->level = level;
    t->truncated = 0;
    t->needed = 0;
    t->changed_ns = t->calm_since_ns = now_ns;
    t->dropped_weight = t->counted_weight = 0;
    t->dropped = t->in_a_row = 0;
}

/* Ends the events of levels that are not counted any more, once no CPU waits for the change. */
static void close_others(struct flm_stack_sizes *z, struct thread *t, int64_t now_ns)
{
    for (unsigned level = 1; level < LEVELS; level++) {
        struct level_events *events = &t->events[level];
        bool is_waited_for = false, has_ended = z->ids[t - z->threads] == NO_THREAD;
        for (size_t i = 0; t->counted && !has_ended && i < z->options.processors; i++)
            is_waited_for = is_waited_for || t->counted[i] == level;
        if (events->state != OPEN || level == t->level ||
            (is_waited_for && now_ns - t->changed_ns < CHANGE_NS))
            continue;
        z->options.events.close(z->options.events.context, events->handle);
        *events = (struct level_events){CLOSING, events->handle, 0};
    }
}

/* What was sampled before a level was closed is read by now. */
static void forget_closed(struct flm_stack_sizes *z, struct thread *t, int64_t now_ns)
{
    for (unsigned level = 1; level < LEVELS; level++) {
        struct level_events *events = &t->events[level];
        if (events->state == CLOSING && events->closed_ns == 0)
            events->closed_ns = now_ns;
        if (events->state != CLOSING || now_ns - events->closed_ns < MOMENT_NS)
            continue;
        z->options.events.forget(z->options.events.context, events->handle);
        events->state = CLOSED;
        for (size_t i = 0; t->counted && i < z->options.processors; i++)
            if (t->counted[i] == level)
                t->counted[i] = (uint8_t)t->level;
    }
}

/* Back to level 0, for good. */
static void give_up(struct flm_stack_sizes *z, struct thread *t, int64_t now_ns)
{
    z->counts.refused += !t->is_refused;
    t->is_refused = t->may_not = true;
    change(t, 0, now_ns);
}

static void check_that_samples_come(struct flm_stack_sizes *z, struct thread *t, int64_t now_ns)
{
    if (t->in_a_row >= IN_A_ROW ||
        (t->dropped >= COMPARED && t->counted_weight < 0.75 * t->dropped_weight)) {
        double share = t->dropped_weight > 0 ? t->counted_weight / t->dropped_weight : 1;
        z->counts.missing += share < 1 ? (uint64_t)((1 - share) * t->dropped) : 0;
        give_up(z, t, now_ns);
    } else if (t->dropped >= COMPARED) {
        t->dropped_weight = t->counted_weight = 0;
        t->dropped = 0;
    }
}

static bool open_level(struct flm_stack_sizes *z, struct thread *t, unsigned level)
{
    size_t at = (size_t)(t - z->threads);
    int handle = z->options.events.open(z->options.events.context, z->ids[at], level);
    if (handle >= 0)
        t->events[level] = (struct level_events){.state = OPEN, .handle = handle};
    return handle >= 0;
}

static void shrink_when_calm(struct flm_stack_sizes *z, struct thread *t, int64_t now_ns)
{
    int64_t calm_ns = t->calm_ns > z->options.least_calm_ns ? t->calm_ns : z->options.least_calm_ns;
    if (t->level == 0 || now_ns - t->calm_since_ns < calm_ns)
        return;
    unsigned level = level_for(z, t->needed);
    if (level == 0 && t->is_wanted)
        level = 1;
    t->needed = 0;
    t->calm_since_ns = now_ns;
    if (level == 0 && !t->has_helped)
        t->not_before_ns = now_ns + MOST_CALM_NS;
    if (level < t->level && (level == 0 || t->events[level].state == OPEN ||
                             (t->events[level].state == CLOSED && open_level(z, t, level))))
        change(t, level, now_ns);
}

static bool needs_more(const struct thread *t, int64_t now_ns)
{
    return now_ns >= t->not_before_ns && t->truncated >= FLM_STACK_SIZES_TRUNCATED;
}

static bool wants_more(const struct flm_stack_sizes *z, const struct thread *t, int64_t now_ns)
{
    return (needs_more(t, now_ns) || (t->is_wanted && t->level == 0)) &&
           t->level < highest_level(z) && !t->may_not && t->events[t->level + 1].state == CLOSED;
}

/* The one with the most truncated stacks of those that want more, and were not `tried`. */
static struct thread *neediest(struct flm_stack_sizes *z, const bool *tried, int64_t now_ns)
{
    struct thread *most = NULL;
    for (size_t i = 0; i < z->count; i++) {
        struct thread *t = &z->threads[i];
        if (z->ids[i] != NO_THREAD && !tried[i] && wants_more(z, t, now_ns) &&
            (!most || t->truncated > most->truncated))
            most = t;
    }
    return most;
}

/* Counted only if its stacks need it: nothing is missing from the others. */
static void refuse(struct flm_stack_sizes *z, struct thread *t, int64_t now_ns)
{
    if (t->is_refused || !needs_more(t, now_ns))
        return;
    z->counts.refused++;
    t->is_refused = true;
}

static void grow(struct flm_stack_sizes *z, struct thread *t, int64_t now_ns)
{
    bool is_needed = needs_more(t, now_ns);
    if (!open_level(z, t, t->level + 1)) {
        refuse(z, t, now_ns);
        t->may_not = true;
        return;
    }
    z->counts.refused -= t->is_refused;
    t->is_refused = false;
    if (t->level == 0)
        t->has_helped = false;
    if (t->was_large && t->level == 0)
        t->calm_ns = 2 * t->calm_ns < MOST_CALM_NS ? 2 * t->calm_ns : MOST_CALM_NS;
    z->counts.threads += is_needed && !t->was_large;
    t->was_large |= is_needed;
    change(t, t->level + 1, now_ns);
    if (is_needed && z->options.sizes[t->level] > z->counts.largest)
        z->counts.largest = z->options.sizes[t->level];
}

static bool grow_neediest(struct flm_stack_sizes *z, int64_t now_ns)
{
    size_t large = 0;
    bool tried[MOST_KNOWN] = {false};
    for (size_t i = 0; i < z->count; i++)
        large += has_events(&z->threads[i]);
    for (struct thread *t; (t = neediest(z, tried, now_ns));) {
        size_t at = (size_t)(t - z->threads);
        tried[at] = true;
        if (now_ns < z->paused_until_ns || (!has_events(t) && large >= FLM_STACK_SIZES_THREADS)) {
            refuse(z, t, now_ns);
            continue;
        }
        if (!t->counted && !(t->counted = calloc(z->options.processors, 1)))
            return false;
        large += !has_events(t);
        grow(z, t, now_ns);
    }
    return true;
}

bool flm_stack_sizes_update(struct flm_stack_sizes *z, int64_t now_ns, uint64_t lost)
{
    bool was_lost = lost > z->lost, shrank = false;
    z->lost = lost;
    for (size_t i = z->count; i-- > 0;) {
        struct thread *t = &z->threads[i];
        if (was_lost && t->level > 0) {
            change(t, 0, now_ns);
            shrank = true;
        }
        check_that_samples_come(z, t, now_ns);
        shrink_when_calm(z, t, now_ns);
        forget_closed(z, t, now_ns);
        close_others(z, t, now_ns);
        if (z->ids[i] == NO_THREAD && !has_events(t))
            remove_at(z, i);
    }
    if (shrank) {
        z->paused_until_ns = now_ns + z->pause_ns;
        z->pause_ns = 2 * z->pause_ns < MOST_PAUSE_NS ? 2 * z->pause_ns : MOST_PAUSE_NS;
    }
    return grow_neediest(z, now_ns);
}

struct flm_stack_sizes_counts flm_stack_sizes_counts_now(const struct flm_stack_sizes *z)
{
    return z->counts;
}

void flm_stack_sizes_free(struct flm_stack_sizes *z)
{
    for (size_t i = 0; z && i < z->count; i++) {
        struct thread *t = &z->threads[i];
        for (unsigned level = 1; level < LEVELS; level++) {
            struct level_events *events = &t->events[level];
            if (events->state == OPEN)
                z->options.events.close(z->options.events.context, events->handle);
            if (events->state != CLOSED)
                z->options.events.forget(z->options.events.context, events->handle);
        }
        free(t->counted);
    }
    free(z);
}
