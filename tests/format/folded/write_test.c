#include "format/folded/folded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* A metric as text, terminated; the caller frees it. */
static char *written(const struct flm_profile *p, uint32_t metric, bool annotate)
{
    struct flm_error why = {0};
    struct flm_text text = {0};
    struct flm_write_options options = {.metric = {metric}, .annotate = annotate};
    if (!flm_folded_write(p, &options, &text, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}

static void assert_written(struct flm_profile *p, bool annotate, const char *expected)
{
    char *text = written(p, 0, annotate);
    assert_string_equal(text, expected);
    free(text);
    flm_profile_free(p);
}

static void lines_are_in_the_order_of_their_bytes(void **state)
{
    (void)state;
    assert_written(profile_of("run;read 2\nrun 5\nrun(int) 3\nrun 5;x 1\nrun\"y 4\nru;n 1\n"),
                   false, "ru;n 1\nrun 5\nrun 5;x 1\nrun\"y 4\nrun(int) 3\nrun;read 2\n");
    assert_written(profile_of("a 10\na 2;b 1\na 10;b 1\n"), false, "a 10\na 10;b 1\na 2;b 1\n");
    assert_written(profile_of(" 7\nb 1\n"), false, " 7\nb 1\n");
    assert_written(profile_of(""), false, "");
}

static void only_values_of_the_metric_are_written(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 1 0\na;b 0 2\nc;d 3 3\n");
    char *text = written(p, 0, false);
    assert_string_equal(text, "a;b 2\nc;d 3\n");
    free(text);
    text = written(p, 1, false);
    assert_string_equal(text, "a 1\nc;d 3\n");
    free(text);
    flm_profile_free(p);
    struct flm_builder *b = flm_builder_new(NULL);
    p = flm_builder_finish(b, NULL); /* no metric at all */
    assert_written(p, false, "");
}

static void numbers_are_written_without_loss(void **state)
{
    (void)state;
    assert_written(profile_of("a 0.1\nb 1e-9\nc 9007199250000000\nd -3\ne 1234567.25\n"), false,
                   "a 0.1\nb 1e-9\nc 9007199250000000\nd -3\ne 1234567.25\n");
}

static void kinds_are_marked_with_the_option(void **state)
{
    (void)state;
    const char *marked = "a;b_[k];c_[j] 1\na_[i] 2\n";
    assert_written(profile_of(marked), true, marked);
    assert_written(profile_of(marked), false, "a 2\na;b;c 1\n");
}

/* Frames that differ only in parts that the format lacks would be two lines of one name. */
static void no_stack_is_written_twice(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b 1\na_[k];b 2\na_[k];b_[j] 4\na;c 8\nc;a 1\n");
    char *text = written(p, 0, false);
    assert_string_equal(text, "a;b 7\na;c 8\nc;a 1\n");
    free(text);
    flm_profile_free(p);
}

static void a_stack_without_a_name_is_the_empty_stack(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node nameless =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "", 0));
    flm_builder_add(b, flm_builder_root(b), cpu, 1);
    flm_builder_add(b, nameless, cpu, 2);
    flm_builder_add(b, flm_builder_child(b, nameless, flm_builder_function(b, "x", 1)), cpu, 4);
    flm_builder_add(b, flm_builder_child(b, nameless, flm_builder_function(b, "", 0)), cpu, 8);
    assert_written(flm_builder_finish(b, NULL), false, " 3\n; 8\n;x 4\n");
    assert_written(profile_of("_[k] 3\n 4\na 1\n"), false, " 7\na 1\n");
    assert_written(profile_of("_[k] 3\n 4\na 1\n"), true, " 4\n_[k] 3\na 1\n");
    assert_written(profile_of("_[k] 3\n -3\na 1\n"), false, "a 1\n");
}

static struct flm_profile *named(const char *name, size_t size)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, size));
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 1);
    return flm_builder_finish(b, NULL);
}

static void names_cannot_break_lines_or_stacks(void **state)
{
    (void)state;
    assert_written(named("a;b", 3), false, "a:b 1\n");
    assert_written(named("a\nb\r", 4), false, "a b  1\n");
    struct flm_profile *p = named("a\0b", 3);
    struct flm_text text = {0};
    assert_true(flm_folded_write(p, &(struct flm_write_options){0}, &text, NULL));
    assert_int_equal(text.size, 6);
    assert_memory_equal(text.at, "a\0b 1\n", 6);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void names_that_become_equal_are_one(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const char *const names[] = {"a;b", "a:b", "a\nb", "a b", "a\rb"};
    for (int i = 0; i < 5; i++)
        flm_builder_add(
            b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, names[i], 3)), cpu,
            1 << i);
    assert_written(flm_builder_finish(b, NULL), false, "a b 28\na:b 3\n");
}

static int compare_lines(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static void random_profiles_are_sorted_and_read_back(void **state)
{
    (void)state;
    uint64_t random = 111;
    struct random_shape shape = random_full;
    shape.samples = RANDOM_SAMPLES_NONE;
    for (int round = 0; round < 100; round++) {
        shape.stacks = random_below(&random, 300);
        shape.names = 1 + random_below(&random, 30);
        shape.negative = round % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        char *text = written(p, round % 3, true);

        char *lines[400], *copy = strdup(text);
        size_t count = 0;
        for (char *at = copy; *at; count++) {
            lines[count] = at;
            at = strchr(at, '\n');
            *at++ = 0;
        }
        for (size_t i = 1; i < count; i++)
            if (compare_lines(&lines[i - 1], &lines[i]) >= 0)
                fail_msg("'%s' stands before '%s'", lines[i - 1], lines[i]);
        free(copy);

        struct flm_profile *q = profile_of(text);
        assert_true(flm_profile_total(q, (struct flm_metric){0}) ==
                    flm_profile_total(p, (struct flm_metric){(uint32_t)round % 3}));
        char *again = written(q, 0, true);
        assert_string_equal(text, again);
        free(again);
        free(text);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static void read_and_written(const char *path, void *context)
{
    (void)context;
    struct flm_text file = read_file(path);
    flm_text_putc(&file, 0);
    struct flm_profile *p = profile_of(file.at);
    char *text = written(p, 0, true);
    struct flm_profile *q = profile_of(text);
    char *again = written(q, 0, true);
    assert_string_equal(text, again);
    /* Lost stacks are only in the first. */
    if (p->sizes.loss_count == 0)
        assert_profiles_equal(p, q);
    free(text);
    free(again);
    flm_text_clear(&file);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void reading_and_writing_keep_the_text(void **state)
{
    (void)state;
    assert_true(each_file("tests/data/folded", "perf-node.folded", read_and_written, NULL) > 0);
    assert_true(each_file("tests/data/folded", "good.folded", read_and_written, NULL) > 0);
}

static void differences_have_two_columns(void **state)
{
    (void)state;
    const char *text = "a 1 0\na;b 0 2\nc;d 3 3\n";
    struct flm_profile *p = profile_of_two(text);
    struct flm_text out = {0};
    assert_true(flm_folded_write_difference(p, &(struct flm_write_options){0}, &out, NULL));
    assert_true(flm_bytes_are((struct flm_bytes){out.at, out.size}, text));
    flm_text_clear(&out);
    flm_profile_free(p);

    struct flm_error why = {0};
    p = profile_of("a 1\n");
    assert_false(flm_folded_write_difference(p, &(struct flm_write_options){0}, &out, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "'before' and 'after'"));
    flm_profile_free(p);
}

static void a_chain_of_100000_frames_is_written(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node = flm_builder_root(b);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 100000; i++) {
        node = flm_builder_child(b, node, flm_builder_function(b, "f", 1));
        if (i % 25000 == 0)
            flm_builder_add(b, node, cpu, 1);
    }
    flm_builder_add(b, node, cpu, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    char *text = written(p, 0, false);
    struct flm_profile *q = profile_of(text);
    assert_int_equal(q->sizes.node_count, 100001);
    free(text);
    flm_profile_free(p);
    flm_profile_free(q);
}

/* A sink that is full after some bytes. */
static bool take(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    size_t *left = context;
    if (size > *left)
        return false;
    *left -= size;
    return true;
}

static void a_full_disk_stops_the_writer(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 100000; i++) {
        char name[16];
        flm_builder_add(
            b,
            flm_builder_child(b, flm_builder_root(b),
                              flm_builder_function(b, name, (size_t)sprintf(name, "f%d", i))),
            cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    size_t left = 100000;
    struct flm_text text;
    flm_text_init(&text, take, &left);
    flm_folded_write(p, &(struct flm_write_options){0}, &text, NULL);
    assert_false(flm_text_flush(&text));
    assert_true(text.handed_on < 200000);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static bool write_both(void *context, struct flm_error *why)
{
    struct flm_text text = {0};
    struct flm_write_options options = {.metric = {0}};
    bool good = flm_folded_write(context, &options, &text, why);
    good = good && (!text.failed || flm_error_memory(why));
    flm_text_clear(&text);
    return good;
}

static void writing_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 112;
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_true(assert_survives_failures(write_both, p) > 20);
    flm_profile_free(p);
}

/* A sample of pprof has a value in every metric: 0 was measured. Elsewhere it is of one event. */
static void a_stack_has_a_line_with_0_where_a_sample_has_all_metrics(void **state)
{
    (void)state;
    for (int together = 0; together < 2; together++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric objects = flm_builder_metric(b, "alloc_objects", "count");
        struct flm_metric bytes = flm_builder_metric(b, "inuse_space", "bytes");
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
        flm_builder_add(b, node, bytes, 512);
        node = flm_builder_child(b, node, flm_builder_function(b, "make", 4));
        flm_builder_add(b, node, objects, 3);
        if (together)
            flm_builder_note(b, FLM_NOTE_SAMPLE_VALUES, "all metrics", 11);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        char *text = written(p, 0, false);
        assert_string_equal(text, together ? "main 0\nmain;make 3\n" : "main;make 3\n");
        free(text);
        text = written(p, 1, false);
        assert_string_equal(text, together ? "main 512\nmain;make 0\n" : "main 512\n");
        free(text);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_in_the_order_of_their_bytes),
        cmocka_unit_test(a_stack_has_a_line_with_0_where_a_sample_has_all_metrics),
        cmocka_unit_test(only_values_of_the_metric_are_written),
        cmocka_unit_test(numbers_are_written_without_loss),
        cmocka_unit_test(kinds_are_marked_with_the_option),
        cmocka_unit_test(no_stack_is_written_twice),
        cmocka_unit_test(a_stack_without_a_name_is_the_empty_stack),
        cmocka_unit_test(names_cannot_break_lines_or_stacks),
        cmocka_unit_test(names_that_become_equal_are_one),
        cmocka_unit_test(random_profiles_are_sorted_and_read_back),
        cmocka_unit_test(reading_and_writing_keep_the_text),
        cmocka_unit_test(differences_have_two_columns),
        cmocka_unit_test(a_chain_of_100000_frames_is_written),
        cmocka_unit_test(a_full_disk_stops_the_writer),
        cmocka_unit_test(writing_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
