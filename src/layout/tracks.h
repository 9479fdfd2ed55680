/* tracks.h - the samples of a profile by thread, and their sums over time.
 *
 *     all              |_-##-____--###########--_|      every bar is an interval: the sum of
 *     track 0: 1234    |_-##-____--####_________|       the metric of the samples in it
 *     track 1: 1236    |___________-###########--|
 *
 * A thread is a value of one label: that of profile/label_range.h, or the one that the caller
 * names. Samples without it are a track of their own, without a name.
 *
 * It takes two passes over the samples to sort them by track, and one over those in the range for
 * the bars.
 */
#ifndef FLAMEL_LAYOUT_TRACKS_H
#define FLAMEL_LAYOUT_TRACKS_H

#include "flamel/profile.h"

struct flm_track {
    uint32_t value;         /* string: the label's; FLM_NONE: samples without the label */
    uint32_t command;       /* string: of its last sample with one, unless it is the value itself;
                               FLM_NONE: none has one */
    uint32_t process;       /* string: likewise, of its label "process" or "pid" */
    int64_t begin_ns;       /* of its first sample with a time */
    const uint32_t *sample; /* ascending: of this track, those with a time */
    uint32_t sample_count;
    double total;  /* sum of |value| of the metric, including samples without a time */
    double waited; /* the part of it that is of samples with a state of waiting (thread_states.h) */
    double waited_ns; /* sum of the durations of these */
    double ran_ns;    /* and of the others */
};

struct flm_tracks {
    uint32_t key; /* string: of the label; FLM_NONE: no label distinguishes threads */
    struct flm_track *track;
    uint32_t count; /* tracks, the largest total first, equal ones by value; empty ones are left
                       out */
    int64_t first_ns, last_ns;
    double length_ns; /* from the first sample to the end of the last one of any track
                         (flame_chart.h); 0: unknown */
    uint32_t timed_count, untimed_count; /* samples with and without a time */
    uint32_t *samples;                   /* owned: the tracks point into it */
};

/* `key`: of the label; NULL: the best one. Only samples with a value in the metric count;
 * {FLM_NONE}: all, as 1 each. In a profile with durations all samples are on the tracks, whatever
 * their metric is: a thread that waits is seen in the picture of those that run. A profile without
 * timed samples has no tracks. False, and `why`, if memory ran out, or if no sample has a label
 * `key`. */
bool flm_tracks_init(struct flm_tracks *tracks, const struct flm_profile *profile,
                     struct flm_metric metric, const char *key, struct flm_error *why);
void flm_tracks_clear(struct flm_tracks *tracks);

/* The sum of |value| of the metric for each of `count` equal parts of [from_ns, to_ns): of the
 * given samples, ascending (NULL: all). The value of a sample with a
 * duration is spread over the parts that it overlaps. */
void flm_tracks_bars(const struct flm_profile *profile, struct flm_metric metric,
                     const uint32_t *sample, uint32_t sample_count, int64_t from_ns, int64_t to_ns,
                     double *bars, uint32_t count);

#endif
