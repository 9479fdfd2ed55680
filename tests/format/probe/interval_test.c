#include "format/probe/interval.h"

#include "support/probe/probe_image.h"
#include "support/profile/format_laws.h"

extern const struct flm_format flm_format_probe;

/* An image, and what it was: a copy, with another time. */
struct copies {
    struct image *before, *after;
};

static struct copies make_copies(void)
{
    struct copies copies = {make_image(), make_image()};
    header_of(copies.before)->state = header_of(copies.after)->state = FLM_PROBE_RUNNING;
    header_of(copies.before)->now_ticks = 2000;
    return copies;
}

/* Frees the copies. */
static struct flm_profile *between(struct copies copies)
{
    struct flm_error why;
    assert_true(flm_probe_subtract(copies.after->at, sizeof copies.after->at,
                                   image_bytes(copies.before), &why));
    struct flm_profile *p =
        read_bytes(&flm_format_probe, image_bytes(copies.after), &(struct flm_read_options){0});
    assert_sound(p);
    free(copies.before);
    free(copies.after);
    return p;
}

static void calls_times_and_values_are_those_since_then(void **state)
{
    (void)state;
    struct copies c = make_copies();
    *node_of(c.after, 1) = (struct flm_probe_node){
        .parent = node_place(0), .site = 1, .calls = 3, .total = 2500, .value = {100, 7}};
    node_of(c.before, 1)->value[FLM_PROBE_ALLOCATED] = 60;
    node_of(c.after, 2)->calls = 10;
    node_of(c.after, 2)->total = 1100;
    thread_of(c.before)->lost_depth = 5;
    thread_of(c.after)->lost_depth = 7;
    struct flm_profile *p = between(c);
    assert_folded(p, "main 1000\nmain;parse 500\n");
    assert_metric(p, 1, "calls", "count", 8, 2);
    assert_metric(p, 2, "allocated", "bytes", 40, 1);
    assert_int_equal(lost(p, "scopes in more than 256 others", ""), 2);
    flm_profile_free(p);
}

static void nothing_happened_between_a_copy_and_itself(void **state)
{
    (void)state;
    struct flm_profile *p = between(make_copies());
    assert_metric(p, 0, "wall", "ns", 0, 0);
    flm_profile_free(p);
}

/* Since its start main has more than its share of measuring; since then it has less, and that is
 * not taken from what was before. */
static void no_time_is_negative_where_measuring_costs_more_than_there_is(void **state)
{
    (void)state;
    struct copies c = make_copies();
    node_of(c.before, 1)->total = 100000;
    node_of(c.after, 1)->total = 101000;
    node_of(c.after, 2)->calls = 14;
    node_of(c.after, 2)->total = 1500;
    header_of(c.before)->outside_cost = header_of(c.after)->outside_cost = 60 * 256;
    struct flm_profile *p = between(c);
    assert_folded(p, "main;parse 900\n");
    flm_profile_free(p);
}

/* main is open all the time; parse was open, and has ended with 4000 in all, 1500 since then. */
static void open_scopes_have_the_time_since_then(void **state)
{
    (void)state;
    struct copies c = make_copies();
    header_of(c.before)->now_ticks = 3000;
    node_of(c.before, 1)->calls = node_of(c.after, 1)->calls = 0;
    node_of(c.before, 1)->total = node_of(c.after, 1)->total = 0;
    thread_of(c.before)->start = thread_of(c.after)->start = 100;
    thread_of(c.before)->open[1] = (struct flm_probe_open){.node = node_place(1), .start = 100};
    thread_of(c.before)->open[2] = (struct flm_probe_open){.node = node_place(2), .start = 500};
    thread_of(c.after)->open[1] = thread_of(c.before)->open[1];
    node_of(c.after, 2)->calls = 5;
    node_of(c.after, 2)->total = 600 + 4000;
    struct flm_profile *p = between(c);
    assert_folded(p, "main 500\nmain;parse 1500\n");
    flm_profile_free(p);
}

/* The library did something in main that is in no scope: main began later by that. */
static void what_is_in_no_scope_is_left_out(void **state)
{
    (void)state;
    struct copies c = make_copies();
    thread_of(c.before)->open[1] = (struct flm_probe_open){.node = node_place(1), .start = 1500};
    thread_of(c.after)->open[1] = (struct flm_probe_open){.node = node_place(1), .start = 1700};
    struct flm_profile *p = between(c);
    assert_folded(p, "main 2800\n");
    flm_profile_free(p);
}

/* The one that was open has ended, with 900, and another one has begun at this depth. */
static void a_scope_that_began_again_is_another_one(void **state)
{
    (void)state;
    struct copies c = make_copies();
    thread_of(c.before)->open[1] = (struct flm_probe_open){.node = node_place(1), .start = 1500};
    thread_of(c.after)->open[1] = (struct flm_probe_open){.node = node_place(1), .start = 4700};
    node_of(c.after, 1)->calls = 2;
    node_of(c.after, 1)->total = 1000 + 900;
    struct flm_profile *p = between(c);
    assert_folded(p, "main 700\n");
    assert_metric(p, 1, "calls", "count", 1, 1);
    flm_profile_free(p);
}

/* 1 call of 4 was timed before, 1 of 100 since then: each kind of calls is estimated alone. And
 * where none was timed since then, the average of all stands for it. */
static void calls_that_were_not_timed_are_like_those_that_were(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct copies c = make_copies();
        header_of(c.before)->timed_of = header_of(c.after)->timed_of = 16;
        node_of(c.before, 2)->timed = node_of(c.after, 2)->timed = 1;
        node_of(c.after, 2)->calls += 100;
        node_of(c.after, 2)->timed += (uint32_t)more;
        node_of(c.after, 2)->total += more ? 3 : 0;
        struct flm_profile *p = between(c);
        assert_folded(p, more ? "main;parse 300\n" : "main;parse 60000\n");
        flm_profile_free(p);
    }
}

static void live_bytes_are_those_of_the_later_copy(void **state)
{
    (void)state;
    struct copies c = make_copies();
    node_of(c.before, 2)->value[FLM_PROBE_LIVE] = 500;
    node_of(c.after, 2)->value[FLM_PROBE_LIVE] = 200;
    struct flm_profile *p = between(c);
    assert_metric(p, 2, "live", "bytes", 200, 1);
    flm_profile_free(p);
}

static void copies_of_two_files_are_refused(void **state)
{
    (void)state;
    struct copies c = make_copies();
    struct flm_error why;
    header_of(c.after)->start_ns = 1;
    assert_false(flm_probe_subtract(c.after->at, sizeof c.after->at, image_bytes(c.before), &why));
    assert_string_equal(why.text, "not two copies of one file");
    assert_false(flm_probe_subtract(c.after->at, 100, image_bytes(c.before), &why));
    free(c.before);
    free(c.after);
}

/* Not inlined: the compiler takes the bytes for those of the magic number alone. */
static __attribute__((noinline)) void damage(char *at, uint32_t where, uint32_t value)
{
    memcpy(at + where, &value, sizeof value);
}

/* Whatever is damaged, nothing outside of the copies is touched. */
static void damaged_copies_are_left_to_their_reader(void **state)
{
    (void)state;
    uint32_t x = 1;
    for (int round = 0; round < 3000; round++) {
        struct copies c = make_copies();
        for (int i = 0; i < 4; i++) {
            char *at = (i % 2 ? c.after : c.before)->at;
            x = x * 1664525 + 1013904223;
            uint32_t where = 8 + (x >> 8) % (sizeof c.after->at - 12);
            damage(at, where, x);
        }
        flm_probe_subtract(c.after->at, sizeof c.after->at, image_bytes(c.before), NULL);
        free(c.before);
        free(c.after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_times_and_values_are_those_since_then),
        cmocka_unit_test(nothing_happened_between_a_copy_and_itself),
        cmocka_unit_test(no_time_is_negative_where_measuring_costs_more_than_there_is),
        cmocka_unit_test(open_scopes_have_the_time_since_then),
        cmocka_unit_test(what_is_in_no_scope_is_left_out),
        cmocka_unit_test(a_scope_that_began_again_is_another_one),
        cmocka_unit_test(calls_that_were_not_timed_are_like_those_that_were),
        cmocka_unit_test(live_bytes_are_those_of_the_later_copy),
        cmocka_unit_test(copies_of_two_files_are_refused),
        cmocka_unit_test(damaged_copies_are_left_to_their_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
