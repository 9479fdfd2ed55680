#include "format/trace/spans.h"

#include <stdlib.h>

#include "base/core/sort.h"
#include "profile/sample_span.h"

struct making {
    const struct flm_profile *p;
    struct flm_sample_values values;
    double unit_ns; /* of one; 0: it is not a time */
    int64_t median; /* from one moment to the next; 0: not known */
};

static int64_t later(int64_t time, double by)
{
    return by < 9e18 && time <= INT64_MAX - (int64_t)by ? time + (int64_t)by : INT64_MAX;
}

static int64_t between(const struct flm_profile *p, uint32_t from, uint32_t to)
{
    int64_t a = p->sample_time[from], b = p->sample_time[to];
    return a < 0 && b > INT64_MAX + a ? INT64_MAX : b - a;
}

static int compare_times(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *times = context;
    return (times[a] > times[b]) - (times[a] < times[b]);
}

/* The median of the times from moments to the next sample; 0: there is none. -1: no memory. */
static int64_t median_of(const struct flm_profile *p, const uint32_t *samples, size_t count)
{
    int64_t *times = calloc(count + 1, sizeof *times), median = -1;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    size_t found = 0;
    if (!times || !order)
        count = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        int64_t time = between(p, samples[i], samples[i + 1]);
        if (time <= 0 || flm_sample_duration(p, samples[i]) > 0 ||
            flm_sample_duration(p, samples[i + 1]) > 0)
            continue;
        order[found] = (uint32_t)found;
        times[found++] = time;
    }
    if (times && order) {
        flm_sort(order, found, order + count, compare_times, times);
        median = found > 0 ? times[order[(found - 1) / 2]] : 0;
    }
    free(times);
    free(order);
    return median;
}

/* How long a sample lasts, if the next one does not begin earlier; and how long at most if the next
 * one begins then: moments are not exactly as far apart as they should be. */
static double length_of(const struct making *m, uint32_t sample, bool is_last, double *at_most)
{
    double value = flm_sample_value_of(&m->values, sample) * m->unit_ns, length = (double)m->median;
    int64_t duration = flm_sample_duration(m->p, sample);
    if (duration > 0)
        return *at_most = (double)duration;
    length = m->unit_ns > 0 ? value : length;
    *at_most = 1.5 * length;
    return m->unit_ns > 0 || is_last ? length : *at_most;
}

/* The end of samples that begin at one time. `next`: when the next one begins. */
static int64_t end_of(const struct making *m, const uint32_t *samples, size_t count, int64_t next)
{
    int64_t begin = m->p->sample_time[samples[0]], end = begin, shares = (int64_t)count;
    for (size_t k = 0; k < count; k++) {
        double at_most, length = length_of(m, samples[k], next == INT64_MAX, &at_most);
        int64_t own = later(begin, at_most) >= next ? next : later(begin, length);
        end = own > end ? own : end;
    }
    if (end - shares < begin) /* a stack that was seen is there */
        end = begin <= next - shares ? begin + shares : next;
    return end;
}

bool flm_trace_spans_make(struct flm_trace_spans *spans, const struct flm_profile *p,
                          uint32_t metric, const uint32_t *samples, size_t count)
{
    struct making m = {.p = p,
                       .values = flm_sample_values(p, metric),
                       .unit_ns = flm_time_unit_ns(flm_string_bytes(p, p->metrics[metric].unit)),
                       .median = median_of(p, samples, count)};
    spans->count = 0;
    if (m.median < 0 || !FLM_ARRAY_RESERVE(spans, count))
        return false;
    for (size_t i = 0, next; i < count; i = next) {
        int64_t begin = p->sample_time[samples[i]];
        for (next = i + 1; next < count && p->sample_time[samples[next]] == begin;)
            next++;
        int64_t end = end_of(&m, samples + i, next - i,
                             next < count ? p->sample_time[samples[next]] : INT64_MAX);
        int64_t each = (end - begin) / (int64_t)(next - i);
        for (size_t k = i; k < next; k++, begin += each)
            spans->at[spans->count++] = (struct flm_trace_span){
                begin, k + 1 == next ? end : begin + each, p->sample_node[samples[k]]};
    }
    return true;
}
