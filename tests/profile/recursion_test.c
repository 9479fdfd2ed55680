#include "profile/recursion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/operations.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/laws.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* The node at a path of names with semicolons between them. */
static uint32_t node_at(const struct flm_profile *p, const char *path)
{
    uint32_t node = 0;
    for (struct flm_bytes rest = flm_bytes_of(path); rest.size > 0;) {
        size_t size = 0;
        while (size < rest.size && rest.at[size] != ';')
            size++;
        uint32_t child = node + 1;
        while (child < p->node_end[node] &&
               !flm_bytes_equal(flm_frame_function(p, p->node_frame[child]),
                                (struct flm_bytes){rest.at, size}))
            child = p->node_end[child];
        assert_true(child < p->node_end[node]);
        node = child;
        rest = flm_bytes_from(rest, size < rest.size ? size + 1 : size);
    }
    return node;
}

static void assert_depths(const struct flm_profile *p, const char *path, uint32_t least,
                          uint32_t most)
{
    struct flm_depths depths = flm_recursion_at(p, node_at(p, path));
    if (depths.least != least || depths.most != most)
        fail_msg("%s stands for %u to %u frames, not %u to %u", path, depths.least, depths.most,
                 least, most);
}

static struct flm_profile *collapsed(const char *folded, const char *expression)
{
    struct flm_profile *p = profile_of(folded), *q = applied(p, expression);
    assert_sound(q);
    flm_profile_free(p);
    return q;
}

/* ---- What collapsing leaves ------------------------------------------------------------------ */

static void a_profile_that_is_not_collapsed_has_one_frame_in_each_node(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;deep;deep;deep 1\n");
    assert_int_equal(p->sizes.recursion_count, 0);
    assert_depths(p, "main;deep;deep", 1, 1);
    flm_profile_free(p);
    p = collapsed("main;deep;deep 1\nmain;deep;read 2\nmain;read 1\n", "collapse:direct");
    assert_int_equal(p->sizes.recursion_count, 1);
    assert_depths(p, "main", 1, 1);
    assert_depths(p, "main;deep;read", 1, 1);
    assert_depths(p, "main;read", 1, 1);
    flm_profile_free(p);
}

static void the_most_and_the_fewest_frames_of_its_stacks_are_kept(void **state)
{
    (void)state;
    /* 3 in the stack that ends there, 5 where read is called, 4 in one that writes. */
    struct flm_profile *p =
        collapsed("main;deep;deep;deep 2\nmain;deep;deep;deep;deep;deep;read 3\n"
                  "main;deep;deep;deep;deep;write 1\n",
                  "collapse:direct");
    assert_depths(p, "main;deep", 3, 5);
    flm_profile_free(p);
    p = collapsed("deep;deep;deep;deep 2\n", "collapse:direct");
    assert_depths(p, "deep", 4, 4);
    flm_profile_free(p);
}

static void chains_at_several_places_have_depths_of_their_own(void **state)
{
    (void)state;
    struct flm_profile *p = collapsed(
        "a;deep;deep;deep 1\nb;deep 1\nb;c;deep;deep;d;deep;deep;deep;deep 1\n", "collapse:direct");
    assert_depths(p, "a;deep", 3, 3);
    assert_depths(p, "b;deep", 1, 1);
    assert_depths(p, "b;c;deep", 2, 2);
    assert_depths(p, "b;c;deep;d;deep", 4, 4);
    flm_profile_free(p);
}

static void two_functions_that_call_each_other_are_counted_apart(void **state)
{
    (void)state;
    struct flm_profile *p = collapsed("main;a;b;a;b;a;b;b 1\n", "collapse:direct");
    assert_depths(p, "main;a;b;a;b;a;b", 2, 2);
    assert_depths(p, "main;a;b;a;b", 1, 1);
    flm_profile_free(p);
    p = collapsed("main;a;b;a;b;a;b;b 1\n", "collapse:any");
    assert_depths(p, "main;a", 1, 3);
    assert_depths(p, "main;a;b", 1, 4);
    flm_profile_free(p);
}

static void only_the_functions_that_are_asked_for_are_collapsed(void **state)
{
    (void)state;
    const char *folded = "a;a;a;b;b;c;c 1\n";
    static const struct {
        const char *expression, *expected;
    } cases[] = {
        {"collapse:direct", "a;b;c 1\n"},
        {"collapse:direct,a", "a;b;b;c;c 1\n"},
        {"collapse:direct, a , c", "a;b;b;c 1\n"},
        {"collapse:direct,!a", "a;a;a;b;c 1\n"},
        {"collapse:direct,/[ab]/,!b", "a;b;b;c;c 1\n"},
        {"collapse:direct,!a,!\"c\"", "a;a;a;b;c;c 1\n"},
        {"collapse:any,!/x|a/", "a;a;a;b;c 1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_profile *p = collapsed(folded, cases[i].expression);
        assert_folded(p, cases[i].expected);
        flm_profile_free(p);
    }
    struct flm_profile *p = collapsed(folded, "collapse:direct,!a");
    assert_depths(p, "a;a;a", 1, 1);
    assert_depths(p, "a;a;a;b", 2, 2);
    flm_profile_free(p);
}

/* The child of `node` with the frame `frame` of `p`. */
static uint32_t same_child(const struct flm_profile *q, uint32_t node, const struct flm_profile *p,
                           uint32_t frame)
{
    struct model_frame wanted = model_frame_of(p, frame);
    uint32_t child = node + 1;
    while (child < q->node_end[node] &&
           !model_frames_equal(model_frame_of(q, q->node_frame[child]), wanted))
        child = q->node_end[child];
    assert_true(child < q->node_end[node]);
    return child;
}

/* Stack by stack, as the definition says it. */
static void depths_are_those_of_the_stacks_one_by_one(void **state)
{
    (void)state;
    uint64_t random = 51;
    struct random_shape shape = random_full;
    for (int round = 0; round < 100; round++) {
        shape.stacks = 1 + random_below(&random, 50);
        shape.names = 2 + random_below(&random, 3);
        struct flm_profile *p = random_profile(&random, &shape), *q = applied(p, "collapse:direct");
        uint32_t count = p->sizes.node_count, *parent = malloc(count * sizeof *parent);
        uint32_t *path = malloc(count * sizeof *path);
        struct flm_depths *expected = flm_depths_new(q->sizes.node_count);
        assert_true(parent && path && expected);
        flm_profile_parents(p, parent);
        for (uint32_t i = 1; i < count; i++) {
            bool ends = p->node_end[i] == i + 1;
            for (uint32_t m = 0; m < p->sizes.metric_count; m++)
                ends |= flm_self_column(p, m)[i] != 0;
            uint32_t length = 0, node = 0;
            for (uint32_t at = i; ends && at != 0; at = parent[at])
                path[length++] = p->node_frame[at];
            while (length > 0) {
                uint32_t frame = path[--length], frames = 1;
                node = same_child(q, node, p, frame);
                while (length > 0 &&
                       p->frames[path[length - 1]].function == p->frames[frame].function) {
                    length--;
                    frames++;
                }
                flm_depths_merge(&expected[node], (struct flm_depths){frames, frames});
            }
        }
        for (uint32_t i = 1; i < q->sizes.node_count; i++) {
            struct flm_depths got = flm_recursion_at(q, i);
            assert_int_equal(got.least, expected[i].least);
            assert_int_equal(got.most, expected[i].most);
        }
        free(parent);
        free(path);
        free(expected);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static void a_chain_of_100000_frames_is_one_node(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame deep = flm_builder_function(b, "deep", 4);
    struct flm_node node = flm_builder_root(b);
    for (int i = 0; i < 100000; i++) {
        node = flm_builder_child(b, node, deep);
        flm_builder_add(b, node, cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    static const char *const expressions[] = {"collapse:direct", "collapse:any"};
    for (int i = 0; i < 2; i++) {
        struct flm_profile *q = applied(p, expressions[i]);
        assert_int_equal(q->sizes.node_count, 2);
        assert_depths(q, "deep", 1, 100000);
        assert_true(flm_profile_total(q, (struct flm_metric){0}) == 100000);
        flm_profile_free(q);
    }
    flm_profile_free(p);
}

/* ---- What becomes of it ---------------------------------------------------------------------- */

static void operations_keep_the_depths_of_nodes_that_stay(void **state)
{
    (void)state;
    const char *folded = "main;deep;deep;deep;read 4\nmain;deep;deep;write 3\nmain;idle 2\n";
    static const struct {
        const char *after, *path;
        uint32_t least, most;
    } cases[] = {
        {"keep:read", "main;deep", 2, 3},
        {"drop:idle", "main;deep", 2, 3},
        {"hide:main", "deep", 2, 3},
        {"focus:deep", "deep", 2, 3},
        {"by:function", "main;deep", 2, 3},
        {"rename:s/deep/deeper/", "main;deeper", 2, 3},
        {"prune:deep", "main;deep", 2, 3},
        {"prune:main", "main", 1, 1},
        {"hide:deep", "main;read", 1, 1},
        {"by:kind", "plain", 1, 1}, /* a kind does not call itself */
        {"invert", "read;deep", 2, 3},
        {"collapse:any", "main;deep", 2, 3},
        {"collapse:direct", "main;deep", 2, 3}, /* twice is once */
    };
    struct flm_profile *p = collapsed(folded, "collapse:direct");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_profile *q = applied(p, cases[i].after);
        assert_sound(q);
        if (strcmp(cases[i].after, "by:kind") != 0)
            assert_depths(q, cases[i].path, cases[i].least, cases[i].most);
        else
            assert_int_equal(q->sizes.recursion_count, 0);
        flm_profile_free(q);
    }
    flm_profile_free(p);
}

static void depths_of_nodes_that_become_one_are_merged(void **state)
{
    (void)state;
    struct flm_profile *p =
        collapsed("a;deep;deep;deep 1\nb;deep;deep 1\n", "collapse:direct | hide:/a|b/");
    assert_depths(p, "deep", 2, 3);
    flm_profile_free(p);
    p = collapsed("a;deep;deep;deep 1\nb;deep 1\n", "collapse:direct | hide:/a|b/");
    assert_depths(p, "deep", 1, 3);
    flm_profile_free(p);
    /* Recursion that is left after another was collapsed: the sum of both. */
    p = collapsed("deep;deep;x;deep;deep;deep 1\n", "collapse:direct | hide:x | collapse:direct");
    assert_depths(p, "deep", 5, 5);
    flm_profile_free(p);
    p = collapsed("deep;deep;x;deep 1\n", "collapse:direct | collapse:any");
    assert_depths(p, "deep", 2, 3);
    flm_profile_free(p);
}

static void profiles_that_are_added_or_compared_keep_the_depths_of_both(void **state)
{
    (void)state;
    struct flm_profile *before = collapsed("main;deep;deep;deep 3\nmain;walk;walk 1\n",
                                           "collapse:direct"),
                       *after = collapsed("main;deep;deep 3\nmain;walk 2\nmain;new;new 1\n",
                                          "collapse:direct");
    const struct flm_profile *both[] = {before, after};
    static const char *const names[] = {"before", "after"};
    for (int mode = 0; mode < 2; mode++) {
        struct flm_profile *sum =
            flm_align(both, 2, mode ? FLM_ALIGN_SIDE_BY_SIDE : FLM_ALIGN_ADD, names, NULL);
        assert_sound(sum);
        assert_depths(sum, "main;deep", 2, 3);
        assert_depths(sum, "main;walk", 1, 2);
        assert_depths(sum, "main;new", 2, 2);
        assert_depths(sum, "main", 1, 1);
        flm_profile_free(sum);
    }
    flm_profile_free(before);
    flm_profile_free(after);
}

static void deep_enough_is_as_deep_as_a_number_can_say(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("deep;deep 1\n");
    struct flm_depths depths[3] = {{0, 0}, {FLM_NONE - 2, FLM_NONE - 2}, {7, FLM_NONE - 2}};
    assert_true(flm_recursion_set(p, depths, 3, NULL, NULL));
    struct flm_profile *q = applied(p, "collapse:direct");
    assert_depths(q, "deep", FLM_NONE - 1, FLM_NONE - 1);
    flm_profile_free(p);
    flm_profile_free(q);
}

/* ---- The records ----------------------------------------------------------------------------- */

static void records_are_of_nodes_with_several_frames(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\nb 1\nc 1\nd 1\n");
    struct flm_depths depths[] = {{2, 9}, {1, 1}, {3, 4}, {0, 0}, {1, 2}};
    const uint32_t swapped[] = {0, 1, 4, 3, 2};
    assert_true(flm_recursion_set(p, depths, 5, swapped, NULL));
    assert_true(flm_profile_check(p, NULL));
    assert_int_equal(p->sizes.recursion_count, 2);
    assert_int_equal(p->recursions[0].node, 2);
    assert_int_equal(p->recursions[0].most, 2);
    assert_int_equal(p->recursions[1].node, 4);
    assert_int_equal(p->recursions[1].least, 3);
    flm_profile_free(p);
}

static void a_file_has_them(void **state)
{
    (void)state;
    struct flm_profile *p = collapsed("main;deep;deep;deep 2\nmain;deep 1\n", "collapse:direct");
    struct flm_text bytes = bytes_of(p);
    void *copy = aligned_alloc(64, (bytes.size + 63) / 64 * 64);
    assert_non_null(copy);
    memcpy(copy, bytes.at, bytes.size);
    struct flm_profile *q = flm_profile_open(copy, bytes.size, NULL, NULL, NULL);
    assert_non_null(q);
    assert_depths(q, "main;deep", 1, 3);
    assert_profiles_equal(p, q);
    flm_profile_free(q);
    free(copy);
    flm_text_clear(&bytes);
    flm_profile_free(p);
}

static bool collapse_and_go_on(void *context, struct flm_error *why)
{
    struct flm_profile *p = context, *q = flm_collapse(p, FLM_RECURSION_ANY, NULL, why);
    const struct flm_profile *both[] = {q, q};
    bool good = q != NULL;
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    struct flm_profile *made[] = {
        q ? flm_align(both, 2, FLM_ALIGN_ADD, NULL, why) : NULL,
        q ? flm_invert(q, why) : NULL,
        q && marks ? flm_keep(q, marks, false, why) : NULL,
        q && marks ? flm_hide(q, marks, why) : NULL,
    };
    good = good && (marks || flm_error_memory(why));
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        good = good && made[i];
        flm_profile_free(made[i]);
    }
    flm_profile_free(q);
    free(marks);
    return good;
}

static void depths_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;deep;deep;read 2\nmain;deep;read;deep 1\n");
    assert_true(assert_survives_failures(collapse_and_go_on, p) > 50);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_that_is_not_collapsed_has_one_frame_in_each_node),
        cmocka_unit_test(the_most_and_the_fewest_frames_of_its_stacks_are_kept),
        cmocka_unit_test(chains_at_several_places_have_depths_of_their_own),
        cmocka_unit_test(two_functions_that_call_each_other_are_counted_apart),
        cmocka_unit_test(only_the_functions_that_are_asked_for_are_collapsed),
        cmocka_unit_test(depths_are_those_of_the_stacks_one_by_one),
        cmocka_unit_test(a_chain_of_100000_frames_is_one_node),
        cmocka_unit_test(operations_keep_the_depths_of_nodes_that_stay),
        cmocka_unit_test(depths_of_nodes_that_become_one_are_merged),
        cmocka_unit_test(profiles_that_are_added_or_compared_keep_the_depths_of_both),
        cmocka_unit_test(deep_enough_is_as_deep_as_a_number_can_say),
        cmocka_unit_test(records_are_of_nodes_with_several_frames),
        cmocka_unit_test(a_file_has_them),
        cmocka_unit_test(depths_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
