#include "format/core/stack_buffer.h"

#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static struct flm_profile *built(const struct flm_read_options *options, enum flm_stack_order order)
{
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    b->locations = flm_reading_locations(options);
    struct flm_stack_buffer s = {.builder = b, .options = options};
    struct flm_metric m = flm_builder_metric(b, "m", "bytes"), n = flm_builder_metric(b, "n", "");
    for (int i = 0; i < 2; i++) {
        flm_stack_begin(&s);
        flm_stack_thread(&s, flm_bytes_of("process"));
        flm_stack_thread(&s, flm_bytes_of("thread"));
        flm_stack_frame(&s, &(struct flm_stack_frame){.function = flm_bytes_of("a"),
                                                      .file = flm_bytes_of("a.c"),
                                                      .module = flm_bytes_of("lib"),
                                                      .line = (uint64_t)(7 + i)});
        flm_stack_frame(
            &s, &(struct flm_stack_frame){.function = flm_bytes_of("b"), .kind = FLM_KIND_KERNEL});
        flm_stack_label(&s, "key", flm_bytes_of("value"));
        flm_stack_label(&s, "none", flm_bytes_of(""));
        flm_stack_add(&s, order, 5, m, 1);
        flm_stack_add_more(&s, n, 10);
    }
    flm_stack_clear(&s);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_sound(p);
    assert_true(flm_profile_total(p, (struct flm_metric){1}) == 20);
    return p;
}

static void stacks_are_root_first_or_leaf_first(void **state)
{
    (void)state;
    struct flm_profile *p = built(&(struct flm_read_options){0}, FLM_ROOT_FIRST);
    assert_folded(p, "a;b_[k] 2\n");
    assert_int_equal(p->sizes.sample_count, 0);
    assert_true(is_string(p, frame_named(p, "a")->module, "lib"));
    assert_true(is_string(p, frame_named(p, "a")->file, "a.c"));
    assert_int_equal(frame_named(p, "a")->line, 0);
    flm_profile_free(p);
    p = built(&(struct flm_read_options){0}, FLM_LEAF_FIRST);
    assert_folded(p, "b_[k];a 2\n");
    flm_profile_free(p);
}

static void threads_are_frames_by_thread(void **state)
{
    (void)state;
    struct flm_profile *p = built(&(struct flm_read_options){.by_thread = true}, FLM_LEAF_FIRST);
    assert_folded(p, "process;thread;b_[k];a 2\n");
    assert_int_equal(frame_named(p, "thread")->kind, FLM_KIND_LABEL);
    flm_profile_free(p);
}

static void lines_make_frames_with_the_option(void **state)
{
    (void)state;
    struct flm_profile *p =
        built(&(struct flm_read_options){.locations = true, .lines = true}, FLM_ROOT_FIRST);
    assert_int_equal(p->sizes.frame_count, 4);
    flm_profile_free(p);
}

static void lines_are_locations_of_one_frame(void **state)
{
    (void)state;
    struct flm_profile *p = built(&(struct flm_read_options){.locations = true}, FLM_ROOT_FIRST);
    assert_int_equal(p->sizes.frame_count, 3);
    assert_int_equal(p->sizes.location_count, 2);
    flm_profile_free(p);
}

static void times_and_labels_are_kept_with_the_option(void **state)
{
    (void)state;
    struct flm_profile *p = built(&(struct flm_read_options){.keep_times = true}, FLM_ROOT_FIRST);
    assert_int_equal(p->sizes.sample_count, 2);
    assert_int_equal(p->sizes.label_count, 1);
    assert_true(p->sample_time[1] == 5);
    assert_true(unsampled(p) == 0);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_root_first_or_leaf_first),
        cmocka_unit_test(threads_are_frames_by_thread),
        cmocka_unit_test(lines_make_frames_with_the_option),
        cmocka_unit_test(lines_are_locations_of_one_frame),
        cmocka_unit_test(times_and_labels_are_kept_with_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
