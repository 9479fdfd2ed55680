#include "cli/report/top_messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static char text[600];

static const char *status(const struct flm_live_state *state, double busy)
{
    struct flm_text out;
    flm_text_init_fixed(&out, text, sizeof text - 1);
    struct flm_live_state with_busy = *state;
    with_busy.processors_busy = busy;
    flm_top_write_status(&with_busy, &out);
    text[out.size] = 0;
    return text;
}

static const char *empty(const struct flm_live_state *state)
{
    struct flm_text out;
    flm_text_init_fixed(&out, text, sizeof text - 1);
    flm_top_write_empty(state, &out);
    text[out.size] = 0;
    return text;
}

static const char *phase(const struct flm_live_state *state)
{
    struct flm_text out;
    flm_text_init_fixed(&out, text, sizeof text - 1);
    flm_top_write_phase(state, "15:04:05", &out);
    text[out.size] = 0;
    return text;
}

static void the_sentence_has_span_samples_busy_lost_and_cost(void **state)
{
    (void)state;
    struct flm_live_state s = {.info = {10.02, 0.061, 9870, 0}, .sums = 10};
    assert_string_equal(status(&s, 1.86), "last 10 s: 9,870 samples, 1.9 CPUs busy, 0 lost, "
                                          "own cost 0.61 %");
    s = (struct flm_live_state){.info = {83.4, 0, 1, 7}, .sums = 83, .all = true};
    assert_string_equal(status(&s, -1), "all 83 s: 1 sample, 7 lost, own cost 0 %");
    s = (struct flm_live_state){.info = {1.3, 0.013, 20, 0}, .sums = 1};
    assert_string_equal(status(&s, 0.02), "last 1.3 s: 20 samples, 0.02 CPUs busy, 0 lost, "
                                          "own cost 1 %");
    s.info.samples = 0;
    assert_string_equal(status(&s, 0), "last 1.3 s: 0 samples, 0 CPUs busy, 0 lost, own cost "
                                       "1 %");
    s.own_size_bytes = 42 << 20;
    assert_string_equal(status(&s, 0), "last 1.3 s: 0 samples, 0 CPUs busy, 0 lost, own cost "
                                       "1 % and 42 MiB");
    s.sums = 0;
    assert_string_equal(status(&s, -1), "waiting for the first samples");
}

static void it_says_when_it_waits_for_symbols(void **state)
{
    (void)state;
    struct flm_live_state s = {.info = {10, 0, 7, 0}, .sums = 10, .is_reading = true};
    assert_string_equal(phase(&s), "live, reading symbols");
    assert_string_equal(status(&s, -1), "last 10 s: 7 samples, 0 lost, own cost 0 %");
    s.sums = 0;
    assert_string_equal(status(&s, -1), "reading symbols");
    assert_string_equal(empty(&s), "reading symbols");
}

static void an_empty_pane_says_why(void **state)
{
    (void)state;
    struct flm_live_state s = {.info = {10, 0, 0, 0}, .sums = 10};
    assert_string_equal(empty(&s), "nothing ran in the last 10 s");
    s.all = true;
    assert_string_equal(empty(&s), "nothing has run since the start");
    s.sums = 0;
    assert_string_equal(empty(&s), "waiting for the first samples");
    s.phase = FLM_LIVE_FAILED;
    flm_error_set(&s.why, FLM_ERROR_SYSTEM, "the ring is gone");
    assert_string_equal(empty(&s), "the ring is gone");
}

static void the_end_is_shown_with_the_exit_status(void **state)
{
    (void)state;
    struct flm_live_state s = {.exit_status = -1};
    assert_string_equal(phase(&s), "live");
    s.phase = FLM_LIVE_ENDED;
    assert_string_equal(phase(&s), "ended at 15:04:05");
    s.exit_status = 3 << 8;
    assert_string_equal(phase(&s), "ended at 15:04:05, exit status 3");
    s.exit_status = 11;
    assert_string_equal(phase(&s), "ended at 15:04:05, signal 11");
    s.phase = FLM_LIVE_FAILED;
    flm_error_set(&s.why, FLM_ERROR_SYSTEM, "the ring is gone");
    assert_string_equal(phase(&s), "failed: the ring is gone");
}

static void a_proposed_name_suits_every_shell(void **state)
{
    (void)state;
    struct flm_text out;
    flm_text_init_fixed(&out, text, sizeof text - 1);
    flm_top_write_file_name("my prog/$x 47", "150405", &out);
    text[out.size] = 0;
    assert_string_equal(text, "top-my_prog__x_47-150405.flm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sentence_has_span_samples_busy_lost_and_cost),
        cmocka_unit_test(it_says_when_it_waits_for_symbols),
        cmocka_unit_test(an_empty_pane_says_why),
        cmocka_unit_test(the_end_is_shown_with_the_exit_status),
        cmocka_unit_test(a_proposed_name_suits_every_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
