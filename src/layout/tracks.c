#include "layout/tracks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "flamel/builder.h"
#include "layout/flame_chart.h"
#include "layout/thread_states.h"
#include "profile/label_range.h"
#include "profile/sample_span.h"

/* ---- Samples --------------------------------------------------------------------------------- */

/* The weight of a sample. */
static double size_of(const struct flm_profile *p, struct flm_metric metric, uint32_t sample)
{
    return metric.index == FLM_NONE ? 1 : fabs(flm_sample_value(p, metric.index, sample));
}

static bool is_on_track(const struct flm_profile *p, struct flm_metric metric, uint32_t sample)
{
    return p->sizes.duration_count > 0 || size_of(p, metric, sample) > 0;
}

static void describe(struct flm_track *t, const struct flm_profile *p, uint32_t sample,
                     const struct flm_thread_labels *labels)
{
    uint32_t process = flm_label_value_in(p, p->sample_labels[sample], labels->processes);
    t->command = flm_thread_labels_name(p, p->sample_labels[sample], labels, t->command);
    t->process = process == FLM_NONE ? t->process : process;
}

/* Whether the thread waits, by the label `state` of a set of labels. */
static bool waits(const struct flm_profile *p, uint32_t set, struct flm_label_range states)
{
    uint32_t state = states.count > 0 ? flm_label_value_in(p, set, states) : FLM_NONE;
    return state != FLM_NONE &&
           flm_thread_state_named(flm_string_bytes(p, state)) != FLM_THREAD_ON_CPU;
}

/* Totals and numbers of samples, in tracks that are not sorted yet. */
static void count_samples(struct flm_tracks *tracks, const struct flm_profile *p,
                          struct flm_metric metric, struct flm_track *track,
                          const uint32_t *track_of, const struct flm_thread_labels *labels)
{
    struct flm_label_range states = flm_label_range_of(p, "state");
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        if (!is_on_track(p, metric, i))
            continue;
        struct flm_track *t = &track[track_of[p->sample_labels[i]]];
        describe(t, p, i, labels);
        t->total += size_of(p, metric, i);
        bool is_wait = waits(p, p->sample_labels[i], states);
        t->waited += is_wait ? size_of(p, metric, i) : 0;
        *(is_wait ? &t->waited_ns : &t->ran_ns) += (double)flm_sample_duration(p, i);
        if (p->sample_time[i] == FLM_NO_TIME) {
            tracks->untimed_count++;
            continue;
        }
        if (tracks->timed_count++ == 0)
            tracks->first_ns = p->sample_time[i];
        tracks->last_ns = p->sample_time[i];
        if (t->sample_count++ == 0)
            t->begin_ns = p->sample_time[i];
    }
}

static int largest_first(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_track *track = context;
    double x = track[a].total, y = track[b].total;
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

static void list_samples(struct flm_tracks *tracks, const struct flm_profile *p,
                         struct flm_metric metric, const uint32_t *track_of)
{
    uint32_t *next = tracks->samples;
    for (uint32_t i = 0; i < tracks->count; i++) {
        struct flm_track *track = &tracks->track[i];
        track->sample = next;
        next += track->sample_count;
        track->sample_count = 0;
    }
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        if (p->sample_time[i] == FLM_NO_TIME || !is_on_track(p, metric, i))
            continue;
        struct flm_track *track = &tracks->track[track_of[p->sample_labels[i]]];
        tracks->samples[track->sample - tracks->samples + track->sample_count++] = i;
    }
}

static void find_length(struct flm_tracks *tracks, const struct flm_profile *p,
                        struct flm_metric metric)
{
    for (uint32_t i = 0; i < tracks->count; i++) {
        const struct flm_track *track = &tracks->track[i];
        if (track->sample_count == 0)
            continue;
        int64_t last = p->sample_time[track->sample[track->sample_count - 1]];
        double length = (double)last - (double)tracks->first_ns;
        length += flm_flame_chart_last_ns(p, metric, track->sample, track->sample_count);
        for (uint32_t k = 0; p->sizes.duration_count && k < track->sample_count; k++) {
            uint32_t sample = track->sample[k];
            double end = (double)(p->sample_time[sample] + p->sample_duration[sample]);
            length = fmax(length, end - (double)tracks->first_ns);
        }
        tracks->length_ns = length > tracks->length_ns ? length : tracks->length_ns;
    }
}

/* ---- Making the tracks ----------------------------------------------------------------------- */

/* Makes a track for each label, and one, with the value FLM_NONE, for samples without. */
static void assign(const struct flm_profile *p, struct flm_label_range labels,
                   struct flm_track *track, uint32_t *track_of)
{
    for (uint32_t i = 0; i <= labels.count; i++)
        track[i] = (struct flm_track){.value = i < labels.count ? p->labels[labels.first + i].value
                                                                : FLM_NONE,
                                      .command = FLM_NONE,
                                      .process = FLM_NONE};
    for (uint32_t set = 0; set < p->sizes.label_set_count; set++) {
        uint32_t label = flm_label_in(p, set, labels);
        track_of[set] = label == FLM_NONE ? labels.count : label - labels.first;
    }
}

/* Sorts the tracks that are not empty. `order` has room for two numbers a track. */
static void arrange(struct flm_tracks *tracks, const struct flm_profile *p,
                    const struct flm_track *track, uint32_t track_count, uint32_t *track_of,
                    uint32_t *order)
{
    uint32_t *rank = order + track_count; /* before that scratch for the sort */
    for (uint32_t i = 0; i < track_count; i++)
        order[i] = i;
    flm_sort(order, track_count, rank, largest_first, track);
    for (uint32_t i = 0; i < track_count; i++) {
        bool has_something = track[order[i]].total > 0 || track[order[i]].sample_count > 0;
        rank[order[i]] = has_something ? tracks->count : FLM_NONE;
        if (has_something)
            tracks->track[tracks->count++] = track[order[i]];
    }
    for (uint32_t set = 0; set < p->sizes.label_set_count; set++)
        track_of[set] = rank[track_of[set]];
}

static bool make(struct flm_tracks *tracks, const struct flm_profile *p, struct flm_metric metric,
                 const struct flm_thread_labels *labels)
{
    size_t most = (size_t)labels->threads.count + 1, sets = p->sizes.label_set_count;
    struct flm_track *track = malloc(most * sizeof *track);
    uint32_t *track_of = malloc((sets + 1) * sizeof *track_of); /* by label set */
    uint32_t *order = malloc(2 * most * sizeof *order);
    tracks->track = malloc(most * sizeof *tracks->track);
    tracks->samples = malloc(((size_t)p->sizes.sample_count + 1) * sizeof *tracks->samples);
    bool good = track && track_of && order && tracks->track && tracks->samples;
    if (good) {
        assign(p, labels->threads, track, track_of);
        count_samples(tracks, p, metric, track, track_of, labels);
        if (tracks->timed_count > 0) {
            arrange(tracks, p, track, (uint32_t)most, track_of, order);
            list_samples(tracks, p, metric, track_of);
            find_length(tracks, p, metric);
        }
    }
    free(track);
    free(track_of);
    free(order);
    return good;
}

bool flm_tracks_init(struct flm_tracks *tracks, const struct flm_profile *profile,
                     struct flm_metric metric, const char *key, struct flm_error *why)
{
    assert(tracks && profile);
    *tracks = (struct flm_tracks){.key = FLM_NONE};
    struct flm_thread_labels labels = flm_thread_labels_of(profile);
    if (key)
        labels.threads = flm_label_range_of(profile, key);
    if (key && labels.threads.count == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "no sample has a label '%s'", key);
    if (labels.threads.count > 0)
        tracks->key = profile->labels[labels.threads.first].key;
    if (labels.threads.first == labels.commands.first)
        labels.commands.count = labels.unnamed.count = 0;
    if (labels.threads.first == labels.unnamed.first)
        labels.unnamed.count = 0;
    if (make(tracks, profile, metric, &labels))
        return true;
    flm_tracks_clear(tracks);
    return flm_error_memory(why);
}

void flm_tracks_clear(struct flm_tracks *tracks)
{
    free(tracks->track);
    free(tracks->samples);
    *tracks = (struct flm_tracks){.key = FLM_NONE};
}

/* The first of the samples at or after `time`; those without a time come first. */
static uint32_t first_at(const struct flm_profile *p, const uint32_t *sample, uint32_t count,
                         int64_t time)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t here = p->sample_time[sample ? sample[middle] : middle];
        if (here < time || here == FLM_NO_TIME)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The longest duration of the samples; 0: all are moments. */
static int64_t longest_of(const struct flm_profile *p, const uint32_t *sample, uint32_t count)
{
    int64_t longest = 0;
    for (uint32_t i = 0; p->sizes.duration_count && i < count; i++) {
        int64_t duration = p->sample_duration[sample ? sample[i] : i];
        longest = duration > longest ? duration : longest;
    }
    return longest;
}

/* A range in equal parts: bars. */
struct bars {
    int64_t from_ns, to_ns;
    double each_ns; /* the length of a bar */
    double *bar;
    uint32_t count;
};

/* Divided, not multiplied by the inverse: a time on the edge of a bar is in the bar. */
static double position_of(const struct bars *b, int64_t time_ns)
{
    return (double)((uint64_t)time_ns - (uint64_t)b->from_ns) / b->each_ns;
}

/* Spreads a value over the bars from one position to another. */
static void spread(const struct bars *b, double from, double to, double value)
{
    uint32_t first = from < b->count ? (uint32_t)from : b->count - 1;
    uint32_t last = to < b->count ? (uint32_t)to : b->count - 1;
    if (first == last || to <= from) {
        b->bar[first] += value;
        return;
    }
    double each = value / (to - from);
    b->bar[first] += each * (first + 1 - from);
    for (uint32_t i = first + 1; i < last; i++)
        b->bar[i] += each;
    b->bar[last] += each * (to - last);
}

void flm_tracks_bars(const struct flm_profile *profile, struct flm_metric metric,
                     const uint32_t *sample, uint32_t sample_count, int64_t from_ns, int64_t to_ns,
                     double *bars, uint32_t count)
{
    assert(profile && (bars || count == 0));
    for (uint32_t i = 0; i < count; i++)
        bars[i] = 0;
    if (to_ns <= from_ns || count == 0)
        return;
    if (!sample)
        sample_count = profile->sizes.sample_count;
    struct bars b = {.from_ns = from_ns, .to_ns = to_ns, .bar = bars, .count = count};
    b.each_ns = (double)((uint64_t)to_ns - (uint64_t)from_ns) / count;
    /* Samples that begin before the range and reach into it: usually there is nothing before it. */
    uint32_t first = first_at(profile, sample, sample_count, INT64_MIN + 1);
    bool is_from_first =
        first == sample_count || profile->sample_time[sample ? sample[first] : first] >= from_ns;
    int64_t longest = is_from_first ? 0 : longest_of(profile, sample, sample_count);
    int64_t earliest = from_ns < INT64_MIN + 1 + longest ? INT64_MIN + 1 : from_ns - longest;
    for (uint32_t i = first_at(profile, sample, sample_count, earliest); i < sample_count; i++) {
        uint32_t at = sample ? sample[i] : i;
        struct flm_sample_part part;
        int64_t time = profile->sample_time[at];
        if (time >= to_ns)
            break;
        if (time >= from_ns && flm_sample_duration(profile, at) == 0) {
            uint32_t bar = (uint32_t)position_of(&b, time);
            bars[bar < count ? bar : count - 1] += size_of(profile, metric, at);
            continue;
        }
        if (!flm_sample_part(profile, at, from_ns, to_ns, &part))
            continue;
        spread(&b, position_of(&b, part.time_ns), position_of(&b, part.time_ns + part.duration_ns),
               size_of(profile, metric, at) * part.of_time);
    }
}
