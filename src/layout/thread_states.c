#include "layout/thread_states.h"

#include <assert.h>
#include <stdlib.h>

#include "profile/label_range.h"
#include "profile/sample_span.h"

/* The values of the label, and what people read. */
static const struct {
    const char *value, *title;
} names[FLM_THREAD_STATES] = {
    [FLM_THREAD_ON_CPU] = {"on-CPU", "on-CPU"},
    [FLM_THREAD_RUNNABLE] = {"runnable", "runnable"},
    [FLM_THREAD_BLOCKED] = {"blocked", "blocked"},
    [FLM_THREAD_LOCK] = {"lock", "waiting for a lock"},
    [FLM_THREAD_SLEEPING] = {"sleeping", "sleeping"},
    [FLM_THREAD_OFF_CPU] = {"off-CPU", "off-CPU"},
};

const char *flm_thread_state_title(enum flm_thread_state state)
{
    assert(state >= 0 && state <= FLM_THREAD_UNKNOWN);
    return state < FLM_THREAD_STATES ? names[state].title : "unknown";
}

/* States as runtimes name them. Java's are those of thread dumps and of the agent; a thread that is
 * RUNNABLE may also wait for a processor or in a system call, which the VM does not know. GIL is
 * the global interpreter lock of CPython. */
static const struct {
    const char *value;
    enum flm_thread_state state;
} of_runtimes[] = {
    {"RUNNABLE", FLM_THREAD_ON_CPU},  {"BLOCKED", FLM_THREAD_LOCK},
    {"WAITING", FLM_THREAD_SLEEPING}, {"TIMED_WAITING", FLM_THREAD_SLEEPING},
    {"waiting", FLM_THREAD_SLEEPING}, {"timed waiting", FLM_THREAD_SLEEPING},
    {"parked", FLM_THREAD_SLEEPING},  {"GIL", FLM_THREAD_LOCK},
};

enum flm_thread_state flm_thread_state_named(struct flm_bytes value)
{
    for (size_t i = 0; i < sizeof of_runtimes / sizeof *of_runtimes; i++)
        if (flm_bytes_are(value, of_runtimes[i].value))
            return of_runtimes[i].state;
    for (int i = 0; i < FLM_THREAD_STATES; i++)
        if (flm_bytes_are(value, names[i].value))
            return (enum flm_thread_state)i;
    return FLM_THREAD_OFF_CPU;
}

bool flm_thread_states_init(struct flm_thread_states *states, const struct flm_profile *p,
                            struct flm_error *why)
{
    assert(states && p);
    uint32_t count = p->sizes.label_set_count;
    *states = (struct flm_thread_states){.of_set = malloc((size_t)count + 1)};
    if (!states->of_set)
        return flm_error_memory(why);
    struct flm_label_range labels = flm_label_range_of(p, "state");
    for (uint32_t set = 0; set < count; set++) {
        uint32_t value = flm_label_value_in(p, set, labels);
        states->of_set[set] =
            (unsigned char)(value == FLM_NONE ? FLM_THREAD_ON_CPU
                                              : flm_thread_state_named(flm_string_bytes(p, value)));
        states->seen |= 1u << states->of_set[set];
    }
    /* A state that lasts no time, as in a dump of threads, says nothing about the time after it. */
    if ((states->seen & ~(1u << FLM_THREAD_ON_CPU)) == 0 || p->sizes.duration_count == 0)
        flm_thread_states_clear(states);
    return true;
}

void flm_thread_states_clear(struct flm_thread_states *states)
{
    free(states->of_set);
    *states = (struct flm_thread_states){0};
}

/* How many samples begin at or before a time: steps that double from `hint`, then halves. */
static uint32_t count_until(const struct flm_profile *p, const struct flm_track *track,
                            int64_t time_ns, uint32_t hint)
{
    uint32_t low = 0, high = track->sample_count, step = 1;
    hint = hint < high ? hint : high;
    if (hint > 0 && p->sample_time[track->sample[hint - 1]] <= time_ns) {
        low = hint;
        while (low + step < high && p->sample_time[track->sample[low + step - 1]] <= time_ns) {
            low += step;
            step *= 2;
        }
        high = low + step < high ? low + step : high;
    } else if (hint > 0) {
        high = hint - 1;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->sample_time[track->sample[middle]] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t end_of(const struct flm_profile *p, uint32_t sample)
{
    return p->sample_time[sample] + flm_sample_duration(p, sample);
}

struct flm_thread_span flm_thread_span_at(const struct flm_thread_states *states,
                                          const struct flm_profile *p,
                                          const struct flm_track *track, int64_t time_ns,
                                          uint32_t *hint)
{
    uint32_t count = track->sample_count, behind = count_until(p, track, time_ns, *hint);
    struct flm_thread_span span = {FLM_THREAD_UNKNOWN, INT64_MIN, INT64_MAX, FLM_NONE};
    *hint = behind;
    if (behind < count)
        span.to_ns = p->sample_time[track->sample[behind]];
    if (behind == 0)
        return span;
    uint32_t sample = track->sample[behind - 1];
    enum flm_thread_state state = flm_thread_state_of(states, p, sample);
    int64_t end = end_of(p, sample);
    span.from_ns = p->sample_time[sample];
    if (state == FLM_THREAD_ON_CPU || time_ns < end) {
        bool is_last = behind == count && state == FLM_THREAD_ON_CPU;
        span.state = is_last && time_ns > end ? FLM_THREAD_UNKNOWN : state;
        span.sample = sample;
        if (is_last) /* it is known until its end, which is a time of its own */
            end = end < INT64_MAX ? end + 1 : end;
        if ((is_last && span.state != FLM_THREAD_UNKNOWN) || state != FLM_THREAD_ON_CPU)
            span.to_ns = end < span.to_ns ? end : span.to_ns;
    } else { /* the wait is over, and nothing was seen since */
        span.state = behind < count ? FLM_THREAD_ON_CPU : FLM_THREAD_UNKNOWN;
        span.from_ns = end;
    }
    return span;
}
