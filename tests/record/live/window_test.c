#include "record/live/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

enum { MOST = 4 };

/* Piece `i` has i + 1 at a stack of its own, and 1 at one that all have. */
static struct flm_profile *chunk(unsigned i)
{
    char folded[64];
    snprintf(folded, sizeof folded, "main;own%u %u\nmain;shared 1\n", i, i + 1);
    return profile_of(folded);
}

static const struct flm_live_info info = {
    .duration_s = 0.5, .own_cpu_s = 0.25, .samples = 3, .lost = 2};

static double at_stack(const struct flm_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        const struct flm_frame_record *frame = &p->frames[flm_profile_frames(p)[i]];
        if (flm_bytes_are(flm_string_bytes(p, frame->function), name))
            return flm_profile_self(p, (struct flm_metric){0})[i];
    }
    return 0;
}

static void the_window_is_the_sum_of_the_last_chunks(void **state)
{
    (void)state;
    struct flm_live_window w = {.most = MOST};
    for (unsigned i = 0; i < 25; i++) {
        struct flm_live_info sum;
        assert_true(flm_live_window_take(&w, chunk(i), &info, NULL));
        struct flm_profile *p = flm_live_window_sum(&w, false, &sum, NULL);
        unsigned count = i + 1 < MOST ? i + 1 : MOST;
        assert_sound(p);
        assert_true(at_stack(p, "shared") == count);
        for (unsigned k = 0; k <= i; k++) {
            char name[16];
            snprintf(name, sizeof name, "own%u", k);
            assert_true(at_stack(p, name) == (k + count > i ? k + 1 : 0));
        }
        assert_true(sum.duration_s == 0.5 * count && sum.own_cpu_s == 0.25 * count);
        assert_int_equal(sum.samples, 3 * count);
        assert_int_equal(sum.lost, 2 * count);
        flm_profile_free(p);
    }
    flm_live_window_clear(&w);
}

static void all_is_the_sum_of_all_chunks(void **state)
{
    (void)state;
    struct flm_live_window w = {.most = MOST};
    double whole = 0;
    for (unsigned i = 0; i < 25; i++) {
        struct flm_live_info sum;
        assert_true(flm_live_window_take(&w, chunk(i), &info, NULL));
        struct flm_profile *p = flm_live_window_sum(&w, true, &sum, NULL);
        whole += i + 2;
        assert_true(flm_profile_total(p, (struct flm_metric){0}) == whole);
        assert_true(at_stack(p, "shared") == i + 1);
        assert_true(sum.duration_s == 0.5 * (i + 1));
        assert_int_equal(sum.samples, 3 * (i + 1));
        flm_profile_free(p);
    }
    flm_live_window_clear(&w);
}

static void the_number_of_chunks_is_bounded(void **state)
{
    (void)state;
    struct flm_live_window w = {.most = MOST};
    for (unsigned i = 0; i < 200; i++) {
        assert_true(flm_live_window_take(&w, chunk(0), &info, NULL));
        assert_true(w.count <= MOST + FLM_LIVE_LEAVING);
    }
    assert_int_equal(w.older.profile->sizes.node_count, 4);
    flm_live_window_clear(&w);
}

static void a_long_window_has_no_more_chunks_and_moves_by_chunks(void **state)
{
    (void)state;
    static const unsigned windows[] = {FLM_LIVE_WHOLE, FLM_LIVE_WHOLE + 1, 40, 100};
    for (size_t k = 0; k < sizeof windows / sizeof windows[0]; k++) {
        struct flm_live_window w = {.most = windows[k]};
        unsigned each = (windows[k] + FLM_LIVE_WHOLE - 1) / FLM_LIVE_WHOLE;
        for (unsigned i = 0; i < 300; i++) {
            struct flm_live_info sum, whole;
            assert_true(flm_live_window_take(&w, chunk(0), &info, NULL));
            assert_true(w.count <= FLM_LIVE_CHUNKS);
            struct flm_profile *p = flm_live_window_sum(&w, false, &sum, NULL);
            struct flm_profile *all = flm_live_window_sum(&w, true, &whole, NULL);
            unsigned shown = (unsigned)(sum.duration_s / 0.5);
            assert_true(i + 1 < windows[k] ? shown == i + 1
                                           : shown >= windows[k] && shown < windows[k] + each);
            assert_true(at_stack(p, "shared") == shown);
            assert_true(at_stack(all, "shared") == i + 1);
            assert_true(whole.samples == 3 * (i + 1));
            flm_profile_free(p);
            flm_profile_free(all);
        }
        flm_live_window_clear(&w);
    }
}

/* A thousand stacks that nobody has seen before in each chunk. */
static struct flm_profile *new_stacks(unsigned i)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric m = flm_builder_metric(b, "samples", "samples");
    struct flm_node command =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "cc", 2));
    for (unsigned k = 0; k < 1000; k++) {
        char name[32];
        int size = snprintf(name, sizeof name, "caller %u", i * 1000 + k);
        struct flm_node node =
            flm_builder_child(b, command, flm_builder_function(b, name, (size_t)size));
        flm_builder_add(b, flm_builder_child(b, node, flm_builder_function(b, "leaf", 4)), m, 1);
    }
    return flm_builder_finish(b, NULL);
}

static void ever_new_stacks_do_not_make_it_grow(void **state)
{
    (void)state;
    struct flm_live_window w = {.most = MOST};
    for (unsigned i = 0; i < 600; i++) {
        assert_true(flm_live_window_take(&w, new_stacks(i), &info, NULL));
        if (w.older.profile)
            assert_true(w.older.profile->sizes.node_count <= FLM_LIVE_OLDER_STACKS);
    }
    struct flm_live_info sum;
    struct flm_profile *all = flm_live_window_sum(&w, true, &sum, NULL);
    assert_true(flm_profile_total(all, (struct flm_metric){0}) == 600000);
    assert_true(all->sizes.loss_count == 1 && all->losses[0].count > 0);
    flm_profile_free(all);
    flm_live_window_clear(&w);
}

static void a_window_may_be_one_chunk(void **state)
{
    (void)state;
    struct flm_live_window w = {.most = 1};
    for (unsigned i = 0; i < 3; i++) {
        struct flm_live_info sum;
        assert_true(flm_live_window_take(&w, chunk(i), &info, NULL));
        struct flm_profile *p = flm_live_window_sum(&w, false, &sum, NULL);
        struct flm_profile *same = chunk(i);
        assert_profiles_equal(p, same);
        flm_profile_free(same);
        flm_profile_free(p);
    }
    flm_live_window_clear(&w);
}

static bool work(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_live_window w = {.most = 2};
    bool good = true;
    for (unsigned i = 0; good && i < 5; i++) {
        struct flm_builder *b = flm_builder_new(why);
        struct flm_profile *p = NULL;
        if (b) {
            struct flm_metric m = flm_builder_metric(b, "samples", "samples");
            struct flm_frame frame = flm_builder_function(b, "main", 4);
            flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), m, 1);
            p = flm_builder_finish(b, why);
        }
        good = p && flm_live_window_take(&w, p, &info, why);
    }
    struct flm_live_info sum;
    struct flm_profile *p = good ? flm_live_window_sum(&w, true, &sum, why) : NULL;
    good = p;
    flm_profile_free(p);
    flm_live_window_clear(&w);
    return good;
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(work, NULL) > 20);
}

static struct flm_profile *with_metrics(const char *name, const char *unit, double value)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    struct flm_metric waiting = flm_builder_metric(b, "off-cpu", "ns");
    flm_builder_add(b, node, waiting, 5e9);
    flm_builder_add(b, node, flm_builder_metric(b, name, unit), value);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void busy_CPUs_are_counted_by_time_or_by_samples(void **state)
{
    (void)state;
    const struct flm_live_info two_seconds = {.duration_s = 2, .samples = 999};
    struct flm_profile *time = with_metrics("cpu-clock", "ns", 3e9);
    struct flm_profile *cycles = with_metrics("cycles", "count", 1e9);
    assert_true(flm_live_processors_busy(time, &two_seconds, 999) == 1.5); /* waiting is no work */
    assert_true(flm_live_processors_busy(cycles, &two_seconds, 999) == 0.5);
    assert_true(flm_live_processors_busy(cycles, &two_seconds, 0) < 0);
    const struct flm_live_info none = {.duration_s = 0};
    assert_true(flm_live_processors_busy(time, &none, 999) < 0);
    flm_profile_free(time);
    flm_profile_free(cycles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_is_the_sum_of_the_last_chunks),
        cmocka_unit_test(all_is_the_sum_of_all_chunks),
        cmocka_unit_test(the_number_of_chunks_is_bounded),
        cmocka_unit_test(a_long_window_has_no_more_chunks_and_moves_by_chunks),
        cmocka_unit_test(ever_new_stacks_do_not_make_it_grow),
        cmocka_unit_test(a_window_may_be_one_chunk),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(busy_CPUs_are_counted_by_time_or_by_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
