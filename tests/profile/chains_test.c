#include "profile/chains.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/operation/rebuild.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/laws.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* "main:9;parse:40;lex 3": a stack whose frames are at lines of app.c; without a number the line is
 * not known. */
static void add(struct flm_builder *b, const char *stack, double value)
{
    struct flm_node node = flm_builder_root(b);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    for (const char *at = stack; *at;) {
        size_t size = strcspn(at, ";"), name = strcspn(at, ":;");
        struct flm_frame frame = flm_builder_function(b, at, name);
        struct flm_location where = {.file = flm_builder_string(b, "app.c", 5).index,
                                     .line = (uint32_t)strtoul(at + name + 1, NULL, 10)};
        node = flm_builder_child(b, node,
                                 name < size ? flm_builder_frame_at(b, frame, &where) : frame);
        at += size + (at[size] == ';');
    }
    flm_builder_add(b, node, metric, value);
}

static struct flm_profile *finished(struct flm_builder *b)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

static struct flm_profile *example(void)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    add(b, "main:9;parse:44;lex:8", 1);
    add(b, "main:9;parse:40;lex:7", 3);
    add(b, "main:9;parse:44;lex:7", 2);
    add(b, "main;read:5", 10);
    return finished(b);
}

/* Self values by line of a function: "lex:7". */
static double self_at(const struct flm_profile *p, const char *function, uint32_t line)
{
    struct flm_chain_table table;
    struct flm_error why;
    double sum = 0;
    assert_true(flm_chain_table_init(&table, p, &why));
    for (uint32_t node = 1; node < p->sizes.node_count; node++)
        for (uint32_t chain = table.start[node]; chain < table.start[node + 1]; chain++) {
            uint32_t location = flm_chain_location(&table, node, chain);
            if (flm_bytes_are(flm_frame_function(p, p->node_frame[node]), function) &&
                (location == FLM_NONE ? 0 : flm_location_at(p, location).line) == line)
                sum += flm_chain_value(&table, 0, node, chain);
        }
    flm_chain_table_clear(&table);
    return sum;
}

static void stacks_of_one_function_at_several_lines_are_one_node(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    assert_folded(p, "main;parse;lex 6\nmain;read 10\n");
    assert_int_equal(p->sizes.location_count, 6);
    assert_int_equal(p->sizes.chain_count, 1 + 2 + 2 + 3 + 1); /* root, main, parse, lex, read */
    assert_int_equal(p->sizes.shared_count, 2 + 2 + 3);
    assert_true(self_at(p, "lex", 7) == 5);
    assert_true(self_at(p, "lex", 8) == 1);
    assert_true(self_at(p, "read", 5) == 10);
    flm_profile_free(p);
}

static void a_split_profile_has_a_frame_for_each_location(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_profile *p = example(), *split = flm_profile_split(p, &why);
    assert_non_null(split);
    assert_folded(split, "main;parse;lex 6\nmain;read 10\n");
    assert_int_equal(split->sizes.frame_count, 1 + 2 + 2 + 2 + 1);
    assert_int_equal(split->sizes.node_count, p->sizes.chain_count);
    assert_int_equal(split->sizes.location_count, p->sizes.location_count);
    flm_profile_free(split);
    flm_profile_free(p);
}

static void splitting_and_joining_gives_the_same_profile(void **state)
{
    (void)state;
    uint64_t random = 14;
    struct flm_error why;
    for (int round = 0; round < 200; round++) {
        struct random_shape shape = random_full;
        shape.samples = (enum random_samples)(round % 3);
        shape.negative = round % 2;
        shape.stacks = 1 + random_below(&random, 80);
        struct flm_profile *p = random_profile(&random, &shape);
        assert_sound(p);
        struct flm_profile *split = flm_has_chains(p) ? flm_profile_split(p, &why) : NULL;
        struct flm_profile *joined = flm_joined(split, &why);
        if (joined)
            assert_profiles_equal(p, joined);
        flm_profile_free(joined);
        flm_profile_free(p);
    }
}

/* Sum over the nodes of |self - its chains| and of samples' values that are not of their chain. */
static double apart(const struct flm_profile *p)
{
    struct flm_chain_table table;
    struct flm_error why;
    double sum = 0;
    if (!flm_has_chains(p))
        return 0;
    assert_true(flm_chain_table_init(&table, p, &why));
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        for (uint32_t node = 0; node < p->sizes.node_count; node++) {
            double left = flm_self_column(p, m)[node];
            for (uint32_t chain = table.start[node]; chain < table.start[node + 1]; chain++)
                left -= flm_chain_value(&table, m, node, chain);
            sum += left < 0 ? -left : left;
        }
    flm_chain_table_clear(&table);
    return sum;
}

static void chains_add_up_to_their_nodes(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "hide:f1",         "focus:f2",      "prune:f3",    "invert",  "collapse:direct",
        "collapse:any",    "depth:3",       "by:function", "by:line", "rename:s/f4/f5/",
        "label:thread=t1", "time:0s..0.3s", "keep:f1",     "drop:f6", "metric:m1",
        "split:thread",    "nodes:4",
    };
    enum { EXPRESSIONS = sizeof expressions / sizeof expressions[0] };
    uint64_t random = 3;
    unsigned with = 0;
    for (size_t i = 0; i < 16 * EXPRESSIONS; i++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        struct flm_profile *q = applied(p, expressions[i % EXPRESSIONS]);
        assert_sound(q);
        with += flm_has_chains(q);
        assert_true(apart(q) == 0);
        struct flm_profile *sum = sum_of(p, q);
        assert_sound(sum);
        assert_true(apart(sum) == 0);
        flm_profile_free(sum);
        flm_profile_free(q);
        flm_profile_free(p);
    }
    assert_true(with > 200);
}

/* Lines of stacks that an operation leaves are theirs, not a share of all. */
static void operations_keep_the_lines_of_what_stays(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    add(b, "main:1;lex:7", 1);
    add(b, "main:2;lex:8", 2);
    add(b, "other:3;lex:8", 4);
    struct flm_profile *p = finished(b), *q = applied(p, "keep:other");
    assert_true(self_at(q, "lex", 7) == 0);
    assert_true(self_at(q, "lex", 8) == 4);
    flm_profile_free(q);
    q = applied(p, "hide:lex");
    assert_true(self_at(q, "main", 1) == 1);
    assert_true(self_at(q, "main", 2) == 2);
    flm_profile_free(q);
    flm_profile_free(p);
    b = flm_builder_new(&why);
    add(b, "main:1;walk:7;walk:7;walk:9", 5);
    p = finished(b);
    q = applied(p, "collapse:direct");
    assert_true(self_at(q, "walk", 9) == 5); /* not the line of the call */
    flm_profile_free(q);
    flm_profile_free(p);
}

/* main:1 and main:2, each calling lex:7; once lex:8. */
static struct flm_profile *called_from_two_lines(void)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    static const unsigned lines[][2] = {{1, 7}, {2, 7}, {2, 8}};
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 3; i++) {
        struct flm_location outer = {.line = lines[i][0]}, inner = {.line = lines[i][1]};
        struct flm_frame frames[2] = {
            flm_builder_frame_at(b, flm_builder_function(b, "main", 4), &outer),
            flm_builder_frame_at(b, flm_builder_function(b, "lex", 3), &inner)};
        struct flm_node node = flm_builder_stack(b, frames, 2);
        flm_builder_sample(b, i, node, (struct flm_label_set){0}, cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_sound(p);
    return p;
}

/* Breaks one number, as a file may have it. */
static void refuse(size_t column, size_t item, uint32_t value, const char *words)
{
    struct flm_profile *p = called_from_two_lines();
    struct flm_error why = {0};
    uint32_t *at;
    memcpy(&at, (const char *)p + column, sizeof at);
    at[item] = value;
    assert_false(flm_profile_check(p, &why));
    if (!strstr(why.text, words))
        fail_msg("it says '%s', not '%s'", why.text, words);
    flm_profile_free(p);
}

#define COLUMN(name) offsetof(struct flm_profile, name)

static void every_promise_of_chains_is_checked(void **state)
{
    (void)state;
    refuse(COLUMN(frame_locations), 1, 9, "has locations that are not there");
    refuse(COLUMN(frame_locations), 0, 1, "has locations that are not there");
    refuse(COLUMN(frame_locations), 2, 1, "locations after those of the frames");
    refuse(COLUMN(location_file), 0, 99, "names a string that is not there");
    refuse(COLUMN(location_line), 1, 1, "is not after the one before it");
    refuse(COLUMN(node_chains), 0, 2, "impossible number of chains");
    refuse(COLUMN(node_chains), 1, 0, "impossible number of chains");
    refuse(COLUMN(node_chains), 1, 1, "other chains than those of the nodes");
    refuse(COLUMN(chain_caller), 5, 2, "names a caller that is not there");
    refuse(COLUMN(chain_place), 5, 3, "names a location that is not there");
    refuse(COLUMN(chain_place), 5, 1, "is not after the one before it");
    refuse(COLUMN(sample_chain), 0, 3, "names a chain that is not there");
    struct flm_profile *p = called_from_two_lines();
    struct flm_error why = {0};
    p->chain_value[1] += 1;
    assert_false(flm_profile_check(p, &why));
    uint32_t locations = p->sizes.location_count;
    p->sizes.location_count = 0; /* as in a file without their sections */
    assert_false(flm_profile_check(p, &why));
    assert_non_null(strstr(why.text, "without the others"));
    p->sizes.location_count = locations;
    memset(&p->chain_value[1], 0xFF, sizeof p->chain_value[1]);
    assert_false(flm_profile_check(p, &why));
    assert_non_null(strstr(why.text, "do not add up"));
    flm_profile_free(p);
}

static bool split_one(void *context, struct flm_error *why)
{
    struct flm_profile *split = flm_profile_split(context, why);
    flm_profile_free(split);
    return split != NULL;
}

static bool join_one(void *context, struct flm_error *why)
{
    struct flm_profile *joined = flm_apply(context, "hide:f1 | depth:4", NULL, why);
    flm_profile_free(joined);
    return joined != NULL;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_true(assert_survives_failures(split_one, p) > 8);
    assert_true(assert_survives_failures(join_one, p) > 50);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_one_function_at_several_lines_are_one_node),
        cmocka_unit_test(a_split_profile_has_a_frame_for_each_location),
        cmocka_unit_test(splitting_and_joining_gives_the_same_profile),
        cmocka_unit_test(chains_add_up_to_their_nodes),
        cmocka_unit_test(operations_keep_the_lines_of_what_stays),
        cmocka_unit_test(every_promise_of_chains_is_checked),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
