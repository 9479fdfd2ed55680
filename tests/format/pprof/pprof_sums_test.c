/* Samples that are added up while the tables are collected give what the same samples give one
 * after the other, which is how they are read with frames for threads: without labels these have
 * none. */
#include "format/pprof/internal.h"

#include "format/pprof/proto.h"
#include "support/core/failures.h"
#include "support/profile/format_laws.h"
#include "support/profile/profiles.h"

static const struct flm_format *const pprof = &flm_format_pprof;
static const char *const strings[] = {"", "samples", "count", "cpu", "nanoseconds", NULL};

enum { LOCATIONS = 200, MOST_DEPTH = 70 };

static const struct flm_read_options keeping = {.keep_times = true},
                                     one_by_one = {.keep_times = true, .by_thread = true};

static void put_tables(struct proto *made)
{
    proto_strings(made, strings);
    for (uint64_t i = 1; i <= LOCATIONS; i++)
        proto_location(made, i, 0, 0x1000 + i, NULL);
}

/* Stack number `stack` has that many locations, or less: ids of one byte and of two. */
static void put_stack(struct proto *made, uint64_t stack)
{
    uint64_t ids[MOST_DEPTH];
    size_t depth = 1 + stack % MOST_DEPTH;
    for (size_t i = 0; i < depth; i++)
        ids[i] = 1 + (stack * (i + 1) + i) % LOCATIONS;
    proto_packed(&made->message, 1, &made->inner, depth, ids);
}

static void put_sample(struct proto *made, uint64_t stack, uint64_t first, uint64_t second)
{
    put_stack(made, stack);
    proto_packed(&made->message, 2, &made->inner, 2, NUMBERS(first, second));
    flm_wire_put_message(&made->out, 2, &made->message);
}

static void put_types(struct proto *made)
{
    proto_message(made, 1, 2, NUMBERS(1, 2));
    proto_message(made, 1, 2, NUMBERS(3, 4));
}

/* Frees what was made. */
static void assert_read_as_one_by_one(struct proto *made, double first, double second)
{
    struct flm_profile *p = read_bytes(pprof, proto_bytes(made), &keeping);
    struct flm_profile *other = read_bytes(pprof, proto_bytes(made), &one_by_one);
    assert_sound(p);
    assert_true(flm_profile_total(p, flm_profile_metric_named(p, "samples")) == first);
    assert_true(flm_profile_total(p, flm_profile_metric_named(p, "cpu")) == second);
    assert_profiles_equal(p, other);
    flm_profile_free(p);
    flm_profile_free(other);
    proto_clear(made);
}

static void stacks_of_all_sizes_are_told_apart(void **state)
{
    (void)state;
    enum { STACKS = 700, TURNS = 3 };
    struct proto made = {{0}};
    put_types(&made);
    for (uint64_t i = 0; i < STACKS * TURNS; i++)
        put_sample(&made, i % STACKS, 1 + i % 200, i % 7 * 1000000);
    put_tables(&made);
    double first = 0, second = 0;
    for (int i = 0; i < STACKS * TURNS; i++) {
        first += 1 + i % 200;
        second += i % 7 * 1000000;
    }
    assert_read_as_one_by_one(&made, first, second);
}

/* The order of fields is free: a sample type may stand behind the last sample. */
static void a_type_that_comes_late_is_a_metric(void **state)
{
    (void)state;
    struct proto made = {{0}};
    proto_message(&made, 1, 2, NUMBERS(1, 2));
    for (uint64_t i = 0; i < 2; i++)
        put_sample(&made, i, 5 + i, 1000000);
    proto_message(&made, 1, 2, NUMBERS(3, 4));
    put_tables(&made);
    assert_read_as_one_by_one(&made, 11, 2000000);
}

/* Each differs from the others in one byte: none of them may be left out of the comparison. */
static void stacks_that_differ_in_one_location_are_two(void **state)
{
    (void)state;
    for (size_t depth = 1; depth <= 140; depth++) {
        uint64_t ids[140];
        struct proto made = {{0}};
        put_types(&made);
        for (size_t other = 0; other <= depth; other++) {
            for (size_t i = 0; i < depth; i++)
                ids[i] = i == other ? 2 : 1;
            proto_packed(&made.message, 1, &made.inner, depth, ids);
            proto_packed(&made.message, 2, &made.inner, 2, NUMBERS(other + 1, 1));
            flm_wire_put_message(&made.out, 2, &made.message);
        }
        put_tables(&made);
        struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
        const double *self = flm_profile_self(p, flm_profile_metric_named(p, "cpu"));
        uint32_t ones = 0;
        for (uint32_t i = 0; i < flm_profile_node_count(p); i++)
            ones += self[i] == 1;
        assert_int_equal(ones, depth + 1);
        flm_profile_free(p);
        proto_clear(&made);
    }
}

/* What is written in other ways stands between them; none of it is left out. */
static void odd_samples_are_read_in_their_turn(void **state)
{
    (void)state;
    const uint64_t large = (uint64_t)1 << 53;
    struct proto made = {{0}};
    put_types(&made);
    for (uint64_t i = 0; i < 300; i++) {
        put_sample(&made, i % 10, 1, 10);
        if (i % 30 == 3)
            put_sample(&made, i, 0, 0); /* seen, without a value */
        if (i % 30 == 6)
            put_sample(&made, 4, (uint64_t)-5, 3);
        if (i == 100 || i == 200)
            put_sample(&made, 2, 0, large - 20);
        if (i % 30 == 12) { /* locations in two fields; values that are not packed */
            put_stack(&made, i);
            flm_wire_put_number(&made.message, 1, 7);
            flm_wire_put_number(&made.message, 2, 2);
            flm_wire_put_number(&made.message, 2, 20);
            flm_wire_put_message(&made.out, 2, &made.message);
        }
        if (i % 30 == 20) { /* no stack */
            proto_packed(&made.message, 2, &made.inner, 2, NUMBERS(1, 1));
            flm_wire_put_message(&made.out, 2, &made.message);
        }
    }
    put_tables(&made);
    assert_read_as_one_by_one(&made, 300 - 50 + 20 + 10,
                              3000 + 30 + 200 + 10 + 2 * (double)(large - 20));
}

static void it_ends_where_it_does_not_help(void **state)
{
    (void)state;
    struct proto made = {{0}};
    put_types(&made);
    for (uint64_t i = 0; i < 3000; i++) /* too many odd ones */
        put_sample(&made, i % 50, i % 2 ? (uint64_t)-1 : 3, 1);
    put_tables(&made);
    assert_read_as_one_by_one(&made, 3000, 3000);
    made = (struct proto){{0}};
    put_types(&made);
    for (uint64_t i = 0; i < 40000; i++) { /* too many stacks */
        proto_packed(&made.message, 1, &made.inner, 3,
                     NUMBERS(1 + i % 100, 1 + i / 100 % 100, 1 + i / 10000));
        proto_packed(&made.message, 2, &made.inner, 2, NUMBERS(1, 2));
        flm_wire_put_message(&made.out, 2, &made.message);
    }
    put_tables(&made);
    assert_read_as_one_by_one(&made, 40000, 80000);
    made = (struct proto){{0}};
    proto_message(&made, 1, 2, NUMBERS(1, 2)); /* a type behind samples */
    for (uint64_t i = 0; i < 30; i++)
        put_sample(&made, i % 5, 1, 2);
    proto_message(&made, 1, 2, NUMBERS(3, 4));
    put_tables(&made);
    assert_read_as_one_by_one(&made, 30, 60);
}

static void labels_are_kept_though_they_come_late(void **state)
{
    (void)state;
    struct proto made = {{0}};
    put_types(&made);
    for (uint64_t i = 0; i < 100; i++)
        put_sample(&made, i % 5, 1, 2);
    proto_sample(&made, NUMBERS(1, 2, 0), 2, NUMBERS(1, 2), NUMBERS(1, 2, 0, 0));
    put_tables(&made);
    struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
    assert_int_equal(p->sizes.sample_count, 101);
    flm_profile_free(p);
    p = read_bytes(pprof, proto_bytes(&made), &(struct flm_read_options){0});
    assert_int_equal(p->sizes.sample_count, 0);
    assert_true(flm_profile_total(p, flm_profile_metric_named(p, "cpu")) == 202);
    flm_profile_free(p);
    proto_clear(&made);
}

static struct proto two_stacks(void)
{
    struct proto made = {{0}};
    put_types(&made);
    for (uint64_t i = 0; i < 40; i++)
        put_sample(&made, i % 2, 1, i % 5);
    put_tables(&made);
    return made;
}

static void every_beginning_is_read_or_refused(void **state)
{
    (void)state;
    struct proto made = two_stacks();
    assert_survives_cuts(pprof, proto_bytes(&made));
    assert_same_through_windows(pprof, proto_bytes(&made));
    proto_clear(&made);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct proto made = two_stacks();
    struct reader_work work = {pprof, proto_bytes(&made), &keeping};
    assert_true(assert_survives_failures(reader_reads, &work) > 30);
    proto_clear(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_all_sizes_are_told_apart),
        cmocka_unit_test(a_type_that_comes_late_is_a_metric),
        cmocka_unit_test(stacks_that_differ_in_one_location_are_two),
        cmocka_unit_test(odd_samples_are_read_in_their_turn),
        cmocka_unit_test(it_ends_where_it_does_not_help),
        cmocka_unit_test(labels_are_kept_though_they_come_late),
        cmocka_unit_test(every_beginning_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
