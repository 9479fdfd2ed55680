#include "flamel/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/flamel.h"
#include "profile/flm_file.h"
#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static void a_profile_tells_what_it_holds(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 10\nmain 2\n");
    struct flm_metric samples = {0};
    assert_int_equal(flm_profile_string_count(p), 4);
    assert_int_equal(flm_profile_frame_count(p), 3);
    assert_int_equal(flm_profile_node_count(p), 3);
    assert_int_equal(flm_profile_metric_count(p), 1);
    assert_int_equal(flm_profile_sample_count(p), 0);
    struct flm_name name = flm_profile_string(p, (struct flm_string){1});
    assert_int_equal(name.size, 4);
    assert_memory_equal(name.at, "main", 4);
    assert_int_equal(flm_profile_frame(p, (struct flm_frame){2})->function, 2);
    assert_int_equal(flm_profile_frames(p)[2], 2);
    assert_int_equal(flm_profile_ends(p)[1], 3);
    assert_true(flm_profile_self(p, samples)[2] == 10);
    assert_int_equal(flm_profile_metric(p, samples)->unit, 3);
    assert_int_equal(flm_profile_metric_named(p, "samples").index, 0);
    assert_int_equal(flm_profile_metric_named(p, "sample").index, FLM_NONE);
    assert_true(flm_profile_total(p, samples) == 12);
    flm_profile_free(p);
    flm_profile_free(NULL);
}

static void a_metric_is_found_by_name_or_is_the_first_with_values(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_metric metric = {7};
    struct flm_profile *p = profile_of_two("a 1 2\n");
    assert_true(flm_metric_find(p, "before", &metric, &why));
    assert_int_equal(metric.index, 1);
    assert_true(flm_metric_find(p, NULL, &metric, &why));
    assert_int_equal(metric.index, 0);
    assert_false(flm_metric_find(p, "cpu", &metric, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_string_equal(why.text, "there is no metric 'cpu'; there is after, before");
    flm_profile_free(p);
    p = profile_of_two("a 2 0\n");
    assert_true(flm_metric_find(p, NULL, &metric, &why));
    assert_int_equal(metric.index, flm_profile_metric_named(p, "before").index);
    flm_profile_free(p);
    p = profile_of_two("a 0 0\n");
    assert_true(flm_metric_find(p, NULL, &metric, &why));
    assert_int_equal(metric.index, 0);
    flm_profile_free(p);
    p = flm_builder_finish(flm_builder_new(NULL), NULL);
    assert_false(flm_metric_find(p, NULL, &metric, &why));
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    flm_profile_free(p);
}

static void every_kind_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++) {
        assert_non_null(flm_kind_name(kind));
        for (uint32_t other = 0; other < kind; other++)
            assert_string_not_equal(flm_kind_name(kind), flm_kind_name(other));
    }
    assert_null(flm_kind_name(FLM_KIND_COUNT));
    assert_null(flm_kind_name(UINT32_MAX));
}

static void clones_have_names(void **state)
{
    (void)state;
    char name[FLM_CLONES_SIZE];
    assert_int_equal(flm_clones_name(FLM_FRAME_ROOT | FLM_FRAME_UNSYMBOLIZED, name), 0);
    assert_string_equal(name, "");
    assert_int_equal(flm_clones_name(FLM_FRAME_COLD | FLM_FRAME_UNSYMBOLIZED, name), 4);
    assert_string_equal(name, "cold");
    size_t size = flm_clones_name(UINT32_MAX, name);
    assert_string_equal(name, "constprop+isra+part+cold");
    assert_int_equal(size, strlen(name));
    assert_int_equal(FLM_FRAME_CLONES,
                     FLM_FRAME_CONSTPROP | FLM_FRAME_ISRA | FLM_FRAME_PART | FLM_FRAME_COLD);
}

/* Depths, parents and totals, computed from the ends alone in the plainest way. */
static void parents_depths_and_totals_agree_with_the_ends(void **state)
{
    (void)state;
    uint64_t random = 2;
    struct random_shape shape = random_full;
    for (int round = 0; round < 30; round++) {
        shape.stacks = random_below(&random, 120);
        shape.negative = round % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        uint32_t count = p->sizes.node_count, deepest = 0, said = 0;
        uint32_t *parent = malloc(count * sizeof *parent), *depth = malloc(count * sizeof *depth);
        double *total = malloc(count * sizeof *total);
        assert_true(parent && depth && total);
        flm_profile_parents(p, parent);
        uint32_t returned = flm_profile_depths(p, depth);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
            double all = 0;
            flm_profile_totals(p, (struct flm_metric){m}, total);
            for (uint32_t i = 0; i < count; i++) {
                uint32_t above = 0, nearest = FLM_NONE;
                double sum = 0;
                for (uint32_t k = 0; k < count; k++) {
                    if (k < i && p->node_end[k] > i) {
                        above++;
                        nearest = k;
                    }
                    if (k >= i && k < p->node_end[i])
                        sum += flm_self_column(p, m)[k];
                }
                assert_int_equal(depth[i], above);
                assert_int_equal(parent[i], nearest);
                assert_true(total[i] == sum);
                deepest = above > deepest ? above : deepest;
                all += flm_self_column(p, m)[i];
            }
            assert_true(flm_profile_total(p, (struct flm_metric){m}) == all);
        }
        assert_true(flm_profile_depth(p, &said, NULL));
        assert_int_equal(said, deepest);
        assert_int_equal(returned, deepest);
        free(parent);
        free(depth);
        free(total);
        flm_profile_free(p);
    }
}

static void a_chain_of_100000_frames_has_its_depth(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node = flm_builder_root(b);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (uint32_t i = 0; i < 100000; i++) {
        node = flm_builder_child(b, node, flm_builder_function(b, "f", 1));
        flm_builder_add(b, node, cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    uint32_t *of_node = malloc(100001 * sizeof *of_node), deepest;
    double *total = malloc(100001 * sizeof *total);
    assert_true(p && of_node && total);
    assert_int_equal(flm_profile_depths(p, of_node), 100000);
    assert_int_equal(of_node[777], 777);
    flm_profile_parents(p, of_node);
    assert_int_equal(of_node[100000], 99999);
    flm_profile_totals(p, (struct flm_metric){0}, total);
    assert_true(total[0] == 100000 && total[100000] == 1);
    assert_true(flm_profile_depth(p, &deepest, NULL));
    assert_int_equal(deepest, 100000);
    free(of_node);
    free(total);
    flm_profile_free(p);
}

/* Every column of a profile, filled with numbers that say where they stand. */
static void fill(const struct flm_profile *p, const struct flm_sizes *s, bool check)
{
    unsigned next = 1;
#define EACH(column, items, type)                                                                  \
    for (uint64_t i_ = 0; i_ < (items); i_++, next++) {                                            \
        if (check)                                                                                 \
            assert_true((column)[i_] == (type)next);                                               \
        else                                                                                       \
            (column)[i_] = (type)next;                                                             \
    }
    EACH(p->string_ends, s->string_count, uint32_t)
    EACH(p->string_bytes, s->string_bytes, char)
    for (uint32_t i = 0; i < s->frame_count; i++)
        EACH((&p->frames[i].address), 1, uint64_t)
    for (uint32_t i = 0; i < s->metric_count; i++)
        EACH((&p->metrics[i].unit), 1, uint32_t)
    EACH(p->node_frame, s->node_count, uint32_t)
    EACH(p->node_end, s->node_count, uint32_t)
    for (uint32_t m = 0; m < s->metric_count; m++)
        EACH(flm_self_column(p, m), s->node_count, double)
    for (uint32_t i = 0; i < s->note_count; i++)
        EACH((&p->notes[i].value), 1, uint32_t)
    for (uint32_t i = 0; i < s->loss_count; i++)
        EACH((&p->losses[i].count), 1, double)
    for (uint32_t i = 0; i < s->label_count; i++)
        EACH((&p->labels[i].key), 1, uint32_t)
    EACH(p->label_set_ends, s->label_set_count, uint32_t)
    EACH(p->set_members, s->set_member_count, uint32_t)
    EACH(p->sample_time, s->sample_count, int64_t)
    EACH(p->sample_node, s->sample_count, uint32_t)
    EACH(p->sample_labels, s->sample_count, uint32_t)
    EACH(p->sample_duration, s->duration_count, int64_t)
    for (uint32_t m = 0; m < s->metric_count; m++)
        EACH(flm_sample_column(p, m), s->sample_count, double)
    for (uint32_t i = 0; i < s->marker_count; i++)
        EACH((&p->markers[i].duration_ns), 1, int64_t)
    for (uint32_t i = 0; i < s->counter_count; i++)
        EACH((&p->counters[i].end), 1, uint32_t)
    EACH(p->point_time, s->point_count, int64_t)
    EACH(p->point_value, s->point_count, double)
    for (uint32_t i = 0; i < s->recursion_count; i++)
        EACH((&p->recursions[i].most), 1, uint32_t)
#undef EACH
}

/* A smaller number of each, never of metrics. */
static struct flm_sizes smaller(const struct flm_sizes *s, uint64_t *random)
{
    struct flm_sizes less = *s;
    less.string_count -= random_below(random, less.string_count + 1);
    less.string_bytes -= random_below(random, (unsigned)less.string_bytes + 1);
    less.frame_count -= random_below(random, less.frame_count + 1);
    less.node_count -= random_below(random, less.node_count + 1);
    less.sample_count -= random_below(random, less.sample_count + 1);
    less.duration_count = less.duration_count ? less.sample_count : 0;
    less.label_count -= random_below(random, less.label_count + 1);
    less.marker_count -= random_below(random, less.marker_count + 1);
    less.point_count -= random_below(random, less.point_count + 1);
    less.recursion_count -= random_below(random, less.recursion_count + 1);
    return less;
}

static void shrinking_keeps_the_beginning_of_every_column(void **state)
{
    (void)state;
    uint64_t random = 8;
    for (int round = 0; round < 300; round++) {
        struct flm_sizes sizes = {.string_count = 1 + random_below(&random, 40),
                                  .frame_count = random_below(&random, 40),
                                  .node_count = random_below(&random, 100),
                                  .metric_count = random_below(&random, 5),
                                  .string_bytes = random_below(&random, 100),
                                  .note_count = random_below(&random, 5),
                                  .loss_count = random_below(&random, 5),
                                  .label_count = random_below(&random, 20),
                                  .label_set_count = random_below(&random, 20),
                                  .set_member_count = random_below(&random, 20),
                                  .sample_count = random_below(&random, 50),
                                  .marker_count = random_below(&random, 20),
                                  .counter_count = random_below(&random, 5),
                                  .point_count = random_below(&random, 50),
                                  .recursion_count = random_below(&random, 20)};
        sizes.duration_count = round % 2 ? sizes.sample_count : 0;
        struct flm_profile *p = flm_profile_allocate(&sizes, NULL);
        assert_non_null(p);
        struct flm_sizes less = smaller(&sizes, &random);
        /* What is numbered is what shall stay; the rest is noise. */
        memset(p->image, 0xEE, p->image_size);
        fill(p, &less, false);
        assert_true(flm_profile_shrink(p, &less, NULL));
        fill(p, &less, true);
        assert_int_equal(p->image_size, flm_file_size(&less));
        flm_profile_free(p);
    }
}

static void shrinking_may_change_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 10\nmain 2\n"),
                       *q = profile_of("main;read 10\nmain 2\n");
    struct flm_sizes sizes = p->sizes;
    assert_true(flm_profile_shrink(p, &sizes, NULL));
    assert_profiles_equal(p, q);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void room_that_cannot_be_had_is_an_error(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_sizes sizes = {.string_count = 1, .frame_count = 1, .node_count = 1};
    for (size_t nth = 1; nth <= 2; nth++) {
        allocation_fail_from(nth);
        assert_null(flm_profile_allocate(&sizes, &why));
        allocation_fail_from(0);
        assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    }
    struct flm_profile *p = profile_of("main;read 10\nmain 2\n");
    uint32_t deepest;
    allocation_fail_from(1);
    assert_false(flm_profile_depth(p, &deepest, &why));
    allocation_fail_from(1);
    assert_false(flm_profile_shrink(p, &sizes, &why));
    allocation_fail_from(0);
    flm_profile_free(p);
}

static void a_borrowed_profile_leaves_the_columns_to_their_owner(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct flm_profile *p = random_profile(&random, &random_full);
    for (int i = 0; i < 2; i++) {
        struct flm_profile *borrowed = flm_profile_borrow(p, NULL);
        assert_non_null(borrowed);
        assert_ptr_equal(borrowed->node_end, p->node_end);
        flm_profile_free(borrowed);
    }
    struct flm_error why = {0};
    if (!flm_profile_check(p, &why))
        fail_msg("%s", why.text);
    flm_profile_free(p);
}

static void assert_string(const struct flm_profile *p, uint32_t string, const char *expected)
{
    struct flm_name name = flm_profile_string(p, (struct flm_string){string});
    assert_int_equal(name.size, strlen(expected));
    assert_memory_equal(name.at, expected, name.size);
}

/* Two samples with a time, one without; notes and losses. */
static struct flm_profile *sampled_profile(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric count = flm_builder_metric(b, "events", "count");
    struct flm_string labels[] = {flm_builder_string(b, "thread", 6), flm_builder_string(b, "b", 1),
                                  flm_builder_string(b, "cpu", 3), flm_builder_string(b, "7", 1)};
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_sample(b, 20, node, flm_builder_label_set(b, labels, 2), cpu, 5);
    flm_builder_sample_add(b, count, 1);
    node = flm_builder_child(b, node, flm_builder_function(b, "read", 4));
    flm_builder_sample(b, 10, node, flm_builder_label_set(b, labels, 1), cpu, 3);
    flm_builder_sample(b, FLM_NO_TIME, node, (struct flm_label_set){0}, cpu, 2);
    flm_builder_note(b, "host", "here", 4);
    flm_builder_note(b, "command", "app", 3);
    flm_builder_lost(b, "malformed lines", "line", 812, 4);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void samples_are_read_as_columns(void **state)
{
    (void)state;
    struct flm_profile *p = sampled_profile();
    static const int64_t times[] = {FLM_NO_TIME, 10, 20};
    static const uint32_t nodes[] = {2, 2, 1};
    static const double cpu[] = {2, 3, 5}, events[] = {0, 0, 1};
    assert_int_equal(flm_profile_sample_count(p), 3);
    assert_memory_equal(flm_profile_sample_times(p), times, sizeof times);
    assert_memory_equal(flm_profile_sample_nodes(p), nodes, sizeof nodes);
    assert_memory_equal(flm_profile_sample_values(p, (struct flm_metric){0}), cpu, sizeof cpu);
    assert_memory_equal(flm_profile_sample_values(p, (struct flm_metric){1}), events,
                        sizeof events);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(flm_profile_sample_value(p, (struct flm_metric){1}, i) == events[i]);
    flm_profile_free(p);
}

static void labels_are_read_by_set(void **state)
{
    (void)state;
    struct flm_profile *p = sampled_profile();
    const struct flm_label_record *labels = flm_profile_labels(p);
    assert_int_equal(flm_profile_label_count(p), 2);
    assert_string(p, labels[0].key, "cpu");
    assert_string(p, labels[0].value, "7");
    assert_string(p, labels[1].key, "thread");
    assert_string(p, labels[1].value, "b");
    assert_int_equal(flm_profile_label_set_count(p), 3);
    const uint32_t *sets = flm_profile_sample_label_sets(p);
    static const uint32_t sizes[] = {0, 1, 2};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t count = 99;
        const uint32_t *set = flm_profile_label_set(p, (struct flm_label_set){sets[i]}, &count);
        assert_int_equal(count, sizes[i]);
        for (uint32_t k = 0; k < count; k++)
            assert_int_equal(set[count - 1 - k], 1 - k); /* thread, and cpu in front of it */
    }
    flm_profile_free(p);
}

static void notes_and_losses_are_read(void **state)
{
    (void)state;
    struct flm_profile *p = sampled_profile();
    assert_int_equal(flm_profile_note_count(p), 2);
    assert_string(p, flm_profile_notes(p)[0].key, "command");
    assert_string(p, flm_profile_notes(p)[1].value, "here");
    struct flm_name host = flm_profile_note_named(p, "host");
    assert_int_equal(host.size, 4);
    assert_memory_equal(host.at, "here", 4);
    assert_null(flm_profile_note_named(p, "hos").at);
    assert_int_equal(flm_profile_loss_count(p), 1);
    assert_string(p, flm_profile_losses(p)[0].what, "malformed lines");
    assert_string(p, flm_profile_losses(p)[0].where, "line 812");
    assert_true(flm_profile_losses(p)[0].count == 4);
    flm_profile_free(p);
}

static void the_version_is_that_of_the_build(void **state)
{
    (void)state;
    char headers[40];
    snprintf(headers, sizeof headers, "%d.%d.%d", FLM_VERSION_MAJOR, FLM_VERSION_MINOR,
             FLM_VERSION_PATCH);
    assert_string_equal(flm_version(), FLAMEL_VERSION);
    assert_string_equal(flm_version(), headers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_tells_what_it_holds),
        cmocka_unit_test(a_metric_is_found_by_name_or_is_the_first_with_values),
        cmocka_unit_test(every_kind_has_a_name_of_its_own),
        cmocka_unit_test(clones_have_names),
        cmocka_unit_test(parents_depths_and_totals_agree_with_the_ends),
        cmocka_unit_test(a_chain_of_100000_frames_has_its_depth),
        cmocka_unit_test(shrinking_keeps_the_beginning_of_every_column),
        cmocka_unit_test(shrinking_may_change_nothing),
        cmocka_unit_test(a_borrowed_profile_leaves_the_columns_to_their_owner),
        cmocka_unit_test(room_that_cannot_be_had_is_an_error),
        cmocka_unit_test(samples_are_read_as_columns),
        cmocka_unit_test(labels_are_read_by_set),
        cmocka_unit_test(notes_and_losses_are_read),
        cmocka_unit_test(the_version_is_that_of_the_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
