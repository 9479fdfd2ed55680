#include "layout/flame_chart.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "flamel/builder.h"
#include "profile/sample_span.h"

/* A node of the chart that the next sample may continue. */
struct open {
    uint32_t node;
    uint32_t source; /* in the profile */
    double own;      /* time since its last child */
};

struct making {
    const struct flm_profile *p;
    const uint32_t *parent;
    const unsigned char *kind_of_set;
    struct flm_flame_chart *chart;

    uint32_t *sample; /* the samples that are shown */
    uint32_t sample_count;
    double longest_ns, last_ns; /* the time that a moment stands for: at most, and the last */
    struct FLM_ARRAY(
        struct flm_sample_values) value_ns; /* what samples stand for, by metrics of time */

    struct FLM_ARRAY(struct open) open; /* from the root on */

    uint64_t node_count; /* so far; the first pass only counts */
    bool counts_only;
    uint32_t *frame, *end, *source, *first_sample, *last_sample;
    unsigned char *kind;
    double *width; /* the block that all columns are in */
};

/* ---- The duration of a sample ---------------------------------------------------------------- */

/* From the beginning of one sample to that of the next. */
static uint64_t time_between(const struct flm_profile *p, const uint32_t *sample, uint32_t i)
{
    const int64_t *time = p->sample_time;
    return (uint64_t)time[sample[i + 1]] - (uint64_t)time[sample[i]];
}

/* Whether a sample says how often moments were looked at: it is one, and the next one is not the
 * beginning of a wait, which comes at any time; or, if `any`, that may be too. */
static bool is_regular(const struct flm_profile *p, const uint32_t *sample, uint32_t i, bool any)
{
    return flm_sample_duration(p, sample[i]) == 0 &&
           (any || flm_sample_duration(p, sample[i + 1]) == 0);
}

/* The median of the times from moments to the next sample, if that is not at the same time; 0 when
 * there is none. Found byte by byte, from the highest on, with a histogram of the next byte of the
 * times that agree so far. */
static uint64_t median_between(const struct flm_profile *p, const uint32_t *sample,
                               uint32_t sample_count, bool any)
{
    uint64_t median = 0, rank = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
        uint64_t count[256] = {0}, all = 0;
        uint64_t decided = shift == 56 ? 0 : UINT64_MAX << (shift + 8);
        for (uint32_t i = 0; i + 1 < sample_count; i++) {
            uint64_t between = time_between(p, sample, i);
            if (between != 0 && (between & decided) == median && is_regular(p, sample, i, any)) {
                count[between >> shift & 255]++;
                all++;
            }
        }
        if (shift == 56)
            rank = (all - (all > 0)) / 2; /* of two in the middle the shorter */
        uint64_t byte = 0;
        while (byte < 255 && rank >= count[byte])
            rank -= count[byte++];
        if (all == 0)
            return any ? 0 : median_between(p, sample, sample_count, true);
        median |= byte << shift;
    }
    return median;
}

static bool is_in_ns(const struct flm_profile *p, struct flm_metric metric)
{
    if (metric.index == FLM_NONE)
        return false;
    return flm_time_unit_ns(flm_string_bytes(p, p->metrics[metric.index].unit)) == 1;
}

double flm_flame_chart_last_ns(const struct flm_profile *p, struct flm_metric metric,
                               const uint32_t *sample, uint32_t count)
{
    double longest = 0;
    bool in_ns = is_in_ns(p, metric);
    for (uint32_t i = count; i-- > 0;) {
        int64_t duration = flm_sample_duration(p, sample[i]);
        double lasts = duration > 0 ? (double)duration
                       : in_ns      ? flm_sample_value(p, metric.index, sample[i])
                                    : 0;
        longest = lasts > longest ? lasts : longest;
        if (i > 0 && time_between(p, sample, i - 1) != 0)
            break;
    }
    if (longest > 0 || count == 0)
        return longest;
    /* A thread with a sample every 7 s does not run 7 s longer than the recording. */
    double median = (double)median_between(p, sample, count, false);
    double left = (double)p->sample_time[p->sizes.sample_count - 1] -
                  (double)p->sample_time[sample[count - 1]];
    return left > 0 && left < median ? left : median;
}

/* The metrics that say how long a sample was: of the chosen one, or of all. */
static bool find_values(struct making *m, struct flm_metric chosen)
{
    for (uint32_t i = 0; i < m->p->sizes.metric_count; i++) {
        bool is_asked = chosen.index == FLM_NONE || chosen.index == i;
        if (is_asked && is_in_ns(m->p, (struct flm_metric){i}) &&
            !FLM_ARRAY_ADD(&m->value_ns, flm_sample_values(m->p, i)))
            return false;
    }
    return true;
}

static bool choose_samples(struct making *m, const struct flm_flame_chart_options *options)
{
    const struct flm_profile *p = m->p;
    uint32_t given = options->sample ? options->sample_count : p->sizes.sample_count;
    uint32_t metric = options->metric.index;
    m->sample = malloc(((size_t)given + 1) * sizeof *m->sample);
    if (!m->sample || !find_values(m, options->metric))
        return false;
    for (uint32_t i = 0; i < given; i++) {
        uint32_t sample = options->sample ? options->sample[i] : i;
        int64_t time = p->sample_time[sample];
        if (metric != FLM_NONE && flm_sample_value(p, metric, sample) == 0)
            continue;
        if (time == FLM_NO_TIME)
            m->chart->untimed_count++;
        else if (options->start_ns != FLM_NO_TIME && time < options->start_ns)
            m->chart->early_count++;
        else
            m->sample[m->sample_count++] = sample;
    }
    m->chart->sample_count = m->sample_count;
    m->chart->start_ns = options->start_ns != FLM_NO_TIME ? options->start_ns
                         : m->sample_count > 0            ? p->sample_time[m->sample[0]]
                                                          : 0;
    double median = (double)median_between(p, m->sample, m->sample_count, false);
    double last = flm_flame_chart_last_ns(p, options->metric, m->sample, m->sample_count);
    double alone = options->alone_ns > 0 ? options->alone_ns : 1;
    m->chart->median_ns = median;
    m->last_ns = last > 0 ? last : alone;
    m->longest_ns = 1.5 * (median > 0 ? median : alone);
    return true;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* The walk is made twice: first only to count the nodes. */

static uint32_t add_node(struct making *m, uint32_t frame, uint32_t source, uint32_t sample)
{
    uint32_t node = (uint32_t)m->node_count++;
    if (!m->counts_only) {
        m->frame[node] = frame;
        m->source[node] = source;
        m->first_sample[node] = sample;
        if (m->kind_of_set)
            m->kind[node] = frame == 0 ? 0 : m->kind_of_set[m->p->sample_labels[sample]];
    }
    return node;
}

/* `sample` is the last one of the node. */
static void end_node(struct making *m, uint32_t node, uint32_t sample, double own)
{
    if (!m->counts_only) {
        m->end[node] = (uint32_t)m->node_count;
        m->last_sample[node] = sample;
        m->width[node] = own;
    }
}

static void close_nodes(struct making *m, size_t left_open, uint32_t sample)
{
    while (m->open.count > left_open) {
        const struct open *last = &m->open.at[--m->open.count];
        end_node(m, last->node, sample, last->own);
    }
}

static bool push(struct making *m, uint32_t source)
{
    return FLM_ARRAY_ADD(&m->open, (struct open){.source = source});
}

/* Opens the ancestors of `node` of the profile that are not open yet, for a sample that follows
 * `previous`. */
static bool open_nodes(struct making *m, uint32_t node, uint32_t sample, uint32_t previous)
{
    size_t first = m->open.count;
    for (uint32_t top = m->open.at[first - 1].source; node != top; node = m->parent[node])
        if (!push(m, node))
            return false;
    struct open *above = &m->open.at[first - 1];
    if (first < m->open.count && above->own > 0) {
        uint32_t gap = add_node(m, 0, above->source, previous);
        end_node(m, gap, previous, above->own);
        above->own = 0;
    }
    /* They were found from the leaf on. */
    for (size_t low = first, high = m->open.count; low + 1 < high; low++) {
        struct open swapped = m->open.at[--high];
        m->open.at[high] = m->open.at[low];
        m->open.at[low] = swapped;
    }
    for (size_t i = first; i < m->open.count; i++)
        m->open.at[i].node =
            add_node(m, m->p->node_frame[m->open.at[i].source], m->open.at[i].source, sample);
    return true;
}

static bool is_of_one_kind(const struct making *m, uint32_t a, uint32_t b)
{
    const uint32_t *set = m->p->sample_labels;
    return !m->kind_of_set || a == FLM_NONE || m->kind_of_set[set[a]] == m->kind_of_set[set[b]];
}

static bool add_sample(struct making *m, uint32_t sample, uint32_t previous, double width)
{
    uint32_t node = m->p->sample_node[sample];
    size_t shared = is_of_one_kind(m, previous, sample) ? m->open.count : 1;
    while (node < m->open.at[shared - 1].source ||
           node >= m->p->node_end[m->open.at[shared - 1].source])
        shared--;
    close_nodes(m, shared, previous);
    if (!open_nodes(m, node, sample, previous))
        return false;
    m->open.at[m->open.count - 1].own += width;
    return true;
}

/* What the samples from `i` to before `next`, which begin at one time, stand for together; the time
 * until the next one is `between`. */
static double time_of(const struct making *m, uint32_t i, uint32_t next, double between)
{
    double longest = 0;
    for (; i < next; i++) {
        int64_t duration = flm_sample_duration(m->p, m->sample[i]);
        double lasts = duration > 0 ? (double)duration : m->longest_ns;
        longest = lasts > longest ? lasts : longest;
    }
    return longest < between ? longest : between;
}

/* How much of the time before it a moment stands for as well: what it lacks of its value, or of the
 * usual time, because a wait begins soon. */
static double time_before(const struct making *m, uint32_t i, uint32_t next, double stands_for)
{
    uint32_t sample = m->sample[i];
    if (next - i > 1 || flm_sample_duration(m->p, sample) > 0 || next == m->sample_count ||
        flm_sample_duration(m->p, m->sample[next]) == 0)
        return 0;
    double usual = m->value_ns.count > 0 ? 0 : m->chart->median_ns;
    for (size_t k = 0; k < m->value_ns.count; k++)
        usual = fmax(usual, flm_sample_value_of(&m->value_ns.at[k], sample));
    return usual > stands_for ? usual - stands_for : 0;
}

static bool walk(struct making *m)
{
    m->node_count = 0;
    m->open.count = 0;
    if (!push(m, 0))
        return false;
    const int64_t *time = m->p->sample_time;
    uint32_t none = FLM_NONE, previous = none;
    add_node(m, 0, 0, m->sample_count > 0 ? m->sample[0] : none);
    double unknown = 0; /* the time before a sample of which nothing is known yet */
    if (m->sample_count > 0)
        unknown = (double)((uint64_t)time[m->sample[0]] - (uint64_t)m->chart->start_ns);
    for (uint32_t i = 0, next; i < m->sample_count; i = next) {
        for (next = i + 1; next < m->sample_count && time_between(m->p, m->sample, next - 1) == 0;)
            next++;
        bool is_last = next == m->sample_count;
        double between = is_last ? m->last_ns : (double)time_between(m->p, m->sample, next - 1);
        double stands_for = is_last ? between : time_of(m, i, next, between);
        double before = fmin(time_before(m, i, next, stands_for), unknown);
        if (unknown > before) {
            close_nodes(m, 1, previous);
            m->open.at[0].own += unknown - before;
        }
        for (uint32_t k = i; k < next; k++) {
            if (!add_sample(m, m->sample[k], previous, (before + stands_for) / (next - i)))
                return false;
            previous = m->sample[k];
        }
        unknown = between - stands_for;
    }
    close_nodes(m, 0, previous);
    return true;
}

/* ---- Making a chart -------------------------------------------------------------------------- */

static bool make_columns(struct making *m, struct flm_error *why)
{
    size_t count = (size_t)m->node_count, node_size = sizeof *m->width + 5 * sizeof *m->frame + 1;
    if (m->node_count > INT32_MAX)
        return flm_error_set(why, FLM_ERROR_RANGE, "too many stacks for a flame chart");
    m->width = count <= SIZE_MAX / node_size ? malloc(count * node_size) : NULL;
    if (!m->width)
        return flm_error_memory(why);
    m->frame = (uint32_t *)(void *)(m->width + count);
    m->end = m->frame + count;
    m->source = m->end + count;
    m->first_sample = m->source + count;
    m->last_sample = m->first_sample + count;
    m->kind = (unsigned char *)(m->last_sample + count);
    m->chart->tree = (struct flm_tree){(uint32_t)count, m->frame, m->end, m->width, NULL};
    m->chart->source = m->source;
    m->chart->first_sample = m->first_sample;
    m->chart->last_sample = m->last_sample;
    m->chart->kind = m->kind_of_set ? m->kind : NULL;
    return true;
}

static bool make(struct making *m, const struct flm_flame_chart_options *options,
                 struct flm_error *why)
{
    if (!choose_samples(m, options))
        return flm_error_memory(why);
    m->counts_only = true;
    if (!walk(m))
        return flm_error_memory(why);
    if (!make_columns(m, why))
        return false;
    m->counts_only = false;
    return walk(m) || flm_error_memory(why);
}

struct flm_flame_chart *flm_flame_chart_new(const struct flm_profile *profile,
                                            const struct flm_flame_chart_options *options,
                                            struct flm_error *why)
{
    assert(profile && options);
    struct flm_flame_chart *chart = calloc(1, sizeof *chart);
    uint32_t *parent = NULL;
    if (!options->parent)
        parent = malloc(profile->sizes.node_count * sizeof *parent);
    if (!chart || !(parent || options->parent)) {
        free(chart);
        free(parent);
        flm_error_memory(why);
        return NULL;
    }
    if (parent)
        flm_profile_parents(profile, parent);
    struct making m = {.p = profile,
                       .chart = chart,
                       .parent = parent ? parent : options->parent,
                       .kind_of_set = options->kind_of_set};
    bool good = make(&m, options, why);
    free(parent);
    free(m.sample);
    FLM_ARRAY_CLEAR(&m.value_ns);
    FLM_ARRAY_CLEAR(&m.open);
    if (good)
        return chart;
    flm_flame_chart_free(chart);
    return NULL;
}

void flm_flame_chart_free(struct flm_flame_chart *chart)
{
    if (!chart)
        return;
    free((void *)chart->tree.width); /* all columns */
    free(chart);
}
