/* tracks.h - the samples of a profile by thread, and how much there is of them over time.
 *
 *     all              |_-##-____--###########--_|      every bar is a bucket of time: the sum of
 *     track 0: 1234    |_-##-____--####_________|       the metric of the samples in it
 *     track 1: 1236    |___________-###########--|
 *
 * A thread is a value of one label. Which label that is, readers call differently; the one that
 * tells most is taken: "thread", "tid", "pid", "command", or any that the caller names. Samples
 * without it are a track of their own, without a name.
 *
 * Two passes over the samples to sort them by track, and one over those in the range for the bars.
 */
#ifndef FLAMEL_LAYOUT_TRACKS_H
#define FLAMEL_LAYOUT_TRACKS_H

#include "flamel/profile.h"

struct flm_track {
    uint32_t value;         /* string: the label's; FLM_NONE: samples without the label */
    uint32_t command;       /* string: that of its last sample that has one, unless that is the
                               value; FLM_NONE: none has */
    const uint32_t *sample; /* ascending: of this track, those with a time */
    uint32_t sample_count;
    double total; /* sum of |value| of the metric, samples without a time too */
};

struct flm_tracks {
    uint32_t key; /* string: of the label; FLM_NONE: no label tells threads apart */
    struct flm_track *track;
    uint32_t count; /* the largest total first, equal ones by value; those that have nothing are
                       left out */
    int64_t first_ns, last_ns;
    double length_ns; /* from the first sample until what the last of each track stands for
                         (flame_chart.h) is over; 0: the time of one moment: not known */
    uint32_t timed_count, untimed_count; /* samples with and without a time */
    uint32_t *samples;                   /* owned: what the tracks point into */
};

/* `key`: of the label; NULL: the best there is. Samples count that have a value in the metric;
 * {FLM_NONE}: all, as 1 each. A profile without samples that have a time has no tracks. False, and
 * `why`, if memory ran out, or if no sample has the label that was asked for. */
bool flm_tracks_init(struct flm_tracks *tracks, const struct flm_profile *profile,
                     struct flm_metric metric, const char *key, struct flm_error *why);
void flm_tracks_clear(struct flm_tracks *tracks);

/* The sum of |value| of the metric for each of `count` equal parts of [from_ns, to_ns): of the
 * given samples, ascending (NULL: of all). */
void flm_tracks_bars(const struct flm_profile *profile, struct flm_metric metric,
                     const uint32_t *sample, uint32_t sample_count, int64_t from_ns, int64_t to_ns,
                     double *bars, uint32_t count);

#endif
