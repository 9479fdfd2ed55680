/* losses_test.c - what a format cannot hold of a profile is what is missing after reading it
 * again. */
#include "flamel/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "load/all_formats.h"
#include "support/profile/profiles.h"

/* One of everything that a profile can have. */
static struct flm_profile *full(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    struct flm_frame_record record = {.function = flm_builder_string(b, "main", 4).index,
                                      .module = flm_builder_string(b, "app", 3).index,
                                      .file = flm_builder_string(b, "app.c", 5).index,
                                      .kind = FLM_KIND_KERNEL};
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
    struct flm_string label[] = {flm_builder_string(b, "thread", 6), flm_builder_string(b, "7", 1)};
    struct flm_label_set set = flm_builder_label_set(b, label, 1);
    flm_builder_sample(b, 100, node, set, cpu, 5);
    flm_builder_sample_add(b, bytes, 64);
    flm_builder_sample(b, 200, node, (struct flm_label_set){0}, cpu, 6);
    flm_builder_add(b, flm_builder_root(b), cpu, 7);
    flm_builder_marker(b, 150, 0, flm_builder_string(b, "gc", 2), (struct flm_string){0}, set);
    struct flm_counter counter = flm_builder_counter(b, flm_builder_string(b, "heap", 4),
                                                     flm_builder_string(b, "bytes", 5), set);
    flm_builder_counter_point(b, counter, 100, 1);
    return flm_builder_finish(b, NULL);
}

static const char *losses_of(const struct flm_profile *p, const char *format, bool annotate)
{
    static char losses[FLM_SAVE_LOSSES_SIZE];
    struct flm_save_options options = {
        .size = sizeof options, .format = format, .annotate = annotate};
    size_t size = flm_save_losses(p, "-", &options, losses);
    assert_int_equal(size, strlen(losses));
    return losses;
}

static void every_part_that_is_not_held_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = full();
    assert_string_equal(losses_of(p, "flm", false), "");
    assert_string_equal(losses_of(p, "svg", false), ""); /* a picture is for people */
    assert_string_equal(losses_of(p, "none", false), "");
    assert_string_equal(losses_of(p, "folded", false),
                        "1 other metric (alloc), times of 2 samples, labels of 1 sample, 1 marker, "
                        "1 counter, modules of 1 frame, files of 1 frame, kinds of 1 frame");
    assert_string_equal(losses_of(p, "folded", true),
                        "1 other metric (alloc), times of 2 samples, labels of 1 sample, 1 marker, "
                        "1 counter, modules of 1 frame, files of 1 frame");
    flm_profile_free(p);
    p = profile_of("main 1\n 1234\n");
    assert_string_equal(losses_of(p, "folded", false), "");
    assert_string_equal(losses_of(p, "speedscope", false), "1,234 samples without a stack");
    assert_string_equal(losses_of(p, "pprof", false), "");
    flm_profile_free(p);
    p = profile_of("main 1.5\nmain;a 2\nmain;b 0.25\n"); /* pprof has whole numbers */
    assert_string_equal(losses_of(p, "pprof", false), "fractions of 2 values");
    assert_string_equal(losses_of(p, "folded", false), "");
    flm_profile_free(p);
}

/* A trace has calls that last: of bytes, there is only that they were allocated. */
static void values_that_become_times_are_told(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_sample(b, 100, node, (struct flm_label_set){0}, bytes, 64);
    flm_builder_sample(b, 200, node, (struct flm_label_set){0}, bytes, 32);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_string_equal(losses_of(p, "trace", false), "values of 2 samples");
    flm_profile_free(p);
}

struct parts {
    uint32_t metrics, samples, markers, counters, modules, files, kinds;
    bool has_time, has_labels;
};

static struct parts parts_of(const struct flm_profile *p)
{
    struct parts parts = {.metrics = p->sizes.metric_count,
                          .samples = p->sizes.sample_count,
                          .markers = p->sizes.marker_count,
                          .counters = p->sizes.counter_count};
    for (uint32_t i = 0; i < parts.samples; i++) {
        parts.has_time |= p->sample_time[i] != FLM_NO_TIME;
        parts.has_labels |= p->sample_labels[i] != 0;
    }
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        parts.modules += p->frames[i].module != 0;
        parts.files += p->frames[i].file != 0;
        parts.kinds += p->frames[i].kind == FLM_KIND_KERNEL;
    }
    return parts;
}

/* A format that claims to hold a part still has it when its file is read. */
static void what_a_format_claims_to_hold_is_there_when_it_is_read_again(void **state)
{
    (void)state;
    struct flm_profile *p = full();
    const struct flm_format *f;
    size_t tried = 0;
    for (size_t i = 0; (f = flm_formats_at(&flm_formats_all, i)) != NULL; i++) {
        if (!flm_format_can_be_read(f) || !flm_format_can_be_written(f, NULL))
            continue;
        struct flm_error why = {0};
        struct flm_save_options options = {
            .size = sizeof options, .format = f->name, .annotate = true};
        size_t size;
        void *bytes = flm_save_memory(p, &size, &options, &why);
        struct flm_load_options load = {.size = sizeof load, .format = f->name};
        struct flm_profile *again = bytes ? flm_load_memory(bytes, size, &load, &why) : NULL;
        if (!again)
            fail_msg("%s: %s", f->name, why.text);
        struct parts parts = parts_of(again);
        const struct {
            const char *what;
            bool claimed, there;
        } all[] = {
            {"metrics", f->metrics == FLM_METRICS_ALL, parts.metrics >= 2},
            {"times", f->has_times, parts.has_time},
            {"labels", f->keeps_labels, parts.has_labels},
            {"markers", f->holds & FLM_HOLDS_MARKERS, parts.markers > 0},
            {"counters", f->holds & FLM_HOLDS_COUNTERS, parts.counters > 0},
            {"modules", f->holds & FLM_HOLDS_MODULES, parts.modules > 0},
            {"files", f->holds & FLM_HOLDS_FILES, parts.files > 0},
            /* Of pprof's the reader leaves it out, and counts it. */
            {"the empty stack", f->holds & FLM_HOLDS_EMPTY_STACK,
             flm_self_column(again, 0)[0] == 7 || flm_profile_loss_count(again) > 0},
            {"kinds",
             f->holds & (FLM_HOLDS_KINDS | FLM_HOLDS_KINDS_ANNOTATED | FLM_HOLDS_KERNEL_INLINED),
             parts.kinds > 0},
        };
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (all[k].claimed && !all[k].there)
                fail_msg("%s does not hold %s", f->name, all[k].what);
        tried++;
        flm_profile_free(again);
        free(bytes);
    }
    assert_true(tried >= 4);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_that_is_not_held_is_told),
        cmocka_unit_test(values_that_become_times_are_told),
        cmocka_unit_test(what_a_format_claims_to_hold_is_there_when_it_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
