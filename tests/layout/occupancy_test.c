#include "layout/occupancy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/timed.h"

/* Thread 2 runs from 0 to 2 and from 6 to 8, thread 3 from 1 to 7; thread 9 is another process'. */
static const char threads[] = "1 2 - 0 2 main\n"
                              "1 2 sleeping 2 4 main\n"
                              "1 2 - 6 2 main\n"
                              "1 3 - 1 6 main\n"
                              "9 9 - 0 100 main\n"
                              "1 4 sleeping 0 50 main\n";

struct occupied {
    struct flm_profile *profile;
    struct flm_tracks tracks;
    struct flm_thread_states states;
    struct flm_occupancy occupancy;
};

static uint32_t process_of(const struct occupied *o, const char *name)
{
    for (uint32_t i = 0; i < o->tracks.count; i++)
        if (flm_bytes_are(flm_string_bytes(o->profile, o->tracks.track[i].process), name))
            return o->tracks.track[i].process;
    fail_msg("there is no process %s", name);
    return FLM_NONE;
}

static void begin(struct occupied *o, const char *lines)
{
    o->profile = profile_of_threads(lines);
    assert_true(flm_tracks_init(&o->tracks, o->profile, (struct flm_metric){0}, NULL, NULL));
    assert_true(flm_thread_states_init(&o->states, o->profile, NULL));
}

static void end(struct occupied *o)
{
    flm_occupancy_clear(&o->occupancy);
    flm_thread_states_clear(&o->states);
    flm_tracks_clear(&o->tracks);
    flm_profile_free(o->profile);
}

static int64_t at_ms(double ms)
{
    return 5000000000 + (int64_t)(ms * 1e6);
}

static void threads_of_a_process_are_added_up(void **state)
{
    (void)state;
    struct occupied o = {0};
    begin(&o, threads);
    assert_true(flm_occupancy_init(&o.occupancy, &o.states, o.profile, &o.tracks,
                                   process_of(&o, "1"), NULL));
    static const struct {
        double ms;
        uint32_t running;
    } expected[] = {{-1, 0}, {0, 1}, {0.9, 1}, {1, 2},   {1.9, 2}, {2.5, 1},
                    {5, 1},  {6, 2}, {6.9, 2}, {7.5, 1}, {8.5, 0}, {60, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_int_equal(flm_occupancy_at(&o.occupancy, at_ms(expected[i].ms)),
                         expected[i].running);
    end(&o);
}

/* Of any threads: as many as have the state at that time. */
static void it_agrees_with_the_states_at_any_time(void **state)
{
    (void)state;
    static const char *const states[] = {"-", "sleeping", "lock"};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t random = seed;
        struct flm_text lines = {0};
        struct occupied o = {0};
        for (int i = 0; i < 40; i++)
            flm_text_format(&lines, "1 %u %s %u %u main\n", 1 + (unsigned)random_below(&random, 5),
                            states[random_below(&random, 3)], (unsigned)random_below(&random, 200),
                            (unsigned)random_below(&random, 20));
        flm_text_puts(&lines, "1 1 lock 210 1 main\n");
        flm_text_putc(&lines, 0);
        begin(&o, lines.at);
        assert_true(flm_occupancy_init(&o.occupancy, &o.states, o.profile, &o.tracks,
                                       process_of(&o, "1"), NULL));
        for (double ms = -1; ms < 240; ms += 0.25) {
            uint32_t running = 0;
            for (uint32_t i = 0; i < o.tracks.count; i++) {
                uint32_t hint = 0;
                struct flm_thread_span span =
                    flm_thread_span_at(&o.states, o.profile, &o.tracks.track[i], at_ms(ms), &hint);
                running += span.state == FLM_THREAD_ON_CPU;
            }
            assert_int_equal(flm_occupancy_at(&o.occupancy, at_ms(ms)), running);
        }
        end(&o);
        flm_text_clear(&lines);
    }
}

static bool make(void *context, struct flm_error *why)
{
    struct occupied *o = context;
    bool good = flm_occupancy_init(&o->occupancy, &o->states, o->profile, &o->tracks,
                                   process_of(o, "1"), why);
    flm_occupancy_clear(&o->occupancy);
    return good;
}

static void it_survives_failing_allocations(void **state)
{
    (void)state;
    struct occupied o = {0};
    begin(&o, threads);
    assert_true(assert_survives_failures(make, &o) >= 4);
    end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_a_process_are_added_up),
        cmocka_unit_test(it_agrees_with_the_states_at_any_time),
        cmocka_unit_test(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
