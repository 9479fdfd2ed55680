/* pprof_write_test.c - what is written, and read again: by pprof and by OTLP, which share their
 * tables, and by callgrind, which shares their whole numbers. */
#include "format/pprof/pprof.h"
#include "format/pprof/small_profile.h"
#include "support/core/failures.h"
#include "support/profile/format_laws.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

/* main calls two functions without a name at lines 5 and 7 of x.c, the second one inlined into it,
 * and an address of which nothing is known. */
static struct flm_profile *unnamed(void)
{
    static const char *const strings[] = {"", "samples", "count", "x.c", "main", NULL};
    struct proto made = {0};
    proto_message(&made, 1, 2, NUMBERS(1, 2));
    proto_sample(&made, NUMBERS(1, 2, 0), 1, NUMBERS(7), NULL);
    proto_sample(&made, NUMBERS(3, 2, 0), 1, NUMBERS(2), NULL);
    proto_sample(&made, NUMBERS(4, 2, 0), 1, NUMBERS(1), NULL);
    proto_location(&made, 1, 0, 0x10, NUMBERS(1, 5, 0, 0));
    proto_location(&made, 2, 0, 0x20, NUMBERS(2, 9, 0, 0));
    proto_location(&made, 3, 0, 0x30, NUMBERS(1, 7, 2, 8));
    proto_location(&made, 4, 0, 0x40, NULL);
    proto_message(&made, 5, 4, NUMBERS(1, 0, 0, 3));
    proto_message(&made, 5, 4, NUMBERS(2, 4, 4, 3));
    proto_strings(&made, strings);
    struct flm_profile *p = read_bytes(&flm_format_pprof, proto_bytes(&made),
                                       &(struct flm_read_options){.lines = true});
    proto_clear(&made);
    return p;
}

/* The lines of frames without a name, as "FILE:LINE FILE:LINE", by their order in the profile. */
static void assert_unnamed_lines(const struct flm_profile *p, const char *expected)
{
    char text[200] = "";
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &p->frames[i];
        struct flm_bytes file = flm_string_bytes(p, f->file);
        if (f->flags & FLM_FRAME_UNSYMBOLIZED)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s:%u ", (int)file.size,
                     file.at, f->line);
    }
    assert_string_equal(text, expected);
}

static void functions_without_a_name_keep_their_lines(void **state)
{
    (void)state;
    static const struct flm_format *const formats[] = {&flm_format_pprof, &flm_format_otlp};
    struct flm_profile *p = unnamed();
    assert_sound(p);
    assert_unnamed_lines(p, "x.c:5 x.c:7 :0 ");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct flm_text out = {0};
        assert_true(formats[i]->write(p, &(struct flm_write_options){{0}}, &out, NULL));
        struct flm_profile *again = read_bytes(formats[i], (struct flm_bytes){out.at, out.size},
                                               &(struct flm_read_options){.lines = true});
        assert_sound(again);
        assert_unnamed_lines(again, "x.c:5 x.c:7 :0 ");
        flm_profile_free(again);
        flm_text_clear(&out);
    }
    flm_profile_free(p);
}

/* 1,001 samples of 1.4 ns and of 0.4 of a thing, in 7 stacks; each alone is 1 and 0. */
static struct flm_profile *fractions(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric time = flm_builder_metric(b, "time", "ms");
    struct flm_metric things = flm_builder_metric(b, "things", "things");
    for (int i = 0; i < 1001; i++) {
        struct flm_node node = flm_builder_child(b, flm_builder_root(b),
                                                 flm_builder_function(b, &"abcdefg"[i % 7], 1));
        flm_builder_sample(b, 10 * i, node, (struct flm_label_set){0}, time, 0.0000014);
        flm_builder_sample_add(b, things, 0.4);
    }
    return flm_builder_finish(b, NULL);
}

static void totals_of_fractions_are_the_nearest_whole_numbers(void **state)
{
    (void)state;
    static const struct flm_format *const formats[] = {&flm_format_pprof, &flm_format_otlp,
                                                       &flm_format_callgrind};
    struct flm_profile *p = fractions();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct flm_text out = {0};
        assert_true(formats[i]->write(p, &(struct flm_write_options){{0}}, &out, NULL));
        struct flm_profile *again = read_bytes(formats[i], (struct flm_bytes){out.at, out.size},
                                               &(struct flm_read_options){0});
        assert_metric(again, 0, "time", "ns", 1401, 7);
        assert_metric(again, 1, "things", "things", 400, 7);
        flm_profile_free(again);
        flm_text_clear(&out);
    }
    flm_profile_free(p);
}

/* ---- pprof alone ----------------------------------------------------------------------------- */

static const struct flm_format *const pprof = &flm_format_pprof;
static const struct flm_read_options keeping = {.keep_times = true};

/* The profile, written and read again. */
static struct flm_profile *again(const struct flm_profile *p)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    assert_true(flm_pprof_write(p, &(struct flm_write_options){{0}}, &out, &why));
    assert_false(out.failed);
    struct flm_profile *q = read_bytes(pprof, (struct flm_bytes){out.at, out.size}, &keeping);
    flm_text_clear(&out);
    return q;
}

static void what_is_written_is_read_as_the_same_profile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pprof_files / sizeof *pprof_files; i++) {
        struct flm_bytes all = file_bytes(pprof_files[i]);
        struct flm_profile *p = read_bytes(pprof, all, &keeping), *q = again(p), *r = again(q);
        assert_int_equal(p->sizes.node_count, q->sizes.node_count);
        assert_int_equal(p->sizes.metric_count, q->sizes.metric_count);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
            assert_true(flm_string_bytes(p, p->metrics[m].name).size ==
                        flm_string_bytes(q, q->metrics[m].name).size);
            assert_memory_equal(flm_self_column(p, m), flm_self_column(q, m),
                                p->sizes.node_count * sizeof(double));
        }
        char *before = folded_of(p), *after = folded_of(q);
        assert_string_equal(before, after);
        assert_int_equal(p->sizes.label_count, q->sizes.label_count);
        assert_int_equal(p->sizes.label_set_count, q->sizes.label_set_count);
        assert_profiles_equal(q, r);
        free(before);
        free(after);
        flm_profile_free(p);
        flm_profile_free(q);
        flm_profile_free(r);
        free((void *)all.at);
    }
}

static struct flm_profile *reread_values(const char *unit, double a, double b)
{
    struct flm_error why = {0};
    struct flm_builder *builder = flm_builder_new(&why);
    struct flm_metric metric = flm_builder_metric(builder, "m", unit);
    struct flm_node node = flm_builder_root(builder);
    node = flm_builder_child(builder, node, flm_builder_function(builder, "f", 1));
    flm_builder_add(builder, node, metric, a);
    node = flm_builder_child(builder, node, flm_builder_function(builder, "g", 1));
    flm_builder_add(builder, node, metric, b);
    struct flm_profile *p = flm_builder_finish(builder, &why);
    struct flm_text out = {0};
    assert_true(p && flm_pprof_write(p, &(struct flm_write_options){0}, &out, &why));
    struct flm_profile *again = read_bytes(pprof, (struct flm_bytes){out.at, out.size}, &keeping);
    flm_text_clear(&out);
    flm_profile_free(p);
    return again;
}

static void fractions_of_times_survive_in_nanoseconds(void **state)
{
    (void)state;
    struct flm_profile *p = reread_values("ms", 0.25, 1.5);
    assert_metric(p, 0, "m", "ns", 1750000, 2);
    assert_null(flm_profile_note_named(p, "comment").at);
    flm_profile_free(p);
    p = reread_values("us", 0.25, 2);
    assert_metric(p, 0, "m", "ns", 2250, 2);
    flm_profile_free(p);
    p = reread_values("ms", 3, 4); /* whole ones stay what they are */
    assert_metric(p, 0, "m", "ms", 7, 2);
    flm_profile_free(p);
    p = reread_values("bytes", 1.75, 4); /* others are rounded, which is said */
    assert_metric(p, 0, "m", "bytes", 6, 2);
    assert_note(p, "comment", "flamel: values rounded to whole numbers: 1");
    flm_profile_free(p);
}

static void inlining_labels_times_and_facts_survive(void **state)
{
    (void)state;
    static const uint64_t labels[][4] = {
        {ID, 0, 42, BYTES}, {THREAD, WORKER, 0, 0}, {TIME, 0, 12, 0}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        struct proto made = small_profile(false, labels[i]);
        struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping), *q = again(p);
        assert_sound(q);
        char *before = described(p), *after = described(q);
        if (i == 2) /* samples with times are not added up */
            assert_string_equal(before, after);
        free(before);
        free(after);
        assert_folded(q, "main;parse_[i] 100\nmain;parse_[i];0x3000 500\n");
        assert_note(q, "mapped /opt/app", "1000-9000@1000 id=c0ffee");
        assert_note(q, "comment", "made by hand");
        assert_note(q, "period", "100 ns");
        assert_int_equal(q->sizes.label_count, p->sizes.label_count);
        flm_profile_free(p);
        flm_profile_free(q);
        proto_clear(&made);
    }
}

/* Of another format: values that are no whole numbers, names without files, no samples. */
static void profiles_of_other_formats_are_written_too(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a_[k] 1.4\nmain;b_[i] 2.6\nx -3\n"), *q = again(p);
    assert_folded(q, "main;a 1\nmain;b_[i] 3\nx -3\n");
    flm_profile_free(p);
    flm_profile_free(q);
    struct flm_builder *b = flm_builder_new(NULL);
    p = flm_builder_finish(b, NULL); /* empty: without metrics */
    q = again(p);
    assert_int_equal(q->sizes.node_count, 1);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void every_allocation_of_writing_may_fail(void **state)
{
    (void)state;
    struct proto made = small_profile(false, NUMBERS(ID, 0, 42, BYTES));
    struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
    assert_true(assert_writing_survives_failures(pprof, p) > 15);
    flm_profile_free(p);
    proto_clear(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_without_a_name_keep_their_lines),
        cmocka_unit_test(totals_of_fractions_are_the_nearest_whole_numbers),
        cmocka_unit_test(what_is_written_is_read_as_the_same_profile),
        cmocka_unit_test(fractions_of_times_survive_in_nanoseconds),
        cmocka_unit_test(inlining_labels_times_and_facts_survive),
        cmocka_unit_test(profiles_of_other_formats_are_written_too),
        cmocka_unit_test(every_allocation_of_writing_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
