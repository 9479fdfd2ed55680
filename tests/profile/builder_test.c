#include "profile/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"

static struct flm_frame function(struct flm_builder *b, const char *name)
{
    return flm_builder_function(b, name, strlen(name));
}

static struct flm_node child(struct flm_builder *b, struct flm_node parent, const char *name)
{
    return flm_builder_child(b, parent, function(b, name));
}

static struct flm_builder *new_builder(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    return b;
}

static void stacks_that_begin_alike_share_nodes(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_node root = flm_builder_root(b);
    struct flm_node main_node = child(b, root, "main"), read = child(b, main_node, "read");
    assert_int_equal(child(b, root, "main").index, main_node.index);
    assert_int_equal(child(b, main_node, "read").index, read.index);
    assert_true(child(b, root, "read").index != read.index);
    assert_true(child(b, read, "read").index != read.index);
    assert_int_equal(flm_builder_node_count(b), 4);
    flm_builder_free(b);
}

static void a_whole_stack_leads_to_the_node_of_its_children(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_frame stack[40];
    for (int i = 0; i < 40; i++) {
        char name[8];
        stack[i] = flm_builder_function(b, name, (size_t)sprintf(name, "f%d", i % 7));
    }
    /* Long ones first: then all shorter ones are known already. */
    for (size_t count = 41; count-- > 0;) {
        struct flm_node expected = flm_builder_root(b);
        for (size_t i = 0; i < count; i++)
            expected = flm_builder_child(b, expected, stack[i]);
        assert_int_equal(flm_builder_stack(b, stack, count).index, expected.index);
    }
    assert_int_equal(flm_builder_node_count(b), 40);
    flm_builder_free(b);
}

static void a_stack_may_go_on_from_any_node(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_frame stack[30];
    uint64_t random = 9;
    for (int round = 0; round < 3000; round++) {
        size_t count = random_below(&random, 31), from = random_below(&random, (unsigned)count + 1);
        for (size_t i = 0; i < count; i++) {
            char name[8];
            stack[i] = flm_builder_function(
                b, name, (size_t)sprintf(name, "f%u", random_below(&random, i < 12 ? 2 : 9)));
        }
        struct flm_node start = flm_builder_stack(b, stack, from);
        struct flm_node descended = flm_builder_descend(b, start, stack + from, count - from);
        struct flm_node walked = flm_builder_root(b);
        for (size_t i = 0; i < count; i++)
            walked = flm_builder_child(b, walked, stack[i]);
        assert_int_equal(descended.index, walked.index);
    }
    assert_false(flm_builder_failed(b));
    flm_builder_free(b);
}

static int compare_hashes(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Of 300,000 stacks, about ten share the 32-bit hash of their path with another. */
static void equal_hashes_of_different_stacks_do_not_matter(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    enum { COUNT = 300000, LONG = 12 };
    struct flm_frame *frames = malloc(COUNT * sizeof *frames);
    uint32_t *nodes = malloc(COUNT * sizeof *nodes);
    assert_non_null(frames);
    assert_non_null(nodes);
    for (uint32_t i = 0; i < COUNT; i++)
        frames[i] = flm_builder_frame(b, &(struct flm_frame_record){.address = i + 1});
    for (uint32_t i = 0; i + LONG <= COUNT; i += LONG)
        nodes[i] = flm_builder_stack(b, frames + i, LONG).index;
    assert_int_equal(flm_builder_node_count(b), COUNT / LONG * LONG);
    uint32_t *hashes = malloc(b->node_count * sizeof *hashes), collisions = 0;
    assert_non_null(hashes);
    memcpy(hashes, b->path_hash, b->node_count * sizeof *hashes);
    qsort(hashes, b->node_count, sizeof *hashes, compare_hashes);
    for (uint32_t i = 1; i < b->node_count; i++)
        collisions += hashes[i] == hashes[i - 1];
    assert_true(collisions > 0); /* or this test shows nothing: about ten are expected */
    free(hashes);
    for (uint32_t i = 0; i + LONG <= COUNT; i += LONG) {
        assert_int_equal(flm_builder_stack(b, frames + i, LONG).index, nodes[i]);
        uint32_t at = nodes[i];
        for (uint32_t k = LONG; k-- > 0; at = b->nodes[at].parent)
            assert_int_equal(b->nodes[at].frame, frames[i + k].index);
        assert_int_equal(at, 0);
    }
    free(frames);
    free(nodes);
    flm_builder_free(b);
}

static void a_metric_is_added_once_and_keeps_its_unit(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node node = child(b, flm_builder_root(b), "main");
    flm_builder_add(b, node, cpu, 5);
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    assert_int_equal(flm_builder_metric(b, "cpu", "seconds").index, cpu.index);
    flm_builder_add(b, node, cpu, 6);
    flm_builder_add(b, node, bytes, 7);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_int_equal(p->sizes.metric_count, 2);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->metrics[0].unit), "ns"));
    assert_true(flm_self_column(p, 0)[1] == 11);
    assert_true(flm_self_column(p, 1)[1] == 7);
    assert_sound(p);
    flm_profile_free(p);
}

static void metrics_may_come_after_nodes_and_samples(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_metric first = flm_builder_metric(b, "first", "ns");
    struct flm_node root = flm_builder_root(b);
    for (int i = 0; i < 100; i++) {
        char name[8];
        struct flm_node node = flm_builder_child(
            b, root, flm_builder_function(b, name, (size_t)sprintf(name, "%d", i)));
        flm_builder_sample(b, i, node, (struct flm_label_set){0}, first, 1);
        if (i % 20 == 7) {
            struct flm_metric more = flm_builder_metric(b, name, "bytes");
            flm_builder_add(b, node, more, 2);
            flm_builder_sample_add(b, more, 3);
        }
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_sound(p);
    assert_int_equal(p->sizes.metric_count, 6);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 100);
    assert_true(flm_profile_total(p, (struct flm_metric){5}) == 5);
    flm_profile_free(p);
}

static void more_metrics_than_a_file_may_have_are_refused(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_error why = {0};
    for (int i = 0; i <= 4096; i++) {
        char name[8];
        sprintf(name, "m%d", i);
        flm_builder_metric(b, name, "ns");
        assert_int_equal(flm_builder_failed(b), i == 4096);
    }
    assert_null(flm_builder_finish(b, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_non_null(strstr(why.text, "4096 metrics"));
}

static void a_builder_that_failed_does_nothing_more(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    flm_builder_fail_memory(b);
    assert_true(flm_builder_failed(b));
    struct flm_frame frames[10] = {{0}};
    struct flm_string labels[2] = {{0}, {0}};
    flm_builder_note(b, "key", "value", 5);
    flm_builder_lost(b, "lines", "line", 3, 1);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    struct flm_node node = child(b, flm_builder_root(b), "main");
    node = flm_builder_stack(b, frames, 10);
    assert_int_equal(node.index, 0);
    flm_builder_add(b, node, metric, 1);
    flm_builder_sample(b, 1, node, flm_builder_label_set(b, labels, 1), metric, 1);
    flm_builder_sample_add(b, metric, 1);
    struct flm_error why = {0};
    assert_null(flm_builder_finish(b, &why));
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
}

/* Everything that a builder can be told. */
static bool build(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return false;
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    for (unsigned i = 0; i < 60; i++) {
        struct flm_frame stack[12];
        for (unsigned k = 0; k < 12; k++) {
            char name[40];
            int size = sprintf(name, "a function with the number %u", (12 * i + k) % 700);
            stack[k] = flm_builder_function(b, name, (size_t)size);
        }
        struct flm_node node = flm_builder_stack(b, stack, 12);
        struct flm_string labels[4];
        for (int k = 0; k < 4; k++) {
            char text[16];
            labels[k] = flm_builder_string(b, text, (size_t)sprintf(text, "label %u", i % (5 + k)));
        }
        if (i % 2) {
            flm_builder_sample(b, i, node, flm_builder_label_set(b, labels, 2), cpu, 3);
            flm_builder_sample_add(b, bytes, 1);
        } else {
            flm_builder_add(b, node, cpu, 1);
        }
        char key[16];
        sprintf(key, "key %u", i % 20);
        flm_builder_note(b, key, "value", 5);
        flm_builder_lost(b, key, "line", i, 1);
    }
    flm_builder_lines_before(b, 1000);
    struct flm_profile *p = flm_builder_finish(b, why);
    bool good = p != NULL;
    flm_profile_free(p);
    return good;
}

static void a_builder_survives_failed_allocations(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(build, NULL) > 60);
}

static void a_builder_may_be_given_up(void **state)
{
    (void)state;
    flm_builder_free(NULL);
    struct flm_builder *b = new_builder();
    flm_builder_note(b, "key", "value", 5);
    flm_builder_sample(b, 1, child(b, flm_builder_root(b), "main"), (struct flm_label_set){0},
                       flm_builder_metric(b, "cpu", "ns"), 1);
    flm_builder_free(b);
}

static void add_stack(struct flm_builder *b, unsigned number)
{
    char name[40];
    int size = sprintf(name, "a function with the number %u", number);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, (size_t)size));
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 1);
}

static void the_error_counts_what_is_held(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    add_stack(b, 1);
    struct flm_error why = {0};
    assert_false(flm_builder_out_of_memory(b, &why));
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    assert_string_equal(why.text, "out of memory"); /* others have it */
    for (unsigned i = 2; i <= 20000; i++)
        add_stack(b, i);
    flm_builder_sample(b, 5, (struct flm_node){1}, (struct flm_label_set){0},
                       (struct flm_metric){0}, 1);
    flm_builder_out_of_memory(b, &why);
    unsigned megabytes = 0;
    const char *counts = strstr(why.text, "20000 distinct frames, 20000 stacks and 1 sample take ");
    assert_non_null(counts);
    assert_int_equal(sscanf(strstr(counts, "take "), "take %u MB", &megabytes), 1);
    /* 20,000 names of 32 bytes, records of 32, nodes of 20, slots of 8: three tables of them. */
    assert_in_range(megabytes, 2, 8);
    flm_builder_free(b);
}

/* Adds stacks, of which the allocation behind the 100,000th fails. */
static void memory_that_ends_is_said_with_what_was_held(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_error why = {0};
    assert_non_null(b);
    for (unsigned i = 0; i < 100000; i++)
        add_stack(b, i);
    allocation_fail_from(1);
    for (unsigned i = 100000; i < 10000000 && !flm_builder_failed(b); i++)
        add_stack(b, i);
    allocation_fail_from(0);
    assert_true(flm_builder_failed(b));
    assert_null(flm_builder_finish(b, &why));
    unsigned frames = 0, stacks = 0;
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    assert_int_equal(
        sscanf(why.text, "out of memory: %u distinct frames and %u stacks", &frames, &stacks), 2);
    assert_in_range(frames, 100000, 1000000);
    assert_in_range(stacks, 99999, frames);
    assert_non_null(strstr(why.text, "split the input"));
}

static void memory_that_ends_while_it_finishes_is_said_likewise(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_error why = {0};
    assert_non_null(b);
    for (unsigned i = 0; i < 20000; i++)
        add_stack(b, i);
    allocation_fail_from(1);
    struct flm_profile *p = flm_builder_finish(b, &why);
    allocation_fail_from(0);
    assert_null(p);
    assert_non_null(strstr(why.text, "out of memory: 20000 distinct frames and 20000 stacks take"));
}

static void a_builder_without_names_has_only_the_reason(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_error why = {0};
    assert_non_null(b);
    flm_builder_fail_memory(b);
    assert_null(flm_builder_finish(b, &why));
    assert_string_equal(why.text, "out of memory");
}

static void names_beyond_4_gib_are_another_reason(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_error why = {0};
    assert_non_null(b);
    add_stack(b, 1);
    size_t size = b->interner.bytes_size;
    b->interner.bytes_size = UINT32_MAX - 4; /* as if they were there */
    flm_builder_string(b, "a longer name", 13);
    b->interner.bytes_size = size;
    assert_true(flm_builder_failed(b));
    assert_null(flm_builder_finish(b, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_non_null(strstr(why.text, "the names of 1 distinct frame have more than 4 GiB"));
}

static void a_limit_that_was_passed_stays_the_reason(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_error why = {0};
    assert_non_null(b);
    flm_builder_fail(b, FLM_ERROR_RANGE, "more stacks than there may be");
    assert_false(flm_builder_out_of_memory(b, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_string_equal(why.text, "more stacks than there may be");
    flm_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_that_begin_alike_share_nodes),
        cmocka_unit_test(a_whole_stack_leads_to_the_node_of_its_children),
        cmocka_unit_test(a_stack_may_go_on_from_any_node),
        cmocka_unit_test(equal_hashes_of_different_stacks_do_not_matter),
        cmocka_unit_test(a_metric_is_added_once_and_keeps_its_unit),
        cmocka_unit_test(metrics_may_come_after_nodes_and_samples),
        cmocka_unit_test(more_metrics_than_a_file_may_have_are_refused),
        cmocka_unit_test(a_builder_that_failed_does_nothing_more),
        cmocka_unit_test(a_builder_survives_failed_allocations),
        cmocka_unit_test(the_error_counts_what_is_held),
        cmocka_unit_test(memory_that_ends_is_said_with_what_was_held),
        cmocka_unit_test(memory_that_ends_while_it_finishes_is_said_likewise),
        cmocka_unit_test(a_builder_without_names_has_only_the_reason),
        cmocka_unit_test(names_beyond_4_gib_are_another_reason),
        cmocka_unit_test(a_limit_that_was_passed_stays_the_reason),
        cmocka_unit_test(a_builder_may_be_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
