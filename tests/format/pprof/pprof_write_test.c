/* pprof_write_test.c - what is written, and read again: by pprof and by OTLP, which share their
 * tables, and by callgrind, which shares their whole numbers. */
#include "format/pprof/proto.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_without_a_name_keep_their_lines),
        cmocka_unit_test(totals_of_fractions_are_the_nearest_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
