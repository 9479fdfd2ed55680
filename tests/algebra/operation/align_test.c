#include "algebra/operation/algebra.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile/internal.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_profile *align(struct flm_profile **p, size_t count, enum flm_align_mode mode,
                                 const char *const *names)
{
    struct flm_error why = {0};
    struct flm_profile *result =
        flm_align((const struct flm_profile *const *)p, count, mode, names, &why);
    if (!result)
        fail_msg("%s", why.text);
    assert_sound(result);
    return result;
}

static void free_all(struct flm_profile **p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        flm_profile_free(p[i]);
}

static void values_of_equal_stacks_are_added(void **state)
{
    (void)state;
    struct flm_profile *p[] = {profile_of("main 1\nmain;read 2\nidle 4\n"),
                               profile_of("main;read 8\nmain;write 16\n"), profile_of("")};
    struct flm_profile *sum = align(p, 3, FLM_ALIGN_ADD, NULL);
    assert_folded(sum, "idle 4\nmain 1\nmain;read 10\nmain;write 16\n");
    free_all(p, 3);
    flm_profile_free(sum);
}

static void no_profiles_and_one_profile_are_aligned_too(void **state)
{
    (void)state;
    static const char *const names[] = {"only"};
    struct flm_profile *nothing = align(NULL, 0, FLM_ALIGN_ADD, NULL);
    assert_int_equal(nothing->sizes.node_count, 1);
    flm_profile_free(nothing);
    uint64_t random = 70;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_profile *same = align(&p, 1, FLM_ALIGN_ADD, NULL);
    assert_profiles_equal(p, same);
    struct flm_profile *named = align(&p, 1, FLM_ALIGN_SIDE_BY_SIDE, names);
    assert_int_equal(flm_profile_metric_named(named, "only:m1").index, 1);
    assert_int_equal(named->sizes.sample_count, 0);
    flm_profile_free(p);
    flm_profile_free(same);
    flm_profile_free(named);
}

/* Puts the values of one profile into a model of all, in columns from `column` on. */
static void add_model(struct model *all, const struct flm_profile *p, uint32_t column)
{
    struct model m = model_of(p);
    all->stacks = realloc(all->stacks, (all->count + m.count + 1) * sizeof *all->stacks);
    assert_non_null(all->stacks);
    for (size_t i = 0; i < m.count; i++) {
        struct model_stack stack = m.stacks[i];
        memset(stack.value, 0, sizeof stack.value);
        for (uint32_t k = 0; k < p->sizes.metric_count; k++)
            stack.value[column + k] = m.stacks[i].value[k];
        all->stacks[all->count++] = stack;
    }
    free(m.stacks);
}

static bool no_change(struct model_stack *stack, void *context)
{
    (void)stack, (void)context;
    return true;
}

static void any_number_of_profiles_agrees_with_a_plain_list(void **state)
{
    (void)state;
    uint64_t random = 71;
    for (int round = 0; round < 80; round++) {
        struct flm_profile *p[40];
        char texts[40][8];
        const char *names[40];
        bool side_by_side = round % 2;
        size_t count = side_by_side ? 1 + random_below(&random, 4) : random_below(&random, 40);
        struct random_shape shape = random_full;
        shape.metrics = 2;
        shape.negative = round % 3 == 0;
        struct model expected = {0};
        for (size_t i = 0; i < count; i++) {
            shape.stacks = random_below(&random, 30);
            shape.names = 1 + random_below(&random, 30);
            p[i] = random_profile(&random, &shape);
            sprintf(texts[i], "p%zu", i);
            names[i] = texts[i];
            add_model(&expected, p[i], side_by_side ? 2 * (uint32_t)i : 0);
        }
        model_apply(&expected, no_change, NULL);
        struct flm_profile *all =
            align(p, count, side_by_side ? FLM_ALIGN_SIDE_BY_SIDE : FLM_ALIGN_ADD, names);
        struct model got = model_of(all);
        assert_models_equal(&got, &expected);
        flm_profile_free(all);
        free_all(p, count);
    }
}

static void samples_and_losses_are_added_and_notes_must_agree(void **state)
{
    (void)state;
    struct flm_profile *p[3];
    for (int i = 0; i < 3; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
        struct flm_string label[] = {flm_builder_string(b, "thread", 6),
                                     flm_builder_string(b, i ? "b" : "a", 1)};
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
        flm_builder_sample(b, 10 - i, node, flm_builder_label_set(b, label, 1), cpu, 1 + i);
        flm_builder_note(b, "host", "same", 4);
        flm_builder_note(b, "command", i == 2 ? "b" : "a", 1);
        if (i == 1)
            flm_builder_note(b, "only here", "x", 1);
        flm_builder_lost(b, "lines", "line", 100 + (uint64_t)i, 1 + i);
        p[i] = flm_builder_finish(b, NULL);
    }
    struct flm_profile *all = align(p, 3, FLM_ALIGN_ADD, NULL);
    char *text = described(all);
    assert_string_equal(text, "metric \"cpu\" in \"ns\"\n"
                              "note \"host\" is \"same\"\n"
                              "note \"only here\" is \"x\"\n"
                              "lost 6 \"lines\" at \"line 100\"\n"
                              "node 0 \"\" plain flags 2 0\n"
                              "node 1   \"f\" plain 6\n"
                              "sample at 8 ns of node 1: 3 \"thread\"=\"b\"\n"
                              "sample at 9 ns of node 1: 2 \"thread\"=\"b\"\n"
                              "sample at 10 ns of node 1: 1 \"thread\"=\"a\"\n"
                              "13 strings, 2 frames, 2 labels, 3 label sets\n");
    free(text);
    flm_profile_free(all);
    free_all(p, 3);
}

static struct flm_profile *with_metric(const char *name, const char *unit)
{
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1)),
                    flm_builder_metric(b, name, unit), 3);
    return flm_builder_finish(b, NULL);
}

static void refuse(struct flm_profile **p, size_t count, enum flm_align_mode mode,
                   const char *const *names, enum flm_error_kind kind, const char *words)
{
    struct flm_error why = {0};
    assert_null(flm_align((const struct flm_profile *const *)p, count, mode, names, &why));
    assert_int_equal(why.kind, kind);
    if (!strstr(why.text, words))
        fail_msg("it says '%s'", why.text);
}

static void different_units_are_never_added(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "x"};
    struct flm_profile *p[] = {with_metric("cpu", "ns"), with_metric("cpu", "samples"),
                               with_metric("mem", "bytes")};
    refuse(p, 2, FLM_ALIGN_ADD, NULL, FLM_ERROR_UNIT,
           "'cpu' is in 'ns' in one profile and in 'samples' in another");
    refuse(p, 2, FLM_ALIGN_SIDE_BY_SIDE, names, FLM_ERROR_UNIT, "'x' is in 'ns'");
    /* Different names are different columns. */
    struct flm_profile *all = align(p + 1, 2, FLM_ALIGN_ADD, NULL);
    assert_int_equal(all->sizes.metric_count, 2);
    flm_profile_free(all);
    free_all(p, 3);
}

static struct flm_profile *noted(const char *recorded, const char *host)
{
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_note(b, "recorded", recorded, strlen(recorded));
    flm_builder_note(b, "host", host, strlen(host));
    flm_builder_add(b, flm_builder_root(b), flm_builder_metric(b, "cpu", "ns"), 1);
    return flm_builder_finish(b, NULL);
}

static bool note_is(const struct flm_profile *p, const char *key, const char *value)
{
    struct flm_name note = flm_profile_note_named(p, key);
    return flm_bytes_are((struct flm_bytes){note.at, note.size}, value);
}

static void side_by_side_each_keeps_what_only_it_says(void **state)
{
    (void)state;
    static const char *const names[] = {"before", "after", "later"};
    struct flm_profile *p[] = {noted("monday", "one"), noted("tuesday", "one"),
                               noted("friday", "one")};
    struct flm_profile *two = align(p, 2, FLM_ALIGN_SIDE_BY_SIDE, names);
    assert_true(note_is(two, "before:recorded", "monday"));
    assert_true(note_is(two, "after:recorded", "tuesday"));
    assert_true(note_is(two, "host", "one"));
    assert_int_equal(two->sizes.note_count, 3);
    struct flm_profile *three = align(p, 3, FLM_ALIGN_SIDE_BY_SIDE, names);
    assert_int_equal(three->sizes.note_count, 1);
    free_all(p, 3);
    flm_profile_free(two);
    flm_profile_free(three);
}

static void what_is_added_up_began_with_the_first(void **state)
{
    (void)state;
    struct flm_profile *p[] = {noted("2026-11-20T17:58:21Z", "one"),
                               noted("2026-11-20T17:58:20.5Z", "two"),
                               noted("2026-11-20T17:59:00Z", "one")};
    struct flm_profile *sum = align(p, 3, FLM_ALIGN_ADD, NULL);
    assert_true(note_is(sum, "recorded", "2026-11-20T17:58:20.5Z"));
    assert_int_equal(sum->sizes.note_count, 1);
    free_all(p, 3);
    flm_profile_free(sum);
}

static void columns_side_by_side_need_names_of_their_own(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "y", "x"};
    struct flm_profile *p[] = {with_metric("cpu", "ns"), with_metric("mem", "bytes"),
                               with_metric("wall", "ns")};
    refuse(p, 3, FLM_ALIGN_SIDE_BY_SIDE, names, FLM_ERROR_USAGE, "two profiles are called 'x'");
    free_all(p, 3);
}

static void sums_that_may_not_be_finite_are_refused(void **state)
{
    (void)state;
    struct flm_profile *p[] = {profile_of("a 9e300\n"), profile_of("b 9e300\n")};
    refuse(p, 2, FLM_ALIGN_ADD, NULL, FLM_ERROR_RANGE, "2^1000");
    free_all(p, 2);
}

static void rounded_sums_are_noted_and_notes_are_added_up(void **state)
{
    (void)state;
    struct flm_profile *p[] = {profile_of("a 9007199254740993\nb 9007199254740992\n"),
                               profile_of("b 1\n"), profile_of("b 1\nc 18446744073709551617\n")};
    struct flm_profile *two = align(p, 2, FLM_ALIGN_ADD, NULL);
    assert_folded(two, "a 9007199254740992\nb 9007199254740992\n");
    assert_rounded(two, "2");
    struct flm_profile *three = align(p, 3, FLM_ALIGN_ADD, NULL);
    assert_folded(three, "a 9007199254740992\nb 9007199254740994\nc 18446744073709551616\n");
    assert_rounded(three, "2");
    static const char *const names[] = {"x", "y", "z"};
    struct flm_profile *beside = align(p, 3, FLM_ALIGN_SIDE_BY_SIDE, names);
    assert_rounded(beside, "2");
    flm_profile_free(two);
    flm_profile_free(three);
    flm_profile_free(beside);
    free_all(p, 3);
}

static struct flm_profile *random_large(uint64_t *random)
{
    struct flm_text text = {0};
    for (unsigned i = random_below(random, 30); i-- > 0;)
        flm_text_format(&text, "m;f%u;g%u %llu\n", random_below(random, 4), random_below(random, 4),
                        (unsigned long long)(random_next(random) >> random_below(random, 40)));
    flm_text_putc(&text, 0);
    struct flm_profile *p = profile_of(text.at);
    flm_text_clear(&text);
    return p;
}

static void the_order_of_profiles_does_not_matter_beyond_2_53(void **state)
{
    (void)state;
    uint64_t random = 91;
    for (int round = 0; round < 100; round++) {
        enum { COUNT = 5 };
        struct flm_profile *p[COUNT];
        for (int i = 0; i < COUNT; i++)
            p[i] = random_large(&random);
        struct flm_profile *sum = align(p, COUNT, FLM_ALIGN_ADD, NULL);
        for (int again = 0; again < 4; again++) {
            unsigned a = random_below(&random, COUNT), b = random_below(&random, COUNT);
            struct flm_profile *swap = p[a];
            p[a] = p[b];
            p[b] = swap;
            struct flm_profile *other = align(p, COUNT, FLM_ALIGN_ADD, NULL);
            assert_profiles_equal(sum, other);
            flm_profile_free(other);
        }
        flm_profile_free(sum);
        free_all(p, COUNT);
    }
}

static void more_columns_than_a_file_may_have_are_refused(void **state)
{
    (void)state;
    enum { COUNT = 4097 };
    struct flm_profile *p[COUNT], *one = with_metric("cpu", "ns");
    static char texts[COUNT][8];
    const char *names[COUNT];
    for (int i = 0; i < COUNT; i++) {
        p[i] = one;
        sprintf(texts[i], "p%d", i);
        names[i] = texts[i];
    }
    refuse(p, COUNT, FLM_ALIGN_SIDE_BY_SIDE, names, FLM_ERROR_RANGE, "4096 metrics");
    struct flm_profile *all = align(p, COUNT - 1, FLM_ALIGN_SIDE_BY_SIDE, names);
    assert_int_equal(all->sizes.metric_count, COUNT - 1);
    flm_profile_free(all);
    flm_profile_free(one);
}

static void what_cancels_leaves_no_node(void **state)
{
    (void)state;
    struct flm_profile *p[] = {profile_of("main;a 3\nmain;b 2\nmain;c;d 1\n"),
                               profile_of("main;a -3\nmain;b 1\nmain;c;d -1\n")};
    struct flm_profile *all = align(p, 2, FLM_ALIGN_ADD, NULL);
    assert_folded(all, "main;b 3\n");
    assert_int_equal(all->sizes.node_count, 3);
    assert_int_equal(all->sizes.frame_count, 3);
    flm_profile_free(all);
    free_all(p, 2);
}

static void stacks_that_only_samples_kept_go_with_them(void **state)
{
    (void)state;
    static const char *const names[] = {"x"};
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_sample(b, 1,
                       flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1)),
                       (struct flm_label_set){0}, flm_builder_metric(b, "cpu", "ns"), 0);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_profile *all = align(&p, 1, FLM_ALIGN_SIDE_BY_SIDE, names);
    assert_int_equal(all->sizes.node_count, 1);
    flm_profile_free(all);
    all = align(&p, 1, FLM_ALIGN_ADD, NULL);
    assert_profiles_equal(all, p);
    flm_profile_free(all);
    flm_profile_free(p);
}

static void broad_and_deep_trees_are_aligned(void **state)
{
    (void)state;
    struct flm_profile *p[3];
    for (int i = 0; i < 3; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
        struct flm_node deep = flm_builder_root(b);
        for (int k = 0; k < 100000; k++) {
            char name[16];
            int size = sprintf(name, "%d", k * (i + 1));
            struct flm_frame frame = flm_builder_function(b, name, (size_t)size);
            flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), cpu, 1);
            deep = flm_builder_child(b, deep, flm_builder_function(b, k % 50 ? "x" : "y", 1));
        }
        flm_builder_add(b, deep, cpu, 5);
        p[i] = flm_builder_finish(b, NULL);
        assert_non_null(p[i]);
    }
    struct flm_profile *all = align(p, 3, FLM_ALIGN_ADD, NULL);
    /* Numbers 0 ... 99999, even ones up to 199998, multiples of 3 up to 299997; and the chain. */
    assert_int_equal(all->sizes.node_count, 1 + 100000 + 50000 + 49999 + 100000);
    assert_true(flm_profile_total(all, (struct flm_metric){0}) == 300015);
    flm_profile_free(all);
    free_all(p, 3);
}

struct work {
    struct flm_profile *p[3];
    enum flm_align_mode mode;
};

static bool align_three(void *context, struct flm_error *why)
{
    struct work *w = context;
    static const char *const names[] = {"a", "b", "c"};
    struct flm_profile *all =
        flm_align((const struct flm_profile *const *)w->p, 3, w->mode, names, why);
    flm_profile_free(all);
    return all != NULL;
}

static void aligning_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 72;
    struct random_shape shape = random_full;
    struct work w = {.mode = FLM_ALIGN_ADD};
    for (int i = 0; i < 3; i++) {
        shape.negative = i == 2; /* the last pass drops what canceled */
        w.p[i] = random_profile(&random, &shape);
    }
    assert_true(assert_survives_failures(align_three, &w) > 60);
    w.mode = FLM_ALIGN_SIDE_BY_SIDE;
    assert_true(assert_survives_failures(align_three, &w) > 60);
    free_all(w.p, 3);
}

/* ---- One metric ------------------------------------------------------------------------------ */

static void one_metric_alone_is_added_up_and_every_node_is_followed(void **state)
{
    (void)state;
    uint64_t random = 77;
    struct random_shape shape = random_full;
    shape.metadata = false;
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p[4];
        const struct flm_profile *in[4];
        uint32_t metric[4], count = 1 + random_below(&random, 4);
        shape.negative = round % 2;
        for (uint32_t i = 0; i < count; i++) {
            shape.stacks = random_below(&random, 40);
            p[i] = random_profile(&random, &shape);
            in[i] = p[i];
            metric[i] = random_below(&random, 2); /* both are in ns */
        }
        struct flm_moved moved;
        struct flm_error why = {0};
        struct flm_profile *sum = flm_align_metric(in, count, metric, &moved, &why);
        assert_non_null(sum);
        assert_sound(sum);
        assert_int_equal(sum->sizes.metric_count, 1);
        assert_int_equal(sum->sizes.sample_count, 0);
        double *values = calloc(sum->sizes.node_count, sizeof *values);
        assert_non_null(values);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t last = 0;
            for (uint32_t n = 0; n < p[i]->sizes.node_count; n++) {
                uint32_t to = moved.node[moved.start[i] + n];
                double value = flm_self_column(p[i], metric[i])[n];
                if (to == FLM_NONE) {
                    assert_true(value == 0 || shape.negative);
                    continue;
                }
                assert_true(to < sum->sizes.node_count && to >= last);
                assert_true(n == 0 || model_frames_equal(model_frame_of(p[i], p[i]->node_frame[n]),
                                                         model_frame_of(sum, sum->node_frame[to])));
                values[to] += value;
                last = to;
            }
        }
        assert_memory_equal(values, flm_self_column(sum, 0),
                            sum->sizes.node_count * sizeof *values);
        free(values);
        flm_moved_clear(&moved);
        flm_profile_free(sum);
        free_all(p, count);
    }
}

static void metrics_of_different_units_are_not_added_up_alone(void **state)
{
    (void)state;
    uint64_t random = 78;
    struct flm_profile *p = random_profile(&random, &random_full);
    const struct flm_profile *in[] = {p, p};
    struct flm_moved moved;
    struct flm_error why = {0};
    assert_null(flm_align_metric(in, 2, (uint32_t[]){0, 2}, &moved, &why)); /* ns and bytes */
    assert_int_equal(why.kind, FLM_ERROR_UNIT);
    flm_profile_free(p);
}

/* A chunk: its sums lack something. */
static struct flm_profile *chunk_of(uint64_t *random)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 20; i++) {
        char name[2] = {(char)('a' + random_below(random, 5)), 0};
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, 1));
        flm_builder_add(b, node, cpu, (double)(random_next(random) >> random_below(random, 60)));
    }
    return flm_builder_finish_chunk(b, NULL);
}

static bool align_two(void *context, struct flm_error *why)
{
    struct flm_profile *p = flm_align(context, 2, FLM_ALIGN_ADD, NULL, why);
    flm_profile_free(p);
    return p != NULL;
}

static void chunks_with_residuals_survive_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 92;
    struct flm_profile *p[] = {chunk_of(&random), chunk_of(&random)};
    assert_true(p[0]->residual_count > 0 && p[1]->residual_count > 0);
    assert_survives_failures(align_two, p);
    free_all(p, 2);
}

static bool align_metric(void *context, struct flm_error *why)
{
    struct flm_moved moved;
    struct flm_profile *sum = flm_align_metric(context, 2, (uint32_t[]){0, 1}, &moved, why);
    if (!sum)
        return false;
    flm_moved_clear(&moved);
    flm_profile_free(sum);
    return true;
}

static void one_metric_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 79;
    const struct flm_profile *in[2];
    struct flm_profile *p[2];
    for (int i = 0; i < 2; i++)
        in[i] = p[i] = random_profile(&random, &random_full);
    assert_survives_failures(align_metric, in);
    free_all(p, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_equal_stacks_are_added),
        cmocka_unit_test(no_profiles_and_one_profile_are_aligned_too),
        cmocka_unit_test(any_number_of_profiles_agrees_with_a_plain_list),
        cmocka_unit_test(samples_and_losses_are_added_and_notes_must_agree),
        cmocka_unit_test(different_units_are_never_added),
        cmocka_unit_test(side_by_side_each_keeps_what_only_it_says),
        cmocka_unit_test(what_is_added_up_began_with_the_first),
        cmocka_unit_test(columns_side_by_side_need_names_of_their_own),
        cmocka_unit_test(sums_that_may_not_be_finite_are_refused),
        cmocka_unit_test(rounded_sums_are_noted_and_notes_are_added_up),
        cmocka_unit_test(the_order_of_profiles_does_not_matter_beyond_2_53),
        cmocka_unit_test(chunks_with_residuals_survive_failed_allocations),
        cmocka_unit_test(more_columns_than_a_file_may_have_are_refused),
        cmocka_unit_test(what_cancels_leaves_no_node),
        cmocka_unit_test(stacks_that_only_samples_kept_go_with_them),
        cmocka_unit_test(broad_and_deep_trees_are_aligned),
        cmocka_unit_test(aligning_survives_failed_allocations),
        cmocka_unit_test(one_metric_alone_is_added_up_and_every_node_is_followed),
        cmocka_unit_test(metrics_of_different_units_are_not_added_up_alone),
        cmocka_unit_test(one_metric_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
