#include "layout/tracks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/timed.h"

static const struct flm_metric first_metric = {0}, any_metric = {FLM_NONE};

struct event {
    int64_t time;
    const char *labels[5]; /* keys and values; NULL ends them */
    double value;
    int64_t lasts;
};

static struct flm_profile *profile_of_events(const struct event *event, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric other = flm_builder_metric(b, "waiting", "ns");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    for (size_t i = 0; i < count; i++) {
        struct flm_string labels[4];
        size_t label_count = 0;
        for (; event[i].labels[label_count]; label_count++)
            labels[label_count] = flm_builder_string(b, event[i].labels[label_count],
                                                     strlen(event[i].labels[label_count]));
        struct flm_label_set set = flm_builder_label_set(b, labels, label_count / 2);
        flm_builder_sample(b, event[i].time, node, set, event[i].value != 0 ? metric : other,
                           event[i].value != 0 ? event[i].value : 1);
        flm_builder_sample_lasts(b, event[i].lasts);
    }
    return flm_builder_finish(b, NULL);
}

static const char *text_of(const struct flm_profile *p, uint32_t string)
{
    static char text[4][40];
    static unsigned next;
    struct flm_bytes bytes = {"-", 1};
    if (string != FLM_NONE)
        bytes = flm_string_bytes(p, string);
    char *at = text[next++ % 4];
    snprintf(at, sizeof text[0], "%.*s", (int)bytes.size, bytes.at);
    return at;
}

/* "value command total samples" of each track. */
static void assert_tracks(const struct flm_profile *p, struct flm_metric metric, const char *key,
                          const char *expected_key, const char *expected)
{
    struct flm_tracks tracks;
    assert_true(flm_tracks_init(&tracks, p, metric, key, NULL));
    assert_string_equal(text_of(p, tracks.key), expected_key);
    char text[400] = "";
    size_t size = 0;
    for (uint32_t i = 0; i < tracks.count; i++) {
        const struct flm_track *track = &tracks.track[i];
        size +=
            (size_t)snprintf(text + size, sizeof text - size, "%s %s %g:", text_of(p, track->value),
                             text_of(p, track->command), track->total);
        for (uint32_t k = 0; k < track->sample_count; k++)
            size += (size_t)snprintf(text + size, sizeof text - size, " %u", track->sample[k]);
        size += (size_t)snprintf(text + size, sizeof text - size, "\n");
    }
    assert_string_equal(text, expected);
    flm_tracks_clear(&tracks);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct event recording[] = {
    {FLM_NO_TIME, {"command", "node", "thread", "7"}, 100},
    {10, {"command", "bash", "thread", "7"}, 1},
    {20, {"command", "node", "thread", "8"}, 200},
    {30, {"command", "node", "thread", "7"}, 1},
    {40, {"command", "cron", NULL}, 50},
    {50, {NULL}, 3},
    {60, {"command", "idle", "thread", "9"}, 0},
};

static void a_thread_is_a_track_the_largest_first(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_events(recording, COUNT(recording));
    assert_tracks(p, first_metric, NULL, "thread",
                  "8 node 200: 2\n7 node 102: 1 3\n- cron 53: 4 5\n");
    assert_tracks(p, any_metric, NULL, "thread",
                  "7 node 3: 1 3\n- cron 2: 4 5\n8 node 1: 2\n9 idle 1: 6\n");
    flm_profile_free(p);
}

static void tracks_can_be_of_another_label(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_events(recording, COUNT(recording));
    assert_tracks(p, first_metric, "command", "command",
                  "node - 301: 2 3\ncron - 50: 4\n- - 3: 5\nbash - 1: 1\n");
    struct flm_tracks tracks;
    struct flm_error why;
    assert_false(flm_tracks_init(&tracks, p, first_metric, "span", &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_string_equal(why.text, "no sample has a label 'span'");
    flm_profile_free(p);
}

static void without_labels_all_is_one_track(void **state)
{
    (void)state;
    static const struct event events[] = {{5, {NULL}, 2}, {6, {NULL}, 3}};
    struct flm_profile *p = profile_of_events(events, 2);
    assert_tracks(p, first_metric, NULL, "-", "- - 5: 0 1\n");
    flm_profile_free(p);
    p = profile_of_events(events, 0);
    struct flm_tracks tracks;
    assert_true(flm_tracks_init(&tracks, p, any_metric, NULL, NULL));
    assert_int_equal(tracks.count, 0);
    assert_int_equal(tracks.timed_count, 0);
    flm_tracks_clear(&tracks);
    flm_profile_free(p);
}

static void without_times_there_are_no_tracks(void **state)
{
    (void)state;
    static const struct event events[] = {{FLM_NO_TIME, {"thread", "7"}, 2}};
    struct flm_profile *p = profile_of_events(events, 1);
    assert_tracks(p, first_metric, NULL, "thread", "");
    flm_profile_free(p);
}

/* Of time the value of a track's last sample, of others the median between its samples. */
static void all_of_it_ends_when_the_last_sample_is_over(void **state)
{
    (void)state;
    static const char *const units[] = {"ns", "samples"};
    for (int i = 0; i < 2; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric metric = flm_builder_metric(b, "m", units[i]);
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
        static const int64_t times[] = {100, 110, 120, 150};
        for (int k = 0; k < 4; k++)
            flm_builder_sample(b, times[k], node, (struct flm_label_set){0}, metric, 25);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        struct flm_tracks tracks;
        assert_true(flm_tracks_init(&tracks, p, first_metric, NULL, NULL));
        assert_true(tracks.length_ns == (i == 0 ? 50 + 25 : 50 + 10));
        flm_tracks_clear(&tracks);
        flm_profile_free(p);
    }
}

static void bars_are_of_a_track_or_of_all(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_events(recording, COUNT(recording));
    struct flm_tracks tracks;
    assert_true(flm_tracks_init(&tracks, p, first_metric, NULL, NULL));
    assert_true(tracks.first_ns == 10 && tracks.last_ns == 50);
    assert_int_equal(tracks.timed_count, 5);
    assert_int_equal(tracks.untimed_count, 1);
    double bars[4];
    const struct flm_track *seventh = &tracks.track[1];
    flm_tracks_bars(p, first_metric, seventh->sample, seventh->sample_count, 10, 50, bars, 4);
    assert_memory_equal(bars, ((const double[]){1, 0, 1, 0}), sizeof bars);
    flm_tracks_bars(p, first_metric, NULL, 0, 10, 50, bars, 4);
    assert_memory_equal(bars, ((const double[]){1, 200, 1, 50}), sizeof bars);
    flm_tracks_bars(p, any_metric, NULL, 0, 10, 70, bars, 3);
    assert_true(bars[0] == 2 && bars[1] == 2 && bars[2] == 2);
    flm_tracks_bars(p, first_metric, NULL, 0, 15, 15, bars, 1);
    assert_true(bars[0] == 0);
    flm_tracks_bars(p, first_metric, NULL, 0, INT64_MIN + 1, INT64_MAX, bars, 1);
    assert_true(bars[0] == 255);
    flm_tracks_clear(&tracks);
    flm_profile_free(p);
}

/* A wait is spread over the bars in which it lasts, also over those before which it begins. */
static void what_lasts_is_in_many_bars(void **state)
{
    (void)state;
    static const struct event events[] = {
        {10, {NULL}, 60, 60}, {20, {NULL}, 5, 0}, {90, {NULL}, 8, 4}, {96, {NULL}, 1, 0}};
    struct flm_profile *p = profile_of_events(events, COUNT(events));
    struct flm_tracks tracks;
    assert_true(flm_tracks_init(&tracks, p, first_metric, NULL, NULL));
    assert_true(tracks.length_ns == 96 + 1 - 10);
    double bars[4];
    flm_tracks_bars(p, first_metric, NULL, 0, 0, 80, bars, 4);
    assert_memory_equal(bars, ((const double[]){10, 25, 20, 10}), sizeof bars);
    flm_tracks_bars(p, first_metric, NULL, 0, 60, 100, bars, 4);
    assert_memory_equal(bars, ((const double[]){10, 0, 0, 9}), sizeof bars);
    flm_tracks_bars(p, first_metric, NULL, 0, 30, 50, bars, 4);
    assert_memory_equal(bars, ((const double[]){5, 5, 5, 5}), sizeof bars);
    flm_tracks_clear(&tracks);
    flm_profile_free(p);
}

/* Random waits: every nanosecond of them is in the bar in which it lies. */
static void waits_are_where_they_last(void **state)
{
    (void)state;
    uint64_t seed = 77;
    for (int round = 0; round < 200; round++) {
        struct event events[30];
        unsigned count = 1 + random_below(&seed, 29);
        for (unsigned i = 0; i < count; i++) {
            int64_t lasts = random_below(&seed, 3) ? 1 + random_below(&seed, 300) : 0;
            events[i] = (struct event){
                random_below(&seed, 1000) - 500, {NULL}, lasts ? (double)lasts : 7, lasts};
        }
        struct flm_profile *p = profile_of_events(events, count);
        enum { BARS = 10, EACH = 40 };
        int64_t from = random_below(&seed, 900) - 500;
        double bars[BARS];
        flm_tracks_bars(p, first_metric, NULL, 0, from, from + BARS * EACH, bars, BARS);
        for (int bar = 0; bar < BARS; bar++) {
            double expected = 0;
            for (int64_t t = from + bar * EACH; t < from + (bar + 1) * EACH; t++)
                for (unsigned i = 0; i < count; i++)
                    expected += events[i].lasts
                                    ? t >= events[i].time && t < events[i].time + events[i].lasts
                                    : 7 * (t == events[i].time);
            assert_true(fabs(bars[bar] - expected) < 1e-6);
        }
        flm_profile_free(p);
    }
}

/* On random events, against the plainest search. */
static void only_samples_with_a_state_are_waits(void **state)
{
    (void)state;
    /* The sleep is part of the call; the last one has no state, but a duration. */
    struct flm_profile *p = profile_of_threads("10 11 -        0  20 main;work\n"
                                               "10 11 sleeping 20 30 main;work\n"
                                               "10 11 on-CPU   50  5 main;work\n"
                                               "10 11 runnable 55  4 main;work\n");
    struct flm_tracks tracks;
    assert_true(flm_tracks_init(&tracks, p, (struct flm_metric){FLM_NONE}, NULL, NULL));
    assert_int_equal(tracks.count, 1);
    assert_true(tracks.track[0].total == 4);
    assert_true(tracks.track[0].waited == 2);
    assert_true(tracks.track[0].waited_ns == 34e6);
    assert_true(tracks.track[0].ran_ns == 25e6);
    flm_tracks_clear(&tracks);
    flm_profile_free(p);
}

static void every_sample_is_in_its_bucket(void **state)
{
    (void)state;
    uint64_t seed = 31;
    static const char *const threads[] = {"1", "2", "3"};
    for (int round = 0; round < 100; round++) {
        struct event events[80];
        unsigned count = random_below(&seed, 80);
        for (unsigned i = 0; i < count; i++) {
            events[i] = (struct event){random_below(&seed, 8) ? random_below(&seed, 1000) - 500
                                                              : FLM_NO_TIME,
                                       {NULL},
                                       random_below(&seed, 4),
                                       0};
            if (random_below(&seed, 5)) {
                events[i].labels[0] = "tid";
                events[i].labels[1] = threads[random_below(&seed, 3)];
            }
        }
        struct flm_profile *p = profile_of_events(events, count);
        struct flm_tracks tracks;
        assert_true(flm_tracks_init(&tracks, p, first_metric, NULL, NULL));
        enum { BUCKETS = 7 };
        int64_t from = random_below(&seed, 600) - 500, to = from + 1 + random_below(&seed, 500);
        double sum[BUCKETS], all = 0, given = 0;
        for (uint32_t t = 0; t < tracks.count; t++) {
            const char *value = text_of(p, tracks.track[t].value);
            double total = 0;
            flm_tracks_bars(p, first_metric, tracks.track[t].sample, tracks.track[t].sample_count,
                            from, to, sum, BUCKETS);
            for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
                double expected = 0;
                for (unsigned i = 0; i < count; i++) {
                    const char *thread = events[i].labels[0] ? events[i].labels[1] : "-";
                    if (strcmp(thread, value) != 0 || events[i].time < from || events[i].time >= to)
                        continue;
                    if ((unsigned)((events[i].time - from) * BUCKETS / (to - from)) == bucket)
                        expected += events[i].value;
                }
                assert_true(sum[bucket] == expected);
            }
            for (unsigned i = 0; i < count; i++)
                if (strcmp(events[i].labels[0] ? events[i].labels[1] : "-", value) == 0)
                    total += events[i].value;
            assert_true(tracks.track[t].total == total);
            assert_true(t == 0 || tracks.track[t - 1].total >= total);
            all += total;
        }
        for (unsigned i = 0; i < count; i++)
            given += events[i].value;
        assert_true(all == (tracks.timed_count > 0 ? given : 0));
        flm_tracks_clear(&tracks);
        flm_profile_free(p);
    }
}

static bool make_tracks(void *context, struct flm_error *why)
{
    struct flm_tracks tracks;
    bool good = flm_tracks_init(&tracks, context, first_metric, NULL, why);
    if (good)
        flm_tracks_clear(&tracks);
    return good;
}

static void tracks_are_made_or_memory_ran_out(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_events(recording, COUNT(recording));
    assert_true(assert_survives_failures(make_tracks, p) >= 5);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_a_track_the_largest_first),
        cmocka_unit_test(tracks_can_be_of_another_label),
        cmocka_unit_test(without_labels_all_is_one_track),
        cmocka_unit_test(without_times_there_are_no_tracks),
        cmocka_unit_test(all_of_it_ends_when_the_last_sample_is_over),
        cmocka_unit_test(bars_are_of_a_track_or_of_all),
        cmocka_unit_test(only_samples_with_a_state_are_waits),
        cmocka_unit_test(every_sample_is_in_its_bucket),
        cmocka_unit_test(what_lasts_is_in_many_bars),
        cmocka_unit_test(waits_are_where_they_last),
        cmocka_unit_test(tracks_are_made_or_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
