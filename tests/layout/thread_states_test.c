#include "layout/thread_states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "record/sched/sched_state.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/timed.h"

static const char two_threads[] = "1 2 - 0 0 main;work\n"
                                  "1 2 - 1 0 main;work\n"
                                  "1 2 lock 2 10 main;lock\n"
                                  "1 2 runnable 12 3 main;lock\n"
                                  "1 2 - 20 0 main;work\n"
                                  "1 2 sleeping 21 100 main;sleep\n"
                                  "1 2 dozing 130 5 main;doze\n"
                                  "1 3 blocked 0 50 -\n";

static struct flm_track track_named(const struct flm_profile *p, const struct flm_tracks *tracks,
                                    const char *name)
{
    for (uint32_t i = 0; i < tracks->count; i++)
        if (flm_bytes_are(flm_string_bytes(p, tracks->track[i].value), name))
            return tracks->track[i];
    fail_msg("there is no thread %s", name);
    return (struct flm_track){0};
}

static void assert_span(const struct flm_thread_states *states, const struct flm_profile *p,
                        const struct flm_track *track, double ms, enum flm_thread_state state,
                        double from_ms, double to_ms)
{
    uint32_t hint = 0;
    struct flm_thread_span span =
        flm_thread_span_at(states, p, track, 5000000000 + (int64_t)(ms * 1e6), &hint);
    assert_int_equal(span.state, state);
    assert_int_equal(span.from_ns, from_ms < 0 ? INT64_MIN : 5000000000 + (int64_t)(from_ms * 1e6));
    assert_int_equal(span.to_ns, to_ms < 0 ? INT64_MAX : 5000000000 + (int64_t)(to_ms * 1e6));
}

static void every_time_of_a_thread_has_a_state(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads(two_threads);
    struct flm_tracks tracks;
    struct flm_thread_states states;
    assert_true(flm_tracks_init(&tracks, p, (struct flm_metric){0}, NULL, NULL));
    assert_true(flm_thread_states_init(&states, p, NULL));
    struct flm_track t = track_named(p, &tracks, "2"), waits = track_named(p, &tracks, "3");
    assert_span(&states, p, &t, -1, FLM_THREAD_UNKNOWN, -1, 0);
    assert_span(&states, p, &t, 0.5, FLM_THREAD_ON_CPU, 0, 1);
    assert_span(&states, p, &t, 1, FLM_THREAD_ON_CPU, 1, 2);
    assert_span(&states, p, &t, 2, FLM_THREAD_LOCK, 2, 12);
    assert_span(&states, p, &t, 11.9, FLM_THREAD_LOCK, 2, 12);
    assert_span(&states, p, &t, 13, FLM_THREAD_RUNNABLE, 12, 15);
    assert_span(&states, p, &t, 16, FLM_THREAD_ON_CPU, 15, 20); /* it ran, and was not seen */
    assert_span(&states, p, &t, 120, FLM_THREAD_SLEEPING, 21, 121);
    assert_span(&states, p, &t, 131, FLM_THREAD_OFF_CPU, 130,
                135); /* a state without a name here */
    assert_span(&states, p, &t, 200, FLM_THREAD_UNKNOWN, 135, -1);
    assert_span(&states, p, &waits, 49, FLM_THREAD_BLOCKED, 0, 50); /* without a stack */
    assert_int_equal(states.seen, (1u << FLM_THREAD_STATES) - 1);
    flm_thread_states_clear(&states);
    flm_tracks_clear(&tracks);
    flm_profile_free(p);
}

/* Whatever the hint is: it only says where to begin. */
static void a_hint_changes_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads(two_threads);
    struct flm_tracks tracks;
    struct flm_thread_states states;
    uint64_t random = 7;
    assert_true(flm_tracks_init(&tracks, p, (struct flm_metric){0}, NULL, NULL));
    assert_true(flm_thread_states_init(&states, p, NULL));
    struct flm_track t = track_named(p, &tracks, "2");
    for (int i = 0; i < 5000; i++) {
        int64_t time = 4990000000 + (int64_t)random_below(&random, 200000000);
        uint32_t from_start = 0, from_any = (uint32_t)random_below(&random, 12);
        struct flm_thread_span a = flm_thread_span_at(&states, p, &t, time, &from_start);
        struct flm_thread_span b = flm_thread_span_at(&states, p, &t, time, &from_any);
        assert_true(a.state == b.state && a.sample == b.sample);
        assert_true(a.from_ns == b.from_ns && a.to_ns == b.to_ns);
        assert_int_equal(from_start, from_any);
    }
    flm_thread_states_clear(&states);
    flm_tracks_clear(&tracks);
    flm_profile_free(p);
}

/* Every sample of a dump lasts until the next one, whatever the thread does: only what waits is
 * waiting, by the names that Java has for it. */
static void states_of_java_are_taken_for_these(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("1 2 RUNNABLE 0 10 main;work\n"
                                               "1 2 BLOCKED 10 20 main;lock\n"
                                               "1 2 WAITING 30 5 main;wait\n"
                                               "1 2 TIMED_WAITING 35 5 main;sleep\n");
    struct flm_tracks tracks;
    struct flm_thread_states states;
    assert_true(flm_tracks_init(&tracks, p, (struct flm_metric){0}, NULL, NULL));
    assert_true(flm_thread_states_init(&states, p, NULL));
    struct flm_track t = track_named(p, &tracks, "2");
    assert_span(&states, p, &t, 5, FLM_THREAD_ON_CPU, 0, 10);
    assert_span(&states, p, &t, 15, FLM_THREAD_LOCK, 10, 30);
    assert_span(&states, p, &t, 31, FLM_THREAD_SLEEPING, 30, 35);
    assert_span(&states, p, &t, 36, FLM_THREAD_SLEEPING, 35, 40);
    assert_true(t.waited_ns == 30e6);
    assert_true(t.waited <= t.total);
    static const char *const of_agent[] = {"waiting", "timed waiting", "parked"};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(flm_thread_state_named(flm_bytes_of(of_agent[i])), FLM_THREAD_SLEEPING);
    flm_thread_states_clear(&states);
    flm_tracks_clear(&tracks);
    flm_profile_free(p);
}

static void a_profile_without_states_has_none(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("1 2 - 0 0 main\n1 2 - 1 0 main\n");
    struct flm_thread_states states;
    assert_true(flm_thread_states_init(&states, p, NULL));
    assert_null(states.of_set);
    assert_int_equal(states.seen, 0);
    assert_int_equal(flm_thread_state_of(&states, p, 0), FLM_THREAD_ON_CPU);
    flm_profile_free(p);
}

static void states_of_moments_are_none_of_the_time_between(void **state)
{
    (void)state;
    struct flm_profile *p =
        profile_of_threads("1 2 WAITING 0 0 main;wait\n1 2 RUNNABLE 9 0 main;work\n");
    struct flm_thread_states states;
    assert_true(flm_thread_states_init(&states, p, NULL));
    assert_null(states.of_set);
    flm_profile_free(p);
}

static void every_state_has_a_title_of_its_own(void **state)
{
    (void)state;
    for (int a = 0; a <= FLM_THREAD_UNKNOWN; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(flm_thread_state_title((enum flm_thread_state)a),
                                    flm_thread_state_title((enum flm_thread_state)b));
}

/* The words that the recorder writes. */
static void every_state_of_a_recording_is_known(void **state)
{
    (void)state;
    for (int i = FLM_STATE_RUNNABLE; i < FLM_STATE_COUNT; i++) {
        char line[80];
        snprintf(line, sizeof line, "1 1 %s 0 5 main\n",
                 flm_sched_state_name((enum flm_sched_state)i));
        struct flm_profile *p = profile_of_threads(line);
        struct flm_thread_states states;
        assert_true(flm_thread_states_init(&states, p, NULL));
        enum flm_thread_state seen = flm_thread_state_of(&states, p, 0);
        assert_true(seen != FLM_THREAD_ON_CPU && seen != FLM_THREAD_OFF_CPU);
        flm_thread_states_clear(&states);
        flm_profile_free(p);
    }
}

static bool find_states(void *context, struct flm_error *why)
{
    struct flm_thread_states states;
    bool good = flm_thread_states_init(&states, context, why);
    flm_thread_states_clear(&states);
    return good;
}

static void it_survives_failing_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads(two_threads);
    assert_int_equal(assert_survives_failures(find_states, p), 1);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_time_of_a_thread_has_a_state),
        cmocka_unit_test(a_hint_changes_nothing),
        cmocka_unit_test(states_of_java_are_taken_for_these),
        cmocka_unit_test(a_profile_without_states_has_none),
        cmocka_unit_test(states_of_moments_are_none_of_the_time_between),
        cmocka_unit_test(every_state_has_a_title_of_its_own),
        cmocka_unit_test(every_state_of_a_recording_is_known),
        cmocka_unit_test(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
